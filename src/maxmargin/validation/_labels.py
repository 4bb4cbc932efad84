"""Class labels of any type become codes 0, 1, …, K − 1."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import assert_all_finite, check_array, check_consistent_length, column_or_1d
from sklearn.utils.multiclass import check_classification_targets

from maxmargin.errors import InvalidInput
from maxmargin.validation._arrays import length
from maxmargin.validation._wording import as_invalid_input

__all__ = ["encode", "label_column", "target_column", "target_columns"]

_SURELY_LABELS = "biuSU"  # kinds of dtype that need no look at the values
_NARROW = 1000  # labels from the smallest to the largest


def label_column(y: Any, X: Any) -> NDArray[Any]:
    """Return y as one column of labels, one for each row of X."""
    if type(y) is np.ndarray and y.ndim == 1 and len(y) == length(X) and (y.dtype.kind in _SURELY_LABELS or _whole(y)):
        return y
    if y is None:
        raise InvalidInput("The fit requires y to be passed, but the target y is None. Pass one label for each row of X.")
    with as_invalid_input():
        column: NDArray[Any] = column_or_1d(y, warn=True)
        if column.dtype.kind not in _SURELY_LABELS:
            assert_all_finite(column, input_name="y")
        check_consistent_length(X, column)
        if column.dtype.kind not in _SURELY_LABELS:
            check_classification_targets(column)
    return column


def _whole(y: NDArray[Any]) -> bool:
    """Whether y has whole numbers in floating point, as files have labels; a few million, so that they are exact."""
    return y.dtype.kind == "f" and len(y) > 0 and bool((np.abs(y) < 1e7).all()) and bool((y == np.rint(y)).all())


def target_column(y: Any, X: Any) -> NDArray[np.float64]:
    """Return y as one column of finite numbers, one for each row of X."""
    if y is None:
        raise InvalidInput("The fit requires y to be passed, but the target y is None. Pass one number for each row of X.")
    with as_invalid_input():
        given = np.asarray(y)
    if given.ndim == 2 and given.shape[1] > 1:
        raise InvalidInput(
            f"y should be a 1d array, got an array of shape {given.shape} instead. Solve a problem for each column, or use SVR"
            " or NuSVR, which take several."
        )
    with as_invalid_input():
        column: NDArray[Any] = column_or_1d(y, warn=True)
        check_consistent_length(X, column)
    return _numbers(column)


def target_columns(y: Any, X: Any) -> NDArray[np.float64]:
    """Return y as numbers of shape (n,) or, with several outputs, (n, outputs)."""
    with as_invalid_input():
        shape = () if y is None else np.asarray(y).shape
    if len(shape) < 2 or shape[1] == 1:
        return target_column(y, X)
    with as_invalid_input():
        columns: NDArray[Any] = check_array(y, dtype=None, ensure_all_finite=False, input_name="y")
        check_consistent_length(X, columns)
    return _numbers(columns)


def _numbers(y: NDArray[Any]) -> NDArray[np.float64]:
    """Targets as finite float64; what is missing in an array of objects is NaN."""
    try:
        if y.dtype.kind in "mMc":
            raise TypeError
        numbers = np.ascontiguousarray(y, dtype=np.float64)
    except (TypeError, ValueError):
        first = y.ravel()[0]
        shown = first.item() if isinstance(first, np.generic) else first
        raise InvalidInput(
            f"The targets in y must be numbers. Got {shown!r}. For labels use a classifier, such as SVC."
        ) from None
    with as_invalid_input():
        assert_all_finite(numbers, input_name="y")
    return numbers


def encode(y: NDArray[Any]) -> tuple[NDArray[Any], NDArray[np.intp]]:
    """Return the sorted classes and, for each label, the index of its class."""
    if y.dtype.kind in "biuf" and len(y) > 0:  # few classes need no sorting
        low, high = y.min(), y.max()
        if y.dtype.kind in "iu" and int(high) - int(low) < _NARROW:
            place = (y - low).astype(np.intp)
            found = np.bincount(place) > 0
            classes = (np.flatnonzero(found) + low).astype(y.dtype)
            return classes, place if len(classes) == len(found) else (np.cumsum(found) - 1).take(place)
        upper = y == high
        if low < high and bool((upper | (y == low)).all()):
            return np.array([low, high], dtype=y.dtype), upper.astype(np.intp)
    try:
        classes, codes = np.unique(y, return_inverse=True)
    except TypeError:
        kinds = sorted({type(label).__name__ for label in y})
        raise InvalidInput(
            f"The labels in y must be of one type. Got {' and '.join(kinds)}. Convert them, say to str."
        ) from None
    return classes, codes.astype(np.intp, copy=False)
