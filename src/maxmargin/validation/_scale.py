"""Scales of features: a warning if they differ much, an error if they overflow."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from maxmargin.errors import FeatureScaleWarning, InvalidInput

__all__ = ["feature_scale_warning", "standard_deviations"]

_LARGEST_RATIO = 1e4
_BLOCK = 1 << 16  # entries of X looked at together: they stay in cache


def feature_scale_warning(X: Any, *, stacklevel: int = 2) -> None:
    """Warn, once a call, when standard deviations of features differ by more than a factor of 10⁴.

    Distances and inner products then belong to the large features alone. Constant features do not count.

    Parameters
    ----------
    X : ndarray or CSR matrix of shape (n, d)
        Validated rows.
    stacklevel : int
        As in :func:`warnings.warn`, counted from the caller.

    Raises
    ------
    InvalidInput
        Features are so large that their squares overflow, and so would the kernel.
    """
    spread = standard_deviations(X)
    if not np.isfinite(spread).all():
        raise InvalidInput(
            "The dual coefficients or intercepts are not finite: the squares of feature"
            f" {np.flatnonzero(~np.isfinite(spread))[0]} overflow. The input data may contain large values"
            " and need to be preprocessed, for example by StandardScaler."
        )
    varying = np.flatnonzero(spread)
    if len(varying) < 2:
        return
    small = varying[spread[varying].argmin()]
    large = varying[spread[varying].argmax()]
    if spread[large] <= _LARGEST_RATIO * spread[small]:
        return
    warnings.warn(
        f"Features differ in scale by a factor of {spread[large] / spread[small]:.1e}: the standard deviation"
        f" of feature {large} is {spread[large]:.3g}, that of feature {small} is {spread[small]:.3g}, and the"
        " kernel hardly sees the small ones. Scale the features first, for example with"
        f" make_pipeline({'MaxAbsScaler' if sparse.issparse(X) else 'StandardScaler'}(), SVC()).",
        FeatureScaleWarning,
        stacklevel=stacklevel + 1,
    )


def standard_deviations(X: Any) -> NDArray[np.float64]:
    """Standard deviation of each column in one pass; exactly 0 for a constant column of a dense X."""
    with np.errstate(over="ignore", invalid="ignore"):
        total, square = _sparse_sums(X) if sparse.issparse(X) else _dense_sums(X)
        n = X.shape[0]
        variance = square / n - (total / n) ** 2
        # below the rounding of the difference, a column counts as constant
        variance[variance < 1e-14 * square / n] = 0.0
        return np.asarray(np.sqrt(variance))


def _dense_sums(X: NDArray[Any]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Sums of x − x₀ and of its square, x₀ the first row: the shift saves the digits of a large mean."""
    n, d = X.shape
    total, square = np.zeros(d), np.zeros(d)
    height = max(1, _BLOCK // d)
    for start in range(0, n, height):
        shifted = np.subtract(X[start : start + height], X[0], dtype=np.float64)
        total += shifted.sum(axis=0)
        square += np.einsum("ij,ij->j", shifted, shifted)
    return total, square


def _sparse_sums(X: Any) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Some entries at a time: all at once in float64, squared and with 64-bit indices are three times the input."""
    d = X.shape[1]
    total, square = np.zeros(d), np.zeros(d)
    length = max(_BLOCK, d)
    for start in range(0, len(X.data), length):
        data = X.data[start : start + length].astype(np.float64)
        columns = X.indices[start : start + length]
        total += np.bincount(columns, weights=data, minlength=d)
        square += np.bincount(columns, weights=data * data, minlength=d)
    return total, square
