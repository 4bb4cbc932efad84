"""CalibratedClassifierCV: values as by scikit-learn's cross-validation, calibrators as asked for, and messages."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
import sklearn.calibration
import sklearn.linear_model
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import load_digits, load_iris, make_classification
from sklearn.frozen import FrozenEstimator
from sklearn.metrics import log_loss
from sklearn.model_selection import KFold, PredefinedSplit, TimeSeriesSplit, cross_val_predict, train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from maxmargin import SVC, LinearClassifier, LinearSVC, NuSVC, Perceptron, StochasticClassifier
from maxmargin.calibration import CalibratedClassifierCV
from maxmargin.calibrators import Folds, Isotonic, Pairs, Platt, Sigmoids, Temperature
from maxmargin.errors import InvalidInput
from maxmargin.estimators import fit_out_of_fold, raw_values


def _rows(classes: int = 2, n: int = 150) -> tuple[Any, Any]:
    X, y = make_classification(n, 6, n_informative=4, n_classes=classes, flip_y=0.1, random_state=0)
    return X * np.array([1.0, 2.0, 0.5, 1.0, 3.0, 1.0]), y


MODELS = [
    SVC(tol=1e-7),
    SVC(tol=1e-7, gamma=0.1, class_weight="balanced"),
    SVC(tol=1e-7, kernel="linear"),
    NuSVC(tol=1e-7, nu=0.3),
    LinearSVC(tol=1e-8),
    LinearSVC(tol=1e-8, loss="hinge"),
    LinearClassifier(loss="logistic", tol=1e-8),
    make_pipeline(StandardScaler(), SVC(tol=1e-7)),
    make_pipeline(StandardScaler(), LinearSVC(tol=1e-8)),
    Perceptron(),
    StochasticClassifier(max_iter=500, random_state=0),
]


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("model", MODELS, ids=str)
def test_values_are_those_of_scikit_learns_cross_validation(model: Any, classes: int) -> None:
    X, y = _rows(classes)
    folds = Folds.of_classes(X, y, 4)
    found = fit_out_of_fold(model, X, y, None, folds)
    last = model[-1] if hasattr(model, "steps") else model
    by_hand = clone(model)
    if isinstance(last, SVC | NuSVC):
        (by_hand[-1] if hasattr(model, "steps") else by_hand).set_params(decision_function_shape="ovo")
    known = cross_val_predict(by_hand, X, y, cv=PredefinedSplit(folds.number), method="decision_function")
    assert np.allclose(found.values, known, atol=1e-3, rtol=1e-3)
    assert np.array_equal(found.rows, np.arange(len(y)))
    assert np.allclose(raw_values(found.model, X), by_hand.fit(X, y).decision_function(X), atol=1e-3, rtol=1e-3)
    assert not hasattr(last, "classes_")


@pytest.mark.parametrize("kernel", ["rbf", "precomputed"])
def test_folds_with_the_kernel_of_the_fit_share_it(kernel: str) -> None:
    X, y = _rows()
    X = np.exp(-0.1 * ((X[:, np.newaxis] - X) ** 2).sum(axis=2)) if kernel == "precomputed" else X
    folds = Folds.of_classes(None, y, 5)
    model = SVC(kernel=kernel, gamma=0.1, tol=1e-7)
    known = cross_val_predict(model, X, y, cv=PredefinedSplit(folds.number), method="decision_function")
    assert np.allclose(fit_out_of_fold(model, X, y, None, folds).values, known, atol=1e-4)


@pytest.mark.parametrize(
    ("method", "two", "three", "three_linear"),
    [
        ("auto", Platt, Pairs, Temperature),
        ("sigmoid", Platt, Sigmoids, Sigmoids),
        ("isotonic", Isotonic, Isotonic, Isotonic),
        ("temperature", Temperature, Temperature, Temperature),
    ],
)
def test_methods(method: Any, two: Any, three: Any, three_linear: Any) -> None:
    for classes, inner, kind in ((2, SVC(), two), (3, SVC(), three), (3, LinearSVC(), three_linear)):
        X, y = _rows(classes)
        model = CalibratedClassifierCV(inner, method=method).fit(X, y)
        assert isinstance(model.calibrator_, kind)
        P = model.predict_proba(X)
        assert P.shape == (len(y), classes)
        assert np.allclose(P.sum(axis=1), 1.0)
        assert np.array_equal(model.predict(X), model.classes_[P.argmax(axis=1)])
        assert log_loss(y, P) < np.log(classes)


@pytest.mark.parametrize("method", ["sigmoid", "isotonic"])
def test_probabilities_are_scikit_learns(method: Any) -> None:
    """With the same folds; its sigmoid is found to fewer digits."""
    X, y = _rows(n=300)
    ours = CalibratedClassifierCV(LinearSVC(), method=method, cv=KFold(5)).fit(X, y)
    theirs = sklearn.calibration.CalibratedClassifierCV(LinearSVC(), method=method, cv=KFold(5), ensemble=False).fit(X, y)
    assert np.allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=2e-3)


def test_weights_are_copies() -> None:
    X, y = _rows(3)
    copies = np.random.default_rng(0).integers(0, 4, len(y))
    for inner in (LinearSVC(tol=1e-8), SVC(tol=1e-8)):
        by_weight = CalibratedClassifierCV(inner).fit(X, y, copies).predict_proba(X)
        by_copies = CalibratedClassifierCV(inner).fit(np.repeat(X, copies, axis=0), np.repeat(y, copies)).predict_proba(X)
        assert np.allclose(by_weight, by_copies, atol=1e-4)


def test_kinds_of_rows_and_labels() -> None:
    X, y = _rows()
    names = np.array(["b", "a"])[y]
    dense = CalibratedClassifierCV(SVC(tol=1e-7)).fit(X, names)
    rows = sparse.csr_matrix(X)
    assert np.allclose(clone(dense).fit(rows, names).predict_proba(rows), dense.predict_proba(X), atol=1e-4)
    assert dense.classes_.tolist() == ["a", "b"]
    assert dense.n_features_in_ == 6
    assert np.array_equal(pickle.loads(pickle.dumps(dense)).predict_proba(X), dense.predict_proba(X))


def test_what_is_left_to_scikit_learn() -> None:
    X, y = _rows()
    foreign = sklearn.linear_model.RidgeClassifier()
    for inner, more in ((foreign, {}), (LinearSVC(), {"ensemble": True}), (FrozenEstimator(LinearSVC().fit(X, y)), {})):
        model = CalibratedClassifierCV(inner, **more).fit(X, y)
        assert not hasattr(model, "calibrator_")
        assert np.allclose(model.predict_proba(X).sum(axis=1), 1.0)
        assert model.n_features_in_ == 6
    theirs = sklearn.calibration.CalibratedClassifierCV(foreign, ensemble=False).fit(X, y)
    assert np.allclose(CalibratedClassifierCV(foreign).fit(X, y).predict_proba(X), theirs.predict_proba(X))


def test_auto_is_better_than_scikit_learns_best_on_digits() -> None:
    X, y = load_digits(return_X_y=True)
    X, Z, y, known = train_test_split(X, y, test_size=450, random_state=0, stratify=y)
    ours = log_loss(known, CalibratedClassifierCV(SVC()).fit(X, y).predict_proba(Z))
    theirs = [
        log_loss(
            known,
            sklearn.calibration.CalibratedClassifierCV(SVC(), method=method, ensemble=False).fit(X, y).predict_proba(Z),
        )
        for method in ("sigmoid", "isotonic")
    ]
    assert ours < 0.7 * min(theirs)


@pytest.mark.parametrize("kind", [list, iter])
def test_folds_that_train_on_few_rows_are_scikit_learns(kind: Any) -> None:
    X, y = _rows(n=200)
    splits = [(np.arange(20), np.arange(100, 200)), (np.arange(180, 200), np.arange(100))]
    ours = CalibratedClassifierCV(LinearSVC(), cv=kind(splits)).fit(X, y)
    theirs = sklearn.calibration.CalibratedClassifierCV(LinearSVC(), method="sigmoid", cv=splits, ensemble=False).fit(X, y)
    assert np.allclose(ours.predict_proba(X), theirs.predict_proba(X))
    assert not hasattr(ours, "calibrator_")
    twice = [(np.repeat(np.setdiff1d(np.arange(200), test), 2), test) for _, test in splits]
    assert not hasattr(CalibratedClassifierCV(LinearSVC(), cv=twice).fit(X, y), "calibrator_")
    rest = [(np.setdiff1d(np.arange(200), test), test) for _, test in splits]
    assert hasattr(CalibratedClassifierCV(LinearSVC(), cv=rest).fit(X, y), "calibrator_")
    with pytest.raises(ValueError, match="only works for partitions"):
        CalibratedClassifierCV(LinearSVC(), cv=TimeSeriesSplit(3)).fit(X, y)


def test_rows_of_no_weight_may_be_anywhere_in_cv() -> None:
    X, y = _rows()
    weight = np.repeat([1.0, 0.0], [120, 30])
    splits = [(np.arange(60, 120), np.arange(60)), (np.arange(60), np.arange(60, 120))]
    found = CalibratedClassifierCV(LinearSVC(tol=1e-8), cv=splits).fit(X, y, weight).predict_proba(X)
    known = CalibratedClassifierCV(LinearSVC(tol=1e-8), cv=splits).fit(X[:120], y[:120]).predict_proba(X)
    assert np.allclose(found, known, atol=1e-4)


@pytest.mark.parametrize("inner", [LinearSVC(), sklearn.linear_model.RidgeClassifier()], ids=str)
def test_a_failed_fit_leaves_the_last_model(inner: Any) -> None:
    X, y = _rows()
    model = CalibratedClassifierCV(inner).fit(X, y)
    known = model.predict_proba(X)
    for other in (inner, LinearSVC(), sklearn.linear_model.RidgeClassifier()):
        with pytest.raises(ValueError, match="NaN"):
            model.set_params(estimator=other).fit(X * np.nan, y)
        assert np.array_equal(model.predict_proba(X), known)


def test_a_fitted_model_keeps_its_method() -> None:
    X, y = _rows(3)
    for before, after in (("auto", "sigmoid"), ("sigmoid", "auto"), ("temperature", "auto")):
        model = CalibratedClassifierCV(SVC(), method=before).fit(X, y)  # type: ignore[arg-type]
        known = model.predict_proba(X)
        assert np.array_equal(model.set_params(method=after).predict_proba(X), known)


def test_numpys_booleans_are_booleans() -> None:
    X, y = _rows()
    for ensemble, count in ((np.True_, 5), (np.False_, 1)):
        model = CalibratedClassifierCV(LinearSVC(), ensemble=ensemble).fit(X, y)  # type: ignore[arg-type]
        assert len(model.calibrated_classifiers_) == count
        assert hasattr(model, "calibrator_") == (count == 1)


@pytest.mark.parametrize("inner", [SVC(), LinearSVC()], ids=str)
def test_a_training_fold_without_a_class(inner: Any) -> None:
    X, y = load_iris(return_X_y=True)
    with pytest.raises(InvalidInput, match=r"training rows of fold 1 of cv have no row of class 0\. Use.*StratifiedKFold"):
        CalibratedClassifierCV(inner, cv=KFold(3)).fit(X, y)


def test_messages() -> None:
    X, y = load_iris(return_X_y=True)
    with pytest.raises(InvalidInput, match="'method' parameter of CalibratedClassifierCV"):
        CalibratedClassifierCV(method="guess").fit(X, y)  # type: ignore[arg-type]
    with pytest.raises(InvalidInput, match="'ensemble' parameter of CalibratedClassifierCV"):
        CalibratedClassifierCV(ensemble="yes").fit(X, y)  # type: ignore[arg-type]
    with pytest.raises(InvalidInput, match="'cv' parameter of CalibratedClassifierCV"):
        CalibratedClassifierCV(cv=1).fit(X, y)
    with pytest.raises(InvalidInput, match="folds of cv must not overlap"):
        CalibratedClassifierCV(cv=[(np.arange(100), np.arange(50)), (np.arange(100), np.arange(50))]).fit(X, y)
    with pytest.raises(InvalidInput, match="number of classes has to be greater than one"):
        CalibratedClassifierCV().fit(X, np.zeros(len(y)))
