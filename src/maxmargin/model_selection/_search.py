"""Grid search and randomised search with scikit-learn's interface, whose fits share what they have in common."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Generator, Mapping, Sequence
from typing import Any, Self, final

import numpy as np
from numpy.typing import NDArray
from sklearn import get_config
from sklearn.base import clone, is_classifier
from sklearn.model_selection import GridSearchCV as _GridSearchCV
from sklearn.model_selection import ParameterGrid, ParameterSampler, check_cv
from sklearn.model_selection import RandomizedSearchCV as _RandomizedSearchCV
from sklearn.model_selection._validation import _insert_error_scores, _warn_or_raise_about_fit_failures
from sklearn.utils import indexable
from sklearn.utils.validation import _check_method_params

from maxmargin._deadline import Deadline
from maxmargin._documented import Documented
from maxmargin._versioned import Versioned
from maxmargin._whole_or_nothing import WholeOrNothing
from maxmargin.estimators import PATHS
from maxmargin.model_selection._candidates import last_step
from maxmargin.model_selection._cells import Cells
from maxmargin.model_selection._elsewhere import OnCluster, cluster_of
from maxmargin.model_selection._notes import OutOfTime, Settings
from maxmargin.model_selection._progress import Progress
from maxmargin.model_selection._said_once import said_once, warn_of_ignored
from maxmargin.model_selection._watch import SearchWatch, refuse_inner_callbacks
from maxmargin.validation import check_boolean

__all__ = ["GridSearchCV", "RandomizedSearchCV", "SharedFits"]


def _fit(search: Any, X: Any, y: Any, params: dict[str, Any], watch: SearchWatch) -> None:
    """Evaluate all candidates, choose the best and refit it: what scikit-learn's ``fit`` does, with shared fits."""
    search._validate_params()
    scorers, refit_metric = search._get_scorers()
    X, y = indexable(X, y)
    params = _check_method_params(X, params=params)
    routed = search._get_routed_params_for_fit(params)
    cv = search._checked_cv_orig = check_cv(search.cv, y, classifier=is_classifier(search.estimator))
    search.n_splits_ = cv.get_n_splits(X, y, **routed.splitter.split)
    splits = list(cv.split(X, y, **routed.splitter.split))
    if len(splits) != search.n_splits_:
        raise ValueError(
            f"cv.split and cv.get_n_splits return inconsistent results. Expected {search.n_splits_} splits, got {len(splits)}"
        )
    rounds = search._rounds()
    candidates: list[Any] = next(rounds, [])
    if not candidates or not splits:
        raise ValueError("No fits were performed. Was the CV iterator empty? Were there no candidates?")
    base, several = clone(search.estimator), hasattr(scorers, "_scorers")
    warn_of_ignored(base, candidates, type(search).__name__, stacklevel=3)
    settings = Settings(
        scorer=scorers,
        names=list(scorers._scorers) if several else None,
        fit_params=routed.estimator.fit,
        score_params=routed.scorer.score
        if search.score_weight is None
        else {"sample_weight": search.score_weight, **routed.scorer.score},
        return_train_score=search.return_train_score,
        error_score=search.error_score,
    )
    cluster = cluster_of(type(search).__name__, search.client)
    cells = Cells(base, X, y, splits, settings, cluster, deadline=search.deadline)
    progress = Progress(search, len(candidates), len(splits), cells, refit_metric if several else None)
    with said_once():
        candidates = _fill(search, cells, candidates, rounds, progress, len(splits), watch)
    out = _whole(cells.out, settings)
    _warn_or_raise_about_fit_failures(out, search.error_score)
    if callable(search.scoring):
        _insert_error_scores(out, search.error_score)
    results = search._format_results(candidates, len(splits), out)
    first = out[0]["test_scores"]
    search.multimetric_ = isinstance(first, dict)
    if callable(search.scoring) and search.multimetric_:
        search._check_refit_for_multimetric(first)
        refit_metric = search.refit
    if search.refit or not search.multimetric_:
        search.best_index_ = search._select_best_index(search.refit, refit_metric, results)
        if not callable(search.refit):
            search.best_score_ = results[f"mean_test_{refit_metric}"][search.best_index_]
        search.best_params_ = results["params"][search.best_index_]
    if search.refit:
        search.best_estimator_ = clone(base).set_params(**clone(search.best_params_, safe=False))
        with watch.refit(search.best_estimator_), said_once():
            begun = time.perf_counter()
            search.best_estimator_.fit(X, **({} if y is None else {"y": y}), **routed.estimator.fit)
            search.refit_time_ = time.perf_counter() - begun
        if hasattr(search.best_estimator_, "feature_names_in_"):
            search.feature_names_in_ = search.best_estimator_.feature_names_in_
    search.scorer_ = scorers._scorers if several else scorers
    search.cv_results_ = results
    search.shared_ = cells.shared
    search.gaps_ = cells.gaps


