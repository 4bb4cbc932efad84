"""Files: models, rows and sequences."""

from maxmargin.io._bytes import first_bytes as first_bytes
from maxmargin.io._c_code import to_c
from maxmargin.io._csv import read_csv
from maxmargin.io._fasta import Fasta, read_fasta
from maxmargin.io._libsvm import read_libsvm, write_libsvm
from maxmargin.io._models import load, save
from maxmargin.io._svmlight import Rows, read_svmlight, write_svmlight
from maxmargin.io._types import TRUSTED_TYPES

__all__ = [
    "TRUSTED_TYPES",
    "Fasta",
    "Rows",
    "load",
    "read_csv",
    "read_fasta",
    "read_libsvm",
    "read_svmlight",
    "save",
    "to_c",
    "write_libsvm",
    "write_svmlight",
]
