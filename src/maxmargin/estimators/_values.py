"""Values of all machines at new rows, a block of rows at a time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from maxmargin.validation import length

if TYPE_CHECKING:
    from maxmargin.estimators._fitted import Fitted

__all__ = ["machine_values", "machine_weights"]

_BLOCK = 1 << 22  # kernel values, or features, held at a time: 32 MB
_LARGEST_WEIGHTS = 1 << 24  # above this many numbers, sparse weight vectors are not made dense


def machine_values(fitted: Fitted, X: Any) -> NDArray[np.float64]:
    """``f_t(x)`` of every machine t at every row x of X, shape (m, n_machines).

    A linear kernel goes through its weight vectors, every other through kernel values against the support
    vectors.
    """
    m = length(X)
    values = np.empty((m, fitted.scheme.n_machines))
    values[:] = fitted.intercept
    if fitted.bounds[-1] == 0:
        return values
    weights = _weights_if_small(fitted)
    width = fitted.bounds[-1] if weights is None else max(1, X.shape[1])
    height = max(1, _BLOCK // width)
    for start in range(0, m, height):
        rows = X if height >= m else X[start : start + height]
        if weights is None:
            rows, support = _one_precision(rows, fitted.vectors)
            kernel_values = fitted.kernel.cross(rows, support)
            values[start : start + height] += fitted.scheme.combine(kernel_values, fitted.dual, fitted.bounds)
        else:
            values[start : start + height] += rows @ weights
    return values


def machine_weights(fitted: Fitted) -> Any:
    """``w_t`` of every machine of a linear kernel, shape (n_machines, d); sparse for sparse rows."""
    vectors = fitted.vectors
    if sparse.issparse(vectors):
        coefficients = fitted.scheme.spread(fitted.dual, fitted.bounds)
        weights = type(vectors)(coefficients) @ vectors
        weights.sort_indices()
        return weights
    return np.ascontiguousarray(fitted.scheme.combine(vectors.T, fitted.dual, fitted.bounds).T)


def _weights_if_small(fitted: Fitted) -> NDArray[np.float64] | None:
    if not fitted.kernel.is_linear:
        return None
    if sparse.issparse(fitted.vectors):
        if fitted.scheme.n_machines * fitted.vectors.shape[1] > _LARGEST_WEIGHTS:
            return None
        return np.ascontiguousarray(machine_weights(fitted).toarray().T)
    return fitted.scheme.combine(fitted.vectors.T, fitted.dual, fitted.bounds)


def _one_precision(rows: Any, support: Any) -> tuple[Any, Any]:
    """Bring float32 and float64 together in float64; rows that are not numbers stay as they are."""
    if _holds_floats(rows) and _holds_floats(support) and rows.dtype != support.dtype:
        return rows.astype(np.float64, copy=False), support.astype(np.float64, copy=False)
    return rows, support


def _holds_floats(rows: Any) -> bool:
    return (isinstance(rows, np.ndarray) or sparse.issparse(rows)) and bool(rows.dtype.kind == "f")
