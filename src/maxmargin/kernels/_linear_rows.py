"""Rows of X, whatever X is."""

from __future__ import annotations

from typing import Any, final

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from maxmargin import _core
from maxmargin.validation import take_rows

__all__ = [
    "RowNumbers",
    "about_the_first",
    "as_features",
    "is_balanced",
    "median_square",
    "sparse_weights",
    "take",
    "weight_sizes",
    "weights_of",
]


@final
class RowNumbers:
    """Stands for the rows of a precomputed matrix: a row is known by its number only."""

    __slots__ = ()


def take(X: Any, indices: NDArray[Any]) -> Any:
    """Some rows of X in the container that X is."""
    if isinstance(X, RowNumbers):
        return np.asarray(indices, dtype=np.int32)
    return take_rows(X, indices)


def median_square(X: Any) -> float:
    """The median of ``|x|²`` over the rows that are not 0; 0 where all are."""
    if sparse.issparse(X):
        sums = np.concatenate([[0.0], np.cumsum(np.square(X.data, dtype=np.float64))])
        squares = np.diff(sums[X.indptr])
    else:
        squares = np.einsum("ij,ij->i", X, X).astype(np.float64)
    squares = squares[squares > 0.0]
    return float(np.median(squares)) if len(squares) else 0.0


def about_the_first(vectors: Any) -> Any:
    """Dense rows in float64 less the first one: what is the same in all of them is exactly 0."""
    if not len(vectors):
        return vectors
    rows = np.asarray(vectors, dtype=np.float64)
    return rows - rows[0]


def is_balanced(beta: NDArray[np.float64]) -> bool:
    """Whether coefficients sum to 0 but for rounding."""
    return abs(float(beta.sum())) <= 1e-9 * float(np.abs(beta).sum())


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


def weight_sizes(beta: NDArray[np.float64], vectors: Any) -> NDArray[np.float64]:
    """What the products that `weights_of` sums up are in size: its rounding errors are parts of it."""
    size, balanced = np.abs(beta), is_balanced(beta)
    if not sparse.issparse(vectors):
        return np.asarray(size @ np.abs(about_the_first(vectors) if balanced else vectors), dtype=np.float64).ravel()
    sizes = np.asarray(size @ abs(vectors), dtype=np.float64).ravel()
    if balanced and vectors.shape[0] and vectors.indptr[1]:
        columns, values = vectors.indices[: vectors.indptr[1]], vectors.data[: vectors.indptr[1]].astype(np.float64)
        sizes[columns] = size @ np.abs(vectors[:, columns].toarray() - values)
    return sizes


def weights_of(beta: NDArray[np.float64], vectors: Any) -> NDArray[np.float64]:
    """``w = Σ β_i x_i``; where β sums to 0, and the sum of anything constant is 0, of rows less the first one."""
    balanced = is_balanced(beta)
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