def _fill(
    search: Any, cells: Cells, first: list[Any], rounds: Any, progress: Progress, n_splits: int, watch: SearchWatch
) -> list[Any]:
    """Evaluate all candidates, round after round; those that are reached before the deadline, or before Ctrl-C if the best
    of them is to be kept.

    Returns all candidates.
    """
    candidates, some = list(first), list(first)
    try:
        with watch.search(len(first) * n_splits) as cells.tell:
            while some:
                cells.fill(some, progress, step_by_step=search.verbose > 0 or watch.is_watched)
                some = _next_round(rounds, progress.means[-len(some) :])
                candidates += some
                progress.n_candidates = len(candidates)
    except KeyboardInterrupt:
        if not search.keep_best:
            raise
        if not cells.has_whole_candidate:
            raise KeyboardInterrupt(
                f"{type(search).__name__}(keep_best=True) has no best candidate: Ctrl-C came before any of {len(candidates)}"
                " was evaluated on all folds. Start again with a smaller grid, or wait longer."
            ) from None
    except OutOfTime:
        if not cells.has_whole_candidate:
            raise
    return candidates


def _next_round(rounds: Any, means: Any) -> list[Any]:
    try:
        return list(rounds.send(means))
    except StopIteration:
        return []


def _whole(out: Sequence[dict[str, Any] | None], settings: Settings) -> list[dict[str, Any]]:
    """All cells; those that were not reached have no score."""
    nothing: Any = np.nan if settings.names is None else dict.fromkeys(settings.names, np.nan)
    empty = {"fit_error": None, "test_scores": nothing, "n_test_samples": 0, "fit_time": np.nan, "score_time": np.nan}
    if settings.return_train_score:
        empty["train_scores"] = nothing
    return [dict(empty) if each is None else each for each in out]


def _refusal(search: Any, params: Mapping[str, Any]) -> str | None:
    """Why scikit-learn's own fit is taken for everything; None if it is not."""
    if get_config().get("enable_metadata_routing"):
        return "metadata routing is enabled"
    model = last_step(search.estimator)
    if type(model) not in PATHS and model is not None and search.client is None:
        return f"{type(model).__name__} is not one of {', '.join(sorted(kind.__name__ for kind in PATHS))}"
    return None


class SharedFits(OnCluster, Documented, Versioned, ABC):
    """``fit`` of both searches."""

    keep_best: bool
    client: Any = None
    deadline: Deadline = Deadline()
    """When the search ends with the candidates that it has, which `maxmargin.tune` sets."""
    score_weight: NDArray[np.float64] | None = None
    """Weights of rows when they are scored, which the estimators that choose their own parameters set."""

    @abstractmethod
    def _rounds(self) -> Generator[list[Any], Any, None]:
        """The parameters of the candidates, a round after the other; it is sent the mean scores of each round."""

    def fit(self, X: Any, y: Any = None, **params: Any) -> Self:
        """Evaluate all candidates by cross-validation, and refit the best.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Rows; kernel values of shape (n_samples, n_samples) for a precomputed kernel.
        y : array-like of shape (n_samples,) or (n_samples, n_outputs)
            Labels or targets.
        **params : dict
            ``groups`` for the splitter; ``sample_weight``, in a pipeline ``step__sample_weight``, for the fits.

        Returns
        -------
        self : search
            With ``cv_results_``, ``best_estimator_`` and ``shared_``.
        """
        check_boolean("keep_best", self.keep_best, type(self).__name__)
        cluster_of(type(self).__name__, self.client)
        refuse_inner_callbacks(self)
        with WholeOrNothing(self):
            why = _refusal(self, params)
            if why is None:
                with SearchWatch(self, X, y, params) as watch:
                    _fit(self, X, y, params, watch)
                return self
            super().fit(X, y, **params)  # type: ignore[misc]  # scikit-learn's, which is mixed in beside this
            self.shared_ = f"Nothing is shared: {why}."
        return self


