"""The one-class support vector machine with a linear kernel, for many rows."""

from __future__ import annotations

import warnings
from typing import Any, Final, Self, final

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, OutlierMixin
from sklearn.utils.validation import check_is_fitted

from maxmargin._deadline import Deadline
from maxmargin.errors import InvalidInput, NoMarginWarning
from maxmargin.estimators._linear._classifier import linear_rows
from maxmargin.estimators._shared._estimate import Estimating
from maxmargin.estimators._shared._fitting import Fitting
from maxmargin.estimators._shared._formulas import Formula
from maxmargin.estimators._shared._parameters import check_budget
from maxmargin.estimators._shared._plan import Plan
from maxmargin.estimators._shared._summary import Summarised
from maxmargin.estimators._shared._warm_start import hold, linear_starts
from maxmargin.estimators._shared._watching import CallbackSupport
from maxmargin.kernels import feature_scale_warning
from maxmargin.losses import Perceptron
from maxmargin.problems import Centring, PrimalProblem, require_range
from maxmargin.solution import LinearSolution, Status, linear_scores
from maxmargin.validation import WeightedRows, check_boolean, check_fraction, weighted_rows

__all__ = ["LinearOneClassSVM"]

_ROUNDING: Final = 1e-9  # of a score, as a part of the offset


