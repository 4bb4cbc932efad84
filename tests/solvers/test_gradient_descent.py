"""Gradient descent: the fourth text's steps, the safe step, and what is said of steps that are too long."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.linear_model import LogisticRegression as Reference

from maxmargin import solve
from maxmargin.errors import ConvergenceWarning, FitInterrupted, InvalidInput
from maxmargin.problems import PrimalProblem
from maxmargin.solution import Progress, Status
from maxmargin.solvers import GradientDescent, LinearNewton
from maxmargin.solvers._primal._gradient_descent import _curvature, _Progress
from maxmargin.solvers._primal._multipliers import second_moment

RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 3))
Y = np.where(X[:, 0] + 0.8 * RNG.normal(size=60) > 0, 1, 0)
SMOOTH = ["squared_hinge", "logistic", "exponential", "squared", "squared_epsilon_insensitive"]


def quietly(problem: PrimalProblem, **settings: Any) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return solve(problem, **settings)


def hessian(problem: PrimalProblem, w: Any, b: float) -> Any:
    """By differences of the gradient."""
    point, d = np.append(w, b), len(w)

    def gradient(u: Any) -> Any:
        return np.append(*problem.gradient(u[:d], float(u[d])))

    columns = [(gradient(point + h) - gradient(point - h)) / 2e-5 for h in 1e-5 * np.eye(d + 1)]
    return np.array(columns)


@pytest.mark.parametrize("steps", [1, 2, 25])
def test_the_steps_are_the_fourth_texts(steps: int) -> None:
    """``w ← w − ε Σ (h(x_k) − c_k) x̃_k`` from a start near 0, b as the weight of a feature 1."""
    epsilon, extended = 0.02, np.column_stack([X, np.ones(60)])
    w = 0.01 * np.random.default_rng(5).standard_normal(4)
    for _ in range(steps):
        w = w - epsilon * (1.0 / (1.0 + np.exp(-extended @ w)) - Y) @ extended
    problem = PrimalProblem(X, Y, loss="logistic", penalty=None)
    solution = quietly(problem, solver=GradientDescent(step=epsilon, seed=5), tol=1e-12, max_iter=steps)
    assert solution.steps == steps
    np.testing.assert_allclose(np.append(solution.weights, solution.bias), w, rtol=1e-10)


@pytest.mark.parametrize("offset", [None, "free", "penalised"])
@pytest.mark.parametrize("penalty", ["l2", None])
@pytest.mark.parametrize("loss", SMOOTH)
def test_the_automatic_step_never_rises(loss: str, penalty: str | None, offset: str | None) -> None:
    scale = 2.5 if offset == "penalised" else 1.0
    problem = PrimalProblem(3.0 * X, Y, loss=loss, penalty=penalty, offset=offset, C=0.7, offset_scale=scale)
    solution = quietly(problem, solver="gradient_descent", tol=1e-9, max_iter=300)
    values = solution.objectives
    assert len(values) > 2
    assert (np.diff(values) <= 1e-9 * values[:-1]).all()


@pytest.mark.parametrize("loss", ["logistic", "squared_hinge", "exponential"])
def test_the_curvature_is_bounded(loss: str) -> None:
    problem = PrimalProblem(X, Y, loss=loss, C=0.7)
    bound = _curvature(problem, np.zeros(3), 0.0)
    assert bound <= 40 * np.linalg.eigvalsh(hessian(problem, np.zeros(3), 0.0))[-1]
    w, b = np.zeros(3), 0.0
    for _ in range(20):  # along the way of the descent, where the exponential loss is bounded too
        assert np.linalg.eigvalsh(hessian(problem, w, b))[-1] <= bound * (1 + 1e-6)
        in_w, in_b = problem.gradient(w, b)
        w, b = w - in_w / bound, b - in_b / bound


def test_the_quarter_is_attained() -> None:
    """At 0 the logistic loss has its largest curvature, ¼: there the bound is the Hessian's eigenvalue."""
    problem = PrimalProblem(X, Y, loss="logistic", C=3.0)
    top = np.linalg.eigvalsh(hessian(problem, np.zeros(3), 0.0))[-1]
    assert _curvature(problem, np.zeros(3), 0.0) == pytest.approx(top, rel=0.02)  # 1 for the penalty, also of b, which has none


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_matrix])
def test_wide_rows_by_power_iteration(form: Any) -> None:
    wide = RNG.normal(size=(50, 600)) * np.where(RNG.random((50, 600)) < 0.3, 1.0, 0.0)
    labels = RNG.integers(0, 2, 50)
    problem = PrimalProblem(form(wide), labels, loss="logistic")
    extended = np.column_stack([wide, np.ones(50)])
    exact = 1.0 + 0.25 * np.linalg.norm(extended, 2) ** 2
    assert 0.9 * exact <= _curvature(problem, np.zeros(600), 0.0) <= exact * (1 + 1e-9)


