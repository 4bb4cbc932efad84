"""Sequential minimal optimisation: the engine."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import final

import numpy as np
from numpy.typing import NDArray

from maxmargin import _core
from maxmargin.problems import Problem
from maxmargin.problems._dual import DualStack, stacked
from maxmargin.solution import Iterate, Progress, Status
from maxmargin.solution._iterate import Iterates
from maxmargin.solvers._base import Callback, Limits, Solver, Start
from maxmargin.solvers._memory import cache_bytes
from maxmargin.validation import check_boolean

__all__ = ["ENDINGS", "SMO"]

Vector = NDArray[np.float64]

# The core's endings, in its order.
ENDINGS = (Status.CONVERGED, Status.ITERATION_LIMIT, Status.TIME_LIMIT, Status.INTERRUPTED, Status.STALLED)


@final
@dataclass(frozen=True)
class SMO(Solver):
    """Pair steps with second-order working sets, shrinking, and an exact finish by Newton on the free support vectors.

    Each step moves the two variables that gain most (Platt 1998; Fan, Chen and Lin 2005). Rows are float32 where that
    suffices; few variables, a small tolerance or a large C have float64 rows, and the finish then goes down to rounding.

    Parameters
    ----------
    cache_size : float or "auto"
        Megabytes for computed kernel rows; ``"auto"`` is a quarter of the memory.
    shrinking : bool
        Whether to leave out variables that stay at a bound.

    Examples
    --------
    >>> from maxmargin import solve
    >>> from maxmargin.problems import SoftMargin
    >>> from maxmargin.solvers import SMO
    >>> problem = SoftMargin([[-1.0], [1.0]], [-1, 1])
    >>> solve(problem, solver=SMO(cache_size=100)).status.name
    'CONVERGED'
    """

    cache_size: float | str = "auto"
    shrinking: bool = True

    def supports(self, problem: Problem) -> str | None:
        """All problems whose dual is a box with at most one equality."""
        return None

    def run(
        self,
        problems: Sequence[Problem],
        starts: Sequence[Start],
        limits: Limits,
        callback: Callback | None,
    ) -> list[Iterate]:
        """Go on from a point of each problem until converged or a limit is reached; several problems run in parallel."""
        beta, scores = stacked([start.beta for start in starts]), stacked([start.scores for start in starts])
        judged = any(start.judged for start in starts)
        stack = DualStack.of([problem.dual for problem in problems])
        found = self.run_stack(problems, stack, beta, scores, limits, callback, judged=judged)
        return [found.at(k) for k in range(len(problems))]

    def run_stack(
        self,
        problems: Sequence[Problem],
        stack: DualStack,
        beta: Vector,
        scores: Vector,
        limits: Limits,
        callback: Callback | None,
        *,
        judged: bool = False,
    ) -> Iterates:
        """The same without an object for each problem; ``judged`` as in `Start`."""
        found, counts, table = _core.minimise(
            stack,
            beta,
            stack.gradient(beta, scores),
            limits.tol,
            limits.max_steps,
            limits.max_seconds,
            cache_bytes(self.cache_size, "SMO"),
            check_boolean("shrinking", self.shrinking, "SMO"),
            judged,
            None if callback is None else lambda *at: bool(callback(_reported(*at))),
        )
        statuses = [ENDINGS[ending] for ending in counts[:, 0].tolist()]
        return Iterates(found, stack.sizes, statuses, counts[:, 1:], table)


def _reported(seconds: float, steps: int, objective: float, violation: float, n_support: int) -> Progress:
    """Progress in the user's terms: the dual objective is minus what the core minimises."""
    return Progress(seconds, steps, -objective, violation, n_support)
