"""What all models on landmarks share: choose landmarks, make features, fit a linear model of them, predict by kernel values."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Self, cast, final

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from sklearn.base import BaseEstimator, is_classifier
from sklearn.utils.validation import check_is_fitted, check_random_state

from maxmargin._blas import one_blas_thread
from maxmargin._deadline import Deadline
from maxmargin.blocks import RowBlocks
from maxmargin.errors import InvalidInput
from maxmargin.estimators._approximate._as_predicted import as_predicted
from maxmargin.estimators._approximate._exact import ExactBound, Subproblems, exact_bound
from maxmargin.estimators._approximate._number import AUTO, chosen_number
from maxmargin.estimators._linear._blocks import by_blocks
from maxmargin.estimators._shared._expansion import Expansion, sides_of
from maxmargin.estimators._shared._fitted import RowKind, fitted_sums
from maxmargin.estimators._shared._fitting import Fitting
from maxmargin.estimators._shared._input import checked_rows, training_rows
from maxmargin.estimators._shared._parameters import check_budget, check_kernel_numbers
from maxmargin.estimators._shared._plan import Plan
from maxmargin.estimators._shared._summary import Summarised
from maxmargin.estimators._shared._warm_start import hold, linear_starts, starts_anew
from maxmargin.estimators._shared._watching import CallbackSupport
from maxmargin.feature_maps import LANDMARKS, LandmarkMap, landmark_map
from maxmargin.kernels import BoundKernel, as_kernel, feature_scale_warning, takes_matrix
from maxmargin.solution import Certificate, Status
from maxmargin.validation import (
    TrainingSet,
    canonical,
    check_boolean,
    check_integer,
    check_option,
    check_random_seed,
    check_share,
    length,
    object_rows,
    reject,
    take_rows,
)

__all__ = ["ApproximateModel", "Fit"]


@final
@dataclass(frozen=True, eq=False)
class Fit:
    """A fit on its way: valid rows with their labels or targets, the kernel, and the clock.

    Attributes
    ----------
    data : TrainingSet or WeightedRows
        The rows with weight.
    target : ndarray
        Class codes or targets of these rows; ones where there are none.
    kernel : BoundKernel
        The kernel with its numbers.
    kind : RowKind
        What the rows are.
    deadline : Deadline
        Of the whole fit.
    factors : ndarray or None
        Weight of each class.
    """

    data: Any
    target: NDArray[Any]
    kernel: BoundKernel
    kind: RowKind
    deadline: Deadline
    factors: NDArray[np.float64] | None = None

    @property
    def dtype(self) -> Any:
        """What features are stored as."""
        single = getattr(self.data.X, "dtype", None) == np.float32 and self.kind is not RowKind.OBJECTS
        return np.float32 if single else np.float64

    def rows(self, some: NDArray[np.intp]) -> Any:
        """Some rows, for a map whose landmarks are among all of them."""
        return take_rows(self.data.X, some)


class ApproximateModel(CallbackSupport, Summarised, BaseEstimator, ABC):  # type: ignore[misc]  # scikit-learn has no types
    """Fitting; each subclass says what the linear model minimises."""

    _map: LandmarkMap
    certificate_: Certificate
    status_: Status

    @abstractmethod
    def _check_own(self) -> None:
        """Raise for a parameter of this estimator's own that is not acceptable."""

    @abstractmethod
    def _labelled(self, X: Any, y: Any, sample_weight: Any, *, pairwise: bool) -> tuple[Any, NDArray[Any], Any]:
        """Rows with weight, their labels or targets, and the weights of classes."""

    @abstractmethod
    def _problems(self, Z: NDArray[Any], fit: Fit) -> tuple[list[Any], Callable[[], list[str]]]:
        """The linear problems on features, and their names."""

    @abstractmethod
    def _row_scores(
        self, values: NDArray[np.float64], target: NDArray[Any], map: LandmarkMap, rows: Any
    ) -> NDArray[np.float64]:
        """How good a fit is at each of some rows, from the values of the subproblems there: the larger the better."""

    @abstractmethod
    def _subproblems(self, fit: Fit, multipliers: NDArray[np.float64]) -> Subproblems:
        """What the exact bound asks of the problems with these multipliers."""

    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Fit to training data.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features), or sequence of objects
            Training rows; kernel values of shape (n_samples, n_samples) for a precomputed kernel.
        y : array-like of shape (n_samples,)
            Labels or targets.
        sample_weight : array-like of shape (n_samples,), default=None
            Weight of each row; rows of weight 0 or less are left out.

        Returns
        -------
        self : object
            The fitted model.
        """
        return self._fit(X, y, sample_weight)

    def _fit(self, X: Any, y: Any, sample_weight: ArrayLike | None) -> Self:
        with Fitting(self, X, y, sample_weight) as stages:
            fit, random = self._begin(X, y, sample_weight), check_random_state(self.random_state)
            stages.end("validation")
            self.auto_scores_ = None
            count = self.n_components
            if count == AUTO:
                count, self.auto_scores_ = chosen_number(self, fit, random)
                stages.end("number of landmarks")
            map = self._landmarks(fit.kernel, fit.data.X, int(count), random, fit.deadline)
            stages.end("landmarks")
            Z = map.features(fit.data.X, fit.dtype, fit.deadline)
            stages.end("features")
            plan = self._plan(Z, map, fit)
            found = plan.solve(stacklevel=4)
            stages.end("solve", fit.deadline.certifying)
            self._adopt(fit, map, as_predicted(map, fit.data.X, plan.problems, found, float(self.tol), fit.deadline))
            stages.end("assembly")
        return self

    def _check(self) -> None:
        """Raise for any parameter that is not acceptable, but for the kernel."""
        owner = type(self).__name__
        if not (isinstance(self.n_components, str) and self.n_components == AUTO):
            try:
                check_integer("n_components", self.n_components, owner, 1)
            except InvalidInput:
                raise reject(
                    "n_components", self.n_components, owner, "an int in the range [1, inf) or the str 'auto'"
                ) from None
        self._check_own()
        check_option("landmarks", self.landmarks, owner, LANDMARKS)
        check_share("rank_tol", self.rank_tol, owner)
        check_boolean("warm_start", self.warm_start, owner)
        check_kernel_numbers(self)
        check_budget(self, fewest=0)
        check_random_seed(self.random_state, owner)

    def _begin(self, X: Any, y: Any, sample_weight: Any) -> Fit:
        """Checked parameters, valid rows, and the kernel with its numbers."""
        owner = type(self).__name__
        self._check()
        kernel = as_kernel(self.kernel, gamma=self.gamma, coef0=self.coef0, degree=self.degree, owner=owner, stacklevel=5)
        deadline = Deadline(self.max_time)
        rows, kind = training_rows(self, kernel, X)
        data, target, factors = self._labelled(rows, y, sample_weight, pairwise=kind is RowKind.PAIRWISE)
        moments = None
        if not kind.has_no_features and not deadline.is_over():
            moments = feature_scale_warning(data.X, owner, stacklevel=5)
        bound = kernel.bind(data.X, data.sample_weight, moments=moments)
        bound.check(data.X)
        self._rows = kind
        return Fit(data, target, bound, kind, deadline, factors)

    def _landmarks(self, kernel: BoundKernel, X: Any, count: int, random: Any, deadline: Deadline) -> LandmarkMap:
        return landmark_map(
            kernel, X, count, self.landmarks, random, rank_tol=float(self.rank_tol), deadline=deadline, stacklevel=5
        )

    def _plan(self, Z: NDArray[Any], map: LandmarkMap | None, fit: Fit) -> Plan[None]:
        problems, names = self._problems(Z, fit)
        return Plan(
            model=self,
            problems=problems,
            names=names,
            solver="auto",
            deadline=fit.deadline,
            rows=None,
            starts=self._starts(len(problems), map),
        )

    def _plan_of_some(self, Z: NDArray[Any], fit: Fit, rows: NDArray[np.intp]) -> Plan[None]:
        """The plan of a fit of some rows, with their features, that says nothing."""
        some = {"codes": fit.data.codes[rows]} if isinstance(fit.data, TrainingSet) else {}
        data = replace(fit.data, X=None, weight=fit.data.weight[rows], kept=None, **some)
        pilot = type(self)(**self.get_params(deep=False)).set_params(verbose=False, warm_start=False)
        return cast("Plan[None]", pilot._plan(Z, None, replace(fit, data=data, target=fit.target[rows])))

    def _starts(self, count: int, map: LandmarkMap | None) -> Any:
        """The last solutions, where the features are what they were."""
        before = vars(self).get("_map")
        if not self.warm_start or map is None or before is None or "_held" not in vars(self):
            return None
        if before.projection.shape != map.projection.shape or not np.array_equal(before.projection, map.projection):
            starts_anew(self, "its landmarks are others than before; give random_state a number", stacklevel=5)
            return None
        return linear_starts(self, count, map.rank, vars(self).get("classes_"))

    def _adopt(self, fit: Fit, map: LandmarkMap, solutions: list[Any]) -> None:
        """Make the solutions of a plan the fitted state."""
        if map.kernel.is_precomputed:
            numbers = fit.data.of_kept_rows(map.landmarks).astype(np.int32)
            map = replace(map, landmarks=numbers)
        self._take(map, solutions)
        self._multipliers = sparse.csr_array(np.stack([each.alpha for each in solutions]))

    def _take(self, map: LandmarkMap, solutions: Sequence[Any]) -> None:
        """All but the multipliers."""
        self.landmark_coef_ = map.coefficients(np.stack([each.weights for each in solutions]))
        self.intercept_ = np.array([float(each.bias) for each in solutions])
        self._map = map
        self._kernel = map.kernel
        self.n_components_ = length(map.landmarks)
        self.n_iter_ = max(1, *(each.steps for each in solutions), 1)
        self.certificate_ = Certificate.combined(each.certificate for each in solutions)
        self.status_ = self.certificate_.status
        self.fit_status_ = int(not self.status_.is_optimal)
        hold(self, solutions)

    def _values(self, X: Any) -> NDArray[np.float64]:
        """Values of all subproblems at rows, in columns."""
        check_is_fitted(self)
        if isinstance(X, RowBlocks):
            return by_blocks(X, self._values)
        rows = self.new_rows(X)
        _, weights, offsets = fitted_sums(self, "landmark_coef_", self._map.landmarks, classes=is_classifier(self))
        return np.asarray(self._map.values(rows, weights) + offsets, dtype=np.float64)

    def new_rows(self, X: Any) -> Any:
        """Rows as the kernel reads them."""
        if self._rows is RowKind.OBJECTS:
            return object_rows(X)
        return canonical(checked_rows(self, X, reset=False))

    def exact_bound(
        self, X: Any, y: Any = None, sample_weight: ArrayLike | None = None, *, rows: int | None = None, random_state: Any = 0
    ) -> ExactBound:
        """How far this model is, at most, from the optimum of the exact kernel.

        The model is a function in the space of the exact kernel: its objective there bounds the exact optimum from above. Its
        multipliers are inside of the exact dual's bounds too, and their dual objective bounds it from below; that needs the
        exact kernel between all support vectors, a block at a time.

        Parameters
        ----------
        X, y, sample_weight
            What `fit` got; a one-class model needs no y.
        rows : int or None, default=None
            How many rows of the exact kernel matrix are computed, drawn among the support vectors, to estimate what landmarks
            miss; None for all of them, which proves the bound.
        random_state : int, RandomState instance or None, default=0
            Draws these rows.

        Returns
        -------
        ExactBound
        """
        check_is_fitted(self)
        owner = "exact_bound"
        if rows is not None:
            check_integer("rows", rows, owner, 2)
        check_random_seed(random_state, owner)
        given = self.new_rows(X)
        data, target, factors = self._labelled(given, y, sample_weight, pairwise=self._rows is RowKind.PAIRWISE)
        if self._multipliers is None:
            raise InvalidInput("exact_bound needs the multipliers of all rows, which a fit of RowBlocks does not keep.")
        if data.n != self._multipliers.shape[1]:
            raise InvalidInput(
                f"exact_bound needs the rows of fit: it had {self._multipliers.shape[1]} rows with a weight, and these are"
                f" {data.n}. Pass the same X, y and sample_weight."
            )
        fit = Fit(data, target, self._map.kernel, self._rows, Deadline(), factors)
        map = self._map
        if map.kernel.is_precomputed and data.kept is not None:
            map = replace(map, landmarks=np.searchsorted(data.kept, map.landmarks).astype(np.int32))
        values = map.values(data.X, self.landmark_coef_) + self.intercept_
        subproblems = self._subproblems(fit, self._multipliers.toarray())
        with one_blas_thread():
            squares = np.einsum("ij,ij->i", self.landmark_coef_ @ map.inner(data.X), self.landmark_coef_)
            return exact_bound(map, data.X, subproblems, values, squares, rows, check_random_state(random_state))

    def expansion(self) -> Expansion:
        """The model as sums of kernel values against its landmarks."""
        check_is_fitted(self)
        map, classes = self._map, vars(self).get("classes_")
        return Expansion(
            self,
            map.kernel,
            map.landmarks,
            np.arange(self.n_components_, dtype=np.int32),
            self.landmark_coef_,
            self.intercept_,
            [] if classes is None else sides_of(len(classes)),
            of_landmarks=True,
        )

    @property
    def landmarks_(self) -> Any:
        """The landmarks; numbers of rows for a precomputed kernel."""
        if "_map" not in vars(self):
            raise AttributeError(f"{type(self).__name__} has no landmarks_ before fit.")
        return self._map.landmarks

    def _own_lines(self) -> list[tuple[str, str]]:
        return [("landmarks", f"{self.n_components_}, {self._map.rank} features")]

    def __sklearn_is_fitted__(self) -> bool:
        return "_map" in vars(self)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = not takes_matrix(self.kernel)
        tags.input_tags.pairwise = takes_matrix(self.kernel)
        return tags
