"""The models of all folds of a regression on shared support vectors, for its intervals."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, final

import numpy as np
from numpy.typing import NDArray

from maxmargin.calibrators import Folds
from maxmargin.estimators._kernel._decision_values import decision_values
from maxmargin.estimators._kernel._fold_starts import fold_starts
from maxmargin.estimators._kernel._out_of_fold import fold_names
from maxmargin.estimators._shared._fitted import Fitted, RowKind
from maxmargin.estimators._shared._fold_stage import was_plain
from maxmargin.estimators._shared._intervals import FOLDS, Residuals
from maxmargin.estimators._shared._plan import KernelRows, Plan
from maxmargin.estimators._shared._schemes import SharedVectors
from maxmargin.solution import SolutionBatch
from maxmargin.solvers import as_solver

if TYPE_CHECKING:
    from maxmargin.estimators._kernel._outputs import KernelOutputs

__all__ = ["FoldOutputs", "fit_folds"]

Values = NDArray[np.float64]


@final
@dataclass(frozen=True, eq=False)
class FoldOutputs:
    """Coefficients of all folds and outputs, fold by fold, at the rows that support any of them.

    Attributes
    ----------
    vectors : rows
        These rows, or their numbers for a precomputed kernel.
    dual : ndarray of shape (folds · outputs, n_vectors)
        The coefficients.
    intercept : ndarray of shape (folds · outputs,)
        Offsets.
    count : int
        How many folds.
    """

    vectors: Any
    dual: Values
    intercept: Values
    count: int

    def values(self, kernel: Any, X: Any) -> Values:
        """Predictions of all folds, shape (m, folds, outputs)."""
        scheme = SharedVectors(len(self.intercept))
        state = Fitted(scheme, kernel, self.vectors, self.dual, self.intercept, [0, self.dual.shape[1]])
        found = decision_values(state, X)
        return found.reshape(len(found), self.count, -1)


def fit_folds(model: KernelOutputs, plan: Plan[KernelRows], found: SolutionBatch) -> tuple[FoldOutputs, Residuals]:
    """Fit the folds, which share the kernel values of the fit and start from its solution."""
    rows, data = plan.rows, plan.rows.data
    folds = Folds.of_rows(data.n, FOLDS)
    targets, outputs = np.stack([problem.y for problem in plan.problems]), len(plan.problems)
    weights = [np.where(held, 0.0, data.weight) for held in folds]
    problems = [model._problem(rows.gram, y, weight) for weight in weights for y in targets]
    starts = None
    if as_solver(plan.solver, problems).takes_start:
        first, every = plan.problems[0].dual.upper, [problem.dual.upper for problem in problems[::outputs]]
        starts = fold_starts(plan.problems, found, problems, first, np.stack(every))
    batch: SolutionBatch = replace(
        plan, problems=problems, names=fold_names(folds, plan.names), starts=starts, with_values=True, folds=True
    ).solve(stacklevel=5, warns=was_plain(found))
    assert batch.values is not None
    values = batch.values.reshape(len(folds), outputs, data.n)[folds.number, :, np.arange(data.n)]
    support = batch.rows(batch.support, batch.n_support)
    used = np.flatnonzero(np.bincount(support, minlength=data.n))
    dual = np.zeros((len(problems), len(used)))
    dual[batch.owner_of_support, np.searchsorted(used, support)] = batch.beta
    pairwise = rows.kind is RowKind.PAIRWISE
    vectors = np.asarray(data.of_kept_rows(used), dtype=np.int32) if pairwise else rows.gram.rows(used.astype(np.int32))
    held = Residuals(np.abs(targets.T - values), folds.number, data.weight if data.weighted else None)
    return FoldOutputs(vectors, dual, batch.bias, len(folds)), held
