"""KernelLogisticRegression: the objective of a general optimiser, probabilities of a model, and a proof."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import optimize, special
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.preprocessing import StandardScaler

from maxmargin import KernelLogisticRegression, get_threads, set_threads
from maxmargin.errors import ConvergenceWarning, InvalidInput
from maxmargin.kernels import RBF
from maxmargin.solution import Status


def _scaled(load: Any, rows: int = 150) -> tuple[Any, Any]:
    X, y = load(return_X_y=True)
    chosen = np.random.default_rng(0).permutation(len(y))[:rows]
    return StandardScaler().fit_transform(X[chosen]), y[chosen]


def _reference(K: Any, y: Any, C: Any, *, offset: bool) -> float:
    """The optimum by scipy's L-BFGS over a root of K: another form of the same objective, with formulas of its own."""
    values, vectors = np.linalg.eigh(K)
    root = vectors * np.sqrt(np.maximum(values, 0.0))
    codes, n = np.unique(y, return_inverse=True)[1], len(y)
    m = 1 if codes.max() == 1 else codes.max() + 1

    def objective(z: Any) -> Any:
        u, b = z[: n * m].reshape(n, m), z[n * m :] * offset
        f = root @ u + b
        if m == 1:
            sign = 2.0 * codes - 1.0
            loss = C * np.logaddexp(0.0, -sign * f[:, 0])
            slope = (-C * sign * special.expit(-sign * f[:, 0]))[:, np.newaxis]
        else:
            loss = C * (special.logsumexp(f, axis=1) - f[np.arange(n), codes])
            slope = C * (special.softmax(f, axis=1) - np.eye(m)[codes])
        return 0.5 * (u * u).sum() + loss.sum(), np.concatenate(((u + root.T @ slope).ravel(), slope.sum(axis=0) * offset))

    options = {"maxiter": 20_000, "maxfun": 40_000, "ftol": 1e-16, "gtol": 1e-9}
    return float(optimize.minimize(objective, np.zeros(n * m + m), jac=True, method="L-BFGS-B", options=options).fun)


@pytest.mark.parametrize("load", [load_breast_cancer, load_iris])
@pytest.mark.parametrize("C", [0.1, 10.0])
@pytest.mark.parametrize("offset", [True, False])
def test_objective_of_a_reference_optimiser(load: Any, C: float, offset: bool) -> None:
    X, y = _scaled(load)
    model = KernelLogisticRegression(C=C, gamma=0.1, fit_intercept=offset, tol=1e-9).fit(X, y)
    wanted = _reference(RBF(gamma=0.1).bind(X).gram(X).block(range(len(X)), range(len(X))), y, C, offset=offset)
    assert model.status_ is Status.CONVERGED
    assert model.certificate_.primal_objective == pytest.approx(wanted, rel=1e-6)
    assert model.certificate_.dual_objective <= wanted * (1.0 + 1e-9)


@pytest.mark.parametrize("load", [load_breast_cancer, load_iris])
@pytest.mark.parametrize("C", [1.0, 1e4])
def test_the_optimality_condition(load: Any, C: float) -> None:
    """At the optimum β = C (t − p), and each column sums to 0."""
    X, y = _scaled(load)
    model = KernelLogisticRegression(C=C, gamma=0.1, tol=1e-9).fit(X, y)
    target = (y[:, np.newaxis] == model.classes_).astype(float)
    wanted = C * (target - model.predict_proba(X))
    wanted = wanted[:, 1:] if len(model.classes_) == 2 else wanted
    np.testing.assert_allclose(model.dual_coef_.T, wanted, atol=2e-3 * C)
    np.testing.assert_allclose(model.predict_proba(X).sum(axis=1), 1.0)
    np.testing.assert_allclose(np.exp(model.predict_log_proba(X)), model.predict_proba(X), rtol=1e-12)


def test_weights_are_rows() -> None:
    X, y = _scaled(load_iris, 60)
    twice = KernelLogisticRegression(gamma=0.1, tol=1e-10).fit(np.repeat(X, 2, axis=0), np.repeat(y, 2))
    weighted = KernelLogisticRegression(gamma=0.1, tol=1e-10).fit(X, y, sample_weight=np.full(60, 2.0))
    np.testing.assert_allclose(twice.predict_proba(X), weighted.predict_proba(X), atol=1e-6)


def test_precomputed_is_the_same() -> None:
    X, y = _scaled(load_iris)
    K = RBF(gamma=0.1).bind(X).gram(X).block(range(len(X)), range(len(X)))
    given = KernelLogisticRegression(kernel="precomputed", tol=1e-9).fit(K, y)
    own = KernelLogisticRegression(gamma=0.1, tol=1e-9).fit(X, y)
    np.testing.assert_allclose(given.predict_proba(K), own.predict_proba(X), atol=1e-8)


def test_bits_over_threads() -> None:
    X, y = _scaled(load_breast_cancer, 569)
    before, found = get_threads(), set()
    try:
        for threads in (1, 2, 3):
            set_threads(threads)
            found.add(KernelLogisticRegression().fit(X, y).dual_coef_.tobytes())
    finally:
        set_threads(before)
    assert len(found) == 1


def test_limits_and_warm_start() -> None:
    X, y = _scaled(load_breast_cancer)
    with pytest.warns(ConvergenceWarning):
        assert KernelLogisticRegression(C=100.0, max_iter=1).fit(X, y).status_ is Status.ITERATION_LIMIT
    with pytest.warns(ConvergenceWarning):
        assert KernelLogisticRegression(max_time=1e-9).fit(X, y).status_ is Status.TIME_LIMIT
    model = KernelLogisticRegression(C=10.0, warm_start=True).fit(X, y)
    first = int(model.n_iter_[0])
    assert int(model.fit(X, y).n_iter_[0]) < first


@pytest.mark.parametrize("C", [0.0, np.inf, "1"])
def test_a_cost_that_is_not_finite_and_positive(C: Any) -> None:
    with pytest.raises(InvalidInput, match="The 'C' parameter of KernelLogisticRegression must be"):
        KernelLogisticRegression(C=C).fit(*_scaled(load_iris))


def test_edited_state_is_checked() -> None:
    X, y = _scaled(load_iris)
    model = KernelLogisticRegression().fit(X, y)
    model.dual_coef_ = model.dual_coef_[:, :3]
    with pytest.raises(InvalidInput, match="The internal representation of KernelLogisticRegression was altered"):
        model.predict(X)


def test_an_indefinite_matrix_is_refused() -> None:
    K = np.array([[0.0, 1.0, 0.0, 0.0], [1.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 1.0], [0.0, 0.0, 1.0, 0.0]])
    with pytest.raises(InvalidInput, match="The kernel is not positive semidefinite"):
        KernelLogisticRegression(kernel="precomputed", C=10.0).fit(K, [0, 1, 0, 1])
