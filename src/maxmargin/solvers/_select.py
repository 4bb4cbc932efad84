"""Which solver "auto" takes."""

from __future__ import annotations

from typing import Any, NamedTuple, final

from maxmargin.errors import InvalidInput
from maxmargin.problems import Problem
from maxmargin.solvers._base import Solver
from maxmargin.solvers._chunking import Chunking
from maxmargin.solvers._decomposition import Decomposition
from maxmargin.solvers._dual_qp import DualQP
from maxmargin.solvers._primal_qp import PrimalQP
from maxmargin.solvers._projected_gradient import ProjectedGradient
from maxmargin.solvers._smo import SMO
from maxmargin.solvers._stochastic import KernelSubgradient

__all__ = ["Choice", "as_solver", "require_support", "select"]

_BY_NAME: dict[str, type[Solver]] = {
    "smo": SMO,
    "primal_qp": PrimalQP,
    "dual_qp": DualQP,
    "projected_gradient": ProjectedGradient,
    "chunking": Chunking,
    "decomposition": Decomposition,
    "kernel_subgradient": KernelSubgradient,
}


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
    if isinstance(solver, str) and solver == "auto":
        return select(problem).solver
    if isinstance(solver, str) and solver in _BY_NAME:
        solver = _BY_NAME[solver]()
    if not isinstance(solver, Solver):
        names = ", ".join(map(repr, ("auto", *_BY_NAME)))
        raise InvalidInput(
            f"The 'solver' parameter must be one of {names}, or a solver of maxmargin.solvers. Got {solver!r} instead."
        )
    require_support(solver, problem)
    return solver


def require_support(solver: Solver, problem: Problem) -> None:
    """Raise if the solver cannot solve the problem."""
    if (reason := solver.supports(problem)) is not None:
        raise InvalidInput(f"{type(solver).__name__} cannot solve {type(problem).__name__}: {reason}")
