"""What a model on landmarks is worth for the exact kernel."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, final

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize_scalar

from maxmargin.feature_maps import LandmarkMap
from maxmargin.losses import ConvexLoss
from maxmargin.validation import take_rows

__all__ = ["ExactBound", "LossTerms", "Subproblems", "exact_bound"]

Matrix = NDArray[np.float64]

_ERRORS: Final = 3.0  # standard errors


@final
@dataclass(frozen=True)
class ExactBound:
    """Both objectives of the exact problem at an approximate model, summed over its binary problems.

    Attributes
    ----------
    primal_objective : float
        The exact objective at this model: a function in the space of the exact kernel, so that no optimum is larger.
    dual_objective : float
        The exact dual objective at the multipliers, after making their sum right where there is an offset, and at the best
        multiple up to 1 of them: no optimum is smaller.
    gap, relative_gap : float
        Their difference, and as a part of the larger.
    rows : int
        How many rows of the exact kernel matrix were computed.
    is_proven : bool
        Whether these are all that matter. Else the dual objective is that at an estimate of ``βᵀKβ`` plus three standard
        errors.
    standard_error : float
        Of the dual objective; 0 where it is proven.

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> from maxmargin import ApproximateSVC
    >>> X, y = make_moons(500, noise=0.2, random_state=0)
    >>> bound = ApproximateSVC(n_components=80, gamma=2.0, random_state=0).fit(X, y).exact_bound(X, y)
    >>> bound.is_proven, 0.0 <= bound.relative_gap < 0.01
    (True, True)
    """

    primal_objective: float
    dual_objective: float
    gap: float
    relative_gap: float
    rows: int
    is_proven: bool
    standard_error: float


@final
@dataclass(frozen=True, eq=False)
class Subproblems:
    """The problems behind a model, as functions of values and of multipliers.

    Attributes
    ----------
    beta : ndarray of shape (K, n)
        Signed multipliers with ``f = Kβ + b``, inside of their bounds and with the right sum.
    lost : callable
        From the values of rows, shape (n, K), what each problem loses, shape (K,).
    linear : callable
        From k and t what the dual objective of problem k at tβ has besides ``−½ t² βᵀKβ``.
    scalable : bool
        Whether tβ is inside of the constraints for t from 0 to 1.
    """

    beta: Matrix
    lost: Callable[[Matrix], Matrix]
    linear: Callable[[int, float], float]
    scalable: bool


@final
@dataclass(frozen=True, eq=False)
class LossTerms:
    """``Σ C_i ℓ(z_i)`` of several problems with the same rows, and the conjugates.

    Attributes
    ----------
    loss : ConvexLoss
        ℓ.
    y : ndarray of shape (K, n)
        Labels −1 and +1, or targets.
    cost : ndarray of shape (n,)
        ``C_i``.
    alpha : ndarray of shape (K, n)
        Multipliers; cut off at their bounds here.
    offset : bool
        Whether the signed ones must sum to 0.
    """

    loss: ConvexLoss
    y: Matrix
    cost: Matrix
    alpha: Matrix
    offset: bool

    def subproblems(self) -> Subproblems:
        """With the larger side scaled down where the sum is not 0."""
        slope = np.stack([self.loss.slope(y) for y in self.y])
        beta = self.alpha * slope
        if self.offset:
            for row in beta:
                above, below = float(row[row > 0.0].sum()), float(-row[row < 0.0].sum())
                if above > below:
                    row[row > 0.0] *= below / above
                elif below > above:
                    row[row < 0.0] *= above / below
        alpha = beta * slope  # slopes are −1 and +1
        constant = [float((a * self.loss.argument(y, np.zeros_like(y))).sum()) for a, y in zip(alpha, self.y, strict=True)]

        def lost(values: Matrix) -> Matrix:
            each = [self.loss.value(self.loss.argument(y, f)) for y, f in zip(self.y, values.T, strict=True)]
            return np.array([float((self.cost * loss).sum()) for loss in each])

        def linear(k: int, t: float) -> float:
            conjugates = self.loss.conjugate(-t * alpha[k] / self.cost)
            return -float((self.cost * conjugates).sum()) - t * constant[k]

        return Subproblems(beta, lost, linear, scalable=True)


def exact_bound(
    map: LandmarkMap,
    X: Any,
    problems: Subproblems,
    values: Matrix,
    squares: Matrix,
    rows: int | None,
    random: np.random.RandomState,
) -> ExactBound:
    """Both objectives for the exact kernel; ``squares`` are ``|w|²`` of the functions whose values are given."""
    primal = float((0.5 * squares + problems.lost(values)).sum())
    used = np.flatnonzero(problems.beta.any(axis=0))
    forms, errors, count = _forms(map, X, problems.beta, used, rows, random)
    dual = error = 0.0
    for k, (form, own) in enumerate(zip(forms, errors, strict=True)):
        worst = max(float(form + _ERRORS * own), 0.0)
        t, value = _best_multiple(problems, k, worst)
        dual += value
        error += 0.5 * t * t * float(own)
    gap = primal - dual
    relative = gap / max(abs(primal), abs(dual), 1e-300)
    proven = rows is None or rows >= len(used)
    return ExactBound(primal, dual, gap, relative, count, proven, error)


def _best_multiple(problems: Subproblems, k: int, form: float) -> tuple[float, float]:
    def minus(t: float) -> float:
        return 0.5 * t * t * form - problems.linear(k, t)

    if not problems.scalable:
        return 1.0, -minus(1.0)
    inside = minimize_scalar(minus, bounds=(0.0, 1.0), method="bounded")
    t = min((0.0, float(inside.x), 1.0), key=minus)
    return t, -minus(t)


def _forms(
    map: LandmarkMap, X: Any, beta: Matrix, used: NDArray[np.intp], rows: int | None, random: np.random.RandomState
) -> tuple[Matrix, Matrix, int]:
    """``βᵀKβ`` of each problem, its standard error, and how many rows of K were computed."""
    if not len(used):
        return np.zeros(len(beta)), np.zeros(len(beta)), 0
    held = np.ascontiguousarray(beta[:, used])
    if rows is None or rows >= len(used):
        return np.einsum("ki,ik->k", held, _products(map, X, used, used, held)), np.zeros(len(beta)), len(used)
    # The features' part is known. What they miss is a sum of βᵢ(Eβ)ᵢ, each at most |βᵢ| √Eᵢᵢ times the same: in these shares
    # rows are drawn, with replacement.
    own = take_rows(X, used)
    sums = np.zeros((len(beta), map.rank))
    for some, block in map.blocks(own):
        sums += held[:, some] @ map.features(block)
    known = np.einsum("kr,kr->k", sums, sums)
    reach = np.abs(held).sum(axis=0) * np.sqrt(map.missing(own, _diagonal(map, X, used, own)))
    if not reach.any():
        return known, np.zeros(len(beta)), 0
    share = reach / reach.sum()
    drawn, times = np.unique(random.choice(len(used), rows, p=share), return_counts=True)
    exact = _products(map, X, used[drawn], used, held)
    near = map.values(take_rows(own, drawn), map.coefficients(sums))
    missed = (held[:, drawn].T * (exact - near)) / share[drawn, np.newaxis]
    mean = times @ missed / rows
    spread = np.sqrt(times @ np.square(missed - mean) / (rows - 1.0) / rows)
    return known + mean, spread, len(drawn)


def _diagonal(map: LandmarkMap, X: Any, used: NDArray[np.intp], own: Any) -> Matrix:
    return X[used, used].astype(np.float64) if map.kernel.is_precomputed else map.kernel.diagonal(own)


def _products(map: LandmarkMap, X: Any, at: NDArray[np.intp], used: NDArray[np.intp], held: Matrix) -> Matrix:
    """``Kβ`` at some rows, in columns."""
    kernel = map.kernel
    if kernel.is_precomputed:
        return np.stack([X[i, used].astype(np.float64) @ held.T for i in at])
    sums = kernel.weighted_sums(take_rows(X, at), take_rows(X, used), held, (0, len(used)))
    return np.asarray(sums.reshape(len(held), len(at)).T)
