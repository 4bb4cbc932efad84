"""One class on landmarks: which rows are ordinary, and which are not."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import partial
from typing import Any, Literal, Self, final

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import OutlierMixin
from sklearn.utils.validation import check_is_fitted

from maxmargin.errors import InvalidInput, NoMarginWarning
from maxmargin.estimators._approximate._exact import Subproblems
from maxmargin.estimators._approximate._model import ApproximateModel, Fit
from maxmargin.estimators._approximate._number import AUTO
from maxmargin.estimators._shared._formulas import Formula
from maxmargin.feature_maps import LandmarkMap
from maxmargin.kernels import takes_matrix
from maxmargin.losses import Perceptron
from maxmargin.problems import Centring, PrimalProblem, require_range
from maxmargin.solution import Status
from maxmargin.validation import check_fraction, weighted_rows

__all__ = ["ApproximateOneClass"]

_ENOUGH = 0.99  # of k(x, x): what is near that explains a row
_ROUNDING = 1e-9  # of a score, as a part of the offset


@final
class ApproximateOneClass(OutlierMixin, ApproximateModel):  # type: ignore[misc]  # scikit-learn has no types
    """One-class support vector machine with any kernel on landmarks.

    It solves

        minimise ½ ‖w‖² − ν W ρ + Σ w_i max(0, ρ − ⟨w, φ(x_i)⟩),   f(x) = ⟨w, φ(x)⟩ − ρ

    with sample weights ``w_i`` and their sum W, where φ are Nyström's features (`maxmargin.feature_maps.Nystroem`):
    ``⟨φ(x), φ(z)⟩ ≈ k(x, z)``. At most a fraction ν of the rows are outliers. Features have the
    type of X. `exact_bound` tells how far the model is from the optimum of the exact kernel.

    Parameters
    ----------
    n_components : int or "auto", default=300
        How many landmarks, at most as many as there are rows. "auto" holds a fifth of the rows out, doubles 64 landmarks until
        what they span explains held-out rows hardly better, or 99 % of their ``k(x, x)``, and fits all rows with as many;
        `auto_scores_` has what was tried.
    kernel : str, kernel object or callable, default="rbf"
        "linear", "poly", "rbf", "sigmoid", "precomputed", …; an object of :mod:`maxmargin.kernels`, of strings, graphs and
        other objects too; or a function of two blocks of rows that returns their kernel values.
    degree : int, default=3
        Degree of the polynomial kernel. Like gamma and coef0, it applies only to a kernel named by a string.
    gamma : "scale", "auto" or float, default="scale"
        Factor of the poly, rbf and sigmoid kernels: "scale" is 1 / (n_features · variance of X), "auto" is 1 / n_features.
    coef0 : float, default=0.0
        Constant of the poly and sigmoid kernels.
    landmarks : {"uniform", "kmeans", "leverage"}, default="uniform"
        As in `maxmargin.feature_maps.Nystroem`.
    rank_tol : float, default=1e-10
        Eigenvalues of the landmarks' kernel matrix up to this part of the largest are taken for 0.
    nu : float, default=0.5
        ν, in (0, 1]: upper bound on the fraction of outliers, lower bound on the fraction of support vectors.
    tol : float, default=1e-4
        Largest gap between the two objectives of the approximate problem, relative to the primal one.
    verbose : bool or int, default=0
        Show progress: a bar on a terminal, lines to the logger "maxmargin" if its INFO is handled, else to stdout.
    random_state : int, RandomState instance or None, default=None
        Draws the landmarks, and the rows that "auto" holds out.
    max_iter : int, default=1000
        Largest number of Newton rounds.
    max_time : float or None, default=None
        Time limit of the whole fit, in seconds; None for no limit. Features that are not made when it is over are 0.
    warm_start : bool, default=False
        Start from the last solution if the landmarks are the same, for which random_state must be a number; otherwise the fit
        warns and starts from scratch.

    Attributes
    ----------
    landmarks_ : ndarray, sparse matrix or list
        The landmarks; for a precomputed kernel the numbers of their rows.
    landmark_coef_ : ndarray of shape (1, n_landmarks)
        ``f(x) = Σ landmark_coef_[j] k(landmarks_[j], x) + intercept_``.
    intercept_ : ndarray of shape (1,)
        Minus ρ.
    n_components_ : int
        Number of landmarks.
    auto_scores_ : ndarray of shape (n, 2) or None
        Landmarks and mean held-out score of each fit that ``n_components="auto"`` tried.
    n_iter_ : int
        Rounds of the solver.
    certificate_ : Certificate
        Objectives and gap of the approximate problem, for the features as they were stored.
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
    Williams and Seeger, Using the Nyström method to speed up kernel machines, NeurIPS 2000.

    Examples
    --------
    >>> import numpy as np
    >>> from maxmargin import ApproximateOneClass
    >>> X = np.random.default_rng(0).normal(size=(2000, 2))
    >>> model = ApproximateOneClass(n_components=100, nu=0.1, gamma=0.5, random_state=0).fit(X)
    >>> model.predict([[0.0, 0.0], [6.0, 6.0]])
    array([ 1, -1])
    """

    def __init__(
        self,
        n_components: int | Literal["auto"] = 300,
        *,
        kernel: Any = "rbf",
        degree: int = 3,
        gamma: float | Literal["scale", "auto"] = "scale",
        coef0: float = 0.0,
        landmarks: Literal["uniform", "kmeans", "leverage"] = "uniform",
        rank_tol: float = 1e-10,
        nu: float = 0.5,
        tol: float = 1e-4,
        verbose: bool | int = 0,
        random_state: Any = None,
        max_iter: int = 1000,
        max_time: float | None = None,
        warm_start: bool = False,
    ) -> None:
        self.n_components = n_components
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.landmarks = landmarks
        self.rank_tol = rank_tol
        self.nu = nu
        self.tol = tol
        self.verbose = verbose
        self.random_state = random_state
        self.max_iter = max_iter
        self.max_time = max_time
        self.warm_start = warm_start

    def fit(self, X: Any, y: Any = None, sample_weight: ArrayLike | None = None) -> Self:
        """Fit to training data.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features), or sequence of objects
            Training rows; kernel values of shape (n_samples, n_samples) for a precomputed kernel.
        y : ignored
            Present for scikit-learn's interface.
        sample_weight : array-like of shape (n_samples,), default=None
            Weight of each row; rows of weight 0 or less are left out.

        Returns
        -------
        self : ApproximateOneClass
            The fitted model.
        """
        self._fit(X, None, sample_weight)
        if self.status_ is Status.ZERO_OPTIMUM:
            warnings.warn(
                f"The margin is 0: at nu = {self.nu:g} the origin is inside the reduced convex hull of the rows, w = 0 is"
                " optimal, and the scores tell nothing. Choose a kernel without negative values, such as RBF, or raise nu,"
                " which shrinks it.",
                NoMarginWarning,
                stacklevel=2,
            )
        return self

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Score rows: positive for ordinary rows, negative for outliers.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (m, n_features), or sequence of objects
            Rows; kernel values against all training rows for a precomputed kernel.

        Returns
        -------
        ndarray of shape (m,)
        """
        values = np.ascontiguousarray(self._values(X)[:, 0])
        # a support vector on the boundary has the score 0: rounding must not make it an outlier
        values[np.abs(values) <= _ROUNDING * np.abs(self.intercept_)] = 0.0
        return values

    def predict(self, X: Any) -> NDArray[np.int64]:
        """Predict 1 for ordinary rows and −1 for outliers.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (m, n_features), or sequence of objects
            Rows; kernel values against all training rows for a precomputed kernel.

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
            Rows; kernel values against all training rows for a precomputed kernel.

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
            ("formulation", f"one class on landmarks, nu = {self.nu:g}"),
            ("formula", "minimise ½ |w|² − ν W ρ + Σ w_i max(0, ρ − ⟨w, φ(x_i)⟩), f(x) = ⟨w, φ(x)⟩ − ρ"),
        ]

    def _check_own(self) -> None:
        check_fraction("nu", self.nu, "ApproximateOneClass")
        if self.n_components == AUTO and takes_matrix(self.kernel):
            raise InvalidInput(
                "n_components='auto' of ApproximateOneClass needs k(x, x) of held-out rows, which a precomputed kernel does not"
                " have. Give n_components a number."
            )

    def _labelled(self, X: Any, y: Any, sample_weight: Any, *, pairwise: bool) -> tuple[Any, NDArray[Any], Any]:
        data = weighted_rows(X, sample_weight, pairwise=pairwise)
        return data, np.ones(data.n), None

    def _problems(self, Z: NDArray[Any], fit: Fit) -> tuple[list[Any], Callable[[], list[str]]]:
        weight = fit.data.weight
        require_range(weight, "sample_weight")
        pull = float(self.nu) * float(weight.sum())
        problem = PrimalProblem.on(Z, np.ones(len(weight)), weight, Perceptron(), centring=Centring(Z), pull=pull)
        return [problem], partial(list, ["one class"])

    def _row_scores(
        self, values: NDArray[np.float64], target: NDArray[Any], map: LandmarkMap, rows: Any
    ) -> NDArray[np.float64]:
        own = map.kernel.diagonal(rows)
        return np.asarray(np.minimum(1.0 - map.missing(rows, own) / np.where(own > 0.0, own, 1.0), _ENOUGH))

    def _subproblems(self, fit: Fit, multipliers: NDArray[np.float64]) -> Subproblems:
        weight = fit.data.weight
        total, rho = float(self.nu) * float(weight.sum()), -float(self.intercept_[0])
        beta = np.clip(multipliers, 0.0, weight)
        below = float(beta.sum())
        if below > total:
            beta *= total / below
        elif below < total:  # what there is room for
            room = weight - beta
            beta += room * ((total - below) / float(room.sum()))

        def lost(values: NDArray[np.float64]) -> NDArray[np.float64]:
            return np.array([float((weight * np.maximum(-values[:, 0], 0.0)).sum()) - total * rho])

        return Subproblems(beta, lost, lambda k, t: 0.0, scalable=False)
