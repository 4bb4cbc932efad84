"""Every formulation ends at the optimum of a general QP solver on the program of the table, and primal equals dual.

The Gram matrix is scikit-learn's; the program, its variables and the primal objective are plain numpy
(``_registry``): nothing that maxmargin says of itself is believed.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics.pairwise import polynomial_kernel

from maxmargin import solve
from maxmargin.kernels import Polynomial
from maxmargin.problems import Ball, Tube
from maxmargin.solution import Solution, Status

from ..agreement._evaluator import KERNEL_ROUNDING
from ._registry import (
    DATA,
    ENGINES,
    FORMULATIONS,
    KERNELS,
    ORACLES,
    QP,
    Answer,
    Array,
    Formulation,
    KernelCase,
    solve_by_piqp,
)

TOL = 1e-8
ORACLE_ACCURACY = 1e-7
"""Relative accuracy of an objective from PIQP or DAQP at 1e-10; measured between the two on them."""

ZERO = 1e-9
"""An optimum that the oracles find below this is 0, as ν-classification has it where the classes overlap."""

TOL_AT_ZERO = 1e-6
"""Where rounding is all that is left of an objective no tighter tolerance is sure to be reached."""

STRONG = 1e-6
"""Primal equals dual to this share."""

POLYNOMIAL = KernelCase(
    "polynomial", Polynomial(degree=2, gamma=0.1, coef0=1.0), lambda X, Y: polynomial_kernel(X, Y, 2, 0.1, 1.0)
)
"""With a Gram matrix of moderate numbers: the oracles are asked for ten digits."""

CHOSEN = [*KERNELS[:2], POLYNOMIAL]

WEIGHTS = {"one for all": lambda n: np.full(n, 2.0), "one for each": lambda n: np.random.default_rng(4).lognormal(0, 1, n)}

SEPARABLE = {("wide", "linear"), ("two rows", "linear")}
SEPARABLE |= {(data, "rbf") for data in DATA if data != "lattice"}
SEPARABLE |= {(data, "polynomial") for data in ("iris", "wide", "skewed", "two rows")}
"""Where a hard margin exists: by a linear program for features, always for a Gaussian of distinct rows."""

BEYOND_ORACLES = {("iris", "polynomial")}
"""Hard margins with |w|² of 5e5 at which PIQP and DAQP give up: weak duality alone is the proof."""


def read(solution: Solution) -> Answer:
    """Coefficients of all rows, and what the reading says of the width."""
    beta = np.zeros(solution.n)
    beta[solution.support] = solution.beta
    slack_rule = solution.slack_rule
    width = slack_rule.epsilon if isinstance(slack_rule, Tube) else slack_rule.radius if isinstance(slack_rule, Ball) else 0.0
    return Answer(beta, solution.bias, width)


def deficit(problem: Formulation, K: Array, t: Array, a: Answer) -> Array:
    """By how much rows miss what the docstring of their problem asks."""
    f = K @ a.beta + a.bias
    if problem.regression:
        return np.abs(f - t) - a.width
    if problem.name == "data description":
        return 0.5 * (np.diag(K) - 2.0 * K @ a.beta + a.beta @ K @ a.beta - a.width**2)
    return -f if problem.name == "one class" else 1.0 - t * f


@lru_cache(maxsize=2048)
def _program(data: str, kernel: KernelCase, weights: str, problem: Formulation) -> tuple[QP, Array, Array, float]:
    """The program, its Gram matrix, labels or targets, and the best value any oracle found."""
    X, y = DATA[data]()
    K, t = kernel.reference(X, X), problem.targets(X, y)
    qp = problem.qp(K, t, WEIGHTS[weights](len(y)))
    if not problem.slack and (data, kernel.name) in BEYOND_ORACLES:
        return qp, K, t, np.inf
    return qp, K, t, min(qp.value(oracle(qp)) for oracle in ORACLES.values())


def _check(
    problem: Formulation, qp: QP, K: Array, t: Array, u: Array, solution: Solution, best: float, accuracy: float
) -> None:
    assert solution.status.is_optimal
    answer, certificate = read(solution), solution.certificate
    a = problem.variables(t, answer, u)
    abs_sum, scale = np.abs(a).sum(), max(1.0, abs(certificate.dual_objective))
    assert a.min() >= 0.0
    assert np.all(a <= qp.u * (1 + 1e-9))
    assert np.abs(qp.A @ a - qp.c).max(initial=0.0) <= 1e-9 * abs_sum
    assert qp.value(a) <= best + accuracy * scale, "worse than the oracle"
    noise = KERNEL_ROUNDING * np.abs(K).max() * abs_sum**2
    assert qp.value(a) == pytest.approx(-certificate.dual_objective, abs=1e-9 * scale + noise)
    assert problem.offset or solution.bias == 0.0 or "penalised" in problem.name
    if abs(best) <= ZERO:  # no gap is small beside it
        assert abs(certificate.primal_objective) <= TOL_AT_ZERO * abs_sum
        assert abs(certificate.dual_objective) <= TOL_AT_ZERO * abs_sum
        return
    primal = problem.primal(K, t, u, answer)
    assert primal == pytest.approx(certificate.primal_objective, rel=STRONG)
    assert certificate.primal_objective == pytest.approx(certificate.dual_objective, rel=STRONG)
    missed = deficit(problem, K, t, answer)
    size = max(1.0, float(np.abs(missed).max()))
    assert problem.slack or missed.max() <= STRONG
    np.testing.assert_allclose(solution.slack, np.maximum(0.0, missed), rtol=0, atol=1e-7 * size)


EVERY = [(data, kernel, problem) for data in DATA for kernel in CHOSEN for problem in FORMULATIONS]
POSSIBLE = [case for case in EVERY if case[2].slack or (case[0], case[1].name) in SEPARABLE]
IMPOSSIBLE = [case for case in EVERY if case not in POSSIBLE]


@pytest.mark.parametrize("weights", WEIGHTS)
@pytest.mark.parametrize(("data", "kernel", "problem"), IMPOSSIBLE, ids=str)
def test_what_no_function_satisfies_is_infeasible(data: str, kernel: KernelCase, problem: Formulation, weights: str) -> None:
    X, y = DATA[data]()
    solution = solve(problem.build(X, y, WEIGHTS[weights](len(y)), kernel.kernel), throw=False)
    assert solution.status is Status.INFEASIBLE


@pytest.mark.parametrize("weights", WEIGHTS)
@pytest.mark.parametrize(("data", "kernel", "problem"), POSSIBLE, ids=str)
def test_optimum_and_strong_duality(data: str, kernel: KernelCase, problem: Formulation, weights: str) -> None:
    X, y = DATA[data]()
    qp, K, t, best = _program(data, kernel, weights, problem)
    u = WEIGHTS[weights](len(y))
    for solver in ENGINES.values():
        solution = solve(problem.build(X, t, u, kernel.kernel), solver=solver, tol=TOL_AT_ZERO if abs(best) <= ZERO else TOL)
        _check(problem, qp, K, t, u, solution, best, ORACLE_ACCURACY)


@st.composite
def small_sets(draw: st.DrawFn) -> tuple[Array, Array, Array]:
    """From 3 to 14 rows with both labels, on a lattice or not, and weights."""
    n, d = draw(st.integers(3, 14), label="rows"), draw(st.integers(1, 3), label="features")
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1), label="seed"))
    X = rng.integers(-2, 3, size=(n, d)).astype(float) if draw(st.booleans(), label="lattice") else rng.normal(size=(n, d))
    y = np.where(rng.random(n) < 0.5, 1.0, -1.0)
    y[:2] = 1.0, -1.0
    return X, y, 10.0 ** draw(st.integers(-2, 2), label="log10 C") * rng.integers(1, 4, n)


@settings(max_examples=400)
@given(
    data=small_sets(), kernel=st.sampled_from(CHOSEN), problem=st.sampled_from([each for each in FORMULATIONS if each.slack])
)
def test_optimum_of_any_small_set(data: tuple[Array, Array, Array], kernel: KernelCase, problem: Formulation) -> None:
    X, y, u = data
    K, t = kernel.reference(X, X), problem.targets(X, y)
    qp = problem.qp(K, t, u)
    best = qp.value(solve_by_piqp(qp))
    solution = solve(problem.build(X, t, u, kernel.kernel), tol=TOL_AT_ZERO if abs(best) <= ZERO else TOL)
    _check(problem, qp, K, t, u, solution, best, 1e-6)


@pytest.mark.parametrize("problem", FORMULATIONS, ids=str)
def test_scores_of_new_rows_follow_from_the_answer(problem: Formulation) -> None:
    X, y = DATA["wide"]()
    t, new = problem.targets(X, y), X[::-1] + 0.5
    for kernel in CHOSEN:
        solution: Any = solve(problem.build(X, t, np.ones(len(y)), kernel.kernel), tol=TOL)
        answer = read(solution)
        f = kernel.reference(new, X) @ answer.beta + answer.bias
        if problem.name == "data description":
            f -= 0.5 * np.diag(kernel.reference(new, new))
        np.testing.assert_allclose(solution.decision_function(new), f, rtol=1e-9, atol=1e-9 * np.abs(f).max())


@pytest.mark.parametrize("steps", [0, 1, 3, 10, 40])
@pytest.mark.parametrize("problem", FORMULATIONS, ids=str)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_the_certificate_of_an_unfinished_answer_is_true(problem: Formulation, steps: int) -> None:
    for data, kernel in ((data, kernel) for data in DATA for kernel in CHOSEN):
        if not problem.slack and (data, kernel.name) not in SEPARABLE - BEYOND_ORACLES:
            continue
        qp, K, t, best = _program(data, kernel, "one for each", problem)
        X, y = DATA[data]()
        u = WEIGHTS["one for each"](len(y))
        solution = solve(problem.build(X, t, u, kernel.kernel), tol=TOL, max_iter=steps)
        answer, certificate = read(solution), solution.certificate
        small = ORACLE_ACCURACY * max(1.0, abs(best))
        assert certificate.dual_objective <= -best + small
        assert certificate.primal_objective >= -best - small
        missed = deficit(problem, K, t, answer)
        np.testing.assert_allclose(solution.slack, np.maximum(0.0, missed), rtol=0, atol=1e-7 * max(1.0, np.abs(missed).max()))
        primal = problem.primal(K, t, u, answer)
        if not problem.slack:  # the primal value is that of w made long enough for all rows
            nearest = 1.0 - missed.max()
            primal = primal / nearest**2 if nearest > 0 else np.inf
        elif problem.name == "nu-classification" and np.isclose(np.abs(answer.beta).sum(), qp.c[1]):
            continue  # no margin yet, so the answer is not divided by it
        assert certificate.primal_objective == pytest.approx(primal, rel=1e-6, abs=TOL)
