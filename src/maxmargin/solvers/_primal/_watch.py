"""What the solvers of linear models in Python share: clock, limits, callback, trace, and the evaluation of their points."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from typing import final

import numpy as np
from numpy.typing import NDArray

from maxmargin._deadline import Deadline
from maxmargin.problems import PrimalProblem
from maxmargin.solution import Checkpoint, LinearEvaluation, PrimalIterate, Status, Trace, certify_linear, progress_at
from maxmargin.solvers._primal._multipliers import feasible, scaled
from maxmargin.solvers._runtime._base import Callback, Limits

__all__ = ["LIMITS", "RAN_OFF", "PrimalWatch"]

Vector = NDArray[np.float64]

_BETWEEN_CALLS = 0.05  # seconds between calls of the callback
RAN_OFF = 1e3  # times the objective at the beginning, at the end of a walk
LIMITS = (Status.ITERATION_LIMIT, Status.TIME_LIMIT)
_LOOKS = 64  # at most so many in the time of a first pass over the rows


@final
class PrimalWatch:
    """Sees some points of one run, keeps the last with the best multipliers so far, and says when to stop.

    Parameters
    ----------
    problem : PrimalProblem
        What is solved.
    limits : Limits
        Of the run.
    callback : callable or None
        Is told of the progress.
    rows_a_step : int
        How many rows a step uses: a look uses all.

    Attributes
    ----------
    status : Status or None
        Why to stop; None to go on.
    """

    def __init__(self, problem: PrimalProblem, limits: Limits, callback: Callback | None, rows_a_step: int) -> None:
        self._least = max(1, problem.n // (_LOOKS * rows_a_step))
        self.status: Status | None = None
        self._problem, self._limits, self._callback = problem, limits, callback
        self._deadline, self._called = Deadline(limits.max_seconds), time.perf_counter()
        self._w, self._b, self._steps = np.zeros(problem.d), 0.0, 0
        self._alpha, self._bound = np.zeros(problem.n), -math.inf
        self._evaluating = 0.0  # seconds of the last evaluation
        self._seen: list[Checkpoint] = []

    def due(self) -> int:
        """At which step to look next: soon at first, then after a tenth more."""
        return min(self._steps + max(self._least, self._steps // 10), self._limits.max_steps)

    def at_most(self, steps: int) -> int:
        """So many steps, or as many as are allowed."""
        return min(steps, self._limits.max_steps)

    def glance(self, w: Vector, b: float, guess: Vector, steps: int) -> None:
        """As `see`, with one guess as it is: for a penalised or no offset the best bound so far holds at any point."""
        begin = time.perf_counter()
        guess = feasible(self._problem, guess)
        with np.errstate(over="ignore", invalid="ignore"):
            evaluation = certify_linear(self._problem, w, b, guess, stationarity=False, with_rows=False, proven=False)
        self._evaluating = time.perf_counter() - begin
        if not math.isfinite(evaluation.primal):
            self.status = Status.DIVERGED
            return
        self._w, self._b, self._steps = w, b, steps
        if evaluation.infeasibility <= 1e-9 and evaluation.dual > self._bound:
            self._alpha, self._bound = guess, evaluation.dual
        gap, bound = evaluation.primal - self._bound, self._bound
        relative = gap / max(abs(evaluation.primal), 1e-300)
        n_support = int(np.count_nonzero(self._alpha))
        self._seen.append(Checkpoint(self._deadline.elapsed(), steps, bound, relative, n_support, gap))
        if relative <= self._limits.tol:
            self.status = Status.CONVERGED
        else:
            self.poll(steps)

    def see(self, w: Vector, b: float, guesses: Sequence[Vector], steps: int) -> None:
        """Evaluate a point after so many steps, with guesses at its multipliers; sets the status if it is the last.

        A point whose objective is not finite is not kept.
        """
        begin = time.perf_counter()
        with np.errstate(over="ignore", invalid="ignore"):  # a walk that ran off
            evaluation = certify_linear(self._problem, w, b, self._alpha, stationarity=False, proven=False)
        self._evaluating = time.perf_counter() - begin
        if not math.isfinite(evaluation.primal):
            self.status = Status.DIVERGED
            return
        self._w, self._b, self._steps = w, b, steps
        for guess in guesses:
            if not (self._seen and self.is_late()):  # the first point has no multipliers yet
                evaluation = self._better(evaluation, guess)
        gap = (evaluation.primal - evaluation.dual) / max(abs(evaluation.primal), 1e-300)
        n_support = int(np.count_nonzero(self._alpha))
        seconds = self._deadline.elapsed()
        self._seen.append(Checkpoint(seconds, steps, evaluation.dual, gap, n_support, evaluation.primal - evaluation.dual))
        if evaluation.is_optimal(self._limits.tol):
            self.status = Status.CONVERGED
        else:
            self.poll(steps)

    def pass_by(self, primal: float, seconds: float, steps: int) -> None:
        """A primal objective on the way to the next point that is seen, of a point that nobody handed over."""
        last = self._seen[-1]
        gap = primal - last.dual
        if math.isfinite(gap) and 0.0 <= gap <= last.gap and last.steps <= steps:
            self._seen.append(last._replace(seconds=seconds, steps=steps, violation=gap / max(abs(primal), 1e-300), gap=gap))

    @property
    def gap(self) -> float:
        """Of the last point that was seen, relative."""
        return self._seen[-1].violation if self._seen else math.inf

    def elapsed(self) -> float:
        """Seconds since the start."""
        return self._deadline.elapsed()

    def _better(self, evaluation: LinearEvaluation, guess: Vector) -> LinearEvaluation:
        """The evaluation by other multipliers if they say more."""
        guess = scaled(self._problem, feasible(self._problem, guess))
        other = certify_linear(self._problem, self._w, self._b, guess, stationarity=False, proven=False)
        if other.infeasibility <= 1e-9 and other.dual > evaluation.dual:
            self._alpha = guess
            return other
        return evaluation

    def poll(self, steps: int) -> None:
        """Look at clock, budget and callback; sets the status if it is time to stop."""
        now = time.perf_counter()
        if self._callback is not None and now - self._called >= _BETWEEN_CALLS:
            self._called = now
            last = self._seen[-1]._replace(seconds=self._deadline.elapsed(), steps=steps)
            if self._callback(progress_at(last)):
                self.status = Status.INTERRUPTED
                return
        if steps >= self._limits.max_steps:
            self.status = Status.ITERATION_LIMIT
        elif self.is_late():
            self.status = Status.TIME_LIMIT

    def is_late(self) -> bool:
        """Whether the time is spent, but for the certificate."""
        return not self._deadline.has(self._evaluating)

    def iterate(self, status: Status, *, interrupted: bool = False) -> PrimalIterate:
        """The last point, as a solver hands it back; one far above where it began has run off."""
        trace = Trace.of(self._seen)
        if status in LIMITS and len(trace) and trace.primal[-1] > RAN_OFF * max(float(trace.primal[0]), 1e-300):
            status = Status.DIVERGED
        return PrimalIterate(status, self._steps, interrupted, trace, self._w, self._b, self._alpha)
