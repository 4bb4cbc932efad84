"""Matrices that somebody else computed: their products, rows and eigenvalues are those of numpy, with any number of threads."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import maxmargin
from maxmargin import SVC, NuSVC, OneClassSVM
from maxmargin.errors import ConvergenceWarning, IndefiniteKernelWarning, InvalidInput, NoMarginWarning
from maxmargin.kernels import Gram, Precomputed
from maxmargin.solution import Status


@pytest.fixture
def threads() -> Iterator[Any]:
    before = maxmargin.get_threads()
    yield maxmargin.set_threads
    maxmargin.set_threads(before)


def _matrix(n: int, smallest: float = 0.0, seed: int = 0) -> NDArray[np.float64]:
    """Symmetric, with eigenvalues from ``smallest`` to 1."""
    rotation, _ = np.linalg.qr(np.random.default_rng(seed).normal(size=(n, n)))
    K = (rotation * np.linspace(smallest, 1.0, n)) @ rotation.T
    return np.ascontiguousarray((K + K.T) / 2)


def _gram(K: NDArray[Any]) -> Gram:
    return Precomputed().bind(K).gram(K)


@pytest.mark.parametrize("n", [1, 2, 31, 32, 33, 95, 289, 700])
def test_a_negative_eigenvalue_is_seen_whatever_the_panels(n: int) -> None:
    assert not _gram(_matrix(n, 0.0 if n > 1 else 1.0)).is_indefinite()
    K = _matrix(n, 1e-3 if n > 1 else 1.0)
    for at in {0, n // 2, n - 1}:  # alone in its row, where every pivot before is well
        worse = K.copy()
        worse[at, :] = worse[:, at] = 0.0
        worse[at, at] = -1e-6
        assert _gram(worse).is_indefinite()


@pytest.mark.parametrize("n", [40, 700])
def test_the_border_of_indefinite(n: int) -> None:
    """At 1e-8 of the largest diagonal value; what is above is a part of the dual objective."""
    rng = np.random.default_rng(n)
    rows = rng.normal(size=(n, 5))  # of low rank: most eigenvalues are 0
    K = rows @ rows.T
    K = (K + K.T) / 2
    scale = np.abs(K.diagonal()).max()
    assert not _gram(K).is_indefinite()
    assert not _gram(K - 1e-12 * scale * np.eye(n)).is_indefinite()
    low = _gram(K - 1e-9 * scale * np.eye(n))
    assert 1e-9 * scale <= low.negative_part(closely=True) <= 1.001e-8 * scale
    assert _gram(K - 2e-8 * scale * np.eye(n)).is_indefinite()
    assert _gram(K).negative_part() <= 1e-10 * scale
    assert _gram(K).negative_part(closely=True) <= 1e-12 * n * scale


@pytest.mark.parametrize("spread", [0.0, 3.0, 30.0])
@pytest.mark.parametrize("n", [64, 97, 300, 1000])
def test_a_proof_in_float32_misses_no_negative_eigenvalue(n: int, spread: float) -> None:
    """Well conditioned but for one eigenvalue, on whatever scale: float32 may say definite only of what is."""
    rng = np.random.default_rng(n)
    rotation, _ = np.linalg.qr(rng.normal(size=(n, n)))
    lengths = 10.0 ** rng.uniform(-spread, spread, n)
    for lowest, indefinite in [(-1e-2, True), (-1e-4, True), (-1e-6, True), (-1e-9, True), (1e-9, False), (0.3, False)]:
        values = np.linspace(0.5, 1.5, n)
        values[0] = lowest
        R = (rotation * values) @ rotation.T
        K = np.ascontiguousarray((R + R.T) / 2 * np.outer(lengths, lengths))
        assert _gram(K).core.is_indefinite(0.0) is indefinite


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("kind", ["all", "a run", "some"])
def test_products_and_blocks(dtype: type, kind: str) -> None:
    rng = np.random.default_rng(3)
    K = _matrix(1300, seed=1).astype(dtype)
    K = np.ascontiguousarray(np.maximum(K, K.T))
    rows = {"all": np.arange(1300), "a run": np.arange(100, 900), "some": rng.permutation(1300)[:800]}[kind]
    gram = _gram(K).take(rows)
    beta = rng.normal(size=len(rows)) * (rng.random(len(rows)) < 0.4)
    exact = K[np.ix_(rows, rows)].astype(np.longdouble) @ beta.astype(np.longdouble)
    np.testing.assert_allclose(gram.matvec(beta), exact.astype(np.float64), rtol=0.0, atol=1e-13)
    some, others = rng.integers(0, len(rows), 20), np.sort(rng.integers(0, len(rows), 30))
    np.testing.assert_array_equal(gram.block(some, others), K[np.ix_(rows[some], rows[others])])
    np.testing.assert_array_equal(gram.block(some, np.arange(50, 90)), K[np.ix_(rows[some], rows[50:90])])


def test_the_same_bits_for_any_number_of_threads(threads: Any) -> None:
    rng = np.random.default_rng(5)
    X = rng.normal(size=(900, 8))
    y = (X[:, 0] * X[:, 1] + rng.normal(size=900) > 0).astype(int)
    K = np.exp(-0.1 * np.square(X[:, None] - X).sum(axis=2))
    found = []
    for count in (1, 2, 5):
        threads(count)
        model = SVC(kernel="precomputed", C=10.0).fit(K, y)
        gram = _gram(K)
        found.append((model.dual_coef_.tobytes(), model.certificate_.gap, gram.matvec(X[:, 0]).tobytes(), gram.is_indefinite()))
    assert found[0] == found[1] == found[2]


@pytest.mark.parametrize("n", [300, 1000])
def test_a_fit_says_indefinite(n: int) -> None:
    K = _matrix(n, -0.1)
    y = np.arange(n) % 2
    with pytest.warns(IndefiniteKernelWarning):
        model = SVC(kernel="precomputed").fit(K, y)
    assert model.status_ is Status.INDEFINITE
    assert np.isnan(model.certificate_.gap)


@pytest.mark.parametrize("place", [(0, 1), (63, 64), (700, 3), (699, 700)])
def test_what_is_not_symmetric_is_refused(place: tuple[int, int]) -> None:
    K = _matrix(701)
    K[place] += 1e-3
    with pytest.raises(InvalidInput, match="symmetric"):
        SVC(kernel="precomputed").fit(K, np.arange(701) % 2)


@pytest.mark.parametrize("model", [NuSVC(kernel="precomputed", nu=0.2), OneClassSVM(kernel="precomputed", nu=0.2)])
@pytest.mark.parametrize("seed", range(6))
def test_rounding_of_a_product_is_not_indefinite(model: Any, seed: int) -> None:
    """Both have an optimum of 0 or nearly so: what rounding leaves of it may be below 0."""
    rng = np.random.default_rng(seed)
    rows = rng.normal(size=(150, 5))
    labels = rows[:, 0] + 0.5 * rng.normal(size=150) > 0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NoMarginWarning)
        model.fit(rows @ rows.T, labels)
    assert model.status_ is Status.ZERO_OPTIMUM
    assert abs(model.certificate_.gap) < 1e-6


def test_a_matrix_of_float32_values() -> None:
    """Its negative eigenvalues are those of rounding; at a large C they matter, and nothing is claimed."""
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(150, 5)).astype(np.float32)
    labels, K = rows[:, 0] + 0.5 * rng.normal(size=150) > 0, rows @ rows.T
    assert float(np.linalg.eigvalsh(K.astype(np.float64))[0]) < -1e-9 * float(K.diagonal().max())
    model = SVC(kernel="precomputed").fit(K, labels)
    assert model.status_ is Status.CONVERGED
    with pytest.warns(ConvergenceWarning):
        assert SVC(kernel="precomputed", C=1e6).fit(K, labels).status_ is Status.STALLED
    with pytest.warns(IndefiniteKernelWarning):
        SVC(kernel="precomputed").fit(K - np.float32(1e-2 * K.diagonal().max()) * np.eye(150, dtype=np.float32), labels)


@pytest.mark.parametrize("seed", [0, 4, 10])
def test_a_slightly_negative_eigenvalue_makes_no_floor(seed: int) -> None:
    """w = 0 without a margin has an objective of 0: no bound is above it. The lowest eigenvalue is −1e-9, weights are 1e12."""
    rng = np.random.default_rng(seed)
    rows = rng.normal(size=(34, 8))
    rows[:, 0] = 1.7e9 + np.rint(rng.uniform(0, 1e5, 34))
    labels, weight = np.arange(34) % 2, 10.0 ** rng.uniform(-12, 12, 34)
    sums = np.bincount(labels, weight)
    model = NuSVC(kernel="sigmoid", coef0=1.0, nu=0.6 * sums.min() / sums.sum(), tol=1e-4)
    with pytest.warns(ConvergenceWarning):
        model.fit(rows, labels, sample_weight=weight)
    assert model.certificate_.dual_objective <= 0.0
