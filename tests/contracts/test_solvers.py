"""Solvers × problems × kernels × data: every solver ends at the same optimum, and the certificate, not the solver, says so."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any

import numpy as np
import pytest

from maxmargin import problems, solve
from maxmargin.errors import ConvergenceWarning
from maxmargin.kernels import RBF, Linear, Polynomial
from maxmargin.solution import Solution, Status, certify
from maxmargin.solvers import SMO, Chunking, Decomposition, DualQP, PrimalQP, ProjectedGradient

from ._registry import DATA, Array


@dataclass(frozen=True)
class Case:
    """A solver, the tolerance it is asked for, and how near its objective then is to the optimum, relative to its size."""

    solver: Any
    tol: float
    accuracy: float
    rises: bool = False
    """Whether its dual objective never falls on the way."""


SOLVERS = {
    "dual_qp": Case(DualQP(), 1e-7, 1e-7),
    "primal_qp": Case(PrimalQP(), 1e-7, 1e-7),
    "projected gradient": Case(ProjectedGradient(accelerated=True), 1e-3, 2e-3),
    "chunking": Case(Chunking(size=8), 1e-6, 1e-6, rises=True),
    "chunking by QP": Case(Chunking(DualQP(), size=8), 1e-6, 1e-6, rises=True),
    "decomposition": Case(Decomposition(q=20), 1e-5, 1e-5, rises=True),
    "decomposition by SMO": Case(Decomposition(q=10, inner=SMO()), 1e-4, 1e-4, rises=True),
}
GENERAL = ("dual_qp", "primal_qp")

KERNELS = {"linear": Linear(), "rbf": RBF(gamma=0.5), "polynomial": Polynomial(degree=2, gamma=0.5, coef0=1.0)}


def _target(X: Array, y: Array) -> Array:
    return X[:, 0] * y + 0.3 * X[:, -1]


PROBLEMS: dict[str, Callable[[Array, Array, Any], problems.Problem]] = {
    "soft margin": lambda X, y, k: problems.SoftMargin(X, y, C=2.0, kernel=k),
    "soft margin, no offset": lambda X, y, k: problems.SoftMargin(X, y, C=2.0, kernel=k, offset=False),
    "soft margin, penalised offset": lambda X, y, k: problems.SoftMargin(X, y, C=2.0, kernel=k, offset="penalised"),
    "soft margin, a C for each row": lambda X, y, k: problems.SoftMargin(
        X, y, kernel=k, sample_weight=np.random.default_rng(4).lognormal(0, 1, len(y))
    ),
    "squared slack": lambda X, y, k: problems.SoftMargin(X, y, C=2.0, kernel=k, slack="squared"),
    "squared slack, no offset": lambda X, y, k: problems.SoftMargin(X, y, kernel=k, offset=False, slack="squared"),
    "hard margin": lambda X, y, k: problems.HardMargin(X, y, kernel=k),
    "hard margin, no offset": lambda X, y, k: problems.HardMargin(X, y, kernel=k, offset=False),
    "nu-classification": lambda X, y, k: problems.NuClassification(X, y, nu=0.1, kernel=k),
    "epsilon-regression": lambda X, y, k: problems.EpsilonRegression(X, _target(X, y), C=2.0, kernel=k),
    "epsilon-regression, no offset": lambda X, y, k: problems.EpsilonRegression(X, _target(X, y), kernel=k, offset=False),
    "nu-regression": lambda X, y, k: problems.NuRegression(X, _target(X, y), nu=0.3, kernel=k),
    "one class": lambda X, y, k: problems.OneClass(X, nu=0.2, kernel=k),
    "data description": lambda X, y, k: problems.DataDescription(X, nu=0.2, kernel=k),
}
"""Every formulation of the house; C is moderate, so that a gradient method ends in time."""

SETS = ("moons", "lattice", "skewed", "iris", "two rows")


@lru_cache
def _rows(name: str) -> tuple[Array, Array]:
    """At most 30 rows of both classes, standardised: gradient steps do not like scales."""
    X, y = DATA[name]()
    step = max(1, len(y) // 30)
    kept = np.union1d(np.arange(0, len(y), step), [np.flatnonzero(y > 0)[0], np.flatnonzero(y < 0)[0]])
    X = X[kept]
    return (X - X.mean(axis=0)) / np.maximum(X.std(axis=0), 1e-12), y[kept]


def _problem(problem: str, kernel: str, data: str) -> problems.Problem:
    return PROBLEMS[problem](*_rows(data), KERNELS[kernel])


@cache
def _reference(problem: str, kernel: str, data: str) -> Solution:
    return solve(_problem(problem, kernel, data), tol=1e-9, throw=False)


@pytest.mark.parametrize("data", SETS)
@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("problem", PROBLEMS)
@pytest.mark.parametrize("solver", SOLVERS)
def test_the_same_optimum(solver: str, problem: str, kernel: str, data: str) -> None:
    case, question = SOLVERS[solver], _problem(problem, kernel, data)
    reference = _reference(problem, kernel, data)
    if (reason := case.solver.supports(question)) is not None:
        assert solver == "primal_qp", reason  # the others take every problem
        return
    solution = solve(question, solver=case.solver, tol=case.tol, throw=False)
    assert solution.status is reference.status or (solution.status.is_optimal and reference.status.is_optimal)
    assert len(solution.trace) >= 1
    assert solution.trace.steps[-1] <= solution.steps
    if case.rises:
        falls = np.diff(solution.trace.objective)
        assert falls.min(initial=0.0) >= -1e-13 * max(1.0, float(np.abs(solution.trace.objective).max()))
    if reference.status is Status.INFEASIBLE:
        _check_proof(question, solution)
        return
    assert solution.status.is_optimal
    best, found = reference.certificate, solution.certificate
    scale = max(1.0, abs(best.dual_objective))
    assert best.gap <= 1e-6 * scale
    assert abs(found.dual_objective - best.dual_objective) <= case.accuracy * scale
    assert found.primal_objective >= best.dual_objective - 1e-9 * scale, "below the optimum"
    if solver in GENERAL:
        assert found.gap <= 1e-6 * scale, "strong duality"


def _check_proof(problem: problems.Problem, solution: Solution) -> None:
    """Weights of each class sum to 1 and have the same mean; recomputed from the kernel matrix alone."""
    assert isinstance(problem, problems.HardMargin)
    assert solution.proof is not None
    n = len(problem.y)
    K = problem.gram.block(np.arange(n), np.arange(n))
    weights = solution.proof.weights
    signed = problem.y * weights
    assert weights.min() >= 0
    assert weights.sum() == pytest.approx(2.0 if problem.offset else 1.0, abs=1e-9)
    assert not problem.offset or abs(signed.sum()) <= 1e-9
    assert signed @ K @ signed <= 2e-12 * np.diagonal(K).max()


@pytest.mark.parametrize("data", SETS)
@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("problem", PROBLEMS)
def test_automatic_gradient_steps_never_lose(problem: str, kernel: str, data: str) -> None:
    """The dual objective rises in every step with τ = 1/‖K + D‖, and the optimum is between the two sides of the saddle."""
    question = _problem(problem, kernel, data)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # 300 steps need not be enough
        solution = solve(question, solver=ProjectedGradient(), tol=1e-4, max_iter=300, throw=False)
    objective = solution.trace.objective
    assert np.diff(objective).min(initial=0.0) >= -1e-12 * max(1.0, float(np.abs(objective).max()))
    reference, found = _reference(problem, kernel, data).certificate, solution.certificate
    if solution.status is Status.INFEASIBLE or _reference(problem, kernel, data).status is Status.INFEASIBLE:
        return
    slack = 1e-9 * max(1.0, abs(reference.dual_objective))
    assert found.dual_objective <= reference.primal_objective + slack, "max-min is not above"
    assert found.primal_objective >= reference.dual_objective - slack, "min-max is not below"


@pytest.mark.parametrize("solver", [name for name in SOLVERS if name != "primal_qp"])
def test_every_dual_solver_proves_inseparability(solver: str) -> None:
    X, y = np.array([[0.0, 0.0], [1.0, 1.0], [2.0, 2.0], [0.0, 1.0]]), np.array([-1.0, 1.0, -1.0, 1.0])
    for offset in (True, False):
        problem = problems.HardMargin(np.vstack((X, -X)), np.concatenate((y, y)), kernel=Linear(), offset=offset)
        solution = solve(problem, solver=SOLVERS[solver].solver, tol=1e-3, throw=False)
        assert solution.status is Status.INFEASIBLE
        _check_proof(problem, solution)


@pytest.mark.parametrize("solver", SOLVERS)
def test_the_certificate_is_recomputed(solver: str) -> None:
    """What is in the solution is what `certify` says of its β, not what the solver said."""
    problem = _problem("soft margin", "linear", "moons")
    solution = solve(problem, solver=SOLVERS[solver].solver, tol=SOLVERS[solver].tol)
    beta = np.zeros(solution.n)
    beta[solution.support] = solution.beta
    judgement = certify(problem, beta)
    assert judgement.dual == solution.certificate.dual_objective
    assert judgement.primal == solution.certificate.primal_objective
    assert judgement.kkt_violation == solution.certificate.kkt_violation
    assert judgement.infeasibility <= 1e-12
