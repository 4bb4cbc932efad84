"""Bounds that keep the numbers of a fit finite."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from maxmargin.errors import InvalidInput
from maxmargin.kernels import Gram, Moments

__all__ = ["require_finite", "upper_bounds"]

_LEAST_COST = 1e-300


def require_finite(gram: Gram, moments: Moments) -> None:
    """Raise if the kernel overflows: by Cauchy and Schwarz it does so on the diagonal if anywhere.

    The diagonal need not be computed where all squared lengths together would not make it overflow.
    """
    kernel = gram.kernel
    if not kernel.overflows_at(math.inf):  # nor at anything else
        return
    if not kernel.overflows_at(1.01 * gram.n * float((moments.variance + moments.mean**2).sum())):
        return
    finite = np.isfinite(gram.diagonal())
    if not finite.all():
        raise InvalidInput(
            f"The dual coefficients or intercepts are not finite: the kernel overflows at row {finite.argmin()}. The input data"
            " may contain large values and need to be preprocessed, for example by StandardScaler."
        )


def upper_bounds(C: float, factor: NDArray[np.float64]) -> NDArray[np.float64]:
    """``C_i = C · factor_i`` of each row, kept positive and finite where the product is not; 0 for a factor of 0."""
    if factor.size:  # not min and max: they take twice as long on a short array
        lowest, highest = float(np.minimum.reduce(factor)), float(np.maximum.reduce(factor))
        if float(C) * lowest >= _LEAST_COST and float(C) * highest <= 1.0 / _LEAST_COST:
            return np.asarray(float(C) * factor)
    with np.errstate(over="ignore", under="ignore"):
        least = _LEAST_COST * (factor > 0.0)
        return np.asarray(np.minimum(np.maximum(float(C) * factor, least), 1.0 / _LEAST_COST))
