"""Logistic regression with a kernel, with scikit-learn's interface."""

from __future__ import annotations

from typing import Any, Literal, Self, final

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from maxmargin._deadline import Deadline
from maxmargin.estimators._shared._bounds import require_finite
from maxmargin.estimators._shared._estimate import Estimating
from maxmargin.estimators._shared._fitted import RowKind, fitted_sums
from maxmargin.estimators._shared._fitting import Fitting
from maxmargin.estimators._shared._formulas import Formula
from maxmargin.estimators._shared._input import new_rows, training_rows
from maxmargin.estimators._shared._parameters import check_budget, check_class_weight, check_kernel_numbers
from maxmargin.estimators._shared._plan import ClassifierRows, Plan
from maxmargin.estimators._shared._summary import Summarised
from maxmargin.estimators._shared._warm_start import starts_anew
from maxmargin.estimators._shared._watching import CallbackSupport
from maxmargin.kernels import as_kernel, feature_scale_warning, takes_matrix
from maxmargin.problems import KernelLogistic
from maxmargin.solution import KernelLogisticSolution, probabilities_of
from maxmargin.solvers import KernelNewton
from maxmargin.validation import (
    check_boolean,
    check_positive,
    class_weights,
    label_column,
    labelled_set,
    shape,
    take_rows,
)

__all__ = ["KernelLogisticRegression"]


