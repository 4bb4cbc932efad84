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

from maxmargin.errors import InvalidInput
from maxmargin.validation._wording import as_invalid_input

__all__ = [
    "FLOATS",
    "ObjectRows",
    "Rows",
    "canonical",
    "feature_matrix",
    "is_ready",
    "length",
    "object_rows",
    "refuse_sparse_kernel",
    "require_square",
    "rows_are_objects",
    "shape",
    "take_rows",
]

ObjectRows: TypeAlias = Sequence[Any] | NDArray[Any]
"""Rows that only a kernel function understands: strings, graphs, images."""

Rows: TypeAlias = NDArray[np.float32] | NDArray[np.float64] | sparse.csr_matrix | sparse.csr_array | ObjectRows
"""What the rooms behind the porch take for X."""

FLOATS = [np.float64, np.float32]
"""Float types that are kept; every other number becomes float64."""


_LARGEST = 2**31 - 1


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
    if not is_ready(X):
        with as_invalid_input():
            X = check_array(X, accept_sparse="csr", dtype=FLOATS, order="C", input_name="X")
    if pairwise:
        require_square(X)
    return canonical(X)


def is_ready(X: Any) -> bool:
    """Whether X can go to the engine as it is: a plain, contiguous float array without NaN or infinity.

    Never wrong when it says yes; when it says no, scikit-learn's checks convert X or say what is wrong with it.
    """
    if not (
        type(X) is np.ndarray and X.ndim == 2 and X.dtype in (np.float64, np.float32) and X.size > 0 and X.flags.c_contiguous
    ):
        return False
    with np.errstate(over="ignore", invalid="ignore"):
        return bool(np.isfinite(X.sum()))


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
    if X.nnz and not 0 <= X.indices.min() <= X.indices.max() < X.shape[1]:
        raise InvalidInput(f"The sparse X has a column index outside 0 … {X.shape[1] - 1}. Build it again from its entries.")
    if X.indices.dtype != X.indptr.dtype:
        wide = np.promote_types(X.indices.dtype, X.indptr.dtype)
        X = type(X)((X.data, X.indices.astype(wide), X.indptr.astype(wide)), shape=X.shape)
    if not X.has_canonical_format:
        X = X.copy()
        X.sum_duplicates()
    return X


def rows_are_objects(X: Any) -> bool:
    """Whether only a kernel function can read the rows of X: they are not vectors of numbers."""
    if sparse.issparse(X):
        return False
    if isinstance(X, np.ndarray):
        return X.ndim != 2 or X.dtype.kind not in "biufc"
    if isinstance(X, Sequence):
        return isinstance(X, str) or not _vectors_of_numbers(X)
    return np.asarray(X).dtype.kind not in "biufc"


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
    if np.ndim(rows) == 0 and isinstance(rows, np.ndarray):
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