@final
class LinearOneClassSVM(CallbackSupport, Estimating, Summarised, OutlierMixin, BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """One-class support vector machine with a linear kernel that proves its answer; suited to many rows and to sparse data.

    It minimises

        ½ ‖w‖² − ν W ρ + Σ w_i max(0, ρ − ⟨w, x_i⟩),   f(x) = ⟨w, x⟩ − ρ

    with sample weights ``w_i`` and their sum W, to a proven relative gap of ``tol``. It has the same optimum as
    ``OneClassSVM(kernel="linear")``, and takes the time of a linear model. On features that approximate a kernel's it is the
    one-class model of that kernel. scikit-learn's ``SGDOneClassSVM`` divides the objective by the factor ``(ν W)²``: its
    weights and its offset are these over ``ν W``, as far as its steps come.

    At most a fraction ν of the rows are outliers. Where the origin is among the rows nothing separates it from them: the
    optimum is ``w = 0``, the status says ZERO_OPTIMUM, and all rows have the score 0.

    Parameters
    ----------
    nu : float, default=0.5
        ν, in (0, 1]: upper bound on the fraction of outliers, lower bound on the fraction of support vectors.
    tol : float, default=1e-4
        Largest gap between the two objectives, relative to the primal one.
    verbose : bool or int, default=0
        Show progress: a bar on a terminal, lines to the logger "maxmargin" if its INFO is handled, else to stdout.
    max_iter : int, default=1000
        Largest number of Newton rounds.
    max_time : float or None, default=None
        Time limit of the fit, in seconds; None for no limit.
    solver : "auto", "newton" or solver object, default="auto"
        Which solver to use.
    warm_start : bool, default=False
        Start from the weights of the last fit if their number is the same; otherwise the fit warns and starts from scratch.

    Attributes
    ----------
    coef_ : ndarray of shape (1, n_features)
        Weights.
    intercept_ : ndarray of shape (1,)
        Minus ρ.
    offset_ : ndarray of shape (1,)
        ρ: ``decision_function = score_samples − offset_``.
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
    Schölkopf, Platt, Shawe-Taylor, Smola and Williamson, Estimating the support of a high-dimensional distribution, Neural
    Computation 13, 2001.

    Examples
    --------
    >>> import numpy as np
    >>> from maxmargin import LinearOneClassSVM
    >>> X = np.random.default_rng(0).normal(loc=3.0, size=(1000, 2))
    >>> model = LinearOneClassSVM(nu=0.1).fit(X)
    >>> model.predict([[3.0, 3.0], [-1.0, 0.0]]), model.status_.name
    (array([ 1, -1]), 'CONVERGED')
    >>> bool(np.mean(model.predict(X) < 0) <= 0.1)
    True
    """

    def __init__(
        self,
        *,
        nu: float = 0.5,
        tol: float = 1e-4,
        verbose: bool | int = 0,
        max_iter: int = 1000,
        max_time: float | None = None,
        solver: Any = "auto",
        warm_start: bool = False,
    ) -> None:
        self.nu = nu
        self.tol = tol
        self.verbose = verbose
        self.max_iter = max_iter
        self.max_time = max_time
        self.solver = solver
        self.warm_start = warm_start

    def fit(self, X: Any, y: Any = None, sample_weight: ArrayLike | None = None) -> Self:
        """Fit to training data.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Training rows. float32 is kept, and so are CSR matrices with 32- or 64-bit indices.
        y : ignored
            Present for scikit-learn's interface.
        sample_weight : array-like of shape (n_samples,), default=None
            Weight of each row: 2 counts the row twice; rows of weight 0 or less are left out.

        Returns
        -------
        self : LinearOneClassSVM
            The fitted model.
        """
        with Fitting(self, X, None, sample_weight) as stages:
            plan = self._plan(X, sample_weight)
            stages.end("validation")
            (solution,) = plan.solve()
            stages.end("solve", plan.deadline.certifying)
            self._adopt(solution)
        if self.status_ is Status.ZERO_OPTIMUM:
            warnings.warn(
                f"The margin is 0: at nu = {self.nu:g} the origin is inside the reduced convex hull of the rows, w = 0 is"
                " optimal, and the scores tell nothing. Raise nu, which shrinks the hull, or map the rows to features without"
                " negative values.",
                NoMarginWarning,
                stacklevel=2,
            )
        return self

    def _plan(self, X: Any, sample_weight: ArrayLike | None) -> Plan[WeightedRows]:
        """Validated rows, and the problem to solve for them."""
        owner = type(self).__name__
        share = check_fraction("nu", self.nu, owner)
        check_budget(self, fewest=0)
        check_boolean("warm_start", self.warm_start, owner)
        deadline = Deadline(self.max_time)
        X = linear_rows(self, X, reset=True)
        data = weighted_rows(X, sample_weight)
        require_range(data.weight, "sample_weight")
        centring = Centring(data.X)
        centring.know(feature_scale_warning(data.X, owner, stacklevel=3, features=centring.features))
        pull = share * float(data.weight.sum())
        ones = np.ones(len(data.weight))
        problem = PrimalProblem.on(data.X, ones, data.weight, Perceptron(), centring=centring, pull=pull)
        return Plan(
            model=self,
            problems=[problem],
            names=lambda: ["one class"],
            solver=self.solver,
            deadline=deadline,
            rows=data,
            starts=linear_starts(self, 1, X.shape[1]),
        )

    def _adopt(self, solution: LinearSolution) -> None:
        """Make the solution of a plan the fitted state."""
        self.coef_ = solution.weights[np.newaxis]
        self.intercept_ = np.array([solution.bias])
        self.n_iter_ = max(1, solution.steps)
        self.certificate_ = solution.certificate
        self.status_: Status = solution.status
        self.fit_status_ = int(not self.status_.is_optimal)
        hold(self, [solution])

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Score rows: positive for ordinary rows, negative for outliers.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (m, n_features)
            Rows.

        Returns
        -------
        ndarray of shape (m,)
        """
        check_is_fitted(self)
        rows = linear_rows(self, X, reset=False)
        coef, intercept = np.asarray(self.coef_), np.asarray(self.intercept_)
        if coef.shape != (1, rows.shape[1]) or intercept.shape != (1,) or {coef.dtype.kind, intercept.dtype.kind} != {"f"}:
            raise InvalidInput(
                f"coef_ and intercept_ of {type(self).__name__} must be arrays of floats of the shapes (1, {rows.shape[1]}) and"
                f" (1,). Got {coef.dtype} of shape {coef.shape} and {intercept.dtype} of shape {intercept.shape}. Fit it again."
            )
        values = linear_scores(rows, coef[0], float(intercept[0]))
        # a support vector on the boundary has the score 0: rounding must not make it an outlier
        values[np.abs(values) <= _ROUNDING * np.abs(intercept[0])] = 0.0
        return values

    def predict(self, X: Any) -> NDArray[np.int64]:
        """Predict 1 for ordinary rows and −1 for outliers.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (m, n_features)
            Rows.

        Returns
        -------
        ndarray of shape (m,)
        """
        return np.where(self.decision_function(X) >= 0.0, 1, -1)

    def score_samples(self, X: Any) -> NDArray[np.float64]:
        """Score rows without the offset: ``decision_function + offset_``.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (m, n_features)
            Rows.

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

    def _formula(self) -> Formula:
        return [
            ("formulation", f"one class, linear, nu = {self.nu:g}"),
            ("formula", "minimise ½ |w|² − ν W ρ + Σ w_i max(0, ρ − ⟨w, x_i⟩), f(x) = ⟨w, x⟩ − ρ"),
        ]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags
