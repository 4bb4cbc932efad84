"""The evaluation of all classes at once."""

from __future__ import annotations

import math
from typing import Final, NamedTuple, final

import numpy as np
from numpy.typing import NDArray

from maxmargin.kernels import Gram
from maxmargin.problems import ClassLoss, CrammerSinger
from maxmargin.solution._class_data import ClassData, leads
from maxmargin.solution._status import Status

__all__ = ["CrammerSingerEvaluation", "certify_crammer_singer", "crammer_singer_scores"]

Matrix = NDArray[np.float64]
Vector = NDArray[np.float64]

_EPSILON: Final = 4.0 * float(np.finfo(np.float64).eps)
_INFEASIBLE: Final = 1e-9
_NOTHING: Final = 1e-9
_LAST_PLACES: Final = 1e-15
_NOTICEABLE: Final = 0.01
_NEGATIVE: Final = 1e-9


@final
class CrammerSingerEvaluation(NamedTuple):
    """What can be said of a point of the joint problem without trusting its solver.

    Attributes
    ----------
    primal, dual : float
        The two objectives.
    kkt_violation : float
        By how much the worst row violates the optimality conditions, at the given offsets.
    infeasibility : float
        How far the point is outside its bounds and off its sums, relative to ``Σ|β|``.
    square_norm : float
        ``Σ_k |w_k|²``; negative only if the kernel is indefinite.
    scale : float
        ``(Σ|β|)² max k(x, x)``: the squares that the objectives are made of are not larger.
    rounding : float
        By how much rounding errors of the scores may change the gap.
    least : float
        The smallest lead of a row's own class over all others.
    kkt_data : ClassData or None
        The rows as the loss sees them: what the report on the optimality conditions needs.

    Examples
    --------
    >>> from maxmargin.solution import CrammerSingerEvaluation, Status
    >>> found = CrammerSingerEvaluation(primal=2.0, dual=1.9999, kkt_violation=1e-4, infeasibility=0.0)
    >>> found.verdict(1e-3) is Status.CONVERGED
    True
    """

    primal: float
    dual: float
    kkt_violation: float
    infeasibility: float
    square_norm: float = 0.0
    scale: float = 0.0
    rounding: float = 0.0
    least: float = 0.0
    kkt_data: ClassData | None = None

    @property
    def gap(self) -> float:
        """Primal minus dual objective."""
        return self.primal - self.dual

    @property
    def is_zero(self) -> bool:
        """Whether the optimum cannot be told from 0: it is between the objectives, whose gap is 1e-9 of what they could be."""
        rounding = self.rounding + _LAST_PLACES * self.scale
        between = self.dual - rounding <= 0.0 <= self.primal + rounding and self.gap <= _NOTHING * self.scale
        return between and math.isfinite(self.scale)

    def is_stationary(self, tol: float) -> bool:
        """Whether nothing is left to gain near by: gap ≤ tol · |primal|, or violation ≤ tol, whatever the kernel."""
        return self.infeasibility <= _INFEASIBLE and (self.kkt_violation <= tol or self.gap <= tol * abs(self.primal))

    def verdict(self, tol: float) -> Status | None:
        """CONVERGED or ZERO_OPTIMUM if proven, else None: feasible, gap ≤ tol · |primal|, and not below 0 but for rounding."""
        if self.infeasibility > _INFEASIBLE or not self.gap >= -max(self.rounding, _NEGATIVE * abs(self.primal)):
            return None
        if self.gap <= tol * abs(self.primal) and math.isfinite(self.primal):
            return Status.CONVERGED
        return Status.ZERO_OPTIMUM if self.kkt_violation <= tol and self.is_zero else None

    def needs_bounds(self, tol: float) -> bool:
        """Whether rounding is so large beside the allowed gap that it must be bounded row by row."""
        return self.rounding > _NOTICEABLE * tol * abs(self.primal) or self.gap < -_NEGATIVE * abs(self.primal)

    def widened(self) -> CrammerSingerEvaluation:
        """Both objectives moved apart by all that rounding may do to them: what is known without another look at the rows."""
        return self._replace(primal=self.primal + self.rounding, dual=self.dual - self.rounding, rounding=0.0)

    def is_indefinite(self, problem: CrammerSinger) -> bool:
        """Whether the kernel has negative curvature. What is known to be a Mercer kernel shows only rounding."""
        if problem.gram.kernel.mercer:
            return False
        rounding = problem.gram.value_rounding * self.scale
        seen = self.square_norm < -max(rounding, 1e-9 * max(abs(self.primal), abs(self.dual)))
        return seen or problem.gram.is_indefinite()


def crammer_singer_scores(problem: CrammerSinger, beta: Matrix) -> Matrix:
    """``½ K β`` of all classes, beside the rows as the evaluation sees them: of shape (n, K), without offsets."""
    columns = [np.ascontiguousarray(column) for column in beta.T]
    products = Gram.matvecs([problem.source] * len(columns), np.concatenate(columns))
    return np.asarray(0.5 * products.reshape(len(columns), -1).T)


