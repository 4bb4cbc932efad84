"""Kernel estimators that choose C (or ν) and the parameters of their kernel by cross-validation."""

from __future__ import annotations

from abc import ABC
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import product
from typing import Any, ClassVar, Literal, Self, final

import numpy as np
from numpy.typing import NDArray

from maxmargin._whole_or_nothing import WholeOrNothing
from maxmargin.estimators import SVC, SVR, NuSVC
from maxmargin.kernels import RBF, Kernel, Linear, as_kernel, takes_matrix
from maxmargin.model_selection._certified import Certified
from maxmargin.model_selection._certified_search import certified_search
from maxmargin.model_selection._ranges import Given, cost_range, gamma_range, kernel_scale, nu_range, values_of
from maxmargin.model_selection._searched import Searched, SearchedClassifier, SearchedRegressor
from maxmargin.validation import feature_matrix, object_rows, takes_objects

__all__ = ["SVCCV", "SVRCV", "NuSVCCV"]


@dataclass(kw_only=True, eq=False, repr=False)
class _SearchedKernel(Searched, ABC):
    """The part of the grid that belongs to the kernel."""

    gammas: Any = 10
    kernel: Any = "rbf"
    kernel_grid: Mapping[str, Any] | None = None
    tol: float = 1e-3
    cache_size: float | Literal["auto"] = "auto"

    def _kernel_settings(self, given: Given) -> tuple[NDArray[np.float64], list[dict[str, Any]]]:
        """Values of gamma, and the settings of the kernel: all of them with everything in ``kernel_grid``."""
        name = "kernel__gamma" if isinstance(self.kernel, Kernel) else "gamma"
        has_gamma = "gamma" in as_kernel(self.kernel).get_params()
        owner = type(self).__name__
        gammas = values_of(self.gammas, "gammas", owner, lambda count: self._gammas(given, count)) if has_gamma else None
        every: list[dict[str, Any]] = [{}] if gammas is None else [{name: gamma} for gamma in gammas.tolist()]
        for parameter, values in dict(self.kernel_grid or {}).items():
            every = [
                {**each, f"kernel__{parameter}" if name != "gamma" else parameter: value}
                for each, value in product(every, values)
            ]
        return np.empty(0) if gammas is None else gammas, every

    def _gammas(self, given: Given, count: int) -> NDArray[np.float64]:
        if isinstance(as_kernel(self.kernel), RBF):
            return gamma_range(given, count)
        scale = 1.0 / max(float(given.variance.sum()), 1e-300)
        return np.asarray(scale * (np.geomspace(0.1, 10.0, count) if count > 1 else np.ones(1)))

    def _kernel_scale(self, given: Given) -> float:
        """A typical ``k(x, x)`` about the centre."""
        kernel = as_kernel(self.kernel)
        if isinstance(kernel, RBF):
            return 1.0
        return float(given.variance.sum()) if isinstance(kernel, Linear) else kernel_scale(kernel, given)

    def _rows(self, X: Any) -> Any:
        if takes_objects(as_kernel(self.kernel).input_kind, X):
            return object_rows(X)
        return feature_matrix(X, pairwise=takes_matrix(self.kernel))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        pairwise = takes_matrix(self.kernel)
        tags.input_tags.pairwise, tags.input_tags.sparse = pairwise, not pairwise
        return tags

    def _adopt(self, search: Any, values: NDArray[np.float64], others: list[dict[str, Any]]) -> None:
        super()._adopt(search, values, others)
        best = search.best_params_
        self.gamma_ = best.get("gamma", best.get("kernel__gamma"))
        self.kernel_settings_ = others


