"""What every solver of a linear model is."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import final

import numpy as np
from numpy.typing import NDArray

from maxmargin.problems import PrimalProblem
from maxmargin.solution import Status, Trace
from maxmargin.solvers._base import Callback, Limits

__all__ = ["PrimalIterate", "PrimalSolver", "on_centred"]


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
        return cls(np.zeros(problem.d), 0.0, np.zeros(problem.n), status, 0, False, Trace(np.empty((0, 6))))


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


def on_centred(problem: PrimalProblem, run: Callable[[PrimalProblem], PrimalIterate]) -> PrimalIterate:
    """Solve the problem of rows near 0 if the given one has others, and move the offset back."""
    near = problem.centred
    if near is None:
        return run(problem)
    found = run(near.problem)
    return replace(found, b=near.back(found.w, found.b))
