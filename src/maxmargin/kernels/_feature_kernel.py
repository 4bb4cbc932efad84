"""Kernels of feature vectors that the core computes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Any, final

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from maxmargin import _core
from maxmargin.errors import InvalidInput
from maxmargin.kernels._base import BoundKernel
from maxmargin.kernels._gram import FeatureSource, Gram
from maxmargin.kernels._linear_rows import as_features
from maxmargin.kernels._scale import Moments, moments_of
from maxmargin.validation import check_non_negative

__all__ = ["FeatureKernel", "Formula", "gamma_value"]

_VALUES_AT_ONCE = 1 << 17


class Formula(IntEnum):
    """The formulas that the core knows, under its own names."""

    LINEAR = 0
    POLYNOMIAL = 1
    RBF = 2
    SIGMOID = 3


@final
@dataclass(frozen=True)
class FeatureKernel(BoundKernel):
    """One of the core's formulas with its numbers."""

    formula: Formula
    gamma: float | None = None
    coef0: float = 0.0
    degree: int = 1

    @property
    def is_linear(self) -> bool:
        """Whether f(x) = <w, x> + b for weights w."""
        return self.formula is Formula.LINEAR

    @property
    def mercer(self) -> bool:
        """Whether every Gram matrix is positive semidefinite: all but the sigmoid, and (γ<u,v> + ζ)^Q with ζ < 0."""
        if self.formula is Formula.POLYNOMIAL:
            return self.coef0 >= 0
        return self.formula is not Formula.SIGMOID

    def overflows_at(self, square: float) -> bool:
        """Whether ``k(x, x)`` may overflow where ``|x|²`` is not larger than this."""
        if self.formula in (Formula.RBF, Formula.SIGMOID):
            return False
        try:
            largest = (abs(1.0 if self.gamma is None else self.gamma) * square + abs(self.coef0)) ** self.degree
        except OverflowError:
            return True
        return not math.isfinite(largest)

    @property
    def strictly_positive(self) -> bool:
        """Whether ``φ(x_i)`` of any distinct rows are linearly independent: for the Gaussian (Micchelli 1986)."""
        return self.formula is Formula.RBF and self.gamma is not None and self.gamma > 0.0

    @property
    def degrees(self) -> range | None:
        """Degrees of monomials: 1; for a polynomial up to Q, or Q alone for ζ = 0; 0 if γ = 0 makes it constant."""
        if self.formula is Formula.LINEAR:
            return range(1, 2)
        if self.gamma == 0.0 and (self.formula is Formula.RBF or (self.formula is Formula.POLYNOMIAL and self.coef0 > 0.0)):
            return range(1)
        if self.formula is Formula.POLYNOMIAL and self.gamma and self.mercer:
            return range(0 if self.coef0 > 0.0 else self.degree, self.degree + 1)
        return None

    def gram(self, X: Any) -> Gram:
        """Source of the Gram matrix of the training rows."""
        return Gram(FeatureSource(as_features(X), self._function()), X, self)

    def cross(self, X: Any, rows: Any) -> NDArray[np.float64]:
        """Kernel values of the rows of X (down) against other rows (across), in float64."""
        return _core.cross_kernel(self._function(), as_features(X), as_features(rows))

    def weighted_sums(self, X: Any, rows: Any, coefficients: NDArray[np.float64], bounds: Sequence[int]) -> NDArray[np.float64]:
        """Kernel values against groups of rows, summed with coefficients; no kernel value is kept."""
        held = np.ascontiguousarray(coefficients, dtype=np.float64)
        groups = np.array(bounds, dtype=np.int32)
        return _core.weighted_sums(self._function(), as_features(X), as_features(rows), held, groups)

    def _function(self) -> _core.KernelFunction:
        kind = _core.KernelKind[self.formula.name.lower()]
        return _core.KernelFunction(kind, 1.0 if self.gamma is None else self.gamma, self.coef0, self.degree)


def gamma_value(
    gamma: Any, X: Any, sample_weight: NDArray[np.float64] | None, owner: str, moments: Moments | None = None
) -> float:
    """Gamma as a number: as given, ``"auto"`` = 1/d, or ``"scale"`` = 1/(d · variance of all entries of X).

    With weights the variance is the weighted one, so that a weight of 2 is the row twice; without variance γ = 1.
    """
    if isinstance(gamma, str):
        if gamma == "auto":
            return 1.0 / int(X.shape[1])
        if gamma == "scale":
            variance: float = _variance(X, sample_weight, moments)
            found = 1.0 / (int(X.shape[1]) * variance) if variance > 0 else 1.0
            if not math.isfinite(found):
                raise InvalidInput(
                    f"gamma='scale' is 1 / (n_features · variance of X) and overflows: the variance is {variance:.3g}."
                    " Scale the features up, for example by StandardScaler, or give gamma as a number."
                )
            return found
        raise InvalidInput(
            f"The 'gamma' parameter of {owner} must be 'scale', 'auto' or a float in the range [0.0, inf). "
            f"Got {gamma!r} instead."
        )
    check_non_negative("gamma", gamma, owner)
    return float(gamma)


def _variance(X: Any, weight: NDArray[np.float64] | None, moments: Moments | None) -> float:
    """Variance of all entries; the rows count by their weights."""
    if weight is None or bool((weight == weight[0]).all()):
        return (moments_of(X) if moments is None else moments).of_all_entries
    # Shares, since products with large weights overflow; about the mean, since a large one would hide the variance; some rows
    # at a time, and without BLAS, whose threads change sums.
    d = int(X.shape[1])
    share = weight / float(weight.max())
    share = share / (float(share.sum()) * d)
    some = max(1, _VALUES_AT_ONCE // max(1, d))
    parts = [(X[start : start + some], share[start : start + some]) for start in range(0, len(share), some)]
    origin = float(X[0, 0])  # entries that are all the same then have a variance of exactly 0
    mean = origin + math.fsum(_weighted_sum(part, own, origin) for part, own in parts)
    return math.fsum(_weighted_sum(part, own, mean, squared=True) for part, own in parts)


def _weighted_sum(rows: Any, weight: NDArray[np.float64], origin: float, *, squared: bool = False) -> float:
    """Sum of all entries less the origin, or of their squares; the rows count by their weights."""
    d = int(rows.shape[1])
    if sparse.issparse(rows):
        counts = np.diff(rows.indptr)
        missing = float((weight * (d - counts)).sum()) * (origin * origin if squared else -origin)
        rows, weight = rows.data, np.repeat(weight, counts)
        away = rows.astype(np.float64) - origin
        return float((weight * (away * away if squared else away)).sum()) + missing
    away = rows.astype(np.float64) - origin
    return float((weight * (np.einsum("ij,ij->i", away, away) if squared else away.sum(axis=1))).sum())
