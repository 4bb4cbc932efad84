"""What every solver of a linear model is."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Final, final

import numpy as np
from numpy.typing import NDArray

from maxmargin.errors import InvalidInput
from maxmargin.problems import PrimalProblem
from maxmargin.solution import Status, Trace
from maxmargin.solvers._base import Callback, Limits, numbered

__all__ = ["NO_TIME", "PrimalIterate", "PrimalSolver", "on_centred"]

NO_TIME: Final = 1e-6  # seconds: not enough for a pass over the rows


@final
@dataclass(frozen=True, eq=False)
class PrimalIterate:
    """Weights, multipliers to judge them by, and how the solver came to stop there.

    Attributes
    ----------
    w : ndarray of shape (d,)
        Weights.
    b : float
        Offset.
    alpha : ndarray of shape (n,)
        Multipliers; the nearer to the optimal ones, the tighter the certificate.
    status : Status
        CONVERGED if the solver believes so, otherwise what stopped it.
    steps : int
        Its own: rounds, sweeps, gradient steps.
    by_signal : bool
        Whether Ctrl-C stopped it.
    trace : Trace
        Checkpoints on the way.

    Examples
    --------
    >>> from maxmargin.problems import PrimalProblem
    >>> from maxmargin.solvers import LinearNewton, Limits
    >>> problem = PrimalProblem([[-1.0], [1.0]], [-1, 1])
    >>> LinearNewton().run(problem, Limits(tol=1e-3, max_steps=100, max_seconds=0.0), None).w.round(6)
    array([1.])
    """

    w: NDArray[np.float64]
    b: float
    alpha: NDArray[np.float64]
    status: Status
    steps: int
    by_signal: bool
    trace: Trace

    @classmethod
    def unmoved(cls, problem: PrimalProblem, status: Status) -> PrimalIterate:
        """At 0, before any step."""
        return cls(np.zeros(problem.d), 0.0, np.zeros(problem.n), status, 0, False, Trace.of())


class PrimalSolver(ABC):
    """A frozen object of settings that turns a `PrimalProblem` into a `PrimalIterate`."""

    @abstractmethod
    def supports(self, problem: PrimalProblem) -> str | None:
        """None if the problem can be solved, else the reason why not, in words."""

    @abstractmethod
    def automatic_steps(self, n: int) -> int:
        """How many steps ``max_iter=-1`` allows for n rows."""

    @abstractmethod
    def run(self, problem: PrimalProblem, limits: Limits, callback: Callback | None) -> PrimalIterate:
        """From 0 until the gap is ``limits.tol`` of the primal objective, or a limit is reached."""

    @property
    def takes_start(self) -> bool:
        """Whether it can begin at a given point."""
        return type(self).run_from is not PrimalSolver.run_from

    def run_from(
        self, start: PrimalIterate, problem: PrimalProblem, limits: Limits, callback: Callback | None
    ) -> PrimalIterate:
        """The same from other weights and multipliers, which must be inside of their bounds; some solvers can."""
        name = type(self).__name__
        raise InvalidInput(f"{name} cannot begin at a given point. Leave out start, or take solver='auto'.")

    def run_batch(
        self,
        problems: Sequence[PrimalProblem],
        starts: Sequence[PrimalIterate | None],
        limits: Limits,
        callback: Callback | None,
    ) -> list[PrimalIterate]:
        """Problems of the same rows, one after the other within the same limits; a stop leaves the others where they are."""
        begin, interrupted, by_signal = time.perf_counter(), False, False
        found: list[PrimalIterate] = []
        for k, (problem, start) in enumerate(zip(problems, starts, strict=True)):
            seconds = limits.max_seconds
            if seconds > 0.0:
                seconds -= time.perf_counter() - begin
            if interrupted or (limits.max_seconds > 0.0 and seconds <= NO_TIME):
                # Not even a pass over the rows is left for it.
                status = Status.INTERRUPTED if interrupted else Status.TIME_LIMIT
                there = PrimalIterate.unmoved(problem, status) if start is None else replace(start, status=status)
                found.append(replace(there, by_signal=by_signal))
                continue
            own, told = replace(limits, max_seconds=max(seconds, 0.0)), numbered(callback, k)
            found.append(self.run(problem, own, told) if start is None else self.run_from(start, problem, own, told))
            interrupted, by_signal = found[-1].status is Status.INTERRUPTED, found[-1].by_signal
        return found


def on_centred(problem: PrimalProblem, run: Callable[[PrimalProblem], PrimalIterate]) -> PrimalIterate:
    """Solve the problem of rows near 0 if the given one has others, and move the offset back."""
    near = problem.centred
    if near is None:
        return run(problem)
    found = run(near.problem)
    return replace(found, b=near.back(found.w, found.b))
