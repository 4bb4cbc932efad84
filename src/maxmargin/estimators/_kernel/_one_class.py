"""One-class models with scikit-learn's interface: which rows are ordinary, and which are not."""

from __future__ import annotations

import math
from abc import ABC
from typing import Any, Literal, Self, final

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import OutlierMixin
from sklearn.utils.validation import check_is_fitted

from maxmargin.estimators._kernel._outputs import KernelOutputs
from maxmargin.estimators._shared._fitting import Fitting
from maxmargin.estimators._shared._formulas import Formula
from maxmargin.kernels import Gram
from maxmargin.problems import Ball, DataDescription, OneClass, Problem
from maxmargin.validation import check_fraction, length

__all__ = ["SVDD", "OneClassSVM"]


ROUNDING = 1e-9  # of a score, as a part of the offset


class _OneClassModel(OutlierMixin, KernelOutputs, ABC):  # type: ignore[misc]  # scikit-learn has no types
    """Fitting and prediction; each subclass defines the shape around the class."""

    def __init__(
        self,
        *,
        nu: float = 0.5,
        kernel: Any = "rbf",
        degree: int = 3,
        gamma: float | Literal["scale", "auto"] = "scale",
        coef0: float = 0.0,
        shrinking: bool = True,
        tol: float = 1e-3,
        cache_size: float | Literal["auto"] = "auto",
        verbose: bool | int = False,
        max_iter: int = -1,
        max_time: float | None = None,
        solver: Any = "auto",
        warm_start: bool = False,
    ) -> None:
        self.nu = nu
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.shrinking = shrinking
        self.tol = tol
        self.cache_size = cache_size
        self.verbose = verbose
        self.max_iter = max_iter
        self.max_time = max_time
        self.solver = solver
        self.warm_start = warm_start

    def fit(self, X: Any, y: Any = None, sample_weight: ArrayLike | None = None) -> Self:
        """Fit to training data.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features), or sequence of objects
            Training rows; kernel values of shape (n_samples, n_samples) for a precomputed kernel. float32 is
            kept.
        y : ignored
            Present for scikit-learn's interface.
        sample_weight : array-like of shape (n_samples,), default=None
            Weight of each row; rows of weight 0 or less are left out.

        Returns
        -------
        self : estimator
            The fitted model.
        """
        with Fitting(self, X, None, sample_weight) as stages:
            plan = self._plan(X, None, sample_weight, lambda _, rows: np.ones(length(rows)))
            stages.end("validation")
            found = plan.solve()
            stages.end("solve", plan.deadline.certifying)
            self._adopt(plan, found)
            stages.end("assembly")
        return self

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Score rows: positive for ordinary rows, negative for outliers.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (m, n_features), or sequence of objects
            Rows; kernel values against all training rows, shape (m, n_samples), for a precomputed kernel.

        Returns
        -------
        ndarray of shape (m,)
        """
        values = self._values(X)[:, 0]
        # a support vector on the boundary has the score 0: rounding must not make it an outlier
        values[np.abs(values) <= ROUNDING * np.abs(self.offset_)] = 0.0
        return values

    def predict(self, X: Any) -> NDArray[np.int64]:
        """Predict 1 for ordinary rows and −1 for outliers.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (m, n_features), or sequence of objects
            Rows; kernel values against all training rows, shape (m, n_samples), for a precomputed kernel.

        Returns
        -------
        ndarray of shape (m,)
        """
        return np.where(self.decision_function(X) >= 0.0, 1, -1)

    def score_samples(self, X: Any) -> NDArray[np.float64]:
        """Score rows without the offset: ``decision_function + offset_``.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (m, n_features), or sequence of objects
            Rows; kernel values against all training rows, shape (m, n_samples), for a precomputed kernel.

        Returns
        -------
        ndarray of shape (m,)
        """
        return self.decision_function(X) + self.offset_

    @property
    def offset_(self) -> NDArray[np.float64]:
        """Minus the intercept, of shape (1,)."""
        check_is_fitted(self)
        return -np.asarray(self.intercept_)

    def _check_own(self) -> None:
        check_fraction("nu", self.nu, type(self).__name__)


@final
class OneClassSVM(_OneClassModel):
    """One-class support vector machine: a region that contains most rows, with a proof of optimality.

    It minimises

        ½ ‖w‖² − ν W ρ + Σ w_i max(0, ρ − ⟨w, φ(x_i)⟩),   f(x) = ⟨w, φ(x)⟩ − ρ,   ⟨φ(x), φ(z)⟩ = k(x, z)

    with sample weights ``w_i`` and their sum W. At most a fraction ν of the rows are outliers, and at least that fraction are
    support vectors. It is a drop-in replacement for scikit-learn's ``OneClassSVM``.

    Parameters
    ----------
    nu : float, default=0.5
        ν, in (0, 1]: upper bound on the fraction of outliers, lower bound on the fraction of support vectors.
    kernel : str, kernel object or callable, default="rbf"
        "linear", "poly", "rbf", "sigmoid", "precomputed" or another name that `maxmargin.kernels.as_kernel` lists, such as
        "laplacian" or "chi2"; an object of :mod:`maxmargin.kernels`, whose parameters a grid search can set
        (``kernel__gamma``); or a function of two blocks of rows that returns their kernel values. With a function the rows
        may be any objects: strings, graphs.
    degree : int, default=3
        Degree of the polynomial kernel. Like gamma and coef0, it applies only to a kernel named by a string.
    gamma : "scale", "auto" or float, default="scale"
        Factor of the poly, rbf and sigmoid kernels: "scale" is 1 / (n_features · variance of X), "auto" is
        1 / n_features.
    coef0 : float, default=0.0
        Constant of the poly and sigmoid kernels.
    shrinking : bool, default=True
        Leave rows that have settled at a bound out of the search for a while.
    tol : float, default=1e-3
        Largest violation of the optimality conditions at which to stop.
    cache_size : "auto" or float, default="auto"
        Memory for kernel values, in MB; "auto" is a quarter of all. Kernels of objects and functions keep up to 537 MB besides.
    verbose : bool or int, default=False
        Show progress: a bar on a terminal, lines to the logger "maxmargin" if its INFO is handled, else to stdout.
    max_iter : int, default=-1
        Largest number of SMO iterations; −1 for an automatic, finite limit.
    max_time : float or None, default=None
        Time limit of the whole fit, in seconds; None for no limit.
    solver : {"auto", "smo"} or solver object, default="auto"
        Which solver to use.
    warm_start : bool, default=False
        Start from the solution of the last fit. ν, kernel parameters and weights may change, and rows may be added at the end,
        as long as the support vectors keep their row numbers. Otherwise the fit warns and starts from scratch.

    Attributes
    ----------
    support_ : ndarray of shape (n_SV,)
        Indices of the support vectors, ascending.
    support_vectors_ : {ndarray, sparse matrix} of shape (n_SV, n_features), or list
        These rows; empty for a precomputed kernel.
    n_support_ : ndarray of shape (1,)
        Number of support vectors.
    dual_coef_ : {ndarray, sparse matrix} of shape (1, n_SV)
        Coefficients of the support vectors.
    coef_ : {ndarray, sparse matrix} of shape (1, n_features)
        Weight vector; only for a linear kernel. Read only.
    intercept_ : ndarray of shape (1,)
        Minus ρ.
    offset_ : ndarray of shape (1,)
        ρ: ``decision_function = score_samples − offset_``.
    certificate_ : Certificate
        Objectives, gap and violation.
    solutions_ : list of Solution
        The one solution. Its row numbers refer to the X given to fit.
    status_ : Status
        How the fit ended.
    fit_status_ : int
        0 if converged, else 1.
    n_iter_ : int
        Pair steps.
    shape_fit_ : tuple of int
        Shape of the X given to fit.
    n_features_in_ : int
        Number of features seen during fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of features seen during fit, if they were all strings.

    References
    ----------
    Schölkopf, Platt, Shawe-Taylor, Smola and Williamson, Estimating the support of a high-dimensional distribution, Neural
    Computation 13, 2001.

    Examples
    --------
    >>> import numpy as np
    >>> from maxmargin import OneClassSVM
    >>> X = np.random.default_rng(0).normal(size=(200, 2))
    >>> model = OneClassSVM(nu=0.1, gamma=0.5).fit(X)
    >>> model.predict([[0.0, 0.0], [6.0, 6.0]])
    array([ 1, -1])
    >>> bool(np.mean(model.predict(X) < 0) <= 0.1)
    True
    """

    def _formula(self) -> Formula:
        return [
            ("formulation", f"one class, nu = {self.nu:g}"),
            ("formula", "minimise ½ |w|² − ν W ρ + Σ w_i max(0, ρ − ⟨w, φ(x_i)⟩), f(x) = ⟨w, φ(x)⟩ − ρ"),
        ]

    def _problem(self, gram: Gram, y: NDArray[np.float64], weight: NDArray[np.float64]) -> Problem:
        return OneClass.on(gram, weight, float(self.nu))


@final
class SVDD(_OneClassModel):
    """The smallest ball around most rows in the feature space of the kernel, with a proof of optimality.

    Support vector data description minimises

        R² + Σ w_i max(0, ‖φ(x_i) − c‖² − R²) / (ν W),   f(x) = (R² − ‖φ(x) − c‖²) / 2,   ⟨φ(x), φ(z)⟩ = k(x, z)

    over the centre c and the radius R, with sample weights ``w_i`` and their sum W. At most a fraction ν of the rows are
    outside. For an RBF kernel it accepts the same rows as `OneClassSVM`.

    Parameters
    ----------
    nu : float, default=0.5
        In (0, 1]; below 1 / n_samples no row is left outside.
    kernel : str, kernel object or callable, default="rbf"
        "linear", "poly", "rbf", "sigmoid", "precomputed" or another name that `maxmargin.kernels.as_kernel` lists, such as
        "laplacian" or "chi2"; an object of :mod:`maxmargin.kernels`, whose parameters a grid search can set
        (``kernel__gamma``); or a function of two blocks of rows that returns their kernel values. With a function the rows
        may be any objects: strings, graphs.
    degree : int, default=3
        Degree of the polynomial kernel. Like gamma and coef0, it applies only to a kernel named by a string.
    gamma : "scale", "auto" or float, default="scale"
        Factor of the poly, rbf and sigmoid kernels: "scale" is 1 / (n_features · variance of X), "auto" is
        1 / n_features.
    coef0 : float, default=0.0
        Constant of the poly and sigmoid kernels.
    shrinking : bool, default=True
        Leave rows that have settled at a bound out of the search for a while.
    tol : float, default=1e-3
        Largest violation of the optimality conditions at which to stop.
    cache_size : "auto" or float, default="auto"
        Memory for kernel values, in MB; "auto" is a quarter of all. Kernels of objects and functions keep up to 537 MB besides.
    verbose : bool or int, default=False
        Show progress: a bar on a terminal, lines to the logger "maxmargin" if its INFO is handled, else to stdout.
    max_iter : int, default=-1
        Largest number of SMO iterations; −1 for an automatic, finite limit.
    max_time : float or None, default=None
        Time limit of the whole fit, in seconds; None for no limit.
    solver : {"auto", "smo"} or solver object, default="auto"
        Which solver to use.
    warm_start : bool, default=False
        Start from the solution of the last fit. ν, kernel parameters and weights may change, and rows may be added at the end,
        as long as the support vectors keep their row numbers. Otherwise the fit warns and starts from scratch.

    Attributes
    ----------
    radius_ : float
        R.
    support_ : ndarray of shape (n_SV,)
        Indices of the support vectors, ascending.
    support_vectors_ : {ndarray, sparse matrix} of shape (n_SV, n_features), or list
        These rows; empty for a precomputed kernel.
    n_support_ : ndarray of shape (1,)
        Number of support vectors.
    dual_coef_ : {ndarray, sparse matrix} of shape (1, n_SV)
        Coefficients of the support vectors.
    coef_ : {ndarray, sparse matrix} of shape (1, n_features)
        The centre c; only for a linear kernel. Read only.
    intercept_ : ndarray of shape (1,)
        ``(R² − ‖c‖²) / 2``.
    offset_ : ndarray of shape (1,)
        Minus the intercept: ``decision_function = score_samples − offset_``.
    certificate_ : Certificate
        Objectives, gap and violation.
    solutions_ : list of Solution
        The one solution. Its row numbers refer to the X given to fit.
    status_ : Status
        How the fit ended.
    fit_status_ : int
        0 if converged, else 1.
    n_iter_ : int
        Pair steps.
    shape_fit_ : tuple of int
        Shape of the X given to fit.
    n_features_in_ : int
        Number of features seen during fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of features seen during fit, if they were all strings.

    References
    ----------
    Tax and Duin, Support vector data description, Machine Learning 54, 2004.

    Examples
    --------
    >>> import numpy as np
    >>> from maxmargin import SVDD
    >>> model = SVDD(kernel="linear", nu=0.1).fit([[0.0, 0.0], [2.0, 0.0], [1.0, 0.5]])
    >>> round(model.radius_, 6), model.coef_.round(6)
    (1.0, array([[1., 0.]]))
    """

    def _formula(self) -> Formula:
        return [
            ("formulation", f"data description by a ball, nu = {self.nu:g}"),
            ("formula", "minimise R² + Σ w_i max(0, |φ(x_i) − c|² − R²) / (ν W) over c and R"),
        ]

    def _own_lines(self) -> list[tuple[str, str]]:
        return [("radius", f"{self.radius_:.6g}")]

    def _problem(self, gram: Gram, y: NDArray[np.float64], weight: NDArray[np.float64]) -> Problem:
        return DataDescription.on(gram, weight, float(self.nu))

    @property
    def radius_(self) -> float:
        """Radius of the ball."""
        check_is_fitted(self)
        (ball,) = self._slack_rules
        return ball.radius if isinstance(ball, Ball) else math.nan
