"""Tuning: one call from raw rows to a model, that looks at nothing but what it is given."""

from __future__ import annotations

import time
import warnings
from typing import Any

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris, make_friedman1
from sklearn.model_selection import GridSearchCV, KFold, cross_val_score, train_test_split
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler

from maxmargin import SVR, tune
from maxmargin.errors import ConvergenceWarning, InvalidInput
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


def test_time_is_kept() -> None:
    X, y = make_friedman1(2500, noise=0.5, random_state=0)
    labels = np.digitize(y, [10.0, 15.0, 20.0])
    begun = time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # the last fit may come to its limit
        model = tune(X, labels, max_time=1.0)
    first = sum(stage.seconds for stage in model.stages_[:2])
    assert model.stages_[0].rows == 1500
    assert time.perf_counter() - begun < 3.0 * (first + 2.0)


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
    with pytest.raises(InvalidInput, match="The 'y' parameter of tune must be labels of classes with at least two rows each"):
        tune([[0.0], [1.0], [2.0]], [0, 0, 1])
    with pytest.raises(InvalidInput, match="The 'y' parameter of tune must be one-dimensional"):
        tune([[0.0], [1.0], [2.0]], [[0], [0], [1]])
