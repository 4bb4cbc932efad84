"""Support vector regression on landmarks."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, Literal, final

import numpy as np
from numpy.typing import NDArray
from sklearn.base import RegressorMixin

from maxmargin.estimators._approximate._exact import LossTerms, Subproblems
from maxmargin.estimators._approximate._model import ApproximateModel, Fit
from maxmargin.estimators._shared._bounds import upper_bounds
from maxmargin.estimators._shared._formulas import Formula
from maxmargin.feature_maps import LandmarkMap
from maxmargin.losses import EpsilonInsensitive, SquaredEpsilonInsensitive
from maxmargin.problems import Centring, Offset, Penalty, PrimalProblem, require_range
from maxmargin.validation import (
    check_boolean,
    check_non_negative,
    check_option,
    check_positive,
    target_column,
    weighted_rows,
)

__all__ = ["ApproximateSVR"]


@final
class ApproximateSVR(RegressorMixin, ApproximateModel):  # type: ignore[misc]  # scikit-learn has no types
    """Support vector regression with any kernel on landmarks: time and memory grow with the number of rows.

    It solves

        minimise ½ ‖w‖² + Σ C_i ℓ(y_i − f(x_i)),   f(x) = ⟨w, φ(x)⟩ + b

    to a proven relative gap of ``tol``, where φ are Nyström's features (`maxmargin.feature_maps.Nystroem`):
    ``⟨φ(x), φ(z)⟩ ≈ k(x, z)``, and ``ℓ(r) = max(0, |r| − ε)`` or its square. Features have the
    type of X. `exact_bound` tells how far the model is from the optimum of the exact kernel.

    Parameters
    ----------
    n_components : int or "auto", default=300
        How many landmarks, at most as many as there are rows. "auto" holds a fifth of the rows out, doubles 64 landmarks until
        twice as many predict them no better, and fits all rows with as many; `auto_scores_` has what was tried.
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
    C : float, default=1.0
        Factor of the loss, positive.
    epsilon : float, default=0.1
        Half the width of the tube, in which nothing is lost.
    loss : {"squared_epsilon_insensitive", "epsilon_insensitive"}, default="squared_epsilon_insensitive"
        The square of what is outside of the tube, or that itself, which is the loss of `SVR` and takes longer.
    fit_intercept : bool, default=True
        Whether f has an offset.
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
        Offset.
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
    >>> from maxmargin import ApproximateSVR
    >>> X = np.linspace(0.0, 6.0, 500)[:, np.newaxis]
    >>> model = ApproximateSVR(n_components=30, gamma=1.0, C=100.0, epsilon=0.01, random_state=0).fit(X, np.sin(X[:, 0]))
    >>> bool(np.abs(model.predict(X) - np.sin(X[:, 0])).max() < 0.02), model.status_.name
    (True, 'CONVERGED')
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
        C: float = 1.0,
        epsilon: float = 0.1,
        loss: Literal["squared_epsilon_insensitive", "epsilon_insensitive"] = "squared_epsilon_insensitive",
        fit_intercept: bool = True,
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
        self.C = C
        self.epsilon = epsilon
        self.loss = loss
        self.fit_intercept = fit_intercept
        self.tol = tol
        self.verbose = verbose
        self.random_state = random_state
        self.max_iter = max_iter
        self.max_time = max_time
        self.warm_start = warm_start

    def predict(self, X: Any) -> NDArray[np.float64]:
        """Predict the targets of rows.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (m, n_features), or sequence of objects
            Rows; kernel values against all training rows for a precomputed kernel.

        Returns
        -------
        ndarray of shape (m,)
            ``f(x)``.
        """
        return np.ascontiguousarray(self._values(X)[:, 0])

    def _formula(self) -> Formula:
        square = "²" if self.loss == "squared_epsilon_insensitive" else ""
        return [
            ("formulation", f"epsilon-regression on landmarks, C = {self.C:g}, epsilon = {self.epsilon:g}"),
            ("formula", f"minimise ½ |w|² + Σ C_i max(0, |y_i − f(x_i)| − ε){square}, f(x) = ⟨w, φ(x)⟩ + b"),
        ]

    def _loss(self) -> EpsilonInsensitive | SquaredEpsilonInsensitive:
        epsilon = float(self.epsilon)
        return EpsilonInsensitive(epsilon) if self.loss == "epsilon_insensitive" else SquaredEpsilonInsensitive(epsilon)

    def _check_own(self) -> None:
        owner = "ApproximateSVR"
        check_positive("C", self.C, owner)
        check_non_negative("epsilon", self.epsilon, owner)
        check_option("loss", self.loss, owner, ("epsilon_insensitive", "squared_epsilon_insensitive"))
        check_boolean("fit_intercept", self.fit_intercept, owner)

    def _labelled(self, X: Any, y: Any, sample_weight: Any, *, pairwise: bool) -> tuple[Any, NDArray[Any], Any]:
        target = target_column(y, X)
        data = weighted_rows(X, sample_weight, pairwise=pairwise)
        return data, data.of_kept(target), None

    def _costs(self, fit: Fit) -> NDArray[np.float64]:
        cost = upper_bounds(float(self.C), fit.data.weight)
        require_range(cost, "C", fit.target)
        return cost

    def _problems(self, Z: NDArray[Any], fit: Fit) -> tuple[list[Any], Callable[[], list[str]]]:
        offset = Offset.FREE if self.fit_intercept else Offset.NONE
        problem = PrimalProblem.on(Z, fit.target, self._costs(fit), self._loss(), Penalty.L2, offset, centring=Centring(Z))
        return [problem], partial(list, ["regression"])

    def _row_scores(
        self, values: NDArray[np.float64], target: NDArray[Any], map: LandmarkMap, rows: Any
    ) -> NDArray[np.float64]:
        variance = float(np.var(target))
        return np.asarray(1.0 - np.square(values[:, 0] - target) / (variance if variance > 0.0 else 1.0))

    def _subproblems(self, fit: Fit, multipliers: NDArray[np.float64]) -> Subproblems:
        cost = self._costs(fit)
        alpha = np.clip(multipliers, -cost, cost) if self.loss == "epsilon_insensitive" else multipliers
        y = fit.target[np.newaxis]
        return LossTerms(self._loss(), y, cost, alpha, bool(self.fit_intercept)).subproblems()
