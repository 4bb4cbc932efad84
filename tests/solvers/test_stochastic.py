"""Stochastic subgradient steps: the lecture's algorithm draw by draw, its rate, and how it begins, goes on and ends."""

from __future__ import annotations

import math
import pickle
import warnings
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import sparse

from maxmargin import solve
from maxmargin.errors import ConvergenceWarning, FitInterrupted, InvalidInput
from maxmargin.kernels import RBF, Linear
from maxmargin.losses import Hinge, Logistic, Loss
from maxmargin.problems import EpsilonRegression, HardMargin, OneClass, PrimalProblem, SoftMargin
from maxmargin.solution import Progress, Status
from maxmargin.solvers import KernelSubgradient, LinearNewton, StochasticSubgradient, SubgradientWalk

RNG = np.random.default_rng(0)
X = RNG.normal(size=(80, 4))
Y = np.where(X[:, 0] + 0.7 * RNG.normal(size=80) > 0, 1.0, -1.0)
SMOOTH_DELAY = {"squared_hinge": 500, "squared": 500, "exponential": 20_000, "squared_epsilon_insensitive": 500}


def reference(X: Any, y: Any, lam: float, T: int, seed: int) -> tuple[Any, Any]:
    """The algorithm as the first text has it: all w^(t), and their mean."""
    rng = np.random.default_rng(seed)
    theta = np.zeros(X.shape[1])
    every = []
    for t in range(1, T + 1):
        eta = 1.0 / (lam * t)
        w = eta * theta
        every.append(w)
        i = rng.integers(len(y))
        if y[i] * (w @ X[i]) < 1:
            theta = theta + y[i] * X[i]
    return np.array(every), np.mean(every, axis=0)


@pytest.mark.parametrize("C", [0.01, 1.0, 100.0])
@pytest.mark.parametrize("seed", [0, 7])
def test_the_iterates_are_the_lectures_draw_by_draw(C: float, seed: int) -> None:
    every, mean = reference(X, Y, lam=1.0 / (C * len(Y)), T=300, seed=seed)
    walk = StochasticSubgradient(seed=seed).walk(PrimalProblem(X, Y, C=C, offset=None))
    for w in every:
        np.testing.assert_allclose(walk.last[0], w, rtol=1e-10, atol=1e-12 * C)
        walk.advance(1)
    np.testing.assert_allclose(walk.mean[0], mean, rtol=1e-9, atol=1e-11 * C)
    assert walk.mean[1] == 0.0


def test_solve_hands_back_the_mean_after_its_steps() -> None:
    _, mean = reference(X, Y, lam=1.0 / len(Y), T=1000, seed=3)
    with pytest.warns(ConvergenceWarning, match="ITERATION_LIMIT"):
        solution = solve(PrimalProblem(X, Y, offset=None), solver=StochasticSubgradient(seed=3), tol=1e-9, max_iter=1000)
    np.testing.assert_allclose(solution.weights, mean, rtol=1e-9)
    assert solution.steps == 1000
    assert solution.trace.steps[-1] == 1000
    assert solution.objectives[-1] == pytest.approx(solution.certificate.primal_objective)


def step_by_step(X: Any, y: Any, cost: Any, loss: Loss, draws: Any, delay: int) -> tuple[Any, float]:
    """Any loss with an unpenalised b: ``w ← w − η (λ w + g x)``, ``b ← b − η g``, not by θ."""
    lam = 1.0 / cost.sum()
    w, b, w_sum, b_sum = np.zeros(X.shape[1]), 0.0, np.zeros(X.shape[1]), 0.0
    for t, i in enumerate(draws, 1):
        w_sum, b_sum = w_sum + w, b_sum + b
        f = np.array([w @ X[i] + b])
        g = float(loss.derivative(loss.argument(y[i : i + 1], f))[0] * loss.slope(y[i : i + 1])[0])
        b = b - g / (lam * (delay + t))
        w = w - (lam * w + g * X[i]) / (lam * (delay + t + 1))
    return w_sum / len(draws), b_sum / len(draws)


@pytest.mark.parametrize("loss", ["hinge", "squared_hinge", "logistic", "perceptron", "epsilon_insensitive"])
def test_any_loss_with_an_unpenalised_offset(loss: str) -> None:
    problem = PrimalProblem(X, Y, loss=loss, C=0.1)
    walk = StochasticSubgradient(seed=1, delay=20).walk(problem)
    walk.advance(200)
    draws = np.random.default_rng(1).integers(len(Y), size=200)
    w, b = step_by_step(X, Y, problem.cost, problem.loss, draws, delay=20)
    np.testing.assert_allclose(walk.mean[0], w, rtol=1e-8, atol=1e-12)
    assert walk.mean[1] == pytest.approx(b, rel=1e-8)


