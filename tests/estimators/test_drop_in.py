"""What code written for scikit-learn relies on, for all estimators: layouts, number types, containers of rows."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn import linear_model, svm
from sklearn.base import clone
from sklearn.datasets import make_blobs, make_classification

from maxmargin import (
    SVC,
    SVDD,
    SVR,
    KernelPCA,
    LinearClassifier,
    LinearSVC,
    LinearSVR,
    LogisticRegression,
    NuSVC,
    NuSVR,
    OneClassSVM,
    Perceptron,
    StochasticClassifier,
)

X, Y = make_classification(90, 6, n_informative=4, n_classes=3, random_state=0)
X = np.where(np.abs(X) < 0.3, 0.0, X)
PRECISE = 1e-10
UNIQUE: list[Any] = [
    SVC(tol=PRECISE),
    SVC(kernel="linear", tol=PRECISE),
    SVC(kernel="poly", tol=PRECISE),
    SVC(multi_class="ovr", tol=PRECISE),
    SVC(multi_class="joint", tol=PRECISE),
    SVC(fit_intercept=False, loss="squared_hinge", tol=PRECISE),
    NuSVC(nu=0.3, tol=PRECISE),
    SVR(tol=PRECISE),
    NuSVR(tol=PRECISE),
    OneClassSVM(nu=0.3, tol=PRECISE),
    SVDD(nu=0.3, tol=PRECISE),
    LinearSVC(tol=PRECISE),
    LinearSVC(loss="hinge", tol=PRECISE),
    LinearSVC(multi_class="crammer_singer", tol=PRECISE),
    LinearSVC(penalty="l1", C=0.3, tol=PRECISE),
    LinearSVR(epsilon=0.1, tol=PRECISE),
    LinearClassifier(loss="logistic", tol=PRECISE),
    LogisticRegression(tol=PRECISE),
    LogisticRegression(multi_class="ovr", tol=PRECISE),
    LogisticRegression(l1_ratio=0.5, tol=PRECISE),
]
"""Whose optimum is one function, whatever the rows are stored in."""
ALL: list[Any] = [
    *UNIQUE,
    SVC(probability=True),
    NuSVC(nu=0.3, probability=True),
    StochasticClassifier(),
    Perceptron(),
    Perceptron(kernel="rbf"),
    KernelPCA(n_components=2, kernel="rbf"),
]


def _values(model: Any, rows: Any) -> Any:
    for name in ("decision_function", "predict"):
        if hasattr(model, name):
            return getattr(model, name)(rows)
    return model.transform(rows)


def _fitted(model: Any, rows: Any) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return clone(model).fit(rows, Y)


@pytest.mark.parametrize("model", UNIQUE, ids=repr)
def test_dense_and_csr_rows_give_one_model(model: Any) -> None:
    """To 1e-7, of both kinds of new rows."""
    dense, thin = _fitted(model, X), _fitted(model, sparse.csr_array(X))
    expected = _values(dense, X)
    scale = max(1.0, float(np.abs(expected).max()))
    np.testing.assert_allclose(_values(thin, sparse.csr_array(X)), expected, rtol=1e-7, atol=1e-7 * scale)
    np.testing.assert_allclose(_values(thin, X), expected, rtol=1e-7, atol=1e-7 * scale)


@pytest.mark.parametrize("model", ALL, ids=repr)
def test_all_fitted_arrays_are_c_contiguous(model: Any) -> None:
    for rows in (X, np.asfortranarray(X), X.astype(np.float32)):
        fitted = _fitted(model, rows)
        arrays = {name: getattr(fitted, name, None) for name in dir(fitted) if name.endswith("_") and not name.startswith("__")}
        found = {name: value for name, value in arrays.items() if isinstance(value, np.ndarray)}
        assert len(found) >= 2
        assert [name for name, value in found.items() if not value.flags.c_contiguous] == []


@pytest.mark.parametrize("model", ALL, ids=repr)
def test_frames_are_rows(model: Any) -> None:
    """pandas and polars: the same bits as an array, and the names of the columns."""
    polars = pytest.importorskip("polars")
    names = [f"x{k}" for k in range(X.shape[1])]
    expected = _values(_fitted(model, X), X)
    for frame in (pd.DataFrame(X, columns=names), polars.DataFrame(X, schema=names)):
        fitted = _fitted(model, frame)
        assert fitted.feature_names_in_.tolist() == names
        np.testing.assert_array_equal(_values(fitted, frame), expected)


@pytest.mark.parametrize(
    "settings", [{}, {"multi_class": "ovr"}, {"l1_ratio": 0.5, "multi_class": "ovr"}, {"C": 0.01}], ids=repr
)
@pytest.mark.parametrize("classes", [2, 3])
def test_float32_in_float32_out(classes: int, settings: dict[str, Any]) -> None:
    """As scikit-learn's LogisticRegression; its SVMs answer in float64, and so do ours."""
    kept = classes > Y
    rows, y = X[kept].astype(np.float32), Y[kept]
    model = LogisticRegression(**settings).fit(rows, y)
    theirs = linear_model.LogisticRegression().fit(rows, y)
    for name in ("coef_", "intercept_"):
        assert getattr(model, name).dtype == getattr(theirs, name).dtype == np.float32
    for method in ("predict_proba", "predict_log_proba", "decision_function"):
        assert getattr(model, method)(rows).dtype == getattr(theirs, method)(rows).dtype == np.float32, method
    for other, reference in ((SVC(), svm.SVC()), (LinearSVC(), svm.LinearSVC())):
        expected = reference.fit(rows, y).decision_function(rows).dtype
        assert other.fit(rows, y).decision_function(rows).dtype == expected


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        (SVC(), svm.SVC()),
        (NuSVC(nu=0.2), svm.NuSVC(nu=0.2)),
        (SVR(), svm.SVR()),
        (NuSVR(), svm.NuSVR()),
        (OneClassSVM(), svm.OneClassSVM()),
        (SVC(kernel="linear"), svm.SVC(kernel="linear")),
    ],
    ids=repr,
)
def test_shapes_and_types_are_scikit_learns(ours: Any, theirs: Any) -> None:
    for y in (Y, np.minimum(Y, 1)):
        ours.fit(X, y)
        theirs.fit(X, y)
        for name in (
            "_n_support",
            "n_support_",
            "offset_",
            "intercept_",
            "n_iter_",
            "fit_status_",
            "shape_fit_",
            "class_weight_",
        ):
            if not hasattr(theirs, name):
                continue
            mine, other = getattr(ours, name), getattr(theirs, name)
            assert np.shape(mine) == np.shape(other), name
            assert type(mine) is type(other), name
        for name in ("support_", "_n_support", "dual_coef_", "support_vectors_", "classes_", "coef_", "intercept_"):
            if hasattr(theirs, name):
                assert getattr(ours, name).dtype == getattr(theirs, name).dtype, name
                assert getattr(ours, name).ndim == getattr(theirs, name).ndim, name


