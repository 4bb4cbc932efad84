"""What a fit leaves: all of it or nothing where it fails, and predictions that depend on nothing else afterwards."""

from __future__ import annotations

import pickle
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import make_classification

from maxmargin import (
    SVC,
    SVCCV,
    SVDD,
    SVR,
    KernelPCA,
    LinearClassifier,
    LinearSVC,
    LinearSVCCV,
    LinearSVR,
    LogisticRegression,
    LogisticRegressionCV,
    NuSVC,
    NuSVR,
    OneClassSVM,
    Perceptron,
    StochasticClassifier,
)
from maxmargin._solve import _dual
from maxmargin.calibration import CalibratedClassifierCV
from maxmargin.calibrators import Platt
from maxmargin.errors import FitInterrupted, InvalidInput
from maxmargin.estimators._kernel import _fold_outputs, _out_of_fold
from maxmargin.estimators._linear import _svr
from maxmargin.model_selection import GridSearchCV
from maxmargin.solution import Solution, Status

ESTIMATORS: list[Any] = [
    SVC(),
    SVC(warm_start=True, kernel="linear"),
    SVC(probability=True),
    SVC(multi_class="joint", probability=True),
    SVC(multi_class="ovr"),
    NuSVC(nu=0.2, probability=True),
    SVR(interval=True),
    NuSVR(),
    OneClassSVM(nu=0.3),
    SVDD(nu=0.3),
    LinearSVC(),
    LinearSVC(warm_start=True),
    LinearSVC(multi_class="crammer_singer"),
    LinearClassifier(loss="logistic"),
    LinearSVR(interval=True),
    LogisticRegression(),
    LogisticRegression(multi_class="ovr"),
    StochasticClassifier(max_iter=300),
    Perceptron(kernel="rbf"),
    KernelPCA(n_components=2, kernel="rbf", fit_inverse_transform=True),
    CalibratedClassifierCV(SVC()),
    GridSearchCV(SVC(), {"C": [0.1, 1.0]}, cv=2),
    SVCCV(Cs=[0.1, 1.0], cv=2),
    LinearSVCCV(Cs=[0.1, 1.0], cv=2),
    LogisticRegressionCV(Cs=[0.1, 1.0], cv=2),
]
_PREDICTIONS = ("predict", "decision_function", "predict_proba", "predict_log_proba", "predict_interval", "transform")


def _rows(n: int = 90, seed: int = 0) -> tuple[Any, Any]:
    return make_classification(n, 5, n_informative=4, n_redundant=0, n_classes=3, random_state=seed)


def _fitted(model: Any) -> tuple[Any, Any, Any]:
    X, y = _rows()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return clone(model).fit(X, y), X, y


def _said(model: Any, X: Any) -> dict[str, Any]:
    return {name: np.array(getattr(model, name)(X)) for name in _PREDICTIONS if hasattr(model, name)}


def _assert_same(found: dict[str, Any], known: dict[str, Any]) -> None:
    assert known
    assert found.keys() == known.keys()
    for name, values in known.items():
        np.testing.assert_array_equal(found[name], values, err_msg=name)


def _bad_rows(model: Any, X: Any, y: Any) -> None:
    X[3, 1] = np.nan
    model.fit(X[:, :4], y)


def _bad_weight(model: Any, X: Any, y: Any) -> None:
    model.fit(X, y, sample_weight=np.full(7, 2.0))


def _bad_parameter(model: Any, X: Any, y: Any) -> None:
    name = next(each for each in ("tol", "max_iter", "method", "cv") if each in model.get_params())
    before = getattr(model, name)
    setattr(model, name, -5)
    try:
        model.fit(X[:, :3], y)
    finally:
        setattr(model, name, before)


@pytest.mark.parametrize("fails", [_bad_rows, _bad_weight, _bad_parameter])
@pytest.mark.parametrize("model", ESTIMATORS, ids=str)
def test_a_refit_that_fails_changes_nothing(model: Any, fails: Callable[[Any, Any, Any], None]) -> None:
    model, X, _ = _fitted(model)
    known, attributes = _said(model, X), dict(vars(model))
    stored = pickle.dumps(model)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with pytest.raises((ValueError, TypeError)):
            fails(model, *_rows(60, 1))
    assert vars(model).keys() == attributes.keys()
    assert all(vars(model)[name] is value for name, value in attributes.items())
    assert pickle.dumps(model) == stored
    _assert_same(_said(model, X), known)


@pytest.mark.parametrize("kind", [SVC, NuSVC, SVR, OneClassSVM, Perceptron, KernelPCA])
@pytest.mark.parametrize("error", [RuntimeError, KeyboardInterrupt])
def test_a_kernel_that_raises_changes_nothing(kind: Any, error: type[BaseException]) -> None:
    failing = False

    def kernel(A: Any, B: Any) -> Any:
        if failing:
            raise error
        return A @ B.T + 1.0

    X, y = _rows()
    more: dict[str, Any] = {"n_components": 2} if kind is KernelPCA else {}
    if kind is not KernelPCA and "nu" in kind().get_params():
        more["nu"] = 0.2
    model = kind(kernel=kernel, **more)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.fit(X, y)
        known, attributes = _said(model, X), dict(vars(model))
        failing = True
        with pytest.raises(error):
            model.fit(X[:50, :3], y[:50])
    failing = False
    assert all(vars(model)[name] is value for name, value in attributes.items())
    assert vars(model).keys() == attributes.keys()
    _assert_same(_said(model, X), known)


