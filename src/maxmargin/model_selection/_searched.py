"""What estimators that choose their own parameters share."""

from __future__ import annotations

import re
import warnings
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from difflib import get_close_matches
from inspect import signature
from numbers import Integral
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin, is_classifier
from sklearn.metrics import get_scorer, get_scorer_names
from sklearn.utils._param_validation import InvalidParameterError
from sklearn.utils.validation import check_is_fitted

from maxmargin._documented import Documented
from maxmargin._versioned import Versioned
from maxmargin._whole_or_nothing import WholeOrNothing
from maxmargin.errors import InvalidInput
from maxmargin.estimators import CallbackSupport, Summary
from maxmargin.model_selection._elsewhere import OnCluster, cluster_of
from maxmargin.model_selection._ranges import Given
from maxmargin.model_selection._refined import RefinedSearch
from maxmargin.model_selection._search import GridSearchCV
from maxmargin.solution import Certificate, Status
from maxmargin.validation import feature_matrix, label_column, labelled_set, reject, target_columns, weighted_rows

__all__ = ["Searched", "SearchedClassifier", "SearchedRegressor"]

_FOLDS = 5


@dataclass(kw_only=True, eq=False, repr=False)
class Searched(OnCluster, CallbackSupport, Documented, Versioned, BaseEstimator, ABC):  # type: ignore[misc]  # scikit-learn has no types
    """A grid search over the parameters that matter, and the fit of the best; each subclass says which these are."""

    _path: ClassVar[str] = "C"  # the parameter along which fits are a path
    _searches: ClassVar[str] = "'grid' or 'auto'"

    cv: Any = None
    scoring: Any = None
    one_standard_error: bool = False
    search: Any = "grid"
    verbose: int = 0
    client: Any = None

    @abstractmethod
    def _base(self) -> Any:
        """The estimator that is searched, with all other parameters."""

    @abstractmethod
    def _grid(self, given: Given) -> tuple[NDArray[np.float64], list[dict[str, Any]]]:
        """Values of the parameter of paths, ascending, and the settings of all others."""

    def fit(self, X: Any, y: Any, sample_weight: Any = None, groups: Any = None) -> Self:
        """Choose the parameters by cross-validation, and fit to all rows with the best.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Training rows.
        y : array-like of shape (n_samples,)
            Labels or targets.
        sample_weight : array-like of shape (n_samples,), default=None
            Weight of each row, in fits, in the ranges that are made from the rows, and in scores that know weights, as accuracy
            and R² do.
        groups : array-like of shape (n_samples,), default=None
            Groups of rows, for the splitter.

        Returns
        -------
        self : estimator
            The fitted model.
        """
        with WholeOrNothing(self), _own_name(type(self).__name__):
            cluster_of(type(self).__name__, self.client)
            base = self._base()
            given = self._given(X, y, sample_weight)
            y = self._truth(X, y)
            values, others = self._grid(given)
            grid = [{self._path: values.tolist(), **{name: [value] for name, value in each.items()}} for each in others]
            if not isinstance(self.search, str) or self.search not in ("grid", "auto"):
                raise reject("search", self.search, type(self).__name__, self._searches)
            if isinstance(self.scoring, str) and self.scoring not in get_scorer_names():
                near = get_close_matches(self.scoring, get_scorer_names(), 3, 0.4)
                raise InvalidInput(
                    f"The 'scoring' parameter of {type(self).__name__} must be a name among sklearn.metrics.get_scorer_names(),"
                    f" or a callable. Got {self.scoring!r}."
                    + (f" Did you mean {' or '.join(map(repr, near))}?" if near else "")
                )
            how = {
                "scoring": self.scoring,
                "cv": self._folds(base, y),
                "verbose": self.verbose,
                "refit": self._choose,
                "client": self.client,
            }
            search = GridSearchCV(base, grid, **how) if self.search == "grid" else RefinedSearch(base, grid, self._path, **how)
            for name in {"_skl_callbacks", "_parent_callback_ctx"} & vars(self).keys():  # the search tells them of its tasks
                setattr(search, name, getattr(self, name))
            if sample_weight is not None and _knows_weights(self.scoring):
                search.score_weight = np.asarray(sample_weight, dtype=np.float64)
            params = {"sample_weight": sample_weight, "groups": groups}
            search.fit(X, y, **{name: value for name, value in params.items() if value is not None})
            if not np.isfinite(search.cv_results_["mean_test_score"]).any():
                raise InvalidInput(
                    f"No setting of {type(self).__name__} has a score: a fold of each failed, or has rows of one class only."
                    f" {self._why_no_score(base, y)}"
                )
            self._adopt(search, values, others)
        return self

    def _rows(self, X: Any) -> Any:
        """Rows that are validated."""
        return feature_matrix(X)

    @abstractmethod
    def _given(self, X: Any, y: Any, sample_weight: Any) -> Given:
        """Rows with weight; raises for what no fit can take, before all of them do."""

    def _truth(self, X: Any, y: Any) -> Any:
        """What fits and scores are given for y."""
        return y

    def _folds(self, base: Any, y: Any) -> Any:
        """The splitter; fewer folds where a class has fewer members."""
        given = _FOLDS if self.cv is None else self.cv
        if not isinstance(given, Integral) or not is_classifier(base):
            return given
        folds = int(given)
        counts = np.unique(np.asarray(y), return_counts=True)[1]
        fewest = int(counts.min())
        if fewest < 2 and len(counts) == 2:  # each other split is refused by scikit-learn, or has scores
            raise InvalidInput(f"No fold of {type(self).__name__} could be scored. {self._why_no_score(base, y)}")
        if not 2 <= fewest < folds:
            return folds
        warnings.warn(
            f"{type(self).__name__} takes {fewest} folds instead of {folds}: the smallest class has {fewest} members.",
            UserWarning,
            stacklevel=3,
        )
        return fewest

    @staticmethod
    def _why_no_score(base: Any, y: Any) -> str:
        """What to do about it."""
        if not is_classifier(base):
            return "Read the warnings before this error."
        classes, counts = np.unique(np.asarray(y), return_counts=True)
        rare = classes[counts.argmin()]
        if counts.min() > 1:
            return "Choose folds that have rows of each class, or a scoring that needs one."
        return f"Class {rare} has one row, and cross-validation needs two: give more of it, or leave it out."

    def _choose(self, results: dict[str, Any]) -> int:
        """The best candidate; with ``one_standard_error`` the simplest that is as good up to the error of the best."""
        mean, deviation = results["mean_test_score"], results["std_test_score"]
        best = int(results["rank_test_score"].argmin())
        if not self.one_standard_error:
            return best
        count = sum(name.startswith("split") and name.endswith("_test_score") for name in results)
        good = mean >= mean[best] - deviation[best] / np.sqrt(count)
        simple = [tuple(_size(each, name) for name in self._simplicity()) for each in results["params"]]
        return min(np.flatnonzero(good).tolist(), key=lambda place: simple[place])

    def _simplicity(self) -> tuple[str, ...]:
        """Parameters that make a model simpler the smaller they are (with a minus: the larger), the weightiest first."""
        return (self._path, "gamma", "kernel__gamma")

    def _adopt(self, search: Any, values: NDArray[np.float64], others: list[dict[str, Any]]) -> None:
        folds = search.n_splits_
        places = getattr(search, "places_", slice(None))
        scores, gaps = np.full((2, folds, len(others) * len(values)), np.nan)
        scores[:, places] = [search.cv_results_[f"split{k}_test_score"] for k in range(folds)]
        gaps[:, places] = search.gaps_.T
        self.scores_ = scores.reshape(folds, len(others), len(values))
        self.cv_results_ = search.cv_results_
        self.best_index_ = search.best_index_
        self.best_params_ = search.best_params_
        self.best_score_ = float(search.cv_results_["mean_test_score"][search.best_index_])
        self.best_estimator_ = search.best_estimator_
        self.shared_ = search.shared_
        self.gaps_ = gaps.reshape(self.scores_.shape)
        for name in ("n_features_in_", "feature_names_in_"):  # rows that are objects have neither
            self.__dict__.pop(name, None)
            if hasattr(search.best_estimator_, name):
                setattr(self, name, getattr(search.best_estimator_, name))

    @property
    def status_(self) -> Status:
        """Why the fit of the best model ended: see `maxmargin.SVC`."""
        check_is_fitted(self)
        found: Status = self.best_estimator_.status_
        return found

    @property
    def certificate_(self) -> Certificate:
        """How far the best model is, at most, from the optimum of its problem."""
        check_is_fitted(self)
        found: Certificate = self.best_estimator_.certificate_
        return found

    def to_sklearn(self) -> Any:
        """The best model as a fitted estimator of scikit-learn: see `maxmargin.SVC.to_sklearn`.

        Returns
        -------
        estimator
            Of scikit-learn.
        """
        check_is_fitted(self)
        return self.best_estimator_.to_sklearn()

    def summary(self) -> Summary:
        """What the best model is, after what was searched: see `maxmargin.SVC.summary`.

        Returns
        -------
        Summary
            Prints as text of 80 columns; a notebook shows a table.
        """
        check_is_fitted(self)
        chosen = [
            (name, f"{value:.6g}" if isinstance(value, float) else repr(value)) for name, value in self.best_params_.items()
        ]
        found = ("mean score", f"{self.best_score_:.6g}"), ("candidates", str(len(self.cv_results_["params"])))
        return Summary(type(self).__name__, (("search", (*chosen, *found)), *self.best_estimator_.summary().sections))

    def predict(self, X: Any) -> NDArray[Any]:
        """What the best model predicts for rows.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (m, n_features)
            Rows.

        Returns
        -------
        ndarray of shape (m,)
            Labels or targets.
        """
        check_is_fitted(self)
        return np.asarray(self.best_estimator_.predict(X))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


