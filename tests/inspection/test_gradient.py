"""Gradients of decision functions against finite differences, over estimators and pipelines."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import sparse
from sklearn.cluster import KMeans
from sklearn.datasets import load_iris
from sklearn.decomposition import PCA
from sklearn.linear_model import RidgeClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PolynomialFeatures, StandardScaler
from sklearn.tree import DecisionTreeClassifier

from maxmargin import (
    SVC,
    SVDD,
    SVR,
    ApproximateOneClass,
    ApproximateSVC,
    ApproximateSVR,
    KernelLogisticRegression,
    LinearSVC,
    LogisticRegression,
    NuSVC,
    NuSVR,
    OneClassSVM,
    Perceptron,
)
from maxmargin.errors import InvalidInput
from maxmargin.inspection import decision_gradient, relevance
from maxmargin.kernels import RBF, Laplacian, Linear, Polynomial
from maxmargin.model_selection import GridSearchCV

X, Y = load_iris(return_X_y=True)
TWO = Y < 2
SCALED = (X - X.mean(axis=0)) / X.std(axis=0)


def _differences(function: Any, rows: Any, step: float = 1e-4) -> Any:
    parts = []
    for move in step * np.eye(rows.shape[1]):
        near, far = function(rows + move) - function(rows - move), function(rows + 2 * move) - function(rows - 2 * move)
        parts.append((8.0 * near - far) / (12.0 * step))
    return np.stack(parts, axis=-1)


MODELS = [
    (SVC(), True, "decision_function"),
    (SVC(kernel="linear"), True, "decision_function"),
    (SVC(kernel=RBF(gamma=0.2) + 0.1 * Linear() * Polynomial(degree=2, gamma=0.5, coef0=1.0)), True, "decision_function"),
    (SVC(decision_function_shape="ovo"), False, "decision_function"),
    (SVC(multi_class="ovr"), False, "decision_function"),
    (SVC(multi_class="joint", kernel="poly", coef0=1.0), False, "decision_function"),
    (NuSVC(nu=0.1, kernel="matern"), True, "decision_function"),
    (Perceptron(kernel="rbf"), True, "decision_function"),
    (Perceptron(), True, "decision_function"),
    (LinearSVC(), False, "decision_function"),
    (LogisticRegression(), True, "decision_function"),
    (RidgeClassifier(), False, "decision_function"),
    (OneClassSVM(nu=0.2), True, "decision_function"),
    (SVDD(kernel="poly", degree=2, coef0=1.0), True, "decision_function"),
    (SVR(), True, "predict"),
    (NuSVR(kernel="linear"), True, "predict"),
    (KernelLogisticRegression(), True, "decision_function"),
    (KernelLogisticRegression(kernel=RBF(0.2) + Linear()), False, "decision_function"),
    (ApproximateSVC(30, random_state=0), True, "decision_function"),
    (ApproximateSVC(30, landmarks="kmeans", random_state=0), False, "decision_function"),
    (ApproximateSVR(30, kernel="poly", coef0=1.0, random_state=0), True, "predict"),
    (ApproximateOneClass(30, nu=0.2, landmarks="leverage", random_state=0), True, "decision_function"),
    (make_pipeline(StandardScaler(), PCA(3), SVC()), True, "decision_function"),
]


@pytest.mark.filterwarnings("ignore::maxmargin.errors.ConvergenceWarning")
@pytest.mark.parametrize(("model", "binary", "method"), MODELS, ids=lambda each: str(each)[:48])
def test_gradient_against_finite_differences(model: Any, binary: bool, method: str) -> None:
    rows, labels = (SCALED[TWO], Y[TWO]) if binary else (SCALED, Y)
    fitted = model.fit(rows, labels)
    some = rows[::7]
    expected = _differences(getattr(fitted, method), some)
    found = decision_gradient(fitted, some)
    assert found.shape == expected.shape
    assert np.allclose(found, expected, rtol=1e-6, atol=1e-7)


def test_sparse_rows_and_searches() -> None:
    model = SVC().fit(sparse.csr_matrix(SCALED[TWO]), Y[TWO])
    dense = SVC().fit(SCALED[TWO], Y[TWO])
    assert np.allclose(decision_gradient(model, sparse.csr_matrix(SCALED[:9])), decision_gradient(dense, SCALED[:9]), atol=1e-6)
    search = GridSearchCV(SVC(), {"C": [0.1, 1.0]}, cv=2).fit(SCALED[TWO], Y[TWO])
    assert np.array_equal(decision_gradient(search, SCALED[:9]), decision_gradient(search.best_estimator_, SCALED[:9]))


def test_landmarks_of_sparse_rows_and_dense_ones() -> None:
    few = sparse.csr_matrix(SCALED[TWO])
    model = ApproximateSVC(30, random_state=0).fit(few, Y[TWO])
    dense = ApproximateSVC(30, random_state=0).fit(SCALED[TWO], Y[TWO])
    assert np.allclose(decision_gradient(model, few[:9]), decision_gradient(dense, SCALED[:9]), atol=1e-5)


def test_blocks_of_rows_are_put_together(monkeypatch: pytest.MonkeyPatch) -> None:
    model = SVC().fit(SCALED, Y)
    whole = decision_gradient(model, SCALED)
    monkeypatch.setattr("maxmargin.inspection._gradient._VALUES_AT_ONCE", 7 * len(model.support_))
    assert np.allclose(decision_gradient(model, SCALED), whole, rtol=1e-12, atol=1e-13)


def _said(function: Any, *arguments: Any) -> str:
    with pytest.raises(InvalidInput) as caught:
        function(*arguments)
    return str(caught.value)


def test_messages() -> None:
    rows = SCALED[TWO]
    words = _said(decision_gradient, SVC(kernel=Laplacian()).fit(rows, Y[TWO]), rows)
    assert "Got SVC with one that has none: Laplacian has a kink" in words
    assert "Fit with a smooth kernel, such as RBF" in words
    words = _said(decision_gradient, SVC(kernel=lambda A, B: A @ B.T).fit(rows, Y[TWO]), rows)
    assert "knows its values only" in words
    words = _said(decision_gradient, DecisionTreeClassifier().fit(rows, Y[TWO]), rows)
    assert "Got DecisionTreeClassifier. Of other models sklearn.inspection.permutation_importance" in words
    model = make_pipeline(PolynomialFeatures(), SVC()).fit(rows, Y[TWO])
    words = _said(decision_gradient, model, rows)
    assert "affine, such as StandardScaler or PCA" in words
    assert "decision_gradient(pipeline[-1], pipeline[:-1].transform(X))" in words
    assert decision_gradient(model[-1], model[:-1].transform(rows)).shape == (100, 15)
    assert "relevance needs several rows" in _said(relevance, SVC().fit(rows, Y[TWO]), rows[:1])
    assert "steps before the model are not" in _said(
        decision_gradient, make_pipeline(KMeans(3, random_state=0), LinearSVC()).fit(rows, Y[TWO]), rows
    )
