"""Transformations of the data that must not matter, for every formulation.

The score f is unique at the optimum wherever the offset is; the law is stated on ``<w, φ(x)>`` where it is not.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from maxmargin import solve
from maxmargin.kernels import RBF, Linear, Polynomial
from maxmargin.problems import Ball, Tube
from maxmargin.solution import Solution, Status

from ._registry import FORMULATIONS, Array, Formulation

EXACT = 1e-7
TOL = 1e-9
KERNELS = [RBF(gamma=0.5), Linear(), Polynomial(degree=2, gamma=0.3, coef0=1.0)]
EXAMPLES = settings(max_examples=200)
cases = st.sampled_from(FORMULATIONS)
seeds = st.integers(0, 2**32 - 1)


@st.composite
def sets(draw: st.DrawFn) -> tuple[Array, Array, Any, float]:
    """Rows, labels, a kernel and C. Rows on a lattice make ties, equal rows and degenerate optima."""
    n, d = draw(st.integers(6, 30), label="rows"), draw(st.integers(1, 4), label="features")
    rng = np.random.default_rng(draw(seeds, label="seed"))
    lattice = draw(st.booleans(), label="on a lattice")
    X = rng.integers(-2, 3, size=(n, d)).astype(float) if lattice else rng.normal(size=(n, d))
    y = np.where(X[:, 0] + rng.normal(size=n) > 0, 1.0, -1.0)
    y[:2] = -1.0, 1.0
    return X, y, draw(st.sampled_from(KERNELS)), 10.0 ** draw(st.integers(-2, 2), label="log10 C")


def _solved(problem: Formulation, X: Array, t: Array, u: Array, kernel: Any) -> Solution:
    solution = solve(problem.build(X, t, u, kernel), tol=TOL, throw=False)
    # A margin of 0 or none at all has no scores that could be compared.
    assume(solution.status is Status.CONVERGED)
    assume(problem.name != "nu-classification" or solution.certificate.primal_objective < -1e-5)
    return solution


def _width(solution: Solution) -> float:
    slack_rule = solution.slack_rule
    return slack_rule.epsilon if isinstance(slack_rule, Tube) else slack_rule.radius if isinstance(slack_rule, Ball) else 0.0


def _same(one: Solution, other: Solution, X: Array, sign: float = 1.0) -> None:
    """The same objective, scores and width."""
    primal = one.certificate.primal_objective
    assert other.certificate.primal_objective == pytest.approx(primal, rel=1e-6, abs=TOL * max(1.0, one.alpha.sum()))
    f = one.decision_function(X)
    scale = max(1.0, float(np.abs(f).max()))
    np.testing.assert_allclose(sign * other.decision_function(X), f, rtol=0, atol=10 * EXACT * scale)
    assert _width(other) == pytest.approx(_width(one), abs=10 * EXACT * scale)


@EXAMPLES
@given(data=sets(), problem=cases, seed=seeds)
def test_weight_two_is_the_row_twice(data: tuple[Array, Array, Any, float], problem: Formulation, seed: int) -> None:
    X, y, kernel, C = data
    t, counts = problem.targets(X, y), np.random.default_rng(seed).integers(1, 4, len(y))
    weighted = _solved(problem, X, t, C * counts, kernel)
    repeated = _solved(problem, np.repeat(X, counts, axis=0), np.repeat(t, counts), np.full(counts.sum(), C), kernel)
    _same(weighted, repeated, X)


@EXAMPLES
@given(data=sets(), problem=cases, seed=seeds)
def test_weight_zero_is_the_row_absent(data: tuple[Array, Array, Any, float], problem: Formulation, seed: int) -> None:
    X, y, kernel, C = data
    keep = np.random.default_rng(seed).random(len(y)) < 0.7
    keep[:2] = True
    t = problem.targets(X, y)
    # nu-classification takes its share of the weights that are there
    weighted = _solved(problem, X, t, C * keep, kernel)
    absent = _solved(problem, X[keep], t[keep], np.full(keep.sum(), C), kernel)
    _same(weighted, absent, X)


@EXAMPLES
@given(data=sets(), problem=cases, seed=seeds)
def test_order_of_rows_does_not_matter(data: tuple[Array, Array, Any, float], problem: Formulation, seed: int) -> None:
    X, y, kernel, C = data
    rng = np.random.default_rng(seed)
    order, u, t = rng.permutation(len(y)), C * rng.lognormal(size=len(y)), problem.targets(X, y)
    plain, moved = _solved(problem, X, t, u, kernel), _solved(problem, X[order], t[order], u[order], kernel)
    _same(plain, moved, X)


@EXAMPLES
@given(data=sets(), problem=cases)
def test_swapped_labels_swap_the_sign(data: tuple[Array, Array, Any, float], problem: Formulation) -> None:
    X, y, kernel, C = data
    t, u = problem.targets(X, y), np.full(len(y), C)
    without = problem.name in ("one class", "data description")
    _same(_solved(problem, X, t, u, kernel), _solved(problem, X, -t, u, kernel), X, 1.0 if without else -1.0)


@EXAMPLES
@given(data=sets(), problem=cases)
def test_same_input_same_bits(data: tuple[Array, Array, Any, float], problem: Formulation) -> None:
    X, y, kernel, C = data
    t, u = problem.targets(X, y), np.full(len(y), C)
    one, other = (_solved(problem, X, t, u, kernel) for _ in range(2))
    np.testing.assert_array_equal(one.decision_function(X), other.decision_function(X))
    assert one.certificate == other.certificate


@EXAMPLES
@given(data=sets(), shift=st.integers(-50, 50))
def test_shifted_targets_shift_the_offset(data: tuple[Array, Array, Any, float], shift: int) -> None:
    X, y, kernel, C = data
    for problem in FORMULATIONS:
        if problem.regression and problem.offset:
            t, u = problem.targets(X, y), np.full(len(y), C)
            plain, moved = _solved(problem, X, t, u, kernel), _solved(problem, X, t + shift, u, kernel)
            np.testing.assert_allclose(
                moved.decision_function(X) - shift, plain.decision_function(X), rtol=0, atol=1e-6 * (1 + abs(shift))
            )
