"""Kernels of feature vectors that the core computes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any, final

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from maxmargin import _core
from maxmargin.errors import InvalidInput
from maxmargin.kernels import _gradients
from maxmargin.kernels._base import BoundKernel
from maxmargin.kernels._gram import FeatureSource, Gram
from maxmargin.kernels._linear_rows import as_features, row_sizes
from maxmargin.kernels._program import Program
from maxmargin.kernels._scale import Moments, moments_of
from maxmargin.validation import check_non_negative

__all__ = ["FeatureKernel", "gamma_value", "require_non_negative"]

_VALUES_AT_ONCE = 1 << 17
_SHORTEST = 1e-145  # a length whose square has all digits
_BY_LENGTH = {"cosine": "Cosine", "tanimoto": "Tanimoto"}  # which divide by lengths
_ALONE = frozenset({"linear", "polynomial", "rbf", "sigmoid"})  # which the core has without a program


@final
@dataclass(frozen=True)
class FeatureKernel(BoundKernel):
    """One of the core's formulas with its numbers, and what is known of it.

    Parameters
    ----------
    kind : str
        The core's name of the formula.
    gamma, coef0, degree : number
        What the formula has of them.
    mercer, strictly_positive, of_distances : bool
        See `BoundKernel`.
    degrees : range, optional
        See `BoundKernel`.
    bounded : bool
        Whether ``k(x, x)`` is at most 1.
    non_negative : str
        The name of the kernel if its rows must be at least 0, for the message; else empty.
    """

    kind: str
    gamma: float | None = None
    coef0: float = 0.0
    degree: int = 1
    mercer: bool = True
    strictly_positive: bool = False
    of_distances: bool = False
    degrees: range | None = None
    bounded: bool = False
    non_negative: str = ""

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickles have what is not the default: models of small sets are not much larger than their kernel."""
        given = ((each.name, getattr(self, each.name), each.default) for each in fields(self)[1:])
        return FeatureKernel, (self.kind,), {name: value for name, value, default in given if value != default}

    @property
    def is_linear(self) -> bool:
        """Whether f(x) = <w, x> + b for weights w."""
        return self.kind == "linear"

    @property
    def of_features(self) -> bool:
        """Whether the core computes all values from feature vectors."""
        return True

    def largest_at(self, square: float) -> float:
        """A bound of ``|k(x, x)|`` where ``|x|²`` is not larger than this."""
        if self.bounded or self.of_distances:
            return 1.0
        return (abs(1.0 if self.gamma is None else self.gamma) * square + abs(self.coef0)) ** self.degree

    def check(self, X: Any) -> None:
        """Raise for rows with values below 0, if the kernel is not defined for them."""
        if self.non_negative:
            require_non_negative(X, self.non_negative)
        if self.kind in _BY_LENGTH:
            require_lengths(X, _BY_LENGTH[self.kind])

    def gram(self, X: Any) -> Gram:
        """Source of the Gram matrix of the training rows."""
        return Gram(FeatureSource(as_features(X), self._function(X)), X, self)

    def cross(self, X: Any, rows: Any) -> NDArray[np.float64]:
        """Kernel values of the rows of X (down) against other rows (across), in float64."""
        self.check(X)
        if rows is not X:
            self.check(rows)
        return _core.cross_kernel(self._function(X), as_features(X), as_features(rows))

    def weighted_sums(self, X: Any, rows: Any, coefficients: NDArray[np.float64], bounds: Sequence[int]) -> NDArray[np.float64]:
        """Kernel values against groups of rows, summed with coefficients; no kernel value is kept."""
        self.check(X)
        held = np.ascontiguousarray(coefficients, dtype=np.float64)
        groups = np.array(bounds, dtype=np.int32)
        return _core.weighted_sums(self._function(X), as_features(X), as_features(rows), held, groups)

    @property
    def roughness(self) -> str:
        """Why the formula has no gradient everywhere; empty if it has one."""
        return _gradients.roughness(self.kind, self.degree)

    def gradient_sums(self, X: Any, rows: Any, weights: NDArray[np.float64]) -> NDArray[np.float64]:
        """``Σ_j W_ij ∂k(x_i, r_j)/∂x_i`` for each row of X, shape (m, d)."""
        self.check(X)
        return _gradients.gradient_sums(self.kind, self._numbers, X, rows, weights)

    def own_gradient(self, X: Any) -> NDArray[np.float64]:
        """``∂k(x, x)/∂x`` for each row of X, shape (m, d)."""
        return _gradients.own_gradient(self.kind, self._numbers, X)

    @property
    def _numbers(self) -> tuple[float, float, float]:
        return 1.0 if self.gamma is None else self.gamma, self.coef0, self.degree

    def push_to(self, program: Program, columns: tuple[int, ...] | None) -> bool:
        """Add the formula to a program; False if that is full."""
        gamma = 1.0 if self.gamma is None else self.gamma
        return program.push_formula(self.kind, gamma, self.coef0, self.degree, columns)

    def _function(self, X: Any) -> _core.KernelFunction:
        if self.kind in _ALONE:
            kind = _core.KernelKind[self.kind]
            return _core.KernelFunction(kind, 1.0 if self.gamma is None else self.gamma, self.coef0, self.degree)
        program = Program(int(X.shape[1]))
        self.push_to(program, None)
        return program.function


def require_lengths(X: Any, owner: str) -> None:
    """Raise for the first row that is not 0 but so near to it that its squared length has lost digits."""
    sizes = row_sizes(X)
    short = np.flatnonzero((sizes > 0.0) & (sizes < _SHORTEST))
    if len(short):
        raise InvalidInput(
            f"{owner} divides by the lengths of rows. Got row {short[0]} with entries of at most {sizes[short[0]]:.3g}, whose"
            " squares are too small for floating point. Scale the features."
        )


def require_non_negative(X: Any, owner: str, columns: Sequence[int] | None = None) -> None:
    """Raise for the first value below 0; ``columns`` are the numbers that the user knows them by."""
    values = X.data if sparse.issparse(X) else X
    if not values.size or not values.min() < 0.0:
        return
    if sparse.issparse(X):
        first = int(np.flatnonzero(X.data < 0.0)[0])
        row = int(np.searchsorted(X.indptr, first, side="right")) - 1
        column, value = int(X.indices[first]), float(X.data[first])
    else:
        row, column = (int(k) for k in np.unravel_index(int((X < 0.0).argmax()), X.shape))
        value = float(X[row, column])
    feature = column if columns is None else columns[column]
    raise InvalidInput(
        f"{owner} needs features that are at least 0. Got {value:.6g} for feature {feature} of row {row}. Use counts, "
        "frequencies or a histogram, scale the features, for example with MinMaxScaler, or take another kernel, for example"
        " Laplacian."
    )


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
