"""Searches that begin with something: from its own optimum nothing is left to do, from a neighbour's less than from nothing."""

from __future__ import annotations

import warnings
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris

from maxmargin import _core, problems, solve
from maxmargin._solve import solve_batch
from maxmargin.errors import InvalidInput
from maxmargin.kernels import RBF, Linear
from maxmargin.solution import Progress, Status
from maxmargin.solvers import Coefficients, ProjectedGradient, beginning, starting_point

X, y = load_breast_cancer(return_X_y=True)
X = (X - X.mean(axis=0)) / X.std(axis=0)
D, t = load_diabetes(return_X_y=True)
IRIS, k = load_iris(return_X_y=True)
APART = (X[:, 0] + X[:, 1]) * (2 * y - 1) < -0.5  # separable

DUAL: dict[str, Any] = {
    "soft margin": problems.SoftMargin(X, y, C=10.0),
    "squared slack": problems.SoftMargin(X, y, C=10.0, slack="squared"),
    "without offset": problems.SoftMargin(X, y, C=10.0, offset=False),
    "hard margin": problems.HardMargin(X[APART], y[APART]),
    "hard margin without offset": problems.HardMargin(X[APART], y[APART], offset=False),
    "nu classification": problems.NuClassification(X, y, nu=0.2),
    "tube": problems.EpsilonRegression(D, t, C=10.0, epsilon=5.0),
    "nu tube": problems.NuRegression(D, t, C=10.0, nu=0.4),
    "one class": problems.OneClass(X, nu=0.1),
    "ball": problems.DataDescription(X, nu=0.1),
}
PRIMAL: dict[str, Any] = {
    "hinge": problems.PrimalProblem(X, y),
    "squared hinge": problems.PrimalProblem(X, y, loss="squared_hinge"),
    "logistic": problems.PrimalProblem(X, y, loss="logistic"),
    "logistic, far from 0": problems.PrimalProblem(X + 1e4, y, loss="logistic"),
    "logistic, L1": problems.PrimalProblem(X, y, loss="logistic", penalty="l1"),
    "tube": problems.PrimalProblem(D, t / 100.0, loss="epsilon_insensitive"),
}
CLASSES: dict[str, Any] = {
    "multinomial": problems.MulticlassLinear(IRIS, k),
    "joint": problems.MulticlassLinear(IRIS, k, loss="joint"),
}
NOISE, colours = np.random.default_rng(0).normal(size=(300, 4)), np.random.default_rng(1).integers(0, 3, 300)
UNPENALISED: dict[str, Any] = {
    "multinomial, free offsets": problems.MulticlassLinear(NOISE, colours, penalty=None),
    "multinomial, no offsets": problems.MulticlassLinear(NOISE, colours, penalty=None, offset=None),
    "multinomial, two features": problems.MulticlassLinear(IRIS[:, :2], k, penalty=None, offset=None),
    "logistic": problems.PrimalProblem(NOISE, colours > 0, loss="logistic", penalty=None),
    "squared hinge": problems.PrimalProblem(NOISE, colours > 0, loss="squared_hinge", penalty=None),
}


@pytest.mark.parametrize("name", DUAL)
def test_from_its_own_optimum_at_most_ten_steps_are_left(name: str) -> None:
    first = solve(DUAL[name])
    again = solve(DUAL[name], start=first)
    assert again.steps <= 10
    assert again.status is first.status
    assert again.certificate.primal_objective == pytest.approx(first.certificate.primal_objective, rel=1e-9)
    assert again.certificate.relative_gap <= max(first.certificate.relative_gap * (1 + 1e-6), 1e-9)


@pytest.mark.parametrize("problem", [*PRIMAL.values(), *CLASSES.values()], ids=[*PRIMAL, *CLASSES])
def test_from_its_own_optimum_at_most_one_round_is_left(problem: Any) -> None:
    first = solve(problem)
    again = solve(problem, start=first)
    assert again.steps <= 1
    assert again.status is first.status
    assert again.certificate.primal_objective == pytest.approx(first.certificate.primal_objective, rel=1e-9)


