"""Any classifier with calibrated probabilities, by scikit-learn's interface."""

from __future__ import annotations

from numbers import Integral
from typing import Any, Literal, Self, final

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.frozen import FrozenEstimator
from sklearn.utils import get_tags
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, column_or_1d, indexable

from maxmargin._documented import Documented
from maxmargin._versioned import Versioned
from maxmargin._whole_or_nothing import WholeOrNothing
from maxmargin.calibrators import Calibrator, Folds, Isotonic, Pairs, Platt, Sigmoids, Temperature
from maxmargin.errors import InvalidInput
from maxmargin.estimators import LinearSVC, fit_out_of_fold, last_step, pairs_of, raw_values
from maxmargin.validation import as_invalid_input, check_option, converted, reject

__all__ = ["CalibratedClassifierCV"]

_METHODS = ("auto", "isotonic", "sigmoid", "temperature")


@final
class CalibratedClassifierCV(Documented, Versioned, ClassifierMixin, MetaEstimatorMixin, BaseEstimator):  # type: ignore[misc]
    """Probabilities for a classifier, calibrated by the decision values of rows that it was not fitted to.

    The rows are dealt into folds. The decision values of a fold come from a model that is fitted to the others, a calibrator is
    fitted to all these values, and the classifier itself to all rows. It is a drop-in replacement for scikit-learn's
    ``CalibratedClassifierCV(ensemble=False)``. The folds of maxmargin's own estimators, also at the end of a pipeline, are
    fitted together: those of a kernel model share kernel values where they have the same kernel, and start from the fit to all
    rows; those of linear models start from its weights. Every fold's model is what a fit to its rows gives: ``gamma="scale"``,
    balanced weights and the steps before it come from its training rows alone.

    Parameters
    ----------
    estimator : classifier or None, default=None
        What to calibrate; None is ``LinearSVC()``. Estimators that are not maxmargin's, those inside a ``FrozenEstimator``,
        and all with ``ensemble=True`` are left to scikit-learn's ``CalibratedClassifierCV``.
    method : {"auto", "sigmoid", "isotonic", "temperature"}, default="auto"
        "sigmoid" is Platt's, for each class against the rest where there are more than two; "isotonic" a rising function for
        each class; "temperature" the softmax of the scores of all classes at one temperature. "auto" is Platt's sigmoid for two
        classes; for more the coupled sigmoids of pairs (`maxmargin.calibrators.Pairs`) where the estimator has a binary
        classifier for each pair, else "temperature". On digits, letter, satimage, vehicle, segment, dna and vowel
        the coupled sigmoids had a lower log-loss than the temperature of one-vs-rest scores.
    cv : int, splitter, iterable or None, default=None
        Folds. None is 5. A number is that of folds with an equal share of each class, which depend on the rows and not on their
        order (`maxmargin.calibrators.Folds`). Splits that do not train on all rows but those held out are left to
        scikit-learn's ``CalibratedClassifierCV``, which needs each row held out once.
    n_jobs : int or None, default=None
        For scikit-learn's way; the engine uses the threads of :func:`maxmargin.set_threads`.
    ensemble : bool or "auto", default="auto"
        "auto" is False, and scikit-learn's choice for a ``FrozenEstimator``; True is scikit-learn's way.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels, sorted.
    estimator_ : estimator
        Fitted to all rows; only where the engine was used.
    calibrator_ : Calibrator
        From its values to probabilities; only where the engine was used.
    calibrated_classifiers_ : list
        ``[self]``, or scikit-learn's.
    n_features_in_ : int
        Number of features seen during fit, if the estimator has it.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of features, if the estimator has them.

    References
    ----------
    Platt, Probabilistic outputs for support vector machines, Advances in Large Margin Classifiers, 1999.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from maxmargin import LinearSVC
    >>> from maxmargin.calibration import CalibratedClassifierCV
    >>> X, y = load_iris(return_X_y=True)
    >>> model = CalibratedClassifierCV(LinearSVC()).fit(X, y)
    >>> model.predict_proba(X[:1]).argmax(axis=1), model.calibrator_
    (array([0]), Temperature(scale=...))
    """

    def __init__(
        self,
        estimator: Any = None,
        *,
        method: Literal["auto", "sigmoid", "isotonic", "temperature"] = "auto",
        cv: Any = None,
        n_jobs: int | None = None,
        ensemble: bool | Literal["auto"] = "auto",
    ) -> None:
        self.estimator = estimator
        self.method = method
        self.cv = cv
        self.n_jobs = n_jobs
        self.ensemble = ensemble

    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None, **fit_params: Any) -> Self:
        """Fit the classifier and its calibrator.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features), or what the estimator takes
            Training rows.
        y : array-like of shape (n_samples,)
            Labels.
        sample_weight : array-like of shape (n_samples,), default=None
            Weight of each row: 2 counts the row twice; rows of weight 0 or less are left out.
        **fit_params : dict
            For the estimator's ``fit``; then scikit-learn's way is taken.

        Returns
        -------
        self : CalibratedClassifierCV
            The fitted model.
        """
        with WholeOrNothing(self):
            check_option("method", self.method, "CalibratedClassifierCV", _METHODS)
            if not (isinstance(self.ensemble, bool | np.bool_) or (isinstance(self.ensemble, str) and self.ensemble == "auto")):
                raise reject("ensemble", self.ensemble, "CalibratedClassifierCV", "an instance of 'bool' or the str 'auto'")
            estimator = self._inner()
            if (self.ensemble and not isinstance(self.ensemble, str)) or fit_params or not _is_ours(estimator):
                return self._fit_theirs(estimator, X, y, sample_weight, fit_params)
            with as_invalid_input():
                X, given = indexable(X, y)
                labels: NDArray[Any] = column_or_1d(given, warn=True)
                check_classification_targets(labels)
                weight = None if sample_weight is None else _check_sample_weight(sample_weight, X)
            kept = np.arange(len(labels)) if weight is None else np.flatnonzero(weight > 0.0)
            classes, own = np.unique(labels[kept], return_inverse=True)
            if len(classes) < 2:
                clone(estimator).fit(X, labels)  # its message
                raise InvalidInput(
                    "The number of classes has to be greater than one; got 1 class. Add rows of another class to y."
                )
            codes = np.zeros(len(labels), dtype=np.intp)
            codes[kept] = own
            folds = self._folds(X, labels, weight, codes, kept, classes)
            if not isinstance(folds, Folds):
                return self._fit_theirs(estimator, X, y, sample_weight, fit_params, splits=folds)
            found = fit_out_of_fold(estimator, X, labels, weight, folds)
            kind, weights = self._kind(found.model), None if weight is None else weight[found.rows]
            calibrator = kind.fit(_seen(kind, found.model, found.values), codes[found.rows], weights)
            self.__dict__.pop("_theirs", None)
            self.estimator_, self.calibrator_, self.classes_ = found.model, calibrator, np.asarray(found.model.classes_)
            self.calibrated_classifiers_ = [self]
            self._learn(found.model)
        return self

    def _inner(self) -> Any:
        return LinearSVC() if self.estimator is None else self.estimator

    def _folds(
        self, X: Any, y: NDArray[Any], weight: Any, codes: NDArray[np.intp], kept: NDArray[np.intp], classes: NDArray[Any]
    ) -> Folds | list[tuple[Any, Any]]:
        """The fold of each row; rows of no weight are held out of none. Splits if one does not train on all others."""
        number = np.full(len(y), -1, dtype=np.intp)
        if self.cv is None or (isinstance(self.cv, Integral) and not isinstance(self.cv, bool)):
            count = 5 if self.cv is None else int(self.cv)
            if count < 2:
                raise reject("cv", self.cv, "CalibratedClassifierCV", "at least 2 folds, a splitter, an iterable or None")
            rows = _features(X)
            mine = Folds.of_classes(
                None if rows is None else rows[kept],
                codes[kept],
                count,
                None if weight is None else weight[kept],
                classes=classes,
                stacklevel=4,
            )
            number[kept] = mine.number
            return Folds(number, mine.count)
        from sklearn.model_selection import check_cv  # noqa: PLC0415  # it takes long to import

        splits = list(check_cv(self.cv, y, classifier=True).split(X, y))
        are_complete = True
        for fold, (train, test) in enumerate(splits):
            held, times = np.zeros(len(y), dtype=np.bool_), np.zeros(len(y), dtype=np.intp)
            held[test] = True
            np.add.at(times, train, 1)
            if (number[held] >= 0).any():
                raise InvalidInput("The folds of cv must not overlap. Give a splitter that holds each row out at most once.")
            number[held] = fold
            are_complete = are_complete and bool((times[kept] == ~held[kept]).all())
        if not are_complete:
            return splits
        for fold in range(len(splits)):
            rows_of_class = np.bincount(codes[kept[number[kept] != fold]], minlength=len(classes))
            if not rows_of_class.all():
                raise InvalidInput(
                    f"The training rows of fold {fold + 1} of cv have no row of class {classes[rows_of_class.argmin()]}. Use"
                    " folds that have a share of each class: cv=5, say, or StratifiedKFold."
                )
        if len(kept) < len(y):
            number[np.setdiff1d(np.arange(len(y)), kept)] = -1
        return Folds(number, len(splits))

    def _kind(self, model: Any) -> type[Calibrator]:
        two = len(model.classes_) == 2
        if self.method == "auto":
            return Platt if two else Pairs if pairs_of(model) is not None else Temperature
        if self.method == "isotonic":
            return Isotonic
        if self.method == "sigmoid":
            return Platt if two else Sigmoids
        return Temperature

    def _fit_theirs(
        self, estimator: Any, X: Any, y: Any, sample_weight: Any, fit_params: dict[str, Any], *, splits: Any = None
    ) -> Self:
        from sklearn.calibration import CalibratedClassifierCV as Theirs  # noqa: PLC0415  # it takes long to import

        method = self.method
        if method == "auto":
            has_temperature = "temperature" in str(Theirs._parameter_constraints["method"])
            method = "sigmoid" if len(np.unique(np.asarray(y))) <= 2 or not has_temperature else "temperature"
        ensemble = self.ensemble
        if isinstance(ensemble, str):
            ensemble = isinstance(estimator, FrozenEstimator)
        cv = self.cv if splits is None else splits
        theirs = Theirs(estimator, method=method, cv=cv, n_jobs=self.n_jobs, ensemble=bool(ensemble))
        theirs.fit(X, y, sample_weight, **fit_params)
        for stale in ("estimator_", "calibrator_"):
            self.__dict__.pop(stale, None)
        self._theirs, self.classes_, self.calibrated_classifiers_ = theirs, theirs.classes_, theirs.calibrated_classifiers_
        self._learn(theirs)
        return self

    def _learn(self, model: Any) -> None:
        for name in ("n_features_in_", "feature_names_in_"):
            self.__dict__.pop(name, None)
            if hasattr(model, name):
                setattr(self, name, getattr(model, name))

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Estimate the probability of each class.

        Parameters
        ----------
        X : what the estimator takes
            Rows.

        Returns
        -------
        ndarray of shape (m, n_classes)
            Probabilities, columns in the order of ``classes_``.
        """
        check_is_fitted(self)
        if "_theirs" in vars(self):
            return np.asarray(self._theirs.predict_proba(X))
        return self.calibrator_.probabilities(_seen(type(self.calibrator_), self.estimator_, raw_values(self.estimator_, X)))

    def predict(self, X: Any) -> NDArray[Any]:
        """Predict the class of the largest probability.

        Parameters
        ----------
        X : what the estimator takes
            Rows.

        Returns
        -------
        ndarray of shape (m,)
            Labels.
        """
        check_is_fitted(self)
        return np.asarray(self.classes_[self.predict_proba(X).argmax(axis=1)])

    def __getstate__(self) -> dict[str, Any]:
        """The state without the list that holds the model itself: some formats cannot follow it in a circle."""
        state = super().__getstate__()
        if "calibrator_" in state:
            state.pop("calibrated_classifiers_", None)
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Take a state."""
        super().__setstate__(state)
        if "calibrator_" in state:
            self.calibrated_classifiers_ = [self]

    def __sklearn_tags__(self) -> Any:
        tags, inner = super().__sklearn_tags__(), get_tags(self._inner())
        tags.input_tags.sparse, tags.input_tags.pairwise = inner.input_tags.sparse, inner.input_tags.pairwise
        return tags


def _seen(kind: type[Calibrator], model: Any, values: NDArray[np.float64]) -> NDArray[np.float64]:
    """What a calibrator sees of the values of all binary classifiers."""
    if kind is Temperature and values.ndim == 1:
        return np.stack([-0.5 * values, 0.5 * values], axis=1)
    pairs = None if kind is Pairs else pairs_of(model)
    return values if pairs is None or values.ndim == 1 else pairs.scores(values, by_class=True)


def _is_ours(estimator: Any) -> bool:
    last = last_step(estimator)
    return type(last).__module__.startswith("maxmargin.estimators") and hasattr(last, "decision_function")


def _features(X: Any) -> Any:
    """X as numbers, if it is: the folds go by them."""
    try:
        rows = converted(X)
        return rows.tocsr() if hasattr(rows, "tocsr") else np.asarray(rows, dtype=np.float64)
    except (TypeError, ValueError):
        return None
