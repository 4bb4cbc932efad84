"""Where the fit of a fold begins: at the solution for all rows, without the rows that are held out."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from maxmargin.problems import DualProblem, Problem, SoftMargins, balanced
from maxmargin.solution import SolutionBatch

__all__ = ["fold_starts"]

Vector = NDArray[np.float64]
Matrix = NDArray[np.float64]


def fold_starts(
    problems: Sequence[Problem], found: SolutionBatch, folds: Sequence[Problem], before: Vector, costs: Matrix
) -> Vector:
    """Points inside the constraints of the folds, one problem after the other.

    A coefficient stays that part of its bound that it was: most of those at a bound are there again, also where balanced
    weights have moved it. Those of held-out rows become 0, and the free ones make up for them in the sums.

    Parameters
    ----------
    problems : sequence of Problem
        Those of the fit, each with all rows.
    found : SolutionBatch
        Their solutions.
    folds : sequence of Problem
        The same for each fold, fold by fold.
    before : ndarray of shape (n,)
        The largest coefficient that each row can have in the fit.
    costs : ndarray of shape (folds, n)
        The same for each fold; 0 for a row that is held out.
    """
    n, each = len(before), len(problems)
    whole = np.zeros(each * n)
    whole[found.support] = found.beta
    with np.errstate(invalid="ignore"):
        shares = np.where(np.isinf(before), costs > 0.0, costs / before)
    begins = [share * beta for share in shares for beta in whole.reshape(each, n)]
    bounds = np.repeat(costs, each, axis=0)
    if isinstance(folds, SoftMargins):  # whose problems need not be made
        return np.concatenate([balanced(*each) for each in zip(begins, bounds, strict=True)])
    sizes = np.abs(whole).reshape(each, n).sum(axis=1)
    duals = [problem.dual for problem in problems]
    return np.concatenate(
        [
            _inside(fold.dual, begin, bound, duals[k % each], float(sizes[k % each]))
            for k, (fold, begin, bound) in enumerate(zip(folds, begins, bounds, strict=True))
        ]
    )


def _inside(dual: DualProblem, beta: Vector, bound: Vector, of_fit: DualProblem, size: float) -> Vector:
    """A point of a fold's dual near β, from the dual of the fit and the Σ|β| that its model has."""
    if dual.abs_sum is None or of_fit.abs_sum is None:
        return balanced(beta, bound)
    if dual.abs_sum_may_fall and size < of_fit.abs_sum * (1.0 - 1e-9):
        point = balanced(beta, bound)
        return np.asarray(point * min(1.0, dual.abs_sum / max(float(np.abs(point).sum()), 1e-300)))
    beta = beta * (of_fit.abs_sum / size)  # a model of ν-classification is divided by its margin
    half = 0.5 * dual.abs_sum
    return np.asarray(_with_sum(np.maximum(beta, 0.0), dual.upper, half) - _with_sum(np.maximum(-beta, 0.0), -dual.lower, half))


def _with_sum(sizes: Vector, bound: Vector, wanted: float) -> Vector:
    """Sizes between 0 and their bounds with this sum: the free ones change in equal parts, and all where that is not enough."""
    missing = wanted - float(sizes.sum())
    is_free = (sizes > 0.0) & (sizes < bound * (1.0 - 1e-9))
    for own in (is_free, bound > 0.0):
        room = np.where(own, bound - sizes if missing > 0.0 else sizes, 0.0)
        total = float(room.sum())
        if total >= abs(missing) > 0.0:
            return np.clip(sizes + (missing / total) * room, 0.0, bound)
    return sizes
