"""The perceptron with scikit-learn's interface, linear and with a kernel."""

from __future__ import annotations

import warnings
from typing import Any, Literal, Self, final

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from maxmargin._deadline import Deadline
from maxmargin._solve import solve_batch
from maxmargin._whole_or_nothing import WholeOrNothing
from maxmargin.errors import ConvergenceWarning, InvalidInput
from maxmargin.estimators._shared._bounds import require_finite
from maxmargin.estimators._shared._fitted import RowKind
from maxmargin.estimators._shared._formulas import Formula
from maxmargin.estimators._shared._input import checked_rows, new_rows, training_rows
from maxmargin.estimators._shared._parameters import check_class_weight, check_kernel_numbers, check_max_time
from maxmargin.estimators._shared._schemes import scheme_of, subproblem_names
from maxmargin.estimators._shared._stages import Stages
from maxmargin.estimators._shared._summary import Summarised
from maxmargin.estimators._shared._warm_start import on_parts, starts_anew, why_moved
from maxmargin.estimators._shared._watching import CallbackSupport, both, watch_of, watching
from maxmargin.kernels import BoundKernel, Gram, as_kernel, feature_scale_warning, takes_matrix
from maxmargin.losses import Perceptron as PerceptronLoss
from maxmargin.problems import HardMargin, Inseparable, Offset, Penalty, PrimalProblem
from maxmargin.solution import Status, linear_scores
from maxmargin.solvers import Coefficients, KernelSide, Limits, LinearSide, PerceptronRun, train_perceptron
from maxmargin.validation import (
    TrainingSet,
    canonical,
    check_boolean,
    check_integer,
    check_positive,
    class_weights,
    label_column,
    labelled_set,
    shape,
    take_rows,
)

__all__ = ["Perceptron"]