@final
class GridSearchCV(SharedFits, _GridSearchCV):  # type: ignore[misc]  # scikit-learn has no types
    """scikit-learn's ``GridSearchCV`` at the cost of a few fits.

    The fits of a grid have much in common. Where the estimator, or the last step of a pipeline, is `SVC`, `NuSVC`, `SVR`,
    `NuSVR`, `LinearSVC`, `LinearSVR` or `LogisticRegression`,

    - the kernel values of a fold are computed once for all C (ν of `NuSVC`),
    - C ascends, and each fit begins at the solution of the one before, as it is or scaled with C,
    - kernel values between held-out rows and support vectors are computed once for all C and all pairs of classes,
    - the steps of a pipeline before the last are fitted once for each fold and setting of theirs,
    - folds, kernels and pairs of classes run in parallel.

    All else is scikit-learn's: splitters, scorers, groups, weights, ``cv_results_``, ``refit``, ``error_score``. Scores are
    those of separate fits, up to ``tol`` of the estimator. Candidates that cannot share anything are fitted separately;
    ``shared_`` says what was shared. Fits that are shared do not report to callbacks: `StopAtGap` and `GapMonitor`, and all
    others with ``on_progress``, see the refit only.

    Parameters
    ----------
    estimator : estimator
        What to fit; one of the above, a pipeline that ends with one, or any other.
    param_grid : dict or list of dict
        Names of parameters with the values to try.
    scoring : str, callable, list, tuple or dict, default=None
        How held-out rows are scored; None for the estimator's ``score``.
    n_jobs : int, default=None
        Accepted as in scikit-learn. Shared fits use the threads of `maxmargin.set_threads`.
    refit : bool, str or callable, default=True
        Whether, by which of several scores or by what rule the best candidate is fitted to all rows.
    cv : int, cross-validation generator or iterable, default=None
        The folds; None for five.
    verbose : int, default=0
        From 1 on, progress and the best candidate so far are printed.
    pre_dispatch : int or str, default="2*n_jobs"
        Accepted as in scikit-learn.
    error_score : "raise" or number, default=nan
        The score of a fit that fails.
    return_train_score : bool, default=False
        Whether training rows are scored too.
    keep_best : bool, default=False
        Whether Ctrl-C ends the search with the best candidate so far, instead of `KeyboardInterrupt`. Candidates that were not
        reached have the score NaN.
    client : distributed.Client or None, default=None
        Who evaluates the candidates, on a cluster of Dask: a task for each path on each fold, with the same scores. The rows
        are sent to each worker once. The best candidate is fitted here. Other estimators than those above are fitted there
        too, a task each.

    Attributes
    ----------
    shared_ : str
        What the fits shared, or why they did not.
    gaps_ : ndarray of shape (candidates, folds)
        The relative duality gap of each fit, computed with the kernel values of the search; NaN of fits that failed or were
        not reached. The model that is refitted has a ``certificate_``. Not there where scikit-learn's own fits are taken.
    cv_results_, best_estimator_, best_score_, best_params_, best_index_, scorer_, n_splits_, refit_time_, multimetric_
        As in scikit-learn. The time of a fit is that of its share of all fits that ran together.

    References
    ----------
    Steinwart and Thomann, liquidSVM: a fast and versatile SVM package, 2017, which shares kernel values in this way.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from maxmargin import SVC
    >>> from maxmargin.model_selection import GridSearchCV
    >>> X, y = load_iris(return_X_y=True)
    >>> search = GridSearchCV(SVC(), {"C": [0.1, 1, 10], "gamma": [0.01, 0.1]}).fit(X, y)
    >>> search.best_params_
    {'C': 1, 'gamma': 0.1}
    >>> search.shared_.split(".")[0]
    '30 fits of SVC are 10 paths'
    """

    def __init__(
        self,
        estimator: Any,
        param_grid: Any,
        *,
        scoring: Any = None,
        n_jobs: int | None = None,
        refit: Any = True,
        cv: Any = None,
        verbose: int = 0,
        pre_dispatch: Any = "2*n_jobs",
        error_score: Any = np.nan,
        return_train_score: bool = False,
        keep_best: bool = False,
        client: Any = None,
    ) -> None:
        super().__init__(
            estimator,
            param_grid,
            scoring=scoring,
            n_jobs=n_jobs,
            refit=refit,
            cv=cv,
            verbose=verbose,
            pre_dispatch=pre_dispatch,
            error_score=error_score,
            return_train_score=return_train_score,
        )
        self.keep_best = keep_best
        self.client = client

    def _rounds(self) -> Generator[list[Any], Any, None]:
        yield list(ParameterGrid(self.param_grid))