@pytest.mark.parametrize("offset", [None, "free", "penalised"])
@pytest.mark.parametrize("loss", ["logistic", "squared_hinge"])
def test_the_optimum_is_newtons(loss: str, offset: str | None) -> None:
    problem = PrimalProblem(X, Y, loss=loss, C=0.5, offset=offset)
    found, exact = (solve(problem, solver=solver, tol=1e-8) for solver in (GradientDescent(), LinearNewton()))
    assert found.status is Status.CONVERGED
    assert found.certificate.primal_objective == pytest.approx(exact.certificate.primal_objective, rel=2e-8)
    np.testing.assert_allclose(found.weights, exact.weights, atol=1e-3)


def test_maximum_likelihood_without_penalty() -> None:
    problem = PrimalProblem(X, Y, loss="logistic", penalty=None)
    found = solve(problem, solver=GradientDescent(), tol=1e-10)
    other = Reference(C=np.inf, tol=1e-12, max_iter=1000).fit(X, Y)
    assert found.status is Status.CONVERGED
    np.testing.assert_allclose(found.weights, other.coef_[0], atol=1e-4)
    assert found.bias == pytest.approx(other.intercept_[0], abs=1e-4)


@pytest.mark.parametrize("loss", ["exponential", "squared", "squared_epsilon_insensitive"])
def test_other_smooth_losses_have_a_small_gradient_at_the_end(loss: str) -> None:
    problem = PrimalProblem(X, Y, loss=loss, C=0.5)
    found = solve(problem, solver=GradientDescent(), tol=1e-8)
    in_w, in_b = problem.gradient(found.weights, found.bias)
    assert max(np.abs(in_w).max(), abs(in_b)) <= 1e-2


def test_the_texts_bound_of_1_is_not_enough() -> None:
    """ε = 1 on sixty plain rows: the steps swing to and fro for ever. The automatic step comes to the optimum."""
    problem = PrimalProblem(X, Y, loss="logistic", penalty=None)
    with pytest.warns(
        ConvergenceWarning, match=r"DIVERGED: the steps were too long: .*Take the automatic step or a shorter one"
    ):
        solution = solve(problem, solver=GradientDescent(step=1.0))
    assert solution.status is Status.DIVERGED
    assert solve(problem, solver=GradientDescent()).status is Status.CONVERGED


@pytest.mark.parametrize("loss", SMOOTH)
def test_steps_that_run_off_are_said(loss: str) -> None:
    problem = PrimalProblem(100.0 * X, Y, loss=loss)
    solution = quietly(problem, solver=GradientDescent(step=10.0))
    assert solution.status is Status.DIVERGED
    assert np.isfinite(solution.weights).all()
    assert np.isfinite(solution.certificate.primal_objective)


@settings(max_examples=30, deadline=None)
@given(factor=st.floats(0.05, 1.95), seed=st.integers(0, 1000), C=st.sampled_from([0.01, 1.0, 100.0]))
def test_every_step_below_two_over_L_descends(factor: float, seed: int, C: float) -> None:
    rng = np.random.default_rng(seed)
    rows, labels = rng.normal(size=(20, 2)), np.arange(20) % 2
    problem = PrimalProblem(rows, labels, loss="logistic", C=C)
    step = factor / _curvature(problem, np.zeros(2), 0.0)
    solution = quietly(problem, solver=GradientDescent(step=step, seed=seed), tol=1e-12, max_iter=50)
    values = solution.objectives
    assert (np.diff(values) <= 1e-9 * values[:-1]).all()


