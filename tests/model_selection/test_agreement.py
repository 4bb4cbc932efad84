"""A search has the scores of scikit-learn's search around the same estimator, cell by cell."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy import sparse
from sklearn.model_selection import GridSearchCV as Reference
from sklearn.model_selection import GroupKFold, ShuffleSplit
from sklearn.model_selection import cross_val_predict as reference_predictions
from sklearn.model_selection import cross_val_score as reference_scores
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC as PeerSVC

from maxmargin import SVC, SVR, LinearSVC, LinearSVR, LogisticRegression, NuSVC, NuSVR, get_threads, set_threads
from maxmargin.kernels import RBF
from maxmargin.model_selection import GridSearchCV, RandomizedSearchCV, cross_val_predict, cross_val_score

from .._data import DataSet

Load = Callable[[str], DataSet]
COSTS = [1e-2, 1.0, 1e2, 1e4]


def rows(data_set: Load, name: str, count: int = 400) -> tuple[Any, Any]:
    found = data_set(name)
    X = found.X.toarray() if sparse.issparse(found.X) else found.X
    chosen = np.random.default_rng(0).permutation(len(found.y))[:count]
    return np.ascontiguousarray(X[chosen]), found.y[chosen]


def bundled(count: int = 300, classes: int = 3) -> tuple[Any, Any]:
    rng = np.random.default_rng(3)
    y = np.arange(count) % classes
    X = rng.normal(size=(count, 6)) + 1.2 * np.eye(6)[y % 6]
    return X, np.array(["ant", "bee", "cat", "dog"])[y]


def cells(search: Any) -> dict[str, Any]:
    return {
        name: values for name, values in search.cv_results_.items() if name.startswith(("split", "mean_t", "param", "rank"))
    }


def compared(
    estimator: Any, grid: Any, X: Any, y: Any, *, off: float, fit: dict[str, Any] | None = None, **settings: Any
) -> Any:
    """Our search, whose scores of every cell are within ``off`` of scikit-learn's."""
    found = GridSearchCV(estimator, grid, **settings).fit(X, y, **(fit or {}))
    wanted = Reference(estimator, grid, **settings).fit(X, y, **(fit or {}))
    assert set(found.cv_results_) == set(wanted.cv_results_)
    compared = [name for name in wanted.cv_results_ if name.startswith("split")]
    assert compared
    for name in compared:
        difference = np.abs(found.cv_results_[name] - wanted.cv_results_[name])
        assert (difference <= off + 1e-12).all(), (name, difference)
    assert [str(each) for each in found.cv_results_["params"]] == [str(each) for each in wanted.cv_results_["params"]]
    return found


@pytest.mark.parametrize("name", ["heart", "splice", "svmguide1", "german"])
def test_two_classes(data_set: Load, name: str) -> None:
    X, y = rows(data_set, name)
    found = compared(SVC(tol=1e-4), {"C": COSTS, "gamma": [0.01, 0.1, "scale"]}, X, y, off=5 / len(y), return_train_score=True)
    assert found.shared_.startswith("60 fits of SVC are 15 paths")
    assert "by themselves" not in found.shared_


@pytest.mark.parametrize("name", ["vehicle", "segment", "dna"])
def test_sets_of_several_classes(data_set: Load, name: str) -> None:
    X, y = rows(data_set, name)
    compared(SVC(tol=1e-4), {"C": COSTS, "gamma": [0.01, "scale"]}, X, y, off=5 / len(y))


@pytest.mark.parametrize("name", ["heart", "splice", "svmguide1", "german", "vehicle", "segment", "dna"])
def test_accuracies_are_those_of_scikit_learns_models(data_set: Load, name: str) -> None:
    X, y = rows(data_set, name)
    grid = {"C": COSTS, "gamma": [0.01, 0.1]}
    found, wanted = GridSearchCV(SVC(), grid, refit=False).fit(X, y), Reference(PeerSVC(), grid, refit=False).fit(X, y)
    difference = np.abs(found.cv_results_["mean_test_score"] - wanted.cv_results_["mean_test_score"])
    assert difference.max() <= 0.005


@pytest.mark.parametrize("settings", [{}, {"multi_class": "ovr"}, {"class_weight": "balanced"}, {"break_ties": True}])
def test_several_classes(settings: dict[str, Any]) -> None:
    X, y = bundled(classes=4)
    found = compared(SVC(tol=1e-4, **settings), {"C": COSTS, "gamma": [0.03, 0.3]}, X, y, off=5 / len(y))
    assert "by themselves" not in found.shared_


@pytest.mark.parametrize("kernel", ["linear", "poly", RBF(gamma=0.2), lambda u, v: np.tanh(u) @ np.tanh(v).T])
def test_kernels(kernel: Any) -> None:
    X, y = bundled(200)
    found = compared(SVC(kernel=kernel, tol=1e-4), {"C": [0.1, 1.0, 10.0]}, X, y, off=5 / len(y), return_train_score=True)
    assert found.shared_.startswith("15 fits of SVC are 5 paths")
    assert "by themselves" not in found.shared_


def test_parameters_of_a_kernel_object() -> None:
    X, y = bundled(150)
    found = compared(SVC(kernel=RBF(), tol=1e-4), {"kernel__gamma": [0.01, 0.1], "C": [1.0, 10.0]}, X, y, off=5 / len(y))
    assert found.shared_.startswith("20 fits of SVC are 10 paths")


def test_precomputed() -> None:
    X, y = bundled(200)
    found = compared(SVC(kernel="precomputed", tol=1e-4), {"C": [0.1, 1.0, 10.0]}, X @ X.T, y, off=5 / len(y))
    assert "by themselves" not in found.shared_


def test_sparse_rows() -> None:
    X, y = bundled(200)
    X[np.abs(X) < 0.7] = 0.0
    compared(SVC(tol=1e-4), {"C": [0.1, 1.0, 10.0], "gamma": [0.1, "scale"]}, sparse.csr_matrix(X), y, off=5 / len(y))


def test_a_scaler_in_the_pipeline() -> None:
    X, y = bundled(240)
    X[:, 0] *= 30.0
    grid = {"standardscaler__with_mean": [True, False], "svc__C": [0.1, 10.0], "svc__gamma": [0.03, "scale"]}
    found = compared(make_pipeline(StandardScaler(), SVC(tol=1e-4)), grid, X, y, off=5 / len(y), return_train_score=True)
    assert "The steps before the last are fitted 10 times." in found.shared_
    assert found.best_estimator_.predict(X).shape == y.shape


def test_weights_and_groups() -> None:
    X, y = bundled(240)
    rng = np.random.default_rng(1)
    weight = rng.uniform(0.0, 2.0, len(y))
    weight[::7] = 0.0
    grid = {"C": [0.1, 1.0, 10.0], "gamma": [0.1, "scale"], "class_weight": [None, "balanced"]}
    fit = {"sample_weight": weight, "groups": np.arange(len(y)) // 6}
    found = compared(SVC(tol=1e-4), grid, X, y, off=8 / len(y), fit=fit, cv=GroupKFold(4))
    assert "by themselves" not in found.shared_
    piped = compared(
        make_pipeline(StandardScaler(), SVC(tol=1e-4)),
        {"svc__C": [0.1, 1.0]},
        X,
        y,
        off=5 / len(y),
        fit={"svc__sample_weight": weight},
    )
    assert "by themselves" not in piped.shared_


@pytest.mark.parametrize(
    "scoring", ["accuracy", "f1_macro", "roc_auc_ovr", {"a": "accuracy", "b": "balanced_accuracy"}, "functions", "support"]
)
def test_scorers(scoring: Any) -> None:
    X, y = bundled(150)
    if scoring == "functions":
        scoring = lambda model, X, y: {"a": float((model.predict(X) == y).mean()), "b": 1.0}  # noqa: E731
    elif scoring == "support":
        scoring = lambda model, X, y: float(len(model.support_))  # noqa: E731
    several = not isinstance(scoring, str)
    model = SVC(tol=1e-4) if scoring != "roc_auc_ovr" else LogisticRegression()
    found = compared(model, {"C": [0.1, 1.0, 10.0]}, X, y, off=5 / len(y), scoring=scoring, refit=not several)
    assert ("the scorer asks for more" in found.shared_) == (callable(scoring) and not found.multimetric_)


def test_area_under_the_curve() -> None:
    X, y = bundled(200, classes=2)
    found = compared(SVC(tol=1e-5), {"C": [0.1, 1.0, 10.0]}, X, y, off=1e-3, scoring="roc_auc")
    assert "by themselves" not in found.shared_


@pytest.mark.parametrize("nu", [True, False])
@pytest.mark.parametrize("name", ["abalone", "housing"])
def test_regression(data_set: Load, name: str, nu: bool) -> None:
    X, y = rows(data_set, name, 250)
    model, grid = (NuSVR(tol=1e-5), {"nu": [0.2, 0.5]}) if nu else (SVR(tol=1e-5), {"epsilon": [0.1, 0.5]})
    found = compared(model, {"C": [0.1, 1.0, 100.0], **grid}, X, y, off=1e-4)
    assert "by themselves" not in found.shared_


def test_several_outputs() -> None:
    X, _ = bundled(150)
    Y = np.column_stack([np.sin(X[:, 0]), X[:, 1] ** 2])
    compared(SVR(tol=1e-5), {"C": [0.1, 1.0, 10.0]}, X, Y, off=1e-4, scoring="neg_mean_squared_error")


def test_nu_classification() -> None:
    X, y = bundled(200)
    found = compared(NuSVC(tol=1e-4), {"nu": [0.1, 0.3, 0.5], "gamma": [0.03, 0.3]}, X, y, off=5 / len(y))
    assert "by themselves" not in found.shared_


@pytest.mark.parametrize("model", [LinearSVC(), LogisticRegression(), LinearSVR()])
def test_linear_models(model: Any) -> None:
    X, y = bundled(200)
    target = X[:, 0] + X[:, 1] if isinstance(model, LinearSVR) else y
    off = 1e-3 if isinstance(model, LinearSVR) else 5 / len(y)
    found = compared(model, {"C": [0.01, 1.0, 100.0]}, X, target, off=off)
    assert "by themselves" not in found.shared_


def test_randomised_search() -> None:
    X, y = bundled(150)
    drawn = {"C": [0.1, 1.0, 10.0, 100.0], "gamma": [0.01, 0.1]}
    found = RandomizedSearchCV(SVC(tol=1e-4), drawn, n_iter=5, random_state=0).fit(X, y)
    whole = GridSearchCV(SVC(tol=1e-4), drawn).fit(X, y)
    assert len(found.cv_results_["params"]) == 5
    known = {
        (each["C"], each["gamma"]): score
        for each, score in zip(whole.cv_results_["params"], whole.cv_results_["mean_test_score"], strict=True)
    }
    for each, score in zip(found.cv_results_["params"], found.cv_results_["mean_test_score"], strict=True):
        assert abs(score - known[each["C"], each["gamma"]]) <= 1 / 150 + 1e-12


@pytest.mark.parametrize("method", ["predict", "decision_function"])
@pytest.mark.parametrize("model", [SVC(tol=1e-6), make_pipeline(StandardScaler(), LinearSVC(tol=1e-8))])
def test_cross_validation(model: Any, method: str) -> None:
    X, y = bundled(150)
    assert np.abs(cross_val_score(model, X, y) - reference_scores(model, X, y)).max() <= 1 / 30 + 1e-12
    found, wanted = (each(model, X, y, method=method) for each in (cross_val_predict, reference_predictions))
    if method == "predict":
        assert (found != wanted).sum() <= 1
    else:
        assert np.abs(found - wanted).max() < 1e-4


def test_folds_that_overlap_are_scored_but_not_predicted() -> None:
    X, y = bundled(150)
    cv = ShuffleSplit(3, random_state=0)
    assert len(cross_val_score(SVC(), X, y, cv=cv)) == 3
    with pytest.raises(ValueError, match="partitions"):
        cross_val_predict(SVC(), X, y, cv=cv)


@pytest.mark.parametrize("classes", [2, 4])
def test_the_bits_do_not_depend_on_threads(classes: int) -> None:
    X, y = bundled(300, classes)
    grid = {"C": [0.1, 10.0, 1000.0], "gamma": [0.1, 1.0]}
    before, found = get_threads(), []
    try:
        for count in (1, 2):
            set_threads(count)
            search = GridSearchCV(SVC(), grid, scoring=lambda model, X, y: float(model.decision_function(X).sum()))
            found.append(search.fit(X, y).cv_results_["mean_test_score"])
    finally:
        set_threads(before)
    assert np.array_equal(*found)
