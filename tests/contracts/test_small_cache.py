"""A row store that is too small changes the time of a fit and nothing else."""

from __future__ import annotations

import numpy as np
import pytest

import maxmargin
from maxmargin import SVC
from maxmargin.solution import Status


@pytest.fixture
def noisy() -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(900, 5))
    return X, (X[:, 0] + rng.normal(size=900) > 0).astype(int) + (X[:, 1] > 1)


@pytest.mark.parametrize("megabytes", [0.5, 1, 2.5, 6])
def test_several_machines_share_a_small_cache(noisy: tuple[np.ndarray, np.ndarray], megabytes: float) -> None:
    X, y = noisy
    model = SVC(C=5, cache_size=megabytes).fit(X, y)
    assert model.status_ is Status.CONVERGED
    assert model.certificate_.relative_gap <= 1e-3


def test_the_number_of_threads_changes_no_bit_with_a_small_cache(noisy: tuple[np.ndarray, np.ndarray]) -> None:
    X, y = noisy
    before = maxmargin.get_threads()
    try:
        found = []
        for threads in (1, 2, 8):
            maxmargin.set_threads(threads)
            found.append(SVC(C=5, cache_size=2.5).fit(X, y).dual_coef_)
    finally:
        maxmargin.set_threads(before)
    assert all(np.array_equal(found[0], other) for other in found[1:])


def test_blocks_of_a_large_problem_with_a_small_cache() -> None:
    rng = np.random.default_rng(1)
    X = rng.normal(size=(7000, 5))
    y = X[:, 0] + 0.5 * rng.normal(size=7000) > 0
    small, large = (SVC(cache_size=megabytes).fit(X, y) for megabytes in (31, 1000))
    assert small.status_ is large.status_ is Status.CONVERGED
    assert small.certificate_.dual_objective == pytest.approx(large.certificate_.dual_objective, rel=1e-5)
