"""Linear models of the same rows while C grows: run and certified path by path."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from maxmargin._deadline import Deadline
from maxmargin._solve._budget import Budget
from maxmargin._solve._primal import solve_others
from maxmargin.problems import Penalty, PrimalProblem
from maxmargin.solution import solution_of
from maxmargin.solvers import LinearNewton, as_solver

__all__ = ["solve_linear_path", "solve_linear_paths", "together"]


def together(problems: Sequence[Any], solver: Any) -> bool:
    """Whether paths of such problems can run at the same time."""
    penalised = all(isinstance(each, PrimalProblem) and each.penalty is Penalty.L2 for each in problems)
    return penalised and isinstance(as_solver(solver, problems), LinearNewton)


def solve_linear_paths(
    paths: Sequence[Sequence[PrimalProblem]], tol: float, max_iter: int, deadline: Deadline
) -> tuple[list[list[Any]], bool]:
    """Certified solutions of problems for which `together` holds.

    Parameters
    ----------
    paths : sequence of sequences of PrimalProblem
        Of each path the same problem with ascending costs.
    tol, max_iter
        Of each problem, as in `solve`.
    deadline : Deadline
        Of all of them.

    Returns
    -------
    solutions : list of lists of LinearSolution
        For each path one for each cost.
    interrupted : bool
        Whether Ctrl-C was pressed: what was not reached then is not optimal.
    """
    solver = LinearNewton()
    budget = Budget(tol, max_iter, deadline, solver.automatic_steps(max(path[0].n for path in paths)))
    ends = solver.run_paths(paths, budget.limits(budget.tol, 0, 0.0))
    found = [
        [
            solution_of(problem, end, tol=budget.tol, with_rows=False, solver=type(solver).__name__)
            for problem, end in zip(path, reached, strict=True)
        ]
        for path, reached in zip(paths, ends, strict=True)
    ]
    return found, any(end.interrupted for reached in ends for end in reached)


def solve_linear_path(
    stages: Sequence[Sequence[Any]], solver: Any, tol: float, max_iter: int, deadline: Deadline
) -> list[list[Any]]:
    """The same of one path with any solver and of all families: for each stage solutions of its problems."""
    found: list[list[Any]] = []
    starts: list[Any] | None = None
    for problems in stages:
        chosen = as_solver(solver, problems)
        budget = Budget(tol, max_iter, deadline, chosen.automatic_steps(problems[0].n, _n_classes(problems[0])))
        own = starts if chosen.takes_start else None
        found.append(solve_others(problems, chosen, budget, True, None, own, with_rows=False))
        if all(solution.status.is_optimal for solution in found[-1]):
            starts = found[-1]
    return found


def _n_classes(problem: Any) -> int:
    return 2 if problem.classes is None else len(problem.classes)
