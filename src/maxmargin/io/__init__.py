"""Reading files."""

from maxmargin.io._fasta import Fasta, read_fasta

__all__ = ["Fasta", "read_fasta"]
