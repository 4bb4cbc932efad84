"""Coordinate descent for linear models of all classes at once: thin over C++."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, final

from maxmargin import _core
from maxmargin.problems import ClassLoss, MulticlassLinear
from maxmargin.solution import PrimalIterate
from maxmargin.solvers._multiclass._newton import MulticlassSolver, minimise
from maxmargin.solvers._runtime._base import Callback, Limits

__all__ = ["MulticlassDescent"]


@final
@dataclass(frozen=True)
class MulticlassDescent(MulticlassSolver):
    """The multipliers of one row at a time, exactly (Keerthi, Sundararajan, Chang, Hsieh and Lin 2008).

    ``α_i ← the point of {α ≥ 0, Σα = C_i} nearest to α_i + (f(x_i) + [k ≠ y_i]) / |x_i|²``, with
    ``w_k = Σ_i (C_i [k = y_i] − α_ik) x_i`` kept along. A sweep visits a row as often as its steps have gained beside the
    others' (Glasmachers and Dogan 2013). Offsets are the weights of a constant feature; free ones are found by the method of
    multipliers (Rockafellar 1976): that feature pulls the sums of each class's multipliers to what the labels give, and the
    offsets learn what it has to pull. It is best for wide sparse rows and a C that is not large.

    Examples
    --------
    >>> from maxmargin import solve
    >>> from maxmargin.problems import MulticlassLinear
    >>> from maxmargin.solvers import MulticlassDescent
    >>> solve(MulticlassLinear([[0.0], [1.0], [2.0]], [0, 1, 2], loss="joint"), solver=MulticlassDescent()).status.name
    'CONVERGED'
    """

    takes_start: ClassVar[bool] = False

    def supports(self, problem: MulticlassLinear) -> str | None:
        """The joint loss."""
        if problem.loss is not ClassLoss.JOINT:
            return f"its steps are for the joint loss, and this one is {problem.loss.value!r}. Take MulticlassNewton."
        return None

    def automatic_steps(self, n: int, n_classes: int = 2) -> int:
        """Sweeps over the rows."""
        return 100_000

    def run_one(
        self, problem: MulticlassLinear, start: PrimalIterate | None, limits: Limits, callback: Callback | None
    ) -> PrimalIterate:
        """From 0 until the gap is ``limits.tol`` of the primal objective, or a limit is reached."""
        return minimise(problem, limits, callback, method=_core.MulticlassMethod.rows)[0]
