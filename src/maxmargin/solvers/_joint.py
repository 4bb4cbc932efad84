"""The solver of the joint problem of all classes."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import final

import numpy as np
from numpy.typing import NDArray

from maxmargin import _core
from maxmargin._deadline import Deadline
from maxmargin.problems import JointMulticlass
from maxmargin.solution import JointIterate, Progress, Status, Trace, certify_joint
from maxmargin.solvers._base import Callback, Limits, Solver, numbered
from maxmargin.solvers._core_runs import STATUSES, core_limits, listener
from maxmargin.solvers._joint_finish import finished_joint, is_small
from maxmargin.solvers._memory import cache_bytes

__all__ = ["JointRows"]

Matrix = NDArray[np.float64]
Vector = NDArray[np.float64]

_COARSE = 1e-3  # at a relative gap like this it is known how many coefficients are free,
_FINE = 5e-5  # a relative gap for which kernel values are float64
_NEAR = 1e-6  # and at one like this, but for some, which
_FEASIBLE = 1e-9  # off the sums, as a part of Σ|β|
_EPSILON = float(np.finfo(np.float64).eps)
_PAUSE = 0.05  # seconds between two calls of the callback


def _goes_on(found: JointIterate, limits: Limits) -> bool:
    return found.status not in (Status.INTERRUPTED, Status.TIME_LIMIT) and found.steps < limits.max_steps


@final
class _Watch:
    """Clock and callback of a fit, while it is in Python: true when it is time to stop."""

    def __init__(self, limits: Limits, callback: Callback | None) -> None:
        self._callback, self._last = callback, time.perf_counter()
        self.deadline = Deadline(limits.max_seconds)
        self.stopped = False

    def __call__(self, steps: int, objective: float, support: int) -> bool:
        now = time.perf_counter()
        if self._callback is not None and now - self._last > _PAUSE:
            self._last = now
            self.stopped = bool(self._callback(Progress(self.deadline.elapsed(), steps, objective, math.nan, support)))
        return self.stopped or self.deadline.is_over()


@final
@dataclass(frozen=True)
class JointRows(Solver[JointMulticlass, JointIterate | None, JointIterate]):
    """Steps in all coefficients of one row at a time, which have a closed solution (Crammer and Singer 2001).

    Rows that violate most make a block; inside it steps cost little. Offsets are found by the method of multipliers, which lets
    class totals differ from 0 by less and less; they are made exactly 0 before the gap is judged. Where at most some hundred
    coefficients are between their bounds, Newton's method on their face leads to the optimum itself.

    Parameters
    ----------
    cache_size : float or "auto"
        Megabytes for computed kernel rows; ``"auto"`` is a quarter of the memory.

    Examples
    --------
    >>> from maxmargin import solve
    >>> from maxmargin.problems import JointMulticlass
    >>> from maxmargin.solvers import JointRows
    >>> solve(JointMulticlass([[0.0], [1.0], [2.0]], [0, 1, 2]), solver=JointRows(cache_size=100)).status.name
    'CONVERGED'
    """

    cache_size: float | str = "auto"

    def automatic_steps(self, n: int, n_classes: int = 2) -> int:
        """A million, and fifty of every coefficient."""
        return 1_000_000 + 50 * n * n_classes

    def supports(self, problem: JointMulticlass) -> str | None:
        """Every joint problem."""
        return None

    def run(
        self,
        problems: Sequence[JointMulticlass],
        starts: Sequence[JointIterate | None],
        limits: Limits,
        callback: Callback | None,
    ) -> list[JointIterate]:
        """From 0, or from points that satisfy the constraints, until converged or a limit is reached."""
        return [
            self._run(problem, start, limits, numbered(callback, k))
            for k, (problem, start) in enumerate(zip(problems, starts, strict=True))
        ]

    def resume(
        self, problem: JointMulticlass, evaluated: JointIterate, limits: Limits, callback: Callback | None
    ) -> JointIterate:
        """Go on, with all digits, from a point that was found to have too few."""
        return self._run(problem, evaluated, limits, callback, fine=True)

    def _run(
        self,
        problem: JointMulticlass,
        start: JointIterate | None,
        limits: Limits,
        callback: Callback | None,
        *,
        fine: bool = False,
    ) -> JointIterate:
        watch = _Watch(limits, callback)

        def further(found: JointIterate, tol: float, most: float = math.inf) -> JointIterate:
            steps = int(min(most, limits.max_steps - found.steps))
            later = self._search(problem, found, Limits(tol, steps, watch.deadline.left()), callback)
            if not (np.isfinite(later.beta).all() and np.isfinite(later.bias).all()):  # without bounds β may run away
                return replace(found, status=Status.STALLED, by_signal=later.by_signal)
            return replace(later, steps=found.steps + later.steps, trace=found.trace.then(later.trace))

        if start is not None and fine:
            return further(start, min(limits.tol, _FINE))
        n, classes = problem.gram.n, len(problem.classes)
        zero = JointIterate.at(np.zeros((n, classes)), np.zeros(classes))
        short = min(5000 + 20 * n * classes, limits.max_steps // 3 + 1)
        found = further(zero if start is None else start, max(limits.tol, _COARSE), short)
        if _goes_on(found, limits) and is_small(problem, found.beta):
            found = further(found, _NEAR, short)
            if _goes_on(found, limits):
                found, done = _finished(problem, found, limits, watch)
                if done:
                    return found
        if not _goes_on(found, limits) or (found.status is Status.CONVERGED and limits.tol >= _COARSE):
            return found
        if found.status is not Status.CONVERGED and problem.proof(watch.deadline.left()) is not None:
            return replace(found, status=Status.INFEASIBLE)
        later = further(found, limits.tol)
        if np.isinf(problem.upper).any() and not _worth(problem, later) > _worth(problem, found):
            return replace(later, beta=found.beta, bias=found.bias)
        return later

    def _search(self, problem: JointMulticlass, start: JointIterate, limits: Limits, callback: Callback | None) -> JointIterate:
        spec = _core.JointSpec(
            gram=problem.source.core, label=problem.codes.astype(np.int32), upper=problem.upper, offsets=problem.offset
        )
        cache = cache_bytes(self.cache_size, "JointRows")
        found = _core.search_joint(spec, start.beta, start.bias, core_limits(limits), cache, listener(callback))
        bias = found.bias - found.bias.mean() if problem.offset else found.bias
        status, trace = STATUSES[found.ending], Trace.written(found.trace)
        return JointIterate(status, found.steps, found.interrupted, trace, found.beta, bias)


def _worth(problem: JointMulticlass, at: JointIterate) -> float:
    """The dual objective; of a point that ran away, so that its scores are rounding errors, less than any other."""
    size = float(np.abs(at.beta).sum()) * float(np.abs(problem.source.diagonal()).max())
    if np.isinf(problem.upper).any() and not size * _EPSILON < 1.0:
        return -math.inf
    return certify_joint(problem, at.beta, at.bias).dual


def _finished(problem: JointMulticlass, near: JointIterate, limits: Limits, watch: _Watch) -> tuple[JointIterate, bool]:
    """The optimum by Newton's method, or that there is none, if it is not far; and whether nothing is left to do."""
    if near.status is not Status.CONVERGED and problem.proof(watch.deadline.left()) is not None:
        return replace(near, status=Status.INFEASIBLE), True
    try:
        exact = finished_joint(problem, near.beta, limits.max_steps - near.steps, watch)
    except KeyboardInterrupt:
        return replace(near, status=Status.INTERRUPTED, by_signal=True), True
    there = replace(near, beta=exact.beta, bias=exact.bias, status=Status.STALLED, steps=near.steps + exact.rounds)
    if watch.stopped:
        return replace(there, status=Status.INTERRUPTED), True
    judged = certify_joint(problem, exact.beta, exact.bias)
    if judged.verdict(limits.tol) is not None:
        return replace(there, status=Status.CONVERGED), True
    if exact.at_optimum:
        return there, True
    better = judged.infeasibility <= _FEASIBLE and _worth(problem, there) > _worth(problem, near)
    status = Status.ITERATION_LIMIT if there.steps >= limits.max_steps else Status.STALLED
    status = Status.TIME_LIMIT if watch.deadline.is_over() else status
    return replace(there if better else near, status=status, steps=there.steps), False