def costs_at(problem: CrammerSinger, beta: Matrix) -> Vector:
    """What slack costs: where ``C = inf`` twice the largest coefficient, since a larger cost would not change the answer."""
    return np.where(np.isinf(problem.upper), 2.0 * float(np.abs(beta).max(initial=1.0)), problem.upper)


def certify_crammer_singer(problem: CrammerSinger, beta: Matrix, bias: Vector) -> CrammerSingerEvaluation:
    """Evaluate the point with coefficients β of shape (n, K) and offsets b, in float64.

    Any offsets make a valid primal value. With slopes ``g_ik = f_ik − [k = y_i]`` a row violates by the highest of them minus
    the lowest whose coefficient can rise. Offsets refer to the rows of ``problem.source``, which may be centred.

    Examples
    --------
    >>> import numpy as np
    >>> from maxmargin.kernels import Linear
    >>> from maxmargin.problems import CrammerSinger
    >>> from maxmargin.solution import certify_crammer_singer
    >>> problem = CrammerSinger([[0.0], [2.0]], [0, 1], kernel=Linear())
    >>> certify_crammer_singer(problem, np.zeros((2, 2)), np.zeros(2)).primal
    2.0
    """
    with np.errstate(over="ignore", invalid="ignore"):  # without bounds β may run away
        return _evaluated(problem, beta, bias)


def _evaluated(problem: CrammerSinger, beta: Matrix, bias: Vector) -> CrammerSingerEvaluation:
    every, own = np.arange(len(beta)), problem.codes
    scores = crammer_singer_scores(problem, beta)
    values = scores + bias
    slopes = values.copy()
    slopes[every, own] -= 1.0
    lowest = np.where(beta < problem.room, slopes, np.inf).min(axis=1)
    highest = slopes.max(axis=1)
    square = 0.5 * float(np.vdot(beta, scores))
    abs_sum = float(np.abs(beta).sum())
    cost = costs_at(problem, beta)
    loss = float(cost @ (highest - slopes[every, own]))
    sums = float(np.abs(beta.sum(axis=1)).max())  # of a row, and of a class
    sums = max(sums, float(np.abs(beta.sum(axis=0)).max())) if problem.offset else sums
    outside, lead = max(float((beta - problem.room).max()), sums, 0.0), leads(slopes, own)
    infeasibility = outside / max(abs_sum, 1e-300)
    dual = float(beta[every, own].sum()) - square - _missed(problem, beta, values, bias)
    return CrammerSingerEvaluation(
        primal=square + loss,
        dual=dual if infeasibility <= _INFEASIBLE else min(dual, 0.0),  # the bound of β = 0
        kkt_violation=float(np.maximum(highest - lowest, 0.0).max()),
        infeasibility=infeasibility,
        square_norm=square,
        scale=abs_sum * abs_sum * float(np.abs(problem.source.diagonal()).max()) if abs_sum > 0.0 else 0.0,
        rounding=_rounding(problem, beta, bias, cost, lead, loss),
        least=1.0 + float(lead.min()),
        kkt_data=ClassData(
            codes=own, cost=problem.upper, scores=values, stationarity=sums, square_norm=square, loss=ClassLoss.JOINT
        ),
    )


def _missed(problem: CrammerSinger, beta: Matrix, values: Matrix, bias: Vector) -> float:
    """What scores and offsets gain in the dual objective by sums that are not 0, if they are not far beyond those of the point.

    Coefficients of a row that do not sum to 0 gain by the level of its scores, those of a class by its offset.
    """
    reach = 1.0 + float(np.abs(values).max(initial=0.0)) + float(np.abs(bias).max(initial=0.0))
    off = float(np.abs(beta.sum(axis=1)).sum()) + (float(np.abs(beta.sum(axis=0)).sum()) if problem.offset else 0.0)
    return 2.0 * off * reach if math.isfinite(reach) else 0.0


def _rounding(problem: CrammerSinger, beta: Matrix, bias: Vector, cost: Vector, lead: Vector, loss: float) -> float:
    """By how much rounding may change the gap: rows lose more where their scores are off, if they have lost at all."""
    size = np.abs(beta)
    abs_sum = float(size.sum())
    if abs_sum == 0.0:  # scores of 0 have no rounding: X need not be looked at
        return _EPSILON * abs(loss)
    of_a_score = 0.5 * float(size.sum(axis=0).max()) * problem.source.core.score_scale() + float(np.abs(bias).max())
    off = 0.5 * float(np.abs(beta.sum(axis=0)).max()) if problem.offset else 0.0
    error = _EPSILON * of_a_score + off * problem.source.core.off_sum_scale()
    exposed = float(cost[(lead <= 2.0 * error) | size.any(axis=1)].sum())
    return error * (2.0 * exposed + abs_sum) + _EPSILON * (abs_sum + abs(loss))
