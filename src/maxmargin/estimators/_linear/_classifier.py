"""What all linear classifiers share: weights of each binary classifier, fitted in the primal, with a proof of optimality."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from functools import partial
from typing import Any, ClassVar, Self, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from maxmargin._deadline import Deadline
from maxmargin.blocks import RowBlocks
from maxmargin.errors import InvalidInput
from maxmargin.estimators._linear._blocks import BlockRowsOf, block_plan, by_blocks
from maxmargin.estimators._linear._sparse_weights import SparseWeights
from maxmargin.estimators._shared._bounds import upper_bounds
from maxmargin.estimators._shared._estimate import Estimating
from maxmargin.estimators._shared._fitting import Fitting
from maxmargin.estimators._shared._formulas import Formula, linear_formula, multiclass_formula
from maxmargin.estimators._shared._input import checked_rows
from maxmargin.estimators._shared._parameters import check_budget, check_class_weight, check_random_state
from maxmargin.estimators._shared._plan import LinearRows, Plan
from maxmargin.estimators._shared._schemes import scheme_of, subproblem_names
from maxmargin.estimators._shared._stages import Stages
from maxmargin.estimators._shared._summary import Summarised
from maxmargin.estimators._shared._warm_start import hold, linear_starts, multiclass_start
from maxmargin.estimators._shared._watching import CallbackSupport
from maxmargin.kernels import feature_scale_warning
from maxmargin.losses import Hinge, Loss, SquaredHinge
from maxmargin.problems import Centring, ClassLoss, MulticlassLinear, Offset, Penalty, PrimalProblem
from maxmargin.solution import BlockSolution, Certificate, LinearSolution, MulticlassSolution, class_scores, linear_scores
from maxmargin.validation import (
    canonical,
    check_boolean,
    class_weights,
    label_column,
    labelled_set,
)

__all__ = ["LinearModel", "LinearScores", "Solutions", "linear_rows"]

Solutions: TypeAlias = list[LinearSolution] | list[MulticlassSolution] | list[BlockSolution]


class LinearScores(CallbackSupport, Summarised, SparseWeights, ClassifierMixin, BaseEstimator, ABC):  # type: ignore[misc]  # scikit-learn has no types
    """Scores and classes of rows, from the weights of each binary classifier."""

    classes_: NDArray[Any]
    coef_: Any
    intercept_: NDArray[Any]

    def decision_function(self, X: Any) -> NDArray[Any]:
        """Evaluate the binary classifiers at rows.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (m, n_features)
            Rows.

        Returns
        -------
        ndarray of shape (m,) or (m, n_classes)
            For two classes ``f(x)``, positive for ``classes_[1]``; else a column for each class. float64, or float32 where X
            and ``coef_`` are: computed in float64 and rounded once.
        """
        scores, kind = self._scores(X)
        return scores.astype(kind, copy=False)

    def _scores(self, X: Any) -> tuple[NDArray[np.float64], np.dtype[Any]]:
        """Scores in float64, and what they are to be rounded to."""
        check_is_fitted(self)
        if isinstance(X, RowBlocks):
            return by_blocks(X, lambda rows: self._scores(rows)[0]), np.dtype(np.float64)
        X = linear_rows(self, X, reset=False)
        weights, offsets = self._linear_state(self._n_scores())
        kind = np.result_type(X.dtype, weights.dtype)
        if len(weights) > 1:
            wide = np.ascontiguousarray(weights, dtype=np.float64)
            return class_scores(X, wide, offsets.astype(np.float64, copy=False)), kind
        return linear_scores(X, weights[0], float(offsets[0])), kind

    def _n_scores(self) -> int:
        """Rows of ``coef_``: one for two classes, else one for each."""
        classes = self.classes_
        if not isinstance(classes, np.ndarray) or classes.ndim != 1 or len(classes) < 2:
            raise self._altered("classes_ is no array of at least two classes")
        return 1 if len(classes) == 2 else len(classes)

    def predict(self, X: Any) -> NDArray[Any]:
        """Predict the class of rows.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (m, n_features)
            Rows.

        Returns
        -------
        ndarray of shape (m,)
            Labels: for two classes by the sign of the score, for more the class with the largest score.
        """
        scores = self.decision_function(X)
        codes = (scores >= 0.0).astype(np.intp) if scores.ndim == 1 else scores.argmax(axis=1)
        return np.asarray(self.classes_[codes])

    def score(self, X: Any, y: ArrayLike | None = None, sample_weight: ArrayLike | None = None) -> float:
        """Accuracy on rows with labels.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (m, n_features), or RowBlocks
            Rows.
        y : array-like of shape (m,), optional
            Their labels; blocks may have them.
        sample_weight : array-like of shape (m,), optional
            Weight of each row.

        Returns
        -------
        float
            The part of all weight whose labels are predicted.
        """
        if isinstance(X, RowBlocks):
            y, sample_weight = X.y if y is None else y, X.sample_weight if sample_weight is None else sample_weight
            if y is None:
                raise InvalidInput("The blocks have no labels to compare with. Pass y to score, or make RowBlocks with it.")
        return float(super().score(X, y, sample_weight))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


class LinearModel(Estimating, LinearScores, ABC):
    """Fitting; each subclass defines what a binary classifier minimises."""

    _fewest_iterations: ClassVar[int] = 0  # −1 where that asks for the solver's own budget

    @abstractmethod
    def _check_own(self) -> None:
        """Raise for a parameter of this estimator's own that is not acceptable."""

    @abstractmethod
    def _terms(self) -> tuple[Loss, Penalty, float]:
        """Loss, penalty, and C."""

    def _bound(self) -> float:
        """The largest ``|w|²``, for the penalty "ball"."""
        return math.inf

    def _l1(self) -> float:
        """The share of absolute values in an elastic net."""
        return 1.0

    def _check_classes(self, classes: NDArray[Any]) -> None:
        """Raise for classes that this estimator cannot separate; most take any number."""

    def _class_loss(self, n_classes: int) -> ClassLoss | None:
        """The loss if all classes are fitted at once; None for a binary classifier for each class, or one for two classes."""
        return None

    def _offset(self) -> tuple[Offset, float]:
        """The kind of offset, and its scale."""
        return (Offset.FREE if self.fit_intercept else Offset.NONE), 1.0

    def fit(self, X: Any, y: ArrayLike | None = None, sample_weight: ArrayLike | None = None) -> Self:
        """Fit a binary classifier, or one for each class, to training data.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features), or RowBlocks
            Training rows. float32 is kept, and so are CSR matrices with 32- or 64-bit indices.
        y : array-like of shape (n_samples,)
            Labels; `RowBlocks` may have them.
        sample_weight : array-like of shape (n_samples,), default=None
            Weight of each row; rows of weight 0 or less are left out.

        Returns
        -------
        self : estimator
            The fitted model.
        """
        with Fitting(self, X, y, sample_weight) as stages:
            if isinstance(X, RowBlocks):
                self._fit_blocks(X, y, sample_weight, stages)
                return self
            plan = self._plan(X, y, sample_weight)
            stages.end("validation")
            found = plan.solve()
            stages.end("solve", plan.deadline.certifying)
            self._adopt(plan.rows, self._as_stored(plan, found))
            stages.end("assembly")
        return self

    def _fit_blocks(self, X: RowBlocks, y: Any, sample_weight: Any, stages: Stages) -> None:
        self._check()
        deadline = Deadline(self.max_time)
        plan = block_plan(
            self,
            X,
            y,
            sample_weight,
            self._terms(),
            self._offset(),
            self._bound(),
            self._l1(),
            deadline,
            self._class_loss,
        )
        self._check_classes(plan.rows.data.classes)
        stages.end("validation")
        found = plan.solve(stacklevel=4)
        stages.end("solve", plan.deadline.certifying)
        self._adopt(plan.rows, found)
        stages.end("assembly")

    def _check(self) -> None:
        """Raise for any parameter that is not acceptable."""
        owner = type(self).__name__
        self._check_own()
        check_boolean("fit_intercept", self.fit_intercept, owner)
        check_boolean("warm_start", self.warm_start, owner)
        check_budget(self, fewest=self._fewest_iterations)
        check_class_weight(self.class_weight, owner)
        check_random_state(self.random_state, owner)

    def _plan(self, X: Any, y: ArrayLike | None, sample_weight: ArrayLike | None) -> Plan[LinearRows]:
        """Validated rows, and the problems to solve for them: one for all classes at once, or one for each class."""
        owner = type(self).__name__
        self._check()
        deadline = Deadline(self.max_time)
        X = linear_rows(self, X, reset=True)
        data = labelled_set(X, label_column(y, X), sample_weight)
        self._check_classes(data.classes)
        centring = Centring(data.X)
        if not deadline.is_over():
            centring.know(feature_scale_warning(data.X, owner, stacklevel=3, features=centring.features))
        factors = class_weights(self.class_weight, data.classes, data.codes, data.weight, owner)
        loss, penalty, C = self._terms()
        rows = LinearRows(data, factors)
        cost = self._costs(rows, C)
        offset, scale = self._offset()
        problems: list[Any]
        if (class_loss := self._class_loss(len(data.classes))) is not None:
            problems = [
                MulticlassLinear.on(data.X, data.codes, data.classes, cost, class_loss, penalty, offset, scale, self._l1())
            ]
            names, starts = (lambda: ["all classes"]), multiclass_start(self, data, X.shape[1])
        else:
            scheme, where = scheme_of(len(data.classes), one_vs_rest=True), (offset, scale, self._bound(), centring)
            labels = [y for _, y in scheme.subproblems(data.codes).each()]
            problems = [PrimalProblem.on(data.X, each, cost, loss, penalty, *where, l1=self._l1()) for each in labels]
            names = partial(subproblem_names, scheme, data.classes)
            starts = linear_starts(self, len(problems), X.shape[1], data.classes)
        return Plan(
            model=self,
            problems=problems,
            names=names,
            solver=self._solver(),
            deadline=deadline,
            rows=rows,
            starts=starts,
        )

    def _costs(self, rows: LinearRows, C: float) -> NDArray[np.float64]:
        """``C_i`` of each row."""
        data = rows.data
        return upper_bounds(C, data.weight if self.class_weight is None else rows.factors[data.codes] * data.weight)

    def _problems_like(self, plan: Plan[LinearRows]) -> list[Any]:
        """The problems of this model from the plan of one that differs in C only."""
        cost = self._costs(plan.rows, self._terms()[2])
        return [problem.at(cost) for problem in plan.problems]

    def _formula(self) -> Formula:
        loss, penalty, C = self._terms()
        if (class_loss := self._class_loss(len(self.classes_))) is not None:
            return [*multiclass_formula(class_loss, penalty), ("C", f"{C:g}")]
        return [*linear_formula(loss, penalty, offset=bool(self.fit_intercept)), ("C", f"{C:g}")]

    def _own_lines(self) -> list[tuple[str, str]]:
        weights = self._dense_weights().astype(np.float64)
        lines = [("weights", f"{int((weights != 0.0).sum())} of {weights.size} are not 0")]
        if self._class_loss(len(self.classes_)) is not None or not isinstance(self._terms()[0], Hinge | SquaredHinge):
            return lines
        several = " (over all binary classifiers)" if len(weights) > 1 else ""
        lines.append(("support vectors", f"{self._n_active} rows on or inside the margin{several}"))
        if (largest := float(np.linalg.norm(weights, axis=1).max())) > 0.0:
            lines.append(("margin", f"{2.0 / largest:.6g}" + (" (the narrowest)" if several else "")))
        return lines

    def _solver(self) -> Any:
        """Which solver to use."""
        return "auto"

    def _as_stored(self, plan: Plan[LinearRows], solutions: list[Any]) -> list[Any]:
        """The solutions with weights as ``coef_`` will have them."""
        return solutions

    def _adopt(self, rows: LinearRows | BlockRowsOf, solutions: Solutions) -> None:
        """Make the solutions of a plan the fitted state."""
        self.classes_ = rows.data.classes
        self.class_weight_ = rows.factors
        self.coef_, self.intercept_ = _weights(solutions)
        self.n_iter_: Any = max(1, *(solution.steps for solution in solutions), 1)
        self.certificate_ = Certificate.combined(solution.certificate for solution in solutions)
        self.status_ = self.certificate_.status
        self.fit_status_ = int(not self.status_.is_optimal)
        self._n_active = sum(_active(solution) for solution in solutions)
        hold(self, solutions)


def _weights(solutions: Solutions) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Weights and offsets of all scores; for two classes fitted as one problem, those of the difference of their scores."""
    first = solutions[0]
    if (isinstance(first, BlockSolution) and first.weights.ndim == 1) or isinstance(first, LinearSolution):
        if len(solutions) == 1:
            return first.weights[np.newaxis].copy(), np.array([first.bias])
        return np.stack([each.weights for each in solutions]), np.array([each.bias for each in solutions])
    if len(first.weights) > 2:
        return first.weights, first.bias
    return np.diff(first.weights, axis=0), np.diff(first.bias)


def _active(solution: LinearSolution | MulticlassSolution | BlockSolution) -> int:
    """How many rows have a multiplier that is not 0."""
    if isinstance(solution, BlockSolution):
        return solution.active
    if isinstance(solution, MulticlassSolution):
        return len(solution.support)
    return int(np.count_nonzero(solution.alpha))


def linear_rows(model: Any, X: Any, *, reset: bool) -> Any:
    """Rows as they are given, dense or CSR, float32 or float64; their width is learnt, or checked."""
    return canonical(checked_rows(model, X, reset=reset))
