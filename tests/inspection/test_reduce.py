"""Fewer support vectors: the change is what both models say, and the bound holds everywhere."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler, scale

from maxmargin import SVC, SVDD, SVR, KernelLogisticRegression, LinearSVC, NuSVR, OneClassSVM, Perceptron
from maxmargin.errors import IndefiniteKernelWarning, InvalidInput
from maxmargin.inspection import reduce_support

X, Y = load_breast_cancer(return_X_y=True)
X = scale(X)
FLOWERS, KINDS = load_iris(return_X_y=True)


def _values(model: Any, rows: Any) -> Any:
    return model.predict(rows) if not hasattr(model, "decision_function") else model.decision_function(rows)


MODELS = [
    SVC(gamma=0.001),
    SVC(kernel="linear", C=0.01),
    SVC(kernel="poly", degree=2, coef0=1.0, gamma=0.01),
    SVC(gamma=0.001, probability=True),
    SVR(gamma=0.005),
    NuSVR(gamma=0.005),
    OneClassSVM(gamma=0.005, nu=0.3),
    SVDD(gamma=0.005, nu=0.3),
    Perceptron(kernel="rbf", gamma=0.01, max_iter=30),
    KernelLogisticRegression(gamma=0.005),
]


@pytest.mark.filterwarnings("ignore::maxmargin.errors.ConvergenceWarning")
@pytest.mark.parametrize("tol", [1e-1, 1e-3])
@pytest.mark.parametrize("model", MODELS, ids=str)
def test_change_is_measured_and_bounded(model: Any, tol: float) -> None:
    model.fit(X[::2], Y[::2])
    before = _values(model, X)
    found = reduce_support(model, tol, X[::2])
    assert found.n_before == len(model.support_)
    assert found.n_after == len(found.model.support_) <= found.n_before
    assert tol < 0.1 or found.n_after < found.n_before
    change = np.abs(_values(found.model, X) - before)
    assert found.change == pytest.approx(change[::2].max(), rel=1e-6, abs=1e-12)
    assert found.change <= tol * (1.0 + 1e-6)
    diagonal = np.sqrt(model._kernel.diagonal(X))
    assert (change <= found.bound * diagonal * (1.0 + 1e-6) + 1e-7).all()
    assert set(found.model.support_.tolist()) <= set(model.support_.tolist())
    assert np.array_equal(_values(model, X), before), "the model itself is left alone"


def test_smaller_tolerances_keep_more() -> None:
    model = SVC(gamma=0.003).fit(X, Y)
    sizes = [reduce_support(model, tol).n_after for tol in (1.0, 0.1, 0.01, 1e-3)]
    assert sizes == sorted(sizes)
    assert sizes[0] < sizes[-1]


@pytest.mark.parametrize("multi_class", ["ovo", "ovr", "joint"])
def test_several_classes(multi_class: str) -> None:
    model = SVC(multi_class=multi_class, C=10.0, gamma=0.05).fit(FLOWERS, KINDS)
    found = reduce_support(model, 0.01, FLOWERS)
    raw = SVC(decision_function_shape="ovo") if multi_class == "ovo" else None
    for each in (model, found.model):
        if raw is not None:
            each.set_params(decision_function_shape="ovo")
    assert np.abs(found.model.decision_function(FLOWERS) - model.decision_function(FLOWERS)).max() <= 0.0101
    assert found.n_predictions == (found.model.predict(FLOWERS) != model.predict(FLOWERS)).sum()
    assert found.model.n_support_.sum() == found.n_after <= found.n_before
    assert found.model.n_support_.tolist() == np.bincount(KINDS[found.model.support_], minlength=3).tolist()


def test_where_nothing_can_be_spared_nothing_changes() -> None:
    points = 100.0 * np.eye(6)
    model = SVC(gamma=1.0).fit(points, [0, 1] * 3)
    found = reduce_support(model, 1e-6)
    assert (found.n_before, found.n_after, found.change, found.bound) == (6, 6, 0.0, 0.0)
    assert found.n_predictions is None


def test_sparse_rows_pickles_and_copies() -> None:
    model = SVC(gamma=0.001).fit(sparse.csr_matrix(X), Y)
    found = reduce_support(model, 0.01)
    assert sparse.issparse(found.model.dual_coef_)
    again = pickle.loads(pickle.dumps(found.model))
    assert np.array_equal(again.decision_function(sparse.csr_matrix(X)), found.model.decision_function(sparse.csr_matrix(X)))
    assert clone(found.model).fit(X, Y).certificate_.relative_gap < 1e-3


def test_a_reduced_model_claims_nothing() -> None:
    found = reduce_support(SVC(gamma=0.001).fit(X, Y), 0.01)
    for name in ("certificate_", "status_", "solutions_"):
        with pytest.raises(AttributeError, match=r"support vectors were reduced, and it is no optimum"):
            getattr(found.model, name)
        assert not hasattr(found.model, name)


def test_pipeline() -> None:
    raw = load_breast_cancer().data
    model = make_pipeline(StandardScaler(), SVC(gamma=0.001)).fit(raw, Y)
    found = reduce_support(model, 0.01, raw)
    assert [name for name, _ in found.model.steps] == ["standardscaler", "svc"]
    assert np.abs(found.model.decision_function(raw) - model.decision_function(raw)).max() == pytest.approx(
        found.change, rel=1e-6
    )


def test_messages() -> None:
    with pytest.raises(InvalidInput, match=r"Got LinearSVC. A linear model has weights instead of support vectors"):
        reduce_support(LinearSVC().fit(X, Y))
    with pytest.raises(InvalidInput, match=r"precomputed kernel, of which a model keeps none. Fit with the kernel itself"):
        reduce_support(SVC(kernel="precomputed").fit(X @ X.T, Y))
    with pytest.warns(IndefiniteKernelWarning):
        model = SVC(kernel="sigmoid", gamma=0.001).fit(X, Y)
    with pytest.raises(InvalidInput, match=r"must be an inner product.* SVC\(gamma=0.001, kernel='sigmoid'\)"):
        reduce_support(model)
    with pytest.raises(InvalidInput, match=r"The 'tol' parameter of reduce_support"):
        reduce_support(SVC().fit(X, Y), tol=0.0)