@final
@dataclass(kw_only=True, eq=False, repr=False)
class SVCCV(_SearchedKernel, SearchedClassifier):
    """`SVC` that chooses C and gamma by cross-validation, at the cost of a few fits.

    It is `GridSearchCV` around `SVC` with a grid that is made from the data: the fits share kernel values, and C ascends from
    solution to solution.

    Parameters
    ----------
    Cs : int, float or list of float, default=10
        Values of C. An integer is their number: spaced geometrically from ``10/n`` to 1000, divided by a typical k(x, x).
    gammas : int, float or list of float, default=10
        Values of the kernel's gamma. An integer is their number: spaced geometrically, for "rbf" from kernels 5 times as
        wide as the data to kernels a fifth as wide as the distance between neighbouring rows; for other kernels around
        1 / (n_features · variance).
    kernel : str, kernel object or callable, default="rbf"
        As in `SVC`.
    kernel_grid : dict, default=None
        Other parameters of the kernel with the values to try, such as ``{"degree": [2, 3]}``.
    cv : int, cross-validation generator or iterable, default=None
        The folds; None for five, or fewer if a class has fewer members.
    scoring : str or callable, default=None
        How held-out rows are scored; None for accuracy.
    one_standard_error : bool, default=False
        Choose the smallest C, then gamma, whose mean score is within a standard error of the best.
    class_weight : dict, "balanced" or None, default=None
        Factor of C for each class.
    search : {"grid", "auto", "certified"} or Certified, default="grid"
        "grid" evaluates all cells. "auto" evaluates some of them: a coarse part of the grid, then the neighbours of the best
        cell until none is better; lines along C that only get worse are given up. All others have the score NaN.
        "certified" is for two classes and one kernel (``gammas=[0.1]``), and takes ``Cs`` as the ends of an interval. It ends
        with ``guarantee_``: a proof that no C of the interval has a cross-validation error lower by more than ε = 0.05. A
        `Certified` has another ε and limits.
    fit_intercept : bool, default=True
        Whether there is an offset.
    multi_class : {"ovo", "ovr"}, default="ovo"
        Pairs of classes, or each class against the rest.
    decision_function_shape : {"ovo", "ovr"}, default="ovr"
        As in `SVC`.
    tol : float, default=1e-3
        As in `SVC`.
    cache_size : "auto" or float, default="auto"
        Memory for kernel values of all fits that run together, in MB; those of objects and functions take up to 537 MB besides.
    verbose : int, default=0
        From 1 on, progress and the best so far are printed.
    client : distributed.Client or None, default=None
        Who evaluates the candidates, on a cluster of Dask; as in `GridSearchCV`.

    Attributes
    ----------
    C_, gamma_ : float
        The chosen values; gamma_ is None for a kernel without gamma.
    best_score_ : float
        Mean score of the held-out rows there.
    scores_ : ndarray of shape (folds, gammas, Cs)
        All scores; with a ``kernel_grid`` the middle axis is that of ``kernel_settings_``.
    Cs_, gammas_ : ndarray
        The values tried.
    kernel_settings_ : list of dict
        Parameters of the kernel tried.
    gaps_ : ndarray of the shape of ``scores_``
        The relative duality gap of each fit, as `GridSearchCV` has it; NaN of fits that failed.
    guarantee_ : Guarantee
        What was proven, after a certified search.
    cv_results_, best_index_, best_params_, best_estimator_, shared_
        As in `GridSearchCV`.
    classes_ : ndarray of shape (n_classes,)
        The labels.
    n_features_in_ : int
        Number of features seen during fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of features seen during fit, if they were all strings.

    References
    ----------
    Steinwart and Thomann, liquidSVM: a fast and versatile SVM package, 2017.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from maxmargin import SVCCV
    >>> X, y = load_iris(return_X_y=True)
    >>> model = SVCCV(Cs=5, gammas=4).fit(X, y)
    >>> model.scores_.shape, bool(model.best_score_ > 0.95)
    ((5, 4, 5), True)
    """

    _searches = "'grid', 'auto', 'certified' or a Certified"

    Cs: Any = 10
    fit_intercept: bool = True
    multi_class: Literal["ovo", "ovr"] = "ovo"
    decision_function_shape: Literal["ovo", "ovr"] = "ovr"

    def fit(self, X: Any, y: Any, sample_weight: Any = None, groups: Any = None) -> Self:
        """Choose the parameters by cross-validation, and fit to all rows with the best.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Training rows.
        y : array-like of shape (n_samples,)
            Labels.
        sample_weight : array-like of shape (n_samples,), default=None
            Weight of each row.
        groups : array-like of shape (n_samples,), default=None
            Groups of rows, for the splitter.

        Returns
        -------
        self : estimator
            The fitted model.
        """
        if not isinstance(self.search, Certified) and self.search != "certified":
            return super().fit(X, y, sample_weight, groups)
        with WholeOrNothing(self):
            base = self._base()
            values, others = self._grid(self._given(X, y, sample_weight))
            found = certified_search(self, base, X, y, values, others, sample_weight, groups)
            self._adopt(found, self.Cs_, others)
            self.guarantee_ = found.guarantee_
        return self

    def _base(self) -> SVC:
        return SVC(
            kernel=self.kernel,
            fit_intercept=self.fit_intercept,
            class_weight=self.class_weight,
            multi_class=self.multi_class,
            decision_function_shape=self.decision_function_shape,
            tol=self.tol,
            cache_size=self.cache_size,
        )

    def _grid(self, given: Given) -> tuple[NDArray[np.float64], list[dict[str, Any]]]:
        self.gammas_, others = self._kernel_settings(given)
        scale = self._kernel_scale(given)
        self.Cs_ = values_of(self.Cs, "Cs", "SVCCV", lambda count: cost_range(given, count, kernel_scale=scale))
        return self.Cs_, others

    def _adopt(self, search: Any, values: NDArray[np.float64], others: list[dict[str, Any]]) -> None:
        super()._adopt(search, values, others)
        self.C_ = float(search.best_params_["C"])


