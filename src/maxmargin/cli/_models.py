"""The model that a command is given: ours, or LIBSVM's."""

from __future__ import annotations

import sys
from io import BytesIO
from pathlib import Path
from typing import Any, Final

from maxmargin.errors import InvalidInput
from maxmargin.io import load, read_libsvm

__all__ = ["is_model", "read_model"]

_BEGINS: Final = {b"PK\x03\x04": "mm", b"svm_type": "libsvm"}


def kind_of_model(data: bytes) -> str | None:
    """ "mm" or "libsvm", by the first bytes; None for what is no model."""
    return next((kind for begin, kind in _BEGINS.items() if data.startswith(begin)), None)


def is_model(path: str) -> bool:
    """Whether a file holds a model."""
    if path == "-":
        return False
    with open(path, "rb") as file:
        return kind_of_model(file.read(16)) is not None


def read_model(path: str) -> Any:
    """Read a model of either format, from a file or from standard input."""
    data = sys.stdin.buffer.read() if path == "-" else Path(path).read_bytes()
    name = "standard input" if path == "-" else path
    kind = kind_of_model(data)
    if kind is None:
        raise InvalidInput(f"{name} is no model: it begins neither as one of maxmargin (.mm) nor as one of LIBSVM (svm_type).")
    file = BytesIO(data)
    file.name = name  # for messages
    return load(file) if kind == "mm" else read_libsvm(file)
