"""Dependence of rows with weights of one sign: proven where it is there, not claimed where it is not."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from maxmargin.problems._exact import _eliminated, dependence, monomials, positive_dependence


def _sum_of(rows: np.ndarray, weights: np.ndarray) -> list[Fraction]:
    exact = [Fraction(float(weight)) for weight in weights]
    return [sum((w * Fraction(float(x)) for w, x in zip(exact, column, strict=True)), Fraction(0)) for column in rows.T]


def test_a_middle_is_proven_and_a_near_miss_is_not() -> None:
    weights, error = dependence(np.array([[-1.0, 1.0], [2.0, -2.0]]), np.array([1.0, 0.5])) or pytest.fail("not proven")
    assert weights == pytest.approx([1.0, 0.5], abs=error + 1e-15)
    for miss in (1e-3, 1e-9, 2.0**-52):
        assert dependence(np.array([[-1.0, 1.0], [1.0 + miss, -1.0]]), np.array([0.5, 0.5])) is None


def test_integers_of_any_rank() -> None:
    """A constant feature and one that is the sum of two others leave no right inverse: whole numbers decide."""
    x = np.array([[0.0, 0.0], [2.0, 0.0], [0.0, 2.0], [1.0, 1.0]])
    rows = np.array([1.0, 1.0, 1.0, -1.0])[:, np.newaxis] * np.column_stack([x, x.sum(axis=1), np.full(4, 7.0), np.ones(4)])
    found = dependence(rows[1:], np.array([0.5, 0.5, 1.0]))
    assert found is not None
    assert _sum_of(rows[1:], found[0]) == [0, 0, 0, 0, 0]


@given(st.integers(0, 2**32 - 1), st.integers(1, 5), st.integers(0, 4), st.floats(-60.0, 60.0))
def test_both_ways_agree_and_the_exact_one_is_exact(seed: int, m: int, more: int, power: float) -> None:
    rng = np.random.default_rng(seed)
    rows = rng.integers(-4, 5, size=(m + 1 + more, m)).astype(float) * 2.0 ** int(power)
    near = rng.uniform(0.5, 1.0, size=len(rows))
    rows[-1] = -(near[:-1] @ rows[:-1]) / near[-1]  # rounded: the weights nearly cancel
    found = _eliminated(rows, near)
    verified = dependence(rows, near)
    if found is not None:
        assert (found[0] >= 0.0).all()
        assert verified is not None
    if verified is not None:
        size = float(np.abs(rows).max(initial=0.0))
        assert np.abs(verified[0] @ rows).max() <= (verified[1] * len(rows) + 1e-13) * max(size, 1e-300)


def test_large_rows_are_decided_quickly() -> None:
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(400, 100))
    near = rng.uniform(0.5, 1.0, size=400)
    rows -= (near @ rows) / near.sum()
    found = dependence(rows, near)
    assert found is not None
    assert found[1] < 1e-8


def test_a_linear_program_finds_weights_where_none_are_given() -> None:
    rng = np.random.default_rng(1)
    around = rng.normal(size=(30, 3))
    found = positive_dependence(around, None)
    assert found is not None
    assert np.abs(found[0] @ around).max() <= 1e-12
    assert positive_dependence(around + np.array([9.0, 0.0, 0.0]), None) is None


@pytest.mark.parametrize("homogeneous", [True, False])
def test_monomials_are_the_features_of_a_polynomial_kernel(homogeneous: bool) -> None:
    """Their span is that of (<u, v> + ζ)³: ranks of both Gram matrices agree."""
    X = np.random.default_rng(2).normal(size=(30, 2))
    found = monomials(X, 3, homogeneous)
    assert found is not None
    kernel = (X @ X.T + (0.0 if homogeneous else 1.0)) ** 3
    assert np.linalg.matrix_rank(found) == np.linalg.matrix_rank(kernel) == found.shape[1]


def test_products_that_underflow_are_not_taken_for_zero() -> None:
    assert monomials(np.full((3, 2), 1e-160), 2, True) is None
