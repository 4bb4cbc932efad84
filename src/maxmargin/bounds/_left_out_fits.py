"""The fits of a problem without one of its rows, each from the solution for all rows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final, final

import numpy as np
from numpy.typing import NDArray

from maxmargin._solve import solve_batch
from maxmargin.kernels import Gram
from maxmargin.problems import HardMargin, LabelledParts, Offset, Problem, Slack, SoftMargin, SoftMargins, balanced
from maxmargin.solvers import DualSolver, as_solver, path_fits

__all__ = ["LeftOutFits"]

Vector = NDArray[np.float64]

_TOGETHER: Final = 2_000_000  # coefficients of all problems that are handed to the solver at once


@final
class LeftOutFits:
    """Fits without one row.

    Parameters
    ----------
    problem : SoftMargin or HardMargin
        The problem with all rows.
    solver : str or Solver
        What solves it.
    beta : ndarray of shape (n,)
        Signed coefficients of its solution.
    """

    def __init__(self, problem: SoftMargin | HardMargin, solver: Any, beta: Vector) -> None:
        self._problem = problem
        self._solver = solver
        self._beta = beta
        self._gram: Gram | None = None

    def of(self, rows: NDArray[np.intp], tol: float, scores: Vector) -> Iterator[Any]:
        """Solve without each of some rows; its own score by that solution is written into ``scores``."""
        problem, n = self._problem, self._problem.gram.n
        if len(rows) == 0:
            return
        chosen = as_solver(self._solver, [problem])
        starts = isinstance(chosen, DualSolver) and chosen.takes_start
        if self._gram is None:  # computed once for all fits, where there is room
            self._gram = problem.gram.as_matrix() if path_fits(n, "auto") else problem.gram
        linear = isinstance(problem, SoftMargin) and problem.offset is Offset.FREE and problem.slack is Slack.LINEAR
        for own in np.array_split(rows, -(-len(rows) * n // _TOGETHER)):
            yield from (self._held_out if linear and starts else self._taken_out)(own, tol, scores, starts)

    def _held_out(self, rows: NDArray[np.intp], tol: float, scores: Vector, starts: bool) -> Iterator[Any]:
        """A row that is left out has a cost of 0: its coefficient stays 0, and its score comes with the evaluation."""
        problem, n, count = self._problem, len(scores), len(rows)
        assert isinstance(problem, SoftMargin)
        assert self._gram is not None
        costs = np.tile(problem.upper, (count, 1))
        costs[np.arange(count), rows] = 0.0
        begins = [balanced(np.where(cost > 0.0, self._beta, 0.0), cost) for cost in costs]
        parts = LabelledParts(None, np.tile(problem.y, count), [n] * count)
        problems = SoftMargins(self._gram, parts, costs.ravel(), own_costs=True)
        found = solve_batch(
            problems,
            self._solver,
            tol,
            starts=np.concatenate(begins) if starts else None,
            with_rows=False,
            with_values=True,
            settled=False,  # the row that is gone was one that mattered
        )
        scores[rows] = found.values.reshape(count, n)[np.arange(count), rows]  # type: ignore[attr-defined]  # of dual problems
        return iter([] if found.is_plain else found)  # type: ignore[attr-defined]  # of dual problems

    def _taken_out(self, rows: NDArray[np.intp], tol: float, scores: Vector, starts: bool) -> Iterator[Any]:
        """The same by problems of the other rows."""
        assert self._gram is not None
        others = [np.delete(np.arange(len(scores)), row) for row in rows]
        begins = [self._beta[kept] for kept in others] if starts else None
        problems = [self._without(kept) for kept in others]
        solutions = solve_batch(problems, self._solver, tol, starts=begins, with_rows=False, settled=False)
        for row, kept, found in zip(rows, others, solutions, strict=True):
            scores[row] = self._gram.block([row], kept[found.support])[0] @ found.beta + found.bias
        return iter(solutions)

    def _without(self, kept: NDArray[np.intp]) -> Problem:
        assert self._gram is not None
        problem = self._problem
        gram, y = self._gram.take(kept), problem.y[kept]
        if isinstance(problem, HardMargin):
            return HardMargin.on(gram, y, problem.offset)
        return SoftMargin.on(gram, y, problem.upper[kept], problem.offset, problem.slack)
