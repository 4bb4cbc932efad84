"""What the multipliers of a linear model of all classes sum up to, and what its penalty asks of that."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from maxmargin.problems import ClassObjective, Offset, Penalty
from maxmargin.solution._penalty_sums import off_signs

__all__ = ["BELOW_ZERO", "away_of_classes", "paid_by_classes", "scaled_totals"]

Matrix = NDArray[np.float64]
Vector = NDArray[np.float64]

BELOW_ZERO: Final = 1e-12  # of C_i: how far below 0 a multiplier may be


def away_of_classes(problem: ClassObjective, w: Matrix, b: Vector, v: Matrix, totals: Vector) -> float:
    """How far sums of rows are from what the weights and offsets ask for, in the largest coordinate."""
    off = np.zeros(1) if problem.offset is Offset.NONE else totals
    scale = problem.offset_scale
    if problem.has_l1:
        away = off_signs(w, v - problem.ridge * w, problem.l1)
        if problem.offset is Offset.PENALISED:
            off = off_signs(b / scale, scale * totals - problem.ridge * b / scale, problem.l1)
        return max(float(np.abs(away).max(initial=0.0)), float(np.abs(off).max()))
    away = w - v if problem.penalty is Penalty.L2 else v
    if problem.penalty is Penalty.L2 and problem.offset is Offset.PENALISED:
        off = b - scale**2 * totals
    return max(float(np.abs(away).max(initial=0.0)), float(np.abs(off).max()))


def scaled_totals(problem: ClassObjective, totals: Vector) -> Vector:
    """What the dual has of a penalised offset beside the sums of rows."""
    return problem.offset_scale * totals if problem.offset is Offset.PENALISED else np.zeros(1)


def paid_by_classes(problem: ClassObjective, v: Matrix, totals: Vector) -> float:
    """What the sums cost in the dual objective."""
    scaled = scaled_totals(problem, totals)
    if problem.penalty is Penalty.ELASTIC:
        v, scaled = (np.maximum(np.abs(each) - problem.l1, 0.0) for each in (v, scaled))
    return 0.5 * (float((v * v).sum()) + float((scaled * scaled).sum())) / problem.ridge if problem.ridge else 0.0
