"""Block Lanczos against all eigenvalues, on spectra that are hard for it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from maxmargin.kernels._eigen import fits_krylov, outer_eigenpairs

N = 400
SPECTRA = {
    "linear": np.linspace(-1.0, 3.0, N),
    "crowded at 0": np.concatenate([[5.0, 2.0, -1.0], 1e-9 * np.random.default_rng(0).normal(size=N - 3)]),
    "of rank 3": np.concatenate([[3.0, 2.0, 1.0], np.zeros(N - 3)]),
    "the same value often": np.concatenate([np.full(30, 2.0), np.full(N - 30, 1.0)]),
    "equal": np.ones(N),
    "zero": np.zeros(N),
    "negative": -np.geomspace(1e-3, 1e3, N),
    "tiny": 1e-200 * np.linspace(0.1, 1.0, N),
    "huge": 1e150 * np.geomspace(1e-8, 1.0, N),
}


def matrix(name: str) -> Any:
    Q, _ = np.linalg.qr(np.random.default_rng(1).normal(size=(N, N)))
    K = (Q * SPECTRA[name]) @ Q.T
    return 0.5 * (K + K.T)


SLOW = {("negative", "largest"), ("huge", "smallest")}
"""Many decades of eigenvalues, of which the least are wanted: no Krylov space tells them apart soon."""


@pytest.mark.parametrize("count", [1, 5])
@pytest.mark.parametrize(
    ("name", "end"), [(name, end) for name in SPECTRA for end in ("largest", "smallest") if (name, end) not in SLOW]
)
def test_values_and_vectors(name: str, count: int, end: Any) -> None:
    K = matrix(name)
    found = outer_eigenpairs(lambda V: V @ K, N, count, end, tolerance=1e-11)
    ordered = np.sort(SPECTRA[name])
    expected = ordered[::-1][:count] if end == "largest" else ordered[:count]
    scale = np.abs(SPECTRA[name]).max()
    assert found.converged
    assert found.residual <= 1e-11
    assert_allclose(found.values, expected, atol=1e-9 * scale, rtol=0)
    assert_allclose(found.vectors @ found.vectors.T, np.eye(count), atol=1e-12)
    residual = found.vectors @ K - found.values[:, None] * found.vectors
    assert np.linalg.norm(residual, axis=1).max() <= 2e-11 * scale


@pytest.mark.parametrize(("name", "end"), sorted(SLOW))
def test_slow_ends_are_bounds_and_say_so(name: str, end: Any) -> None:
    K, scale = matrix(name), np.abs(SPECTRA[name]).max()
    found = outer_eigenpairs(lambda V: V @ K, N, 1, end, tolerance=1e-11, most_rounds=60)
    beyond = found.values[0] - SPECTRA[name].max() if end == "largest" else SPECTRA[name].min() - found.values[0]
    assert not found.converged
    assert found.residual > 1e-11
    assert -1e-3 * scale < beyond < 1e-12 * scale


def test_a_budget_of_rounds() -> None:
    K = matrix("linear")
    found = outer_eigenpairs(lambda V: V @ K, N, 3, most_rounds=2)
    assert found.rounds == 2
    assert not found.converged
    assert found.residual > 1e-4
    assert_allclose((found.vectors @ K * found.vectors).sum(axis=1), found.values, atol=1e-12)


def test_the_same_seed_has_the_same_bits() -> None:
    K = matrix("linear")
    runs = [outer_eigenpairs(lambda V: V @ K, N, 3, seed=seed) for seed in (4, 4, np.random.RandomState(0))]
    assert_array_equal(runs[0].vectors, runs[1].vectors)
    assert_allclose(runs[0].values, runs[2].values, atol=1e-12)


def test_where_it_fits() -> None:
    assert fits_krylov(200, 1)
    assert not fits_krylov(100, 1)
    assert not fits_krylov(1000, 100)
