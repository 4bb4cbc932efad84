"""Coordinate descent for linear models of all classes at once: thin over C++."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Final, final

from maxmargin.errors import InvalidInput
from maxmargin.problems import ClassLoss, LinearClasses
from maxmargin.solvers._base import Callback, Limits
from maxmargin.solvers._classes import ClassesIterate, ClassesNewton, minimise

__all__ = ["ClassesDescent", "select_classes"]


@final
@dataclass(frozen=True)
class ClassesDescent:
    """The multipliers of one row at a time, exactly (Keerthi, Sundararajan, Chang, Hsieh and Lin 2008).

    ``α_i ← the point of {α ≥ 0, Σα = C_i} nearest to α_i + (f(x_i) + [k ≠ y_i]) / |x_i|²``, with ``w_k = Σ_i (C_i [k = y_i] −
    α_ik) x_i`` kept along. A sweep visits a row as often as its steps have gained beside the others' (Glasmachers and Dogan
    2013). Offsets are the weights of a constant feature; free ones are found by the method of multipliers (Rockafellar 1976):
    that feature pulls the sums of each class's multipliers to what the labels give, and the offsets learn what it has to pull.
    Best for wide sparse rows and prices that are not large.

    Examples
    --------
    >>> from maxmargin import solve
    >>> from maxmargin.problems import LinearClasses
    >>> from maxmargin.solvers import ClassesDescent
    >>> solve(LinearClasses([[0.0], [1.0], [2.0]], [0, 1, 2], loss="joint"), solver=ClassesDescent()).status.name
    'CONVERGED'
    """

    takes_start: ClassVar[bool] = False

    def supports(self, problem: LinearClasses) -> str | None:
        """The joint loss."""
        if problem.loss is not ClassLoss.JOINT:
            return f"its steps are for the joint loss, and this one is {problem.loss.value!r}. Take ClassesNewton."
        return None

    def automatic_steps(self) -> int:
        """Sweeps over the rows."""
        return 100_000

    def run(
        self, problem: LinearClasses, limits: Limits, callback: Callback | None, start: ClassesIterate | None = None
    ) -> ClassesIterate:
        """From 0 until the gap is ``limits.tol`` of the primal objective, or a limit is reached."""
        if start is not None:
            raise InvalidInput("ClassesDescent cannot begin at a given point. Leave out start, or take solver='auto'.")
        return minimise(problem, limits, callback, by_rows=True)[0]


_BY_NAME: Final[dict[str, type[ClassesNewton | ClassesDescent]]] = {
    "auto": ClassesNewton,
    "newton": ClassesNewton,
    "coordinate_descent": ClassesDescent,
}


def select_classes(solver: Any, problem: LinearClasses) -> ClassesNewton | ClassesDescent:
    """A solver of all classes at once from a name or an object, if it can solve the problem; "auto" is Newton's method.

    Examples
    --------
    >>> from maxmargin.problems import LinearClasses
    >>> from maxmargin.solvers import select_classes
    >>> select_classes("auto", LinearClasses([[-1.0], [1.0]], [0, 1]))
    ClassesNewton()
    """
    chosen = _BY_NAME[solver]() if isinstance(solver, str) and solver in _BY_NAME else solver
    if not isinstance(chosen, ClassesNewton | ClassesDescent):
        raise InvalidInput(
            "The 'solver' of linear classes must be 'auto', 'newton', 'coordinate_descent', solvers.ClassesNewton or "
            f"solvers.ClassesDescent. Got {solver!r} instead."
        )
    if (reason := chosen.supports(problem)) is not None:
        raise InvalidInput(f"{type(chosen).__name__} cannot solve this: {reason}")
    return chosen
