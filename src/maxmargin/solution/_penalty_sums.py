"""What the multipliers of a linear model sum up to, and what its penalty asks of that."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Final, final

import numpy as np
from numpy.typing import NDArray

from maxmargin import _core
from maxmargin.problems import BlockProblem, Offset, Penalty, PrimalProblem, inner

__all__ = ["PenaltySums", "off_signs"]

Vector = NDArray[np.float64]

_EPSILON: Final = float(np.finfo(np.float64).eps)


@final
class PenaltySums:
    """``v = Σ c_i x_i`` and ``t = Σ c_i`` for signed multipliers c, and what the penalty asks of them."""

    def __init__(self, problem: PrimalProblem | BlockProblem, v: Vector, total: float, squares: Callable[[], Vector]) -> None:
        self._problem = problem
        self.v, self.total = v, total
        self._squares = squares
        self._scaled = problem.offset_scale * self.total if problem.offset is Offset.PENALISED else 0.0

    @classmethod
    def of(cls, problem: PrimalProblem, signed: Vector) -> PenaltySums:
        """Of rows that are at hand."""
        features = problem.features
        return cls(
            problem,
            problem.combination(signed),
            float(np.add.reduce(signed)) - problem.pull,
            lambda: _core.column_squares(features, signed * signed),
        )

    def shrink(self, alpha_norm: float) -> tuple[float, float, Vector | None]:
        """What makes multipliers feasible for an L1 penalty, how unsure that is, and the norms of columns where they count."""
        if self._problem.penalty not in (Penalty.L1, Penalty.NONE):
            return 1.0, 0.0, None
        norms = self._norms()
        if self._problem.penalty is Penalty.NONE:
            return 1.0, 0.0, norms / max(alpha_norm, 1e-300)
        shrink = 1.0 / max(1.0, float(np.abs(self.v).max(initial=0.0)), abs(self._scaled))
        return shrink, 4.0 * _EPSILON * shrink * float(norms.max(initial=0.0)), None

    def missed(self, w: Vector, abs_sum: float, reach: float, norms: Vector | None) -> tuple[float, float]:
        """What equalities that are missed cost, about, and by how much they are missed beside what should cancel."""
        problem, cost, most = self._problem, 0.0, 0.0
        if problem.offset is Offset.FREE or (norms is not None and problem.offset is not Offset.NONE):
            cost, most = 2.0 * abs(self.total) * reach, abs(self.total) / max(abs_sum, 1e-300)
        if norms is not None:
            some = (norms > 0.0) & np.isfinite(norms)
            off, like = np.abs(self.v[some]), norms[some]  # like: what the column's values are like
            most = max(most, float((off / like).max(initial=0.0)) / max(abs_sum, 1e-300))
            cost += 2.0 * float((off * (np.abs(w[some]) + reach / like)).sum())
            if self.v[~some].any():  # values whose squares float64 does not have
                most = math.inf
        return cost, most

    def cancelled(self, w: Vector) -> float:
        """About ``Σ_k (|w_k| + |v_k|) Σ_i |α_i x_ik|``."""
        return math.sqrt(self._problem.n) * inner(np.abs(w) + np.abs(self.v), self._norms())

    def _norms(self) -> Vector:
        """Of the columns of ``α_i x_ik``."""
        return np.sqrt(self._squares())

    def paid(self) -> float:
        """What the sum costs in the dual objective."""
        problem, square = self._problem, inner(self.v, self.v) + self._scaled * self._scaled
        if problem.penalty is Penalty.L2:
            return 0.5 * square
        if problem.penalty is Penalty.ELASTIC:
            over, last = np.maximum(np.abs(self.v) - problem.l1, 0.0), max(abs(self._scaled) - problem.l1, 0.0)
            return 0.5 * (inner(over, over) + last * last) / problem.ridge
        return math.sqrt(problem.B * square) if problem.penalty is Penalty.BALL else 0.0

    def stationarity(self, w: Vector, b: float) -> float:
        """How far the sum is from what w and b ask for, in the largest coordinate."""
        problem, scale = self._problem, self._problem.offset_scale
        off = self.total if problem.offset is not Offset.NONE else 0.0
        penalised = problem.offset is Offset.PENALISED
        if problem.penalty is Penalty.L2:
            away = w - self.v
            off = b - scale * self._scaled if penalised else off
        elif problem.penalty is Penalty.BALL:
            part = math.sqrt((inner(self.v, self.v) + self._scaled * self._scaled) / problem.B)
            away = self.v - part * w
            off = self._scaled - part * b / scale if penalised else off
        elif problem.penalty in (Penalty.L1, Penalty.ELASTIC):
            l1, ridge, last = problem.l1, problem.ridge, b / scale
            away = off_signs(w, self.v - ridge * w, l1)
            off = float(off_signs(np.array([last]), np.array([self._scaled - ridge * last]), l1)[0]) if penalised else off
        else:
            away = self.v
        return max(float(np.maximum.reduce(np.abs(away), initial=0.0)), abs(off))  # half the time of max on a short array


def off_signs(w: Vector, products: Vector, l1: float) -> Vector:
    """How far products are off ρ times the signs of the weights, or outside of [−ρ, ρ] where the weight is 0."""
    return np.where(w != 0.0, products - l1 * np.sign(w), np.maximum(np.abs(products) - l1, 0.0))