@final
class Perceptron(CallbackSupport, Summarised, ClassifierMixin, BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """The batch perceptron: every round adds the misclassified rows, with their signs, until there are none.

        w ← w − ε Σ (step(⟨w, x̃_k⟩) − c_k) x̃_k,   x̃ = (x, 1),   c_k ∈ {0, 1},   step(z) = 1 for z ≥ 0

    from ``w = 0``. If a hyperplane separates the classes, the rounds end at one that does (Novikoff 1962), not necessarily the
    one with the widest margin. Otherwise they would never end: after ``max_iter`` rounds the hard margin problem is solved to
    look for a proof that no hyperplane separates the classes, and ``status_`` reports it. The weights with the fewest
    misclassified rows are kept. With a kernel, ``w = Σ a_i φ(x_i)``. With three or more classes there is a binary classifier
    for each class against the rest, and the largest score wins.

    Parameters
    ----------
    kernel : str, kernel object or callable, default="linear"
        "linear", "poly", "rbf", "sigmoid", "precomputed" or another name that `maxmargin.kernels.as_kernel` lists, such as
        "laplacian" or "chi2"; an object of :mod:`maxmargin.kernels`; or a function of two blocks of rows that returns their
        kernel values, for rows of any kind.
    degree : int, default=3
        Degree of the polynomial kernel. Like gamma and coef0, it applies only to a kernel named by a string.
    gamma : "scale", "auto" or float, default="scale"
        Factor of the poly, rbf and sigmoid kernels.
    coef0 : float, default=0.0
        Constant of the poly and sigmoid kernels.
    eta0 : float, default=1.0
        ε, the step size. If the rounds start from ``w = 0``, it only scales w and changes no prediction.
    fit_intercept : bool, default=True
        Whether to add the constant feature 1, whose weight is the offset.
    class_weight : dict, "balanced" or None, default=None
        Factor of ε for the rows of each class.
    max_iter : int, default=1000
        Largest number of rounds for each binary classifier.
    max_time : float or None, default=None
        Time limit of the whole fit, in seconds; None for no limit.
    warm_start : bool, default=False
        Start `fit` from the weights of the last fit, if the number of features is the same or, with a kernel, if its support
        vectors keep their row numbers. Otherwise a warning says why the fit starts from scratch.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels, sorted.
    coef_ : ndarray of shape (1, n_features) or (n_classes, n_features)
        Weights of each binary classifier; only for a linear kernel.
    dual_coef_ : ndarray of shape (1, n_SV) or (n_classes, n_SV)
        Coefficients of each binary classifier; only for kernels other than the linear one.
    support_ : ndarray of shape (n_SV,)
        Indices of the rows with a nonzero coefficient; only for kernels other than the linear one.
    support_vectors_ : {ndarray, sparse matrix} of shape (n_SV, n_features), or list
        These rows; empty for a precomputed kernel. Only for kernels other than the linear one.
    intercept_ : ndarray of shape (1,) or (n_classes,)
        Offsets.
    class_weight_ : ndarray of shape (n_classes,)
        Factor of ε for each class.
    mistakes_ : list of ndarray
        For each binary classifier, the number of misclassified rows before each round and at the end.
    n_iter_ : int
        Largest number of rounds of any binary classifier.
    status_ : Status
        The worst status among the binary classifiers: CONVERGED, INSEPARABLE, ITERATION_LIMIT or TIME_LIMIT.
    fit_status_ : int
        0 if no row is misclassified, else 1.
    shape_fit_ : tuple of int
        Shape of the X given to fit.
    n_features_in_ : int
        Number of features seen during fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of features seen during fit, if they were all strings.

    References
    ----------
    Rosenblatt, The perceptron, Psychological Review 65, 1958. Novikoff, On convergence proofs on perceptrons, 1962.

    Examples
    --------
    >>> import numpy as np
    >>> from maxmargin import Perceptron
    >>> X, y = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]), [0, 0, 0, 1]
    >>> model = Perceptron().fit(X, y)
    >>> model.predict(X), model.status_.name
    (array([0, 0, 0, 1]), 'CONVERGED')

    No line separates the classes of XOR, but a conic does:

    >>> Perceptron(kernel="poly", degree=2, coef0=1.0).fit(X, [0, 1, 1, 0]).predict(X)
    array([0, 1, 1, 0])
    """

    def __init__(
        self,
        *,
        kernel: Any = "linear",
        degree: int = 3,
        gamma: float | Literal["scale", "auto"] = "scale",
        coef0: float = 0.0,
        eta0: float = 1.0,
        fit_intercept: bool = True,
        class_weight: Any = None,
        max_iter: int = 1000,
        max_time: float | None = None,
        warm_start: bool = False,
    ) -> None:
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.eta0 = eta0
        self.fit_intercept = fit_intercept
        self.class_weight = class_weight
        self.max_iter = max_iter
        self.max_time = max_time
        self.warm_start = warm_start

    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Fit a binary classifier, or one for each class, to training data.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features), or sequence of objects
            Training rows; kernel values of shape (n_samples, n_samples) for a precomputed kernel.
        y : array-like of shape (n_samples,)
            Labels.
        sample_weight : array-like of shape (n_samples,), default=None
            Weight of each row: 2 counts the row twice; rows of weight 0 or less are left out.

        Returns
        -------
        self : Perceptron
            The fitted model.
        """
        with WholeOrNothing(self):
            owner = "Perceptron"
            step = check_positive("eta0", self.eta0, owner)
            check_boolean("fit_intercept", self.fit_intercept, owner)
            check_boolean("warm_start", self.warm_start, owner)
            check_class_weight(self.class_weight, owner)
            check_integer("max_iter", self.max_iter, owner, 1)
            check_max_time(self.max_time, owner)
            check_kernel_numbers(self)
            deadline, stages = Deadline(self.max_time), Stages()
            kernel = as_kernel(self.kernel, gamma=self.gamma, coef0=self.coef0, degree=self.degree, owner=owner, stacklevel=3)
            X, kind = training_rows(self, kernel, X)
            data = labelled_set(X, label_column(y, X), sample_weight, pairwise=kind is RowKind.PAIRWISE)
            of_features = kind in (RowKind.DENSE, RowKind.SPARSE) and kernel.input_kind == "vectors"
            looks = of_features and not deadline.is_over()
            moments = feature_scale_warning(data.X, type(self).__name__, stacklevel=2) if looks else None
            factors = class_weights(self.class_weight, data.classes, data.codes, data.weight, owner)
            weight = factors[data.codes] * data.weight
            bound = kernel.bind(data.X, data.sample_weight, moments=moments)
            gram = bound.gram(data.X)
            if moments is not None:
                require_finite(gram, moments)
            scheme = scheme_of(len(data.classes), one_vs_rest=True)
            labels = [y for _, y in scheme.subproblems(data.codes).each()]
            stages.end("validation")
            with watching(self, X, y, sample_weight, solves=len(labels)):
                runs, held = [], self._held(X, kind, data, linear=bound.is_linear)
                for k, signs in enumerate(labels):
                    side = self._side(bound, gram, data, signs)
                    if held is not None:
                        side.begin_at(held[k], float(self.intercept_[k]) if self.fit_intercept else 0.0, deadline)
                    limits = Limits(tol=1.0, max_steps=int(self.max_iter), max_seconds=deadline.left())
                    runs.append(train_perceptron(side, signs, weight, step, limits, both(None, watch_of(self), 1, 1.0)))
                stages.end("solve")
                statuses = self._proven(gram, labels, runs, deadline)
                stages.end("proof")
                self._keep(bound, kind, data, runs)
                self.shape_fit_ = shape(X)
                self._seconds = stages.seconds
                self.class_weight_ = factors
                self.status_ = max(statuses, key=lambda status: status.severity)
                self.fit_status_ = int(self.status_ is not Status.CONVERGED)
            _warn(statuses, runs, subproblem_names(scheme, data.classes))
        return self

    def _side(self, bound: BoundKernel, gram: Gram, data: TrainingSet, y: NDArray[np.float64]) -> LinearSide | KernelSide:
        if not bound.is_linear:
            return KernelSide(gram, offset=bool(self.fit_intercept))
        offset = Offset.FREE if self.fit_intercept else Offset.NONE
        return LinearSide(PrimalProblem.on(data.X, y, data.weight, PerceptronLoss(), Penalty.NONE, offset))

    def _held(self, X: Any, kind: RowKind, data: TrainingSet, *, linear: bool) -> list[NDArray[np.float64]] | None:
        """Weights of the last fit, or coefficients of all rows, for each binary classifier; None to start anew."""
        if not self.warm_start or not hasattr(self, "classes_"):
            return None
        why = None if np.array_equal(self.classes_, data.classes) else "the classes are others than before"
        if linear is not hasattr(self, "coef_"):
            why = "only one of the two kernels is linear"
        elif linear and self.coef_.shape[1] != data.X.shape[1]:
            why = why or "there are not as many weights as before"
        elif not linear:
            why = why or why_moved(self, X, kind)
        if why is not None:
            starts_anew(self, why)
            return None
        if linear:
            return list(self.coef_)
        found = []
        unknown = np.full(len(self.support_), np.inf)
        for each in on_parts([Coefficients(self.support_, row, unknown) for row in self.dual_coef_], data, None):
            found.append(np.zeros(data.n))
            found[-1][each.support] = each.beta
        return found

    def _proven(
        self, gram: Gram, labels: list[NDArray[np.float64]], runs: list[PerceptronRun], deadline: Deadline
    ) -> list[Status]:
        """Statuses: INSEPARABLE where the rounds did not suffice and the hard margin problem proves that none would."""
        statuses = [run.status for run in runs]
        spent = [k for k, status in enumerate(statuses) if status is Status.ITERATION_LIMIT]
        if spent:
            problems = [HardMargin.on(gram, labels[k], offset=bool(self.fit_intercept)) for k in spent]
            most = 100_000 + 10 * gram.n
            found = solve_batch(problems, "auto", 1e-3, most, deadline, throw=False, with_rows=False)
            for k, each in zip(spent, found, strict=True):
                # A hard margin needs y f > 0, the perceptron f ≥ 0 where y is +1: a proof must use rows of the other sign.
                if isinstance(each.proof, Inseparable) and bool((each.proof.weights[labels[k] < 0.0] > 0.0).any()):
                    statuses[k] = Status.INSEPARABLE
        return statuses

    def _keep(self, bound: BoundKernel, kind: RowKind, data: TrainingSet, runs: list[PerceptronRun]) -> None:
        for stale in {"coef_", "dual_coef_", "support_", "support_vectors_"} & vars(self).keys():
            delattr(self, stale)
        coefficients = np.stack([run.coefficients for run in runs])
        self._kernel, self._rows = bound, kind
        self.classes_ = data.classes
        self.intercept_ = np.array([run.bias for run in runs])
        self.mistakes_ = [run.mistakes for run in runs]
        self.n_iter_ = max(1, *(len(run.mistakes) - 1 for run in runs), 1)
        if bound.is_linear:
            self.coef_ = coefficients
            return
        rows = np.flatnonzero(coefficients.any(axis=0))
        self.dual_coef_ = np.ascontiguousarray(coefficients[:, rows])
        self.support_ = np.asarray(data.of_kept_rows(rows), dtype=np.int32)
        self.support_vectors_ = np.empty((0, 0)) if kind is RowKind.PAIRWISE else take_rows(data.X, rows)

    def _formula(self) -> Formula:
        return [
            ("formulation", "batch perceptron"),
            ("formula", "w ← w + ε Σ y_k φ(x_k) over the misclassified rows, until there are none"),
            ("rounds", str(self.n_iter_)),
        ]

    def _own_lines(self) -> list[tuple[str, str]]:
        fewest = sum(min(mistakes, default=0) for mistakes in self.mistakes_)
        return [("misclassified", f"{fewest} rows at best, over all binary classifiers")]

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Evaluate the binary classifiers at rows.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (m, n_features), or sequence of objects
            Rows; kernel values against all training rows, shape (m, n_samples), for a precomputed kernel.

        Returns
        -------
        ndarray of shape (m,) or (m, n_classes)
            For two classes ``f(x)``, positive for ``classes_[1]``; else a column for each class.
        """
        values = self._values(X)
        return scheme_of(len(self.classes_), one_vs_rest=True).scores(values, by_class=True)

    def predict(self, X: Any) -> NDArray[Any]:
        """Predict the class of rows.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (m, n_features), or sequence of objects
            Rows; kernel values against all training rows, shape (m, n_samples), for a precomputed kernel.

        Returns
        -------
        ndarray of shape (m,)
            Labels: for two classes ``classes_[1]`` where ``f(x) ≥ 0``, for more the class with the largest score.
        """
        values = self._values(X)
        return np.asarray(self.classes_[scheme_of(len(self.classes_), one_vs_rest=True).winners(values, break_ties=False)])

    def _values(self, X: Any) -> NDArray[np.float64]:
        """``f(x)`` of every binary classifier, shape (m, n_subproblems)."""
        check_is_fitted(self)
        classes = np.size(self.classes_)
        self._require(classes >= 2 and np.shape(self.classes_) == (classes,))
        self._require(np.shape(self.intercept_) == (1 if classes == 2 else classes,))
        if "coef_" in vars(self):
            X = canonical(checked_rows(self, X, reset=False))
            self._require(self.coef_.shape == (len(self.intercept_), X.shape[1]))
            return np.stack([linear_scores(X, w, float(b)) for w, b in zip(self.coef_, self.intercept_, strict=True)], axis=1)
        rows = new_rows(self, X)
        count = len(self.support_)
        self._require(self.dual_coef_.shape == (len(self.intercept_), count) and isinstance(self._kernel, BoundKernel))
        vectors = self.support_ if self._rows is RowKind.PAIRWISE else self.support_vectors_
        self._require((vectors.shape[0] if hasattr(vectors, "shape") else len(vectors)) == count)
        sums = self._kernel.weighted_sums(rows, vectors, np.ascontiguousarray(self.dual_coef_, dtype=np.float64), [0, count])
        return np.asarray(sums[0].T + self.intercept_)

    def _require(self, consistent: bool) -> None:
        if not consistent:
            raise InvalidInput("The internal representation of Perceptron was altered: its shapes do not fit. Fit it again.")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        pairwise = takes_matrix(self.kernel)
        tags.input_tags.pairwise = pairwise
        tags.input_tags.sparse = not pairwise
        return tags


def _warn(statuses: list[Status], runs: list[PerceptronRun], names: list[str]) -> None:
    """Warn once for all binary classifiers: about the worst status, among equals about the most wrong rows."""
    worst = max(range(len(runs)), key=lambda k: (statuses[k].severity, int(runs[k].mistakes.min())))
    status = statuses[worst]
    if status in (Status.CONVERGED, Status.INTERRUPTED):  # a callback stopped it, as was asked for
        return
    wrong = int(runs[worst].mistakes.min())
    rows = "1 row is" if wrong == 1 else f"{wrong} rows are"
    message = f"{status.name}: {status.message} ({rows} misclassified). {status.advice}"
    if len(runs) > 1:
        count = sum(each is not Status.CONVERGED for each in statuses)
        message = f"{count} of {len(runs)} binary classifiers did not converge; the worst is {names[worst]}. {message}"
    warnings.warn(message, ConvergenceWarning, stacklevel=3)
