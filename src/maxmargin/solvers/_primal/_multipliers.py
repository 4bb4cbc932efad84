"""Multipliers that satisfy the equalities of a linear model's dual, from those that nearly do."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy import linalg, sparse

from maxmargin.losses import ConvexLoss, Logistic
from maxmargin.problems import Offset, Penalty, PrimalProblem, inner
from maxmargin.solvers._runtime._threads import one_blas_thread

__all__ = ["constant_feature", "evening_factors", "feasible", "scaled", "second_moment"]

Vector = NDArray[np.float64]

_MOST_FEATURES = 500  # beyond, a system in them costs more than what it is for
_MOST_HALVES = 40
_BLOCK = 4096  # rows at a time


def feasible(problem: PrimalProblem, alpha: Vector) -> Vector:
    """Multipliers near α whose signed sum is 0 where the offset is free, and whose rows sum to 0 where there is no penalty."""
    signed = alpha * problem.loss.slope(problem.y)
    if problem.penalty is Penalty.NONE:
        return _without_sum(problem, alpha, signed) if problem.d <= _MOST_FEATURES else alpha
    return alpha * evening_factors(signed) if problem.offset is Offset.FREE else alpha


def scaled(problem: PrimalProblem, alpha: Vector) -> Vector:
    """α, a half of it, a quarter, …: what gives the best dual objective. Far from the optimum slopes are far too large."""
    loss = problem.loss
    assert isinstance(loss, ConvexLoss)
    signed = alpha * loss.slope(problem.y)
    square = 0.0
    if problem.penalty is Penalty.L2:
        combination = problem.combination(signed)
        square = inner(combination, combination)
        if problem.offset is Offset.PENALISED:
            constant = problem.offset_scale * float(signed.sum())
            square += constant * constant
    # Sums over rows by numpy, not by BLAS: its threads change the bits, and wait for busy cores.
    linear = float((alpha * loss.argument(problem.y, np.zeros(problem.n))).sum())

    def dual(t: float) -> float:
        gain = -float((problem.cost * loss.conjugate(-t * alpha / problem.cost)).sum())
        return gain - t * linear - 0.5 * t * t * square

    t, best = 1.0, dual(1.0)
    for _ in range(_MOST_HALVES):
        half = dual(0.5 * t)
        if not half > best:
            break
        t, best = 0.5 * t, half
    return t * alpha


def evening_factors(signed: Vector) -> Vector:
    """Factors between 0 and 1, one for each side, after which the positive and the negative terms sum to 0.

    Every conjugate is finite between 0 and where it is finite, so that multipliers stay inside of their bounds.
    """
    plus, minus = float(signed[signed > 0.0].sum()), -float(signed[signed < 0.0].sum())
    level = min(plus, minus)
    high, low = (level / plus if plus > 0.0 else 0.0), (level / minus if minus > 0.0 else 0.0)
    return np.where(signed > 0.0, high, low)


def _without_sum(problem: PrimalProblem, alpha: Vector, signed: Vector) -> Vector:
    """``α (1 − S X̃ v)`` with the v that makes ``Σ α_i s_i x̃_i`` vanish: each α moves by a part of itself, and hardly leaves
    0.

    The logistic loss has a bound above too; there they move by parts of their distances from both.
    """
    room = np.abs(alpha)
    if isinstance(problem.loss, Logistic):
        room = room * (1.0 - alpha / problem.cost)
    total = float(signed.sum()) * constant_feature(problem)
    with one_blas_thread():
        v, *_ = linalg.lstsq(second_moment(problem, room), np.append(problem.combination(signed), total))
    along = problem.scores(v[:-1], constant_feature(problem) * float(v[-1]))
    return np.asarray(alpha - room * problem.loss.slope(problem.y) * along)


def constant_feature(problem: PrimalProblem) -> float:
    """The value of the feature whose weight the offset is; 0 where there is none."""
    if problem.offset is Offset.NONE:
        return 0.0
    return problem.offset_scale if problem.offset is Offset.PENALISED else 1.0


def second_moment(problem: PrimalProblem, weight: Vector, is_late: Callable[[], bool] = lambda: False) -> NDArray[np.float64]:
    """``Σ weight_i x̃_i x̃_iᵀ`` of rows with the constant feature, block by block: X is not copied.

    Whoever calls this sees to it that BLAS has one thread, else the last bits depend on their number.
    """
    X, d = problem.X, problem.d
    moment = np.zeros((d + 1, d + 1))
    for start in range(0, problem.n, _BLOCK):
        if is_late():
            break
        rows, some = X[start : start + _BLOCK].astype(np.float64), weight[start : start + _BLOCK, np.newaxis]
        if sparse.issparse(rows):
            moment[:d, :d] += (rows.T @ rows.multiply(some).tocsr()).toarray()
        else:
            moment[:d, :d] += rows.T @ (some * rows)
    constant = constant_feature(problem)
    moment[:d, d] = moment[d, :d] = constant * problem.combination(weight)
    moment[d, d] = constant * constant * float(weight.sum())
    return moment
