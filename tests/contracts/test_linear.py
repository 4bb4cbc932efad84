"""Linear models: the optimum of the dual engine and of others, every kind of rows, certificates, endings."""

from __future__ import annotations

import os
import signal
import threading
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import sparse
from scipy.optimize import minimize
from sklearn.datasets import make_classification

import maxmargin
from maxmargin import solve
from maxmargin.errors import ConvergenceWarning, FitInterrupted, InvalidInput
from maxmargin.kernels import Linear
from maxmargin.losses import EpsilonInsensitive, Hinge, Logistic, Squared, SquaredHinge, ZeroOne
from maxmargin.problems import Offset, Penalty, PrimalProblem, Slack, SoftMargin
from maxmargin.solution import Status, certify_linear
from maxmargin.solvers import CoordinateDescent, LinearNewton
from tests.contracts._linear_sets import linear_sets

OFFSETS = ["free", "penalised", None]
SOFT = {"free": True, "penalised": "penalised", None: False}
LOSSES = ["hinge", "squared_hinge", "logistic"]


SETS = linear_sets(wide=(30, 1100), words=(120, 1300))


@pytest.mark.parametrize("C", [1e-2, 1.0, 1e2, 1e4])
@pytest.mark.parametrize("offset", OFFSETS)
@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
@pytest.mark.parametrize("name", SETS)
def test_the_optimum_of_the_dual_engine(name: str, loss: str, offset: Any, C: float) -> None:
    X, y = SETS[name]
    found = solve(PrimalProblem(X, y, loss=loss, C=C, offset=offset), tol=1e-8)
    slack = Slack.LINEAR if loss == "hinge" else Slack.SQUARED
    known = solve(SoftMargin(X, y, C=C, kernel=Linear(), offset=SOFT[offset], slack=slack), tol=1e-7)
    assert found.status is Status.CONVERGED
    assert found.certificate.relative_gap <= 1e-8
    assert found.certificate.primal_objective == pytest.approx(known.certificate.primal_objective, rel=1e-5)
    assert found.certificate.primal_objective <= known.certificate.primal_objective * (1 + 1e-7)
    assert found.certificate.primal_objective >= known.certificate.dual_objective * (1 - 1e-7)


