"""How the solvers in Python begin, end, refuse and report."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from scipy import sparse

from maxmargin import problems, solve
from maxmargin.errors import FitInterrupted, InvalidInput
from maxmargin.kernels import RBF, Linear, Precomputed, Sigmoid
from maxmargin.solution import Progress, Status
from maxmargin.solvers import SMO, Chunking, Decomposition, DualQP, PrimalQP, ProjectedGradient, Solver, select

RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 2))
Y = np.where(X[:, 0] + 0.7 * RNG.normal(size=60) > 0, 1, -1)
SOFT = problems.SoftMargin(X, Y, C=5.0, kernel=Linear())

LATE = np.eye(6)
"""A matrix that is indefinite in its last rows only."""
LATE[3, 5] = LATE[5, 3] = 2.0

NAMES = ("auto", "smo", "primal_qp", "dual_qp", "projected_gradient", "chunking", "decomposition")
PYTHON: list[Solver] = [PrimalQP(), DualQP(), ProjectedGradient(), Chunking(size=8), Decomposition(q=8)]


@pytest.mark.parametrize("name", NAMES)
def test_solvers_by_name(name: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert solve(SOFT, solver=name, tol=1e-2).status is Status.CONVERGED


def test_unknown_names_are_told_the_known_ones() -> None:
    with pytest.raises(InvalidInput, match=r"one of 'auto', 'smo', .*'kernel_subgradient', or a DualSolver .* Got 'sgd'"):
        solve(SOFT, solver="sgd")
    assert isinstance(select(SOFT).solver, SMO)
    assert "engine" in select(SOFT).reason


@pytest.mark.parametrize("solver", PYTHON, ids=lambda solver: type(solver).__name__)
def test_limits_are_kept(solver: Solver) -> None:
    for limit, status in (({"max_iter": 0}, Status.ITERATION_LIMIT), ({"max_time": 1e-9}, Status.TIME_LIMIT)):
        with pytest.warns(match=status.name):
            solution = solve(SOFT, solver=solver, **limit)
        assert solution.status is status
        assert len(solution.trace) == 1


def test_a_gradient_run_can_be_stopped_and_watched(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("maxmargin.solvers._dual._watch._BETWEEN_CALLS", 0.0)
    seen: list[Progress] = []

    def enough(progress: Progress) -> bool:
        seen.append(progress)
        return progress.steps >= 5

    with pytest.warns(match="INTERRUPTED"):
        solution = solve(SOFT, solver=ProjectedGradient(), tol=1e-9, callback=enough)
    assert solution.status is Status.INTERRUPTED
    assert [progress.steps for progress in seen] == [0, 1, 2, 3, 4, 5]
    np.testing.assert_array_equal([progress.objective for progress in seen], solution.trace.objective)


@pytest.mark.parametrize("solver", [ProjectedGradient(), Decomposition(q=4), Chunking(size=4)], ids=lambda s: type(s).__name__)
def test_ctrl_c_keeps_the_last_point(solver: Solver, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("maxmargin.solvers._dual._watch._BETWEEN_CALLS", 0.0)
    calls = iter(range(100))

    def pressed(progress: Progress) -> bool:
        if next(calls) == 2:
            raise KeyboardInterrupt
        return False

    with pytest.raises(FitInterrupted) as caught:
        solve(SOFT, solver=solver, tol=1e-9, callback=pressed)
    assert caught.value.solution.status is Status.INTERRUPTED
    assert caught.value.solution.certificate.dual_objective > 0


@pytest.mark.parametrize(
    ("solver", "problem", "words"),
    [
        (
            PrimalQP(),
            problems.SoftMargin(X, Y, kernel=RBF()),
            r"PrimalQP cannot solve SoftMargin: .* needs kernels\.Linear\(\)",
        ),
        (PrimalQP(), problems.OneClass(X, kernel=Linear()), r"built for SoftMargin, HardMargin and EpsilonRegression only"),
        (PrimalQP(), problems.SoftMargin(np.ones((4, 1001)), [0, 1, 0, 1], kernel=Linear()), r"at most .* 1000 features"),
        (DualQP(), problems.SoftMargin(np.ones((4001, 1)), np.arange(4001) % 2), r"it has 4001 variables, .* at most 4000"),
        (DualQP(), problems.EpsilonRegression(np.ones((2001, 1)), np.ones(2001)), r"it has 4002 variables"),
        (DualQP(), problems.SoftMargin(X, Y, kernel=Sigmoid(gamma=2.0, coef0=-1.0)), r"not positive semidefinite"),
        (Decomposition(q=2), problems.NuClassification(X, Y, nu=0.2), r"Set q to 4 or more"),
        (Chunking(PrimalQP()), SOFT, r"PrimalQP inside it cannot solve a chunk"),
        (
            Decomposition(q=2),
            problems.SoftMargin(LATE, Y[:6], kernel=Precomputed()),
            r"DualQP inside it cannot solve the small problems: its kernel matrix is not positive semidefinite",
        ),
        (
            Chunking(DualQP(), size=2),
            problems.SoftMargin(LATE, Y[:6], kernel=Precomputed()),
            r"DualQP inside it cannot solve a chunk: its kernel matrix is not positive semidefinite",
        ),
        (
            ProjectedGradient(),
            problems.SoftMargin(X, Y, C=1e6, kernel=Sigmoid(gamma=2.0, coef0=-1.0), slack="squared"),
            r"its variables have no bounds",
        ),
    ],
)
def test_what_it_cannot_do_is_said_in_words(solver: Solver, problem: problems.Problem, words: str) -> None:
    with pytest.raises(InvalidInput, match=words):
        solve(problem, solver=solver)


@pytest.mark.parametrize("offset", [True, False, "penalised"])
def test_a_dual_that_rises_without_end_is_said_to(offset: bool | str) -> None:
    """Squared slack sets no bounds, and adds 1/(2C) to the diagonal: with C small enough the dual has its end."""
    K = np.array([[1.0, 3.0], [3.0, 1.0]])
    with pytest.raises(
        InvalidInput, match=r"The dual of SoftMargin rises without end: .* Use linear slack, whose C is a bound"
    ):
        solve(problems.SoftMargin(K, [-1, 1], kernel=Precomputed(), offset=offset, slack="squared"), solver="smo")
    with pytest.warns(match="INDEFINITE"):
        bounded = solve(problems.SoftMargin(K, [-1, 1], C=0.1, kernel=Precomputed(), offset=offset, slack="squared"))
    assert bounded.certificate.kkt_violation <= 1e-3


@pytest.mark.parametrize(
    ("solver", "words"),
    [
        (ProjectedGradient(step=-1.0), r"The 'step' parameter of ProjectedGradient must be 'auto' or a float"),
        (ProjectedGradient(step=100.0), r"must be below 2/‖K \+ D‖ = .* Got 100\.0 instead"),
        (ProjectedGradient(accelerated="yes"), r"The 'accelerated' parameter"),
        (Chunking(inner="smo"), r"The 'inner' parameter of Chunking must be a solver"),
        (Chunking(size=1), r"The 'size' parameter of Chunking must be an int in the range \[2, inf\)"),
        (Decomposition(q=1), r"The 'q' parameter of Decomposition must be an int in the range \[2, inf\)"),
    ],
)
def test_bad_settings_are_named(solver: Any, words: str) -> None:
    with pytest.raises(InvalidInput, match=words):
        solve(SOFT, solver=solver)


def test_linear_gradient_steps_form_no_kernel_matrix() -> None:
    """20 000 rows: K would take 3.2 GB."""
    rng = np.random.default_rng(1)
    many = rng.normal(size=(20_000, 3))
    problem = problems.SoftMargin(many, many[:, 0] + 0.1 * rng.normal(size=20_000) > 0, C=1e-4, kernel=Linear(), offset=False)
    solution = solve(problem, solver=ProjectedGradient(), tol=1e-2)
    assert solution.status is Status.CONVERGED


@pytest.mark.parametrize("offset", [False, "penalised"])
def test_sparse_rows_and_signs(offset: Any) -> None:
    dense = problems.SoftMargin(X, Y, kernel=Linear(), offset=offset)
    thin = problems.SoftMargin(sparse.csr_matrix(X), Y, kernel=Linear(), offset=offset)
    for solver in (PrimalQP(), ProjectedGradient(accelerated=True)):
        a, b = (solve(problem, solver=solver, tol=1e-4) for problem in (dense, thin))
        assert a.certificate.dual_objective == pytest.approx(b.certificate.dual_objective, rel=1e-4)


def test_one_row_as_nearest_point_has_its_offset() -> None:
    """The only support vector of a class is on its margin, by every solver."""
    rows, labels = [[0.0, 0.0], [-5.0, 0.0], [4.0, 3.0], [4.0, -3.0]], [0, 0, 1, 1]
    for name in NAMES:
        solution = solve(problems.HardMargin(rows, labels, kernel=Linear()), solver=name, tol=1e-4)
        assert solution.bias == pytest.approx(-1.0, abs=1e-3)
        assert solution.certificate.gap <= 1e-3
