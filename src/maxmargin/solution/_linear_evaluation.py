"""The evaluation of linear models in the primal."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final, final

import numpy as np
from numpy.typing import NDArray

from maxmargin import _core
from maxmargin.errors import InvalidInput
from maxmargin.kernels import as_features
from maxmargin.losses import (
    ConvexLoss,
    EpsilonInsensitive,
    Exponential,
    Hinge,
    Logistic,
    Loss,
    MarginLoss,
    Perceptron,
    Squared,
    SquaredEpsilonInsensitive,
    SquaredHinge,
)
from maxmargin.problems import Offset, Penalty, PrimalProblem, inner
from maxmargin.solution._class_data import ClassData
from maxmargin.solution._linear_data import LinearData
from maxmargin.solution._penalty_sums import PenaltySums
from maxmargin.solution._row_sums import row_sums
from maxmargin.solution._status import Status
from maxmargin.solution._unpenalised import repair_cost

__all__ = ["FEASIBLE", "ROW_LOSSES", "LinearEvaluation", "certify_linear", "rounding_of", "unsure"]

Vector = NDArray[np.float64]

FEASIBLE: Final = 1e-9
# As the core calls them.
ROW_LOSSES: Final[dict[type[Loss], _core.RowLoss]] = {
    Hinge: _core.RowLoss.hinge,
    SquaredHinge: _core.RowLoss.squared_hinge,
    Logistic: _core.RowLoss.logistic,
    Exponential: _core.RowLoss.exponential,
    EpsilonInsensitive: _core.RowLoss.tube,
    SquaredEpsilonInsensitive: _core.RowLoss.squared_tube,
    Squared: _core.RowLoss.square,
    Perceptron: _core.RowLoss.perceptron,
}
_NOTICEABLE: Final = 1e-7  # of the primal objective
ZERO_PART: Final = 1e-9  # of the scale: a gap so small cannot tell an optimum from 0
_ABOVE: Final = 1e-6  # of the primal objective
_EPSILON: Final = float(np.finfo(np.float64).eps)
_LARGEST: Final = float(np.finfo(np.float64).max)


@final
@dataclass(frozen=True, eq=False)
class LinearEvaluation:
    """What can be said of weights and multipliers without trusting their solver.

    Attributes
    ----------
    primal, dual : float
        The two objectives. The primal one uses the scores that the model gives for its rows, rounding included. The dual one is
        reduced for what the multipliers miss of their equalities.
    stationarity : float
        The largest violation of the conditions that w, b and α of an optimum satisfy together, 0 there:

        - ``w = v`` with ``v = Σ α_i s_i x_i``, and ``Σ α_i s_i = 0`` for a free offset. In a ball it is ``v = |v| w/√B``: v is
          0, or w is on the surface and has its direction. With an L1 penalty ``v_k`` is the sign of ``w_k``, and not above 1
          where that is 0; with an elastic net this holds for ``(v − (1 − ρ) w)/ρ``; without penalty v is 0.
        - ``−α_i/C_i`` is a slope of the loss at z_i. A smooth loss has one there, which stands in place of α in the first: this
          is the gradient of the primal objective. At a kink it is any of several, and what counts is that
          ``ℓ(z_i) + ℓ*(−α_i/C_i) + z_i α_i/C_i``, which is never below 0, is 0 (Fenchel and Young).
    infeasibility : float
        How far the multipliers are off the equalities of a free offset or of no penalty, relative to the terms that should
        cancel; infinite outside of their bounds, and where there are no exact ones near them. Beyond 1e-9 they prove nothing,
        and the dual objective is that of ``α = 0``: the least that the loss can be.
    rounding : float
        By how much rounding may change the two objectives.
    noise : float
        By how much rounding may make the primal objective of the scores that the model gives lower than that of any w and b.
    at_zero : float
        The primal objective of ``w = 0``: the scale of the terms that cancel where the optimum is 0; nan where it is not.
    kkt_data, class_data : LinearData, ClassData or None
        The rows as the loss sees them, of two classes or of all at once: what the report on the optimality conditions needs.

    Examples
    --------
    >>> from maxmargin.solution import LinearEvaluation
    >>> LinearEvaluation(primal=2.0, dual=1.9999, stationarity=1e-3, infeasibility=0.0).is_optimal(1e-3)
    True
    """

    primal: float
    dual: float
    stationarity: float
    infeasibility: float
    rounding: float = 0.0
    noise: float = 0.0
    at_zero: float = 0.0
    kkt_data: LinearData | None = None
    class_data: ClassData | None = None

    def is_optimal(self, tol: float) -> bool:
        """Converged: feasible, and gap ≤ tol · |primal|.

        A dual objective above the primal one by more than rounding, or by a millionth, is no bound, and rounding beyond
        tol · |primal| hides it.
        """
        gap, room = self.primal - self.dual, tol * abs(self.primal)
        above = min(room, _ABOVE * abs(self.primal))
        proven = -self.rounding - self.noise <= gap <= room and -gap <= above and self.rounding <= room
        return math.isfinite(self.primal) and self.infeasibility <= FEASIBLE and proven

    def is_zero(self) -> bool:
        """Whether the optimum cannot be told from 0: dual ≤ 0 ≤ primal up to rounding, and gap ≤ 1e-9 of the objective at 0.

        An objective at 0 that is no number measures nothing.
        """
        gap = self.primal - self.dual
        around, room = self.dual <= self.rounding and self.primal >= -self.rounding, ZERO_PART * self.at_zero
        near = around and -self.rounding - self.noise <= gap <= room and self.rounding <= room
        return near and math.isfinite(room)

    def status(self, found: Status, tol: float) -> Status:
        """The status that this evaluation supports, given the solver's."""
        if self.is_optimal(tol):
            return Status.CONVERGED
        if self.is_zero():
            return Status.ZERO_OPTIMUM
        return Status.STALLED if found.is_optimal else found