@dataclass(kw_only=True, eq=False, repr=False)
class SearchedClassifier(ClassifierMixin, Searched, ABC):  # type: ignore[misc]  # scikit-learn has no types
    """The same for classes."""

    class_weight: Any = None

    def _given(self, X: Any, y: Any, sample_weight: Any) -> Given:
        rows = self._rows(X)
        data = labelled_set(rows, label_column(y, rows), sample_weight)
        return Given(data.X, data.codes, None if sample_weight is None else data.weight)

    def _truth(self, X: Any, y: Any) -> Any:
        """Numbers that are objects as numbers: scikit-learn's scores refuse them otherwise."""
        return label_column(y, X) if np.asarray(y).dtype.kind == "O" else y

    def _adopt(self, search: Any, values: NDArray[np.float64], others: list[dict[str, Any]]) -> None:
        super()._adopt(search, values, others)
        self.classes_ = search.best_estimator_.classes_

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """The scores of rows by the best model.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (m, n_features)
            Rows.

        Returns
        -------
        ndarray of shape (m,) or (m, n_classes)
            As the best model has them.
        """
        check_is_fitted(self)
        return np.asarray(self.best_estimator_.decision_function(X))


class SearchedRegressor(RegressorMixin, Searched, ABC):  # type: ignore[misc]  # scikit-learn has no types
    """The same for targets."""

    def _given(self, X: Any, y: Any, sample_weight: Any) -> Given:
        rows = self._rows(X)
        targets = target_columns(y, rows)
        data = weighted_rows(rows, sample_weight)
        return Given(data.X, data.of_kept(targets), None if sample_weight is None else data.weight)


@contextmanager
def _own_name(owner: str) -> Iterator[None]:
    """scikit-learn's words about parameters that are passed on to a search name the estimator that has them."""
    try:
        yield
    except InvalidParameterError as error:
        raise InvalidInput(re.sub("of (GridSearchCV|RefinedSearch)", f"of {owner}", str(error))) from None


def _knows_weights(scoring: Any) -> bool:
    """Whether held-out rows can be scored by their weights."""
    if scoring is None:
        return True
    score = getattr(get_scorer(scoring) if isinstance(scoring, str) else scoring, "_score_func", None)
    return score is not None and "sample_weight" in signature(score).parameters


def _size(settings: Mapping[str, Any], name: str) -> float:
    """The value of a parameter, or less it, if that makes the model simpler."""
    value = settings.get(name.removeprefix("-"))
    size = float(value) if isinstance(value, int | float) else 0.0
    return -size if name.startswith("-") else size
