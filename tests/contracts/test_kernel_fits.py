"""Fits with every kernel, against the same fit with its matrix precomputed by scikit-learn or numpy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy import sparse

import maxmargin
from maxmargin import SVC, SVDD, SVR, KernelPCA, NuSVC, OneClassSVM

from ._registry import COMBINATIONS, KERNELS, Array, KernelCase

NEW = [case for case in [*KERNELS[7:], *COMBINATIONS] if case.mercer]
"""All but those that scikit-learn's SVC has by name, and the indefinite ones, whose optima are not unique."""

each_kernel = pytest.mark.parametrize("case", NEW, ids=str)


def _wide(X: Array) -> sparse.csr_array:
    matrix = sparse.csr_array(X)
    matrix.resize(len(X), 3000)
    return matrix


CONTAINERS: dict[str, Callable[[Array], Any]] = {
    "dense": lambda X: X,
    "csr": sparse.csr_array,
    "wide csr": _wide,
}


def _rows(n: int, seed: int) -> Array:
    """Rows at least 0, which every kernel takes, with zeros."""
    rng = np.random.default_rng(seed)
    return np.abs(rng.normal(size=(n, 7))) * (rng.random((n, 7)) < 0.7)


X, NEW_ROWS = _rows(90, 0), _rows(25, 1)
CLASSES = (X[:, 0] > X[:, 1]).astype(int) + (X[:, 2] > X[:, 3])
SIDES = (X[:, 0] + X[:, 1] > X[:, 2]).astype(int)
TARGETS = np.sin(X[:, 0]) + 0.1 * X[:, 1]

ESTIMATORS: dict[str, tuple[Callable[..., Any], Array | None]] = {
    "two classes": (lambda **kernel: SVC(C=2.0, tol=1e-7, **kernel), SIDES),
    "three classes": (lambda **kernel: SVC(C=2.0, tol=1e-7, decision_function_shape="ovo", **kernel), CLASSES),
    "all classes at once": (lambda **kernel: SVC(C=0.5, tol=1e-7, multi_class="joint", **kernel), CLASSES),
    "nu": (lambda **kernel: NuSVC(nu=0.3, tol=1e-7, **kernel), SIDES),
    "regression": (lambda **kernel: SVR(C=1.0, epsilon=0.05, tol=1e-7, **kernel), TARGETS),
    "one class": (lambda **kernel: OneClassSVM(nu=0.3, tol=1e-7, **kernel), None),
}


@pytest.mark.parametrize("container", CONTAINERS)
@pytest.mark.parametrize("estimator", ESTIMATORS)
@each_kernel
def test_a_fit_is_that_of_the_matrix(case: KernelCase, estimator: str, container: str) -> None:
    make, y = ESTIMATORS[estimator]
    rows = CONTAINERS[container]
    model = make(kernel=case.kernel).fit(rows(X), y)
    given = make(kernel="precomputed").fit(case.reference(X, X), y)
    assert model.status_.is_optimal == given.status_.is_optimal
    assert model.certificate_.relative_gap < 1e-3
    scores, expected = (
        (fitted.predict if estimator == "regression" else fitted.decision_function)(new)
        for fitted, new in ((model, rows(NEW_ROWS)), (given, case.reference(NEW_ROWS, X)))
    )
    np.testing.assert_allclose(scores, expected, atol=2e-4 * max(1.0, float(np.abs(expected).max())))
    np.testing.assert_allclose(model.certificate_.primal_objective, given.certificate_.primal_objective, rtol=1e-5, atol=1e-7)


@each_kernel
def test_principal_components_are_those_of_the_matrix(case: KernelCase) -> None:
    K = case.reference(X, X)
    ours = KernelPCA(3, kernel=case.kernel).fit(X)
    given = KernelPCA(3, kernel="precomputed").fit(K)
    np.testing.assert_allclose(ours.eigenvalues_, given.eigenvalues_, rtol=1e-9)
    np.testing.assert_allclose(
        np.abs(ours.transform(NEW_ROWS)), np.abs(given.transform(case.reference(NEW_ROWS, X))), atol=1e-6 * np.abs(K).max()
    )


@each_kernel
def test_the_smallest_ball_is_that_of_the_matrix(case: KernelCase) -> None:
    """It takes k(x, x) of rows to predict."""
    ours = SVDD(nu=0.2, kernel=case.kernel, tol=1e-7).fit(X)
    K, across = case.reference(X, X), case.reference(X, NEW_ROWS)
    beta = np.zeros(90)
    beta[ours.support_] = ours.dual_coef_[0]
    own = np.array([case.reference(row[np.newaxis], row[np.newaxis])[0, 0] for row in NEW_ROWS])
    distance = own - 2.0 * beta @ across + beta @ K @ beta
    apart = ours.decision_function(NEW_ROWS) + 0.5 * distance  # the rest does not depend on the row
    np.testing.assert_allclose(apart, np.full(25, apart.mean()), atol=1e-6 * max(1.0, np.abs(K).max()))


@pytest.mark.parametrize("container", CONTAINERS)
@each_kernel
def test_same_bits_for_any_number_of_threads(case: KernelCase, container: str) -> None:
    rows = CONTAINERS[container](X)
    before = maxmargin.get_threads()
    found = []
    try:
        for threads in (1, 2):
            maxmargin.set_threads(threads)
            model = SVC(kernel=case.kernel, C=5.0).fit(rows, CLASSES)
            found.append((model.dual_coef_, model.intercept_, model.decision_function(rows)))
    finally:
        maxmargin.set_threads(before)
    for one, other in zip(*found, strict=True):
        dense = (each.toarray() if sparse.issparse(each) else each for each in (one, other))
        np.testing.assert_array_equal(*dense)


@pytest.mark.parametrize("case", [case for case in NEW if case.name in ("laplacian", "matern 1/2", "on columns")], ids=str)
def test_many_rows(case: KernelCase) -> None:
    """Beyond what is searched in float64: float32 rows, samples and blocks."""
    rows = _rows(3000, 2)
    y = (rows[:, 0] * rows[:, 1] > 0.1).astype(int)
    model = SVC(kernel=case.kernel, C=10.0).fit(rows, y)
    assert model.status_.is_optimal
    beta = model.dual_coef_[0]
    scores = case.reference(rows[:200], model.support_vectors_) @ beta + model.intercept_[0]
    np.testing.assert_allclose(model.decision_function(rows[:200]), scores, atol=1e-9 * np.abs(beta).sum())
