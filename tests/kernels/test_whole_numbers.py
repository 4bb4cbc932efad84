"""Inner products of whole numbers: exact, also where they are formed in float32."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import sparse

from maxmargin.kernels import RBF, Gram, Polynomial

LAST_EXACT = 4096
"""Its square is 2²⁴, the last whole number up to which float32 has all."""

CONTAINERS: dict[str, Callable[[NDArray[np.int64]], Any]] = {
    "float64": lambda X: X.astype(np.float64),
    "float32": lambda X: X.astype(np.float32),
    "csr": lambda X: sparse.csr_array(X.astype(np.float64)),
}


def _inner(X: Any) -> Gram:
    """The inner products themselves, by way of a kernel that has no short cut."""
    return Polynomial(degree=1, gamma=1.0, coef0=0.0).bind(X).gram(X)


def _numbers(seed: int, n: int, d: int, largest: int, zeros: float) -> NDArray[np.int64]:
    rng = np.random.default_rng(seed)
    return rng.integers(-largest, largest + 1, size=(n, d)) * (rng.random((n, d)) >= zeros)


@pytest.mark.parametrize("container", CONTAINERS)
@given(
    seed=st.integers(0, 99),
    n=st.integers(2, 40),
    d=st.integers(1, 70),
    largest=st.sampled_from([1, 16, 255, 500, LAST_EXACT, LAST_EXACT + 1, 100_000]),
    zeros=st.sampled_from([0.0, 0.5, 0.9]),
)
def test_all_products_are_exact(container: str, seed: int, n: int, d: int, largest: int, zeros: float) -> None:
    """On both sides of where float32 would round."""
    X = _numbers(seed, n, d, largest, zeros)
    K, every = X @ X.T, np.arange(n)
    beta = np.random.default_rng(seed).integers(-3, 4, size=n)
    gram = _inner(CONTAINERS[container](X))
    assert (gram.block(every, every) == K).all()
    assert (gram.matvec(beta.astype(np.float64)) == K @ beta).all()
    halves = [every[: n // 2], every[n // 2 :], every]
    parts = np.concatenate([beta[half] for half in halves]).astype(np.float64)
    expected = np.concatenate([K[np.ix_(half, half)] @ beta[half] for half in halves])
    assert (Gram.matvecs([gram.take(half) for half in halves], parts) == expected).all()


def test_the_largest_that_float32_has_and_the_next() -> None:
    for largest in (LAST_EXACT, LAST_EXACT + 1):
        X = np.array([[largest, 0], [largest - 1, 1], [0, 1]])
        exact = X @ X.T
        assert (_inner(X.astype(np.float64)).block([0, 1, 2], [0, 1, 2]) == exact).all()
    assert np.float32(exact[0, 0]) != exact[0, 0]  # so the last case would fail in float32


def test_one_row_with_a_fraction() -> None:
    """It may be none of the rows that are looked at first."""
    X = _numbers(0, 1000, 20, 16, 0.3).astype(np.float64)
    for row in (1, 500, 998):
        other = X.copy()
        other[row, 3] += 2.0**-30
        K = _inner(other).block(np.arange(1000), np.array([row]))
        assert (K[:, 0] == other @ other[row]).all()


@given(seed=st.integers(0, 99), zeros=st.sampled_from([0.0, 0.6]))
def test_distances_from_a_whole_centre(seed: int, zeros: float) -> None:
    X = _numbers(seed, 30, 40, 16, zeros) + 1000
    squares = ((X[:, None] - X[None]) ** 2).sum(axis=2)
    K = RBF(gamma=1e-3).bind(X.astype(np.float64)).gram(X.astype(np.float64)).block(np.arange(30), np.arange(30))
    assert pytest.approx(np.exp(-1e-3 * squares), rel=1e-14) == K