@pytest.mark.parametrize("name", UNPENALISED)
def test_without_a_penalty_the_one_round_keeps_the_certificate(name: str) -> None:
    first = solve(UNPENALISED[name])
    again = solve(UNPENALISED[name], start=first)
    assert again.steps <= 1
    assert first.status is again.status is Status.CONVERGED
    assert again.certificate.primal_objective == pytest.approx(first.certificate.primal_objective, rel=1e-12)
    assert again.certificate.relative_gap <= max(first.certificate.relative_gap, 1e-13)
    np.testing.assert_allclose(again.weights, first.weights, atol=1e-10)


@pytest.mark.parametrize("offset", [True, False])
def test_the_joint_problem_from_its_own_optimum(offset: bool) -> None:
    problem = problems.CrammerSinger(IRIS, k, offset=offset)
    first = solve(problem)
    again = solve(problem, start=first)
    assert again.steps <= 10
    assert again.status is first.status
    np.testing.assert_allclose(again.decision_function(IRIS), first.decision_function(IRIS), atol=1e-6)


@pytest.mark.parametrize("C", [0.1, 10.0, np.inf])
@pytest.mark.parametrize("offset", [True, False])
def test_coefficients_are_a_start_of_the_joint_problem_too(offset: bool, C: float) -> None:
    problem = problems.CrammerSinger(IRIS, k, C=C, offset=offset)
    first = solve(problem)
    beta = np.zeros((150, 3))
    beta[first.support] = 2.0 * first.coefficients
    again = solve(problem, start=beta)
    assert again.steps <= 10
    assert again.status is first.status
    assert again.certificate.primal_objective == pytest.approx(first.certificate.primal_objective, rel=1e-9)
    wild = solve(problem, start=100.0 * np.random.default_rng(0).normal(size=(150, 3)))
    assert wild.status is Status.CONVERGED
    assert wild.certificate.primal_objective == pytest.approx(first.certificate.primal_objective, rel=2e-3)


@pytest.mark.parametrize("size", [1e-3, 1.0, 1e6])
def test_each_row_of_joint_coefficients_becomes_the_nearest_that_is_feasible(size: float) -> None:
    weight = np.random.default_rng(1).uniform(0.1, 2.0, size=150)
    problem = problems.CrammerSinger(IRIS, k, C=2.0, sample_weight=weight)
    given = size * np.random.default_rng(2).normal(size=(150, 3))
    room = problem.room
    found = starting_point(problem, given).beta
    near = 1e-13 * size
    assert (found <= room + near).all()
    assert np.abs(found.sum(axis=1)).max() <= 10.0 * near
    # The rest, given − found, is one number in all coefficients below their bounds, and no less than that in the others.
    rest = given - found
    below = found < room - near
    level = np.where(below, rest, -np.inf).max(axis=1, keepdims=True)
    assert np.abs(np.where(below, rest - level, 0.0)).max() <= 10.0 * near
    assert (rest >= level - 10.0 * near).all()
    np.testing.assert_array_equal(starting_point(problem, found).beta, found)


@pytest.mark.parametrize("factor", [0.5, 1.3, 4.0])
def test_another_price_leads_to_the_same_answer_as_from_nothing(factor: float) -> None:
    first = solve(problems.SoftMargin(X, y, C=10.0), tol=1e-8)
    other = problems.SoftMargin(X, y, C=10.0 * factor)
    warm, cold = solve(other, start=first, tol=1e-8), solve(other, tol=1e-8)
    assert warm.certificate.primal_objective == pytest.approx(cold.certificate.primal_objective, rel=1e-9)
    np.testing.assert_allclose(warm.decision_function(X[:20]), cold.decision_function(X[:20]), atol=1e-5)
    assert warm.steps < cold.steps


