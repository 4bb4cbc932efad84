"""Linear estimators that choose C by cross-validation."""

from __future__ import annotations

from abc import ABC
from dataclasses import dataclass
from typing import Any, Literal, final

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from maxmargin.estimators import LinearSVC, LinearSVR, LogisticRegression
from maxmargin.model_selection._ranges import Given, cost_range, values_of
from maxmargin.model_selection._searched import Searched, SearchedClassifier, SearchedRegressor

__all__ = ["LinearSVCCV", "LinearSVRCV", "LogisticRegressionCV"]


@dataclass(kw_only=True, eq=False, repr=False)
class _SearchedLinear(Searched, ABC):
    """A grid over C alone."""

    Cs: Any = 10
    tol: float = 1e-4

    def _grid(self, given: Given) -> tuple[NDArray[np.float64], list[dict[str, Any]]]:
        self.Cs_ = values_of(self.Cs, "Cs", type(self).__name__, lambda count: self._costs(given, count))
        return self.Cs_, [{}]

    def _costs(self, given: Given, count: int) -> NDArray[np.float64]:
        scale = float(given.variance.sum())
        return cost_range(given, count, kernel_scale=scale, targets=isinstance(self, SearchedRegressor))

    def _adopt(self, search: Any, values: NDArray[np.float64], others: list[dict[str, Any]]) -> None:
        super()._adopt(search, values, others)
        self.scores_ = self.scores_[:, 0]
        self.C_ = float(search.best_params_["C"])
        self.coef_ = search.best_estimator_.coef_
        self.intercept_ = search.best_estimator_.intercept_


@final
@dataclass(kw_only=True, eq=False, repr=False)
class LinearSVCCV(_SearchedLinear, SearchedClassifier):
    """`LinearSVC` that chooses C by cross-validation: C ascends from solution to solution.

    Parameters
    ----------
    Cs : int, float or list of float, default=10
        Values of C. An integer is their number: they are spread by factors from ``10/n`` to 1000, divided by the mean squared
        distance of rows from their centre.
    cv : int, cross-validation generator or iterable, default=None
        The folds; None for five, or fewer if a class has fewer members.
    scoring : str or callable, default=None
        How held-out rows are scored; None for accuracy.
    one_standard_error : bool, default=False
        Choose the smallest C whose mean score is within a standard error of the best.
    loss : {"squared_hinge", "hinge"}, default="squared_hinge"
        As in `LinearSVC`.
    class_weight : dict, "balanced" or None, default=None
        Factor of C for each class.
    tol : float, default=1e-4
        As in `LinearSVC`.
    verbose : int, default=0
        From 1 on, progress and the best so far are printed.
    client : distributed.Client or None, default=None
        Who evaluates the candidates, on a cluster of Dask; as in `GridSearchCV`.

    Attributes
    ----------
    C_ : float
        The chosen value.
    Cs_ : ndarray
        The values tried.
    scores_ : ndarray of shape (folds, Cs)
        All scores.
    coef_, intercept_ : ndarray
        Of the best model.
    best_score_, cv_results_, best_index_, best_params_, best_estimator_, shared_, gaps_, classes_
        As in `SVCCV`.
    n_features_in_ : int
        Number of features seen during fit.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from maxmargin import LinearSVCCV
    >>> X, y = load_iris(return_X_y=True)
    >>> LinearSVCCV(Cs=[0.1, 1.0]).fit(X, y).scores_.shape
    (5, 2)
    """

    loss: Literal["squared_hinge", "hinge"] = "squared_hinge"

    def _base(self) -> LinearSVC:
        return LinearSVC(loss=self.loss, class_weight=self.class_weight, tol=self.tol)


