"""What all kernel classifiers share: classes, binary classifiers that separate them, and their vote."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from functools import partial
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from maxmargin.errors import InvalidInput
from maxmargin.estimators._kernel._assembly import Assembly, assemble
from maxmargin.estimators._kernel._crammer_singer import adopt_crammer_singer, crammer_singer_solution, crammer_singer_solver
from maxmargin.estimators._kernel._decision_values import decision_values
from maxmargin.estimators._kernel._model import KernelModel
from maxmargin.estimators._kernel._probabilities import Probabilities, calibrated, folds_of
from maxmargin.estimators._kernel._records import Records, record, solutions
from maxmargin.estimators._shared._fitted import RowKind, class_layout, fitted
from maxmargin.estimators._shared._fitting import Fitting
from maxmargin.estimators._shared._fold_stage import FoldStage
from maxmargin.estimators._shared._input import new_rows
from maxmargin.estimators._shared._parameters import check_shape_of_scores, check_votes, chosen_solver
from maxmargin.estimators._shared._plan import ClassifierRows, Plan
from maxmargin.estimators._shared._schemes import OneVsRest, Scheme, scheme_of, subproblem_names
from maxmargin.estimators._shared._warm_start import on_parts, starts_anew, why_moved, why_relabelled
from maxmargin.kernels import Gram
from maxmargin.problems import CrammerSinger, LabelledParts, Problem
from maxmargin.solution import CrammerSingerSolution, SolutionBatch
from maxmargin.solvers import Coefficients
from maxmargin.validation import TrainingSet, class_weights, label_column, labelled_set, shape

__all__ = ["KernelClassifier"]


class KernelClassifier(Probabilities, ClassifierMixin, KernelModel, ABC):  # type: ignore[misc]  # scikit-learn has no types
    """Fitting and voting; each subclass defines what a binary classifier minimises."""

    _ovr = False
    _is_joint = False

    @abstractmethod
    def _problems(self, gram: Gram, parts: LabelledParts, cost: NDArray[np.float64]) -> Sequence[Problem]:
        """The problem of each binary classifier, from kernel values and costs of all rows and its own rows and labels."""

    @abstractmethod
    def _fold_problems(self, gram: Gram, parts: LabelledParts, costs: NDArray[np.float64]) -> Sequence[Problem]:
        """The same for folds: each row of each problem has a cost of its own, and one of 0 is held out."""

    _one_class_message = "Invalid input - "
    """How the message begins where weights leave rows of one class only, as scikit-learn's does."""

    def _can_hold_out(self) -> bool:
        """Whether a cost of 0 holds a row out."""
        return True

    @property
    def _wants_one_vs_rest(self) -> bool:
        return False

    @property
    def _wants_joint(self) -> bool:
        return False

    def _costs(self, weight: NDArray[np.float64]) -> NDArray[np.float64]:
        """The cost of each row's slack."""
        return weight

    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Fit the binary classifiers to training data.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features), or sequence of objects
            Training rows; kernel values of shape (n_samples, n_samples) for a precomputed kernel. float32 is
            kept.
        y : array-like of shape (n_samples,)
            Labels.
        sample_weight : array-like of shape (n_samples,), default=None
            Weight of each row; rows of weight 0 or less are left out.

        Returns
        -------
        self : estimator
            The fitted model.
        """
        with Fitting(self, X, y, sample_weight, solves=2 if self.probability else 1) as stages:
            plan = self._plan(X, y, sample_weight)
            folds = folds_of(self, plan)
            stages.end("validation")
            found = plan.solve()
            stages.end("solve", plan.deadline.certifying)
            self._adopt(plan.rows, found)
            stages.end("assembly")
            if folds is not None:
                with FoldStage(found, "probabilities"):
                    self._calibrator = calibrated(self, plan, found, folds)
                stages.end("probabilities")
        return self

    def _plan(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None) -> Plan[ClassifierRows]:
        """Validated rows, their kernel values, and the problems to solve for them."""
        check_votes(self)
        kernel, X, kind, deadline = self._begin(X)
        pairwise = kind is RowKind.PAIRWISE
        data = labelled_set(X, label_column(y, X), sample_weight, pairwise=pairwise, one_class=self._one_class_message)
        subproblems, together = self._held(X, kind, data)
        factors = class_weights(self.class_weight, data.classes, data.codes, data.weight, type(self).__name__)
        weight = data.weight if self.class_weight is None else factors[data.codes] * data.weight
        self._check_balance(data, weight)
        again = subproblems is not None and len(data.classes) == 2
        gram, cost = self._gram(kernel, data, kind, deadline, again=again), self._costs(weight)
        if self._wants_joint and len(data.classes) > 2:  # for two classes it is the one subproblem
            return Plan(
                model=self,
                problems=[CrammerSinger.on(gram, data.codes, data.classes, cost, offset=self._has_offset)],
                names=lambda: ["all classes"],
                solver=crammer_singer_solver(self),
                deadline=deadline,
                rows=ClassifierRows(X, kind, data, gram, factors),
                starts=None if together is None else [together],
            )
        scheme = scheme_of(len(data.classes), one_vs_rest=self._wants_one_vs_rest)
        parts = scheme.subproblems(data.codes)
        return Plan(
            model=self,
            problems=self._problems(gram, parts, cost),
            names=partial(subproblem_names, scheme, data.classes),
            solver=chosen_solver(self),
            deadline=deadline,
            rows=ClassifierRows(X, kind, data, gram, factors, scheme, parts),
            starts=None if subproblems is None else on_parts(subproblems, data, parts),
        )

    def _adopt(self, rows: ClassifierRows, found: Any) -> None:
        """Make the solutions of a plan the fitted state."""
        joint = rows.scheme is None
        parts, self._records, steps = adopt_crammer_singer(rows.data, found[0]) if joint else _merged(rows, found)
        for name, value in (("_ovr", self._wants_one_vs_rest or joint), ("_is_joint", joint)):
            self.__dict__.pop(name, None)
            if value:  # what is not said takes no room in a pickle
                setattr(self, name, True)
        self._n_support = parts.n_support
        self._keep(rows.X, rows.data, rows.kind, parts.rows, parts.dual)
        self.classes_ = rows.data.classes
        self.class_weight_ = rows.factors
        self.shape_fit_ = shape(rows.X)
        self.intercept_ = parts.intercept
        self.n_iter_ = steps
        self.fit_status_ = int(not (found[0].status.is_optimal if joint else found.all_optimal))

    @property
    def _has_offset(self) -> bool:
        return True

    def _check_balance(self, data: TrainingSet, weight: NDArray[np.float64]) -> None:  # most need none
        """Raise if the weights of the rows, summed over each class, do not suit the parameters."""

    def _held(self, X: Any, kind: RowKind, data: TrainingSet) -> tuple[list[Coefficients] | None, CrammerSingerSolution | None]:
        """What to start from: the coefficients of each binary classifier, or of the joint problem; None to start anew."""
        if not self.warm_start or not hasattr(self, "classes_"):
            return None, None
        joint = self._wants_joint and len(data.classes) > 2
        why = why_moved(self, X, kind) or why_relabelled(self, data)
        if self._is_joint != joint or self._ovr != (self._wants_one_vs_rest or joint):
            why = "multi_class is another than before"
        elif joint and (self.shape_fit_[0] != data.n or data.kept is not None):
            why = why or "the rows are not those of the last fit"
        if why is not None:
            starts_anew(self, why, stacklevel=5)
            return None, None
        return (None, self.solutions_[0]) if joint else (self._coefficients(), None)

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Evaluate the binary classifiers at rows.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (m, n_features), or sequence of objects
            Rows; kernel values against all training rows, shape (m, n_samples), for a precomputed kernel.

        Returns
        -------
        ndarray of shape (m,), (m, n_classes) or (m, n_subproblems)
            For two classes ``f(x)``, positive for ``classes_[1]``. Else a column for each class
            (``decision_function_shape="ovr"``: votes and confidence, or the values of one-vs-rest binary classifiers),
            or for each pair ("ovo").
        """
        check_is_fitted(self)
        state = fitted(self)
        check_shape_of_scores(self.decision_function_shape, one_vs_rest=isinstance(state.scheme, OneVsRest))
        values = decision_values(state, new_rows(self, X))
        return state.scheme.scores(values, by_class=self.decision_function_shape == "ovr")

    def predict(self, X: Any) -> NDArray[Any]:
        """Predict the class of rows.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (m, n_features), or sequence of objects
            Rows; kernel values against all training rows, shape (m, n_samples), for a precomputed kernel.

        Returns
        -------
        ndarray of shape (m,)
            Labels.
        """
        check_is_fitted(self)
        if self.break_ties and self.decision_function_shape == "ovo":
            raise InvalidInput("break_ties must be False when decision_function_shape is 'ovo'")
        state = fitted(self)
        values = decision_values(state, new_rows(self, X))
        winners = state.scheme.winners(values, break_ties=bool(self.break_ties))
        return np.asarray(self.classes_[winners])

    @property
    def solutions_(self) -> list[Any]:
        """Solutions of the binary classifiers in the order of ``intercept_``, or the one for all classes; thinned traces."""
        check_is_fitted(self)
        state, n = fitted(self), self.shape_fit_[0]
        if self._is_joint:
            steps = int(self.n_iter_[0])
            return [
                crammer_singer_solution(
                    self._proofs, state, classes=self.classes_, kind=self._rows, support=self.support_, n=n, steps=steps
                )
            ]
        return solutions(
            self._proofs,
            state,
            kind=self._rows,
            support=self.support_,
            n=n,
            steps=self.n_iter_,
            classes=self.classes_,
        )

    def _layout(self) -> tuple[Scheme, list[int]]:
        return class_layout(self.classes_, self._n_support, self.intercept_, one_vs_rest=self._ovr is True)

    @property
    def _dual_coef_(self) -> Any:
        """Coefficients with LIBSVM's signs: for two classes it counts the first as positive."""
        return -self.dual_coef_ if len(self.classes_) == 2 else self.dual_coef_

    @_dual_coef_.setter
    def _dual_coef_(self, value: Any) -> None:
        self.dual_coef_ = -value if len(self.classes_) == 2 else value

    @property
    def _intercept_(self) -> NDArray[np.float64]:
        """Offsets with LIBSVM's signs."""
        return -self.intercept_ if len(self.classes_) == 2 else self.intercept_

    @_intercept_.setter
    def _intercept_(self, value: NDArray[np.float64]) -> None:
        self.intercept_ = -value if len(self.classes_) == 2 else value


def _merged(rows: ClassifierRows, found: SolutionBatch) -> tuple[Assembly, Records, NDArray[np.int32]]:
    """One set of support vectors for all binary classifiers, what is kept of their solutions, and their steps."""
    assert rows.scheme is not None
    assert rows.parts is not None
    support, boundary, own = found.support, found.boundary, rows.parts.rows
    if own is None:
        support, boundary = found.rows(support, found.n_support), found.rows(boundary, found.n_boundary)
    else:
        support, boundary = own.take(support).astype(np.intp), own.take(boundary).astype(np.intp)
    assembly = assemble(rows.scheme, rows.data.codes, found, support)
    return assembly, record(found, boundary, assembly.rows, rows.data, rows.gram), found.steps