def test_a_path_of_prices_takes_fewer_steps() -> None:
    steps, start = {"warm": 0, "cold": 0}, None
    for C in np.logspace(-2, 3, 12):
        problem = problems.SoftMargin(X, y, C=C, kernel=RBF(gamma=0.03))
        start = solve(problem, start=start)
        steps["warm"] += start.steps
        steps["cold"] += solve(problem).steps
    assert steps["warm"] < 0.6 * steps["cold"]


def test_another_kernel_parameter() -> None:
    first = solve(problems.SoftMargin(X, y, C=10.0, kernel=RBF(gamma=0.03)))
    other = problems.SoftMargin(X, y, C=10.0, kernel=RBF(gamma=0.04))
    warm, cold = solve(other, start=first), solve(other)
    assert warm.certificate.primal_objective == pytest.approx(cold.certificate.primal_objective, rel=2e-3)


@pytest.mark.parametrize("loss", ["hinge", "squared_hinge", "logistic"])
def test_linear_models_at_another_price(loss: str) -> None:
    first = solve(problems.PrimalProblem(X, y, loss=loss, C=1.0))
    other = problems.PrimalProblem(X, y, loss=loss, C=3.0)
    warm, cold = solve(other, start=first), solve(other)
    assert warm.certificate.primal_objective == pytest.approx(cold.certificate.primal_objective, rel=2e-3)
    assert warm.steps <= cold.steps


@pytest.mark.parametrize("offset", ["free", "penalised", None])
def test_near_the_optimum_the_last_round_is_saved(offset: str | None) -> None:
    """Multipliers that Newton's system predicts are second-order near; slopes of the same weights are not."""
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(8000, 20)) * np.geomspace(0.1, 10.0, 20)  # badly scaled: slopes see the curvature
    labels = rows @ (rng.normal(size=20) / np.geomspace(0.1, 10.0, 20)) + rng.logistic(size=8000) > 0.5
    first = solve(problems.PrimalProblem(rows, labels, loss="logistic", C=10.0, offset=offset), tol=1e-4)
    again = problems.PrimalProblem(rows, labels, loss="logistic", C=30.0, offset=offset)
    cold, warm = solve(again, tol=1e-6), solve(again, tol=1e-6, start=first)
    assert warm.status is Status.CONVERGED
    assert warm.steps == 1 < cold.steps
    assert warm.certificate.primal_objective <= cold.certificate.primal_objective * (1.0 + 1e-6)
    # the search's own bound is the certificate's: rows whose multipliers are cut at their bounds included
    assert warm.trace.gap[-1] == pytest.approx(warm.certificate.gap, rel=1e-3, abs=1e-9 * warm.certificate.primal_objective)


@pytest.mark.parametrize("weight", [1.0, 1e-8, 1e8])
def test_the_bound_of_logistic_multipliers_has_all_digits(weight: float) -> None:
    """Gains of rows that are sure, and of such that are not, beside the formula in long double."""
    rng = np.random.default_rng(1)
    rows = rng.normal(size=(9001, 3)) * np.array([30.0, 1.0, 1e-3])  # multipliers from 1e-30 C to C
    labels = rows[:, 0] + rng.logistic(size=9001) > 0.0
    found = solve(problems.PrimalProblem(rows, labels, loss="logistic", C=weight), tol=1e-5)
    q = found.alpha.astype(np.longdouble) / weight
    sides = (rows.astype(np.longdouble) * (q * np.where(labels, 1.0, -1.0))[:, None]).sum(axis=0) * weight
    gain = -weight * sum(np.where(p > 0, p * np.log(np.where(p > 0, p, 1.0)), 0.0).sum() for p in (q, 1.0 - q))
    assert -found.trace.checkpoints["objective"][-1] == pytest.approx(float(gain - 0.5 * (sides**2).sum()), rel=1e-12)


def test_coefficients_of_all_rows_are_projected() -> None:
    problem = problems.SoftMargin(X, y, C=10.0)
    cold = solve(problem)
    beta = np.zeros(len(y))
    beta[cold.support] = cold.beta
    assert solve(problem, start=beta).steps <= 10
    rng = np.random.default_rng(0)
    wild = solve(problem, start=100.0 * rng.normal(size=len(y)))
    assert wild.certificate.primal_objective == pytest.approx(cold.certificate.primal_objective, rel=2e-3)


