"""Cross-validation of one estimator: its folds run in parallel."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn import get_config
from sklearn.base import clone, is_classifier
from sklearn.metrics import check_scoring
from sklearn.model_selection import check_cv
from sklearn.model_selection import cross_val_predict as _cross_val_predict
from sklearn.model_selection import cross_val_score as _cross_val_score
from sklearn.model_selection._validation import _warn_or_raise_about_fit_failures
from sklearn.utils import indexable
from sklearn.utils.metaestimators import _safe_split

from maxmargin.estimators import FoldRows, join_paths, path_of, solve_paths
from maxmargin.model_selection._candidates import candidates_of, last_step, steps_before
from maxmargin.model_selection._cells import Cells
from maxmargin.model_selection._elsewhere import cluster_of
from maxmargin.model_selection._notes import Settings
from maxmargin.model_selection._said_once import said_once, warn_of_ignored

__all__ = ["cross_val_predict", "cross_val_score"]


def _shares(estimator: Any, params: dict[str, Any]) -> bool:
    """Whether the fits of an estimator go together; those of which callbacks want to hear are fits of their own."""
    if any(vars(each).get("_skl_callbacks") for each in (estimator, last_step(estimator)) if hasattr(each, "__dict__")):
        return False
    return not get_config().get("enable_metadata_routing") and candidates_of(estimator, [{}], params)[0].refusal is None


def cross_val_score(
    estimator: Any,
    X: Any,
    y: Any = None,
    *,
    groups: Any = None,
    scoring: Any = None,
    cv: Any = None,
    n_jobs: int | None = None,
    verbose: int = 0,
    params: dict[str, Any] | None = None,
    pre_dispatch: Any = "2*n_jobs",
    error_score: Any = np.nan,
    client: Any = None,
) -> NDArray[np.float64]:
    """scikit-learn's ``cross_val_score``; the folds of our estimators, or of pipelines that end with one, run in parallel.

    An estimator with callbacks is fitted fold by fold, so that they hear of every fit.

    Parameters
    ----------
    estimator : estimator
        What to fit.
    X, y : array-like
        All rows, and their labels or targets.
    groups : array-like, default=None
        Groups of rows, for the splitter.
    scoring : str or callable, default=None
        One score; None for the estimator's ``score``.
    cv : int, cross-validation generator or iterable, default=None
        The folds; None for five.
    n_jobs, verbose, pre_dispatch
        Accepted as in scikit-learn.
    params : dict, default=None
        Parameters of ``fit``: ``sample_weight``, in a pipeline ``step__sample_weight``.
    error_score : "raise" or number, default=nan
        The score of a fit that fails.
    client : distributed.Client or None, default=None
        Who fits the folds, on a cluster of Dask, a task each; as in `GridSearchCV`.

    Returns
    -------
    ndarray of shape (folds,)
        A score for each fold.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from maxmargin import SVC
    >>> from maxmargin.model_selection import cross_val_score
    >>> X, y = load_iris(return_X_y=True)
    >>> cross_val_score(SVC(), X, y).mean().round(2)
    np.float64(0.97)
    """
    given = dict(params or {})
    cluster = cluster_of("cross_val_score", client)
    if cluster is None and not _shares(estimator, given):
        return np.asarray(
            _cross_val_score(
                estimator,
                X,
                y,
                groups=groups,
                scoring=scoring,
                cv=cv,
                n_jobs=n_jobs,
                verbose=verbose,
                params=params,
                pre_dispatch=pre_dispatch,
                error_score=error_score,
            )
        )
    X, y, groups = indexable(X, y, groups)
    splits = list(check_cv(cv, y, classifier=is_classifier(estimator)).split(X, y, groups))
    settings = Settings(check_scoring(estimator, scoring=scoring), None, given, {}, False, error_score)
    cells = Cells(clone(estimator), X, y, splits, settings, cluster)
    warn_of_ignored(estimator, [{}], "cross_val_score", stacklevel=2)
    with said_once():
        cells.fill([{}], lambda _: None)
    _warn_or_raise_about_fit_failures(cells.out, error_score)
    return np.array([0.0 if each is None else each["test_scores"] for each in cells.out], dtype=np.float64)


def cross_val_predict(
    estimator: Any,
    X: Any,
    y: Any = None,
    *,
    groups: Any = None,
    cv: Any = None,
    n_jobs: int | None = None,
    verbose: int = 0,
    params: dict[str, Any] | None = None,
    pre_dispatch: Any = "2*n_jobs",
    method: str = "predict",
) -> Any:
    """scikit-learn's ``cross_val_predict``; the folds of our estimators, or of pipelines that end with one, run in parallel.

    An estimator with callbacks is fitted fold by fold, so that they hear of every fit.

    Parameters
    ----------
    estimator : estimator
        What to fit.
    X, y : array-like
        All rows, and their labels or targets.
    groups : array-like, default=None
        Groups of rows, for the splitter.
    cv : int, cross-validation generator or iterable, default=None
        The folds, which must hold out every row once; None for five.
    n_jobs, verbose, pre_dispatch
        Accepted as in scikit-learn.
    params : dict, default=None
        Parameters of ``fit``: ``sample_weight``, in a pipeline ``step__sample_weight``.
    method : {"predict", "decision_function", "predict_proba", "predict_log_proba"}, default="predict"
        What is asked of the estimator.

    Returns
    -------
    ndarray of shape (n_samples,) or (n_samples, n_classes)
        What the model of the other folds says of each row.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from maxmargin import SVC
    >>> from maxmargin.model_selection import cross_val_predict
    >>> X, y = load_iris(return_X_y=True)
    >>> cross_val_predict(SVC(), X, y, method="decision_function").shape
    (150, 3)
    """
    given = dict(params or {})
    found = None
    if _shares(estimator, given) and method in ("predict", "decision_function"):
        rows, labels, cuts = indexable(X, y, groups)
        splits = list(check_cv(cv, labels, classifier=is_classifier(estimator)).split(rows, labels, cuts))
        warn_of_ignored(estimator, [{}], "cross_val_predict", stacklevel=2)
        try:
            with said_once():
                found = _out_of_fold(clone(estimator), rows, labels, splits, given, method)
        except Exception:  # what cannot be shared, or fails: separate fits do it, or say so
            found = None
        cv = splits
    if found is not None:
        return found
    return _cross_val_predict(
        estimator,
        X,
        y,
        groups=groups,
        cv=cv,
        n_jobs=n_jobs,
        verbose=verbose,
        params=params,
        pre_dispatch=pre_dispatch,
        method=method,
    )


def _out_of_fold(estimator: Any, X: Any, y: Any, splits: Any, given: dict[str, Any], method: str) -> NDArray[Any] | None:
    """Answers for every row; None if scikit-learn's way must be taken: folds that overlap or lack a class, fits that fail."""
    tests = np.concatenate([np.asarray(test) for _, test in splits])
    n = X.shape[0] if hasattr(X, "shape") else len(X)
    if len(tests) != n or len(np.unique(tests)) != n:
        return None
    paths, held_out = [], []
    for train, test in splits:
        own, labels = _safe_split(estimator, X, y, train)
        other, _ = _safe_split(estimator, X, y, test, train)
        weight = next((np.asarray(value)[train] for value in given.values() if value is not None), None)
        steps = steps_before(estimator)
        if steps is not None:
            fitted = clone(steps)
            own, other = fitted.fit_transform(own, labels), fitted.transform(other)
        paths.append(path_of([clone(last_step(estimator))], own, labels, weight))
        held_out.append(other)
    rows = [FoldRows(np.asarray(train), np.asarray(test), other) for (train, test), other in zip(splits, held_out, strict=True)]
    if steps_before(estimator) is None:
        with suppress(Exception):  # where all rows are not as the folds are, each goes its own way
            join_paths(paths, rows, X, y, next(iter(given.values()), None))
    for path in paths:
        path.prepare()
    if solve_paths(paths):
        raise KeyboardInterrupt
    every = []
    for path, asked in zip(paths, held_out, strict=True):
        (said,) = path.answers(asked)
        answer = None if said is None else said.predictions if method == "predict" else said.values and said.values()
        if said is None or answer is None or (said.classes is not None and len(said.classes) < len(np.unique(y))):
            return None
        every.append(answer)
    together = np.concatenate(every)
    found = np.empty_like(together)
    found[tests] = together
    return found
