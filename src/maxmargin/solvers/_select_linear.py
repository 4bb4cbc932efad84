"""Which solver a linear model takes."""

from __future__ import annotations

from typing import Any, Final

from maxmargin.errors import InvalidInput
from maxmargin.problems import Penalty, PrimalProblem
from maxmargin.solvers._ball import BallSearch
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
    "ball": BallSearch,
    "gradient_descent": GradientDescent,
    "stochastic_subgradient": StochasticSubgradient,
    "proximal_newton": ProximalNewton,
    "linear_program": LinearProgram,
}


_AUTOMATIC: Final[tuple[type[PrimalSolver], ...]] = (
    LinearNewton,
    BallSearch,
    ProximalNewton,
    LinearProgram,
    GradientDescent,
    StochasticSubgradient,
)


def select_linear(solver: Any, problem: PrimalProblem) -> PrimalSolver:
    """A solver from a name or an object, if it can solve the problem.

    "auto" is the first that can of Newton's method, gradient descent (other smooth losses), and stochastic subgradient descent
    (other losses with kinks); in a ball `BallSearch`; with an L1 penalty `ProximalNewton`, or `LinearProgram` if the loss has a
    kink too.

    Examples
    --------
    >>> from maxmargin.problems import PrimalProblem
    >>> from maxmargin.solvers import select_linear
    >>> select_linear("auto", PrimalProblem([[-1.0], [1.0]], [-1, 1]))
    LinearNewton()
    """
    if isinstance(solver, str) and solver == "auto":
        return _first_that_can(problem)
    if isinstance(solver, str) and solver in _BY_NAME:
        solver = _BY_NAME[solver]()
    if not isinstance(solver, PrimalSolver):
        able = [name for name, kind in _BY_NAME.items() if kind().supports(problem) is None]
        raise InvalidInput(
            f"The 'solver' parameter must be one of {', '.join(map(repr, ('auto', *able)))}, or a PrimalSolver of"
            f" maxmargin.solvers. Got {solver!r} instead."
        )
    if (reason := solver.supports(problem)) is not None:
        raise InvalidInput(f"{type(solver).__name__} cannot solve this: {reason}")
    return solver


def _first_that_can(problem: PrimalProblem) -> PrimalSolver:
    reasons = []
    for kind in _AUTOMATIC:
        solver = kind()
        reason = solver.supports(problem)
        if reason is None:
            return solver
        reasons.append(f"{kind.__name__}: {reason}")
    penalty = None if problem.penalty is Penalty.NONE else problem.penalty.value
    advice = "another loss" if problem.penalty is Penalty.L2 else "penalty='l2', which goes with every convex loss"
    raise InvalidInput(
        f"There is no solver for loss {problem.loss!r} with penalty={penalty!r}. Choose {advice}."
        f" In detail: {' '.join(reasons)}"
    )