def test_weights_are_how_often_a_row_is_drawn() -> None:
    """Rows that weigh 3 are drawn as often as rows that are there three times, and pull as much each time."""
    weight = np.where(np.arange(80) % 2, 3.0, 1.0)
    problem = PrimalProblem(X, Y, C=0.5, offset=None, sample_weight=weight)
    walk = StochasticSubgradient().walk(problem)
    assert walk.lam == pytest.approx(1.0 / (0.5 * weight.sum()))
    walk.advance(20_000)
    share = walk._drawn[1::2].sum() / 20_000
    assert share == pytest.approx(0.75, abs=5 * math.sqrt(0.75 * 0.25 / 20_000))


@pytest.mark.parametrize("offset", [None, "free", "penalised"])
def test_sparse_and_single_precision_rows_walk_the_same_way(offset: str | None) -> None:
    rows = np.where(RNG.random((80, 4)) < 0.5, X, 0.0).astype(np.float32)
    ends = []
    for form in (rows, sparse.csr_matrix(rows), rows.astype(np.float64)):
        walk = StochasticSubgradient(seed=2).walk(PrimalProblem(form, Y, offset=offset))
        walk.advance(400)
        ends.append(np.append(*walk.mean))
    np.testing.assert_allclose(ends[1], ends[0], rtol=1e-4)  # products of float32 with float64 differ in their order
    np.testing.assert_allclose(ends[2], ends[0], rtol=1e-4)


def test_a_penalised_offset_is_the_weight_of_a_constant_feature() -> None:
    scale = 3.0
    walk = StochasticSubgradient(seed=5).walk(PrimalProblem(X, Y, offset="penalised", offset_scale=scale))
    _, mean = reference(np.column_stack([X, np.full(80, scale)]), Y, lam=1.0 / 80, T=500, seed=5)
    walk.advance(500)
    np.testing.assert_allclose(walk.mean[0], mean[:-1], rtol=1e-9, atol=1e-12)
    assert walk.mean[1] == pytest.approx(scale * mean[-1])


@pytest.mark.parametrize("free_offset", [True, False])
@pytest.mark.parametrize("loss", [Hinge(), Logistic()])
def test_the_kernel_form_is_the_linear_one_for_a_linear_kernel(free_offset: bool, loss: Loss) -> None:
    problem = PrimalProblem(X, Y, loss=loss, C=0.3, offset="free" if free_offset else None)
    linear = StochasticSubgradient(seed=4).walk(problem)
    gram = Linear().bind(X).gram(X)
    kernel = SubgradientWalk.on_kernel(gram, Y, problem.cost, loss, free_offset=free_offset, seed=4)
    for _ in range(5):
        linear.advance(60)
        kernel.advance(60)
        np.testing.assert_allclose(kernel.mean[0] @ X, linear.mean[0], rtol=1e-7, atol=1e-10)
        assert kernel.mean[1] == pytest.approx(linear.mean[1], abs=1e-9)


