"""The parts of solutions that files may hold."""

from __future__ import annotations

from typing import Final

from maxmargin._stored_types import StoredTypes

__all__ = ["STORED"]

STORED: Final = StoredTypes(
    "maxmargin.solution",
    {
        "_certificate": "Certificate",
        "_trace": "Trace",
    },
)
