"""Transformations of the data that must not matter, as laws over generated problems.

The score f is unique at the optimum, although alpha need not be: laws are stated on f.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from maxmargin import SVC, solve
from maxmargin.kernels import RBF
from maxmargin.problems import SoftMargin

from ._registry import Array

EXACT = 1e-7
"""Small problems get the exact finish: a doubled row and weight 2 agree to scikit-learn's tolerance."""

RESCALED = 1e-6
"""Rescaled features round anew, and the free support vectors' system multiplies that."""

EXAMPLES = settings(max_examples=300)


@st.composite
def problems(draw: st.DrawFn, integer_rows: bool | None = None) -> tuple[Array, Array, float, dict[str, Any]]:
    """Rows, labels, C and a kernel. Rows on a coarse lattice make ties, equal rows and degenerate optima."""
    n = draw(st.integers(6, 40), label="rows")
    d = draw(st.integers(1, 5), label="features")
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1), label="seed"))
    lattice = draw(st.booleans(), label="on a lattice") if integer_rows is None else integer_rows
    X = rng.integers(-2, 3, size=(n, d)).astype(float) if lattice else rng.normal(size=(n, d))
    y = np.where(X[:, 0] + rng.normal(size=n) > 0, 1, 0)
    y[:2] = 0, 1
    C = 10.0 ** draw(st.integers(-2, 3), label="log10 C")
    kernel = draw(
        st.sampled_from(
            [
                {"kernel": "rbf", "gamma": 0.5},
                {"kernel": "linear"},
                {"kernel": "poly", "degree": 2, "coef0": 1.0, "gamma": 0.5},
            ]
        )
    )
    return X, y, C, kernel


def _scores(X: Array, y: Array, C: float, kernel: dict[str, Any], at: Array, *, weight: Array | None = None) -> Array:
    return np.asarray(SVC(C=C, **kernel).fit(X, y, sample_weight=weight).decision_function(at))


def _same(actual: Array, expected: Array, tolerance: float = EXACT) -> None:
    np.testing.assert_allclose(actual, expected, rtol=tolerance, atol=tolerance)


@EXAMPLES
@given(problem=problems(), seed=st.integers(0, 2**32 - 1))
def test_weight_two_is_the_row_twice(problem: tuple[Array, Array, float, dict[str, Any]], seed: int) -> None:
    X, y, C, kernel = problem
    counts = np.random.default_rng(seed).integers(1, 4, len(y))
    weighted = _scores(X, y, C, kernel, X, weight=counts.astype(float))
    _same(weighted, _scores(np.repeat(X, counts, axis=0), np.repeat(y, counts), C, kernel, X))


@EXAMPLES
@given(problem=problems(), seed=st.integers(0, 2**32 - 1))
def test_weight_zero_is_the_row_absent(problem: tuple[Array, Array, float, dict[str, Any]], seed: int) -> None:
    X, y, C, kernel = problem
    keep = np.random.default_rng(seed).random(len(y)) < 0.7
    keep[:2] = True
    _same(_scores(X, y, C, kernel, X, weight=keep.astype(float)), _scores(X[keep], y[keep], C, kernel, X))


@EXAMPLES
@given(problem=problems(), factor=st.sampled_from([0.25, 0.5, 2.0, 8.0]))
def test_weights_scale_like_C(problem: tuple[Array, Array, float, dict[str, Any]], factor: float) -> None:
    X, y, C, kernel = problem
    _same(_scores(X, y, C, kernel, X, weight=np.full(len(y), factor)), _scores(X, y, C * factor, kernel, X))


@EXAMPLES
@given(problem=problems(), seed=st.integers(0, 2**32 - 1))
def test_order_of_rows_does_not_matter(problem: tuple[Array, Array, float, dict[str, Any]], seed: int) -> None:
    X, y, C, kernel = problem
    order = np.random.default_rng(seed).permutation(len(y))
    _same(_scores(X[order], y[order], C, kernel, X), _scores(X, y, C, kernel, X))


@EXAMPLES
@given(problem=problems())
def test_swapped_labels_swap_the_sign(problem: tuple[Array, Array, float, dict[str, Any]]) -> None:
    X, y, C, kernel = problem
    _same(_scores(X, 1 - y, C, kernel, X), -_scores(X, y, C, kernel, X))


@EXAMPLES
@given(problem=problems(), scale=st.floats(1e-3, 1e3))
def test_rescaled_features_with_rescaled_gamma(problem: tuple[Array, Array, float, dict[str, Any]], scale: float) -> None:
    X, y, C, _ = problem
    before = _scores(X, y, C, {"gamma": 0.5}, X)
    _same(_scores(X * scale, y, C, {"gamma": 0.5 / scale**2}, X * scale), before, RESCALED)
    by_word = _scores(X, y, C, {"gamma": "scale"}, X)
    _same(_scores(X * scale, y, C, {"gamma": "scale"}, X * scale), by_word, RESCALED)


@EXAMPLES
@given(problem=problems(integer_rows=True), shift=st.integers(-1000, 1000))
def test_shifted_rows_do_not_matter_to_a_gaussian(problem: tuple[Array, Array, float, dict[str, Any]], shift: int) -> None:
    X, y, C, _ = problem
    _same(_scores(X + shift, y, C, {"gamma": 0.5}, X + shift), _scores(X, y, C, {"gamma": 0.5}, X))


@EXAMPLES
@given(problem=problems(), offset=st.booleans(), seed=st.integers(0, 2**32 - 1))
def test_solve_keeps_the_laws_without_the_porch(
    problem: tuple[Array, Array, float, dict[str, Any]], offset: bool, seed: int
) -> None:
    X, y, C, _ = problem
    order = np.random.default_rng(seed).permutation(len(y))
    plain = solve(SoftMargin(X, y, C=C, kernel=RBF(gamma=0.5), offset=offset))
    moved = solve(SoftMargin(X[order], 1 - y[order], C=C, kernel=RBF(gamma=0.5), offset=offset))
    _same(-moved.decision_function(X), plain.decision_function(X))
    doubled = solve(SoftMargin(np.vstack([X, X]), np.tile(y, 2), C=C / 2, kernel=RBF(gamma=0.5), offset=offset))
    _same(doubled.decision_function(X), plain.decision_function(X))


@EXAMPLES
@given(problem=problems())
def test_same_input_same_bits(problem: tuple[Array, Array, float, dict[str, Any]]) -> None:
    X, y, C, kernel = problem
    np.testing.assert_array_equal(_scores(X, y, C, kernel, X), _scores(X, y, C, kernel, X))
