"""The answer to a linear model in the primal, and its judge."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from maxmargin import _core
from maxmargin.errors import InvalidInput
from maxmargin.kernels._rows import as_features
from maxmargin.losses import ConvexLoss, MarginLoss
from maxmargin.problems import Offset, Penalty, PrimalProblem
from maxmargin.problems._primal import inner
from maxmargin.solution._certificate import Certificate
from maxmargin.solution._status import Status
from maxmargin.solution._trace import Trace
from maxmargin.validation import feature_matrix

__all__ = ["LinearJudgement", "LinearSolution", "certify_linear", "linear_scores"]

Vector = NDArray[np.float64]


@final
@dataclass(frozen=True, eq=False)
class LinearJudgement:
    """What can be said of weights and multipliers without believing their solver.

    Attributes
    ----------
    primal, dual : float
        The two objectives.
    stationarity : float
        The largest of ``|w_k − Σ α_i s_i x_ik|`` and of the same of the offset: 0 at the optimum. In a ball it is
        ``|v_k − |v| w_k/√B|`` with ``v = Σ α_i s_i x_i``: at the optimum v is 0, or w is on the surface and has its direction.
        With an L1 penalty by how much a ``Σ α_i s_i x_ik`` is off the sign of its weight, or above 1 where the weight is 0.
    infeasibility : float
        How far the multipliers are off the equalities of a free offset or of no penalty, relative to ``Σ|α|`` and the largest
        ``|x_ik|``; infinite outside of their bounds. Beyond 1e-9 they prove nothing, and the dual objective is that of
        ``α = 0``: the least that the loss can be.
    at_zero : float
        The primal objective of ``w = 0``: what is 1e-15 of it is rounding.

    Examples
    --------
    >>> from maxmargin.solution import LinearJudgement
    >>> LinearJudgement(primal=2.0, dual=1.9999, stationarity=1e-3, infeasibility=0.0).is_optimal(1e-3)
    True
    """

    primal: float
    dual: float
    stationarity: float
    infeasibility: float
    at_zero: float = 0.0

    def is_optimal(self, tol: float) -> bool:
        """Converged: feasible, and gap ≤ tol · |primal|, on either side of 0; or 0 by rounding. What overflows is never."""
        small = abs(self.primal - self.dual) <= max(tol * abs(self.primal), 1e-15 * self.at_zero)
        return math.isfinite(self.primal) and self.infeasibility <= FEASIBLE and small


FEASIBLE = 1e-9


def certify_linear(problem: PrimalProblem, w: Vector, b: float, alpha: Vector) -> LinearJudgement:
    """Judge weights w, offset b and multipliers α, in float64.

    With ``s_i = ∂z_i/∂f_i``, y_i for a margin, any α gives the bound ``−½|Σ α_i s_i x_i|² − Σ C_i ℓ*(−α_i/C_i)`` on the
    optimum (Fenchel), if ``Σ α_i s_i = 0`` for a free offset; without penalty the sum of rows must vanish instead of being paid
    for. In a ball the bound has ``−√B |Σ α_i s_i x_i|`` in place of the square. A loss of residuals has ``−Σ α_i y_i`` more.
    With an L1 penalty no ``|Σ α_i s_i x_ik|`` may be above 1, and nothing is paid for the sum: α are first divided by the
    largest of these, if that is above 1.

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
    loss = problem.loss
    if not isinstance(loss, ConvexLoss):
        raise InvalidInput(
            f"{loss!r} has no conjugate, and without one there is no dual to certify with. Choose another loss; one of your own"
            " inherits losses.ConvexLoss too, and has conjugate(u)."
        )
    signed = alpha * loss.slope(problem.y)
    combination, total = problem.combination(signed), float(signed.sum())
    shrink = _shrink(problem, combination, total) if problem.penalty is Penalty.L1 else 1.0
    # z = s f + c, with c = 0 for a margin and y for a residual; the conjugate sees it as a linear term.
    constant = 0.0 if isinstance(loss, MarginLoss) else shrink * inner(alpha, loss.argument(problem.y, np.zeros(problem.n)))
    gain = -inner(problem.price, loss.conjugate(-shrink * alpha / problem.price)) - constant
    mass = max(float(np.abs(alpha).sum()), 1e-300)
    off = total if problem.offset is Offset.FREE else 0.0
    if problem.penalty is Penalty.L2:
        scaled = problem.offset_scale * total if problem.offset is Offset.PENALISED else 0.0
        dual = gain - 0.5 * inner(combination, combination) - 0.5 * scaled * scaled
        away, infeasibility = w - combination, abs(off) / mass
        off = off if problem.offset is not Offset.PENALISED else b - problem.offset_scale**2 * total
    elif problem.penalty is Penalty.BALL:
        scaled, root = problem.offset_scale * total if problem.offset is Offset.PENALISED else 0.0, math.sqrt(problem.B)
        size = math.sqrt(inner(combination, combination) + scaled * scaled)
        dual, infeasibility = gain - root * size, abs(off) / mass
        away = combination - size / root * w
        off = off if problem.offset is not Offset.PENALISED else scaled - size / root * b / problem.offset_scale
    elif problem.penalty is Penalty.L1:
        dual, away, infeasibility = gain, _off_signs(w, combination), abs(off) / mass
        if problem.offset is Offset.PENALISED:
            off = float(_off_signs(np.array([b]), np.array([problem.offset_scale * total]))[0])
    else:
        dual, away = gain, -combination
        off = total if problem.offset is not Offset.NONE else 0.0
        infeasibility = max(float(np.abs(combination).max(initial=0.0)) / _largest(problem.X), abs(off)) / mass
    infeasibility = infeasibility if math.isfinite(dual) else math.inf
    if isinstance(loss, MarginLoss):
        at_zero = float(problem.price.sum()) * float(loss.value(0.0))
    else:
        at_zero = inner(problem.price, loss.value(loss.argument(problem.y, np.zeros(problem.n))))
    return LinearJudgement(
        primal=problem.objective(w, b),
        dual=dual if infeasibility <= FEASIBLE else 0.0 - float(problem.price.sum()) * float(loss.conjugate(0.0)),
        stationarity=max(float(np.abs(away).max(initial=0.0)), abs(off)),
        infeasibility=infeasibility,
        at_zero=at_zero,
    )


