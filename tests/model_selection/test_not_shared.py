"""What cannot be shared exactly is fitted by itself: the scores are those of separate fits, and ``shared_`` says why."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.model_selection import GridSearchCV as Reference
from sklearn.model_selection import cross_val_predict as reference_predictions
from sklearn.model_selection import cross_val_score as reference_scores
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from maxmargin import SVC, SVCCV, SVR, LinearSVC, LinearSVR, LogisticRegression, NuSVC, NuSVR
from maxmargin.errors import ConvergenceWarning, IndefiniteKernelWarning
from maxmargin.kernels import RBF, Linear, Polynomial, Sigmoid, UserFunction
from maxmargin.model_selection import GridSearchCV, cross_val_predict, cross_val_score


def blobs(count: int = 150) -> tuple[Any, Any]:
    rng = np.random.default_rng(0)
    y = np.arange(count) % 2
    return rng.normal(size=(count, 5)) + 0.8 * y[:, np.newaxis], y


def inner(A: Any, B: Any) -> Any:
    return A @ B.T


def tanh_of_inner(A: Any, B: Any) -> Any:
    return np.tanh(A @ B.T - 1.0)


def five() -> Any:
    """A sum that the core computes by parts."""
    kernel: Any = RBF(gamma=0.1).on([0])
    for column in range(1, 5):
        kernel = kernel + RBF(gamma=0.1).on([column])
    return kernel


@pytest.mark.parametrize("kernel", [five(), RBF(gamma=0.1) + UserFunction(inner)], ids=["five", "function"])
def test_kernels_by_parts_are_paths(kernel: Any) -> None:
    X, y = blobs()
    grid = {"C": [0.1, 1.0, 10.0]}
    found, wanted = (search(SVC(kernel=kernel, tol=1e-5), grid).fit(X, y) for search in (GridSearchCV, Reference))
    assert np.abs(found.cv_results_["mean_test_score"] - wanted.cv_results_["mean_test_score"]).max() <= 1 / len(y) + 1e-12
    assert found.shared_.startswith("15 fits of SVC are 5 paths")
    assert "by themselves" not in found.shared_
    assert np.abs(cross_val_score(SVC(kernel=kernel), X, y) - reference_scores(SVC(kernel=kernel), X, y)).max() <= 1 / 30
    assert SVCCV(kernel=kernel, Cs=2).fit(X, y).predict(X).shape == y.shape


INDEFINITE = [
    SVC(kernel="poly", coef0=-1.0, gamma=0.1),
    SVC(kernel=Polynomial(coef0=-1.0, gamma=0.1)),
    SVC(kernel=Linear() + 2.0 * Sigmoid(gamma=0.3, coef0=-1.0)),
    SVC(kernel=tanh_of_inner),
    SVC(kernel="precomputed"),
]


@pytest.mark.parametrize("model", INDEFINITE, ids=["poly", "object", "sum", "function", "matrix"])
def test_indefinite_kernels_have_the_scores_of_separate_fits(model: Any) -> None:
    X, y = blobs()
    if model.kernel == "precomputed":
        X = tanh_of_inner(X, X)
    grid = {"C": [0.01, 0.1, 1.0, 10.0, 100.0]}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", IndefiniteKernelWarning)
        warnings.simplefilter("ignore", ConvergenceWarning)  # one fit of the sum stalls, by itself too
        found, wanted = (search(model, grid).fit(X, y) for search in (GridSearchCV, Reference))
    assert np.array_equal(found.cv_results_["mean_test_score"], wanted.cv_results_["mean_test_score"])
    assert found.shared_.startswith("25 fits share nothing: the kernel matrix is not positive semidefinite")


def test_a_large_matrix_of_an_unknown_kernel_is_not_shared(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("maxmargin.estimators._kernel._paths._LARGEST_EXAMINED", 100)
    X, y = blobs()
    found = GridSearchCV(SVC(kernel="precomputed"), {"C": [0.1, 1.0]}).fit(X @ X.T, y)
    assert "too large to examine" in found.shared_


def test_a_function_whose_values_do_not_fit() -> None:
    X, y = blobs(400)
    model = SVC(kernel=inner, cache_size=1)
    assert np.array_equal(cross_val_predict(model, X, y), reference_predictions(model, X, y))
    found = GridSearchCV(model, {"C": [1.0]}).fit(X, y)
    assert found.shared_ == "5 fits share nothing: the values of a kernel function do not fit into cache_size."


def test_a_search_of_paths_that_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: Any) -> None:
        raise MemoryError

    monkeypatch.setattr("maxmargin.model_selection._cells.solve_paths", full)
    X, y = blobs(60)
    found = GridSearchCV(SVC(), {"C": [1.0, 10.0]}).fit(X, y)
    wanted = Reference(SVC(), {"C": [1.0, 10.0]}).fit(X, y)
    assert np.array_equal(found.cv_results_["mean_test_score"], wanted.cv_results_["mean_test_score"])
    assert found.shared_ == "10 fits share nothing: MemoryError in the search of all paths."


def test_equal_failures_are_reported_once() -> None:
    X, y = blobs(60)
    with pytest.raises(ValueError, match="All the 50 fits failed") as told:
        GridSearchCV(SVC(), {"C": np.logspace(-2.0, 2.0, 10)}).fit(X, y * 0)
    assert str(told.value).count("fits failed with the following error") == 1
    assert "First: Candidate 0, fold 0" in str(told.value)


class Halved(LinearSVC):
    """Scores that read X themselves: a stand-in must not be asked with rows that the steps before have not seen."""

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        return 0.5 * super().score(X, y, sample_weight) + float(np.abs(X).max() > 100.0)


PIPELINES = [SVC(), SVR(), NuSVR(), LinearSVC(), LinearSVR(), LogisticRegression(), NuSVC(nu=0.3)]


@pytest.mark.parametrize("last", PIPELINES, ids=lambda last: type(last).__name__)
def test_the_own_score_of_a_pipeline_is_shared(last: Any) -> None:
    X, y = blobs(120)
    y = y + 0.1 * X[:, 1] if hasattr(last, "epsilon") or isinstance(last, NuSVR) else y
    pipe = make_pipeline(StandardScaler(), last.set_params(tol=1e-6))
    parameter = "nu" if isinstance(last, NuSVC) else "C"
    grid = {f"{type(last).__name__.lower()}__{parameter}": [0.1, 0.4]}
    found, wanted = (search(pipe, grid, cv=3).fit(100.0 * X, y) for search in (GridSearchCV, Reference))
    assert "6 fits" in found.shared_
    assert "are 3 paths" in found.shared_
    assert "by themselves" not in found.shared_
    assert np.abs(found.cv_results_["mean_test_score"] - wanted.cv_results_["mean_test_score"]).max() <= 1e-2


def test_text_in_a_pipeline_is_shared() -> None:
    texts = ["good film", "bad film", "good plot", "bad plot"] * 10
    search = GridSearchCV(make_pipeline(TfidfVectorizer(), LinearSVC()), {"linearsvc__C": [0.1, 1.0]}, cv=2)
    assert "by themselves" not in search.fit(texts, ["p", "n"] * 20).shared_
    assert search.best_score_ == 1.0


def test_a_score_of_ones_own_in_a_pipeline_sees_prepared_rows() -> None:
    X, y = blobs()
    pipe = make_pipeline(StandardScaler(), Halved())
    found = cross_val_score(pipe, 1000.0 * X, y)
    assert np.abs(found - reference_scores(pipe, 1000.0 * X, y)).max() <= 1 / 30
    assert found.max() <= 0.5


def test_it_says_that_a_scorer_asks_for_more() -> None:
    X, y = blobs()
    found = GridSearchCV(SVC(probability=True), {"C": [0.1, 1.0]}, scoring="neg_log_loss").fit(X, y)
    assert found.shared_ == "10 fits share nothing: the scorer asks for more than labels and decision values."
