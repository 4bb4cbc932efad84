"""What estimators without classes share: one subproblem, or one for each output, on shared support vectors."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_is_fitted

from maxmargin.errors import InvalidInput
from maxmargin.estimators._kernel._decision_values import decision_values
from maxmargin.estimators._kernel._model import KernelModel
from maxmargin.estimators._kernel._records import record, solutions
from maxmargin.estimators._shared._fitted import RowKind, fitted, single_layout
from maxmargin.estimators._shared._input import new_rows
from maxmargin.estimators._shared._parameters import chosen_solver
from maxmargin.estimators._shared._plan import KernelRows, Plan
from maxmargin.estimators._shared._schemes import Scheme
from maxmargin.estimators._shared._warm_start import held_coefficients, on_parts, starts_anew
from maxmargin.kernels import Gram
from maxmargin.problems import Problem
from maxmargin.solution import Solution, SolutionBatch
from maxmargin.validation import shape, weighted_rows

__all__ = ["KernelOutputs"]


class KernelOutputs(KernelModel, ABC):
    """Fitting and values; each subclass defines what its subproblems minimise."""

    @abstractmethod
    def _problem(self, gram: Gram, y: NDArray[np.float64], weight: NDArray[np.float64]) -> Problem:
        """What a subproblem solves, given kernel values, targets (or ones) and weights."""

    def _plan(
        self, X: Any, y: Any, sample_weight: ArrayLike | None, targets: Callable[[Any, Any], NDArray[np.float64]]
    ) -> Plan[KernelRows]:
        """Validated rows, their kernel values, and a problem for each column of the targets."""
        kernel, X, kind, deadline = self._begin(X)
        every = targets(y, X)
        data = weighted_rows(X, sample_weight, pairwise=kind is RowKind.PAIRWISE)
        held = held_coefficients(self, X, kind)
        columns = [np.ascontiguousarray(column) for column in np.atleast_2d(data.of_kept(every).T)]
        if held is not None and len(held) != len(columns):
            starts_anew(self, "there are not as many outputs as before", stacklevel=5)
            held = None
        gram = self._gram(kernel, data, kind, deadline, again=held is not None and len(held) == 1)
        return Plan(
            model=self,
            problems=[self._problem(gram, column, data.weight) for column in columns],
            names=partial(_output_names, len(columns)),
            solver=chosen_solver(self),
            deadline=deadline,
            rows=KernelRows(X, kind, data, gram),
            starts=None if held is None else on_parts(held, data, None),
        )

    def _adopt(self, plan: Plan[KernelRows], found: SolutionBatch) -> None:
        """Make the solutions of a plan the fitted state."""
        given = plan.rows
        rows, dual = _coefficients(found, given.data.n)
        self._n_support = np.full(2, len(rows), dtype=np.int32)  # as scikit-learn has it: the same twice
        self._records = record(found, found.rows(found.boundary, found.n_boundary), rows, given.data, given.gram)
        self._slack_rules = tuple(found.slack_rules)
        self._targets = np.concatenate([problem.y for problem in plan.problems]).take(found.support)
        self._steps = found.steps
        self._keep(given.X, given.data, given.kind, rows, dual)
        self.shape_fit_ = shape(given.X)
        self.intercept_ = found.bias
        self.n_iter_ = int(self._steps.max())
        self.fit_status_ = int(not found.all_optimal)

    def _values(self, X: Any) -> NDArray[np.float64]:
        """``f(x)`` of every subproblem, shape (m, n_subproblems)."""
        check_is_fitted(self)
        state = fitted(self)
        rows = new_rows(self, X)
        values = decision_values(state, rows)
        if self._slack_rules[0].half_diagonal:
            values = values - 0.5 * self._kernel.diagonal(rows)[:, np.newaxis]
        return values

    @property
    def solutions_(self) -> list[Solution]:
        """Solution of each subproblem; traces are thinned to 8 checkpoints."""
        check_is_fitted(self)
        return solutions(
            self._proofs,
            fitted(self),
            kind=self._rows,
            support=self.support_,
            n=self.shape_fit_[0],
            steps=self._steps,
            slack_rules=self._slack_rules,
            targets=self._targets,
        )

    def _layout(self) -> tuple[Scheme, list[int]]:
        return single_layout(self._n_support, len(self._steps))

    @property
    def _dual_coef_(self) -> Any:
        """Coefficients with LIBSVM's signs, which are ours."""
        return self.dual_coef_

    @property
    def _intercept_(self) -> NDArray[np.float64]:
        """Offsets with LIBSVM's signs, which are ours."""
        return self.intercept_


def _output_names(count: int) -> list[str]:
    return ["fit"] if count == 1 else [f"output {k}" for k in range(count)]


def _coefficients(found: SolutionBatch, n: int) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
    """Rows that support any subproblem, and the coefficients of each subproblem (down) at these rows (across)."""
    support = found.rows(found.support, found.n_support)
    rows = np.flatnonzero(np.bincount(support, minlength=n))
    dual = np.zeros((len(found.sizes), len(rows)))
    dual[found.owner_of_support, np.searchsorted(rows, support)] = found.beta
    if not np.isfinite(dual).all():
        raise InvalidInput(
            "The dual coefficients or intercepts are not finite. The input data may contain large values and"
            " need to be preprocessed, for example by StandardScaler."
        )
    return rows, dual
