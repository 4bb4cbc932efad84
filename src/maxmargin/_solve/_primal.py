"""Linear models and all classes at once: run, certify, and continue with more digits where a solver can."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from maxmargin._solve._budget import Budget
from maxmargin._solve._warnings import infeasible, interrupted
from maxmargin.problems import CrammerSinger, KernelLogistic, Penalty, PrimalProblem
from maxmargin.solution import Iterate, Status, certificate_seconds, class_scores, solution_of
from maxmargin.solvers import Callback, CrammerSingerDescent, Solver, numbered, starting_point

__all__ = ["solve_others"]


def solve_others(
    problems: Sequence[Any],
    solver: Solver[Any, Any, Any],
    budget: Budget,
    throw: bool,
    callback: Callback | None,
    starts: Sequence[Any] | None,
    *,
    with_rows: bool,
) -> list[Any]:
    """Certified solutions of problems of one family, within one budget."""
    if not solver.takes_start and any(start is not None for start in starts or ()):
        raise solver.refuse_start()
    points = [starting_point(*each) for each in zip(problems, starts or [None] * len(problems), strict=True)]
    certified = partial(
        solution_of, tol=budget.tol, deadline=budget.deadline, with_rows=with_rows, solver=type(solver).__name__
    )
    evaluating = sum(certificate_seconds(problem, budget.deadline) for problem in problems) if budget.deadline.is_set else 0.0
    if (already := _optimal_already(problems, points, certified)) is not None:
        return already
    iterates = solver.run(problems, points, budget.limits(budget.tol, 0, evaluating), callback)
    _raise_if_interrupted(problems, iterates, certified, throw)
    begun = budget.deadline.elapsed()
    facts = _known(problems, iterates)
    budget.deadline.certified(begun)
    found = []
    for k, (problem, reached, known) in enumerate(zip(problems, iterates, facts, strict=True)):
        iterate = replace(reached, status=Status.STALLED) if _ran_away(problem, reached, budget) else reached
        begun = budget.deadline.elapsed()
        solution = _certified(problem, iterate, partial(certified, **known), throw)
        budget.deadline.certified(begun)
        left = budget.steps_after(iterate.steps)
        short = iterate.status is Status.CONVERGED and solution.status is Status.STALLED and left > 0
        if short and isinstance(solver, CrammerSingerDescent):
            limits = budget.limits(budget.tol, 0, evaluating)  # `resume` counts the steps before
            later = solver.resume(problem, iterate, limits, numbered(callback, k))
            _raise_if_interrupted([problem], [later], certified, throw)
            solution = _certified(problem, later, certified, throw)
        if throw and solution.status is Status.INFEASIBLE:
            raise infeasible(solution)
        found.append(solution)
    return found


def _ran_away(problem: Any, iterate: Iterate, budget: Budget) -> bool:
    """Whether the automatic steps were spent where nothing bounds β, so that it may run away for ever."""
    spent = budget.is_automatic and iterate.status is Status.ITERATION_LIMIT
    return spent and isinstance(problem, CrammerSinger) and bool(np.isinf(problem.upper).any())


def _optimal_already(problems: Sequence[Any], points: Sequence[Any], certified: Callable[..., Any]) -> list[Any] | None:
    """The starts as solutions if there is nothing left to search for; without a penalty there may be no minimum at all."""
    found = []
    if any(point is None for point in points):
        return None
    for problem, point, known in zip(problems, points, _known(problems, points), strict=True):
        if isinstance(problem, CrammerSinger | KernelLogistic) or problem.penalty is Penalty.NONE:
            return None
        found.append(certified(problem, point, **known))
        if not found[-1].status.is_optimal:
            return None
    return found


def _known(problems: Sequence[Any], points: Sequence[Any]) -> list[dict[str, Any]]:
    """What is known for each certificate: of one class against the rest, the scores as a model of all classes computes them.

    It takes one pass over the rows for all classes, and rounds its sums in another order than a score by itself.
    """
    shared = len(problems) > 1 and all(isinstance(each, PrimalProblem) and each.X is problems[0].X for each in problems)
    if not shared:
        return [{} for _ in problems]
    w, b = np.stack([point.w for point in points]), np.array([point.b for point in points], dtype=np.float64)
    return [{"scores": np.ascontiguousarray(column)} for column in class_scores(problems[0].X, w, b).T]


def _certified(problem: Any, iterate: Iterate, certified: Callable[..., Any], throw: bool) -> Any:
    """The solution; Ctrl-C in its certificate leaves the point, whose certificate is made when it is asked for."""
    try:
        return certified(problem, iterate)
    except KeyboardInterrupt as stop:
        if not throw:
            raise
        stopped = replace(iterate, status=Status.INTERRUPTED)
        raise interrupted(iterate.steps, partial(certified, problem, stopped, with_rows=True)) from stop


def _raise_if_interrupted(problems: Sequence[Any], iterates: Sequence[Any], certified: Callable[..., Any], throw: bool) -> None:
    for problem, iterate in zip(problems, iterates, strict=True):
        if throw and iterate.interrupted:
            raise interrupted(iterate.steps, partial(certified, problem, iterate, with_rows=True))
