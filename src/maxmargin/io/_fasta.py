"""FASTA: sequences of letters, each after a line that begins with ``>``."""

from __future__ import annotations

from typing import NamedTuple, final

from maxmargin.errors import InvalidInput
from maxmargin.io._bytes import Source, name_of_source, read_bytes

__all__ = ["Fasta", "read_fasta"]


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


def read_fasta(path: Source, *, upper: bool = True, max_bytes: int | None = None) -> Fasta:
    """Read a FASTA file, plain or compressed by gzip, xz or bzip2, which its first bytes tell.

    Parameters
    ----------
    path : str, path or binary file
        The file.
    upper : bool
        Whether letters become upper case. Lower case marks repeats in genomes, and is the same base.
    max_bytes : int, default=None
        Largest number of decompressed bytes; None for 200 times the compressed ones, at least 64 MiB.

    Returns
    -------
    Fasta
        Headers and sequences, equally many.

    Raises
    ------
    InvalidInput
        The file has no record, or letters before the first one; it is no UTF-8 text, or its compressed data are damaged; the
        path is none.

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
    name = name_of_source(path, "FASTA file")
    try:
        text = read_bytes(path, "FASTA file", max_bytes).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InvalidInput(f"{name} is no UTF-8 text: {error}. Save it as UTF-8, or as plain ASCII.") from None
    headers, sequences = _records(text, name)
    if not headers:
        raise InvalidInput(f"{name} has no FASTA record: no line begins with '>'. Give a file of sequences with header lines.")
    return Fasta(headers, [each.upper() for each in sequences] if upper else sequences)


def _records(text: str, name: str) -> tuple[list[str], list[str]]:
    headers: list[str] = []
    parts: list[list[str]] = []
    for number, line in enumerate(text.splitlines(), 1):
        stripped = line.strip()
        if stripped.startswith(">"):
            headers.append(stripped[1:].strip())
            parts.append([])
        elif stripped and not stripped.startswith(";"):
            if not parts:
                raise InvalidInput(
                    f"{name} is no FASTA file: line {number} is {stripped[:40]!r}, before any line that begins with '>'. Put a"
                    " header line before each sequence."
                )
            parts[-1].append("".join(stripped.split()))
    return headers, ["".join(part) for part in parts]