@final
@dataclass(kw_only=True, eq=False, repr=False)
class NuSVCCV(_SearchedKernel, SearchedClassifier):
    """`NuSVC` that chooses ν and gamma by cross-validation.

    Parameters
    ----------
    nus : int, float or list of float, default=10
        Values of ν. An integer is their number: they are spread evenly up to the largest that every pair of classes allows.
    gammas, kernel, kernel_grid, cv, scoring, class_weight, decision_function_shape, tol, cache_size, verbose, client
        As in `SVCCV`.
    search : {"grid", "auto"}, default="grid"
        As in `SVCCV`.
    one_standard_error : bool, default=False
        Choose the largest ν, then the smallest gamma, whose mean score is within a standard error of the best.

    Attributes
    ----------
    nu_, gamma_ : float
        The chosen values.
    nus_, gammas_ : ndarray
        The values tried.
    scores_ : ndarray of shape (folds, gammas, nus)
        All scores.
    best_score_, kernel_settings_, cv_results_, best_index_, best_params_, best_estimator_, shared_, gaps_, classes_
        As in `SVCCV`.
    n_features_in_ : int
        Number of features seen during fit.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from maxmargin import NuSVCCV
    >>> X, y = load_iris(return_X_y=True)
    >>> model = NuSVCCV(nus=4, gammas=[0.01, 0.1]).fit(X, y)
    >>> model.scores_.shape, model.gamma_ in (0.01, 0.1)
    ((5, 2, 4), True)
    """

    _path: ClassVar[str] = "nu"

    nus: Any = 10
    decision_function_shape: Literal["ovo", "ovr"] = "ovr"

    def _base(self) -> NuSVC:
        return NuSVC(
            kernel=self.kernel,
            class_weight=self.class_weight,
            decision_function_shape=self.decision_function_shape,
            tol=self.tol,
            cache_size=self.cache_size,
        )

    def _grid(self, given: Given) -> tuple[NDArray[np.float64], list[dict[str, Any]]]:
        counts = given.counts()
        balanced = isinstance(self.class_weight, str)
        self.gammas_, others = self._kernel_settings(given)
        shares = [0.5 if balanced else float(counts[0] / (counts[0] + counts[-1]))]
        self.nus_ = values_of(self.nus, "nus", "NuSVCCV", lambda count: nu_range(shares, count))
        return self.nus_, others

    def _adopt(self, search: Any, values: NDArray[np.float64], others: list[dict[str, Any]]) -> None:
        super()._adopt(search, values, others)
        self.nu_ = float(search.best_params_["nu"])

    def _simplicity(self) -> tuple[str, ...]:
        return ("-nu", "gamma", "kernel__gamma")


@final
@dataclass(kw_only=True, eq=False, repr=False)
class SVRCV(_SearchedKernel, SearchedRegressor):
    """`SVR` that chooses C and gamma by cross-validation, at the cost of a few fits.

    Parameters
    ----------
    Cs : int, float or list of float, default=10
        Values of C. An integer is their number: spaced geometrically from ``10/n`` to 1000, times the standard deviation of y,
        divided by a typical k(x, x).
    epsilon : float, default=0.1
        Half the width of the tube, at least 0.
    gammas, kernel, kernel_grid, tol, cache_size, verbose, client
        As in `SVCCV`.
    search : {"grid", "auto"}, default="grid"
        As in `SVCCV`.
    cv : int, cross-validation generator or iterable, default=None
        The folds; None for five.
    scoring : str or callable, default=None
        How held-out rows are scored; None for R².
    one_standard_error : bool, default=False
        Choose the smallest C, then gamma, whose mean score is within a standard error of the best.

    Attributes
    ----------
    C_, gamma_ : float
        The chosen values.
    Cs_, gammas_ : ndarray
        The values tried.
    scores_ : ndarray of shape (folds, gammas, Cs)
        All scores.
    best_score_, kernel_settings_, cv_results_, best_index_, best_params_, best_estimator_, shared_, gaps_
        As in `SVCCV`.
    n_features_in_ : int
        Number of features seen during fit.

    Examples
    --------
    >>> import numpy as np
    >>> from maxmargin import SVRCV
    >>> X = np.linspace(0.0, 6.0, 60)[:, np.newaxis]
    >>> model = SVRCV(Cs=4, gammas=4, epsilon=0.01, cv=3).fit(X[::-1], np.sin(X[::-1, 0]))
    >>> model.scores_.shape
    (3, 4, 4)
    """

    Cs: Any = 10
    epsilon: float = 0.1

    def _base(self) -> SVR:
        return SVR(epsilon=self.epsilon, kernel=self.kernel, tol=self.tol, cache_size=self.cache_size)

    def _grid(self, given: Given) -> tuple[NDArray[np.float64], list[dict[str, Any]]]:
        self.gammas_, others = self._kernel_settings(given)
        scale = self._kernel_scale(given)
        self.Cs_ = values_of(self.Cs, "Cs", "SVRCV", lambda count: cost_range(given, count, kernel_scale=scale, targets=True))
        return self.Cs_, others

    def _adopt(self, search: Any, values: NDArray[np.float64], others: list[dict[str, Any]]) -> None:
        super()._adopt(search, values, others)
        self.C_ = float(search.best_params_["C"])
