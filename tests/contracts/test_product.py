"""Every solver on every problem that the table has it support: the optimum of somebody else, and a certificate that holds."""

from __future__ import annotations

import inspect
import warnings
from functools import cache
from typing import Any

import numpy as np
import pytest
from scipy.optimize import linprog

from maxmargin import losses, problems, solve, solvers
from maxmargin.errors import ConvergenceWarning, IndefiniteKernelWarning, InvalidInput, NoMarginWarning
from maxmargin.solution import Status

from ._registry import (
    KERNELS,
    LOSSES,
    NO_MARGIN,
    PAIRS,
    PENALTIES,
    PROBLEMS,
    REASONS,
    SOLVERS,
    SUPPORTED,
    TABLE,
    Family,
    KernelCase,
    ProblemCase,
    Rows,
    SolverCase,
)

ORACLE = 1e-7
"""How near an optimum the oracles are, relative to its size."""

CONVEX = [(solver, problem, rows) for solver, problem in PAIRS if problem.optimum for rows in solver.sets(problem)]
FIRST = [(solver, problem) for solver, problem in PAIRS if problem.optimum and solver.sets(problem)]
REFUSED = [pair for pair, cell in TABLE.items() if cell != SUPPORTED]
INDEFINITE = [(solver, problem, rows) for solver, problem in PAIRS if not problem.optimum for rows in solver.sets(problem)]


def _named(value: Any) -> str:
    return str(value).replace(", ", "-")


@cache
def _optimum(problem: ProblemCase, rows: str) -> float:
    assert problem.optimum is not None
    return problem.optimum(problem.on(rows))


def _solved(solver: SolverCase, problem: ProblemCase, rows: Rows, **options: Any) -> Any:
    with warnings.catch_warnings():
        for known in (ConvergenceWarning, IndefiniteKernelWarning, NoMarginWarning):  # the status is asserted
            warnings.simplefilter("ignore", known)
        return solve(problem.pose(rows), solver=solver.solver, tol=solver.tol, max_iter=solver.max_iter, **options)


@cache
def _solution(solver: SolverCase, problem: ProblemCase, rows: str) -> Any:
    return _solved(solver, problem, problem.on(rows))


def _check(solver: SolverCase, problem: ProblemCase, solution: Any, best: float) -> None:
    """It ends as promised, near the optimum, and the optimum is between its two objectives."""
    found, size = solution.certificate, max(1.0, abs(best))
    assert solution.status in solver.ends
    assert found.primal_objective <= best + (solver.accuracy + ORACLE) * size, "too far above the optimum"
    assert found.dual_objective >= best - (solver.accuracy + ORACLE) * size, "too far below the optimum"
    assert found.primal_objective >= best - ORACLE * size, "weak duality: less than the optimum"
    assert found.dual_objective <= best + ORACLE * size, "weak duality: more than the optimum"
    assert found.gap == found.primal_objective - found.dual_objective
    assert found.gap >= -1e-12 * size
    if solution.status is Status.CONVERGED:
        promised = found.kkt_violation if problem.family is Family.DUAL else found.relative_gap
        assert promised <= solver.tol * (1 + 1e-9)


class TestTheRegistry:
    def test_every_public_solver_is_in_it(self) -> None:
        public = [each for name in solvers.__all__ if inspect.isclass(each := getattr(solvers, name))]
        able = {each for each in public if hasattr(each, "supports") and not inspect.isabstract(each)}
        assert {type(case.solver) for case in SOLVERS.values()} == able

    def test_every_public_problem_is_in_it(self) -> None:
        public = [each for name in problems.__all__ if inspect.isclass(each := getattr(problems, name))]
        posed = {each for each in public if issubclass(each, problems.Problem) and not inspect.isabstract(each)}
        posed |= {problems.CrammerSinger, problems.PrimalProblem, problems.MulticlassLinear, problems.KernelLogistic}
        assert {type(case.example) for case in PROBLEMS.values()} == posed

    def test_every_loss_and_penalty_is_in_it(self) -> None:
        public = [each for name in losses.__all__ if inspect.isclass(each := getattr(losses, name))]
        lost = {each for each in public if issubclass(each, losses.Loss) and not inspect.isabstract(each)}
        assert {type(losses.as_loss(name, owner="a test")) for name in LOSSES} == lost
        assert {penalty or "none" for penalty in PENALTIES} == {penalty.value for penalty in problems.Penalty}

    def test_the_table_has_a_cell_for_every_pair_of_a_family(self) -> None:
        pairs = {(s.name, p.name) for s in SOLVERS.values() for p in PROBLEMS.values() if s.family is p.family}
        assert set(TABLE) == pairs

    @pytest.mark.parametrize("kernel", [case for case in KERNELS if case.name in ("linear", "rbf")], ids=str)
    @pytest.mark.parametrize("offset", [True, False])
    def test_a_hard_margin_exists_where_it_says(self, kernel: KernelCase, offset: bool) -> None:
        """``y (Kβ + b) ≥ 1`` has a solution or none, by a linear program."""
        problem = PROBLEMS[f"hard margin{'' if offset else ', no offset'}, {kernel.name}"]
        for name in ("moons", "lattice", "iris", "two rows"):
            rows = problem.on(name)
            A = -rows.t[:, None] * np.column_stack([kernel.reference(rows.X, rows.X), np.full(len(rows.t), float(offset))])
            found = linprog(np.zeros(A.shape[1]), A, -np.ones(len(A)), bounds=(None, None))
            assert found.success != ((problem.name, name) in NO_MARGIN)


