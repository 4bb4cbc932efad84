"""SVC with squared slack and without an offset, against a QP; solvers by name; dense and CSR rows give one model."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import sparse
from sklearn.datasets import load_iris, make_classification
from sklearn.metrics.pairwise import rbf_kernel

from maxmargin import SVC, SVR, LinearSVC, LogisticRegression, OneClassSVM
from maxmargin.errors import InvalidInput
from tests.contracts._registry._programs import QP, solve_by_piqp

X, Y = make_classification(60, 4, n_informative=3, n_redundant=0, flip_y=0.2, random_state=0)
IRIS = load_iris(return_X_y=True)
FORMS = [(loss, intercept) for loss in ("hinge", "squared_hinge") for intercept in (True, False)]


def _least(K: NDArray[Any], y: NDArray[Any], C: float, loss: str, intercept: bool) -> float:
    """``max Σα − ½ α'(yy'K + D)α`` by a general QP solver."""
    n = len(y)
    squared = loss == "squared_hinge"
    Q = np.outer(y, y) * K + (np.eye(n) / (2 * C) if squared else 0.0)
    A, c = (y[np.newaxis], np.zeros(1)) if intercept else (np.zeros((0, n)), np.zeros(0))
    qp = QP(Q, -np.ones(n), np.full(n, 1e4 if squared else C), A, c)
    return -qp.value(solve_by_piqp(qp))


@pytest.mark.parametrize(("loss", "intercept"), FORMS)
def test_two_classes_have_the_optimum_of_a_qp(loss: str, intercept: bool) -> None:
    model = SVC(C=2.0, gamma=0.5, loss=loss, fit_intercept=intercept, tol=1e-6).fit(X, Y)  # type: ignore[arg-type]
    least = _least(rbf_kernel(X, gamma=0.5), np.where(Y, 1.0, -1.0), 2.0, loss, intercept)
    found = model.certificate_
    assert model.fit_status_ == 0
    assert found.dual_objective <= least * (1 + 1e-7)
    assert found.primal_objective >= least * (1 - 1e-7)
    assert found.relative_gap <= 1e-5
    assert intercept or model.intercept_[0] == 0.0
    scores = rbf_kernel(X, model.support_vectors_, gamma=0.5) @ model.dual_coef_[0] + model.intercept_[0]
    np.testing.assert_allclose(model.decision_function(X), scores, atol=1e-9)
    slack = np.maximum(0.0, 1.0 - np.where(Y, 1, -1) * scores)
    square = model.dual_coef_[0] @ rbf_kernel(model.support_vectors_, gamma=0.5) @ model.dual_coef_[0]
    primal = square / 2 + 2.0 * float((slack**2 if loss == "squared_hinge" else slack).sum())
    assert found.primal_objective == pytest.approx(primal, rel=1e-9)


@pytest.mark.parametrize("multi_class", ["ovo", "ovr"])
@pytest.mark.parametrize(("loss", "intercept"), FORMS)
def test_several_classes(loss: str, intercept: bool, multi_class: str) -> None:
    rows, labels = IRIS
    model = SVC(gamma=0.5, loss=loss, fit_intercept=intercept, multi_class=multi_class, tol=1e-6).fit(rows, labels)  # type: ignore[arg-type]
    pairs = [(i, j) for i in range(3) for j in range(i + 1, 3)] if multi_class == "ovo" else [(k, None) for k in range(3)]
    least = 0.0
    for i, j in pairs:
        kept = np.ones(len(labels), dtype=bool) if j is None else (labels == i) | (labels == j)
        y = np.where(labels[kept] == i, 1.0, -1.0)
        least += _least(rbf_kernel(rows[kept], gamma=0.5), y, 1.0, loss, intercept)
    assert model.certificate_.dual_objective == pytest.approx(least, rel=1e-5)
    assert model.certificate_.dual_objective <= least * (1 + 1e-7)
    assert model.score(rows, labels) > 0.9
    assert intercept or not model.intercept_.any()


def test_weights_and_all_classes_at_once_without_offset() -> None:
    rows, labels = IRIS
    joint = SVC(multi_class="joint", fit_intercept=False).fit(rows, labels)
    assert not joint.intercept_.any()
    assert joint.fit_status_ == 0
    weight = 1 + np.arange(60) % 2
    copies = np.repeat(X, weight, axis=0), np.repeat(Y, weight)
    heavy = SVC(loss="squared_hinge", tol=1e-6, gamma=0.5).fit(X, Y, sample_weight=weight)
    twice = SVC(loss="squared_hinge", tol=1e-6, gamma=0.5).fit(*copies)
    np.testing.assert_allclose(heavy.decision_function(X), twice.decision_function(X), atol=1e-4)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"loss": "logistic"}, "The 'loss' parameter of SVC must be a str among {'hinge', 'squared_hinge'}"),
        ({"fit_intercept": 1}, "The 'fit_intercept' parameter of SVC"),
        (
            {"loss": "squared_hinge", "multi_class": "joint"},
            "multi_class='joint' has a loss of its own. Got loss=",
        ),
        ({"solver": "newton"}, "The 'solver' parameter of SVC must be a str among {'auto', 'chunking'"),
        ({"solver": "dual_qp", "cache_size": 100}, "A solver other than 'smo' has its own cache_size and shrinking"),
    ],
)
def test_refusals(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidInput) as error:
        SVC(**settings).fit(*IRIS)
    assert message in str(error.value)


@pytest.mark.parametrize("solver", ["auto", "smo", "dual_qp", "chunking", "decomposition", "projected_gradient", "primal_qp"])
def test_solvers_by_name_as_in_solve(solver: str) -> None:
    model = SVC(kernel="linear", solver=solver, tol=1e-4).fit(X, Y)
    same = SVC(kernel="linear", tol=1e-6).fit(X, Y)
    assert model.certificate_.dual_objective == pytest.approx(same.certificate_.dual_objective, rel=1e-4)
    assert SVR(kernel="linear", solver="chunking").fit(X, Y).fit_status_ == 0


MODELS: list[Any] = [
    SVC(tol=1e-9),
    SVC(kernel="linear", tol=1e-9, loss="squared_hinge"),
    SVR(tol=1e-9),
    OneClassSVM(nu=0.3, tol=1e-9),
    LinearSVC(tol=1e-12),
    LogisticRegression(tol=1e-12),
    LogisticRegression(tol=1e-12, l1_ratio=0.5),
]


@pytest.mark.parametrize("model", MODELS, ids=repr)
def test_dense_and_csr_rows_give_one_model(model: Any) -> None:
    """To 1e-7, where the optimum is unique."""
    thin = np.where(np.abs(X) < 0.3, 0.0, X)
    dense = model.fit(thin, Y)
    scores = getattr(dense, "decision_function", dense.predict)(thin)
    csr = model.fit(sparse.csr_matrix(thin), Y)
    again = getattr(csr, "decision_function", csr.predict)(sparse.csr_matrix(thin))
    np.testing.assert_allclose(again, scores, rtol=1e-7, atol=1e-7)


@pytest.mark.parametrize("model", MODELS, ids=repr)
def test_fitted_arrays_are_contiguous_and_have_scikit_learns_shapes(model: Any) -> None:
    model.fit(X, Y)
    for name in ("coef_", "intercept_", "dual_coef_", "support_", "support_vectors_", "n_support_", "offset_", "classes_"):
        if hasattr(model, name):
            assert getattr(model, name).flags.c_contiguous, name
    if isinstance(model, OneClassSVM | SVR):
        np.testing.assert_array_equal(model._n_support, [len(model.support_)] * 2)
        assert model._n_support.dtype == np.int32
        np.testing.assert_array_equal(model.n_support_, [len(model.support_)])
    if isinstance(model, OneClassSVM):
        assert model.offset_.shape == (1,)
        np.testing.assert_allclose(model.score_samples(X) - model.offset_, model.decision_function(X))


@pytest.mark.parametrize("multi_class", ["ovo", "ovr", "joint"])
@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("container", [np.asarray, sparse.csr_matrix])
def test_linear_weights_without_offset(container: Any, classes: int, multi_class: str) -> None:
    """Coefficients do not sum to 0: what all rows have in common does not cancel, and is part of the weights."""
    rows, labels = IRIS[0][IRIS[1] < classes], IRIS[1][IRIS[1] < classes]
    model = SVC(kernel="linear", fit_intercept=False, multi_class=multi_class, decision_function_shape="ovr").fit(  # type: ignore[arg-type]
        container(rows + 1.0), labels
    )
    by_function = SVC(
        kernel=lambda A, B: np.asarray((A @ B.T).todense() if sparse.issparse(A) else A @ B.T),
        fit_intercept=False,
        multi_class=multi_class,  # type: ignore[arg-type]
        decision_function_shape="ovr",
    ).fit(container(rows + 1.0), labels)
    scores = model.decision_function(container(rows + 1.0))
    np.testing.assert_allclose(scores, by_function.decision_function(container(rows + 1.0)), atol=0.02)
    if classes == 2:
        dual, vectors, weights = (
            np.asarray(each.todense()) if sparse.issparse(each) else each
            for each in (model.dual_coef_, model.support_vectors_, model.coef_)
        )
        np.testing.assert_allclose(weights, dual @ vectors, rtol=1e-9)
        slack = np.maximum(0.0, 1.0 - np.where(labels == 1, 1.0, -1.0) * scores)
        assert 0.5 * float((weights**2).sum()) + slack.sum() == pytest.approx(model.certificate_.primal_objective, rel=1e-6)
