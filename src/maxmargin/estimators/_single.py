"""What estimators without classes have: one machine, or one for each output, on shared support vectors."""

from __future__ import annotations

from abc import ABC, abstractmethod
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from maxmargin.errors import InvalidInput
from maxmargin.estimators._fitted import RowKind, fitted, single_layout
from maxmargin.estimators._input import new_rows
from maxmargin.estimators._model import KernelModel
from maxmargin.estimators._parameters import chosen_solver
from maxmargin.estimators._records import record, solutions
from maxmargin.estimators._reporting import report_for
from maxmargin.estimators._schemes import Scheme
from maxmargin.estimators._training import Budget, train
from maxmargin.estimators._values import machine_values
from maxmargin.estimators._warm import on_parts, starts_anew, usable
from maxmargin.kernels import Gram
from maxmargin.problems import Problem
from maxmargin.solution import Solution
from maxmargin.solution._columns import Columns
from maxmargin.solvers._starts import Coefficients
from maxmargin.validation import WeightedRows, shape

__all__ = ["SharedMachines"]


class SharedMachines(KernelModel, ABC):
    """Fit and values; what the machines minimise is left to the estimator."""

    @abstractmethod
    def _problem(self, gram: Gram, y: NDArray[np.float64], weight: NDArray[np.float64]) -> Problem:
        """What a machine solves, given kernel values, targets (or ones) and weights."""

    def _finish(
        self,
        X: Any,
        y: NDArray[np.float64],
        data: WeightedRows,
        kind: RowKind,
        gram: Gram,
        budget: Budget,
        held: list[Coefficients] | None,
    ) -> None:
        """Train a machine for each column of y, from what is held of the last fit, and keep them."""
        columns = [np.ascontiguousarray(column) for column in np.atleast_2d(y.T)]
        problems = [self._problem(gram, column, data.weight) for column in columns]
        names = partial(_output_names, len(columns))
        with report_for(self.verbose, len(columns)) as report:
            solver = chosen_solver(self)
            starts = None
            if held is not None and len(held) != len(columns):
                starts_anew(self, "there are not as many outputs as before")
            elif held is not None:
                starts = usable(self, solver, on_parts(held, data, None))
            found = train(problems, solver=solver, budget=budget, report=report, names=names, stacklevel=3, starts=starts)
        rows, dual = _coefficients(found, data.n)
        self._n_support = np.array([len(rows)], dtype=np.int32)
        self._records = record(found, found.rows(found.boundary, found.n_boundary), data, gram)
        self._readings = tuple(found.readings)
        self._targets = np.concatenate(columns).take(found.support)
        self._steps = found.steps
        self._keep(X, data, kind, rows, dual)
        self.shape_fit_ = shape(X)
        self.intercept_ = found.bias
        self.n_iter_ = int(self._steps.max())
        self.fit_status_ = int(not all(status.is_optimal for status in found.statuses))

    def _values(self, X: Any) -> NDArray[np.float64]:
        """``f(x)`` of every machine, shape (m, n_machines)."""
        check_is_fitted(self)
        state = fitted(self)
        rows = new_rows(self, X)
        values = machine_values(state, rows)
        if self._readings[0].half_diagonal:
            values = values - 0.5 * self._kernel.diagonal(rows)[:, np.newaxis]
        return values

    @property
    def solutions_(self) -> list[Solution]:
        """Answer of each machine; traces are thinned to 8 checkpoints."""
        check_is_fitted(self)
        return solutions(
            self._records,
            fitted(self),
            kind=self._rows,
            support=self.support_,
            n=self.shape_fit_[0],
            steps=self._steps,
            readings=self._readings,
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


def _coefficients(found: Columns, n: int) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
    """Rows that support any machine, and the coefficients of each machine (down) at these rows (across)."""
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