@pytest.mark.parametrize("solver", SOLVERS.values(), ids=_named)
def test_support_is_what_the_table_says(solver: SolverCase) -> None:
    reasons = {
        name: solver.solver.supports(problem.example) for name, problem in PROBLEMS.items() if problem.family is solver.family
    }
    table = {problem: cell for (name, problem), cell in TABLE.items() if name == solver.name}
    assert {name for name, reason in reasons.items() if reason is None} == {name for name in table if table[name] == SUPPORTED}
    refused = {name: REASONS[cell] for name, cell in table.items() if cell != SUPPORTED}
    assert {name: reasons[name] for name, words in refused.items() if words not in str(reasons[name])} == {}


REFUSING = {solver: [PROBLEMS[problem] for name, problem in REFUSED if name == solver] for solver, _ in REFUSED}


@pytest.mark.parametrize("solver", REFUSING)
def test_solve_refuses_what_is_not_supported(solver: str) -> None:
    """With the names of both, and the reason."""
    for problem in REFUSING[solver]:
        posed, kind = problem.example, type(SOLVERS[solver].solver).__name__
        with pytest.raises(InvalidInput) as error:
            solve(posed, solver=SOLVERS[solver].solver)
        assert str(error.value).startswith(f"{kind} cannot solve {type(posed).__name__}: ")
        assert REASONS[TABLE[solver, problem.name]] in str(error.value)


FOREIGN = [(solver, family) for solver in SOLVERS.values() for family in Family if family is not solver.family]


@pytest.mark.parametrize(("solver", "family"), FOREIGN, ids=_named)
def test_problems_of_other_families_are_refused(solver: SolverCase, family: Family) -> None:
    other = next(problem for problem in PROBLEMS.values() if problem.family is family)
    with pytest.raises(InvalidInput, match=type(solver.solver).__name__):
        solve(other.example, solver=solver.solver)


@pytest.mark.parametrize(("solver", "problem", "rows"), CONVEX, ids=_named)
def test_the_optimum_and_its_certificate(solver: SolverCase, problem: ProblemCase, rows: str) -> None:
    solution = _solution(solver, problem, rows)
    _check(solver, problem, solution, _optimum(problem, rows))
    assert len(solution.trace) >= 1
    assert solution.trace.steps[-1] <= solution.steps
    seen = solution.trace.objective
    assert not solver.rises or np.diff(seen).min(initial=0.0) >= -1e-13 * max(1.0, float(np.abs(seen).max()))


@pytest.mark.parametrize(("solver", "problem", "rows"), INDEFINITE, ids=_named)
def test_an_indefinite_kernel_has_no_gap(solver: SolverCase, problem: ProblemCase, rows: str) -> None:
    """A stationary point is all that can be found, and nobody calls it the optimum."""
    solution = _solution(solver, problem, rows)
    assert solution.status in solver.astray
    assert np.isnan(solution.certificate.gap)
    assert (solution.status is Status.INDEFINITE) == (solution.certificate.kkt_violation <= solver.tol)


def _changed(problem: ProblemCase, rows: Rows) -> Rows:
    """Every row twice at half its C, in another order, with labels swapped or targets mirrored."""
    order = np.random.default_rng(0).permutation(2 * len(rows.t))
    return Rows(np.tile(rows.X, (2, 1))[order], problem.mirror(np.tile(rows.t, 2)[order]), 0.5 * np.tile(rows.u, 2)[order])


@pytest.mark.parametrize(("solver", "problem"), FIRST, ids=_named)
def test_what_does_not_change_the_optimum(solver: SolverCase, problem: ProblemCase) -> None:
    """The laws one by one, on the engine, are in ``test_formulation_invariances``."""
    rows = solver.sets(problem)[0]
    _check(solver, problem, _solved(solver, problem, _changed(problem, problem.on(rows))), _optimum(problem, rows))


STARTING = [pair for pair in FIRST if pair[0].left is not None]


@pytest.mark.parametrize(("solver", "problem"), STARTING, ids=_named)
def test_from_its_own_optimum_nothing_is_left_to_do(solver: SolverCase, problem: ProblemCase) -> None:
    rows = solver.sets(problem)[0]
    first = _solution(solver, problem, rows)
    again = _solved(solver, problem, problem.on(rows), start=first)
    assert solver.left is not None
    assert again.steps <= solver.left
    _check(solver, problem, again, _optimum(problem, rows))


NOT_STARTING = [pair for pair in FIRST if pair[0].left is None]
POINTS = {
    Family.DUAL: lambda rows: np.zeros(len(rows.t)),
    Family.LINEAR: lambda rows: np.ones(rows.X.shape[1]),
    Family.CLASSES: lambda rows: np.ones((len(np.unique(rows.t)), rows.X.shape[1])),
}


@pytest.mark.parametrize(("solver", "problem"), NOT_STARTING, ids=_named)
def test_who_cannot_begin_at_a_point_says_so(solver: SolverCase, problem: ProblemCase) -> None:
    name = solver.sets(problem)[0]
    rows = problem.on(name)
    for start in (POINTS[solver.family](rows), _solution(solver, problem, name)):  # also its own answer
        with pytest.raises(InvalidInput, match=f"{type(solver.solver).__name__} cannot begin at a given point"):
            _solved(solver, problem, rows, start=start)


@pytest.mark.parametrize("solver", SOLVERS.values(), ids=_named)
def test_the_registry_knows_who_can_begin_at_a_point(solver: SolverCase) -> None:
    assert solver.solver.takes_start is (solver.left is not None)
