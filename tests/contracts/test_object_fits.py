"""Every kernel of objects x every estimator, against the fit with the matrix of its definition; searches over parameters."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, StratifiedKFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

import maxmargin
from maxmargin import SVC, SVDD, SVR, KernelPCA, NuSVC, NuSVR, OneClassSVM, Perceptron
from maxmargin.kernels import Kernel

from ._registry import OBJECTS, Array, ObjectCase

each_case = pytest.mark.parametrize("case", OBJECTS, ids=str)

N = 42
CLASSES = np.arange(N) % 3
SIDES = (CLASSES > 0).astype(int)
TARGETS = np.sin(np.arange(N)) + CLASSES
FOLDS = StratifiedKFold(3, shuffle=True, random_state=0)

ESTIMATORS: dict[str, tuple[Callable[..., Any], Array | None]] = {
    "two classes": (lambda **kernel: SVC(C=2.0, tol=1e-7, **kernel), SIDES),
    "squared hinge": (lambda **kernel: SVC(C=2.0, tol=1e-7, loss="squared_hinge", **kernel), SIDES),
    "three classes": (lambda **kernel: SVC(C=2.0, tol=1e-7, decision_function_shape="ovo", **kernel), CLASSES),
    "one against the rest": (lambda **kernel: SVC(C=2.0, tol=1e-7, multi_class="ovr", **kernel), CLASSES),
    "all classes at once": (lambda **kernel: SVC(C=0.5, tol=1e-7, multi_class="joint", **kernel), CLASSES),
    "nu": (lambda **kernel: NuSVC(nu=0.3, tol=1e-7, **kernel), SIDES),
    "regression": (lambda **kernel: SVR(C=1.0, epsilon=0.05, tol=1e-7, **kernel), TARGETS),
    "nu regression": (lambda **kernel: NuSVR(C=1.0, nu=0.4, tol=1e-7, **kernel), TARGETS),
    "one class": (lambda **kernel: OneClassSVM(nu=0.3, tol=1e-7, **kernel), None),
}


@pytest.mark.parametrize("estimator", ESTIMATORS)
@each_case
def test_a_fit_is_that_of_the_matrix(case: ObjectCase, estimator: str) -> None:
    make, y = ESTIMATORS[estimator]
    model = make(kernel=case.kernel).fit(case.X, y)
    given = make(kernel="precomputed").fit(case.K, y)
    assert model.status_.is_optimal
    assert given.status_.is_optimal
    assert model.certificate_.relative_gap < 1e-3
    what = "predict" if "regression" in estimator else "decision_function"
    scores, expected = getattr(model, what)(case.new), getattr(given, what)(case.across)
    np.testing.assert_allclose(scores, expected, atol=3e-4 * max(1.0, float(np.abs(expected).max())))
    np.testing.assert_allclose(model.certificate_.primal_objective, given.certificate_.primal_objective, rtol=1e-5, atol=1e-7)
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(getattr(again, what)(case.new), scores)


@each_case
def test_principal_components_are_those_of_the_matrix(case: ObjectCase) -> None:
    ours, given = KernelPCA(3, kernel=case.kernel).fit(case.X), KernelPCA(3, kernel="precomputed").fit(case.K)
    np.testing.assert_allclose(ours.eigenvalues_, given.eigenvalues_, rtol=1e-9)
    np.testing.assert_allclose(
        np.abs(ours.transform(case.new)), np.abs(given.transform(case.across)), atol=1e-6 * np.abs(case.K).max()
    )


@each_case
def test_the_smallest_ball_is_that_of_the_matrix(case: ObjectCase) -> None:
    ours = SVDD(nu=0.2, kernel=case.kernel, tol=1e-7).fit(case.X)
    beta = np.zeros(N)
    beta[ours.support_] = ours.dual_coef_[0]
    own = np.diag(case.reference(case.new, case.new))
    distance = own - 2.0 * case.across @ beta + beta @ case.K @ beta
    apart = ours.decision_function(case.new) + 0.5 * distance  # the rest does not depend on the row
    np.testing.assert_allclose(apart, np.full(len(own), apart.mean()), atol=1e-6 * max(1.0, np.abs(case.K).max()))


@each_case
def test_the_perceptron_is_that_of_the_matrix(case: ObjectCase) -> None:
    ours = Perceptron(kernel=case.kernel).fit(case.X, SIDES)
    given = Perceptron(kernel="precomputed").fit(case.K, SIDES)
    expected = given.decision_function(case.across)
    np.testing.assert_allclose(ours.decision_function(case.new), expected, atol=1e-8 * max(1.0, float(np.abs(expected).max())))


@each_case
def test_same_bits_for_any_number_of_threads(case: ObjectCase) -> None:
    before = maxmargin.get_threads()
    found = []
    try:
        for threads in (1, 2, 3):
            maxmargin.set_threads(threads)
            model = SVC(kernel=case.kernel, C=5.0).fit(case.X, CLASSES)
            found.append((model.dual_coef_, model.intercept_, model.decision_function(case.new)))
    finally:
        maxmargin.set_threads(before)
    for other in found[1:]:
        for mine, theirs in zip(found[0], other, strict=True):
            np.testing.assert_array_equal(mine, theirs)


@each_case
def test_every_parameter_is_open_to_a_search(case: ObjectCase) -> None:
    """Each value is reached, by scikit-learn's search and by ours, and what the last fit used is what was chosen."""
    parameters = case.kernel.get_params()
    assert set(case.grid) == set(parameters)
    for name, values in case.grid.items():
        model = SVC(kernel=clone(case.kernel), C=10.0, tol=1e-6)
        theirs = GridSearchCV(model, {f"kernel__{name}": values}, cv=FOLDS, error_score="raise").fit(case.X, CLASSES)
        ours = maxmargin.model_selection.GridSearchCV(model, {f"kernel__{name}": values}, cv=FOLDS, error_score="raise")
        ours.fit(case.X, CLASSES)
        np.testing.assert_allclose(ours.cv_results_["mean_test_score"], theirs.cv_results_["mean_test_score"], atol=1.01 / 14)
        chosen = ours.best_params_[f"kernel__{name}"]
        held = ours.best_estimator_.kernel.get_params()[name]
        assert repr(held) == repr(chosen) if isinstance(chosen, Kernel | tuple) else held == chosen
        by_hand = clone(model).set_params(**{f"kernel__{name}": chosen}).fit(case.X, CLASSES)
        np.testing.assert_array_equal(
            ours.best_estimator_.decision_function(case.new), by_hand.decision_function(case.new), err_msg=name
        )


@each_case
def test_pipelines_and_folds(case: ObjectCase) -> None:
    """Folds of the objects are folds of their matrix."""
    model = make_pipeline(FunctionTransformer(), SVC(kernel=case.kernel, C=10.0, tol=1e-6))
    scores = cross_val_score(model, case.X, CLASSES, cv=FOLDS)
    given = cross_val_score(SVC(kernel="precomputed", C=10.0, tol=1e-6), case.K, CLASSES, cv=FOLDS)
    ours = maxmargin.model_selection.GridSearchCV(model, {"svc__C": [10.0]}, cv=FOLDS).fit(case.X, CLASSES)
    np.testing.assert_allclose(scores, given, atol=1.01 / 14)  # one near tie
    np.testing.assert_allclose(ours.cv_results_["mean_test_score"], scores.mean(), atol=1.01 / 14)
    probabilities = clone(model).set_params(svc__probability=True).fit(case.X, CLASSES).predict_proba(case.new)
    np.testing.assert_allclose(probabilities.sum(axis=1), 1.0)
