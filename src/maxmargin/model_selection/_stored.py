"""The searched estimators that files may hold."""

from __future__ import annotations

from typing import Final

from maxmargin._stored_types import StoredTypes

__all__ = ["STORED"]

STORED: Final = StoredTypes(
    "maxmargin.model_selection",
    {
        "_searched_kernel": "NuSVCCV SVCCV SVRCV",
        "_searched_linear": "LinearSVCCV LinearSVRCV LogisticRegressionCV",
    },
)
