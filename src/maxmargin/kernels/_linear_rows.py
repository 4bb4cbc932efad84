"""Rows of X, whatever X is."""

from __future__ import annotations

from typing import Any, Final, final

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from maxmargin import _core
from maxmargin.validation import take_rows

__all__ = [
    "RowNumbers",
    "about_the_first",
    "are_balanced",
    "as_features",
    "is_balanced",
    "median_square",
    "row_sizes",
    "sparse_weights",
    "take",
    "weight_sizes",
    "weights_of",
]


_ON_THE_WAY: Final = 1e-9
_LAST_PLACES: Final = 2.0**-50
_HALF: Final = 1e-9  # of the weight: nearer to a half is a half


@final
class RowNumbers:
    """Stands for the rows of a precomputed matrix: a row is known by its number only."""

    __slots__ = ()


def take(X: Any, indices: NDArray[Any]) -> Any:
    """Some rows of X in the container that X is."""
    if isinstance(X, RowNumbers):
        return np.asarray(indices, dtype=np.int32)
    return take_rows(X, indices)


def row_sizes(X: Any) -> NDArray[np.float64]:
    """The largest ``|x_k|`` of each row."""
    sizes = abs(X).max(axis=1, initial=0.0) if isinstance(X, np.ndarray) else abs(X).max(axis=1)
    return np.asarray(sizes.todense() if sparse.issparse(sizes) else sizes, dtype=np.float64).ravel()


def median_square(X: Any, weight: NDArray[np.float64] | None = None) -> float:
    """The weighted median of ``|x|²`` over the rows that are not 0; 0 where all are."""
    if sparse.issparse(X):
        row = np.repeat(np.arange(X.shape[0]), np.diff(X.indptr))
        squares = np.bincount(row, np.square(X.data, dtype=np.float64), X.shape[0])
    else:
        squares = np.einsum("ij,ij->i", X, X).astype(np.float64)
    some = np.flatnonzero(squares > 0.0)
    if not len(some):
        return 0.0
    some = some[np.argsort(squares[some])]
    shares = np.cumsum(np.ones(len(some)) if weight is None else weight[some])
    middle = np.searchsorted(shares / shares[-1], [0.5 - _HALF, 0.5 + _HALF])
    return float(squares[some[np.minimum(middle, len(some) - 1)]].mean())


def about_the_first(vectors: Any) -> Any:
    """Dense rows in float64 less the first one: what is the same in all of them is exactly 0."""
    if not len(vectors):
        return vectors
    rows = np.asarray(vectors, dtype=np.float64)
    return rows - rows[0]


def is_balanced(beta: NDArray[np.float64], offset: bool) -> bool:
    """Whether coefficients sum to 0 but for rounding."""
    return are_balanced(beta.sum(), np.abs(beta).sum(), offset)


def are_balanced(sums: Any, sizes: Any, offset: bool) -> bool:
    """Whether all sums are 0 but for rounding, beside those of sizes.

    A free offset makes them so, up to what rounding has left of larger ones on the way. Without one they may be as little by
    chance, and that little counts beside a large constant in all rows: only that of the last places does not.
    """
    return bool((np.abs(sums) <= (_ON_THE_WAY if offset else _LAST_PLACES) * sizes).all())


def sparse_weights(coefficients: Any, vectors: Any, *, balanced: bool) -> Any:
    """``W = A X`` of sparse rows; balanced, with rows of A that sum to 0, of rows less the first one, in its columns."""
    weights = coefficients @ vectors
    if not balanced or not vectors.shape[0] or not vectors.indptr[1]:
        return weights
    columns, values = vectors.indices[: vectors.indptr[1]], vectors.data[: vectors.indptr[1]].astype(np.float64)
    apart = coefficients @ (vectors[:, columns].toarray() - values)
    others = weights.tolil()
    others[:, columns] = apart.toarray() if sparse.issparse(apart) else apart
    return type(weights)(others)


def weight_sizes(beta: NDArray[np.float64], vectors: Any, *, offset: bool) -> NDArray[np.float64]:
    """What the products that `weights_of` sums up are in size: its rounding errors are parts of it."""
    size, balanced = np.abs(beta), is_balanced(beta, offset)
    if not sparse.issparse(vectors):
        return np.asarray(size @ np.abs(about_the_first(vectors) if balanced else vectors), dtype=np.float64).ravel()
    sizes = np.asarray(size @ abs(vectors), dtype=np.float64).ravel()
    if balanced and vectors.shape[0] and vectors.indptr[1]:
        columns, values = vectors.indices[: vectors.indptr[1]], vectors.data[: vectors.indptr[1]].astype(np.float64)
        sizes[columns] = size @ np.abs(vectors[:, columns].toarray() - values)
    return sizes


def weights_of(beta: NDArray[np.float64], vectors: Any, *, offset: bool) -> NDArray[np.float64]:
    """``w = Σ β_i x_i``; where β sums to 0, and the sum of anything constant is 0, of rows less the first one."""
    balanced = is_balanced(beta, offset)
    if sparse.issparse(vectors):
        return np.asarray(sparse_weights(sparse.csr_array(beta[np.newaxis]), vectors, balanced=balanced).toarray()).ravel()
    return np.asarray(beta @ (about_the_first(vectors) if balanced else vectors), dtype=np.float64).ravel()


def as_features(X: Any) -> _core.Features:
    """The core's view of dense or CSR rows; nothing is copied. What is one already stays as it is."""
    if isinstance(X, _core.Features):
        return X
    if sparse.issparse(X):
        return _core.csr_features(X.indptr, X.indices, X.data, X.shape[1])
    return _core.dense_features(X)
