"""Sums over the rows of a linear model, for losses that the core does not know."""

from __future__ import annotations

import math
from typing import NamedTuple, final

import numpy as np
from numpy.typing import NDArray

from maxmargin.losses import ConvexLoss, Exponential
from maxmargin.problems import PrimalProblem, inner

__all__ = ["RowSums", "row_sums"]

Vector = NDArray[np.float64]


@final
class RowSums(NamedTuple):
    """Sums over the rows; the names are those of the core's `RowSums`."""

    lost: float
    conjugates: float
    size: float
    abs_sum: float
    reach: float
    worst: float
    slopes: Vector | None


def row_sums(problem: PrimalProblem, scores: Vector, alpha: Vector, shrink: float) -> RowSums:
    """What `_core.evaluate_rows` does, for losses that it does not know."""
    loss, cost = problem.loss, problem.cost
    assert isinstance(loss, ConvexLoss)
    z, share = loss.argument(problem.y, scores), -shrink * alpha / cost
    lost, conjugate, derivative = loss.value(z), loss.conjugate(share), loss.derivative(z)
    cancelled = np.abs(derivative * z)
    smooth = math.isfinite(loss.curvature) or isinstance(loss, Exponential)
    with np.errstate(invalid="ignore"):
        worst = float(np.max(lost + conjugate - share * z, initial=0.0))
    return RowSums(
        lost=inner(cost, lost),
        conjugates=inner(cost, conjugate),
        size=inner(cost, np.abs(conjugate) + cancelled),
        abs_sum=float(np.abs(alpha).sum()),
        reach=float(np.abs(scores).max(initial=0.0)),
        worst=worst,
        slopes=-cost * (derivative * loss.slope(problem.y)) if smooth else None,
    )