def _interrupt(*_: Any, **__: Any) -> Any:
    raise KeyboardInterrupt


FOLDS = [
    (SVC(probability=True), _out_of_fold, "decision_values"),
    (SVC(probability=True, multi_class="ovr"), _out_of_fold, "fold_starts"),
    (SVC(probability=True, multi_class="joint"), _out_of_fold, "take_rows"),
    (NuSVC(probability=True, nu=0.2), _out_of_fold, "decision_values"),
    (SVR(interval=True), _fold_outputs, "fold_starts"),
    (LinearSVR(interval=True), _svr, "linear_scores"),
]


@pytest.mark.parametrize(("model", "where", "name"), FOLDS, ids=[str(model) for model, *_ in FOLDS])
@pytest.mark.parametrize("before", [True, False])
def test_an_interrupt_of_the_folds_has_the_solution_of_the_fit(
    model: Any, where: Any, name: str, before: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    X, y = _rows()
    model, attributes = clone(model), {}
    if before:
        model, X, y = _fitted(model)
        known, attributes = _said(model, X), dict(vars(model))
    plain = clone(model).set_params(**{"interval" if "interval" in model.get_params() else "probability": False})
    plain.fit(X[:70], y[:70])
    with monkeypatch.context() as patched:
        patched.setattr(where, name, _interrupt)
        with pytest.raises(FitInterrupted, match="after the fit on all rows") as caught:
            model.fit(X[:70], y[:70])
    found = caught.value.solution
    first = found[0] if isinstance(found, list) else found
    assert first.status is Status.CONVERGED
    if isinstance(found, list):
        assert len(found) == len(plain.solutions_)
    if isinstance(first, Solution):
        assert first.bias == pytest.approx(float(plain.intercept_[0]))
    if before:
        assert all(vars(model)[each] is value for each, value in attributes.items())
        _assert_same(_said(model, X), known)
    else:
        assert vars(model).keys() == clone(model).__dict__.keys()


@pytest.mark.parametrize("stage", ["evaluate_all", "with_rounding"])
def test_an_interrupt_of_the_certificate_has_the_point(stage: str, monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = _rows()
    with monkeypatch.context() as patched:
        patched.setattr(_dual, stage, _interrupt)
        with pytest.raises(FitInterrupted, match="steps") as caught:
            NuSVC(nu=0.2).fit(X, y)
    assert caught.value.solution.status in (Status.CONVERGED, Status.INTERRUPTED)
    assert len(caught.value.solution.beta)


def test_probabilities_are_those_of_the_last_whole_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = make_classification(100, 5, random_state=0)
    model = SVC(probability=True).fit(X, y)
    known = model.predict_proba(X)
    with monkeypatch.context() as patched:
        patched.setattr(Platt, "fit", _interrupt)
        with pytest.raises(FitInterrupted):
            model.fit(X[:60], y[:60])
    np.testing.assert_array_equal(model.predict_proba(X), known)


OTHER: dict[str, Any] = {
    "kernel": "poly",
    "gamma": 7.0,
    "multi_class": "ovr",
    "class_weight": "balanced",
    "penalty": "l1",
    "loss": "squared_hinge",
    "solver": "smo",
    "random_state": 5,
    "max_time": 1e-9,
    "cache_size": 1.0,
    "method": "isotonic",
    "dual": False,
    "eigen_solver": "dense",
    "estimator": LinearSVC(),
    "param_grid": {"C": [5.0]},
    "Cs": [7.0],
    "gammas": [3.0],
    "scoring": "accuracy",
}
# scikit-learn reads the first two when a model predicts, and its guide sets the first after fit; the third is ours, and of the
# same kind. The others say which methods there are.
OF_PREDICTION = {"decision_function_shape", "break_ties", "threshold", "probability", "interval", "refit"}


def _others(value: Any, name: str) -> Any:
    if name in OTHER:
        return "linear" if name == "kernel" and value == "poly" else OTHER[name]
    if isinstance(value, bool):
        return not value
    return value + 3 if isinstance(value, int | float) else 2.5


@pytest.mark.parametrize("model", ESTIMATORS, ids=str)
def test_parameters_that_are_set_after_a_fit_change_no_prediction(model: Any) -> None:
    model, X, _ = _fitted(model)
    known = _said(model, X)
    for name, value in model.get_params(deep=False).items():
        if name in OF_PREDICTION:
            continue
        model.set_params(**{name: _others(value, name)})
        try:
            _assert_same(_said(model, X), known)
        except Exception as error:
            error.add_note(f"{name} = {getattr(model, name)!r}")
            raise
        model.set_params(**{name: value})


def test_probabilities_of_one_vs_rest_stay_so() -> None:
    X, y = _rows()
    for fitted, later in (("ovr", "multinomial"), ("multinomial", "ovr")):
        model = LogisticRegression(multi_class=fitted).fit(X, y)  # type: ignore[arg-type]
        known = model.predict_proba(X)
        np.testing.assert_array_equal(model.set_params(multi_class=later).predict_proba(X), known)
        np.testing.assert_array_equal(pickle.loads(pickle.dumps(model)).predict_proba(X), known)
        assert not np.allclose(model.fit(X, y).predict_proba(X), known)


def test_an_unfit_parameter_is_still_refused_at_the_next_fit() -> None:
    model, X, y = _fitted(SVC())
    with pytest.raises(InvalidInput, match="'C' parameter"):
        model.set_params(C=-1.0).fit(X, y)
    assert model.C == -1.0  # the parameter is the user's, and stays
