"""KernelLogisticRegression: the objective of a general optimiser, probabilities of a model, and a proof."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from scipy import optimize, sparse, spatial, special
from sklearn.datasets import load_breast_cancer, load_iris, make_classification
from sklearn.preprocessing import StandardScaler
from sklearn.utils import estimator_checks

from maxmargin import KernelLogisticRegression, get_threads, set_threads
from maxmargin.errors import ConvergenceWarning, IndefiniteKernelWarning, InvalidInput
from maxmargin.kernels import RBF, Spectrum
from maxmargin.solution import Status

from .._data import load


def _scaled(source: Any, rows: int = 150) -> tuple[Any, Any]:
    X, y = source(return_X_y=True)
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


@pytest.mark.parametrize("source", [load_breast_cancer, load_iris])
@pytest.mark.parametrize("C", [0.1, 10.0])
@pytest.mark.parametrize("offset", [True, False])
def test_objective_of_a_reference_optimiser(source: Any, C: float, offset: bool) -> None:
    X, y = _scaled(source)
    model = KernelLogisticRegression(C=C, gamma=0.1, fit_intercept=offset, tol=1e-9).fit(X, y)
    wanted = _reference(RBF(gamma=0.1).bind(X).gram(X).block(range(len(X)), range(len(X))), y, C, offset=offset)
    assert model.status_ is Status.CONVERGED
    assert model.certificate_.primal_objective == pytest.approx(wanted, rel=1e-6)
    assert model.certificate_.dual_objective <= wanted * (1.0 + 1e-9)


@pytest.mark.parametrize("name", ["heart", "german", "splice"])
@pytest.mark.parametrize("multinomial", [False, True])
def test_objective_of_a_reference_optimiser_on_public_sets(name: str, multinomial: bool) -> None:
    """Multinomial: one of the classes is cut in two by its first feature."""
    found = load(name, 300)
    X, y = found.X, np.unique(found.y, return_inverse=True)[1]
    y = y + (y == 1) * (X[:, 0] > np.median(X[y == 1, 0])) if multinomial else y
    gamma = 1.0 / X.shape[1]
    model = KernelLogisticRegression(gamma=gamma, tol=1e-8).fit(X, y)
    K = np.exp(-gamma * spatial.distance.cdist(X, X, "sqeuclidean"))
    assert len(model.classes_) == 2 + multinomial
    assert model.status_ is Status.CONVERGED
    assert model.certificate_.primal_objective == pytest.approx(_reference(K, y, 1.0, offset=True), rel=1e-6)


def test_class_weight_is_sample_weight() -> None:
    X, y = _scaled(load_iris, 90)
    by_class = KernelLogisticRegression(gamma=0.1, tol=1e-10, class_weight={0: 1.0, 1: 3.0, 2: 0.25}).fit(X, y)
    by_row = KernelLogisticRegression(gamma=0.1, tol=1e-10).fit(X, y, sample_weight=np.array([1.0, 3.0, 0.25])[y])
    np.testing.assert_allclose(by_class.dual_coef_, by_row.dual_coef_, atol=1e-6)
    np.testing.assert_array_equal(by_class.class_weight_, [1.0, 3.0, 0.25])
    balanced = KernelLogisticRegression(class_weight="balanced").fit(X, y)
    np.testing.assert_allclose(balanced.class_weight_, 90 / (3.0 * np.bincount(y)))


@pytest.mark.parametrize("classes", [2, 3])
def test_sparse_rows_are_the_same(classes: int) -> None:
    X, y = _scaled(load_iris)
    X, y = np.where(np.abs(X) < 0.5, 0.0, X), np.minimum(y, classes - 1)
    dense = KernelLogisticRegression(gamma=0.1, tol=1e-10).fit(X, y)
    csr = KernelLogisticRegression(gamma=0.1, tol=1e-10).fit(sparse.csr_array(X), y)
    np.testing.assert_allclose(csr.predict_proba(sparse.csr_array(X)), dense.predict_proba(X), atol=1e-7)


@pytest.mark.parametrize("classes", [2, 3])
def test_strings(classes: int) -> None:
    """A spectrum kernel, against the matrix of common substrings counted here."""
    rng = np.random.default_rng(0)
    words = ["".join(rng.choice(list("ab" if k % classes else "bc"), 12)) for k in range(60)]
    words, y = [w + "d" * (k % 3) for k, w in enumerate(words)], np.arange(60) % classes
    parts = sorted({w[i : i + 2] for w in words for i in range(len(w) - 1)})
    counts = np.array([[sum(w[i : i + 2] == p for i in range(len(w) - 1)) for p in parts] for w in words], dtype=float)
    model = KernelLogisticRegression(kernel=Spectrum(2, normalise=False), C=0.1, tol=1e-9).fit(words, y)
    assert model.status_ is Status.CONVERGED
    wanted = _reference(counts @ counts.T, y, 0.1, offset=True)
    assert model.certificate_.primal_objective == pytest.approx(wanted, rel=1e-6)
    assert model.score(words, y) > 0.7


@pytest.mark.parametrize("source", [load_breast_cancer, load_iris])
@pytest.mark.parametrize("C", [1.0, 1e4])
def test_the_optimality_condition(source: Any, C: float) -> None:
    """At the optimum β = C (t − p), and each column sums to 0."""
    X, y = _scaled(source)
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


@pytest.mark.parametrize(("rows", "classes"), [(300, 2), (300, 3), (5_001, 2)])
def test_bits_over_threads(rows: int, classes: int) -> None:
    """Also beyond the rows up to which kernel values are kept in float64."""
    X, y = make_classification(rows, 6, n_informative=4, n_classes=classes, random_state=0)
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


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("C", [0.5, 10.0])
def test_an_indefinite_matrix_ends_stationary(classes: int, C: float) -> None:
    """``β = C (t − p)`` holds, by the matrix as given, and the warning says that this proves no optimum."""
    rng = np.random.default_rng(classes)
    K = rng.normal(size=(40, 40))
    K, y = 0.2 * (K + K.T) + np.eye(40), np.arange(40) % classes
    assert np.linalg.eigvalsh(K)[0] < -0.5
    with pytest.warns(IndefiniteKernelWarning, match="INDEFINITE"):
        model = KernelLogisticRegression(kernel="precomputed", C=C).fit(K, y)
    assert model.status_ is Status.INDEFINITE
    f = K @ model.dual_coef_.T + model.intercept_
    p = special.softmax(np.hstack([np.zeros((40, 1)), f]) if classes == 2 else f, axis=1)
    wanted = C * (np.eye(classes)[y] - p)
    np.testing.assert_allclose(model.dual_coef_.T, wanted[:, 1:] if classes == 2 else wanted, atol=1e-4 * C)
    np.testing.assert_allclose(model.dual_coef_.sum(axis=1), 0.0, atol=1e-4 * C)


def test_types_of_a_precomputed_matrix() -> None:
    """Cut to integers, a matrix is no kernel's any more: that ends with a warning, not an error."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", IndefiniteKernelWarning)
        estimator_checks.check_estimators_dtypes("KernelLogisticRegression", KernelLogisticRegression(kernel="precomputed"))


@pytest.mark.parametrize("classes", [2, 3])
def test_losses_near_0_keep_their_digits_at_a_large_cost(classes: int) -> None:
    """Each is below rounding of its scores, and C makes it count: objectives that are no differences of scores tell."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(26, 29)), np.arange(26) % classes
    model = KernelLogisticRegression(C=5e7, kernel="linear", tol=1e-6).fit(X, y)
    assert model.status_ is Status.CONVERGED
    assert 0.0 <= model.certificate_.gap <= 1e-6 * model.certificate_.primal_objective


def test_values_that_overflow_are_said_to_bound_nothing() -> None:
    X, y = 1e150 * np.random.default_rng(0).normal(size=(30, 4)), np.arange(30) % 2
    with pytest.warns(ConvergenceWarning):
        model = KernelLogisticRegression(kernel="linear").fit(X, y)
    assert model.status_ is Status.STALLED
    assert not np.isnan(model.certificate_.dual_objective)