def test_of_equally_many_votes_the_first_class_wins() -> None:
    """Three classes about the centre of a triangle: each pair votes for another one there, as in scikit-learn."""
    rows, y = make_blobs([20, 20, 20], centers=np.array([[1.0, 0.0], [-0.5, 0.87], [-0.5, -0.87]]), random_state=3)
    model = SVC(kernel="linear", decision_function_shape="ovo").fit(rows, y)
    grid = np.stack(np.meshgrid(np.linspace(-2, 2, 200), np.linspace(-2, 2, 200)), -1).reshape(-1, 2)
    pairs = model.decision_function(grid)
    first = np.stack([(pairs[:, 0] > 0) * 1 + (pairs[:, 1] > 0), (pairs[:, 0] <= 0) * 1 + (pairs[:, 2] > 0)], 1)
    votes = np.column_stack([first, (pairs[:, 1] <= 0) * 1 + (pairs[:, 2] <= 0)])
    tied = (votes == 1).all(axis=1)
    assert tied.any()
    assert set(model.predict(grid[tied])) == {0}
    reference = svm.SVC(kernel="linear").fit(rows, y)
    assert (reference.predict(grid[tied]) == 0).mean() > 0.9  # but for rows at the border of the triangle
    by_scores = clone(model).set_params(break_ties=True, decision_function_shape="ovr").fit(rows, y)
    np.testing.assert_array_equal(by_scores.predict(grid), by_scores.decision_function(grid).argmax(axis=1))
