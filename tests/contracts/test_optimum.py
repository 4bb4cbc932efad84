"""The engine on soft margins at every C ends at the optimum of a general QP solver on the same program.

The Gram matrix is scikit-learn's, the program is the table's in ARCHITECTURE.md, and the verdict is
recomputed here in plain numpy: nothing that maxmargin says of itself is believed. The other formulations are
in ``test_formulations``.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
import pytest

from maxmargin import solve
from maxmargin.solution import Solution, Status

from ..agreement._evaluator import Subproblem, judge
from ._registry import BOXES, DATA, ENGINES, KERNELS, ORACLES, QP, SOFT_MARGINS, Array, Formulation, KernelCase

TOL = 1e-8
"""Tight, so that agreement to the accuracy of the oracles is a fair demand."""

ORACLE_ACCURACY = 1e-7
"""Relative accuracy of an objective from PIQP or DAQP at 1e-10; measured between the two on them."""

SINGULAR = ("lattice", "cosine", "C=1e3")
"""40 rows in 3 directions, so that K has 37 eigenvalues that are rounding, of either sign: the engine stalls at 1e-7."""

CONVEX = [case for case in KERNELS if case.name != "sigmoid"]


@lru_cache(maxsize=2048)
def _program(data: str, kernel: KernelCase, box: str, problem: Formulation) -> tuple[QP, Array, float]:
    """The quadratic program, its Gram matrix, and the best value any oracle found."""
    X, y = DATA[data]()
    X = kernel.rows(X)
    K = kernel.reference(X, X)
    qp = problem.qp(K, y, BOXES[box](len(y)))
    return qp, K, min(qp.value(oracle(qp)) for oracle in ORACLES.values())


def _solution(data: str, kernel: KernelCase, box: str, problem: Formulation, solver: Any) -> Solution:
    X, y = DATA[data]()
    return solve(problem.build(kernel.rows(X), y, BOXES[box](len(y)), kernel.kernel), solver=solver, tol=TOL)


@pytest.mark.parametrize("solver", ENGINES)
@pytest.mark.parametrize("problem", SOFT_MARGINS, ids=str)
@pytest.mark.parametrize("box", BOXES)
@pytest.mark.parametrize("kernel", CONVEX, ids=str)
@pytest.mark.parametrize("data", DATA)
def test_same_optimum_as_a_general_solver(data: str, kernel: KernelCase, box: str, problem: Formulation, solver: str) -> None:
    qp, K, best = _program(data, kernel, box, problem)
    _, y = DATA[data]()
    solution = _solution(data, kernel, box, problem, ENGINES[solver])
    tol = TOL
    if (data, kernel.name, box) == SINGULAR and solution.status is Status.STALLED:
        tol = 1e-6
    else:
        assert solution.status is Status.CONVERGED

    verdict = judge(Subproblem(np.arange(len(y)), y, solution.alpha, qp.u, solution.bias), K, problem.offset)
    assert verdict.feasible
    assert verdict.violation <= tol + verdict.rounding
    assert problem.offset or solution.bias == 0.0
    scale = max(1.0, abs(best))
    assert qp.value(solution.alpha) <= best + ORACLE_ACCURACY * scale, "worse than the oracle"
    assert verdict.primal >= -best - ORACLE_ACCURACY * scale, "below the optimum: not feasible"
    assert verdict.gap <= ORACLE_ACCURACY * scale + tol * qp.u.sum() + verdict.rounding * verdict.scale

    certificate = solution.certificate
    noise = 1e-12 * scale + verdict.rounding * verdict.scale
    assert certificate.dual_objective == pytest.approx(verdict.dual, abs=noise)
    assert certificate.primal_objective == pytest.approx(verdict.primal, abs=noise)
    assert certificate.kkt_violation == pytest.approx(verdict.violation, abs=2 * verdict.rounding)


@pytest.mark.parametrize("box", BOXES)
@pytest.mark.parametrize("kernel", CONVEX, ids=str)
@pytest.mark.parametrize("data", DATA)
def test_offset_is_the_middle_of_the_optimal_interval(data: str, kernel: KernelCase, box: str) -> None:
    """b is optimal where max_{I_up}(y - Kb) <= b <= min_{I_low}(y - Kb); a point if one is free."""
    problem = SOFT_MARGINS[0]
    qp, K, _ = _program(data, kernel, box, problem)
    _, y = DATA[data]()
    solution = _solution(data, kernel, box, problem, "auto")
    alpha, score = solution.alpha, y - K @ (y * solution.alpha)
    low = score[np.where(y > 0, alpha < qp.u, alpha > 0)].max()
    high = score[np.where(y > 0, alpha > 0, alpha < qp.u)].min()
    rounding = judge(Subproblem(np.arange(len(y)), y, alpha, qp.u, solution.bias), K).rounding
    slack = max(TOL, solution.certificate.kkt_violation) + 2 * rounding
    assert solution.bias == pytest.approx((low + high) / 2, abs=slack)
    assert solution.bias_interval[0] <= solution.bias <= solution.bias_interval[1]
    assert solution.bias_interval[0] == pytest.approx(min(low, high), abs=slack)
    assert solution.bias_interval[1] == pytest.approx(max(low, high), abs=slack)


@pytest.mark.parametrize("problem", SOFT_MARGINS, ids=str)
@pytest.mark.parametrize("kernel", CONVEX, ids=str)
@pytest.mark.parametrize("data", DATA)
def test_all_settings_agree_on_the_scores(data: str, kernel: KernelCase, problem: Formulation) -> None:
    """alpha may differ where the optimum is degenerate; f may not."""
    X = kernel.rows(DATA[data]()[0])
    scores = [_solution(data, kernel, "C=10", problem, solver).decision_function(X) for solver in ENGINES.values()]
    scale = 1e-6 * max(1.0, np.abs(scores[0]).max())
    for other in scores[1:]:
        np.testing.assert_allclose(other, scores[0], rtol=0, atol=scale)
