"""Rows of a data set: dense, sparse, precomputed, or opaque objects.

This and the Gram sources are the only places that tell dense from sparse.
"""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Real
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.utils import check_array

from maxmargin import _core
from maxmargin.errors import InvalidInput
from maxmargin.validation._wording import rows_as_invalid_input

__all__ = [
    "FLOATS",
    "ObjectRows",
    "Rows",
    "canonical",
    "converted",
    "feature_matrix",
    "is_ready",
    "length",
    "object_rows",
    "refuse_sparse_kernel",
    "require_square",
    "rows_are_objects",
    "same_rows",
    "shape",
    "take_rows",
    "takes_objects",
]

ObjectRows: TypeAlias = Sequence[Any] | NDArray[Any]
"""Rows that only a kernel function understands: strings, graphs, images."""

Rows: TypeAlias = NDArray[np.float32] | NDArray[np.float64] | sparse.csr_matrix | sparse.csr_array | ObjectRows
"""What the rooms behind the porch take for X."""

FLOATS = [np.float64, np.float32]
"""Float types that are kept; every other number becomes float64."""


_LARGEST = 2**31 - 1
_LARGE = 1 << 20  # values that are converted at once: some milliseconds
_TILE = 256
_CSR = (sparse.csr_matrix, sparse.csr_array)


def feature_matrix(X: Any, *, pairwise: bool = False) -> Any:
    """Return X as a C-contiguous float array or canonical CSR.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n, d)
        Anything scikit-learn takes, data frames included. float32 stays float32.
    pairwise : bool
        X is a square kernel matrix.

    Raises
    ------
    InvalidInput
        NaN, infinity, wrong shape: in scikit-learn's words.
    TypeError
        A sparse kernel matrix.
    """
    if pairwise:
        refuse_sparse_kernel(X)
    X = converted(X)
    if not is_ready(X):
        with rows_as_invalid_input(X):
            X = check_array(X, accept_sparse="csr", dtype=FLOATS, order="C", input_name="X")
    if pairwise:
        require_square(X)
    return canonical(X)