def test_weights_are_a_start_too() -> None:
    problem = problems.PrimalProblem(X, y, loss="logistic", offset=None)
    cold = solve(problem)
    assert solve(problem, start=cold.weights).steps <= 1
    several = problems.MulticlassLinear(IRIS, k, offset=None)
    best = solve(several)
    assert solve(several, start=best.weights).steps <= 1


@pytest.mark.parametrize("solver", ["smo", "projected_gradient", "chunking", "decomposition"])
def test_dual_solvers_that_step_take_a_start(solver: str) -> None:
    problem = problems.SoftMargin(IRIS[:100], k[:100], C=1.0, kernel=Linear())
    first = solve(problem)
    again = solve(problem, solver=solver, start=first)
    assert again.certificate.primal_objective == pytest.approx(first.certificate.primal_objective, rel=1e-3)


@pytest.mark.parametrize(
    ("problem", "start", "message"),
    [
        (DUAL["soft margin"], np.zeros(3), r"a Solution, or coefficients of shape \(569,\). Got an array of shape \(3,\)"),
        (DUAL["soft margin"], np.full(569, np.nan), "A start must be finite"),
        (DUAL["soft margin"], "near 0", "Got an object of type 'str'"),
        (PRIMAL["hinge"], np.zeros(3), r"a LinearSolution, or weights of shape \(30,\)"),
        (CLASSES["joint"], np.zeros(3), r"a MulticlassSolution, or weights of shape \(3, 4\)"),
        (
            problems.CrammerSinger(IRIS, k),
            np.zeros(3),
            r"a CrammerSingerSolution, or coefficients of shape \(150, 3\). Got an array of shape \(3,\)",
        ),
        (problems.CrammerSinger(IRIS, k), np.full((150, 3), np.inf), "A start must be finite"),
        (problems.CrammerSinger(IRIS, k), solve(CLASSES["joint"]), "Got an object of type 'MulticlassSolution'"),
    ],
)
def test_a_bad_start_says_what_is_wrong(problem: Any, start: Any, message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        solve(problem, start=start)


def test_a_start_of_other_rows_is_refused() -> None:
    first = solve(problems.SoftMargin(X[:100], y[:100]))
    with pytest.raises(InvalidInput, match="a problem with 100 rows, and this one has 569"):
        solve(DUAL["soft margin"], start=first)
    joint = solve(problems.CrammerSinger(IRIS, k))
    with pytest.raises(InvalidInput, match="150 rows of 3 classes, and this one has 140 rows of 3"):
        solve(problems.CrammerSinger(IRIS[:140], k[:140]), start=joint)
    with pytest.raises(InvalidInput, match="other labels"):
        solve(problems.CrammerSinger(IRIS, 2 - k), start=joint)


@pytest.mark.parametrize("solver", ["dual_qp", "primal_qp", "kernel_subgradient"])
def test_other_dual_solvers_say_that_they_cannot(solver: str) -> None:
    problem = problems.SoftMargin(IRIS[:100], k[:100], C=1.0, kernel=Linear())
    with pytest.raises(InvalidInput, match="cannot begin at a given point"):
        solve(problem, solver=solver, start=np.zeros(100))


def test_every_subproblem_reports_its_own_number(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("maxmargin.solvers._dual._watch._BETWEEN_CALLS", 0.0)
    parts = [problems.SoftMargin(X[i::3], y[i::3], C=1e4, kernel=Linear()) for i in range(3)]
    seen: set[int] = set()

    def callback(progress: Progress) -> bool:
        seen.add(progress.subproblem)
        return False

    solve_batch(parts, ProjectedGradient(), 1e-9, 20, None, callback=callback)
    assert seen == {0, 1, 2}


def test_a_callback_stops_all_subproblems_and_is_no_ctrl_c() -> None:
    parts = [problems.PrimalProblem(X, np.roll(y, i), loss="logistic") for i in range(3)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = solve_batch(parts, "gradient_descent", 1e-12, -1, None, callback=lambda progress: True)
    assert [each.status for each in found] == [Status.INTERRUPTED] * 3


@pytest.mark.parametrize(
    ("penalty", "name"), [({"penalty": "l1"}, "LinearProgram"), ({"penalty": "ball", "B": 1.0}, "BallSearch")]
)
def test_a_solver_that_cannot_says_so_even_at_the_optimum(penalty: dict[str, Any], name: str) -> None:
    problem = problems.PrimalProblem(X, y, **penalty)
    first = solve(problem)
    assert first.solver == name
    for start in (first, replace(first, weights=first.weights + 1.0), first.weights):
        with pytest.raises(InvalidInput, match=f"{name} cannot begin at a given point. Leave out start"):
            solve(problem, start=start)
    with pytest.raises(InvalidInput, match="MulticlassDescent cannot begin at a given point"):
        solve(CLASSES["joint"], solver="coordinate_descent", start=np.zeros((3, 4)))


@pytest.mark.parametrize("factor", [1.0, 1.0 + 1e-12, 1.7, 100.0])
@pytest.mark.parametrize("C", [0.02, 1.0, 1e4])
def test_the_core_begins_a_soft_margin_where_the_projection_would(C: float, factor: float) -> None:
    first = solve(problems.SoftMargin(X, y, C=C))
    signs, gram = np.where(y == 1, 1.0, -1.0), RBF().bind(X).gram(X)
    parts = problems.LabelledParts(None, signs, [len(y)])
    margins = problems.SoftMargins(gram, parts, np.full(len(y), factor * C))
    assert first.kkt_data is not None
    held = Coefficients(first.support, first.beta, first.kkt_data.cost[: len(first.support)])
    assert _core.continued(margins.batch, *held) is not None
    found, expected = beginning(margins, [held]), beginning([margins[0]], [held])
    size = float(np.abs(expected.beta).max())
    np.testing.assert_allclose(found.beta, expected.beta, rtol=0, atol=1e-15 * size)
    np.testing.assert_allclose(found.scores, expected.scores, rtol=0, atol=1e-13 * float(np.abs(expected.beta).sum()))
    assert found.origin is expected.origin


def test_the_core_leaves_what_must_be_projected() -> None:
    first, signs = solve(DUAL["soft margin"]), np.where(y == 1, 1.0, -1.0)
    gram, parts = RBF().bind(X).gram(X), problems.LabelledParts(None, signs, [len(y)])
    assert first.kkt_data is not None
    cost = first.kkt_data.cost[: len(first.support)]
    margins = problems.SoftMargins(gram, parts, np.full(len(y), 20.0))
    assert _core.continued(margins.batch, first.support, first.beta, cost) is not None
    off = first.beta.copy()
    off[0] *= 1.5  # the sum is no longer 0
    assert _core.continued(margins.batch, first.support, off, cost) is None
    assert _core.continued(margins.batch, first.support, first.beta, np.full(len(cost), np.inf)) is None
    uneven = problems.SoftMargins(gram, parts, np.linspace(20.0, 30.0, len(y)))
    assert _core.continued(uneven.batch, first.support, first.beta, cost) is None
    smaller = problems.SoftMargins(gram, parts, np.full(len(y), 5.0))
    assert _core.continued(smaller.batch, first.support, first.beta, cost) is None
    assert (np.abs(beginning(smaller, [Coefficients(first.support, first.beta, cost)]).beta) <= 5.0).all()
    for rows, beta in ((first.support + len(y), first.beta), (first.support, first.beta[1:])):
        with pytest.raises(ValueError, match=r"row of support|for each row"):
            _core.continued(margins.batch, rows.astype(np.int32), beta, cost)
    with pytest.raises(ValueError, match="Only one soft margin"):
        _core.continued(problems.dual_batch([DUAL["squared slack"].dual]), first.support, first.beta, cost)
