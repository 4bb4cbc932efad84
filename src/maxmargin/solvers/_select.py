"""Which solver "auto" takes."""

from __future__ import annotations

from typing import Any, NamedTuple, final

from maxmargin.errors import InvalidInput
from maxmargin.problems import Problem
from maxmargin.solvers._base import Solver
from maxmargin.solvers._smo import SMO

__all__ = ["Choice", "as_solver", "select"]


@final
class Choice(NamedTuple):
    """A solver, and why it was chosen.

    Examples
    --------
    >>> from maxmargin.solvers import SMO, Choice
    >>> Choice(SMO(), "the fastest").reason
    'the fastest'
    """

    solver: Solver
    reason: str


def select(problem: Problem) -> Choice:
    """Tell what ``solver="auto"`` takes for a problem, and why.

    Examples
    --------
    >>> from maxmargin.problems import SoftMargin
    >>> from maxmargin.solvers import select
    >>> select(SoftMargin([[-1.0], [1.0]], [-1, 1])).reason
    'the engine: exact for every problem whose dual is a box with at most one equality'
    """
    return Choice(SMO(), "the engine: exact for every problem whose dual is a box with at most one equality")


def as_solver(solver: Any, problem: Problem) -> Solver:
    """A solver from a name or an object, if it can solve the problem."""
    if solver == "auto":
        return select(problem).solver
    if isinstance(solver, str) and solver == "smo":
        return SMO()
    if not isinstance(solver, Solver):
        raise InvalidInput(
            f"The 'solver' parameter must be 'auto', 'smo' or a solver of maxmargin.solvers. Got {solver!r} instead."
        )
    if (reason := solver.supports(problem)) is not None:
        raise InvalidInput(f"{type(solver).__name__} cannot solve {type(problem).__name__}: {reason}")
    return solver
