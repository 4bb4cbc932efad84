"""FASTA files, plain and compressed."""

from __future__ import annotations

import bz2
import gzip
import lzma
from pathlib import Path
from typing import Any

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


PACKED = gzip.compress(TEXT.encode() * 50, mtime=0)


@pytest.mark.parametrize("pack", [bytes, gzip.compress, lzma.compress, bz2.compress])
@pytest.mark.parametrize("name", ["some.fasta", "some.fasta.gz", "some.FA.GZ"])
def test_the_first_bytes_tell_compression(name: str, pack: Any, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_bytes(pack(b"\xef\xbb\xbf" + TEXT[TEXT.index(">") :].encode()))
    assert read_fasta(path).headers == ["one", "two", "three"]


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b">x\xe9\nACGT\n", "is no UTF-8 text"),
        (PACKED[: len(PACKED) // 2], "compressed data of .* are damaged"),
        (PACKED[:-8] + bytes(8), "compressed data of .* are damaged"),
        (PACKED[:12] + b"\xff" * 30 + PACKED[42:], "compressed data of .* are damaged"),
        (lzma.compress(TEXT.encode())[:-20], "compressed data of .* are damaged"),
    ],
)
def test_says_what_cannot_be_read(content: bytes, says: str, tmp_path: Path) -> None:
    path = tmp_path / "bad.fasta"
    path.write_bytes(content)
    with pytest.raises(InvalidInput, match=says):
        read_fasta(path)


@pytest.mark.parametrize("path", [b"some.fasta", 3, None])
def test_paths_are_str_or_paths(path: Any) -> None:
    with pytest.raises(InvalidInput, match="must be a str or a path"):
        read_fasta(path)
