"""A certificate is that of the model as it predicts: by the scores of the fitted estimator, to the last digit."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

from maxmargin import SVC, ApproximateOneClass, ApproximateSVC, ApproximateSVR, LinearSVC
from maxmargin.errors import InvalidInput
from maxmargin.kernels import Laplacian, Quadratic

RANDOM = np.random.default_rng(5)
FAR = RANDOM.normal(size=(60, 5))
FAR[:, 0] = 1.7e9 + 3e4 * RANDOM.normal(size=60)
CODES = np.digitize(FAR[:, 1] + 0.1 * RANDOM.normal(size=60), [-0.5, 0.5])


def fitted(model: Any, X: Any, y: Any = None, weight: Any = None) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return model.fit(X, y, sample_weight=weight)


@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
def test_of_one_class_against_the_rest(loss: str) -> None:
    """All classes are scored in one pass, whose sums are rounded in another order than those of one class."""
    model = fitted(LinearSVC(C=1e6, loss=loss), FAR, CODES)
    sign = np.where(CODES[:, np.newaxis] == model.classes_, 1.0, -1.0)
    lost = np.maximum(0.0, 1.0 - sign * model.decision_function(FAR)) ** (1 if loss == "hinge" else 2)
    objective = 0.5 * (model.coef_ * model.coef_).sum() + 1e6 * lost.sum()
    assert model.certificate_.primal_objective == pytest.approx(objective, rel=1e-9)


def test_of_two_classes_at_once() -> None:
    """They are kept as the difference of their scores."""
    codes = (CODES > 0).astype(int)
    model = fitted(LinearSVC(C=1e5, multi_class="crammer_singer"), FAR, codes)
    f = model.decision_function(FAR)
    objective = 0.25 * model.coef_[0] @ model.coef_[0] + 1e5 * np.maximum(0.0, 1.0 - np.where(codes, f, -f)).sum()
    assert model.certificate_.primal_objective >= objective * (1.0 - 1e-9)


def test_of_support_vectors_class_by_class() -> None:
    """A binary classifier sums up its support vectors by class, which rounds otherwise than by row."""
    X = np.random.default_rng(0).normal(size=(80, 6))
    y = np.arange(80) % 2
    model = SVC(C=10.0, kernel=Laplacian(gamma=0.3)).fit(X, y)
    (solution,) = model.solutions_
    beta = np.zeros(80)
    beta[model.support_] = model.dual_coef_[0]
    predicted = Laplacian(gamma=0.3).bind(X).gram(X).predicted(beta, 0.0, by_sign=True, offset=True)
    assert np.array_equal(predicted + model.intercept_[0], model.decision_function(X))
    assert solution.certificate.primal_objective == pytest.approx(solution.certificate.dual_objective, rel=1e-3)


def test_a_huge_weight_shows_the_last_digit_of_a_score() -> None:
    """``C_i ε`` is a loss of its own, which a certificate may not leave out."""
    random = np.random.default_rng(1)
    X, y = random.normal(size=(82, 8)), np.arange(82) % 2
    weight = 10.0 ** random.uniform(-12, 12, 82)
    model = fitted(SVC(C=400.0, kernel=Laplacian(gamma=0.25)), X, y, weight)
    f = np.where(y, 1.0, -1.0) * model.decision_function(X)
    lost = 400.0 * weight @ np.maximum(0.0, 1.0 - f)
    certificate = model.certificate_
    least = (
        lost
        + 0.5 * model.dual_coef_[0] @ model.kernel.bind(X).gram(X).block(model.support_, model.support_) @ model.dual_coef_[0]
    )
    assert certificate.primal_objective >= least * (1.0 - 1e-6)
    if model.status_.is_optimal:
        assert least - certificate.dual_objective <= 1e-3 * least * (1.0 + 1e-6)


@pytest.mark.parametrize("estimator", [ApproximateSVC, ApproximateSVR], ids=["svc", "svr"])
def test_of_landmarks_that_are_alike(estimator: Any) -> None:
    """Their coefficients are huge and cancel: the scores that count are sums of them."""
    random = np.random.default_rng(2)
    X = random.normal(size=(50, 4))
    X[:, 0] += 1e4
    y = X[:, 1] + 0.3 * random.normal(size=50) > 0
    squared = (
        {"loss": "squared_hinge"} if estimator is ApproximateSVC else {"loss": "squared_epsilon_insensitive", "epsilon": 0.1}
    )
    C = 1e6
    model = fitted(
        estimator(C=C, kernel="poly", degree=3, gamma=1.0, coef0=1.0, n_components=12, random_state=0, tol=1e-4, **squared),
        X,
        y.astype(float),
    )
    if estimator is ApproximateSVC:
        lost = np.maximum(0.0, 1.0 - np.where(y, 1.0, -1.0) * model.decision_function(X))
    else:
        lost = np.maximum(0.0, np.abs(y - model.predict(X)) - 0.1)
    assert model.certificate_.primal_objective >= C * (lost @ lost) * (1.0 - 1e-6)


@pytest.mark.parametrize("landmarks", ["uniform", "leverage", "kmeans"])
def test_kernel_values_that_overflow_between_landmarks(landmarks: str) -> None:
    X = np.random.default_rng(3).normal(size=(30, 3)) * 1e150
    with pytest.raises(InvalidInput, match=r"overflow.*Scale X"):
        fitted(ApproximateOneClass(kernel=Quadratic(), n_components=8, landmarks=landmarks, random_state=0), X)