@final
class KernelLogisticRegression(CallbackSupport, Estimating, Summarised, ClassifierMixin, BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """Logistic regression with a kernel that proves its answer: probabilities by a model, not by calibration.

    For two classes it minimises

        ½ ‖f‖² + Σ C_i log(1 + exp(−y_i (f(x_i) + b)))

    over functions f of the kernel's space and b, with y = ±1 and ``C_i = C · sample weight · class weight``; for more classes

        ½ Σ_k ‖f_k‖² + Σ C_i (log Σ_k exp(f_k(x_i) + b_k) − f_y(x_i) − b_y)

    The offsets are not penalised. ``P(y | x)`` is σ(f + b), or the softmax of the scores. The optimum is a sum over all rows,
    ``f = Σ β_i k(x_i, ·)`` with ``β_i = C_i (t_i − p_i)``: no coefficient is 0, and a prediction needs all training rows. It is
    found by Newton's method to a proven relative gap of ``tol``, for some ten thousand rows.

    Parameters
    ----------
    C : float, default=1.0
        Factor of the loss, positive and finite: without the penalty there would be no minimum where the kernel separates the
        classes, as most do.
    kernel : str, kernel object or callable, default="rbf"
        "linear", "poly", "rbf", "sigmoid", "precomputed" or another name that `maxmargin.kernels.as_kernel` lists, such as
        "laplacian" or "chi2"; an object of :mod:`maxmargin.kernels`; or a function of two blocks of rows that returns their
        kernel values, for rows of any kind. It must be positive semidefinite.
    degree : int, default=3
        Degree of the polynomial kernel. Like gamma and coef0, it applies only to a kernel named by a string.
    gamma : "scale", "auto" or float, default="scale"
        Factor of the poly, rbf and sigmoid kernels.
    coef0 : float, default=0.0
        Constant of the poly and sigmoid kernels.
    fit_intercept : bool, default=True
        Whether there are offsets.
    class_weight : dict, "balanced" or None, default=None
        Factor of C for the rows of each class.
    tol : float, default=1e-4
        Largest gap between the two objectives, relative to the primal one.
    cache_size : "auto" or float, default="auto"
        Memory for kernel values, in MB; "auto" is a quarter of all.
    verbose : bool or int, default=False
        Show progress: a bar on a terminal, lines to the logger "maxmargin" if its INFO is handled, else to stdout.
    max_iter : int, default=-1
        Largest number of Newton rounds; −1 for an automatic, finite limit.
    max_time : float or None, default=None
        Time limit of the whole fit, in seconds; None for no limit.
    solver : "auto", "newton" or solver object, default="auto"
        Which solver to use.
    warm_start : bool, default=False
        Start from the coefficients of the last fit, if the number of rows and the classes are the same; otherwise the fit
        warns and starts from scratch.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels, sorted.
    dual_coef_ : ndarray of shape (1, n_SV) or (n_classes, n_SV)
        β of the rows.
    intercept_ : ndarray of shape (1,) or (n_classes,)
        Offsets.
    support_ : ndarray of shape (n_SV,)
        Indices of the rows: all that have a weight.
    support_vectors_ : {ndarray, sparse matrix} of shape (n_SV, n_features), or sequence of objects
        These rows; empty for a precomputed kernel.
    class_weight_ : ndarray of shape (n_classes,)
        Factor of C for each class.
    n_iter_ : ndarray of shape (1,)
        Newton rounds.
    certificate_ : Certificate
        Objectives and gap.
    status_ : Status
        How the fit ended.
    fit_status_ : int
        0 if it converged, else 1.
    shape_fit_ : tuple of int
        Shape of the X given to fit.
    n_features_in_ : int
        Number of features seen during fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of features seen during fit, if they were all strings.

    References
    ----------
    Zhu and Hastie, Kernel logistic regression and the import vector machine, Journal of Computational and Graphical Statistics
    14, 2005. Keerthi, Duan, Shevade and Poo, A fast dual algorithm for kernel logistic regression, Machine Learning 61, 2005.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from maxmargin import KernelLogisticRegression
    >>> X, y = load_iris(return_X_y=True)
    >>> model = KernelLogisticRegression(C=10.0).fit(X, y)
    >>> model.predict_proba(X[:1]).round(1), model.status_.name
    (array([[1., 0., 0.]]), 'CONVERGED')
    """

    def __init__(
        self,
        *,
        C: float = 1.0,
        kernel: Any = "rbf",
        degree: int = 3,
        gamma: float | Literal["scale", "auto"] = "scale",
        coef0: float = 0.0,
        fit_intercept: bool = True,
        class_weight: Any = None,
        tol: float = 1e-4,
        cache_size: float | Literal["auto"] = "auto",
        verbose: bool | int = False,
        max_iter: int = -1,
        max_time: float | None = None,
        solver: Any = "auto",
        warm_start: bool = False,
    ) -> None:
        self.C = C
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.fit_intercept = fit_intercept
        self.class_weight = class_weight
        self.tol = tol
        self.cache_size = cache_size
        self.verbose = verbose
        self.max_iter = max_iter
        self.max_time = max_time
        self.solver = solver
        self.warm_start = warm_start

    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Fit to training data.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features), or sequence of objects
            Training rows; kernel values of shape (n_samples, n_samples) for a precomputed kernel. float32 is kept.
        y : array-like of shape (n_samples,)
            Labels.
        sample_weight : array-like of shape (n_samples,), default=None
            Weight of each row: 2 counts the row twice; rows of weight 0 or less are left out.

        Returns
        -------
        self : KernelLogisticRegression
            The fitted model.
        """
        with Fitting(self, X, y, sample_weight) as stages:
            plan = self._plan(X, y, sample_weight)
            stages.end("validation")
            (solution,) = plan.solve()
            stages.end("solve", plan.deadline.certifying)
            self._adopt(plan.rows, solution)
        return self

    def _plan(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None) -> Plan[ClassifierRows]:
        """Validated rows, their kernel values, and the problem to solve for them."""
        owner = type(self).__name__
        C = check_positive("C", self.C, owner)
        free = check_boolean("fit_intercept", self.fit_intercept, owner)
        check_boolean("warm_start", self.warm_start, owner)
        check_class_weight(self.class_weight, owner)
        check_kernel_numbers(self)
        check_budget(self, fewest=-1)
        deadline = Deadline(self.max_time)
        kernel = as_kernel(self.kernel, gamma=self.gamma, coef0=self.coef0, degree=self.degree, owner=owner, stacklevel=4)
        X, kind = training_rows(self, kernel, X)
        data = labelled_set(X, label_column(y, X), sample_weight, pairwise=kind is RowKind.PAIRWISE)
        of_features = kind in (RowKind.DENSE, RowKind.SPARSE) and kernel.input_kind == "vectors"
        looks = of_features and not deadline.is_over()
        moments = feature_scale_warning(data.X, owner, stacklevel=3) if looks else None
        factors = class_weights(self.class_weight, data.classes, data.codes, data.weight, owner)
        bound = kernel.bind(data.X, data.sample_weight, moments=moments)
        gram = bound.gram(data.X)
        if moments is not None:
            require_finite(gram, moments)
        problem = KernelLogistic.on(gram, data.codes, data.classes, C * factors[data.codes] * data.weight, free)
        solver = KernelNewton(self.cache_size) if isinstance(self.solver, str) and self.solver == "auto" else self.solver
        start = self._start(problem)
        return Plan(
            model=self,
            problems=[problem],
            names=lambda: ["all classes"],
            solver=solver,
            deadline=deadline,
            rows=ClassifierRows(X, kind, data, gram, factors),
            starts=None if start is None else [start],
        )

    def _start(self, problem: KernelLogistic) -> KernelLogisticSolution | None:
        held = vars(self).get("_held") if self.warm_start else None
        if held is None:
            return None
        if not np.array_equal(held.classes, problem.classes):
            starts_anew(self, "the classes are others than before", stacklevel=5)
        elif held.coefficients.shape != (problem.n, problem.outputs):
            starts_anew(self, "there are not as many rows as before", stacklevel=5)
        else:
            return held  # type: ignore[no-any-return]
        return None

    def _adopt(self, rows: ClassifierRows, solution: KernelLogisticSolution) -> None:
        """Make the solution of a plan the fitted state."""
        data = rows.data
        every = np.arange(data.n)
        self._kernel, self._rows = rows.gram.kernel, rows.kind
        self.classes_ = data.classes
        self.class_weight_ = rows.factors
        self.dual_coef_ = np.ascontiguousarray(solution.coefficients.T)
        self.intercept_ = solution.bias
        self.support_ = np.asarray(data.of_kept_rows(every), dtype=np.int32)
        self.support_vectors_ = np.empty((0, 0)) if rows.kind is RowKind.PAIRWISE else take_rows(data.X, every)
        self.shape_fit_ = shape(rows.X)
        self.n_iter_ = np.array([max(1, solution.steps)], dtype=np.int32)
        self.certificate_ = solution.certificate
        self.status_ = solution.status
        self.fit_status_ = int(not solution.status.is_optimal)
        self.__dict__.pop("_held", None)
        if self.warm_start:
            self._held = solution

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Evaluate the scores of rows.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (m, n_features), or sequence of objects
            Rows; kernel values against all training rows, shape (m, n_samples), for a precomputed kernel.

        Returns
        -------
        ndarray of shape (m,) or (m, n_classes)
            For two classes ``f(x) + b``, positive for ``classes_[1]``, the logarithm of the odds; else a column for each class.
        """
        check_is_fitted(self)
        rows = new_rows(self, X)
        vectors = self.support_ if self._rows is RowKind.PAIRWISE else self.support_vectors_
        kernel, weights, offsets = fitted_sums(self, "dual_coef_", vectors)
        sums = kernel.weighted_sums(rows, vectors, weights, [0, weights.shape[1]])
        scores = np.asarray(sums[0].T + offsets)
        return scores[:, 0] if len(offsets) == 1 else scores

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Probabilities of the classes.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (m, n_features), or sequence of objects
            Rows; kernel values against all training rows, shape (m, n_samples), for a precomputed kernel.

        Returns
        -------
        ndarray of shape (m, n_classes)
        """
        return probabilities_of(self.decision_function(X))

    def predict_log_proba(self, X: Any) -> NDArray[np.float64]:
        """Logarithms of the probabilities, which keep their digits where a probability is 0 in float64.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (m, n_features), or sequence of objects
            Rows; kernel values against all training rows, shape (m, n_samples), for a precomputed kernel.

        Returns
        -------
        ndarray of shape (m, n_classes)
        """
        scores = self.decision_function(X)
        if scores.ndim == 1:
            return np.stack([-np.logaddexp(0.0, scores), -np.logaddexp(0.0, -scores)], axis=1)
        away = scores - scores.max(axis=1, keepdims=True)
        return np.asarray(away - np.log(np.exp(away).sum(axis=1, keepdims=True)))

    def predict(self, X: Any) -> NDArray[Any]:
        """Predict the class of rows.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (m, n_features), or sequence of objects
            Rows; kernel values against all training rows, shape (m, n_samples), for a precomputed kernel.

        Returns
        -------
        ndarray of shape (m,)
            The class of the highest probability.
        """
        scores = self.decision_function(X)
        best = (scores > 0.0).astype(np.intp) if scores.ndim == 1 else scores.argmax(axis=1)
        return np.asarray(self.classes_[best])

    def _formula(self) -> Formula:
        many = len(self.classes_) > 2
        formula = (
            "minimise ½ Σ_k |f_k|² + Σ C_i (log Σ_k exp(f_k(x_i) + b_k) − f_y(x_i) − b_y)"
            if many
            else "minimise ½ |f|² + Σ C_i log(1 + exp(−y_i (f(x_i) + b)))"
        )
        return [("formulation", f"{'multinomial ' if many else ''}logistic, C = {self.C:g}"), ("formula", formula)]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        pairwise = takes_matrix(self.kernel)
        tags.input_tags.pairwise = pairwise
        tags.input_tags.sparse = not pairwise
        return tags
