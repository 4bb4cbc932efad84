"""Generated small problems against a general QP solver: few rows, many ties, singular Gram matrices."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from maxmargin import solve
from maxmargin.problems import SoftMargin
from maxmargin.solution import Status

from ..agreement._evaluator import Subproblem, judge
from ._registry import KERNELS, SOFT_MARGINS, Array, Formulation, KernelCase, solve_by_piqp

TOL = 1e-6
ORACLE_ACCURACY = 1e-6
"""PIQP at 1e-10 on programs with singular matrices and boxes up to 1e3, relative to the objective."""

CONVEX = [case for case in KERNELS if case.name != "sigmoid"]


@st.composite
def rows(draw: st.DrawFn) -> tuple[Array, Array, float]:
    """From 3 to 12 rows with both labels, on a lattice or not, and C."""
    n, d = draw(st.integers(3, 12), label="rows"), draw(st.integers(1, 3), label="features")
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1), label="seed"))
    lattice = draw(st.booleans(), label="on a lattice")
    X = rng.integers(-2, 3, size=(n, d)).astype(float) if lattice else rng.normal(size=(n, d))
    y = np.where(rng.random(n) < 0.5, 1.0, -1.0)
    y[:2] = 1.0, -1.0
    return X, y, 10.0 ** draw(st.integers(-2, 3), label="log10 C")


@settings(max_examples=400)
@given(data=rows(), kernel=st.sampled_from(CONVEX), problem=st.sampled_from(SOFT_MARGINS))
def test_optimum_of_any_small_problem(data: tuple[Array, Array, float], kernel: KernelCase, problem: Formulation) -> None:
    X, y, C = data
    X, upper = kernel.rows(X), np.full(len(y), C)
    K = kernel.reference(X, X)
    solution = solve(problem.build(X, y, upper, kernel.kernel), tol=TOL)
    verdict = judge(Subproblem(np.arange(len(y)), y, solution.alpha, upper, solution.bias), K, problem.offset)
    assert solution.status is Status.CONVERGED
    assert verdict.inside
    assert verdict.feasible, f"y'alpha is {verdict.imbalance:.1e} of sum alpha"
    assert verdict.violation <= TOL + verdict.rounding
    qp = problem.qp(K, y, upper)
    best = -qp.value(solve_by_piqp(qp))
    scale = max(1.0, abs(best))
    assert abs(verdict.dual - best) <= ORACLE_ACCURACY * scale + TOL * upper.sum()
    assert verdict.gap >= -1e-12 * scale - verdict.rounding * verdict.scale, "weak duality is broken"


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@settings(max_examples=100)
@given(data=rows(), steps=st.integers(1, 30))
def test_an_unfinished_answer_is_feasible_and_its_gap_is_true(data: tuple[Array, Array, float], steps: int) -> None:
    """Wherever a solver stops, alpha is feasible, so the gap bounds the distance to the optimum."""
    X, y, C = data
    kernel, upper = KERNELS[1], np.full(len(y), C)
    K = kernel.reference(X, X)
    solution = solve(SoftMargin(X, y, C=C, kernel=kernel.kernel), tol=1e-10, max_iter=steps)
    verdict = judge(Subproblem(np.arange(len(y)), y, solution.alpha, upper, solution.bias), K)
    assert verdict.feasible
    best = -SOFT_MARGINS[0].qp(K, y, upper).value(solve_by_piqp(SOFT_MARGINS[0].qp(K, y, upper)))
    noise = ORACLE_ACCURACY * max(1.0, abs(best))
    assert verdict.dual <= best + noise
    assert verdict.primal >= best - noise
    assert abs(solution.certificate.gap - verdict.gap) <= 1e-12 * max(1.0, verdict.primal) + verdict.rounding * verdict.scale
