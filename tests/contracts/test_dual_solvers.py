"""What solvers of dual problems keep beside the optimum: proofs, certificates, and gradient steps that never lose."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

from maxmargin import problems, solve
from maxmargin.errors import ConvergenceWarning, NoMarginWarning
from maxmargin.kernels import Linear
from maxmargin.solution import Solution, Status, certify
from maxmargin.solvers import ProjectedGradient

from ._registry import NO_MARGIN, PAIRS, PROBLEMS, SOLVERS, Family, ProblemCase, SolverCase

CONVEX = [(case, rows) for case in PROBLEMS.values() if case.family is Family.DUAL and case.optimum for rows in case.sets[:2]]


@pytest.mark.parametrize(("problem", "rows"), CONVEX, ids=str)
def test_automatic_gradient_steps_never_lose(problem: ProblemCase, rows: str) -> None:
    """The dual objective rises in every step with τ = 1/‖K + D‖, and the optimum is between the two sides of the saddle."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # 300 steps need not be enough
        warnings.simplefilter("ignore", NoMarginWarning)
        solution = solve(problem.pose(problem.on(rows)), solver=ProjectedGradient(), tol=1e-4, max_iter=300)
    seen, found = solution.trace.objective, solution.certificate
    assert np.diff(seen).min(initial=0.0) >= -1e-12 * max(1.0, float(np.abs(seen).max()))
    assert problem.optimum is not None
    best = problem.optimum(problem.on(rows))
    slack = 1e-7 * max(1.0, abs(best))
    assert found.dual_objective <= best + slack, "max-min is not above"
    assert found.primal_objective >= best - slack, "min-max is not below"


def _check_proof(problem: Any, solution: Solution) -> None:
    """Weights of each class sum to 1 and have the same mean; recomputed from the kernel matrix alone."""
    assert solution.status is Status.INFEASIBLE
    assert solution.proof is not None
    n = len(problem.y)
    K = problem.gram.block(np.arange(n), np.arange(n))
    weights = solution.proof.weights
    signed = problem.y * weights
    assert weights.min() >= 0
    assert weights.sum() == pytest.approx(2.0 if problem.offset else 1.0, abs=1e-9)
    assert not problem.offset or abs(signed.sum()) <= 1e-9
    assert signed @ K @ signed <= 2e-12 * np.diagonal(K).max()


INSEPARABLE = [(solver, problem, rows) for solver, problem in PAIRS for name, rows in sorted(NO_MARGIN) if name == problem.name]


@pytest.mark.parametrize(("solver", "problem", "rows"), INSEPARABLE, ids=str)
def test_without_a_margin_there_is_a_proof(solver: SolverCase, problem: ProblemCase, rows: str) -> None:
    posed = problem.pose(problem.on(rows))
    solution = solve(posed, solver=solver.solver, tol=solver.tol, throw=False)
    _check_proof(posed, solution)


HARD = [pair for pair in PAIRS if pair[1].name in ("hard margin, linear", "hard margin, no offset, linear")]


@pytest.mark.parametrize(("solver", "problem"), HARD, ids=str)
def test_every_solver_proves_inseparability_by_hand(solver: SolverCase, problem: ProblemCase) -> None:
    X, y = np.array([[0.0, 0.0], [1.0, 1.0], [2.0, 2.0], [0.0, 1.0]]), np.array([-1.0, 1.0, -1.0, 1.0])
    posed = problems.HardMargin(np.vstack((X, -X)), np.concatenate((y, y)), kernel=Linear(), offset="no" not in problem.name)
    _check_proof(posed, solve(posed, solver=solver.solver, tol=1e-3, throw=False))


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")  # of who only comes near
@pytest.mark.parametrize("solver", [case for case in SOLVERS.values() if case.family is Family.DUAL], ids=str)
def test_the_certificate_is_recomputed(solver: SolverCase) -> None:
    """What is in the solution is what `certify` says of its β, not what the solver said."""
    case = PROBLEMS["soft margin, linear"]
    problem = case.pose(case.on("moons"))
    solution = solve(problem, solver=solver.solver, tol=solver.tol, max_iter=solver.max_iter)
    beta = np.zeros(solution.n)
    beta[solution.support] = solution.beta
    evaluation = certify(problem, beta)
    assert evaluation.dual == solution.certificate.dual_objective
    assert evaluation.primal == solution.certificate.primal_objective
    assert evaluation.kkt_violation == solution.certificate.kkt_violation
    assert evaluation.infeasibility <= 1e-12
