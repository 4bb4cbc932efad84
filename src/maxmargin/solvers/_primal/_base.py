"""What every solver of a linear model is."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from maxmargin._deadline import Deadline
from maxmargin.problems import PrimalProblem
from maxmargin.solution import PrimalIterate, Status
from maxmargin.solvers._runtime._base import Callback, Limits, Solver, numbered

__all__ = ["PrimalSolver", "on_centred"]


class PrimalSolver(Solver[PrimalProblem, PrimalIterate | None, PrimalIterate], ABC):
    """A solver of linear models (`PrimalProblem`); problems that are solved together have the same rows."""

    @abstractmethod
    def run_one(
        self, problem: PrimalProblem, start: PrimalIterate | None, limits: Limits, callback: Callback | None
    ) -> PrimalIterate:
        """From 0, or from weights with multipliers inside of their bounds, until the gap is ``limits.tol`` of the primal
        objective, or a limit is reached."""

    def run(
        self,
        problems: Sequence[PrimalProblem],
        starts: Sequence[PrimalIterate | None],
        limits: Limits,
        callback: Callback | None,
    ) -> list[PrimalIterate]:
        """One after the other within the same limits; a stop leaves the others where they are."""
        deadline, stopped, interrupted = Deadline(limits.max_seconds), False, False
        found: list[PrimalIterate] = []
        for k, (problem, start) in enumerate(zip(problems, starts, strict=True)):
            if stopped or deadline.is_over():
                status = Status.INTERRUPTED if stopped else Status.TIME_LIMIT
                there = start or PrimalIterate.at(np.zeros(problem.d), 0.0, np.zeros(problem.n))
                found.append(replace(there, status=status, interrupted=interrupted))
                continue
            own = replace(limits, max_seconds=deadline.left())
            found.append(self.run_one(problem, start, own, numbered(callback, k)))
            stopped, interrupted = found[-1].status is Status.INTERRUPTED, found[-1].interrupted
        return found


def on_centred(problem: PrimalProblem, run: Callable[[PrimalProblem], PrimalIterate]) -> PrimalIterate:
    """Solve the problem of rows near 0 if the given one has others, and move the offset back."""
    near = problem.centred
    if near is None:
        return run(problem)
    found = run(near.problem)
    return replace(found, b=near.back(found.w, found.b))