def certify_linear(
    problem: PrimalProblem,
    w: Vector,
    b: float,
    alpha: Vector,
    *,
    scores: Vector | None = None,
    stationarity: bool = True,
    with_rows: bool = True,
    proven: bool = True,
) -> LinearEvaluation:
    """Evaluate the point with weights w, offset b and multipliers α, in float64.

    With ``s_i = ∂z_i/∂f_i``, y_i for a margin, any α gives the bound ``−½|Σ α_i s_i x_i|² − Σ C_i ℓ*(−α_i/C_i)`` on the optimum
    (Fenchel), if ``Σ α_i s_i = 0`` for a free offset; without a penalty the sum of rows must vanish instead of being penalised.
    In a ball the bound has ``−√B |Σ α_i s_i x_i|`` in place of the square. A loss of residuals adds ``−Σ α_i y_i``. With an L1
    penalty no ``|Σ α_i s_i x_ik|`` may be above 1, and the sum costs nothing: α is first divided by the largest of these if
    that is above 1. For an elastic net the bound has ``−Σ max(0, |v_k| − ρ)² / (2 − 2ρ)`` with ``v = Σ α_i s_i x_i``.

    Sums that should vanish do so up to rounding, or up to what a solver has left. Where ``t = Σ α_i s_i`` is not 0, an offset
    b' could gain ``−t b'``: the bound is made ``2 |t| (1 + max |f_i| + |b|)`` lower, and holds for all offsets that are not far
    beyond the scores. Without a penalty weights may be as large as they like: the bound is that of exact multipliers near α,
    and there is none where float64 does not show any (`repair_cost`). Where the offset is free, all of this is done for rows
    near 0 (`PrimalProblem.centred`), whose sums have their digits.

    Parameters
    ----------
    problem : PrimalProblem
        What was minimised.
    w, b, alpha : ndarray, float, ndarray
        The point.
    scores : ndarray, optional
        ``f(x_i)`` where the model computes them in another way than `PrimalProblem.scores`, and so with other rounding. Of
        float32 rows these are scores of what was rounded, whose bound is ``Σ α_i |f_i − f̃_i|`` lower than that of the rows.
    stationarity : bool
        Whether to compute this too; it costs another pass over the rows. nan if not.
    with_rows : bool
        Whether to keep what the report on the optimality conditions needs of the rows.
    proven : bool
        Whether the dual objective without a penalty must be a bound for all weights; if not, it is one for weights that are not
        far beyond these, as a solver needs it on the way.

    Examples
    --------
    Two points at −1 and +1: ``w = 1``, and both multipliers are ½.

    >>> import numpy as np
    >>> from maxmargin.problems import PrimalProblem
    >>> from maxmargin.solution import certify_linear
    >>> problem = PrimalProblem([[-1.0], [1.0]], [-1, 1])
    >>> found = certify_linear(problem, np.array([1.0]), 0.0, np.array([0.5, 0.5]))
    >>> found.primal, found.dual, found.stationarity
    (0.5, 0.5, 0.0)
    """
    loss, cost, y = problem.loss, problem.cost, problem.y
    if not isinstance(loss, ConvexLoss):
        raise InvalidInput(
            f"{loss!r} has no conjugate, and without one there is no dual to certify with. Choose another loss; one of your own"
            " inherits losses.ConvexLoss too, and has conjugate(u)."
        )
    near, level, moved, given = problem, b, problem.centred, scores is not None
    if moved is not None:
        near, level = moved.problem, moved.there(w, b)
    scores, stored = problem.scores(w, b) if scores is None else scores, 0.0
    if given and problem.X.dtype == np.float32:
        stored = inner(alpha, np.abs(scores - problem.scores(w, b)))
    sums = PenaltySums.of(near, alpha * loss.slope(y))
    shrink, unsure, norms = sums.shrink(math.sqrt(inner(alpha, alpha)))
    smooth = math.isfinite(loss.curvature) or isinstance(loss, Exponential)
    kind, epsilon = ROW_LOSSES.get(type(loss)), float(getattr(loss, "epsilon", 0.0))
    rows = (
        row_sums(problem, scores, alpha, shrink)
        if kind is None
        else _core.evaluate_rows(
            loss=kind,
            epsilon=epsilon,
            scores=scores,
            y=y,
            cost=cost,
            alpha=alpha,
            shrink=shrink,
            with_slopes=smooth and stationarity,
        )
    )
    primal, abs_sum, reach = problem.penalty_of(w, b) + rows.lost, rows.abs_sum, rows.reach
    if moved is not None and moved.level != 0.0:
        reach = float(np.abs(scores - moved.level).max(initial=0.0))
    reach += 1.0 + abs(level)  # of the scores and offsets that count
    missed, infeasibility = sums.missed(w, abs_sum, reach, norms)
    infeasibility = infeasibility if math.isfinite(rows.conjugates) else math.inf
    if proven and infeasibility <= FEASIBLE and problem.penalty is Penalty.NONE:
        missed = repair_cost(near, alpha)
        infeasibility = infeasibility if math.isfinite(missed) else math.inf
    valid, paid = infeasibility <= FEASIBLE, sums.paid()
    # z = y − f: the conjugate sees y as a linear term
    constant = 0.0 if isinstance(loss, MarginLoss) else shrink * inner(alpha, loss.argument(near.y, np.zeros(problem.n)))
    summed = primal + 2.0 * abs(problem.pull * b)
    if valid:
        dual = -rows.conjugates - constant - paid - shrink * missed - stored
        summed += rows.size + abs(constant) + paid + abs_sum * reach
    else:
        dual = -math.inf if problem.pull != 0.0 else 0.0 - float(cost.sum()) * float(loss.conjugate(0.0))
    rounding, noise = rounding_of(problem.n, problem.d, summed) + unsure * primal, 0.0
    if dual - primal > rounding:  # rows that are far from 0, and products that cancel, have the rounding of that
        far = 0.0 if moved is None else abs_sum * (abs(b) + moved.size(w))
        noise = rounding_of(problem.n, problem.d, sums.cancelled(w) + far)
    # A row on the margin but for rounding has a loss for who sums up in another order. It counts beside so small an objective.
    if rows.lost == 0.0 and primal <= _EPSILON * float(cost.sum()) * reach:
        rounding += _more_lost(problem, scores, _score_errors(problem, w, b, scores))
    worst = math.nan
    if stationarity and rows.slopes is not None:
        worst = PenaltySums.of(near, rows.slopes).stationarity(w, level)
    elif stationarity:
        worst = max(sums.stationarity(w, level), rows.worst if valid else math.inf)
    if stationarity and math.isnan(worst):
        worst = _LARGEST  # sums that overflow: as far away as numbers go
    at_zero = _at_zero(problem) if dual <= rounding else math.nan
    kept = _terms(problem, w, b, scores, sums, level) if with_rows else None
    return LinearEvaluation(primal, dual, worst, infeasibility, rounding, noise, at_zero, kept)


