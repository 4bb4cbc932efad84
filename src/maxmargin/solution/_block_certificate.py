"""The certificate of a linear model whose rows come in blocks: what `certify_linear` does, from sums over the blocks."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import final

import numpy as np
from numpy.typing import NDArray

from maxmargin.losses import ConvexLoss, Exponential
from maxmargin.problems import BlockProblem, Penalty
from maxmargin.solution._linear_evaluation import FEASIBLE, LinearEvaluation, rounding_of
from maxmargin.solution._penalty_sums import PenaltySums

__all__ = ["CertificateSums", "certify_blocks"]

Vector = NDArray[np.float64]


@final
@dataclass(frozen=True, eq=False)
class CertificateSums:
    """Sums over all rows, at weights, offset and multipliers.

    Attributes
    ----------
    lost, conjugates, size, abs_sum, reach, worst
        As the core's `RowSums`: of the losses, of their conjugates, of terms that are rounded, of ``|α|``; the largest score,
        and the largest violation of a row.
    total, v
        ``Σ α_i s_i`` and ``Σ α_i s_i x_i``, before `shrink` of an L1 penalty.
    slopes_total, slopes
        The same with the slopes of the losses for α; of a loss with kinks with α.
    squares
        ``Σ α_i² x_ik²`` of each column.
    constant
        ``Σ α_i y_i`` of residuals.
    active
        Rows whose multiplier is not 0.
    unsure
        What the losses may be more, where rows far from 0 make scores lose digits.
    """

    lost: float
    conjugates: float
    size: float
    abs_sum: float
    reach: float
    worst: float
    total: float
    v: Vector
    slopes_total: float
    slopes: Vector
    squares: Vector
    constant: float
    active: int
    unsure: float


def certify_blocks(problem: BlockProblem, w: Vector, b: float, sums: CertificateSums, shrink: float = 1.0) -> LinearEvaluation:
    """Evaluate the point with weights w and offset b, in float64; see `certify_linear` for the formulas.

    Parameters
    ----------
    problem : BlockProblem
        What was minimised.
    w, b : ndarray, float
        The point, for rows near 0.
    sums : CertificateSums
        Of all blocks at this point.
    shrink : float
        What the multipliers were multiplied by, so that an L1 penalty allows them.
    """
    loss = problem.loss
    assert isinstance(loss, ConvexLoss)
    pays = PenaltySums(problem, sums.v, sums.total, lambda: sums.squares)
    own, unsure, norms = pays.shrink(math.inf)
    feasible = problem.penalty is not Penalty.L1 or shrink <= own * (1.0 + 1e-12)
    primal, reach = problem.penalty_of(w, b) + sums.lost, sums.reach + 1.0 + abs(b)
    missed, infeasibility = pays.missed(w, sums.abs_sum, reach, norms)
    if not (math.isfinite(sums.conjugates) and feasible) or problem.penalty is Penalty.NONE:
        infeasibility = math.inf
    valid, paid, summed = infeasibility <= FEASIBLE, pays.paid(), primal
    if valid:
        dual = -sums.conjugates - sums.constant - paid - shrink * missed
        summed += sums.size + abs(sums.constant) + paid + sums.abs_sum * reach
    else:
        dual = 0.0 - problem.total * float(loss.conjugate(0.0))
    rounding, noise = rounding_of(problem.n, problem.d, summed) + unsure * primal, 0.0
    if dual - primal > rounding:  # rows that are far from 0, and products that cancel, have the rounding of that
        far = sums.abs_sum * (abs(problem.back(w, b)) + problem.moved(w))
        noise = rounding_of(problem.n, problem.d, pays.cancelled(w) + far)
    if primal == 0.0:
        rounding += sums.unsure
    if math.isfinite(loss.curvature) or isinstance(loss, Exponential):
        worst = PenaltySums(problem, sums.slopes, sums.slopes_total, lambda: sums.squares).stationarity(w, b)
    else:
        worst = max(pays.stationarity(w, b), sums.worst if valid else math.inf)
    if math.isnan(worst):
        worst = float(np.finfo(np.float64).max)
    at_zero = problem.at_zero if dual <= rounding else math.nan
    return LinearEvaluation(primal, dual, worst, infeasibility, rounding, noise, at_zero)
