"""Class labels of any type become codes 0, 1, …, K − 1."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_consistent_length, column_or_1d
from sklearn.utils.multiclass import check_classification_targets

from maxmargin.errors import InvalidInput
from maxmargin.validation._wording import as_invalid_input

__all__ = ["encode", "label_column", "require_labels"]

_SURELY_LABELS = "biuSU"  # kinds of dtype that need no look at the values


def label_column(y: Any, X: Any) -> NDArray[Any]:
    """Return y as one column of labels, one for each row of X."""
    if y is None:
        raise InvalidInput("y must be given: one label for each row of X. Got None.")
    with as_invalid_input():
        column: NDArray[Any] = column_or_1d(y, warn=True)
        check_consistent_length(X, column)
    require_labels(column)
    return column


def require_labels(y: NDArray[Any]) -> None:
    """Raise if y holds NaN or real numbers that are no class labels, in scikit-learn's words."""
    if y.dtype.kind in _SURELY_LABELS:
        return
    if y.dtype.kind == "f" and not np.isfinite(y).all():
        raise InvalidInput("Input y contains NaN or infinity. Drop the rows without a label.")
    with as_invalid_input():
        check_classification_targets(y)


def encode(y: NDArray[Any]) -> tuple[NDArray[Any], NDArray[np.intp]]:
    """Return the sorted classes and, for each label, the index of its class."""
    try:
        classes, codes = np.unique(y, return_inverse=True)
    except TypeError:
        kinds = sorted({type(label).__name__ for label in y})
        raise InvalidInput(
            f"The labels in y must be of one type. Got {' and '.join(kinds)}. Convert them, say to str."
        ) from None
    return classes, codes.astype(np.intp, copy=False)
