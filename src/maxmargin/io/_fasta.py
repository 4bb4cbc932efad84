"""FASTA: sequences of letters, each after a line that begins with ``>``."""

from __future__ import annotations

import bz2
import gzip
import lzma
from collections.abc import Callable
from os import PathLike, fspath
from typing import Any, NamedTuple, final

from maxmargin.errors import InvalidInput

__all__ = ["Fasta", "read_fasta"]

_OPENERS: dict[str, Callable[..., Any]] = {".gz": gzip.open, ".xz": lzma.open, ".bz2": bz2.open}


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
    """Read a FASTA file, plain or compressed (``.gz``, ``.xz``, ``.bz2``).

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
        The file has no record, or letters before the first one.

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
    name = fspath(path)
    opened = next((opener for ending, opener in _OPENERS.items() if name.endswith(ending)), open)
    headers: list[str] = []
    parts: list[list[str]] = []
    with opened(name, "rt", encoding="utf-8") as file:
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
    if not headers:
        raise InvalidInput(f"{name} has no FASTA record: no line begins with '>'. Give a file of sequences with header lines.")
    sequences = ["".join(part) for part in parts]
    return Fasta(headers, [each.upper() for each in sequences] if upper else sequences)
