"""Products of several sources at once share kernel values: they must be those of each alone."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from maxmargin.kernels import RBF, Gram


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
