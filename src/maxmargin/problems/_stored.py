"""What scores mean, as files may hold it."""

from __future__ import annotations

from typing import Final

from maxmargin._stored_types import StoredTypes

__all__ = ["STORED"]

STORED: Final = StoredTypes(
    "maxmargin.problems",
    {
        "_slack_rule": "Ball Level Margin Tube",
    },
)
