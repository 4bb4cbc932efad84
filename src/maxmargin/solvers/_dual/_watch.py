"""What all solvers in Python share: clock, limits, callback, trace, and Ctrl-C."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import final

import numpy as np
from numpy.typing import NDArray

from maxmargin._deadline import Deadline
from maxmargin.kernels import Gram
from maxmargin.problems import DualProblem, Problem
from maxmargin.solution import Checkpoint, DualIterate, Evaluation, Status, Trace, evaluated, progress_at
from maxmargin.solvers._runtime._base import Callback, Limits, Start, numbered

__all__ = ["Spent", "Watch", "run_each"]

Vector = NDArray[np.float64]

_MOST_CHECKPOINTS = 4096
_BETWEEN_CALLS = 0.05  # seconds between calls of the callback
_OF_INNER = 32  # at least so many points of an inner run are kept, if it has them
_OF_CHECKPOINT = ["seconds", "steps", "objective", "gap", "n_support"]
_BAND = 2**18  # kernel values between two looks at the clock


@final
class Spent(Exception):
    """The time is over in the middle of a step: `run_each` keeps the last point that was shown."""


@final
class Watch:
    """Sees every point of one run, keeps the last, and says when to stop.

    Attributes
    ----------
    dual : DualProblem
        The problem that is solved.
    limits : Limits
        Of the whole run.
    beta : ndarray
        The last point that was shown.
    steps : int
        Steps up to there.
    status : Status or None
        Why to stop; None to go on.
    """

    def __init__(self, dual: DualProblem, start: Start, limits: Limits, callback: Callback | None) -> None:
        self.dual = dual
        self.limits = limits
        self.beta = start.beta
        self.steps = 0
        self.status: Status | None = None
        self._callback = callback
        self._deadline, self._called = Deadline(limits.max_seconds), time.perf_counter()
        self._kept: list[Checkpoint] = []
        self._last: Checkpoint | None = None
        self._seen = 0
        self._stride = 1
        self._passed: list[Checkpoint] = []

    def elapsed(self) -> float:
        """Seconds since the start."""
        return self._deadline.elapsed()

    def pass_by(self, inner: Trace, began: float, *, gap_is_whole: bool = False) -> None:
        """Points of an inner solver on its way to the next point that is seen: their dual objectives are those of the whole.

        Of the primal objective only that of the last point seen is known, and so is the violation; unless the inner solver
        tells of the whole gap too.
        """
        last = self._last
        if last is None or not len(inner):
            return
        primal, some = last.dual + last.gap, inner.checkpoints[:: max(1, len(inner) // _OF_INNER)]
        for seconds, steps, objective, gap, n_support in some[_OF_CHECKPOINT].tolist():
            most = primal + objective
            told = gap if gap_is_whole and 0.0 <= gap <= most else most
            at = Checkpoint(began + seconds, self.steps + steps, -objective, last.violation, n_support, told)
            self._passed.append(at)

    def pass_rounds(self, objectives: Sequence[tuple[float, float]], took: float) -> None:
        """Rounds of a general solver that has just ended: the objectives of the dual's minimisation and of the primal."""
        each = took / max(len(objectives), 1)
        points = [
            Checkpoint(k * each, k, -value, 0.0, self.dual.n, primal + value) for k, (value, primal) in enumerate(objectives)
        ]
        self.pass_by(Trace.of(points), self.elapsed() - took, gap_is_whole=True)

    def see(self, beta: Vector, scores: Vector, steps: int) -> Evaluation:
        """Look at a point with its scores ``K β`` after so many steps; sets the status if it is the last."""
        evaluation = evaluated(self.dual, beta, scores)
        self.beta, self.steps = beta, steps
        now = time.perf_counter()
        violation, n_support = evaluation.kkt_violation, len(evaluation.support)
        last = Checkpoint(self._deadline.elapsed(), steps, evaluation.dual, violation, n_support, evaluation.gap)
        for passed in self._passed:  # what the inner solver says is believed as far as it fits
            if self._kept[-1].dual <= passed.dual <= last.dual and passed.steps < steps:
                self._keep(passed)
        self._passed = []
        self._keep(last)
        self.status = self._reason(evaluation, last, now)
        return evaluation

    def left(self, tol: float) -> Limits:
        """Limits for an inner solver that aims at ``tol``."""
        return Limits(tol, max(0, self.limits.max_steps - self.steps), self._deadline.left())

    def spent(self) -> Status | None:
        """What is used up before a step that may be long."""
        if self.steps >= self.limits.max_steps:
            return Status.ITERATION_LIMIT
        return Status.TIME_LIMIT if self.is_late() else None

    def is_late(self) -> bool:
        """Whether the time is used up."""
        return self._deadline.is_over()

    def insist(self) -> None:
        """Raise `Spent` if the time is used up."""
        if self.is_late():
            raise Spent

    def product(self, beta: Vector) -> Vector:
        """``K β``, or `Spent` as soon as the time is used up."""
        found = Gram.matvecs_within(self._deadline.left(), [self.dual.gram], beta)
        if found is None:
            raise Spent
        return found

    def matrix(self) -> NDArray[np.float64]:
        """K, or `Spent` as soon as the time is used up."""
        n = self.dual.n
        every, K = np.arange(n, dtype=np.int32), np.empty((n, n))
        height = max(1, _BAND // n)
        for begin in range(0, n, height):
            K[begin : begin + height] = self.dual.gram.block(every[begin : begin + height], every)
            self.insist()
        return K

    def iterate(self, status: Status, *, interrupted: bool = False) -> DualIterate:
        """The last point, as a solver hands it back."""
        trace = Trace.of(self._kept)
        if self._last is not None:
            trace = trace.closed_by(self._last)
        return DualIterate(status, self.steps, interrupted, trace, self.beta)

    def _keep(self, checkpoint: Checkpoint) -> None:
        """Every point at first; when there are many, every second, fourth, … and always the last."""
        if self._seen % self._stride == 0:
            self._kept.append(checkpoint)
        self._seen += 1
        self._last = checkpoint
        if len(self._kept) >= _MOST_CHECKPOINTS:
            self._kept = self._kept[::2]
            self._stride *= 2

    def _reason(self, evaluation: Evaluation, last: Checkpoint, now: float) -> Status | None:
        if evaluation.kkt_violation <= self.limits.tol:
            return Status.CONVERGED
        if self._callback is not None and now - self._called >= _BETWEEN_CALLS:
            self._called = now
            if self._callback(progress_at(last)):
                return Status.INTERRUPTED
        return self.spent()


def run_each(
    problems: Sequence[Problem],
    starts: Sequence[Start],
    limits: Limits,
    callback: Callback | None,
    one: Callable[[Problem, Start, Watch], Status],
) -> list[DualIterate]:
    """Solve one after the other. Ctrl-C keeps the last point of the one that runs, and leaves the others where they start."""
    deadline = Deadline(limits.max_seconds)
    iterates: list[DualIterate] = []
    interrupted = False
    for k, (problem, start) in enumerate(zip(problems, starts, strict=True)):
        watch = Watch(problem.dual, start, replace(limits, max_seconds=deadline.left()), numbered(callback, k))
        if interrupted:
            iterates.append(watch.iterate(Status.INTERRUPTED, interrupted=True))
            continue
        try:
            iterates.append(watch.iterate(one(problem, start, watch)))
        except Spent:
            iterates.append(watch.iterate(Status.TIME_LIMIT))
        except KeyboardInterrupt:
            interrupted = True
            iterates.append(watch.iterate(Status.INTERRUPTED, interrupted=True))
    return iterates