def test_separable_rows_without_penalty_have_no_minimum() -> None:
    for loss in ("logistic", "exponential"):
        problem = PrimalProblem([[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1], loss=loss, penalty=None)
        with pytest.warns(ConvergenceWarning, match="SEPARABLE"):
            assert solve(problem, solver=GradientDescent()).status is Status.SEPARABLE


@pytest.mark.parametrize("limit", [{"max_iter": 0}, {"max_iter": 7}, {"max_time": 1e-9}])
def test_limits_are_kept(limit: dict[str, Any]) -> None:
    name = "ITERATION_LIMIT" if "max_iter" in limit else "TIME_LIMIT"
    with pytest.warns(ConvergenceWarning, match=name):
        solution = solve(PrimalProblem(X, Y, loss="logistic", C=100.0), solver=GradientDescent(), tol=1e-12, **limit)
    assert solution.status.name == name
    assert solution.steps == limit.get("max_iter", 0)


@pytest.mark.parametrize(("swing", "status"), [(0.0, Status.STALLED), (1e-12, Status.STALLED), (0.1, Status.DIVERGED)])
def test_a_thousand_steps_without_gain_are_the_end(swing: float, status: Status) -> None:
    progress = _Progress()
    said = [progress.see(1.0 + swing * (k % 2 or k > 1000)) for k in range(1002)]
    assert said[:-1] == [None] * 1001
    assert said[-1] is status


def test_it_can_be_stopped_watched_and_interrupted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("maxmargin.solvers._primal._watch._BETWEEN_CALLS", 0.0)
    problem = PrimalProblem(X, Y, loss="logistic", C=100.0)

    def enough(progress: Progress) -> bool:
        return progress.steps >= 5

    def pressed(progress: Progress) -> bool:
        if progress.steps == 15:
            raise KeyboardInterrupt
        return False

    with pytest.warns(ConvergenceWarning, match="INTERRUPTED"):
        assert solve(problem, solver=GradientDescent(), tol=1e-12, callback=enough).steps == 5
    with pytest.raises(FitInterrupted) as caught:
        solve(problem, solver=GradientDescent(), tol=1e-12, callback=pressed)
    assert caught.value.solution.status is Status.INTERRUPTED


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: GradientDescent(step=0.0), r"The 'step' parameter of GradientDescent must be 'auto' or a float .* Got 0\.0"),
        (lambda: GradientDescent(step="long"), r"must be 'auto' or a float in the range \(0\.0, inf\)\. Got 'long'"),
        (lambda: GradientDescent(seed=-1), r"The 'seed' parameter of GradientDescent must be an int"),
        (lambda: solve(PrimalProblem(X, Y), GradientDescent()), r"it needs a smooth loss, and this one is Hinge\(\)"),
        (lambda: solve(PrimalProblem(X, Y, loss="zero_one"), GradientDescent()), r"it needs a smooth loss"),
    ],
)
def test_what_cannot_be_is_said_in_words(make: Any, words: str) -> None:
    with pytest.raises(InvalidInput, match=words):
        make()


@pytest.mark.parametrize("name", ["newton", "coordinate_descent", "gradient_descent", "stochastic_subgradient"])
def test_the_objectives_on_the_way_end_at_the_certificates(name: str) -> None:
    problem = PrimalProblem(X, Y, loss="logistic" if name == "gradient_descent" else "squared_hinge", C=0.1, offset="penalised")
    # sweeps look at the objectives when they may be done: at a usual tolerance that is once
    settings = {"stochastic_subgradient": {"max_iter": 200}, "coordinate_descent": {"tol": 1e-10}}.get(name, {})
    solution = quietly(problem, solver=name, **settings)
    assert len(solution.objectives) == len(solution.trace)
    assert solution.objectives[-1] == pytest.approx(solution.certificate.primal_objective)
    known = solution.objectives[solution.trace.objective != 0.0]
    assert len(known) >= 2
    assert (known >= solution.certificate.dual_objective * (1 - 1e-9)).all()


@pytest.mark.parametrize("offset", [None, "free", "penalised"])
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_matrix, lambda X: X.astype(np.float32)])
def test_the_second_moment_block_by_block(form: Any, offset: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("maxmargin.solvers._primal._multipliers._BLOCK", 7)
    problem = PrimalProblem(form(X), Y, loss="logistic", offset=offset, offset_scale=2.0 if offset == "penalised" else 1.0)
    constant = {None: 0.0, "free": 1.0, "penalised": 2.0}[offset]
    extended, weight = np.column_stack([X, np.full(60, constant)]), np.arange(60.0)
    np.testing.assert_allclose(second_moment(problem, weight), extended.T @ (weight[:, None] * extended), rtol=1e-5, atol=1e-3)
