"""Class labels of any type become codes 0, 1, …, K − 1."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Sequence
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import assert_all_finite, check_array, check_consistent_length, column_or_1d
from sklearn.utils.multiclass import check_classification_targets

from maxmargin import _core
from maxmargin.errors import InvalidInput
from maxmargin.validation._arrays import length
from maxmargin.validation._wording import as_invalid_input

__all__ = ["LABEL_KINDS", "encode", "label_column", "target_column", "target_columns"]

LABEL_KINDS = "biufmMOSU"
"""Kinds of dtype that labels may have once they are columns; of objects only strings."""

_SURELY_LABELS = "biuSU"  # kinds of dtype that need no look at the values
_NARROW = 1000  # labels from the smallest to the largest
_IN_CORE = (np.dtype(np.int64), np.dtype(np.float64))


def label_column(y: Any, X: Any) -> NDArray[Any]:
    """Return y as one column of labels, one for each row of X."""
    if type(y) is np.ndarray and y.ndim == 1 and len(y) == length(X) and (y.dtype.kind in _SURELY_LABELS or _whole(y)):
        return y
    if y is None:
        raise InvalidInput("The fit requires y to be passed, but the target y is None. Pass one label for each row of X.")
    if isinstance(y, list | tuple):  # numpy would make strings of the numbers among them
        _require_one_type(y)
    with as_invalid_input():
        column: NDArray[Any] = _known(column_or_1d(_in_numpy(y), warn=True))
        if column.dtype.kind == "f":
            assert_all_finite(column, input_name="y")
        check_consistent_length(X, column)
        if column.dtype.kind not in _SURELY_LABELS:
            check_classification_targets(column)
    return column


def _in_numpy(y: Any) -> Any:
    """Nullable columns of data frames, and strings of any length, in the plain types that hold the same labels.

    scikit-learn makes floats of nullable integers.
    """
    if getattr(y, "ndim", 1) == 2 and hasattr(y, "iloc") and y.shape[1] == 1:
        return np.reshape(_in_numpy(y.iloc[:, 0]), (-1, 1))
    dtype = getattr(y, "dtype", None)
    if getattr(dtype, "kind", "") == "T":  # numpy's StringDType
        objects = np.asarray(y, dtype=object)
        return np.asarray(_known(objects.ravel()), dtype=np.str_).reshape(objects.shape)
    if dtype is None or isinstance(dtype, np.dtype) or not hasattr(y, "to_numpy"):
        return y
    plain = getattr(dtype, "numpy_dtype", None)
    if plain is None or plain.kind not in "biuf" or bool(np.any(y.isna())):
        return _known(np.asarray(y, dtype=object))
    return y.to_numpy(dtype=plain)


def _known(column: NDArray[Any]) -> NDArray[Any]:
    """Labels without missing ones, and of a type that classes can have; objects that are numbers become numbers."""
    if column.dtype.kind not in LABEL_KINDS:
        raise InvalidInput(
            f"The labels in y must be numbers, strings, booleans or dates. Got dtype {column.dtype}. Convert them, say to str."
        )
    if column.dtype.kind in "mM":
        missing = np.isnat(column)
    elif column.dtype.kind == "O":
        missing = np.array([_is_missing(label) for label in column], dtype=bool)
    else:
        return column
    if missing.any():
        row = int(missing.argmax())
        raise InvalidInput(
            f"Input y contains NaN: label {row} is {column[row]}. Drop such rows, or give them a label of their own."
        )
    if column.dtype.kind in "mM" or len(column) == 0:
        return column
    return _without_objects(column)


def _without_objects(column: NDArray[Any]) -> NDArray[Any]:
    """Objects that are text as they are, those that are numbers as numbers."""
    labels = column.tolist()
    _require_one_type(labels)
    if isinstance(labels[0], str | bytes):
        return column
    numbers = np.array(labels) if isinstance(labels[0], Real) else column
    if numbers.dtype.kind in "biuf":
        return numbers
    raise InvalidInput(
        f"Unknown label type: unknown. The labels in y are objects of type {type(labels[0]).__name__}. Convert them to numbers"
        " of at most 64 bits, or to str."
    )


def _is_missing(label: Any) -> bool:
    """Whether a label is None, NaN or pandas' NA, which is neither equal to itself nor different."""
    try:
        return label is None or bool(operator.ne(label, label))
    except (TypeError, ValueError):
        return True


def _require_one_type(labels: Sequence[Any]) -> None:
    """Raise if some labels are text and others are not: they have no order."""
    kinds = set(map(type, labels))
    if len(kinds) > 1 and any(issubclass(kind, str | bytes) for kind in kinds):
        texts = {str if issubclass(kind, str) else bytes if issubclass(kind, bytes) else kind for kind in kinds}
        if len(texts) > 1:
            raise _several_types(labels)


def _several_types(labels: Iterable[Any]) -> InvalidInput:
    kinds = sorted({type(label).__name__ for label in labels})
    return InvalidInput(f"The labels in y must be of one type. Got {' and '.join(kinds)}. Convert them, say to str.")


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
    except OverflowError:
        raise InvalidInput("Input y contains an integer that is larger than any float. Scale the targets.") from None
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
    if y.dtype in _IN_CORE and y.flags.c_contiguous:  # few classes need no sorting
        found = _core.label_codes(y, _NARROW)
        if found is not None:
            return found.classes.astype(y.dtype), found.codes
    if y.dtype.kind in "biuf" and len(y) > 0:
        low, high = y.min(), y.max()
        if y.dtype.kind in "iu" and int(high) - int(low) < _NARROW:
            place = (y - low).astype(np.intp)
            there = np.bincount(place) > 0
            classes = (np.flatnonzero(there) + low).astype(y.dtype)
            return classes, place if len(classes) == len(there) else (np.cumsum(there) - 1).take(place)
        upper = y == high
        if low < high and bool((upper | (y == low)).all()):
            return np.array([low, high], dtype=y.dtype), upper.astype(np.intp)
    try:
        classes, codes = np.unique(y, return_inverse=True)
    except TypeError:
        raise _several_types(y) from None
    return classes, codes.astype(np.intp, copy=False)
