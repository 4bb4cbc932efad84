"""The certificate of a multinomial linear model whose rows come in blocks: `certify_multiclass` from sums over the blocks."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import final

import numpy as np
from numpy.typing import NDArray

from maxmargin.problems import BlockClasses, Offset, Penalty
from maxmargin.solution._class_sums import BELOW_ZERO, away_of_classes, paid_by_classes, scaled_totals
from maxmargin.solution._linear_evaluation import FEASIBLE, LinearEvaluation, rounding_of

__all__ = ["ClassCertificateSums", "allowed_part", "certify_block_classes"]

Matrix = NDArray[np.float64]
Vector = NDArray[np.float64]

_EPSILON = float(np.finfo(np.float64).eps)


@final
@dataclass(frozen=True, eq=False)
class ClassCertificateSums:
    """Sums over all rows, at weights, offsets and multipliers.

    Attributes
    ----------
    lost : float
        Of the losses.
    gain : float
        What the multipliers gain, once they are multiplied by what an L1 penalty allows.
    abs_sum : float
        ``2 Σ_i Σ_{k≠y} α_ik``.
    totals, v : ndarray of shape (K,) and (K, d)
        ``Σ_i (C_i [k = y_i] − α_ik)``, and the same with ``x_i``, before that factor.
    slope_totals, slopes
        The same with the slopes of the losses.
    squares : ndarray of shape (d,)
        ``Σ_i (Σ_{k≠y} α_ik)² x_ij²``.
    reach, outside : float
        The largest score, and how far a multiplier is outside of its bounds, of ``C_i``.
    active : int
        Rows with a multiplier for another class that is not 0.
    """

    lost: float
    gain: float
    abs_sum: float
    totals: Vector
    v: Matrix
    slope_totals: Vector
    slopes: Matrix
    squares: Vector
    reach: float
    outside: float
    active: int


def allowed_part(problem: BlockClasses, v: Matrix, totals: Vector) -> float:
    """What multipliers have to be multiplied by, at most, so that an L1 penalty allows their sums."""
    if problem.penalty is not Penalty.L1:
        return 1.0
    largest = max(float(np.abs(v).max(initial=0.0)), float(np.abs(scaled_totals(problem, totals)).max()))
    return 1.0 / max(1.0, largest)


def certify_block_classes(
    problem: BlockClasses, W: Matrix, sums: ClassCertificateSums, shrink: float = 1.0
) -> LinearEvaluation:
    """Evaluate the point W, in float64; see `certify_multiclass` for the formulas.

    Parameters
    ----------
    problem : BlockClasses
        What was minimised.
    W : ndarray of shape (size, K)
        The point, for rows near 0.
    sums : ClassCertificateSums
        Of all blocks at this point.
    shrink : float
        What the multipliers were multiplied by, so that an L1 penalty allows them.
    """
    w, b = problem.parts(W)
    primal = problem.penalty_of(w, b) + sums.lost
    reach = 1.0 + sums.reach + float(np.abs(b).max(initial=0.0))  # of rows near 0, as the sums are
    v, totals, abs_sum = shrink * sums.v, shrink * sums.totals, shrink * sums.abs_sum
    missed, infeasibility = 0.0, 0.0
    if problem.offset is Offset.FREE:
        missed = 2.0 * float(np.abs(totals).sum()) * reach
        infeasibility = float(np.abs(totals).max()) / max(abs_sum, 1e-300)
    allowed = shrink <= allowed_part(problem, sums.v, sums.totals) * (1.0 + 1e-12)
    if not (allowed and sums.outside <= BELOW_ZERO and math.isfinite(sums.gain)):
        infeasibility = math.inf
    valid, paid, summed = infeasibility <= FEASIBLE, paid_by_classes(problem, v, totals), primal
    dual = 0.0  # no loss is below 0
    if valid:
        dual = sums.gain - paid - missed
        summed += paid + sums.gain + abs_sum * reach
    norms, inexact = np.sqrt(sums.squares), 0.0
    if shrink < 1.0:
        inexact = 4.0 * _EPSILON * shrink * float(norms.max(initial=0.0))
    rounding = rounding_of(problem.n, problem.d, summed) + inexact * primal
    noise = 0.0
    if dual - primal > rounding and problem.mean is not None:  # rows that are far from 0 have the rounding of that
        noise = rounding_of(problem.n, problem.d, abs_sum * (float(np.abs(problem.back(W)).max()) + problem.moved(W)))
    worst = away_of_classes(problem, w, b, sums.slopes, sums.slope_totals)
    at_zero = problem.at_zero if dual <= rounding else math.nan
    return LinearEvaluation(primal, dual, worst, infeasibility, rounding, noise, at_zero)