def _shrink(problem: PrimalProblem, combination: Vector, total: float) -> float:
    """What makes α feasible for an L1 penalty: no product of a feature with it is above 1."""
    constant = problem.offset_scale * abs(total) if problem.offset is Offset.PENALISED else 0.0
    return 1.0 / max(1.0, float(np.abs(combination).max(initial=0.0)), constant)


def _off_signs(w: Vector, products: Vector) -> Vector:
    """How far products are off the signs of the weights, or outside of [−1, 1] where the weight is 0."""
    return np.where(w != 0.0, products - np.sign(w), np.maximum(np.abs(products) - 1.0, 0.0))


def _largest(X: Any) -> float:
    """The largest absolute value of X."""
    values = getattr(X, "data", X) if not isinstance(X, np.ndarray) else X
    return max(float(values.max(initial=0.0)), -float(values.min(initial=0.0)), 1e-300)


def linear_scores(X: Any, w: Vector, b: float) -> Vector:
    """``<w, x> + b`` of valid rows, in float64; float32 rows are not copied."""
    return _core.row_products(as_features(X), np.ascontiguousarray(w, dtype=np.float64)) + b


@final
@dataclass(frozen=True, eq=False)
class LinearSolution:
    """``f(x) = <w, x> + b`` with the proof of its optimality.

    Attributes
    ----------
    weights : ndarray of shape (d,)
        w.
    bias : float
        b.
    alpha : ndarray of shape (n,)
        The multipliers that the certificate's dual objective is of; ``w = Σ α_i y_i x_i`` at the optimum (L2 penalty).
    status : Status
        How the fit ended.
    certificate : Certificate
        Objectives and gap; its violation is `LinearJudgement.stationarity`, ``|w − Σ α_i y_i x_i|`` in the largest coordinate.
    trace : Trace
        Checkpoints on the way; violations are relative gaps.
    steps : int
        Newton rounds or sweeps.

    Examples
    --------
    >>> from maxmargin import solve
    >>> from maxmargin.problems import PrimalProblem
    >>> solution = solve(PrimalProblem([[-1.0], [1.0]], [-1, 1], loss="squared_hinge", C=10.0))
    >>> solution.status.name, solution.weights.round(3), solution.decision_function([[3.0]]).round(3)
    ('CONVERGED', array([0.976]), array([2.927]))
    """

    weights: Vector
    bias: float
    alpha: Vector
    status: Status
    certificate: Certificate
    trace: Trace
    steps: int

    def __repr__(self) -> str:
        return f"<LinearSolution: {self.certificate.brief}; {len(self.weights)} weights from {len(self.alpha)} rows>"

    @property
    def support(self) -> NDArray[np.int32]:
        """Rows with a multiplier that is not 0."""
        return np.flatnonzero(self.alpha).astype(np.int32)

    @property
    def objectives(self) -> Vector:
        """The primal objective P at each checkpoint of the trace.

        Solvers in Python keep it as a sixth number; of the engine the relative gap ``(P − D)/P`` tells it, but where D is 0, as
        before a first sweep, it is nan.
        """
        if self.trace.table.shape[1] > 5:
            return self.trace.table[:, 5].astype(np.float64)
        with np.errstate(invalid="ignore"):
            return np.asarray(self.trace.objective / (1.0 - self.trace.violation))

    def decision_function(self, X: Any) -> Vector:
        """``f(x)`` of the rows of X."""
        rows = feature_matrix(X)
        if rows.shape[1] != len(self.weights):
            raise InvalidInput(f"X has {rows.shape[1]} features, but the model has {len(self.weights)}.")
        return linear_scores(rows, self.weights, self.bias)
