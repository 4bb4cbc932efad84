"""Support vector classification on landmarks."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, Literal, Self, final

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import ClassifierMixin
from sklearn.utils.validation import check_random_state

from maxmargin.blocks import RowBlocks
from maxmargin.errors import InvalidInput
from maxmargin.estimators._approximate._blocks import fit_blocks
from maxmargin.estimators._approximate._exact import LossTerms, Subproblems
from maxmargin.estimators._approximate._model import ApproximateModel, Fit
from maxmargin.estimators._linear._blocks import BlockRowsOf
from maxmargin.estimators._shared._bounds import upper_bounds
from maxmargin.estimators._shared._fitting import Fitting
from maxmargin.estimators._shared._formulas import Formula, linear_formula
from maxmargin.estimators._shared._parameters import check_class_weight
from maxmargin.estimators._shared._schemes import scheme_of, subproblem_names
from maxmargin.feature_maps import LandmarkMap
from maxmargin.losses import Hinge, SquaredHinge
from maxmargin.problems import Centring, Offset, Penalty, PrimalProblem
from maxmargin.solution import BlockSolution
from maxmargin.validation import check_boolean, check_option, check_positive, class_weights, label_column, labelled_set

__all__ = ["ApproximateSVC"]


@final
class ApproximateSVC(ClassifierMixin, ApproximateModel):  # type: ignore[misc]  # scikit-learn has no types
    """Support vector classification with any kernel on landmarks: time and memory grow with the number of rows.

    It solves

        minimise ½ ‖w‖² + Σ C_i ℓ(y_i f(x_i)),   f(x) = ⟨w, φ(x)⟩ + b

    to a proven relative gap of ``tol``, where φ are Nyström's features (`maxmargin.feature_maps.Nystroem`):
    ``⟨φ(x), φ(z)⟩ ≈ k(x, z)``. With as many landmarks as rows it is `SVC` with
    ``multi_class="ovr"``. Features have the type of X: float32 rows take 4 bytes for each landmark and row. `exact_bound` tells
    how far the model is from the optimum of the exact kernel.

    Parameters
    ----------
    n_components : int or "auto", default=300
        How many landmarks, at most as many as there are rows. "auto" holds a fifth of the rows out, doubles 64 landmarks until
        twice as many classify them no better, and fits all rows with as many; `auto_scores_` has what was tried.
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
    loss : {"squared_hinge", "hinge"}, default="squared_hinge"
        ``max(0, 1 − z)²``, or ``max(0, 1 − z)``, which is that of `SVC` and takes longer.
    fit_intercept : bool, default=True
        Whether f has an offset.
    class_weight : dict, "balanced" or None, default=None
        Factor of C for each class; "balanced" gives every class the same total weight.
    tol : float, default=1e-4
        Largest gap between the two objectives of the approximate problem, relative to the primal one.
    verbose : bool or int, default=0
        Show progress: a bar on a terminal, lines to the logger "maxmargin" if its INFO is handled, else to stdout.
    random_state : int, RandomState instance or None, default=None
        Draws the landmarks, and the rows that "auto" holds out.
    max_iter : int, default=1000
        Largest number of Newton rounds for each binary classifier.
    max_time : float or None, default=None
        Time limit of the whole fit, in seconds; None for no limit. Features that are not made when it is over are 0.
    warm_start : bool, default=False
        Start from the last solution if the landmarks are the same, for which random_state must be a number; otherwise the fit
        warns and starts from scratch.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels, sorted.
    class_weight_ : ndarray of shape (n_classes,)
        Factor of C for each class.
    landmarks_ : ndarray, sparse matrix or list
        The landmarks; for a precomputed kernel the numbers of their rows.
    landmark_coef_ : ndarray of shape (1, n_landmarks) or (n_classes, n_landmarks)
        ``f(x) = Σ landmark_coef_[j] k(landmarks_[j], x) + intercept_``.
    intercept_ : ndarray of shape (1,) or (n_classes,)
        Offsets.
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
    >>> from sklearn.datasets import make_moons
    >>> from maxmargin import ApproximateSVC
    >>> X, y = make_moons(2000, noise=0.2, random_state=0)
    >>> model = ApproximateSVC(n_components=100, gamma=2.0, random_state=0).fit(X[:1000], y[:1000])
    >>> model.score(X[1000:], y[1000:]) > 0.96, model.certificate_.relative_gap < 1e-4
    (True, True)
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
        loss: Literal["squared_hinge", "hinge"] = "squared_hinge",
        fit_intercept: bool = True,
        class_weight: Any = None,
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
        self.loss = loss
        self.fit_intercept = fit_intercept
        self.class_weight = class_weight
        self.tol = tol
        self.verbose = verbose
        self.random_state = random_state
        self.max_iter = max_iter
        self.max_time = max_time
        self.warm_start = warm_start

    def fit(self, X: Any, y: ArrayLike | None = None, sample_weight: ArrayLike | None = None) -> Self:
        """Fit to training data.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features), sequence of objects, or RowBlocks
            Training rows; kernel values of shape (n_samples, n_samples) for a precomputed kernel. Of `RowBlocks` landmarks are
            chosen among some 20 000 rows, evenly spaced, and features are made anew in each pass.
        y : array-like of shape (n_samples,)
            Labels; `RowBlocks` may have them.
        sample_weight : array-like of shape (n_samples,), default=None
            Weight of each row; rows of weight 0 or less are left out.

        Returns
        -------
        self : ApproximateSVC
            The fitted model.
        """
        if not isinstance(X, RowBlocks):
            return self._fit(X, y, sample_weight)
        with Fitting(self, X, y, sample_weight) as stages:
            rows, map, found = fit_blocks(self, X, y, sample_weight, check_random_state(self.random_state), stages)
            self._adopt_blocks(rows, map, found)
            stages.end("assembly")
        return self

    def _adopt_blocks(self, rows: BlockRowsOf, map: LandmarkMap, found: list[BlockSolution]) -> None:
        """Make the solutions of a plan of blocks the fitted state."""
        self.auto_scores_ = None
        self._take(map, found)
        self._multipliers = None
        self.classes_ = rows.data.classes
        self.class_weight_: NDArray[np.float64] | None = rows.factors

    def score(self, X: Any, y: ArrayLike | None = None, sample_weight: ArrayLike | None = None) -> float:
        """Accuracy on rows with labels.

        Parameters
        ----------
        X : array-like, sparse matrix, sequence of objects, or RowBlocks
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

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Evaluate the binary classifiers at rows.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (m, n_features), or sequence of objects
            Rows; kernel values against all training rows for a precomputed kernel.

        Returns
        -------
        ndarray of shape (m,) or (m, n_classes)
            For two classes ``f(x)``, positive for ``classes_[1]``; else a column for each class.
        """
        values = self._values(X)
        return np.ascontiguousarray(values[:, 0]) if values.shape[1] == 1 else values

    def predict(self, X: Any) -> NDArray[Any]:
        """Predict the class of rows.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (m, n_features), or sequence of objects
            Rows; kernel values against all training rows for a precomputed kernel.

        Returns
        -------
        ndarray of shape (m,)
            Labels: for two classes by the sign of the score, for more the class with the largest score.
        """
        codes = _codes(self._values(X))
        return np.asarray(self.classes_[codes])

    def _formula(self) -> Formula:
        lines = linear_formula(self._loss(), Penalty.L2, offset=bool(self.fit_intercept), where=", on landmarks")
        return [*lines, ("C", f"{self.C:g}")]

    def _loss(self) -> Hinge | SquaredHinge:
        return Hinge() if self.loss == "hinge" else SquaredHinge()

    def _check_own(self) -> None:
        owner = "ApproximateSVC"
        check_positive("C", self.C, owner)
        check_option("loss", self.loss, owner, ("hinge", "squared_hinge"))
        check_boolean("fit_intercept", self.fit_intercept, owner)
        check_class_weight(self.class_weight, owner)

    def _labelled(self, X: Any, y: Any, sample_weight: Any, *, pairwise: bool) -> tuple[Any, NDArray[Any], Any]:
        data = labelled_set(X, label_column(y, X), sample_weight, pairwise=pairwise)
        factors = class_weights(self.class_weight, data.classes, data.codes, data.weight, "ApproximateSVC")
        return data, data.codes, factors

    def _costs(self, fit: Fit) -> NDArray[np.float64]:
        weight = fit.data.weight
        if self.class_weight is not None and fit.factors is not None:
            weight = fit.factors[fit.target] * weight
        return upper_bounds(float(self.C), weight)

    def _signs(self, fit: Fit) -> list[NDArray[np.float64]]:
        scheme = scheme_of(len(fit.data.classes), one_vs_rest=True)
        return [y for _, y in scheme.subproblems(fit.target).each()]

    def _problems(self, Z: NDArray[Any], fit: Fit) -> tuple[list[Any], Callable[[], list[str]]]:
        offset, cost, centring = (Offset.FREE if self.fit_intercept else Offset.NONE), self._costs(fit), Centring(Z)
        problems = [PrimalProblem.on(Z, y, cost, self._loss(), Penalty.L2, offset, centring=centring) for y in self._signs(fit)]
        scheme = scheme_of(len(fit.data.classes), one_vs_rest=True)
        return problems, partial(subproblem_names, scheme, fit.data.classes)

    def _adopt(self, fit: Fit, map: LandmarkMap, solutions: list[Any]) -> None:
        super()._adopt(fit, map, solutions)
        self.classes_ = fit.data.classes
        self.class_weight_ = fit.factors

    def _row_scores(
        self, values: NDArray[np.float64], target: NDArray[Any], map: LandmarkMap, rows: Any
    ) -> NDArray[np.float64]:
        return np.asarray(_codes(values) == target, dtype=np.float64)

    def _subproblems(self, fit: Fit, multipliers: NDArray[np.float64]) -> Subproblems:
        cost = self._costs(fit)
        alpha = np.clip(multipliers, 0.0, cost if self.loss == "hinge" else None)
        return LossTerms(self._loss(), np.stack(self._signs(fit)), cost, alpha, bool(self.fit_intercept)).subproblems()


def _codes(values: NDArray[np.float64]) -> NDArray[np.intp]:
    return np.asarray((values[:, 0] >= 0.0) if values.shape[1] == 1 else values.argmax(axis=1), dtype=np.intp)
