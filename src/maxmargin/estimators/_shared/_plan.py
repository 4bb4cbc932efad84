"""What a fit is: a plan, its solutions, and what the estimator adopts of them. This is the plan."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar, final

import numpy as np
from numpy.typing import NDArray

from maxmargin._deadline import Deadline
from maxmargin._solve import solve_batch, worst_warning
from maxmargin.estimators._shared._fitted import RowKind
from maxmargin.estimators._shared._reporting import report_for
from maxmargin.estimators._shared._schemes import Scheme
from maxmargin.estimators._shared._warm_start import starts_anew
from maxmargin.estimators._shared._watching import both, watch_of
from maxmargin.kernels import Gram
from maxmargin.problems import LabelledParts
from maxmargin.solution import SolutionBatch, Status
from maxmargin.solvers import as_solver
from maxmargin.validation import TrainingSet, WeightedRows

__all__ = ["ClassifierRows", "KernelRows", "LinearRows", "Plan"]


@final
@dataclass(frozen=True, eq=False)
class KernelRows:
    """Rows of a kernel estimator, as given and as validated, and their kernel values.

    Attributes
    ----------
    X : rows
        As given.
    kind : RowKind
        What they are.
    data : WeightedRows
        The rows with weight.
    gram : Gram
        Their kernel values.
    """

    X: Any
    kind: RowKind
    data: WeightedRows
    gram: Gram


@final
@dataclass(frozen=True, eq=False)
class ClassifierRows:
    """The same with classes.

    Attributes
    ----------
    X, kind, gram
        As in `KernelRows`.
    data : TrainingSet
        The rows with weight, and their classes.
    factors : ndarray
        Weight of each class.
    scheme, parts : Scheme and LabelledParts, or None
        Which subproblems there are, and which rows they have; None where all classes are one problem.
    """

    X: Any
    kind: RowKind
    data: TrainingSet
    gram: Gram
    factors: NDArray[np.float64]
    scheme: Scheme | None = None
    parts: LabelledParts | None = None


@final
@dataclass(frozen=True, eq=False)
class LinearRows:
    """Rows of a linear classifier, and the weight of each class."""

    data: TrainingSet
    factors: NDArray[np.float64]


Rows = TypeVar("Rows")


@final
@dataclass(frozen=True, eq=False, kw_only=True)
class Plan(Generic[Rows]):
    """The subproblems of a fit, what solves them, where to begin, and when to stop.

    Attributes
    ----------
    model : estimator
        Whose fit it is; it is read for ``tol``, ``max_iter`` and ``verbose``.
    problems : sequence
        Subproblems of one family; they share rows and kernel values.
    names : callable
        Gives their names, for reports and warnings: seldom asked for.
    solver : str or Solver
        What solves them.
    deadline : Deadline
        Deadline of the whole fit.
    rows : KernelRows, ClassifierRows, LinearRows or None
        What the subproblems are about; the estimator adopts their solutions with it.
    starts : sequence, ndarray or None
        Starts from the last fit, one for each subproblem; or points inside the constraints, one after the other.
    with_values : bool
        Whether the solutions keep the values of all rows.
    folds : bool
        Whether these are folds, of which only values at held-out rows are wanted: they are solved to 10 ``tol`` (at most 0.01,
        unless ``tol`` is more) and not certified, and their starts do not tell which variables are free at the optimum.
    """

    model: Any
    problems: Sequence[Any]
    names: Callable[[], list[str]]
    solver: Any
    deadline: Deadline
    rows: Rows
    starts: Sequence[Any] | NDArray[np.float64] | None = None
    with_values: bool = False
    folds: bool = False

    def solve(self, *, stacklevel: int = 3, warns: bool = True) -> Any:
        """Solve all subproblems together, with or without a listener, report, and warn once for all of them, or not at all.

        How subproblems share memory and kernel values determines their last bits; listening must not change that.
        """
        model, starts, watch = self.model, self.starts, watch_of(self.model)
        if starts is not None and not as_solver(self.solver, self.problems).takes_start:
            starts_anew(model, "its solver cannot begin at a given point", stacklevel=stacklevel + 1)
            starts = None
        with report_for(model.verbose, type(model).__name__, len(self.problems), model.tol) as report:
            follow = both(None if report.silent else report.start(self.names()), watch, len(self.problems), model.tol)
            found = solve_batch(
                self.problems,
                self.solver,
                _fold_tolerance(model.tol) if self.folds else model.tol,
                model.max_iter,
                self.deadline,
                callback=follow,
                starts=starts,
                with_rows=False,
                with_values=self.with_values,
                settled=not self.folds,
                certified=not self.folds,
            )
            if not report.silent:
                report.done(found)
        silent = not warns or (isinstance(found, SolutionBatch) and found.is_plain)
        if watch is not None and watch.stopped:  # as was asked for
            silent = not warns or all(each.status.is_optimal or each.status is Status.INTERRUPTED for each in found)
        if not silent and (said := worst_warning(found, self.names)) is not None:
            warnings.warn(said[0], said[1], stacklevel=stacklevel)
        return found


def _fold_tolerance(tol: float) -> float:
    """A value that is off by so much moves a probability less than the chance of which rows were drawn does."""
    return max(tol, min(10.0 * tol, 0.01))
