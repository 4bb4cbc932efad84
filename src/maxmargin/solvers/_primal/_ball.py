"""The constrained form of a linear model, by a search for the penalised form that has the same minimum."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar, Final, final

import numpy as np
from numpy.typing import NDArray

from maxmargin._deadline import Deadline
from maxmargin.errors import InvalidInput
from maxmargin.problems import Offset, Penalty, PrimalProblem, inner
from maxmargin.solution import Checkpoint, LinearEvaluation, PrimalIterate, Status, Trace, certify_linear
from maxmargin.solvers._primal._base import PrimalSolver, on_centred
from maxmargin.solvers._primal._gradient_descent import GradientDescent
from maxmargin.solvers._primal._newton import LinearNewton
from maxmargin.solvers._primal._subgradient import StochasticSubgradient
from maxmargin.solvers._runtime._base import Callback, Limits

__all__ = ["BallSearch"]

Vector = NDArray[np.float64]

_MOST_MULTIPLIERS: Final = 200
_PATIENCE: Final = 12  # multipliers in which the gap must fall by a hundredth
_FINEST: Final = 1e-14  # relative gap of a penalised form
_NARROWEST: Final = 1e-15  # relative width of a bracket
_SMALLEST: Final = 1e-20  # multiplier beside the first
_NO_SLOPE: Final = 1e-12  # of the sum of costs


@final
@dataclass(frozen=True)
class BallSearch(PrimalSolver):
    """Minimise the loss subject to ``|w|² ≤ B`` through penalised forms ``λ/2 |w|² + Σ C_i ℓ``, whose w shrinks as λ grows.

    By Lagrange duality, the w of the λ with ``|w|² = B`` solves the constrained form; if w stays inside the ball as λ falls to
    0, the constraint is not active. ``1/|w|`` is nearly linear in λ, so that λ is found by the secant method, bracketed by
    values known to be too small and too large. Each penalised form starts from the solution of the one before. Scaled back to
    the ball where necessary, each w is feasible, and its multipliers bound the optimum: the search ends when the gap is small.

    Parameters
    ----------
    inner : PrimalSolver or None
        What solves the penalised forms; None takes the first of `LinearNewton`, `GradientDescent` and `StochasticSubgradient`
        that supports them.

    Examples
    --------
    >>> from maxmargin import solve
    >>> from maxmargin.problems import PrimalProblem
    >>> problem = PrimalProblem([[-1.0], [0.5], [1.0]], [-1, -1, 1], loss="logistic", penalty="ball", B=4.0)
    >>> solution = solve(problem)
    >>> solution.status.name, solution.weights.round(6)
    ('CONVERGED', array([2.]))
    """

    takes_start: ClassVar[bool] = False

    inner: PrimalSolver | None = None

    def __post_init__(self) -> None:
        if self.inner is not None and not isinstance(self.inner, PrimalSolver):
            raise InvalidInput(
                f"The 'inner' parameter of BallSearch must be a PrimalSolver of maxmargin.solvers or None. Got {self.inner!r}."
            )

    def supports(self, problem: PrimalProblem) -> str | None:
        """The penalty "ball", with what the inner solver supports."""
        if problem.penalty is not Penalty.BALL:
            return f"it is for the penalty 'ball', and this one is {problem.penalty.value!r}."
        penalised = _penalised(problem, 1.0)
        reasons = [solver.supports(penalised) for solver in self._inner()]
        if None in reasons:
            return None
        return f"nothing solves its penalised form: {reasons[-1]}"

    def _inner(self) -> tuple[PrimalSolver, ...]:
        return (LinearNewton(), GradientDescent(), StochasticSubgradient()) if self.inner is None else (self.inner,)

    def automatic_steps(self, n: int, n_classes: int = 2) -> int:
        """Those of the inner solver, for ten multipliers."""
        return 10 * max(solver.automatic_steps(n) for solver in self._inner())

    def run_one(
        self, problem: PrimalProblem, start: PrimalIterate | None, limits: Limits, callback: Callback | None
    ) -> PrimalIterate:
        """Until the gap is ``limits.tol`` of the primal objective, or a limit is reached."""
        penalised = _penalised(problem, 1.0)
        chosen = next(solver for solver in self._inner() if solver.supports(penalised) is None)
        return on_centred(problem, lambda near: _Search(near, limits, callback, chosen).run())


@final
class _Search:
    """The best point and the best multipliers so far, and what is known of λ."""

    def __init__(self, problem: PrimalProblem, limits: Limits, callback: Callback | None, solver: PrimalSolver) -> None:
        self._problem, self._limits, self._callback, self._solver = problem, limits, callback, solver
        self._deadline = Deadline(limits.max_seconds)
        self._w, self._b, self._alpha = np.zeros(problem.d), 0.0, np.zeros(problem.n)
        self._evaluated = certify_linear(problem, self._w, self._b, self._alpha, stationarity=False, proven=False)
        self._steps = 0
        self._seen: list[Checkpoint] = []
        self._root = math.sqrt(problem.B)
        self._too_small, self._too_large = 0.0, math.inf
        self._known: list[tuple[float, float]] = []  # λ and |w|

    def run(self) -> PrimalIterate:
        lam = first = self._first()
        found: PrimalIterate | None = None
        least, idle = math.inf, 0
        for _ in range(_MOST_MULTIPLIERS):
            began = self._deadline.elapsed()
            found = self._solve(lam, found)
            ended = found.interrupted or found.status in (Status.INTERRUPTED, Status.TIME_LIMIT, Status.ITERATION_LIMIT)
            if not (ended and self._known):  # of a search that was cut short the points before are as good
                self._keep(found, lam, began)
            if self._evaluated.is_optimal(self._limits.tol):
                return self._iterate(Status.CONVERGED)
            if ended:
                return self._iterate(found.status, interrupted=found.interrupted)
            gap = self._evaluated.primal - self._evaluated.dual
            least, idle = (gap, 0) if gap < 0.99 * least else (least, idle + 1)
            if idle >= _PATIENCE:
                break
            if self._deadline.is_over():
                return self._iterate(Status.TIME_LIMIT)
            lam = self._next(lam)
            closed = self._too_large <= (1.0 + _NARROWEST) * self._too_small
            if closed or lam < _SMALLEST * first:
                break
        return self._iterate(Status.STALLED)

    def _first(self) -> float:
        """Of a w that were as long as the slope at 0 says, unless that has no length."""
        slope, _ = self._problem.gradient(self._w, self._b)
        total = float(self._problem.cost.sum())
        size = math.sqrt(inner(slope, slope))
        return (size if size > _NO_SLOPE * total else total) / self._root

    def _solve(self, lam: float, before: PrimalIterate | None) -> PrimalIterate:
        # Its gap counts in the loss alone, and it must not hide that of the constraint.
        share = 1.0
        if before is not None and math.isfinite(self._evaluated.primal):
            share = self._evaluated.primal / max(self._evaluated.primal + 0.5 * lam * self._problem.B, 1e-300)
        tol, steps = max(0.1 * self._limits.tol * share, _FINEST), max(self._limits.max_steps - self._steps, 0)
        limits = Limits(tol, steps, self._deadline.left())
        form = _penalised(self._problem, lam)
        if before is None or not isinstance(self._solver, LinearNewton):
            return self._solver.run_one(form, None, limits, self._callback)
        grown = self._known[-1][0] / lam  # the costs
        start = PrimalIterate.at(before.w, before.b, grown * before.alpha)
        return self._solver.run_one(form, start, limits, self._callback)

    def _keep(self, found: PrimalIterate, lam: float, began: float) -> None:
        """Take the point, moved to the surface or along its ray to it, and the multipliers, where they are better."""
        before = self._evaluated
        size = _size(self._problem, found.w, found.b)
        self._known.append((lam, size))
        if size > self._root:
            self._too_small = max(self._too_small, lam)
        else:
            self._too_large = min(self._too_large, lam)
        factor = self._root / size if size > 0.0 else 1.0
        points = [(factor * found.w, factor * found.b)]
        if size <= self._root:
            points.append((found.w, found.b))
        elif self._problem.offset is Offset.FREE:
            points.append((factor * found.w, found.b))
        for w, b in points:
            value = self._problem.objective(w, b)
            if value < self._evaluated.primal:
                self._w, self._b = w, b
                self._evaluated = certify_linear(self._problem, w, b, self._alpha, stationarity=False, proven=False)
        alpha = _multipliers(self._problem, lam, found)
        other = certify_linear(self._problem, self._w, self._b, alpha, stationarity=False, proven=False)
        if other.infeasibility <= 1e-9 and other.dual > self._evaluated.dual:
            self._alpha, self._evaluated = alpha, other
        self._pass_by(found.trace, lam, began, before)
        self._steps += found.steps
        self._note(self._evaluated)

    def _pass_by(self, trace: Trace, lam: float, began: float, before: LinearEvaluation) -> None:
        """The way of a penalised form, beside the best point before it: where ``|w|² ≤ B``, the loss is at least that form's
        dual objective without ``λB/2``."""
        for seconds, steps, objective, n_support in zip(
            trace.seconds, trace.steps, lam * (trace.objective - 0.5 * self._problem.B), trace.n_support, strict=True
        ):
            dual = min(max(before.dual, float(objective)), self._evaluated.dual)  # no more than what its multipliers kept
            gap, size = before.primal - dual, max(abs(before.primal), 1e-300)
            self._seen.append(
                Checkpoint(began + float(seconds), self._steps + int(steps), dual, gap / size, int(n_support), gap)
            )

    def _note(self, evaluated: LinearEvaluation) -> None:
        gap = (evaluated.primal - evaluated.dual) / max(abs(evaluated.primal), 1e-300)
        support = int(np.count_nonzero(self._alpha))
        seconds = self._deadline.elapsed()
        self._seen.append(Checkpoint(seconds, self._steps, evaluated.dual, gap, support, evaluated.primal - evaluated.dual))

    def _next(self, lam: float) -> float:
        """The root of the secant of 1/|w| if it is inside of what is known, else between."""
        size = self._known[-1][1]
        wanted = lam * size / self._root  # |w| ~ 1/λ
        if len(self._known) > 1:
            (a, at_a), (b, at_b) = self._known[-2:]
            rise = 1.0 / at_b - 1.0 / at_a if at_a > 0.0 and at_b > 0.0 else 0.0
            if rise != 0.0:
                wanted = b + (1.0 / self._root - 1.0 / at_b) * (b - a) / rise
        low, high = self._too_small, self._too_large
        if low == 0.0:
            return min(max(wanted, 0.01 * high), 0.5 * high)
        if math.isinf(high):
            return max(min(wanted, 100.0 * low), 2.0 * low)
        last = [size > self._root for _, size in self._known[-3:]]
        if all(last) or not any(last) or not low < wanted < high:  # the bracket must shrink from both sides
            return math.sqrt(low) * math.sqrt(high)
        return wanted

    def _iterate(self, status: Status, *, interrupted: bool = False) -> PrimalIterate:
        return PrimalIterate(status, self._steps, interrupted, Trace.of(self._seen), self._w, self._b, self._alpha)


def _penalised(problem: PrimalProblem, lam: float) -> PrimalProblem:
    """``½|w|² + Σ (C_i/λ) ℓ``."""
    return PrimalProblem.on(
        problem.X,
        problem.y,
        problem.cost / lam,
        problem.loss,
        Penalty.L2,
        problem.offset,
        problem.offset_scale,
        centring=problem.centring,
    )


def _multipliers(problem: PrimalProblem, lam: float, found: PrimalIterate) -> Vector:
    """``λα``, where those at their bounds ``C_i/λ`` are exactly at ``C_i``: a last bit above it they would bound nothing."""
    alpha, cost = lam * found.alpha, problem.cost
    at_bound = np.abs(np.abs(alpha) - cost) <= 4.0 * np.finfo(np.float64).eps * cost
    return np.where(at_bound, np.copysign(cost, alpha), alpha)


def _size(problem: PrimalProblem, w: Vector, b: float) -> float:
    offset = b / problem.offset_scale if problem.offset is Offset.PENALISED else 0.0
    return math.sqrt(inner(w, w) + offset * offset)
