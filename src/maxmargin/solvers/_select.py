"""Which solver "auto" takes, and what the names of solvers stand for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, NamedTuple, final

from maxmargin.errors import InvalidInput
from maxmargin.problems import CrammerSinger, MulticlassLinear, Penalty, PrimalProblem, Problem, SoftMargins
from maxmargin.solvers._dual._chunking import Chunking
from maxmargin.solvers._dual._decomposition import Decomposition
from maxmargin.solvers._dual._dual_qp import DualQP
from maxmargin.solvers._dual._primal_qp import PrimalQP
from maxmargin.solvers._dual._projected_gradient import ProjectedGradient
from maxmargin.solvers._dual._smo import SMO
from maxmargin.solvers._multiclass._crammer_singer import CrammerSingerDescent
from maxmargin.solvers._multiclass._descent import MulticlassDescent
from maxmargin.solvers._multiclass._newton import MulticlassNewton, MulticlassSolver
from maxmargin.solvers._multiclass._proximal_newton import MulticlassProximalNewton
from maxmargin.solvers._primal._ball import BallSearch
from maxmargin.solvers._primal._base import PrimalSolver
from maxmargin.solvers._primal._gradient_descent import GradientDescent
from maxmargin.solvers._primal._linear_program import LinearProgram
from maxmargin.solvers._primal._newton import CoordinateDescent, LinearNewton
from maxmargin.solvers._primal._proximal_newton import ProximalNewton
from maxmargin.solvers._primal._subgradient import KernelSubgradient, StochasticSubgradient
from maxmargin.solvers._runtime._base import DualSolver, Solver

__all__ = ["Choice", "as_solver", "select"]

AnyProblem = Problem | CrammerSinger | PrimalProblem | MulticlassLinear


@final
class _Family(NamedTuple):
    """The solvers of one family of problems.

    Attributes
    ----------
    problems : type
        What they solve.
    base : type
        What their classes inherit, those of one's own too.
    by_name : dict
        Those with a name.
    automatic : tuple of (type, str)
        What "auto" tries in turn, and why that comes first.
    """

    problems: type
    base: type
    by_name: dict[str, type[Solver[Any, Any, Any]]]
    automatic: tuple[tuple[type[Solver[Any, Any, Any]], str], ...]


_FAMILIES: Final = (
    _Family(
        Problem,
        DualSolver,
        {
            "smo": SMO,
            "primal_qp": PrimalQP,
            "dual_qp": DualQP,
            "projected_gradient": ProjectedGradient,
            "chunking": Chunking,
            "decomposition": Decomposition,
            "kernel_subgradient": KernelSubgradient,
        },
        ((SMO, "the engine: exact for every problem with a canonical dual"),),
    ),
    _Family(
        PrimalProblem,
        PrimalSolver,
        {
            "newton": LinearNewton,
            "coordinate_descent": CoordinateDescent,
            "ball": BallSearch,
            "gradient_descent": GradientDescent,
            "stochastic_subgradient": StochasticSubgradient,
            "proximal_newton": ProximalNewton,
            "linear_program": LinearProgram,
        },
        (
            (LinearNewton, "the engine of linear models: Newton's method, exact for every loss of the library it knows"),
            (BallSearch, "the penalty is a ball: a search over penalised forms, each by the engine of linear models"),
            (ProximalNewton, "the penalty is L1 and the loss smooth: Newton's method on a working set of features"),
            (LinearProgram, "the penalty is L1 and the loss has a kink: a linear program, by HiGHS"),
            (GradientDescent, "a smooth loss whose curvature the engine does not know"),
            (StochasticSubgradient, "a loss with kinks that the engine does not know"),
        ),
    ),
    _Family(
        MulticlassLinear,
        MulticlassSolver,
        {
            "newton": MulticlassNewton,
            "coordinate_descent": MulticlassDescent,
            "proximal_newton": MulticlassProximalNewton,
        },
        (
            (MulticlassNewton, "the engine of linear models of all classes: Newton's method, after sweeps where rows are wide"),
            (MulticlassProximalNewton, "weights cost their absolute values: Newton's method on a working set of them"),
        ),
    ),
    _Family(
        CrammerSinger,
        CrammerSingerDescent,
        {},
        ((CrammerSingerDescent, "the engine of all classes at once: blocks of rows, exact where few coefficients are free"),),
    ),
)


DUAL_SOLVERS: Final = tuple(_FAMILIES[0].by_name)
"""The names of the solvers of dual problems."""


@final
class Choice(NamedTuple):
    """A solver, and why it was chosen.

    Examples
    --------
    >>> from maxmargin.solvers import SMO, Choice
    >>> Choice(SMO(), "the fastest").reason
    'the fastest'
    """

    solver: Solver[Any, Any, Any]
    reason: str


def select(problem: AnyProblem) -> Choice:
    """Tell what ``solver="auto"`` takes for a problem of any family, and why.

    Examples
    --------
    >>> from maxmargin.problems import PrimalProblem, SoftMargin
    >>> from maxmargin.solvers import select
    >>> select(SoftMargin([[-1.0], [1.0]], [-1, 1])).reason
    'the engine: exact for every problem with a canonical dual'
    >>> select(PrimalProblem([[-1.0], [1.0]], [-1, 1], loss="hinge", penalty="l1")).solver
    LinearProgram()
    """
    return _first_that_can(_family(problem), problem)


def as_solver(solver: Any, problems: Sequence[AnyProblem]) -> Solver[Any, Any, Any]:
    """A solver from a name or an object, if it can solve all of the problems, which are of one family."""
    if isinstance(solver, SMO) and isinstance(problems, SoftMargins):  # which it supports; none of them need be made
        return solver
    first = problems[0]
    family = _family(first)
    if isinstance(solver, str) and solver == "auto":
        return _first_that_can(family, first).solver
    if isinstance(solver, str) and solver in family.by_name:
        solver = family.by_name[solver]()
    if not isinstance(solver, family.base):
        able = [name for name, kind in family.by_name.items() if kind().supports(first) is None]
        names = ", ".join(map(repr, ("auto", *able)))
        raise InvalidInput(
            f"The 'solver' parameter must be one of {names}, or a {family.base.__name__} of maxmargin.solvers."
            f" Got {solver!r} instead."
        )
    assert isinstance(solver, Solver)
    for problem in problems if not isinstance(solver, SMO) else ():  # which supports every problem
        if (reason := solver.supports(problem)) is not None:
            raise InvalidInput(f"{type(solver).__name__} cannot solve {type(problem).__name__}: {reason}")
    return solver


def _family(problem: Any) -> _Family:
    for family in _FAMILIES:
        if isinstance(problem, family.problems):
            return family
    kind = type(problem).__name__
    raise InvalidInput(f"solve needs a problem of maxmargin.problems. Got an object of type {kind!r}; try SoftMargin(X, y).")


def _first_that_can(family: _Family, problem: Any) -> Choice:
    refusals = []
    for kind, reason in family.automatic:
        solver = kind()
        refusal = solver.supports(problem)
        if refusal is None:
            return Choice(solver, reason)
        refusals.append(f"{kind.__name__}: {refusal}")
    penalty = None if problem.penalty is Penalty.NONE else problem.penalty.value
    advice = "another loss" if problem.penalty is Penalty.L2 else "penalty='l2', which goes with every convex loss"
    raise InvalidInput(
        f"There is no solver for loss {problem.loss!r} with penalty={penalty!r}. Choose {advice}."
        f" In detail: {' '.join(refusals)}"
    )