def _terms(problem: PrimalProblem, w: Vector, b: float, scores: Vector, sums: PenaltySums, level: float) -> LinearData:
    """What a solution keeps of the rows, from what is known of them already: no other pass over X."""
    away, outside, binds = sums.stationarity(w, level), 0.0, False
    if problem.penalty is Penalty.BALL:
        square = inner(w, w) + ((b / problem.offset_scale) ** 2 if problem.offset is Offset.PENALISED else 0.0)
        outside = float(np.maximum(0.0, square - problem.B))
        binds = math.sqrt(inner(sums.v, sums.v)) > 1e3 * away and square > (1.0 - 1e-6) * problem.B
    return LinearData(
        loss=problem.loss,
        penalty=problem.penalty,
        offset=problem.offset,
        y=problem.y,
        cost=problem.cost,
        scores=scores,
        stationarity=away,
        outside=outside,
        binds=binds,
    )


def rounding_of(n: int, d: int, size: float) -> float:
    """What sums of this size may be wrong by: errors of n + d additions that are as often up as down."""
    return _EPSILON * (8.0 + math.sqrt(n + d)) * size


def unsure(problem: PrimalProblem, w: Vector, b: float, primal: float) -> float:
    """What the losses may be more where rows far from 0 make scores lose digits; 0 if that is little beside the objective.

    The certificate of an optimum need not have it, which is proven for the scores that were computed. Far from an optimum
    a model that sums up in another order would have another objective.
    """
    moved = problem.centred
    error = 0.0 if moved is None else 4.0 * _EPSILON * (abs(b) + moved.size(w))
    if not float(problem.cost.sum()) * error > _NOTICEABLE * primal:
        return 0.0
    return _more_lost(problem, problem.scores(w, b), error)