@final
class RandomizedSearchCV(SharedFits, _RandomizedSearchCV):  # type: ignore[misc]  # scikit-learn has no types
    """scikit-learn's ``RandomizedSearchCV``, whose fits share what they have in common as those of `GridSearchCV` do.

    Fits share kernel values where only C (ν of `NuSVC`) differs: a list of values for the parameters of the kernel lets more
    fits share than a continuous distribution does.

    Parameters
    ----------
    estimator : estimator
        What to fit.
    param_distributions : dict or list of dict
        Names of parameters with lists or distributions to draw from.
    n_iter : int, default=10
        How many candidates are drawn.
    scoring, n_jobs, refit, cv, verbose, pre_dispatch, error_score, return_train_score, keep_best, client
        As in `GridSearchCV`.
    random_state : int, RandomState instance or None, default=None
        What the draws come from.

    Attributes
    ----------
    shared_ : str
        What the fits shared, or why they did not.
    gaps_ : ndarray of shape (candidates, folds)
        The relative duality gap of each fit, as in `GridSearchCV`.
    cv_results_, best_estimator_, best_score_, best_params_, best_index_, scorer_, n_splits_, refit_time_, multimetric_
        As in scikit-learn.

    Examples
    --------
    >>> from scipy.stats import loguniform
    >>> from sklearn.datasets import load_iris
    >>> from maxmargin import SVC
    >>> from maxmargin.model_selection import RandomizedSearchCV
    >>> X, y = load_iris(return_X_y=True)
    >>> drawn = {"C": loguniform(1e-1, 1e2), "gamma": [0.01, 0.1]}
    >>> search = RandomizedSearchCV(SVC(), drawn, n_iter=5, random_state=0).fit(X, y)
    >>> bool(search.best_score_ > 0.9)
    True
    """

    def __init__(
        self,
        estimator: Any,
        param_distributions: Any,
        *,
        n_iter: int = 10,
        scoring: Any = None,
        n_jobs: int | None = None,
        refit: Any = True,
        cv: Any = None,
        verbose: int = 0,
        pre_dispatch: Any = "2*n_jobs",
        random_state: Any = None,
        error_score: Any = np.nan,
        return_train_score: bool = False,
        keep_best: bool = False,
        client: Any = None,
    ) -> None:
        super().__init__(
            estimator,
            param_distributions,
            n_iter=n_iter,
            scoring=scoring,
            n_jobs=n_jobs,
            refit=refit,
            cv=cv,
            verbose=verbose,
            pre_dispatch=pre_dispatch,
            random_state=random_state,
            error_score=error_score,
            return_train_score=return_train_score,
        )
        self.keep_best = keep_best
        self.client = client

    def _rounds(self) -> Generator[list[Any], Any, None]:
        yield list(ParameterSampler(self.param_distributions, self.n_iter, random_state=self.random_state))
