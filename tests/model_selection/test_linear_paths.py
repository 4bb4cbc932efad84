"""Searches of linear models: all folds and classes are paths that the core searches at once."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import sparse
from sklearn.model_selection import GridSearchCV as Reference

from maxmargin import LinearSVC, LinearSVR, LogisticRegression, get_threads, set_threads
from maxmargin.model_selection import GridSearchCV

N = 150
COSTS = [10.0, 0.01, 0.3]
RNG = np.random.default_rng(0)
X = RNG.normal(size=(N, 5)) + np.array([0.0, 0.0, 3.0, 0.0, 1e6])  # the last column is moved near 0 where an offset is free
Y = X[:, 0] + 0.5 * X[:, 1] ** 2 + 0.5 * RNG.normal(size=N)
TWO = (Y > 0.5).astype(int)
THREE = np.digitize(Y, [0.0, 1.0])
WIDE = sparse.random(N, 1500, density=0.02, format="csr", random_state=1)


def scores(search: Any) -> Any:
    return np.array([search.cv_results_[f"split{k}_test_score"] for k in range(5)])


@pytest.mark.parametrize(
    ("model", "rows", "y"),
    [
        (LinearSVC(tol=1e-6), X, TWO),
        (LinearSVC(tol=1e-6, loss="hinge", class_weight="balanced"), X, THREE),
        (LinearSVC(tol=1e-6, penalise_intercept=True), WIDE, THREE),
        (LinearSVC(tol=1e-6, loss="hinge"), WIDE, TWO),
        (LinearSVC(tol=1e-6, multi_class="crammer_singer"), X[:, :4], THREE),
        (LogisticRegression(tol=1e-6), X, TWO),
        (LogisticRegression(tol=1e-6, multi_class="ovr"), X, THREE),
        (LogisticRegression(tol=1e-6), X[:, :4], THREE),
        (LogisticRegression(tol=1e-6, l1_ratio=1.0), X[:, :4], TWO),
    ],
    ids=str,
)
def test_scores_are_those_of_separate_fits(model: Any, rows: Any, y: Any) -> None:
    found, wanted = (search(model, {"C": COSTS}).fit(rows, y) for search in (GridSearchCV, Reference))
    assert found.shared_.startswith("15 fits")
    assert "by themselves" not in found.shared_
    assert np.abs(scores(found) - scores(wanted)).max() <= 5 / N + 1e-12  # a row of a fold
    assert (found.gaps_ <= 1e-5).all()


@pytest.mark.parametrize("loss", ["epsilon_insensitive", "squared_epsilon_insensitive"])
def test_regression_with_weights(loss: str) -> None:
    weight = RNG.integers(0, 3, size=N).astype(float)
    model = LinearSVR(tol=1e-8, epsilon=0.1, loss=loss)
    found, wanted = (search(model, {"C": COSTS}).fit(X, Y, sample_weight=weight) for search in (GridSearchCV, Reference))
    assert "by themselves" not in found.shared_
    assert np.abs(scores(found) - scores(wanted)).max() <= 1e-4


def test_probabilities() -> None:
    found, wanted = (
        search(LogisticRegression(tol=1e-8), {"C": COSTS}, scoring="neg_log_loss").fit(X, TWO)
        for search in (GridSearchCV, Reference)
    )
    assert "by themselves" not in found.shared_
    assert np.abs(scores(found) - scores(wanted)).max() <= 1e-5


def test_bits_do_not_depend_on_threads() -> None:
    before, found = get_threads(), []
    try:
        for threads in (1, 2, 4):
            set_threads(threads)
            searches = [GridSearchCV(LinearSVC(), {"C": COSTS}).fit(rows, THREE) for rows in (X, WIDE)]
            found.append([each.gaps_.tobytes() for each in searches])
    finally:
        set_threads(before)
    assert found[0] == found[1] == found[2]


@pytest.mark.parametrize("sample_weight", [None, np.arange(15000) % 3.0], ids=["equal", "weighted"])
def test_paths_of_many_rows_give_the_same_scores_and_bits(sample_weight: Any) -> None:
    """Three paths on up to three threads; rows enough for passes of several chunks."""
    rows = RNG.normal(size=(15000, 11)) + 2.0
    y = rows @ RNG.normal(size=11) + RNG.logistic(size=15000) > 0
    before, found = get_threads(), []
    model, costs = LogisticRegression(tol=1e-6), {"C": [1e-4, 1e-3, 1e-2, 0.1, 10.0]}
    try:
        for threads in (1, 2, 3):
            set_threads(threads)
            search = GridSearchCV(model, costs, scoring="neg_log_loss", cv=3)
            found.append(search.fit(rows, y, sample_weight=sample_weight))
    finally:
        set_threads(before)
    assert len({each.gaps_.tobytes() for each in found}) == 1
    assert found[0].gaps_.max() <= 1e-6
    wanted = Reference(model, costs, scoring="neg_log_loss", cv=3).fit(rows, y, sample_weight=sample_weight)
    for k in range(3):
        name = f"split{k}_test_score"
        assert np.abs(found[0].cv_results_[name] - wanted.cv_results_[name]).max() <= 1e-4


@pytest.mark.filterwarnings("ignore")
def test_what_has_not_converged_or_has_no_penalty_is_fitted_by_itself() -> None:
    limited = GridSearchCV(LinearSVC(loss="hinge", max_iter=1), {"C": [1e4]}).fit(X, TWO)
    assert "5 of the fits had to be done by themselves" in limited.shared_
    assert np.isfinite(scores(limited)).all()
    endless = GridSearchCV(LogisticRegression(), {"C": [1.0, np.inf]}).fit(X, TWO)
    assert "5 of the fits had to be done by themselves" in endless.shared_
    assert (endless.gaps_[0] <= 1e-4).all()
    assert np.isfinite(scores(endless)).all()


@pytest.mark.filterwarnings("ignore")
def test_a_cost_that_is_none_leaves_the_others() -> None:
    found = GridSearchCV(LinearSVR(), {"C": [-1.0, 1.0]}).fit(X, Y)
    assert np.isnan(scores(found)[:, 0]).all()
    assert np.isfinite(found.gaps_[1]).all()
