"""Problems that share rows of X share kernel values, and have the same answers as alone."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import maxmargin
from maxmargin import _core
from maxmargin.kernels import RBF
from maxmargin.problems._pairs import LabelledParts, class_pairs
from maxmargin.problems._soft_margin import SoftMargins
from maxmargin.solvers import SMO, Limits, Start


def _classes(columns: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    codes = rng.permutation(np.repeat(np.arange(4), [130, 171, 150, 160]))  # no multiple of a vector
    X = rng.normal(size=(len(codes), columns)) + 0.6 * np.eye(4)[codes] @ rng.normal(size=(4, columns))
    return X, codes


def _pairs(codes: np.ndarray) -> LabelledParts:
    return class_pairs(codes, 4)


def _rest(codes: np.ndarray) -> LabelledParts:
    y = np.where(codes == np.arange(4)[:, np.newaxis], 1.0, -1.0)
    return LabelledParts(None, y.ravel(), [len(codes)] * 4)


def _scattered(codes: np.ndarray) -> LabelledParts:
    """Pairs whose rows stand as in X, so that nothing can be shared as a whole."""
    rows = [np.flatnonzero((codes == i) | (codes == j)).astype(np.int32) for i in range(4) for j in range(i + 1, 4)]
    firsts = [i for i in range(4) for _ in range(i + 1, 4)]
    y = [np.where(codes[own] == i, 1.0, -1.0) for own, i in zip(rows, firsts, strict=True)]
    return LabelledParts(np.concatenate(rows), np.concatenate(y), [len(own) for own in rows])


# 7 columns are fewer than are worth sharing.
@pytest.mark.parametrize("parts_of", [_pairs, _rest, _scattered])
@pytest.mark.parametrize("columns", [7, 40])
@pytest.mark.parametrize("threads", [1, 2])
def test_together_is_as_alone(parts_of, columns, threads):
    """Every bit: of the points, and so of every step that led there."""
    X, codes = _classes(columns)
    problems = SoftMargins(RBF(gamma=0.5 / columns).bind(X).gram(X), parts_of(codes), np.full(len(codes), 10.0))
    solver, limits = SMO(), Limits(1e-3, 10**6)
    before = maxmargin.get_threads()
    try:
        maxmargin.set_threads(threads)
        together = solver.run(list(problems), [Start.zero(problem.dual) for problem in problems], limits, None)
        alone = [solver.run([problem], [Start.zero(problem.dual)], limits, None)[0] for problem in problems]
    finally:
        maxmargin.set_threads(before)
    for one, other in zip(together, alone, strict=True):
        np.testing.assert_array_equal(one.beta, other.beta)
        assert one.steps == other.steps > 100


@settings(max_examples=60)
@given(st.lists(st.lists(st.integers(0, 11), min_size=1, max_size=30), min_size=1, max_size=6), st.integers(0, 2**32 - 1))
def test_products_of_any_subsets(subsets, seed):
    """Rows in any order, some twice: K β of each as numpy has it."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(12, 3))
    K = np.exp(-0.3 * ((X[:, np.newaxis] - X) ** 2).sum(axis=2))
    gram = RBF(gamma=0.3).bind(X).gram(X)
    betas = [rng.normal(size=len(subset)) * (rng.random(len(subset)) < 0.7) for subset in subsets]
    grams = [gram.take(np.array(subset, dtype=np.int32)).core for subset in subsets]
    expected = [K[np.ix_(subset, subset)] @ beta for subset, beta in zip(subsets, betas, strict=True)]
    np.testing.assert_allclose(_core.products(grams, np.concatenate(betas)), np.concatenate(expected), rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("tol", [1e-3, 1e-6])
def test_a_cache_that_holds_all_rows_makes_none_twice(tol):
    """What is shared takes its own size of the cache, and nothing where rows are in float64."""
    X, codes = _classes(40)
    parts = _pairs(codes)
    problems = SoftMargins(RBF(gamma=0.5 / 40).bind(X).gram(X), parts, np.full(len(codes), 10.0))
    largest = (max(parts.sizes) + 15) // 16 * 16
    value, shared = (4, sum(4 * int(n) ** 2 for n in np.bincount(codes))) if tol == 1e-3 else (8, 0)
    megabytes = (len(parts.sizes) * value * largest**2 + shared) / 2**20 + 1e-3
    solver, limits = SMO(cache_size=megabytes), Limits(tol, 10**6)
    found = solver.run(list(problems), [Start.zero(problem.dual) for problem in problems], limits, None)
    for iterate, size in zip(found, parts.sizes, strict=True):
        assert 0 < iterate.rows_made <= size
