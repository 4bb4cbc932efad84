"""Products of several sources at once share kernel values: they must be those of each alone."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from maxmargin.kernels import RBF, Gram, Precomputed


@given(
    parts=st.lists(st.lists(st.integers(0, 11), min_size=1, max_size=15), min_size=1, max_size=9),
    seed=st.integers(0, 99),
)
def test_products_of_any_parts_of_the_rows(parts: list[list[int]], seed: int) -> None:
    """Parts overlap as they like, in any order, a row may be in one twice, and some rows in none."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(12, 3))
    whole = RBF(gamma=0.5).bind(X).gram(X)
    sizes = [len(part) for part in parts]
    beta = rng.normal(size=sum(sizes)) * (rng.random(sum(sizes)) < 0.6)
    products = Gram.matvecs([whole.take(part) for part in parts], beta)
    squares = ((X[:, None] - X[None]) ** 2).sum(axis=2)
    K = np.exp(-0.5 * squares)
    begin = 0
    for part, size in zip(parts, sizes, strict=True):
        own = slice(begin, begin + size)
        assert products[own] == pytest.approx(K[np.ix_(part, part)] @ beta[own], rel=1e-12, abs=1e-12)
        begin += size


@pytest.mark.parametrize("unit", [1e-310, 1e-200, 1.0, 1e300])
def test_a_negative_eigenvalue_in_any_unit(unit: float) -> None:
    """Also of numbers below the normal range, where nothing can be added to a diagonal that is small beside them."""
    indefinite, definite = unit * np.array([[1.0, 2.0], [2.0, 1.0]]), unit * np.array([[2.0, 1.0], [1.0, 2.0]])
    assert Precomputed().bind(indefinite).gram(indefinite).is_indefinite()
    assert not Precomputed().bind(definite).gram(definite).is_indefinite()
    assert not Precomputed().bind(0.0 * definite).gram(0.0 * definite).is_indefinite()