def with_known_optimum(lam: float, seed: int) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Rows for which ``λ w = mean of y x over the rows that lose`` at a chosen w, with no row near the kink."""
    rng = np.random.default_rng(seed)
    n, d = 200, 10
    w = rng.normal(size=d)
    w /= np.linalg.norm(w)
    away = 0.3 * rng.normal(size=(n, d))
    away -= (away @ w)[:, None] * w
    lose = np.arange(n) < n // 2
    away[lose] -= away[lose].mean(axis=0)
    margins = np.where(lose, 2.0 * lam, rng.uniform(1.3, 1.7, n))  # mean over all rows of those that lose: λ
    y = np.where(rng.random(n) < 0.5, 1.0, -1.0)
    return y[:, None] * (margins[:, None] * w + away), y, w


@pytest.mark.parametrize("lam", [0.1, 0.3])
def test_the_error_falls_like_one_over_lam_T(lam: float) -> None:
    """Near the optimum θ is a sum of independent draws with variance s², and the mean of ``θ_t/(λt)`` has error s²/(λT)."""
    rows, y, w = with_known_optimum(lam, seed=1)
    problem = PrimalProblem(rows, y, C=1.0 / (lam * len(y)), offset=None)
    in_w, _ = problem.gradient(w)
    np.testing.assert_allclose(in_w, 0.0, atol=1e-9)
    drawn = (y * (rows @ w) < 1)[:, None] * rows
    variance = np.square(drawn).sum(axis=1).mean() - lam**2
    best, scale = problem.objective(w), problem.cost.sum()
    counts = np.array([1000, 4000, 16_000, 64_000])
    errors = np.zeros(len(counts))
    seeds = range(6)
    for seed in seeds:
        walk = StochasticSubgradient(seed=seed).walk(problem)
        for k, count in enumerate(counts):
            walk.advance(int(count) - walk.steps)
            errors[k] += (problem.objective(*walk.mean) - best) / scale / len(seeds)
    assert np.polyfit(np.log(counts), np.log(errors), 1)[0] == pytest.approx(-1.0, abs=0.15)
    np.testing.assert_allclose(errors * lam * counts, variance, rtol=0.6)


def test_the_walk_goes_on_where_it_was() -> None:
    problem = PrimalProblem(X, Y)
    once, twice = StochasticSubgradient(seed=6).walk(problem), StochasticSubgradient(seed=6).walk(problem)
    once.advance(500)
    twice.advance(123)
    twice = pickle.loads(pickle.dumps(twice))  # it holds arrays and numbers only, so that it can be kept
    twice.advance(377)
    np.testing.assert_array_equal(once.mean[0], twice.mean[0])
    assert once.mean[1] == twice.mean[1]


def test_the_walk_goes_on_with_other_rows() -> None:
    """Chunks of a stream, at the λ of the whole: what counts is the draw, not which chunk it came from."""
    lam = 0.05
    chunks = [PrimalProblem(X[k : k + 20], Y[k : k + 20], C=1.0 / (lam * 20), offset=None) for k in (0, 20, 40, 60)]
    walk = StochasticSubgradient(seed=8).walk(chunks[0])
    rng, theta, every = np.random.default_rng(8), np.zeros(4), []
    for k, chunk in enumerate(chunks):
        walk.move_to(chunk)
        walk.advance(50)
        for _ in range(50):
            every.append(theta / (lam * (len(every) + 1)))
            i = 20 * k + rng.integers(20)
            theta = theta + (Y[i] * X[i] if Y[i] * (every[-1] @ X[i]) < 1 else 0.0)
    assert walk.steps == 200
    np.testing.assert_allclose(walk.mean[0], np.mean(every, axis=0), rtol=1e-9)


@pytest.mark.parametrize(
    ("other", "words"),
    [
        (PrimalProblem(X[:, :2], Y), r"The walk is in 4 features. Got a problem with 2"),
        (PrimalProblem(X, Y, loss="logistic"), r"The walk is for Hinge\(\) and a 'free' offset. Got Logistic\(\) and 'free'"),
        (PrimalProblem(X, Y, offset=None), r"Got Hinge\(\) and 'none'"),
        (PrimalProblem(X[:40], Y[:40]), r"The walk has λ = 0\.0125. Got .* = 0\.025; choose C = 1/\(λ n\)"),
    ],
)
def test_rows_of_another_kind_are_refused(other: PrimalProblem, words: str) -> None:
    with pytest.raises(InvalidInput, match=words):
        StochasticSubgradient().walk(PrimalProblem(X, Y)).move_to(other)
    gram = Linear().bind(X).gram(X)
    walk = SubgradientWalk.on_kernel(gram, Y, np.ones(80), Hinge(), free_offset=True, seed=0)
    with pytest.raises(InvalidInput, match="in the space of a kernel cannot move"):
        walk.move_to(PrimalProblem(X, Y))


LOSSES = ["hinge", "squared_hinge", "logistic", "exponential", "squared", "epsilon_insensitive", "squared_epsilon_insensitive"]


@pytest.mark.parametrize("offset", [None, "free", "penalised"])
@pytest.mark.parametrize("loss", LOSSES)
def test_a_converged_answer_is_near_the_optimum(loss: str, offset: str | None) -> None:
    problem = PrimalProblem(X, Y, loss=loss, C=0.05, offset=offset)
    solver = StochasticSubgradient(seed=0, delay=SMOOTH_DELAY.get(loss, 0))
    solution = solve(problem, solver=solver, tol=0.03)
    assert solution.status is Status.CONVERGED
    assert solution.certificate.relative_gap <= 0.03
    if LinearNewton().supports(problem) is None:
        exact = solve(problem, tol=1e-9).certificate
        assert exact.primal_objective <= solution.certificate.primal_objective * (1 + 1e-9)
        assert solution.certificate.dual_objective <= exact.primal_objective * (1 + 1e-9)
        assert solution.certificate.primal_objective <= 1.03 * exact.primal_objective


def test_same_seed_same_answer() -> None:
    problem = PrimalProblem(X, Y, C=0.1)
    first, second, other = (solve(problem, StochasticSubgradient(seed), tol=0.02) for seed in (0, 0, 1))
    np.testing.assert_array_equal(first.weights, second.weights)
    assert not np.array_equal(first.weights, other.weights)


def test_steps_that_are_too_long_are_said() -> None:
    problem = PrimalProblem(100.0 * X, Y, loss="exponential", C=10.0)
    with pytest.warns(ConvergenceWarning, match="DIVERGED: the steps were too long.*longer delay"):
        solution = solve(problem, solver="stochastic_subgradient", max_iter=1000)
    assert solution.status is Status.DIVERGED
    assert np.isfinite(solution.weights).all()
    walk = StochasticSubgradient().walk(problem)
    walk.advance(1000)
    assert walk.diverged
    assert walk.steps < 1000


@pytest.mark.parametrize("limit", [{"max_iter": 0}, {"max_iter": 7}, {"max_time": 1e-9}])
def test_limits_are_kept(limit: dict[str, Any]) -> None:
    name = "ITERATION_LIMIT" if "max_iter" in limit else "TIME_LIMIT"
    for problem, solver in (
        (PrimalProblem(X, Y), StochasticSubgradient()),
        (SoftMargin(X, Y), KernelSubgradient()),
    ):
        with pytest.warns(ConvergenceWarning, match=name):
            solution = solve(problem, solver=solver, tol=1e-9, **limit)
        assert solution.status.name == name
        assert solution.steps == limit.get("max_iter", 0)


def test_it_can_be_stopped_and_watched(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("maxmargin.solvers._primal._watch._BETWEEN_CALLS", 0.0)
    seen: list[Progress] = []

    def enough(progress: Progress) -> bool:
        seen.append(progress)
        return progress.steps >= 5

    with pytest.warns(ConvergenceWarning, match="INTERRUPTED"):
        solution = solve(PrimalProblem(X, Y), solver=StochasticSubgradient(), tol=1e-9, callback=enough)
    assert [progress.steps for progress in seen] == [0, 1, 2, 3, 4, 5]
    np.testing.assert_array_equal([progress.objective for progress in seen], solution.trace.objective)


def test_ctrl_c_keeps_the_last_point(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("maxmargin.solvers._primal._watch._BETWEEN_CALLS", 0.0)

    def pressed(progress: Progress) -> bool:
        if progress.steps == 20:
            raise KeyboardInterrupt
        return False

    with pytest.raises(FitInterrupted) as caught:
        solve(PrimalProblem(X, Y), solver=StochasticSubgradient(), tol=1e-9, callback=pressed)
    assert caught.value.solution.status is Status.INTERRUPTED
    assert caught.value.solution.steps == 20


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: StochasticSubgradient(seed=-1), r"The 'seed' parameter of StochasticSubgradient must be an int"),
        (lambda: StochasticSubgradient(delay=0.5), r"The 'delay' parameter of StochasticSubgradient"),
        (lambda: KernelSubgradient(seed="a"), r"The 'seed' parameter of KernelSubgradient"),
        (lambda: KernelSubgradient(delay=-1), r"The 'delay' parameter of KernelSubgradient"),
        (lambda: solve(PrimalProblem(X, Y, loss="zero_one"), StochasticSubgradient()), r"needs a loss with slopes to follow"),
        (lambda: solve(PrimalProblem(X, Y, penalty=None), StochasticSubgradient()), r"without a penalty there is no λ"),
        (lambda: solve(OneClass(X), KernelSubgradient()), r"it is for SoftMargin and EpsilonRegression"),
        (lambda: solve(HardMargin(X, Y), KernelSubgradient()), r"it is for SoftMargin and EpsilonRegression"),
        (lambda: solve(EpsilonRegression(X, Y, C=math.inf), KernelSubgradient()), r"without slack there is no loss"),
        (lambda: StochasticSubgradient().walk(PrimalProblem(X, Y)).advance(-1), r"The 'steps' parameter of advance"),
    ],
)
def test_what_cannot_be_is_said_in_words(make: Any, words: str) -> None:
    with pytest.raises(InvalidInput, match=words):
        make()


@pytest.mark.parametrize("offset", [False, True, "penalised"])
@pytest.mark.parametrize("slack", ["linear", "squared"])
def test_the_kernel_form_comes_near_the_optimum(offset: Any, slack: str) -> None:
    problem = SoftMargin(X, Y, C=0.2, kernel=RBF(gamma=0.3), offset=offset, slack=slack)
    best = solve(problem, tol=1e-8).certificate.primal_objective
    solver = KernelSubgradient(seed=0, delay=0 if slack == "linear" else 100)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        proof = solve(problem, solver=solver, tol=1e-2, max_iter=20_000).certificate
    assert proof.dual_objective <= best * (1 + 1e-9)
    assert best * (1 - 1e-9) <= proof.primal_objective
    assert proof.dual_objective >= 0.97 * best
    assert proof.primal_objective <= 1.10 * best


def test_the_kernel_form_of_the_tube() -> None:
    problem = EpsilonRegression(X, X[:, 0] ** 2, C=0.2, epsilon=0.1, kernel=RBF(gamma=0.3))
    best = solve(problem, tol=1e-8).certificate.primal_objective
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        proof = solve(problem, solver="kernel_subgradient", tol=1e-2, max_iter=20_000).certificate
    assert 0.95 * best <= proof.dual_objective <= best <= proof.primal_objective <= 1.15 * best