@final
@dataclass(kw_only=True, eq=False, repr=False)
class LinearSVRCV(_SearchedLinear, SearchedRegressor):
    """`LinearSVR` that chooses C by cross-validation: C ascends from solution to solution.

    Parameters
    ----------
    Cs : int, float or list of float, default=10
        Values of C. An integer is their number: they are spread by factors from ``10/n`` to 1000, times the deviation of y,
        divided by the mean squared distance of rows from their centre.
    epsilon : float, default=0.0
        Half the width of the tube.
    cv, one_standard_error, tol, verbose, client
        As in `LinearSVCCV`.
    scoring : str or callable, default=None
        How held-out rows are scored; None for R².
    loss : {"epsilon_insensitive", "squared_epsilon_insensitive"}, default="epsilon_insensitive"
        As in `LinearSVR`.

    Attributes
    ----------
    C_ : float
        The chosen value.
    Cs_ : ndarray
        The values tried.
    scores_ : ndarray of shape (folds, Cs)
        All scores.
    coef_, intercept_ : ndarray
        Of the best model.
    best_score_, cv_results_, best_index_, best_params_, best_estimator_, shared_, gaps_
        As in `SVCCV`.
    n_features_in_ : int
        Number of features seen during fit.

    Examples
    --------
    >>> import numpy as np
    >>> from maxmargin import LinearSVRCV
    >>> X = np.arange(40.0)[:, np.newaxis] % 7
    >>> LinearSVRCV(Cs=[0.1, 1.0]).fit(X, 2 * X[:, 0]).scores_.shape
    (5, 2)
    """

    epsilon: float = 0.0
    loss: Literal["epsilon_insensitive", "squared_epsilon_insensitive"] = "epsilon_insensitive"

    def _base(self) -> LinearSVR:
        return LinearSVR(epsilon=self.epsilon, loss=self.loss, tol=self.tol)


@final
@dataclass(kw_only=True, eq=False, repr=False)
class LogisticRegressionCV(_SearchedLinear, SearchedClassifier):
    """`LogisticRegression` that chooses C by cross-validation: C ascends from solution to solution.

    Attributes are those of scikit-learn 1.10: ``C_`` is a float, and ``scores_`` an array.

    Parameters
    ----------
    Cs : int, float or list of float, default=10
        Values of C. An integer is their number: they are spread by factors from 1e-4 to 1e4, as in scikit-learn.
    cv, one_standard_error, class_weight, verbose, client
        As in `LinearSVCCV`.
    scoring : str or callable, default=None
        How held-out rows are scored; None for accuracy.
    tol : float, default=1e-4
        As in `LogisticRegression`.

    Attributes
    ----------
    C_ : float
        The chosen value.
    Cs_ : ndarray
        The values tried.
    scores_ : ndarray of shape (folds, Cs)
        All scores.
    coef_, intercept_ : ndarray
        Of the best model.
    best_score_, cv_results_, best_index_, best_params_, best_estimator_, shared_, gaps_, classes_
        As in `SVCCV`.
    n_features_in_ : int
        Number of features seen during fit.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from maxmargin import LogisticRegressionCV
    >>> X, y = load_iris(return_X_y=True)
    >>> model = LogisticRegressionCV(Cs=4).fit(X, y)
    >>> model.scores_.shape, model.predict_proba(X[:2]).shape
    ((5, 4), (2, 3))
    """

    def _base(self) -> LogisticRegression:
        return LogisticRegression(class_weight=self.class_weight, tol=self.tol)

    def _costs(self, given: Given, count: int) -> NDArray[np.float64]:
        return np.logspace(-4.0, 4.0, count) if count > 1 else np.ones(1)

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Probabilities of the classes by the best model.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (m, n_features)
            Rows.

        Returns
        -------
        ndarray of shape (m, n_classes)
            A column for each class.
        """
        check_is_fitted(self)
        return np.asarray(self.best_estimator_.predict_proba(X))

    def predict_log_proba(self, X: Any) -> NDArray[np.float64]:
        """Logarithms of the probabilities of the classes.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (m, n_features)
            Rows.

        Returns
        -------
        ndarray of shape (m, n_classes)
            A column for each class.
        """
        check_is_fitted(self)
        return np.asarray(self.best_estimator_.predict_log_proba(X))
