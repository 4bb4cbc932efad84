"""Support vector regression with scikit-learn's interface: a tube of given width, or of a width that is found."""

from __future__ import annotations

import math
from abc import ABC
from typing import Any, Literal, Self, final

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import RegressorMixin
from sklearn.utils.validation import check_is_fitted

from maxmargin.errors import InvalidInput
from maxmargin.estimators._kernel._fold_outputs import fit_folds
from maxmargin.estimators._kernel._outputs import KernelOutputs
from maxmargin.estimators._shared._bounds import upper_bounds
from maxmargin.estimators._shared._fitting import Fitting
from maxmargin.estimators._shared._fold_stage import FoldStage
from maxmargin.estimators._shared._formulas import Formula, nu_tube_formula, tube_formula
from maxmargin.estimators._shared._input import new_rows
from maxmargin.estimators._shared._intervals import Intervals
from maxmargin.kernels import Gram
from maxmargin.problems import EpsilonRegression, NuRegression, Problem, Tube
from maxmargin.validation import check_boolean, check_fraction, check_non_negative, check_positive, target_columns

__all__ = ["SVR", "NuSVR"]


class _TubeRegressor(Intervals, RegressorMixin, KernelOutputs, ABC):  # type: ignore[misc]  # scikit-learn has no types
    """Fitting and prediction; each subclass defines its tube."""

    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Fit to training data.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features), or sequence of objects
            Training rows; kernel values of shape (n_samples, n_samples) for a precomputed kernel. float32 is
            kept.
        y : array-like of shape (n_samples,) or (n_samples, n_outputs)
            Targets; several outputs share the kernel values.
        sample_weight : array-like of shape (n_samples,), default=None
            Factor of C for each row; rows of weight 0 or less are left out.

        Returns
        -------
        self : estimator
            The fitted model.
        """
        with Fitting(self, X, y, sample_weight, solves=2 if self.interval else 1) as stages:
            wants_interval = check_boolean("interval", self.interval, type(self).__name__)
            if wants_interval and math.isinf(self.C):
                raise InvalidInput("interval=True needs a finite C: with C=inf no row can be held out. Choose a large C.")
            plan = self._plan(X, y, sample_weight, target_columns)
            stages.end("validation")
            found = plan.solve()
            stages.end("solve", plan.deadline.certifying)
            for stale in ("_fold_outputs", "_residuals"):
                self.__dict__.pop(stale, None)
            self._adopt(plan, found)
            stages.end("assembly")
            if wants_interval:
                with FoldStage(found, "intervals"):
                    self._fold_outputs, self._residuals = fit_folds(self, plan, found)
                stages.end("intervals")
        return self

    def _of_folds(self, X: Any) -> NDArray[np.float64]:
        return self._fold_outputs.values(self._kernel, new_rows(self, X))

    def predict(self, X: Any) -> NDArray[np.float64]:
        """Predict the targets of rows.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (m, n_features), or sequence of objects
            Rows; kernel values against all training rows, shape (m, n_samples), for a precomputed kernel.

        Returns
        -------
        ndarray of shape (m,) or (m, n_outputs)
        """
        values = self._values(X)
        return values[:, 0] if values.shape[1] == 1 else values

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags


@final
class SVR(_TubeRegressor):
    """Support vector regression that proves its answer.

    It minimises

        ½ ‖w‖² + Σ C_i max(0, |f(x_i) − y_i| − ε),   f(x) = ⟨w, φ(x)⟩ + b,   ⟨φ(x), φ(z)⟩ = k(x, z)

    through its dual, with ``C_i = C · sample weight``, and reports how far from the optimum it stopped (``certificate_``). It
    is a drop-in replacement for scikit-learn's ``SVR``: same names, shapes, orders and signs.

    Parameters
    ----------
    C : float, default=1.0
        Cost of leaving the tube, positive. ``inf`` requires all rows to be inside the tube. If no function achieves this, `fit`
        raises `InfeasibleError` with a proof, which includes a lower bound on the ε needed (``solution.proof.epsilon``); an ε
        of this size need not suffice.
    epsilon : float, default=0.1
        Half the width of the tube, at least 0.
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
        Largest number of SMO iterations for each output; −1 for an automatic, finite limit.
    max_time : float or None, default=None
        Time limit of the whole fit, in seconds; None for no limit.
    solver : {"auto", "smo"} or solver object, default="auto"
        Which solver to use.
    warm_start : bool, default=False
        Start from the solution of the last fit. C, kernel parameters and weights may change, and rows may be added at the end,
        as long as the support vectors keep their row numbers. Otherwise the fit warns and starts from scratch.
    interval : bool, default=False
        Whether to fit ``predict_interval`` as well: 5 folds more, with the kernel of the fit.

    Attributes
    ----------
    support_ : ndarray of shape (n_SV,)
        Indices of the support vectors, ascending.
    support_vectors_ : {ndarray, sparse matrix} of shape (n_SV, n_features), or list
        These rows; empty for a precomputed kernel.
    n_support_ : ndarray of shape (1,)
        Number of support vectors.
    dual_coef_ : {ndarray, sparse matrix} of shape (n_outputs, n_SV)
        Coefficients, one row for each output: the difference of the two multipliers of each support vector.
    coef_ : {ndarray, sparse matrix} of shape (n_outputs, n_features)
        Weight vectors; only for a linear kernel. Read only.
    intercept_ : ndarray of shape (n_outputs,)
        Offsets.
    certificate_ : Certificate
        Objectives summed over the outputs, with the worst relative gap and violation.
    solutions_ : list of Solution
        Solution for each output. Row numbers refer to the X given to fit.
    status_ : Status
        How the fit ended.
    fit_status_ : int
        0 if converged, else 1.
    n_iter_ : int
        Largest number of pair steps of any output.
    shape_fit_ : tuple of int
        Shape of the X given to fit.
    n_features_in_ : int
        Number of features seen during fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of features seen during fit, if they were all strings.

    Notes
    -----
    A weight of 2 counts the row twice, and a weight of 0 or less leaves it out.

    References
    ----------
    Smola and Schölkopf, A tutorial on support vector regression, Statistics and Computing 14, 2004.

    Examples
    --------
    >>> import numpy as np
    >>> from maxmargin import SVR
    >>> X = np.linspace(0, 6, 50)[:, np.newaxis]
    >>> model = SVR(C=10.0, epsilon=0.05).fit(X, np.sin(X[:, 0]))
    >>> bool(abs(model.predict([[1.5]])[0] - np.sin(1.5)) < 0.06)
    True
    >>> model.certificate_.relative_gap < 1e-3
    True
    """

    def __init__(
        self,
        *,
        C: float = 1.0,
        epsilon: float = 0.1,
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
        interval: bool = False,
    ) -> None:
        self.C = C
        self.epsilon = epsilon
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
        self.interval = interval

    def _formula(self) -> Formula:
        return tube_formula(self.C, self.epsilon)

    def _check_own(self) -> None:
        check_positive("C", self.C, "SVR", infinite=True)
        check_non_negative("epsilon", self.epsilon, "SVR")

    def _problem(self, gram: Gram, y: NDArray[np.float64], weight: NDArray[np.float64]) -> Problem:
        upper = np.full(len(weight), np.inf) if math.isinf(self.C) else upper_bounds(self.C, weight)
        return EpsilonRegression.on(gram, y, upper, float(self.epsilon))


@final
class NuSVR(_TubeRegressor):
    """ν-support vector regression that proves its answer: it finds the width of its tube from ν.

    It minimises, over w, b and the half-width ε of the tube,

        ½ ‖w‖² + C ν W ε + Σ C_i max(0, |f(x_i) − y_i| − ε),   f(x) = ⟨w, φ(x)⟩ + b,   ⟨φ(x), φ(z)⟩ = k(x, z)

    with ``C_i = C · sample weight`` and W the sum of the weights. At most a fraction ν of the rows are outside the tube, and at
    least that fraction are support vectors. It is a drop-in replacement for scikit-learn's ``NuSVR``.

    Parameters
    ----------
    nu : float, default=0.5
        ν, in (0, 1]: upper bound on the fraction of rows outside the tube, lower bound on the fraction of support vectors.
    C : float, default=1.0
        Cost of leaving the tube, positive.
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
        Largest number of SMO iterations for each output; −1 for an automatic, finite limit.
    max_time : float or None, default=None
        Time limit of the whole fit, in seconds; None for no limit.
    solver : {"auto", "smo"} or solver object, default="auto"
        Which solver to use.
    warm_start : bool, default=False
        Start from the solution of the last fit. C, kernel parameters and weights may change, and rows may be added at the end,
        as long as the support vectors keep their row numbers. Otherwise the fit warns and starts from scratch.
    interval : bool, default=False
        Whether to fit ``predict_interval`` as well: 5 folds more, with the kernel of the fit.

    Attributes
    ----------
    epsilon_ : ndarray of shape (n_outputs,)
        Half the width of the tube that was found.
    support_ : ndarray of shape (n_SV,)
        Indices of the support vectors, ascending.
    support_vectors_ : {ndarray, sparse matrix} of shape (n_SV, n_features), or list
        These rows; empty for a precomputed kernel.
    n_support_ : ndarray of shape (1,)
        Number of support vectors.
    dual_coef_ : {ndarray, sparse matrix} of shape (n_outputs, n_SV)
        Coefficients, one row for each output: the difference of the two multipliers of each support vector.
    coef_ : {ndarray, sparse matrix} of shape (n_outputs, n_features)
        Weight vectors; only for a linear kernel. Read only.
    intercept_ : ndarray of shape (n_outputs,)
        Offsets.
    certificate_ : Certificate
        Objectives summed over the outputs, with the worst relative gap and violation.
    solutions_ : list of Solution
        Solution for each output. Row numbers refer to the X given to fit.
    status_ : Status
        How the fit ended.
    fit_status_ : int
        0 if converged, else 1.
    n_iter_ : int
        Largest number of pair steps of any output.
    shape_fit_ : tuple of int
        Shape of the X given to fit.
    n_features_in_ : int
        Number of features seen during fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of features seen during fit, if they were all strings.

    References
    ----------
    Schölkopf, Smola, Williamson and Bartlett, New support vector algorithms, Neural Computation 12, 2000.

    Examples
    --------
    >>> import numpy as np
    >>> from maxmargin import NuSVR
    >>> rng = np.random.default_rng(0)
    >>> X = np.linspace(0, 6, 200)[:, np.newaxis]
    >>> model = NuSVR(nu=0.2, C=10.0).fit(X, np.sin(X[:, 0]) + 0.1 * rng.normal(size=200))
    >>> outside = np.mean(model.solutions_[0].slack > 1e-3)
    >>> bool(outside <= 0.2 <= len(model.support_) / 200)
    True
    """

    def __init__(
        self,
        *,
        nu: float = 0.5,
        C: float = 1.0,
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
        interval: bool = False,
    ) -> None:
        self.nu = nu
        self.C = C
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
        self.interval = interval

    def _formula(self) -> Formula:
        return nu_tube_formula(self.C, self.nu)

    def _own_lines(self) -> list[tuple[str, str]]:
        return [("epsilon", ", ".join(f"{each:.6g}" for each in self.epsilon_))]

    def _check_own(self) -> None:
        check_fraction("nu", self.nu, "NuSVR")
        check_positive("C", self.C, "NuSVR")

    def _problem(self, gram: Gram, y: NDArray[np.float64], weight: NDArray[np.float64]) -> Problem:
        return NuRegression.on(gram, y, upper_bounds(self.C, weight), float(self.nu))

    @property
    def epsilon_(self) -> NDArray[np.float64]:
        """Half the width of the tube of each output."""
        check_is_fitted(self)
        return np.array([slack_rule.epsilon for slack_rule in self._slack_rules if isinstance(slack_rule, Tube)])
