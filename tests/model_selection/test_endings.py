"""What goes wrong in a cell is said of that cell, and the rest of the search goes on."""

from __future__ import annotations

import signal
import threading
import time
import warnings
from typing import Any

import numpy as np
import pytest
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

import maxmargin
from maxmargin import SVC, SVR
from maxmargin.errors import IndefiniteKernelWarning, InvalidInput
from maxmargin.model_selection import GridSearchCV, cross_val_score
from maxmargin.solvers import search_paths


def blobs(count: int = 120) -> tuple[Any, Any]:
    rng = np.random.default_rng(0)
    y = np.arange(count) % 2
    return rng.normal(size=(count, 3)) + y[:, np.newaxis], y


class Halved(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Loses half of the rows."""

    def fit(self, X: Any, y: Any = None) -> Halved:
        return self

    def transform(self, X: Any) -> Any:
        return X[::2]


def said_of(search: Any, X: Any, y: Any) -> list[str]:
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        search.fit(X, y)
    return [str(each.message) for each in said]


def test_a_cost_that_is_none() -> None:
    X, y = blobs()
    search = GridSearchCV(SVC(), {"C": [1.0, -1.0, 10.0]})
    messages = said_of(search, X, y)
    scores = search.cv_results_["mean_test_score"]
    assert np.isnan(scores).tolist() == [False, True, False]
    (told,) = [each for each in messages if "5 fits failed" in each]
    assert "Candidate 1, fold 0: SVC(C=-1.0)" in told
    assert "The 'C' parameter of SVC must be" in told


def test_an_error_is_raised_if_asked() -> None:
    X, y = blobs()
    with pytest.raises(InvalidInput, match="The 'C' parameter"):
        GridSearchCV(SVC(), {"C": [1.0, -1.0]}, error_score="raise").fit(X, y)
    with pytest.raises(ValueError, match="All the 5 fits failed"):
        GridSearchCV(SVC(), {"C": [-1.0]}).fit(X, y)


def test_a_fold_without_one_class() -> None:
    X, y = blobs(40)
    order = np.argsort(y, kind="stable")
    X, y = X[order], y[order]
    cv = [(np.arange(20), np.arange(20, 40)), (np.arange(10, 40), np.arange(10))]
    search = GridSearchCV(SVC(), {"C": [1.0, 10.0]}, cv=cv, refit=False, error_score=-1.0)
    messages = said_of(search, X, y)
    assert search.cv_results_["split0_test_score"].tolist() == [-1.0, -1.0]
    assert (search.cv_results_["split1_test_score"] >= 0.0).all()
    assert any("Candidate 0, fold 0" in each and "class" in each for each in messages)


def test_a_constant_target() -> None:
    X, y = blobs(40)
    found = GridSearchCV(SVR(), {"C": [1.0, 10.0]}, scoring="neg_mean_squared_error").fit(X, np.ones(len(y)))
    assert np.allclose(found.cv_results_["mean_test_score"], 0.0)


def test_a_kernel_that_is_constant() -> None:
    X, y = blobs(60)
    found = GridSearchCV(SVC(), {"gamma": [0.0, 0.1], "C": [1.0, 10.0]}).fit(X, y)
    assert np.isfinite(found.cv_results_["mean_test_score"]).all()
    assert found.best_params_["gamma"] == 0.1


def test_scores_that_are_no_numbers() -> None:
    X, y = blobs()
    search = GridSearchCV(SVC(), {"C": [1.0, 10.0]}, scoring=lambda model, X, y: np.nan if model.C > 5.0 else 1.0)
    messages = said_of(search, X, y)
    assert search.best_params_ == {"C": 1.0}
    assert any("non-finite" in each for each in messages)


def test_a_scorer_that_raises() -> None:
    X, y = blobs()

    def scoring(model: Any, X: Any, y: Any) -> float:
        if model.C > 5.0:
            raise RuntimeError("no score today")
        return float((model.predict(X) == y).mean())

    search = GridSearchCV(SVC(), {"C": [1.0, 10.0]}, scoring=scoring)
    messages = said_of(search, X, y)
    assert np.isnan(search.cv_results_["mean_test_score"]).tolist() == [False, True]
    assert any("Candidate 1, fold 0: SVC(C=10.0)" in each and "no score today" in each for each in messages)
    with pytest.raises(RuntimeError, match="no score today"):
        GridSearchCV(SVC(), {"C": [1.0, 10.0]}, scoring=scoring, error_score="raise").fit(X, y)


def test_a_step_that_loses_rows() -> None:
    X, y = blobs()
    pipe = make_pipeline(StandardScaler(), SVC())
    search = GridSearchCV(pipe, {"standardscaler": [StandardScaler(), Halved()], "svc__C": [1.0, 10.0]})
    messages = said_of(search, X, y)
    assert np.isnan(search.cv_results_["mean_test_score"]).tolist() == [False, False, True, True]
    assert any("Candidate 2, fold 0" in each and "Halved" in each and "samples" in each for each in messages)


def test_other_estimators_are_left_to_scikit_learn() -> None:
    X, y = blobs()
    found = GridSearchCV(DecisionTreeClassifier(random_state=0), {"max_depth": [1, 2]}).fit(X, y)
    assert found.shared_.startswith("Nothing is shared: DecisionTreeClassifier is not one of")
    assert len(cross_val_score(DecisionTreeClassifier(), X, y)) == 5


@pytest.mark.parametrize(
    ("settings", "why"),
    [
        ({"max_iter": 1000}, "max_iter or max_time"),
        ({"multi_class": "joint"}, "multi_class='joint'"),
        ({"kernel": "sigmoid"}, "not positive semidefinite"),
        ({"solver": maxmargin.solvers.DualQP()}, "the solver is"),
    ],
)
def test_what_shares_nothing_says_why(settings: dict[str, Any], why: str) -> None:
    X, y = blobs(60)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", IndefiniteKernelWarning)
        found = GridSearchCV(SVC(**settings), {"C": [1.0]}).fit(X, y)
    assert found.shared_.startswith("5 fits share nothing: ")
    assert why in found.shared_


def test_little_memory() -> None:
    X, y = blobs(400)
    grid = {"C": [0.1, 1.0, 10.0], "gamma": [0.1, 1.0]}
    small, large = (GridSearchCV(SVC(tol=1e-4, cache_size=size), grid).fit(X, y) for size in (1.0, 100.0))
    assert "do not fit into cache_size" in small.shared_
    assert "do not fit" not in large.shared_
    difference = np.abs(small.cv_results_["mean_test_score"] - large.cv_results_["mean_test_score"])
    assert difference.max() <= 1 / 400 + 1e-12


def test_progress_and_the_best_so_far(capsys: pytest.CaptureFixture[str]) -> None:
    X, y = blobs()
    search = GridSearchCV(SVC(), {"C": [1.0, 10.0], "gamma": [0.1, 1.0]}, verbose=1).fit(X, y)
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "Fitting 5 folds for each of 4 candidates, totalling 20 fits"
    assert lines[-1].startswith("[maxmargin] 4/4 candidates")
    assert f"best so far {search.best_score_:.4f}" in lines[-1]


def test_progress_is_told_path_by_path(capsys: pytest.CaptureFixture[str]) -> None:
    X, y = blobs(40)
    GridSearchCV(SVC(), {"C": [1.0, 10.0], "gamma": [0.1, 1.0, 10.0]}, verbose=1).fit(X, y)
    told = [line.split(" candidates")[0] for line in capsys.readouterr().out.splitlines()[1:]]
    assert told == ["[maxmargin] 2/6", "[maxmargin] 4/6", "[maxmargin] 6/6"]


def stop_after(monkeypatch: pytest.MonkeyPatch, reached: int) -> None:
    """Ctrl-C comes when so many paths are at their end, and the others at their first C."""

    def stopped(*given: Any) -> Any:
        found, _ = search_paths(*given)
        for points in found[reached:]:
            points.optimal[1:] = False
            points.converged[1:] = False
        return found, True

    monkeypatch.setattr("maxmargin.estimators._kernel._paths.search_paths", stopped)


def test_what_is_found_is_kept_when_the_engine_is_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    stop_after(monkeypatch, 5)
    X, y = blobs(40)
    grid = {"C": [1.0, 10.0], "gamma": [0.1, 0.2, 0.3, 0.4]}
    with pytest.warns(UserWarning, match="non-finite"):
        search = GridSearchCV(SVC(), grid, keep_best=True).fit(X, y)
    reached = ~np.isnan(search.cv_results_["mean_test_score"])
    assert [each for each, there in zip(search.cv_results_["params"], reached, strict=True) if not there] == [
        {"C": 10.0, "gamma": gamma} for gamma in (0.2, 0.3, 0.4)
    ]
    whole = GridSearchCV(SVC(), grid)
    monkeypatch.undo()
    whole.fit(X, y)
    assert np.array_equal(search.cv_results_["mean_test_score"][reached], whole.cv_results_["mean_test_score"][reached])


def test_nothing_to_keep_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    stop_after(monkeypatch, 0)
    monkeypatch.setattr("maxmargin.estimators._kernel._paths.KernelPath.answers", lambda path, X: [None] * len(path.models))
    with pytest.raises(KeyboardInterrupt, match=r"GridSearchCV\(keep_best=True\) has no best candidate: .* any of 2 was"):
        GridSearchCV(SVC(), {"C": [1.0, 10.0]}, keep_best=True).fit(*blobs(40))


@pytest.mark.alone
def test_ctrl_c_keeps_the_best_before_the_first_path_ends() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(6000, 20))
    y = (X[:, 0] * X[:, 1] + rng.normal(size=6000) > 0).astype(int)
    search = GridSearchCV(SVC(), {"C": np.logspace(-3, 8, 40)}, cv=2, keep_best=True)
    for seconds in (1.5, 5.0, 15.0):  # a slow machine may have nothing to keep after the first of them
        threading.Timer(seconds, signal.raise_signal, [signal.SIGINT]).start()
        try:
            with pytest.warns(UserWarning, match="non-finite"):
                search.fit(X, y)
        except KeyboardInterrupt:
            continue
        break
    reached = ~np.isnan(search.cv_results_["mean_test_score"])
    assert 0 < reached.sum() < 40
    assert reached[: reached.sum()].all()  # C ascends


@pytest.mark.alone
def test_ctrl_c_ends_the_engine_at_once() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(3000, 20))
    y = (X[:, 0] * X[:, 1] + rng.normal(size=3000) > 0).astype(int)
    search = GridSearchCV(SVC(), {"C": [1e2, 1e3, 1e4], "gamma": np.logspace(-3, 0, 60)})
    timer = threading.Timer(0.7, signal.raise_signal, [signal.SIGINT])
    begun = time.perf_counter()
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        search.fit(X, y)
    assert time.perf_counter() - begun < 2.5


def stopped_search(*, keep_best: bool) -> GridSearchCV:
    """A search that Ctrl-C reaches at its last candidate."""
    asked = []

    def scoring(model: Any, X: Any, y: Any) -> float:
        asked.append(model.gamma)
        if len(asked) > 20:
            raise KeyboardInterrupt
        return -float(model.gamma)

    return GridSearchCV(SVC(), {"gamma": [0.4, 0.3, 0.2, 0.1, 0.05]}, scoring=scoring, keep_best=keep_best)


def test_ctrl_c_is_raised() -> None:
    with pytest.raises(KeyboardInterrupt):
        stopped_search(keep_best=False).fit(*blobs())


def test_the_best_so_far_is_kept_if_asked() -> None:
    X, y = blobs()
    with pytest.warns(UserWarning, match="non-finite"):
        search = stopped_search(keep_best=True).fit(X, y)
    assert np.isnan(search.cv_results_["mean_test_score"]).tolist() == [False, False, False, False, True]
    assert search.best_params_ == {"gamma": 0.1}
    assert search.predict(X).shape == y.shape
