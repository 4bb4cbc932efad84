"""FASTA: sequences of letters, each after a line that begins with ``>``."""

from __future__ import annotations

import bz2
import gzip
import lzma
import zlib
from collections.abc import Callable
from os import PathLike, fspath
from typing import Any, NamedTuple, final

from maxmargin.errors import InvalidInput

__all__ = ["Fasta", "read_fasta"]

_OPENERS: dict[bytes, Callable[..., Any]] = {b"\x1f\x8b": gzip.open, b"\xfd7zXZ\x00": lzma.open, b"BZh": bz2.open}
_LONGEST = max(len(first) for first in _OPENERS)


@final
class Fasta(NamedTuple):
    """What a file has, record after record.

    Attributes
    ----------
    headers : list of str
        The lines after ``>``.
    sequences : list of str
        The letters, without line breaks.

    Examples
    --------
    >>> from maxmargin.io import Fasta
    >>> Fasta(["first"], ["ACGT"]).sequences
    ['ACGT']
    """

    headers: list[str]
    sequences: list[str]


def read_fasta(path: str | PathLike[str], *, upper: bool = True) -> Fasta:
    """Read a FASTA file, plain or compressed by gzip, xz or bzip2, which its first bytes tell.

    Parameters
    ----------
    path : str or path
        The file.
    upper : bool
        Whether letters become upper case. Lower case marks repeats in genomes, and is the same base.

    Returns
    -------
    Fasta
        Headers and sequences, equally many.

    Raises
    ------
    InvalidInput
        The file has no record, or letters before the first one; it is no UTF-8 text, or its compressed data are damaged; the
        path is no str or path.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from maxmargin.io import read_fasta
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "two.fasta"
    ...     _ = path.write_text(">first\\nACGT\\nacg\\n>second\\nTTT\\n")
    ...     read_fasta(path)
    Fasta(headers=['first', 'second'], sequences=['ACGTACG', 'TTT'])
    """
    if not isinstance(path, str | PathLike) or not isinstance(name := fspath(path), str):
        raise InvalidInput(f"The path of a FASTA file must be a str or a path. Got {path!r}. Use os.fsdecode for bytes.")
    try:
        headers, sequences = _records(name)
    except UnicodeDecodeError as error:
        raise InvalidInput(f"{name} is no UTF-8 text: {error}. Save it as UTF-8, or as plain ASCII.") from None
    except (gzip.BadGzipFile, lzma.LZMAError, zlib.error, EOFError) as error:
        raise InvalidInput(f"The compressed data of {name} are damaged: {error}. Get the file again.") from None
    if not headers:
        raise InvalidInput(f"{name} has no FASTA record: no line begins with '>'. Give a file of sequences with header lines.")
    return Fasta(headers, [each.upper() for each in sequences] if upper else sequences)


def _records(name: str) -> tuple[list[str], list[str]]:
    headers: list[str] = []
    parts: list[list[str]] = []
    with open(name, "rb") as raw:
        begin = raw.read(_LONGEST)
    opened = next((opener for first, opener in _OPENERS.items() if begin.startswith(first)), open)
    with opened(name, "rt", encoding="utf-8-sig") as file:
        for number, line in enumerate(file, 1):
            text = line.strip()
            if text.startswith(">"):
                headers.append(text[1:].strip())
                parts.append([])
            elif text and not text.startswith(";"):
                if not parts:
                    raise InvalidInput(
                        f"{name} is no FASTA file: line {number} is {text[:40]!r}, before any line that begins with '>'. Put a"
                        " header line before each sequence."
                    )
                parts[-1].append("".join(text.split()))
    return headers, ["".join(part) for part in parts]
