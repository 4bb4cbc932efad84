"""Linear dependencies with signs: against a linear program, and where floating point cannot look."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.optimize import linprog

from maxmargin.kernels import RBF, Linear, Polynomial, UserFunction
from maxmargin.solution._directions import Dependencies, dependencies, dependencies_of


def _of(kernel: Any, X: Any, *, offset: bool = True) -> Dependencies | None:
    X = np.asarray(X, dtype=float)
    return dependencies(kernel.bind(X), [X], [np.ones(len(X))] if offset else [])


def _passes(gradients: Any, rises: Any, falls: Any) -> bool:
    """The same question as linear programs: can some d_i be 1 or −1 while the others keep their signs?"""
    bounds = [(None if fall else 0, None if rise else 0) for rise, fall in zip(rises, falls, strict=True)]
    for i in range(len(gradients)):
        for value in [1.0] * bool(rises[i]) + [-1.0] * bool(falls[i]):
            fixed = [*bounds[:i], (value, value), *bounds[i + 1 :]]
            if linprog(np.zeros(len(gradients)), A_eq=gradients.T, b_eq=np.zeros(gradients.shape[1]), bounds=fixed).success:
                return True
    return False


@pytest.mark.parametrize("offset", [True, False])
def test_whole_numbers_against_a_linear_program(offset: bool) -> None:
    draw, seen = np.random.default_rng(0), []
    for _ in range(150):
        X = draw.integers(-2, 3, (draw.integers(1, 7), draw.integers(1, 5)))
        rises, falls = draw.random((2, len(X))) < 0.6
        gradients = np.column_stack([X, np.ones(len(X))]) if offset else X
        found = _of(Linear(), X, offset=offset)
        assert found.rank == np.linalg.matrix_rank(gradients)
        assert found.let_pass(rises, falls) is _passes(gradients, rises, falls)
        seen.append(found.let_pass(rises, falls))
    assert 20 < sum(seen) < 130


def test_the_order_of_features_and_rows_and_their_units_do_not_matter() -> None:
    draw = np.random.default_rng(1)
    for _ in range(50):
        X = draw.integers(0, 3, (6, 3)).astype(float)
        rises, falls = draw.random((2, 6)) < 0.7
        order = draw.permutation(6)
        other = (X * [1e-9, 3.0, 7e8] + [1e-6, 0.0, 3e9])[order][:, [2, 0, 1]]
        assert _of(Linear(), other).let_pass(rises[order], falls[order]) is _of(Linear(), X).let_pass(rises, falls)


def test_polynomials_know_their_monomials() -> None:
    """For degree 2, six points of a plane are independent unless a conic goes through them; x and −x can be equal."""
    free = np.ones(6, dtype=np.bool_)
    circle = np.array([[5, 0], [0, 5], [3, 4], [-3, 4], [4, -3], [-5, 0]])
    others = np.vstack([circle[:5], [[-5, 1]]])
    quadratic = Polynomial(degree=2, gamma=0.7, coef0=2.0)
    assert (_of(quadratic, circle, offset=False).rank, _of(quadratic, others, offset=False).rank) == (5, 6)
    assert _of(quadratic, circle).let_pass(free, free) is True
    assert _of(quadratic, others).let_pass(free, free) is False
    pair = np.array([[1.0, 2.0], [-1.0, -2.0]])
    assert _of(Polynomial(degree=2, gamma=1.0, coef0=0.0), pair).rank == 1
    assert _of(Polynomial(degree=3, gamma=1.0, coef0=0.0), pair).rank == 2
    assert _of(Polynomial(degree=3, gamma=1.0, coef0=0.0), pair, offset=False).rank == 1


def test_kernel_values_prove_independence_and_equal_rows_only() -> None:
    free, X = np.ones(4, dtype=np.bool_), np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
    products = UserFunction(lambda A, B: A @ B.T)
    assert _of(products, X).let_pass(free, free) is None
    assert _of(products, X).rank is None
    assert _of(products, X[:3]).let_pass(free[:3], free[:3]) is False
    assert _of(products, X[[0, 1, 1]]).let_pass(free[:3], free[:3]) is True
    assert dependencies_of(X[:3] @ X[:3].T, [np.ones(3)]).let_pass(free[:3], free[:3]) is False
    assert dependencies_of(X[[1, 2, 2]] @ X[[1, 2, 2]].T, [np.ones(3)]).let_pass(free[:3], free[:3]) is True
    assert _of(RBF(gamma=0.0), X).let_pass(free, free) is True  # it is constant
    assert _of(Polynomial(gamma=0.0, coef0=1.0), X).rank == 1


def test_what_cannot_be_looked_at() -> None:
    assert _of(Linear(), [[1e308], [-1e308]]) is None
    assert _of(Linear(), np.arange(2001.0)[:, None]) is None
    assert _of(RBF(gamma=1.0), np.arange(2001.0)[:, None]).rank == 2001


@pytest.mark.parametrize(("gap", "verdict"), [(1e-15, True), (1e-12, None), (1e-8, False)])
def test_between_rounding_and_ten_digits_nothing_is_said(gap: float, verdict: bool | None) -> None:
    found = Dependencies(np.arange(2), np.array([[1.0, 0.0], [1.0, gap]]), 1e-13)
    both = np.ones(2, dtype=np.bool_)
    assert found.let_pass(both, both) is verdict
    assert found.let_pass(both, np.array([True, False])) is verdict