def converted(X: Any) -> Any:
    """X for scikit-learn's checks: sparse arrays that hold together, and large dense ones as the engine reads them.

    What numpy converts as a whole cannot be interrupted meanwhile: large arrays are converted some rows at a time.
    """
    if type(X).__module__.startswith("dask."):
        raise _elsewhere(X)
    if sparse.issparse(X) and X.format != "csr":  # CSR is looked at by `canonical`, and nobody reads its columns before
        require_sound(X)
    if not (type(X) is np.ndarray and X.ndim == 2 and X.dtype.kind in "biuf" and X.size >= _LARGE):
        return X
    dtype = X.dtype if X.dtype in FLOATS else np.dtype(np.float64)
    if X.flags.c_contiguous and X.dtype == dtype:
        return X
    plain = np.empty(X.shape, dtype=dtype)
    by_columns = abs(X.strides[0]) < abs(X.strides[1])  # then tiles, which stay in the cache
    height, width = (_TILE, _TILE) if by_columns else (max(1, _LARGE // X.shape[1]), X.shape[1])
    for top in range(0, len(X), height):
        for left in range(0, X.shape[1], width):
            tile = slice(top, top + height), slice(left, left + width)
            plain[tile] = X[tile]
    return plain


def _elsewhere(X: Any) -> InvalidInput:
    """Rows of a cluster are not gathered behind anybody's back."""
    return InvalidInput(
        f"X is a dask {type(X).__name__}, whose rows may be on many machines, and this estimator takes rows in memory. Take"
        " maxmargin.distributed.DaskLinearSVC or another estimator of that module, or X.compute() if it fits into memory."
    )


def is_ready(X: Any) -> bool:
    """Whether X can go to the engine as it is: a plain, contiguous float array or CSR matrix without NaN or infinity.

    Never wrong when it says yes; when it says no, scikit-learn's checks convert X or say what is wrong with it. Whether CSR
    arrays hold together is for `canonical` to see.
    """
    if type(X) in _CSR and X.ndim == 2:
        values = X.data
        plain = type(values) is np.ndarray and values.ndim == 1 and values.dtype in (np.float64, np.float32)
        return min(X.shape) > 0 and plain and values.flags.c_contiguous and _core.all_finite(values)
    if not (
        type(X) is np.ndarray and X.ndim == 2 and X.dtype in (np.float64, np.float32) and X.size > 0 and X.flags.c_contiguous
    ):
        return False
    return _core.all_finite(X)


def refuse_sparse_kernel(X: Any) -> None:
    """Raise TypeError, as scikit-learn does, for a sparse kernel matrix."""
    if sparse.issparse(X):
        raise TypeError("Sparse precomputed kernels are not supported. Pass a dense matrix: X.toarray().")


def require_square(X: Any) -> None:
    """Raise unless X has as many columns as rows."""
    rows, columns = X.shape
    if rows != columns:
        raise InvalidInput(
            f"Precomputed matrix must be a square matrix. Input is a {rows}x{columns} matrix."
            " Pass the kernel values between all pairs of training rows."
        )


def canonical(X: Any) -> Any:
    """Return CSR rows sorted, without duplicates and with one index type; a dense X as it is.

    The caller's matrix is never changed: what is not canonical is copied first.
    """
    if not sparse.issparse(X):
        return X
    if max(X.shape) > _LARGEST:
        raise InvalidInput(
            f"X has shape {X.shape}: more than {_LARGEST} rows or columns cannot be numbered. Hash the features."
        )
    ascending = require_sound(X)
    if X.indices.dtype != X.indptr.dtype:
        wide = np.promote_types(X.indices.dtype, X.indptr.dtype)
        X = type(X)((X.data, X.indices.astype(wide), X.indptr.astype(wide)), shape=X.shape)
    if not ascending:
        X = X.copy()
        X.has_canonical_format = False  # whatever it says of itself
        X.sum_duplicates()
    return X


def require_sound(X: Any) -> bool:
    """Raise if a sparse X would make its readers run out of its arrays; scipy, too, believes what stands there.

    Returns whether the columns of a CSR matrix ascend in each row, none twice.
    """
    if X.format == "coo":
        for axis, numbers in enumerate(X.coords):
            if len(numbers) and not 0 <= numbers.min() <= numbers.max() < X.shape[axis]:
                raise _not_sound(X, f"has an index outside 0 … {X.shape[axis] - 1}")
        return False
    if X.format not in ("csr", "csc", "bsr") or X.ndim != 2:
        return False
    starts, numbers = X.indptr, X.indices
    if not (_is_index_array(starts) and _is_index_array(numbers) and isinstance(X.data, np.ndarray)):
        raise _not_sound(X, "has indptr or indices that are no arrays of 32- or 64-bit integers")
    rows, columns = X.shape if X.format != "csc" else X.shape[::-1]
    if X.format == "bsr":
        height, width = X.blocksize
        rows, columns = rows // height, columns // width
    found = _core.csr_check(np.ascontiguousarray(starts), np.ascontiguousarray(numbers), int(rows), int(columns), len(X.data))
    if found.fault is _core.CsrFault.starts:
        raise _not_sound(X, "has an indptr that does not fit its values")
    if found.fault is _core.CsrFault.columns:
        raise _not_sound(X, f"has a {'row' if X.format == 'csc' else 'column'} index outside 0 … {columns - 1}")
    return found.canonical


def _is_index_array(numbers: Any) -> bool:
    return isinstance(numbers, np.ndarray) and numbers.ndim == 1 and numbers.dtype in (np.int32, np.int64)


def _not_sound(X: Any, fault: str) -> InvalidInput:
    return InvalidInput(f"The sparse X, in {X.format} format, {fault}. Build it again from its entries.")


def rows_are_objects(X: Any) -> bool:
    """Whether only a kernel function can read the rows of X: they are not vectors of numbers."""
    if sparse.issparse(X):
        return False
    if isinstance(X, np.ndarray):
        return X.ndim != 2 or X.dtype.kind not in "biufc"
    if isinstance(X, Sequence):
        return isinstance(X, str) or not _vectors_of_numbers(X)
    return np.asarray(X).dtype.kind not in "biufc"


def takes_objects(input_kind: str, X: Any) -> bool:
    """Whether a kernel that takes rows of this kind gets the rows of X as objects."""
    return input_kind == "structured" or (input_kind == "objects" and rows_are_objects(X))


def _vectors_of_numbers(X: Sequence[Any]) -> bool:
    """Whether all rows are vectors of numbers of one length."""
    widths = {_vector_length(row) for row in X}
    return len(widths) == 1 and None not in widths


def _vector_length(row: Any) -> int | None:
    if isinstance(row, np.ndarray):
        return len(row) if row.ndim == 1 and row.dtype.kind in "biufc" else None
    if isinstance(row, list | tuple) and all(isinstance(entry, Real) for entry in row):
        return len(row)
    return None


def object_rows(X: Any) -> ObjectRows:
    """Return opaque rows as a sequence or an array that can be counted and indexed."""
    if isinstance(X, str):
        raise InvalidInput("X must be a sequence of rows. Got one str. Wrap it in a list: [X].")
    rows = X if isinstance(X, Sequence | np.ndarray) else np.asarray(X)
    if isinstance(rows, np.ndarray) and rows.ndim == 0:
        raise InvalidInput(f"X must be a sequence of rows. Got {X!r}.")
    if len(rows) == 0:
        raise InvalidInput("Found array with 0 sample(s) while a minimum of 1 is required.")
    return rows


def length(X: Any) -> int:
    """Count the rows."""
    return len(X) if isinstance(X, Sequence) else int(X.shape[0])


def shape(X: Any) -> tuple[int, ...]:
    """Shape of X; a sequence of objects has one axis."""
    return (len(X),) if isinstance(X, Sequence) else tuple(int(extent) for extent in X.shape)


def take_rows(X: Any, rows: NDArray[Any]) -> Any:
    """Select rows of any kind of X; a sequence gives a list."""
    if isinstance(X, np.ndarray):
        return X.take(rows, axis=0)
    return [X[row] for row in rows] if isinstance(X, Sequence) else X[rows]


def same_rows(X: NDArray[Any], rows: NDArray[np.int32], others: NDArray[Any]) -> bool:
    """Whether these rows of a dense matrix are equal to others, without a copy of them where memory and types allow."""
    if others.ndim == 2 and X.dtype == others.dtype and X.flags.c_contiguous and others.flags.c_contiguous:
        return _core.same_rows(X, rows, others)
    return bool(np.array_equal(take_rows(X, rows), others))
