"""One class on the engine of linear models: the origin is the other class."""

from __future__ import annotations

import math
from typing import Any, Final, NamedTuple, final

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from maxmargin import _core
from maxmargin._deadline import Deadline
from maxmargin.losses import Hinge
from maxmargin.problems import Centring, Penalty, PrimalProblem, inner
from maxmargin.solution import ZERO_PART, Checkpoint, PrimalIterate, Progress, Status, Trace, certify_linear
from maxmargin.solvers._primal._base import PrimalSolver
from maxmargin.solvers._runtime._base import Callback, Limits

__all__ = ["OneClassSearch"]

Vector = NDArray[np.float64]

_EPSILON: Final = float(np.finfo(np.float64).eps)
_FINEST: Final = 1e-14
_SAME: Final = 1e-14  # of two objectives
_MOST_ROUNDS: Final = 40
_PATIENCE: Final = 6  # rounds in which the gap must become a little smaller
_LONGER: Final = 4.0
_LIMITS: Final = (Status.ITERATION_LIMIT, Status.TIME_LIMIT, Status.INTERRUPTED)


@final
class _Point(NamedTuple):
    """Weights and offset, and their objective."""

    w: Vector
    b: float
    primal: float


@final
class OneClassSearch:
    """``½|w|² + T b + Σ C_i max(0, −f(x_i))``, ``f(x) = <w, x> + b``, as a soft margin with the origin as the other class.

    With ``w = t u`` and ``b = t (a − 1)`` it is ``t²`` times

        ½|u|² + Σ (C_i/t) max(0, 1 − <u, x_i> − a) + (T/t) max(0, 1 + a),   less 2T/t

    as long as ``a > −1``, that is ``ρ = −b < 2t``: one more row at the origin, with the label −1 and the cost T/t, pulls at the
    offset with all of its cost. Where its multiplier is below it, t was too small.

    The objective is homogeneous: for given weights the best ρ is a quantile of their scores, and then the best length has a
    formula. Both are exact, so that little is left for the search to do at the end.

    Parameters
    ----------
    problem : PrimalProblem
        One class.
    limits, callback
        As of any solver.
    solver : PrimalSolver
        That of soft margins.
    """

    def __init__(self, problem: PrimalProblem, limits: Limits, callback: Callback | None, solver: PrimalSolver) -> None:
        self._problem, self._limits, self._callback, self._solver = problem, limits, callback, solver
        self._deadline = Deadline(limits.max_seconds)
        self._total = float(problem.cost.sum())
        self._pull = min(problem.pull, self._total)
        self._best = _Point(np.zeros(problem.d), 0.0, 0.0)
        self._alpha, self._dual = problem.cost * (self._pull / self._total), -math.inf
        self._steps = 0
        self._seen: list[Checkpoint] = []
        self._scale = 0.0
        self._length = 1.0

    def run(self, start: PrimalIterate | None) -> PrimalIterate:
        """From the mean of the rows, or a start."""
        problem = self._problem
        self._scale = self._pull**2 * float(_core.column_squares(problem.features, problem.cost).sum()) / self._total
        self._see_multipliers(self._alpha)
        if start is not None:
            self._see_weights(start.w)
            self._see_multipliers(start.alpha)
        if self._is_done():
            return self._iterate(Status.CONVERGED)
        t = max(-self._best.b, math.sqrt(max(-2.0 * self._best.primal, 0.0)) * 1e-3)
        if not t > 0.0:
            t = max(self._scale / self._pull, 1e-300)
        rows = _with_origin(problem.X)
        centring, tol, gap, idle = Centring(rows), 0.1 * self._limits.tol, math.inf, 0
        for _ in range(_MOST_ROUNDS):
            form = self._form(rows, centring, t)
            begin, seconds = self._beginning(t), self._deadline.left()
            steps = max(self._limits.max_steps - self._steps, 0)
            self._length = t
            found = self._solver.run_one(form, begin, Limits(tol, steps, seconds), self._told())
            self._steps += found.steps
            self._see_weights(t * found.w)
            self._see_multipliers(t * found.alpha[:-1])
            self._note()
            if self._is_done():
                return self._iterate(Status.CONVERGED)
            if found.interrupted or found.status in _LIMITS:
                return self._iterate(found.status, interrupted=found.interrupted)
            if found.b <= -1.0 + 1e-6 or found.alpha[-1] < (1.0 - 1e-9) * form.cost[-1]:
                t *= _LONGER  # the origin does not pull with all of its cost
                continue
            left = self._best.primal - self._dual
            gap, idle = (left, 0) if left < 0.5 * gap else (gap, idle + 1)
            if idle >= _PATIENCE or (idle > 0 and tol == _FINEST):
                break
            if 0.0 < -self._best.b < 0.1 * t:
                t = -self._best.b
            whole = max(form.objective(found.w, found.b), 1e-300)
            aim = 0.3 * max(self._limits.tol * abs(self._best.primal), ZERO_PART * self._scale)
            aim /= max(t * t * whole, 1e-300)
            tol = max(min(0.1 * tol, aim), _FINEST)
        return self._iterate(Status.STALLED)

    def _form(self, rows: Any, centring: Centring, t: float) -> PrimalProblem:
        y = np.append(np.ones(self._problem.n), -1.0)
        cost = np.append(self._problem.cost, self._pull) / t
        return PrimalProblem.on(rows, y, cost, Hinge(), Penalty.L2, centring=centring)

    def _beginning(self, t: float) -> PrimalIterate | None:
        if not self._best.w.any():
            return None
        alpha = np.minimum(np.append(self._alpha, self._pull) / t, np.append(self._problem.cost, self._pull) / t)
        return PrimalIterate.at(self._best.w / t, 1.0 + self._best.b / t, alpha)

    def _see_weights(self, w: Vector) -> None:
        """Weights, with the best ρ and length for them."""
        if np.isfinite(w).all():
            point = self._polished(w, self._problem.scores(w))
            if point.primal <= self._best.primal + _SAME * abs(self._best.primal):  # objectives that differ by rounding
                self._best = point

    def _polished(self, w: Vector, scores: Vector) -> _Point:
        order = np.argsort(scores, kind="stable")
        summed = np.cumsum(self._problem.cost[order])
        k = min(int(np.searchsorted(summed, self._pull * (1.0 - 8.0 * _EPSILON))), len(order) - 1)
        rho = float(scores[order[k]])
        if k + 1 < len(order) and abs(summed[k] - self._pull) <= 1e-13 * self._total:  # any ρ up to the next score
            rho = 0.5 * (rho + float(scores[order[k + 1]]))
        gain = self._pull * rho - inner(self._problem.cost, np.maximum(rho - scores, 0.0))
        square = inner(w, w)
        if not (gain > 0.0 and square > 0.0):
            return _Point(np.zeros_like(w), 0.0, 0.0)
        length = gain / square
        w, b, scores = length * w, -length * rho, length * scores
        slack = inner(self._problem.cost, np.maximum(-b - scores, 0.0))
        return _Point(w, b, 0.5 * inner(w, w) + self._pull * b + slack)

    def _see_multipliers(self, alpha: Vector) -> None:
        """Multipliers moved into their bounds and to the sum that they must have; and the weights that they are of."""
        cost, pull = self._problem.cost, self._pull
        alpha = np.where(alpha >= (1.0 - 4.0 * _EPSILON) * cost, cost, np.maximum(alpha, 0.0))
        sum_ = float(alpha.sum())
        if sum_ > pull:
            alpha = alpha * (pull / sum_)
        elif sum_ < pull:
            alpha = np.minimum(alpha + (cost - alpha) * min((pull - sum_) / max(self._total - sum_, 1e-300), 1.0), cost)
        v = self._problem.combination(alpha)
        dual = -0.5 * inner(v, v)
        if dual > self._dual:
            self._alpha, self._dual = alpha, dual
        self._see_weights(v)

    def _is_done(self) -> bool:
        gap = self._best.primal - self._dual
        if self._best.primal > -ZERO_PART * self._scale and self._dual > -0.5 * ZERO_PART * self._scale:
            self._best = _Point(np.zeros(self._problem.d), 0.0, 0.0)  # nothing to tell from 0
            return True
        return gap <= 0.5 * self._limits.tol * abs(self._best.primal) and self._is_certified()

    def _is_certified(self) -> bool:
        """By what will judge it, which also counts rounding."""
        w, b, _ = self._best
        found = certify_linear(self._problem, w, b, self._alpha, stationarity=False, with_rows=False)
        return found.is_optimal(self._limits.tol) or found.is_zero()

    def _told(self) -> Callback | None:
        """The callback, told of this problem, not of the form that is solved."""
        callback, t, steps, seconds = self._callback, self._length, self._steps, self._deadline.elapsed()
        if callback is None:
            return None

        def told(progress: Progress) -> Any:
            dual = t * t * progress.objective - 2.0 * self._pull * t
            gap = t * t * progress.gap
            relative = gap / max(abs(dual + gap), 1e-300)
            moved = progress._replace(
                seconds=seconds + progress.seconds,
                steps=steps + progress.steps,
                objective=dual,
                gap=gap,
                violation=relative,
                done=False,
            )
            return callback(moved)

        return told

    def _note(self) -> None:
        gap = self._best.primal - self._dual
        relative = gap / max(abs(self._best.primal), 1e-300)
        support = int(np.count_nonzero(self._alpha))
        self._seen.append(Checkpoint(self._deadline.elapsed(), self._steps, self._dual, relative, support, gap))

    def _iterate(self, status: Status, *, interrupted: bool = False) -> PrimalIterate:
        if not self._seen:
            self._note()
        w, b, _ = self._best
        return PrimalIterate(status, self._steps, interrupted, Trace.of(self._seen), w, b, self._alpha)


def _with_origin(X: Any) -> Any:
    """The rows, and one at the origin."""
    if not sparse.issparse(X):
        return np.concatenate((X, np.zeros((1, X.shape[1]), dtype=X.dtype)))
    ends = np.append(X.indptr, X.indptr[-1:])
    return sparse.csr_matrix((X.data, X.indices, ends), shape=(X.shape[0] + 1, X.shape[1]))
