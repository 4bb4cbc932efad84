"""Values of all subproblems at new rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from maxmargin.estimators._kernel._held_vectors import readable
from maxmargin.kernels import about_the_first, are_balanced, sparse_weights

if TYPE_CHECKING:
    from maxmargin.estimators._shared._fitted import Fitted

__all__ = ["decision_values", "weight_vectors"]

_LARGEST_WEIGHTS = 1 << 24  # above this many numbers, sparse weight vectors are not made dense


def decision_values(fitted: Fitted, X: Any) -> NDArray[np.float64]:
    """``f_t(x)`` of every subproblem t at every row x of X, shape (m, n_subproblems).

    A linear kernel goes through its weight vectors, every other through kernel values against the support
    vectors.
    """
    weights = _weights_if_small(fitted)
    if weights is not None:
        return np.asarray(X @ weights + fitted.intercept)
    vectors = readable(fitted.held, fitted.kernel, fitted.vectors)
    sums = fitted.kernel.weighted_sums(X, vectors, fitted.dual, fitted.bounds)
    return fitted.scheme.collect(sums) + fitted.intercept


def weight_vectors(fitted: Fitted) -> Any:
    """``w_t`` of every subproblem with a linear kernel, shape (n_subproblems, d); sparse for sparse rows."""
    vectors = fitted.vectors
    if sparse.issparse(vectors):
        coefficients = fitted.scheme.spread(fitted.dual, fitted.bounds)
        weights = sparse_weights(type(vectors)(coefficients), vectors, balanced=_is_balanced(fitted))
        weights.sort_indices()
        return weights
    return np.ascontiguousarray(_dense_weights(fitted).T)


def _dense_weights(fitted: Fitted) -> NDArray[np.float64]:
    vectors = about_the_first(fitted.vectors) if _is_balanced(fitted) else fitted.vectors
    return fitted.scheme.combine(vectors.T, fitted.dual, fitted.bounds)


def _is_balanced(fitted: Fitted) -> bool:
    """Whether coefficients sum to 0, as with every free offset: then what all rows have in common cancels, and is taken off."""
    ones = np.ones((1, fitted.dual.shape[1]))
    sums, sizes = (fitted.scheme.combine(ones, dual, fitted.bounds) for dual in (fitted.dual, np.abs(fitted.dual)))
    return are_balanced(sums, sizes, bool(fitted.intercept.any()))


def _weights_if_small(fitted: Fitted) -> NDArray[np.float64] | None:
    if not fitted.kernel.is_linear:
        return None
    if sparse.issparse(fitted.vectors):
        if fitted.scheme.n_subproblems * fitted.vectors.shape[1] > _LARGEST_WEIGHTS:
            return None
        return np.ascontiguousarray(weight_vectors(fitted).toarray().T)
    return _dense_weights(fitted)
