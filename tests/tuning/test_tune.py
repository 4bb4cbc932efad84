"""Tuning: one call from raw rows to a model, that looks at nothing but what it is given."""

from __future__ import annotations

import re
import time
import warnings
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris, make_friedman1
from sklearn.model_selection import GridSearchCV, KFold, cross_val_score, train_test_split
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler

from maxmargin import SVC, SVR, tune
from maxmargin._deadline import Deadline
from maxmargin.errors import ConvergenceWarning, InvalidInput
from maxmargin.model_selection import OutOfTime, RefinedSearch
from maxmargin.tuning import TunedPipeline


def test_classes_from_raw_rows() -> None:
    X, y = load_breast_cancer(return_X_y=True)
    names = np.array(["malignant", "benign"])
    X_train, X_test, y_train, y_test = train_test_split(X, names[y], random_state=0, stratify=y)
    model = tune(X_train, y_train, max_time=20)
    assert isinstance(model, Pipeline)
    assert model.score(X_test, y_test) > 0.95
    assert set(model.predict(X_test)) <= set(names)
    assert [stage.family for stage in model.stages_[:2]] == ["rbf", "linear"]
    assert "426 rows, 2 classes; 30 numbers, each to mean 0 and deviation 1." in model.report_
    assert "Chosen: the" in model.report_
    assert model.score_ == max(stage.score for stage in model.stages_)


def test_the_score_is_that_of_cross_validation_of_the_whole_pipeline() -> None:
    """Scaling is inside the folds: the stage's score is scikit-learn's for the same pipeline and folds."""
    X, y = load_breast_cancer(return_X_y=True)
    model = tune(X, y, max_time=20, random_state=3)
    stage = model.stages_[0]
    search = stage.search
    own = clone(search.estimator).set_params(**stage.params)
    order = np.array([np.flatnonzero((row == X).all(axis=1))[0] for row in search_rows(model, X, y)])
    scores = cross_val_score(own, X[order], y[order], cv=search.cv)
    assert stage.score == pytest.approx(scores.mean(), abs=2e-3)


def search_rows(model: Any, X: Any, y: Any) -> Any:
    """The rows of the first search in its order."""
    from maxmargin.tuning._tune import _shuffled  # noqa: PLC0415  # the one thing that the search does not keep

    return X[_shuffled(y, False, 3)]


def test_a_regression_is_as_good_as_a_grid_of_all_three() -> None:
    X, y = make_friedman1(110, noise=0.5, random_state=0)
    model = tune(X, y, max_time=30)
    assert "a regression" in model.report_
    grid = {"svr__C": np.geomspace(0.1, 1e3, 6), "svr__gamma": np.geomspace(1e-3, 1.0, 6), "svr__epsilon": [0.05, 0.2, 0.8]}
    pipeline = make_pipeline(StandardScaler(), SVR())
    folds = KFold(5, shuffle=True, random_state=1)
    scored = {"scoring": "neg_mean_squared_error", "cv": folds}
    best = GridSearchCV(pipeline, grid, **scored).fit(X, y).best_score_
    ours = cross_val_score(clone(model).set_params(svm__max_time=None), X, y, **scored).mean()
    assert -ours <= 1.15 * -best, "on folds of its own, which differ by more than that"


def test_columns_of_a_frame() -> None:
    pd = pytest.importorskip("pandas")
    rng = np.random.default_rng(0)
    n = 200
    colour, size = rng.choice(["red", "green", "blue"], n), rng.normal(size=n)
    frame = pd.DataFrame(
        {"colour": colour, "size": size, "flag": rng.integers(0, 2, n).astype(bool), "count": rng.integers(0, 9, n)}
    )
    y = np.where((colour == "red") ^ (size > 0.0), "yes", "no")
    frame.loc[:9, "size"] = np.nan
    frame.loc[10:14, "colour"] = None
    model = tune(frame.iloc[:150], y[:150], max_time=20)
    assert model.score(frame.iloc[150:], y[150:]) > 0.8
    assert "2 numbers, each to mean 0 and deviation 1, 2 columns of categories as indicators" in model.report_
    unseen = frame.iloc[150:].assign(colour="violet")
    assert set(model.predict(unseen)) <= {"yes", "no"}


