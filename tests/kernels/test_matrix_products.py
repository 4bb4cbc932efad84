"""Products of a held matrix with a block of vectors, by the core."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import maxmargin
from maxmargin import _core


@pytest.mark.parametrize("n", [1, 5, 32, 33, 200])
@pytest.mark.parametrize("count", [1, 3, 4, 13, 24, 25, 61])
def test_products(n: int, count: int) -> None:
    rng = np.random.default_rng(n + count)
    K = rng.normal(size=(n, n))
    K = K + K.T
    V = rng.normal(size=(count, n))
    assert_allclose(_core.matrix_products(K, V), V @ K, atol=1e-12)
    threads = maxmargin.get_threads()
    try:
        maxmargin.set_threads(1)
        alone = _core.matrix_products(K, V)
        maxmargin.set_threads(2)
        assert_array_equal(_core.matrix_products(K, V), alone)
    finally:
        maxmargin.set_threads(threads)


def test_shapes_that_do_not_fit() -> None:
    with pytest.raises(ValueError, match="must be square, and each vector as long as it is wide"):
        _core.matrix_products(np.zeros((2, 3)), np.zeros((1, 3)))
    with pytest.raises(ValueError, match="must be square"):
        _core.matrix_products(np.zeros((3, 3)), np.zeros((1, 2)))
