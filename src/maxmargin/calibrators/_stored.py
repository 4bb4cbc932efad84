"""The calibrators that files may hold."""

from __future__ import annotations

from typing import Final

from maxmargin._stored_types import StoredTypes

__all__ = ["STORED"]

STORED: Final = StoredTypes(
    "maxmargin.calibrators",
    {
        "_pairs": "Pairs",
        "_per_class": "Isotonic Sigmoids",
        "_platt": "Platt",
        "_temperature": "Temperature",
    },
)
