"""FASTA files, plain and compressed."""

from __future__ import annotations

import gzip
import lzma
from pathlib import Path

import pytest

from maxmargin.errors import InvalidInput
from maxmargin.io import read_fasta

TEXT = "; a comment\n>one  \nACgt\n\nAC GT\n>two\n>three\nT\r\n"


@pytest.mark.parametrize(("ending", "pack"), [("", lambda b: b), (".gz", gzip.compress), (".xz", lzma.compress)])
def test_reads_records(ending: str, pack: object, tmp_path: Path) -> None:
    path = tmp_path / f"some.fasta{ending}"
    path.write_bytes(pack(TEXT.encode()))  # type: ignore[operator]
    assert read_fasta(path).headers == ["one", "two", "three"]
    assert read_fasta(str(path)).sequences == ["ACGTACGT", "", "T"]
    assert read_fasta(path, upper=False).sequences == ["ACgtACGT", "", "T"]


@pytest.mark.parametrize(("text", "says"), [("ACGT\n>late\nA\n", "line 1 is 'ACGT'"), ("\n", "no FASTA record")])
def test_says_what_is_no_fasta(text: str, says: str, tmp_path: Path) -> None:
    path = tmp_path / "bad.fasta"
    path.write_text(text)
    with pytest.raises(InvalidInput, match=says):
        read_fasta(path)
