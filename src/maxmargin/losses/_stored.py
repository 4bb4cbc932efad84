"""The losses that files may hold."""

from __future__ import annotations

from typing import Final

from maxmargin._stored_types import StoredTypes

__all__ = ["STORED"]

STORED: Final = StoredTypes(
    "maxmargin.losses",
    {
        "_margin": "Exponential Hinge Logistic Perceptron Squared SquaredHinge ZeroOne",
        "_residual": "EpsilonInsensitive SquaredEpsilonInsensitive",
    },
)
