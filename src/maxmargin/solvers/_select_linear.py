"""Which solver a linear model takes."""

from __future__ import annotations

from typing import Any, Final

from maxmargin.errors import InvalidInput
from maxmargin.losses import EpsilonInsensitive, Hinge
from maxmargin.problems import Penalty, PrimalProblem
from maxmargin.solvers._gradient_descent import GradientDescent
from maxmargin.solvers._linear import CoordinateDescent, LinearNewton
from maxmargin.solvers._linear_program import LinearProgram
from maxmargin.solvers._primal_base import PrimalSolver
from maxmargin.solvers._proximal_newton import ProximalNewton
from maxmargin.solvers._stochastic import StochasticSubgradient

__all__ = ["select_linear"]

_BY_NAME: Final[dict[str, type[PrimalSolver]]] = {
    "newton": LinearNewton,
    "coordinate_descent": CoordinateDescent,
    "gradient_descent": GradientDescent,
    "stochastic_subgradient": StochasticSubgradient,
    "proximal_newton": ProximalNewton,
    "linear_program": LinearProgram,
}


def select_linear(solver: Any, problem: PrimalProblem) -> PrimalSolver:
    """A solver from a name or an object, if it can solve the problem; "auto" is Newton's method.

    With an L1 penalty that is `ProximalNewton`, or `LinearProgram` where the loss has a kink too.

    Examples
    --------
    >>> from maxmargin.problems import PrimalProblem
    >>> from maxmargin.solvers import select_linear
    >>> select_linear("auto", PrimalProblem([[-1.0], [1.0]], [-1, 1]))
    LinearNewton()
    """
    if isinstance(solver, str) and solver == "auto":
        solver = _automatic(problem)
    elif isinstance(solver, str) and solver in _BY_NAME:
        solver = _BY_NAME[solver]()
    if not isinstance(solver, PrimalSolver):
        names = ", ".join(map(repr, ("auto", *_BY_NAME)))
        raise InvalidInput(
            f"The 'solver' of a PrimalProblem must be one of {names}, or a PrimalSolver of maxmargin.solvers."
            f" Got {solver!r} instead."
        )
    if (reason := solver.supports(problem)) is not None:
        raise InvalidInput(f"{type(solver).__name__} cannot solve this PrimalProblem: {reason}")
    return solver


def _automatic(problem: PrimalProblem) -> PrimalSolver:
    if problem.penalty is not Penalty.L1:
        return LinearNewton()
    return LinearProgram() if isinstance(problem.loss, Hinge | EpsilonInsensitive) else ProximalNewton()
