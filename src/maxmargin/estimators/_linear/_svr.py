"""Linear support vector regression with scikit-learn's interface."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any, Final, Literal, Self, final

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.utils.validation import check_is_fitted

from maxmargin._deadline import Deadline
from maxmargin.blocks import RowBlocks
from maxmargin.calibrators import Folds
from maxmargin.errors import InvalidInput
from maxmargin.estimators._linear._blocks import by_blocks
from maxmargin.estimators._linear._classifier import linear_rows
from maxmargin.estimators._linear._sparse_weights import SparseWeights
from maxmargin.estimators._linear._target_blocks import regression_plan
from maxmargin.estimators._shared._bounds import upper_bounds
from maxmargin.estimators._shared._estimate import Estimating
from maxmargin.estimators._shared._fitting import Fitting
from maxmargin.estimators._shared._fold_stage import FoldStage
from maxmargin.estimators._shared._formulas import Formula
from maxmargin.estimators._shared._intervals import FOLDS, Intervals, Residuals
from maxmargin.estimators._shared._parameters import check_budget, check_dual, check_intercept, check_random_state, offset_of
from maxmargin.estimators._shared._plan import Plan
from maxmargin.estimators._shared._stages import Stages
from maxmargin.estimators._shared._summary import Summarised
from maxmargin.estimators._shared._warm_start import hold, linear_starts
from maxmargin.estimators._shared._watching import CallbackSupport
from maxmargin.kernels import feature_scale_warning
from maxmargin.losses import EpsilonInsensitive, SquaredEpsilonInsensitive
from maxmargin.problems import Centring, Penalty, PrimalProblem, require_range
from maxmargin.solution import BlockSolution, LinearSolution, linear_scores
from maxmargin.solvers import as_solver
from maxmargin.validation import (
    WeightedRows,
    check_boolean,
    check_non_negative,
    check_option,
    check_positive,
    take_rows,
    target_column,
    weighted_rows,
)

__all__ = ["LinearSVR"]

_LARGEST: Final = 1e150  # its square is a number


@final
class LinearSVR(CallbackSupport, Estimating, Summarised, Intervals, SparseWeights, RegressorMixin, BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """Linear support vector regression that proves its answer; suited to many rows and to sparse data.

    It solves

        minimise ½ ‖w‖² + Σ C_i ℓ(y_i − f(x_i)),   f(x) = ⟨w, x⟩ + b

    with ``ℓ(r) = max(0, |r| − ε)`` or its square, and ``C_i = C · sample weight``, to a proven relative gap of ``tol``. With
    the first loss it has the same optimum as ``SVR(kernel="linear")``. scikit-learn's LinearSVR penalises the intercept too;
    ``penalise_intercept=True`` does the same.

    Parameters
    ----------
    epsilon : float, default=0.0
        Half the width of the tube in which errors cost nothing, at least 0, in the unit of y.
    tol : float, default=1e-4
        Largest gap between the two objectives, relative to the primal one.
    C : float, default=1.0
        Factor of the loss, positive and finite; ``SVR(kernel="linear", C=inf)`` keeps all rows inside the tube.
    loss : {"epsilon_insensitive", "squared_epsilon_insensitive"}, default="epsilon_insensitive"
        The loss outside the tube.
    fit_intercept : bool, default=True
        Whether f has an offset.
    intercept_scaling : float, default=1.0
        The value of the constant feature whose weight a penalised offset is: the offset costs ``½(b/intercept_scaling)²``.
    dual : "auto" or bool, default="auto"
        Accepted for compatibility with scikit-learn, where it chooses between the primal and the dual problem. Here both
        objectives are computed, and their gap is the proof.
    verbose : bool or int, default=0
        Show progress: a bar on a terminal, lines to the logger "maxmargin" if its INFO is handled, else to stdout.
    random_state : int, RandomState instance or None, default=None
        Accepted and not used: the result does not depend on chance.
    max_iter : int, default=1000
        Largest number of Newton rounds (of sweeps with ``solver="coordinate_descent"``).
    max_time : float or None, default=None
        Time limit of the fit, in seconds; None for no limit.
    penalise_intercept : bool or None, default=None
        Penalise the offset like a weight, as LIBLINEAR does. None does so if ``intercept_scaling`` is set to another value
        than 1. This changes the optimum, which then depends on the origin of y.
    solver : {"auto", "newton", "coordinate_descent"} or solver object, default="auto"
        Which solver to use.
    warm_start : bool, default=False
        Start from the weights of the last fit if their number is the same; otherwise the fit warns and starts from scratch.
    interval : bool, default=False
        Whether to prepare ``predict_interval`` as well, by 5 more fits, one without each fold.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,)
        Weights.
    intercept_ : ndarray of shape (1,)
        Offset.
    n_iter_ : int
        Rounds.
    certificate_ : Certificate
        Objectives and gap.
    status_ : Status
        How the fit ended.
    fit_status_ : int
        0 if it converged, else 1.
    n_features_in_ : int
        Number of features seen during fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of features seen during fit, if they were all strings.

    References
    ----------
    Ho and Lin, Large-scale linear support vector regression, JMLR 13, 2012.

    Examples
    --------
    >>> import numpy as np
    >>> from maxmargin import LinearSVR
    >>> X = np.arange(10.0)[:, np.newaxis]
    >>> model = LinearSVR(C=10.0).fit(X, [0, 1, 2, 3, 4, 5, 6, 7, 8, 90])
    >>> model.predict([[20.0]]).round(6), model.status_.name
    (array([20.]), 'CONVERGED')
    """

    _coef_axes = 1

    def __init__(
        self,
        *,
        epsilon: float = 0.0,
        tol: float = 1e-4,
        C: float = 1.0,
        loss: Literal["epsilon_insensitive", "squared_epsilon_insensitive"] = "epsilon_insensitive",
        fit_intercept: bool = True,
        intercept_scaling: float = 1.0,
        dual: bool | Literal["auto"] = "auto",
        verbose: bool | int = 0,
        random_state: Any = None,
        max_iter: int = 1000,
        max_time: float | None = None,
        penalise_intercept: bool | None = None,
        solver: Any = "auto",
        warm_start: bool = False,
        interval: bool = False,
    ) -> None:
        self.epsilon = epsilon
        self.tol = tol
        self.C = C
        self.loss = loss
        self.fit_intercept = fit_intercept
        self.intercept_scaling = intercept_scaling
        self.dual = dual
        self.verbose = verbose
        self.random_state = random_state
        self.max_iter = max_iter
        self.max_time = max_time
        self.penalise_intercept = penalise_intercept
        self.solver = solver
        self.warm_start = warm_start
        self.interval = interval

    def fit(self, X: Any, y: ArrayLike | None = None, sample_weight: ArrayLike | None = None) -> Self:
        """Fit to training data.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features), or RowBlocks
            Training rows. float32 is kept, and so are CSR matrices with 32- or 64-bit indices.
        y : array-like of shape (n_samples,)
            Targets; `RowBlocks` may have them.
        sample_weight : array-like of shape (n_samples,), default=None
            Weight of each row: 2 counts the row twice; rows of weight 0 or less are left out.

        Returns
        -------
        self : LinearSVR
            The fitted model.
        """
        with Fitting(self, X, y, sample_weight, solves=1 + FOLDS if self.interval else 1) as stages:
            wants_interval = check_boolean("interval", self.interval, "LinearSVR")
            if isinstance(X, RowBlocks):
                self._fit_blocks(X, y, sample_weight, stages, interval=wants_interval)
                return self
            plan = self._plan(X, y, sample_weight)
            stages.end("validation")
            (solution,) = solutions = plan.solve()
            stages.end("solve", plan.deadline.certifying)
            self._adopt(plan.rows, self._as_stored(plan, solutions))
            if wants_interval:
                with FoldStage([solution], "intervals"):
                    self._fit_folds(plan, solution, weighted=sample_weight is not None)
                stages.end("intervals")
        return self

    def _fit_blocks(self, X: RowBlocks, y: Any, sample_weight: Any, stages: Stages, *, interval: bool) -> None:
        if interval:
            raise InvalidInput("interval=True needs rows that can be left out one by one. Leave it out for RowBlocks.")
        self._check()
        plan = regression_plan(self, X, y, sample_weight, self._loss(), offset_of(self), Deadline(self.max_time))
        stages.end("validation")
        found = plan.solve(stacklevel=4)
        stages.end("solve", plan.deadline.certifying)
        self._adopt(None, found)

    def _as_stored(self, plan: Plan[WeightedRows], solutions: list[Any]) -> list[Any]:
        """The solutions with weights as ``coef_`` will have them."""
        return solutions

    def _adopt(self, rows: WeightedRows | None, solutions: list[LinearSolution] | list[BlockSolution]) -> None:
        """Make the solution of a plan the fitted state."""
        (solution,) = solutions
        for stale in ("_fold_weights", "_residuals"):
            self.__dict__.pop(stale, None)
        self.coef_ = solution.weights
        self.intercept_ = np.array([solution.bias])
        self.n_iter_ = max(1, solution.steps)
        self.certificate_ = solution.certificate
        self.status_ = solution.status
        self.fit_status_ = int(not self.status_.is_optimal)
        hold(self, solutions)

    def _fit_folds(self, plan: Plan[WeightedRows], solution: LinearSolution, *, weighted: bool) -> None:
        """The weights of each fold, which starts from those of all rows, and the residuals of its held-out rows."""
        (problem,) = plan.problems
        folds = Folds.of_rows(problem.n, FOLDS)
        weights, residuals, warns = [], np.empty(problem.n), solution.status.is_optimal
        for fold, held in enumerate(folds):
            rows, unseen = np.flatnonzero(~held), np.flatnonzero(held)
            own = PrimalProblem.on(
                take_rows(problem.X, rows), problem.y[rows], problem.cost[rows], problem.loss, Penalty.L2, *offset_of(self)
            )
            starts = [solution.weights] if as_solver(plan.solver, [own]).takes_start else None
            own_plan = replace(plan, problems=[own], names=partial(_fold_name, fold), starts=starts)
            (found,) = own_plan.solve(stacklevel=5, warns=warns)
            warns = warns and found.status.is_optimal  # once is enough
            weights.append(np.append(found.weights, found.bias))
            values = linear_scores(take_rows(problem.X, unseen), found.weights, float(found.bias))
            residuals[unseen] = np.abs(problem.y[unseen] - values)
        weight = problem.cost / float(self.C) if weighted else None
        self._fold_weights = np.stack(weights)
        self._residuals = Residuals(residuals[:, np.newaxis], folds.number, weight)

    def _formula(self) -> Formula:
        square = "²" if self.loss == "squared_epsilon_insensitive" else ""
        return [
            ("formulation", f"linear epsilon-regression, C = {self.C:g}, epsilon = {self.epsilon:g}"),
            ("formula", f"minimise ½ |w|² + Σ C_i max(0, |y_i − f(x_i)| − ε){square}, f(x) = ⟨w, x⟩ + b"),
        ]

    def _of_folds(self, X: Any) -> NDArray[np.float64]:
        rows = linear_rows(self, X, reset=False)
        each = [linear_scores(rows, weights[:-1], float(weights[-1])) for weights in self._fold_weights]
        return np.stack(each, axis=1)[:, :, np.newaxis]

    def _check_own(self) -> None:
        """Raise for a parameter of this estimator's own that is not acceptable."""
        owner = "LinearSVR"
        check_non_negative("epsilon", self.epsilon, owner)
        check_positive("C", self.C, owner)
        check_option("loss", self.loss, owner, ("epsilon_insensitive", "squared_epsilon_insensitive"))
        check_dual(self.dual, owner)
        check_intercept(self)

    def _costs(self, rows: WeightedRows, target: NDArray[np.float64]) -> NDArray[np.float64]:
        """``C_i`` of each row; raises where sums of losses overflow."""
        cost = upper_bounds(self.C, rows.weight)
        require_range(cost, "C", target)
        self._require_squares(float(np.abs(target).max()), float(cost.sum()))
        return cost

    def _require_squares(self, largest: float, total: float) -> None:
        """Raise where the squares of targets, times what rows cost together, are no numbers."""
        if self.loss != "epsilon_insensitive" and largest > _LARGEST / max(1.0, total):
            raise InvalidInput(
                f"The targets in y are too large: the largest is {largest:.3g}, and with this C the sum of squares overflows."
                " Scale the targets, for example with TransformedTargetRegressor."
            )

    def _problems_like(self, plan: Plan[WeightedRows]) -> list[Any]:
        """The problem of this model from the plan of one that differs in C only."""
        (problem,) = plan.problems
        return [problem.at(self._costs(plan.rows, problem.y))]

    def _check(self) -> None:
        """Raise for any parameter that is not acceptable."""
        self._check_own()
        check_budget(self, fewest=0)
        check_boolean("warm_start", self.warm_start, "LinearSVR")
        check_random_state(self.random_state, "LinearSVR")

    def _loss(self) -> EpsilonInsensitive | SquaredEpsilonInsensitive:
        epsilon = float(self.epsilon)
        return EpsilonInsensitive(epsilon) if self.loss == "epsilon_insensitive" else SquaredEpsilonInsensitive(epsilon)

    def _plan(self, X: Any, y: ArrayLike | None, sample_weight: ArrayLike | None) -> Plan[WeightedRows]:
        """Validated rows, and the problem to solve for them."""
        owner = "LinearSVR"
        self._check()
        deadline = Deadline(self.max_time)
        X = linear_rows(self, X, reset=True)
        target = target_column(y, X)
        data = weighted_rows(X, sample_weight)
        centring = Centring(data.X)
        centring.know(feature_scale_warning(data.X, owner, stacklevel=3, features=centring.features))
        loss = self._loss()
        target = data.of_kept(target)
        cost = self._costs(data, target)
        problem = PrimalProblem.on(data.X, target, cost, loss, Penalty.L2, *offset_of(self), centring=centring)
        return Plan(
            model=self,
            problems=[problem],
            names=lambda: ["regression"],
            solver=self.solver,
            deadline=deadline,
            rows=data,
            starts=linear_starts(self, 1, X.shape[1]),
        )

    def predict(self, X: Any) -> NDArray[np.float64]:
        """Predict the targets of rows.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (m, n_features)
            Rows.

        Returns
        -------
        ndarray of shape (m,)
            ``f(x)``.
        """
        check_is_fitted(self)
        if isinstance(X, RowBlocks):
            return by_blocks(X, self.predict)
        rows = linear_rows(self, X, reset=False)
        weights, offsets = self._linear_state(1)
        return linear_scores(rows, weights, float(offsets[0]))

    def score(self, X: Any, y: ArrayLike | None = None, sample_weight: ArrayLike | None = None) -> float:
        """Coefficient of determination on rows with targets.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (m, n_features), or RowBlocks
            Rows.
        y : array-like of shape (m,), optional
            Their targets; blocks may have them.
        sample_weight : array-like of shape (m,), optional
            Weight of each row.

        Returns
        -------
        float
            ``1 − Σ (y − f)² / Σ (y − mean)²``.
        """
        if isinstance(X, RowBlocks):
            y, sample_weight = X.y if y is None else y, X.sample_weight if sample_weight is None else sample_weight
            if y is None:
                raise InvalidInput("The blocks have no targets to compare with. Pass y to score, or make RowBlocks with it.")
        return float(super().score(X, y, sample_weight))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


def _fold_name(fold: int) -> list[str]:
    return [f"fold {fold + 1}"]