def _more_lost(problem: PrimalProblem, scores: Vector, error: Vector | float) -> float:
    """What the losses may be more, if scores are off by so much."""
    loss = problem.loss
    above, below, here = (loss.value(loss.argument(problem.y, each)) for each in (scores + error, scores - error, scores))
    return inner(problem.cost, np.maximum(above, below) - here)


def _score_errors(problem: PrimalProblem, w: Vector, b: float, scores: Vector) -> Vector:
    """What rounding may do to each score, a part of all that it sums up, and to a residual, which is a difference."""
    errors = np.zeros(problem.n)
    if not isinstance(problem.loss, MarginLoss):
        errors = 2.0 * _EPSILON * np.abs(scores - problem.y)
    if not w.any():
        return errors
    return errors + 4.0 * _EPSILON * (abs(b) + _core.row_products(as_features(abs(problem.X)), np.abs(w)))


def _at_zero(problem: PrimalProblem) -> float:
    loss = problem.loss
    if problem.pull != 0.0:  # of one class: the square of so many multipliers, times the mean of |x|²
        cost = problem.cost
        return problem.pull**2 * float(_core.column_squares(problem.features, cost).sum()) / float(cost.sum())
    if isinstance(loss, MarginLoss):
        return float(problem.cost.sum()) * float(loss.value(0.0))
    return inner(problem.cost, loss.value(loss.argument(problem.y, np.zeros(problem.n))))