@pytest.mark.parametrize("density", [0.02, 0.5])
def test_sparse_rows_and_gaps(density: float) -> None:
    rng = np.random.default_rng(1)
    X = sparse.random(200, 40, density, format="csr", random_state=rng)
    y = (np.asarray(X[:, :8].sum(axis=1)).ravel() > np.asarray(X[:, 8:16].sum(axis=1)).ravel()).astype(int)
    model = tune(X, y, max_time=20)
    assert model.score(X, y) > 0.8
    assert ("sparse numbers" in model.report_) == (density < 0.1)
    dense = X.toarray()
    dense[::7, 3] = np.nan
    assert "gaps filled with the median" in tune(dense, y, max_time=20).report_


def _slow(kind: str) -> tuple[Any, Any]:
    """Targets or labels that have nothing to do with the rows: every row is a support vector, and searches take long."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(3000, 20))
    return X, rng.standard_cauchy(3000) if kind == "targets" else rng.integers(0, int(kind.split(maxsplit=1)[0]), 3000)


@pytest.mark.alone
@pytest.mark.parametrize("kind", ["2 classes", "20 classes", "targets"])
@pytest.mark.parametrize("share", [0.05, 0.4, 0.9, 3.0])
def test_time_is_kept(kind: str, share: float) -> None:
    """Over by at most 0.3 s, also where the first search alone would take longer than there is."""
    X, y = _slow(kind)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # the last fit may come to its limit
        whole = tune(X[:400], y[:400], max_time=np.inf).stages_[0]
        assert not whole.is_cut
        seconds = share * whole.seconds
        begun = time.perf_counter()
        model = tune(X, y, max_time=seconds)
        taken = time.perf_counter() - begun
    assert taken <= seconds + 0.3
    if share < 1.0:
        assert all(stage.is_cut for stage in model.stages_ if stage.family == "rbf")
    assert model.predict(X[:5]).shape == (5,)


def test_a_search_that_is_cut_says_what_it_has() -> None:
    X, y = _slow("20 classes")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model = tune(X[:500], y[:500], max_time=1e-3)
    assert model.stages_ == []
    assert np.isnan(model.score_)
    assert "No setting could be evaluated in time: C = 1, gamma = 0.05 are common values. Give more max_time." in model.report_
    with pytest.raises(InvalidInput, match="There is no search to draw"):
        model.draw()
    targets = np.random.default_rng(1).normal(size=500)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        fresh = tune(X[:500], targets, max_time=1e-3)
    assert fresh.steps[-1][1].epsilon == pytest.approx(0.1 * fresh.steps[-1][1].C)
    assert clone(fresh).steps[-1][1].max_time is None


def test_cells_that_were_not_reached_have_no_score() -> None:
    """A search whose deadline comes ends with the best of the cells that it has, as scikit-learn would score them."""
    X, y = load_breast_cancer(return_X_y=True)
    grid = [{"svc__C": np.geomspace(0.1, 1e3, 12).tolist(), "svc__gamma": [gamma]} for gamma in np.geomspace(1e-4, 10.0, 40)]
    search = RefinedSearch(make_pipeline(StandardScaler(), SVC()), grid, "svc__C", cv=5, refit=False)
    whole = clone(search).fit(X, y)
    begun = time.perf_counter()
    clone(search).fit(X, y)
    taken = time.perf_counter() - begun
    for share in (0.7, 0.5, 0.35, 0.25):
        search.deadline = Deadline(share * taken)
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "One or more of the test scores are non-finite", UserWarning)
            try:
                search.fit(X, y)
            except OutOfTime:
                break
        mean = search.cv_results_["mean_test_score"]
        known = dict(zip(map(str, whole.cv_results_["params"]), whole.cv_results_["mean_test_score"], strict=True))
        there = np.flatnonzero(np.isfinite(mean))
        assert search.best_score_ == mean[there].max()
        for place in there:
            score = known.get(str(search.cv_results_["params"][place]))
            assert score is None or mean[place] == pytest.approx(score, abs=0.01)
    else:
        assert len(there) < len(whole.cv_results_["params"])
    search.deadline = Deadline(0.0)
    with pytest.raises(OutOfTime):
        search.fit(X, y)


def test_same_call_same_model() -> None:
    X, y = load_iris(return_X_y=True)
    one, two = (tune(X, y, max_time=np.inf, random_state=5) for _ in range(2))
    assert one.stages_[-1].params == two.stages_[-1].params
    np.testing.assert_array_equal(one.decision_function(X), two.decision_function(X))


def test_pictures_and_clones() -> None:
    X, y = load_diabetes(return_X_y=True)
    model = tune(X[:80], y[:80], max_time=5, task="regression")
    axes = model.draw()
    assert "svm__C" in axes.get_xlabel()
    fresh = clone(model)
    assert isinstance(fresh, TunedPipeline)
    assert not hasattr(fresh, "report_")


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"max_time": 0.0}, "The 'max_time' parameter of tune"),
        ({"task": "ranking"}, "The 'task' parameter of tune"),
        ({"cv": 1}, "The 'cv' parameter of tune"),
        ({"random_state": -1}, "The 'random_state' parameter of tune"),
    ],
)
def test_what_cannot_be_asked(given: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        tune([[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1], **given)


def test_labels_that_cannot_be_learned() -> None:
    with pytest.raises(InvalidInput, match=r"tune must have at least two rows of each class\. Got one of class 1"):
        tune([[0.0], [1.0], [2.0]], [0, 0, 1])
    with pytest.raises(InvalidInput, match="The 'y' parameter of tune must be one-dimensional"):
        tune([[0.0], [1.0], [2.0]], [[0], [0], [1]])


TABLE = pd.DataFrame({"age": np.arange(40.0), "city": ["Rome", "Oslo"] * 20})
WORDS = np.array(["yes", "no"] * 20, dtype=object)
MISSING = WORDS.copy()
MISSING[7] = np.nan


@pytest.mark.parametrize(
    ("X", "y", "words"),
    [
        (TABLE, MISSING, "Input y contains NaN: label 7 is nan. Drop such rows"),
        (TABLE, np.where(np.arange(40) == 3, np.nan, 0.5), "Input y contains NaN"),
        (TABLE, np.full(40, "yes"), "The number of classes has to be greater than one; got 1 class"),
        (TABLE, 10.0 * np.arange(40), "one of class 0.0. If y has targets rather than 40 classes, say task='regression'"),
        (TABLE, np.where(np.arange(40) == 0, "other", WORDS), "one of class other. Leave such classes out."),
        (TABLE, WORDS[:-1], "inconsistent numbers of samples: [40, 39]"),
        (TABLE, None, "must be one-dimensional. Got 'None'"),
        (
            ["good film", "bad film"] * 20,
            WORDS,
            "tune needs a table, with a row for each label. Got X of shape (40,). For text",
        ),
        (TABLE["city"], WORDS, "tune needs a table"),
        (TABLE.assign(day=pd.date_range("2026-01-01", periods=40)), WORDS, "Got dates or times in column 'day'. Make numbers"),
    ],
)
def test_what_cannot_be_tuned_is_said_at_once(X: Any, y: Any, words: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(InvalidInput, match=re.escape(words)):
            tune(X, y, max_time=5)


def test_whole_targets_of_a_regression() -> None:
    X, y = load_diabetes(return_X_y=True)
    assert "a regression" in tune(X[:150], y[:150], max_time=2, task="regression").report_
