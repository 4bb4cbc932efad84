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
from maxmargin.problems import CrammerSinger
from maxmargin.solution import CrammerSingerIterate, Progress, Status, Trace, certify_crammer_singer
from maxmargin.solvers._multiclass._crammer_singer_finish import finished_crammer_singer, is_small
from maxmargin.solvers._runtime._base import Callback, Limits, Solver, numbered
from maxmargin.solvers._runtime._core_runs import STATUSES, core_limits, listener
from maxmargin.validation import cache_bytes

__all__ = ["CrammerSingerDescent"]

Matrix = NDArray[np.float64]
Vector = NDArray[np.float64]

_COARSE = 1e-3  # at a relative gap like this it is known how many coefficients are free,
_FINE = 5e-5  # a relative gap for which kernel values are float64
_NEAR = 1e-6  # and at one like this, but for some, which
_FEASIBLE = 1e-9  # off the sums, as a part of Σ|β|
_EPSILON = float(np.finfo(np.float64).eps)
_PAUSE = 0.05  # seconds between two calls of the callback


def _goes_on(found: CrammerSingerIterate, limits: Limits) -> bool:
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
class CrammerSingerDescent(Solver[CrammerSinger, CrammerSingerIterate | None, CrammerSingerIterate]):
    """Steps in all coefficients of one row at a time, each in closed form (Crammer and Singer 2001).

    Rows that violate most make a block; inside it steps cost little. Offsets are found by the method of multipliers, which lets
    class totals differ from 0 by less and less; they are made exactly 0 before the gap is evaluated. Where at most some hundred
    coefficients are between their bounds, Newton's method on their face leads to the optimum itself.

    Parameters
    ----------
    cache_size : float or "auto"
        Megabytes for computed kernel rows; ``"auto"`` is a quarter of the memory. Objects and functions keep up to 537 besides.

    Examples
    --------
    >>> from maxmargin import solve
    >>> from maxmargin.problems import CrammerSinger
    >>> from maxmargin.solvers import CrammerSingerDescent
    >>> solve(CrammerSinger([[0.0], [1.0], [2.0]], [0, 1, 2]), solver=CrammerSingerDescent(cache_size=100)).status.name
    'CONVERGED'
    """

    cache_size: float | str = "auto"

    def automatic_steps(self, n: int, n_classes: int = 2) -> int:
        """A million, plus fifty for each coefficient."""
        return 1_000_000 + 50 * n * n_classes

    def supports(self, problem: CrammerSinger) -> str | None:
        """Every joint problem."""
        return None

    def run(
        self,
        problems: Sequence[CrammerSinger],
        starts: Sequence[CrammerSingerIterate | None],
        limits: Limits,
        callback: Callback | None,
    ) -> list[CrammerSingerIterate]:
        """From 0, or from points that satisfy the constraints, until converged or a limit is reached."""
        return [
            self._run(problem, start, limits, numbered(callback, k))
            for k, (problem, start) in enumerate(zip(problems, starts, strict=True))
        ]

    def resume(
        self, problem: CrammerSinger, evaluated: CrammerSingerIterate, limits: Limits, callback: Callback | None
    ) -> CrammerSingerIterate:
        """Continue in full precision from a point that was found to lack it."""
        return self._run(problem, evaluated, limits, callback, fine=True)

    def _run(
        self,
        problem: CrammerSinger,
        start: CrammerSingerIterate | None,
        limits: Limits,
        callback: Callback | None,
        *,
        fine: bool = False,
    ) -> CrammerSingerIterate:
        watch = _Watch(limits, callback)

        def further(found: CrammerSingerIterate, tol: float, most: float = math.inf) -> CrammerSingerIterate:
            steps = int(min(most, limits.max_steps - found.steps))
            later = self._search(problem, found, Limits(tol, steps, watch.deadline.left()), callback)
            if not (np.isfinite(later.beta).all() and np.isfinite(later.bias).all()):  # without bounds β may run away
                return replace(found, status=Status.STALLED, interrupted=later.interrupted)
            return replace(later, steps=found.steps + later.steps, trace=found.trace.then(later.trace))

        if start is not None and fine:
            return further(start, min(limits.tol, _FINE))
        n, classes = problem.gram.n, len(problem.classes)
        zero = CrammerSingerIterate.at(np.zeros((n, classes)), np.zeros(classes))
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

    def _search(
        self, problem: CrammerSinger, start: CrammerSingerIterate, limits: Limits, callback: Callback | None
    ) -> CrammerSingerIterate:
        spec = _core.CrammerSingerSpec(
            gram=problem.source.core, label=problem.codes.astype(np.int32), upper=problem.upper, offsets=problem.offset
        )
        cache = cache_bytes(self.cache_size, "CrammerSingerDescent")
        found = _core.search_crammer_singer(spec, start.beta, start.bias, core_limits(limits), cache, listener(callback))
        bias = found.bias - found.bias.mean() if problem.offset else found.bias
        status, trace = STATUSES[found.termination], Trace.written(found.trace)
        return CrammerSingerIterate(status, found.steps, found.interrupted, trace, found.beta, bias)


def _worth(problem: CrammerSinger, at: CrammerSingerIterate) -> float:
    """The dual objective; for a point that ran away, so that its scores are rounding errors, less than any other."""
    size = float(np.abs(at.beta).sum()) * float(np.abs(problem.source.diagonal()).max())
    if np.isinf(problem.upper).any() and not size * _EPSILON < 1.0:
        return -math.inf
    return certify_crammer_singer(problem, at.beta, at.bias).dual


def _finished(
    problem: CrammerSinger, near: CrammerSingerIterate, limits: Limits, watch: _Watch
) -> tuple[CrammerSingerIterate, bool]:
    """The optimum by Newton's method, or that there is none, if it is not far; and whether nothing is left to do."""
    if near.status is not Status.CONVERGED and problem.proof(watch.deadline.left()) is not None:
        return replace(near, status=Status.INFEASIBLE), True
    try:
        exact = finished_crammer_singer(problem, near.beta, limits.max_steps - near.steps, watch)
    except KeyboardInterrupt:
        return replace(near, status=Status.INTERRUPTED, interrupted=True), True
    there = replace(near, beta=exact.beta, bias=exact.bias, status=Status.STALLED, steps=near.steps + exact.rounds)
    if watch.stopped:
        return replace(there, status=Status.INTERRUPTED), True
    evaluated = certify_crammer_singer(problem, exact.beta, exact.bias)
    if evaluated.verdict(limits.tol) is not None:
        return replace(there, status=Status.CONVERGED), True
    if exact.at_optimum:
        return there, True
    better = evaluated.infeasibility <= _FEASIBLE and _worth(problem, there) > _worth(problem, near)
    status = Status.ITERATION_LIMIT if there.steps >= limits.max_steps else Status.STALLED
    status = Status.TIME_LIMIT if watch.deadline.is_over() else status
    return replace(there if better else near, status=status, steps=there.steps), False