@pytest.mark.parametrize("C", [1e-2, 1.0, 1e3])
@pytest.mark.parametrize("offset", OFFSETS)
@pytest.mark.parametrize("name", SETS)
def test_logistic_against_a_general_minimiser(name: str, offset: Any, C: float) -> None:
    X, y = SETS[name]
    problem = PrimalProblem(X, y, loss="logistic", C=C, offset=offset)
    found = solve(problem, tol=1e-8)
    assert found.status is Status.CONVERGED

    def value(p: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        b = float(p[-1]) if offset is not None else 0.0
        in_w, in_b = problem.gradient(p[:-1], b)
        return problem.objective(p[:-1], b), np.append(in_w, in_b)

    known = minimize(value, np.append(found.weights, found.bias) * 0.9, jac=True, method="L-BFGS-B", options={"maxiter": 500})
    assert found.certificate.primal_objective <= known.fun * (1 + 1e-9)
    assert found.certificate.dual_objective <= known.fun * (1 + 1e-14)


@pytest.mark.parametrize("offset", ["penalised", None])
@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
@pytest.mark.parametrize("name", SETS)
def test_both_solvers_agree(name: str, loss: str, offset: Any) -> None:
    problem = PrimalProblem(*SETS[name], loss=loss, C=0.3, offset=offset)
    newton, coordinates = (solve(problem, solver=solver, tol=1e-6) for solver in ("newton", "coordinate_descent"))
    assert coordinates.status is Status.CONVERGED
    assert coordinates.certificate.primal_objective == pytest.approx(newton.certificate.primal_objective, rel=2e-6)
    assert len(coordinates.trace) > 1


@pytest.mark.parametrize("solver", [LinearNewton(), CoordinateDescent(seed=3)], ids=repr)
@pytest.mark.parametrize("width", [40, 1100])
def test_every_kind_of_rows(width: int, solver: Any) -> None:
    rng = np.random.default_rng(4)
    dense = (rng.normal(size=(90, width)) * (rng.random((90, width)) < 0.3)).astype(np.float32)
    y = dense[:, 0] + dense[:, 1] + 0.3 * rng.normal(size=90) > 0
    narrow = sparse.csr_matrix(dense)
    long = narrow.copy()
    long.indices, long.indptr = long.indices.astype(np.int64), long.indptr.astype(np.int64)
    wanted = None
    for X in (dense, dense.astype(np.float64), narrow, long, narrow.astype(np.float64), long.astype(np.float64)):
        found = solve(PrimalProblem(X, y, C=0.5, offset="penalised"), solver=solver, tol=1e-9)
        assert found.status is Status.CONVERGED
        wanted = found.weights if wanted is None else wanted
        np.testing.assert_allclose(found.weights, wanted, atol=2e-5)


@pytest.mark.parametrize("solver", ["newton", "coordinate_descent"])
@pytest.mark.parametrize("width", [30, 1100])
@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
def test_same_bits_for_any_number_of_threads(loss: str, width: int, solver: str) -> None:
    rng = np.random.default_rng(5)
    X = rng.normal(size=(120_000 // width * 4, width)).astype(np.float32)
    y = X[:, 0] + rng.normal(size=len(X)) > 0
    before, answers = maxmargin.get_threads(), []
    try:
        for threads in (1, 2, 3):
            maxmargin.set_threads(threads)
            solution = solve(PrimalProblem(X, y, loss=loss, C=1e-2, offset="penalised"), solver=solver)
            answers.append((solution.weights.tobytes(), solution.bias, solution.alpha.tobytes()))
    finally:
        maxmargin.set_threads(before)
    assert answers[0] == answers[1] == answers[2]


@pytest.mark.parametrize("offset", OFFSETS)
@pytest.mark.parametrize("loss", LOSSES)
def test_wide_rows_of_very_different_lengths_at_large_C(loss: str, offset: Any) -> None:
    """Counts of words: a few long rows made the systems over the features hopeless, and the gap never closed."""
    rng = np.random.default_rng(7)
    X = sparse.random(400, 3000, density=0.02, random_state=7, format="csr")
    X = sparse.csr_matrix(sparse.diags(np.exp(rng.normal(0.0, 2.0, 400))) @ X)
    y = np.asarray(X[:, :1500].sum(axis=1) > X[:, 1500:].sum(axis=1)).ravel() ^ (rng.random(400) < 0.05)
    found = solve(PrimalProblem(X, y, loss=loss, C=100.0, offset=offset), tol=1e-5)
    assert found.status is Status.CONVERGED
    assert found.certificate.relative_gap <= 1e-5
    assert found.steps <= 150


@pytest.mark.parametrize("loss", LOSSES)
def test_a_weight_of_two_is_the_row_twice(loss: str) -> None:
    X, y = SETS["overlap"]
    weight = np.arange(len(y)) % 3
    one = solve(PrimalProblem(X, y, loss=loss, sample_weight=weight))
    other = solve(PrimalProblem(np.repeat(X, weight, axis=0), np.repeat(y, weight), loss=loss))
    np.testing.assert_allclose(one.weights, other.weights, rtol=1e-6, atol=1e-8)
    assert one.bias == pytest.approx(other.bias, rel=1e-6, abs=1e-8)


@pytest.mark.parametrize("loss", [Hinge(), SquaredHinge(), Logistic(), Squared(), EpsilonInsensitive(0.2)], ids=repr)
@pytest.mark.parametrize("offset", OFFSETS)
@settings(max_examples=20)
@given(seed=st.integers(0, 1000))
def test_any_two_points_bound_the_optimum(loss: Any, offset: Any, seed: int) -> None:
    """Weak duality: no dual value is above any primal value."""
    rng = np.random.default_rng(seed)
    problem = PrimalProblem(rng.normal(size=(12, 3)), np.arange(12) % 2, loss=loss, C=2.0, offset=offset, sample_weight=None)
    alpha = rng.random(12) * problem.cost * (rng.random(12) < 0.7)
    if offset == "free":  # Σ α s = 0: scale the heavier side
        s = loss.slope(problem.y)
        if isinstance(loss, EpsilonInsensitive):
            alpha -= alpha.mean()
            alpha /= max(1.0, float(np.abs(alpha / problem.cost).max()))
        else:
            up, down = alpha[s > 0].sum(), alpha[s < 0].sum()
            alpha[s > 0] *= min(1.0, down / up) if up > 0 else 0.0
            alpha[s < 0] *= min(1.0, up / down) if down > 0 else 0.0
    found = certify_linear(problem, rng.normal(size=3), float(rng.normal()) if offset else 0.0, alpha)
    assert np.isfinite(found.dual)
    assert found.infeasibility < 1e-12
    assert found.dual <= found.primal


def test_multipliers_outside_of_their_bounds_prove_nothing() -> None:
    problem = PrimalProblem([[-1.0], [1.0]], [-1, 1])
    found = certify_linear(problem, np.array([1.0]), 0.0, np.array([2.0, 2.0]))
    assert found.dual == 0.0  # as α = 0: no hinge is below 0
    assert not found.is_optimal(1.0)
    uneven = certify_linear(problem, np.array([1.0]), 0.0, np.array([0.5, 0.25]))
    assert uneven.infeasibility == pytest.approx(1 / 3)
    with pytest.raises(InvalidInput, match="has no conjugate"):
        certify_linear(PrimalProblem([[-1.0], [1.0]], [-1, 1], loss=ZeroOne()), np.ones(1), 0.0, np.zeros(2))


def test_the_scale_of_a_penalised_offset() -> None:
    """It is the weight of a constant feature of that value."""
    X, y = SETS["overlap"]
    for loss in LOSSES:
        one = solve(PrimalProblem(X, y, loss=loss, offset="penalised", offset_scale=3.0))
        other = solve(PrimalProblem(np.column_stack([X, np.full(len(X), 3.0)]), y, loss=loss, offset=None))
        assert one.bias == pytest.approx(3.0 * other.weights[-1], rel=1e-6)
        assert one.certificate.primal_objective == pytest.approx(other.certificate.primal_objective)
    with pytest.raises(InvalidInput, match=r"'offset_scale' parameter of PrimalProblem must be 1\.0 where the offset is not"):
        PrimalProblem(X, y, offset_scale=3.0)


def test_no_penalty_is_maximum_likelihood() -> None:
    X, y = SETS["overlap"]
    found = solve(PrimalProblem(X, y, loss="logistic", penalty=None))
    assert found.status is Status.CONVERGED
    assert found.certificate.relative_gap < 1e-10
    p = 1.0 / (1.0 + np.exp(-found.decision_function(X)))
    residual = p - y
    np.testing.assert_allclose(X.T @ residual, 0.0, atol=1e-8)  # the likelihood's own condition
    assert residual.sum() == pytest.approx(0.0, abs=1e-8)
    cross_entropy = -(y * np.log(p) + (1 - y) * np.log(1 - p)).sum()
    likelihood = np.prod(np.where(y == 1, p, 1 - p))
    assert cross_entropy == pytest.approx(found.certificate.primal_objective, rel=1e-12)
    assert -np.log(likelihood) == pytest.approx(cross_entropy, rel=1e-9)


@pytest.mark.parametrize("unit", [1e-8, 1e8, np.logspace(-6, 6, 8)], ids=["small", "large", "mixed"])
@pytest.mark.parametrize("loss", ["logistic", "exponential", "squared"])
def test_no_penalty_knows_no_unit(loss: str, unit: Any) -> None:
    """Without a penalty the scores are the same in any unit of the features."""
    X, y = SETS["overlap"]
    here, there = (solve(PrimalProblem(rows, y, loss=loss, penalty=None)) for rows in (X, X * unit))
    assert there.status is Status.CONVERGED
    np.testing.assert_allclose(there.decision_function(X * unit), here.decision_function(X), rtol=1e-5, atol=1e-5)


SEPARABLE = {
    "completely": ([[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1]),
    "quasi": ([[0.0], [1.0], [1.0], [2.0]], [0, 0, 1, 1]),
    "one group": ([[0.0, 0.0], [0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [0.0, 1.0]], [0, 1, 1, 1, 0]),
}


@pytest.mark.parametrize("name", SEPARABLE)
@pytest.mark.parametrize("offset", ["free", None])
def test_separable_without_penalty(name: str, offset: Any) -> None:
    X, y = SEPARABLE[name]
    if offset is None:
        X = np.column_stack([X, np.ones(len(y))])
    with pytest.warns(ConvergenceWarning, match=r"SEPARABLE: a hyperplane separates the classes.*penalty='l2'"):
        found = solve(PrimalProblem(X, y, loss="logistic", penalty=None, offset=offset))
    assert found.status is Status.SEPARABLE


def test_limits_and_callback() -> None:
    X, y = make_classification(4000, 30, flip_y=0.3, random_state=0)
    problem = PrimalProblem(X, y, C=1e4)
    with pytest.warns(ConvergenceWarning, match=r"ITERATION_LIMIT.*max_iter"):
        few = solve(problem, max_iter=3)
    assert few.status is Status.ITERATION_LIMIT
    assert few.steps == 3
    assert few.certificate.gap > 0
    with pytest.warns(ConvergenceWarning, match="TIME_LIMIT"):
        assert solve(problem, max_time=1e-6, tol=1e-12).status is Status.TIME_LIMIT
    long = PrimalProblem(X, y, C=1e4, offset=None)
    with pytest.warns(ConvergenceWarning, match="INTERRUPTED"):
        stopped = solve(long, solver="coordinate_descent", tol=1e-12, callback=lambda progress: progress.steps >= 0)
    assert stopped.status is Status.INTERRUPTED
    with pytest.raises(InvalidInput, match="'callback' parameter of solve"):
        solve(problem, callback=3)


def test_ctrl_c_keeps_what_there_is() -> None:
    X, y = make_classification(4000, 30, flip_y=0.3, random_state=0)
    problem = PrimalProblem(X, y, C=1e4, offset=None)
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background job ignores it
    try:
        presses = threading.Timer(0.1, lambda: os.kill(os.getpid(), signal.SIGINT))
        presses.start()
        with pytest.raises(FitInterrupted, match="Interrupted after") as caught:
            solve(problem, solver="coordinate_descent", tol=1e-12, max_time=30.0)
        presses.join()
    finally:
        signal.signal(signal.SIGINT, before)
    assert caught.value.solution.status is Status.INTERRUPTED
    assert np.isfinite(caught.value.solution.certificate.gap)


@pytest.mark.parametrize(
    ("problem", "solver", "message"),
    [
        ({}, "smo", "The 'solver' parameter must be one of 'auto', 'newton', 'stochastic_subgradient'"),
        ({"loss": "perceptron"}, "newton", "LinearNewton cannot solve PrimalProblem: it has no curvature of Perceptron()"),
        (
            {"loss": "zero_one"},
            "auto",
            "There is no solver for loss ZeroOne() with penalty='l2'.",
        ),
        (
            {"penalty": None},
            "auto",
            "LinearNewton: without a penalty it needs a loss without kinks. BallSearch: it is for",
        ),
        ({}, "coordinate_descent", "CoordinateDescent cannot solve PrimalProblem: a free offset ties"),
        ({"loss": "logistic"}, "coordinate_descent", "it needs the hinge or the squared hinge"),
        ({"penalty": None, "offset": None}, "coordinate_descent", "no bounded dual"),
    ],
)
def test_what_cannot_be_solved(problem: dict[str, Any], solver: str, message: str) -> None:
    with pytest.raises(InvalidInput) as error:
        solve(PrimalProblem([[-1.0], [1.0]], [-1, 1], **problem), solver=solver)
    assert message in str(error.value)


def test_a_negative_seed() -> None:
    with pytest.raises(InvalidInput, match="'seed' parameter of CoordinateDescent"):
        CoordinateDescent(seed=-1)


def test_rows_of_another_width() -> None:
    found = solve(
        PrimalProblem.on(np.array([[-1.0], [1.0]]), np.array([-1.0, 1.0]), np.ones(2), Hinge(), Penalty.L2, Offset.FREE)
    )
    with pytest.raises(InvalidInput, match="X has 2 features, but the model has 1"):
        found.decision_function([[1.0, 2.0]])
