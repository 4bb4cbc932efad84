"""The constrained form ``min Σ C_i ℓ`` with ``|w|² ≤ B``: against a general minimiser, its penalised form, and laws of B."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import sparse
from scipy.optimize import minimize
from sklearn.datasets import load_iris, make_classification

from maxmargin import LinearClassifier, solve
from maxmargin.errors import ConvergenceWarning, InvalidInput
from maxmargin.losses import EpsilonInsensitive, SquaredEpsilonInsensitive
from maxmargin.problems import PrimalProblem
from maxmargin.solution import Status, certify_linear
from maxmargin.solvers import BallSearch, CoordinateDescent, GradientDescent

SMOOTH = ["squared_hinge", "logistic", "exponential", "squared"]
LOSSES = ["hinge", *SMOOTH]
OFFSETS = ["free", "penalised", None]


def _overlap(seed: int = 3, n: int = 80) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    X, y = make_classification(n, 4, n_informative=3, n_redundant=0, flip_y=0.25, random_state=seed)
    return X, y


def _square(problem: PrimalProblem, w: NDArray[np.float64], b: float) -> float:
    return float(w @ w) + ((b / problem.offset_scale) ** 2 if problem.offset.value == "penalised" else 0.0)


@pytest.mark.parametrize("B", [0.01, 0.3, 1e3])
@pytest.mark.parametrize("offset", OFFSETS)
@pytest.mark.parametrize("loss", SMOOTH)
def test_a_general_minimiser_finds_the_same(loss: str, offset: Any, B: float) -> None:
    X, y = _overlap()
    problem = PrimalProblem(
        X, y, loss=loss, penalty="ball", B=B, C=2.0, offset=offset, offset_scale=2.0 if offset == "penalised" else 1.0
    )
    free = PrimalProblem(X, y, loss=loss, penalty=None, C=2.0, offset=offset, offset_scale=problem.offset_scale)
    found = solve(problem, tol=1e-8)
    assert found.status is Status.CONVERGED
    assert _square(problem, found.weights, found.bias) <= B * (1 + 1e-12)

    def value(p: NDArray[np.float64]) -> float:
        return free.objective(p[:-1], float(p[-1]) if offset else 0.0)

    def slope(p: NDArray[np.float64]) -> NDArray[np.float64]:
        in_w, in_b = free.gradient(p[:-1], float(p[-1]) if offset else 0.0)
        return np.append(in_w, in_b)

    inside = {"type": "ineq", "fun": lambda p: B - _square(problem, p[:-1], p[-1])}
    known = minimize(
        value, np.zeros(5), jac=slope, method="SLSQP", constraints=[inside], options={"ftol": 1e-14, "maxiter": 500}
    )
    assert found.certificate.primal_objective == pytest.approx(known.fun, rel=1e-6)
    assert found.certificate.primal_objective <= known.fun * (1 + 1e-7)
    assert found.certificate.dual_objective <= known.fun * (1 + 1e-7)


@pytest.mark.parametrize("offset", OFFSETS)
@pytest.mark.parametrize("loss", LOSSES)
def test_the_penalised_form_at_the_multiplier(loss: str, offset: Any) -> None:
    """Lagrange: with ``λ = |Σ α_i y_i x_i|/√B`` the penalised form at ``C/λ`` has the same weights."""
    X, y = _overlap()
    B = 0.05
    found = solve(PrimalProblem(X, y, loss=loss, penalty="ball", B=B, offset=offset), tol=1e-10)
    assert found.status is Status.CONVERGED
    problem = PrimalProblem(X, y, loss=loss, offset=offset)
    signed = found.alpha * problem.y
    v = problem.combination(signed)
    lam = np.sqrt((v @ v + (signed.sum() ** 2 if offset == "penalised" else 0.0)) / B)
    assert _square(problem, found.weights, found.bias) == pytest.approx(B, rel=1e-3)
    penalised = solve(PrimalProblem(X, y, loss=loss, C=1.0 / lam, offset=offset), tol=1e-10)
    np.testing.assert_allclose(penalised.weights, found.weights, atol=1e-4)


@pytest.mark.parametrize("loss", SMOOTH)
def test_a_ball_that_holds_the_minimum_does_nothing(loss: str) -> None:
    X, y = _overlap()
    free = solve(PrimalProblem(X, y, loss=loss, penalty=None), tol=1e-10)
    found = solve(PrimalProblem(X, y, loss=loss, penalty="ball", B=4.0 * free.weights @ free.weights), tol=1e-10)
    assert found.status is Status.CONVERGED
    assert found.certificate.primal_objective == pytest.approx(free.certificate.primal_objective, rel=1e-9)
    np.testing.assert_allclose(found.weights, free.weights, rtol=1e-3, atol=1e-4)


@pytest.mark.parametrize("loss", ["logistic", "exponential"])
def test_separable_data_are_always_at_the_surface(loss: str) -> None:
    X, _ = _overlap()
    y = X[:, 0] > X[:, 1]
    for B in (0.1, 1.0, 10.0):
        found = solve(PrimalProblem(X, y, loss=loss, penalty="ball", B=B), tol=1e-7)
        assert found.status is Status.CONVERGED
        assert found.weights @ found.weights == pytest.approx(B, rel=1e-6)


@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
def test_no_loss_at_all(loss: str) -> None:
    """Where the ball has room for a hyperplane with a margin of 1, the optimum is 0, and is proven to be."""
    X = np.array([[-1.0], [1.0]])
    found = solve(PrimalProblem(X, [0, 1], loss=loss, penalty="ball", B=2.0))
    assert found.status is Status.CONVERGED
    assert found.certificate.primal_objective == found.certificate.dual_objective == 0.0
    tight = solve(PrimalProblem(X, [0, 1], loss="hinge", penalty="ball", B=0.25), tol=1e-9)
    np.testing.assert_allclose(tight.weights, 0.5, rtol=1e-9)  # 2 (1 − w)
    assert tight.certificate.primal_objective == pytest.approx(1.0)


@settings(max_examples=15, deadline=None)
@given(seed=st.integers(0, 500), loss=st.sampled_from(LOSSES), small=st.floats(-4.0, 3.0), more=st.floats(0.01, 2.0))
def test_a_larger_ball_costs_no_more(seed: int, loss: str, small: float, more: float) -> None:
    X, y = _overlap(seed, 40)
    one = solve(PrimalProblem(X, y, loss=loss, penalty="ball", B=10.0**small), tol=1e-6)
    other = solve(PrimalProblem(X, y, loss=loss, penalty="ball", B=10.0 ** (small + more)), tol=1e-6)
    assert one.status is other.status is Status.CONVERGED
    assert other.certificate.dual_objective <= one.certificate.primal_objective
    assert other.certificate.primal_objective <= one.certificate.primal_objective * (1 + 2e-6)


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 1000), loss=st.sampled_from(LOSSES), offset=st.sampled_from(["penalised", None]))
def test_any_two_points_bound_the_optimum(seed: int, loss: str, offset: Any) -> None:
    rng = np.random.default_rng(seed)
    problem = PrimalProblem(rng.normal(size=(12, 3)), np.arange(12) % 2, loss=loss, penalty="ball", B=2.0, offset=offset)
    w = rng.normal(size=3)
    w *= rng.random() * np.sqrt(1.5) / np.linalg.norm(w)
    b = 0.5 * rng.random() if offset else 0.0
    found = certify_linear(problem, w, b, rng.random(12) * problem.cost)
    assert np.isfinite(found.primal)
    assert found.dual <= found.primal
    outside = certify_linear(problem, 10.0 * np.ones(3), 0.0, np.zeros(12))
    assert outside.primal == np.inf
    assert not outside.is_optimal(1.0)


@pytest.mark.parametrize("loss", [EpsilonInsensitive(0.1), SquaredEpsilonInsensitive(0.1)], ids=repr)
def test_residuals(loss: Any) -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3))
    t = X @ [1.0, 2.0, -1.0] + 3.0 + rng.normal(size=60)
    found = solve(PrimalProblem(X, t, loss=loss, penalty="ball", B=1.0), tol=1e-8)
    assert found.status is Status.CONVERGED
    assert found.weights @ found.weights == pytest.approx(1.0, rel=1e-6)


def test_other_inner_solvers_and_rows() -> None:
    X, y = _overlap()
    wanted = solve(PrimalProblem(X, y, loss="logistic", penalty="ball", B=0.2), tol=1e-8)
    for rows, solver in (
        (sparse.csr_matrix(X), "ball"),
        (X.astype(np.float32), BallSearch()),
        (X, BallSearch(inner=GradientDescent())),
    ):
        found = solve(PrimalProblem(rows, y, loss="logistic", penalty="ball", B=0.2), solver=solver, tol=1e-6)
        assert found.status is Status.CONVERGED
        np.testing.assert_allclose(found.weights, wanted.weights, atol=2e-3)
        assert len(found.trace) >= 1


def test_the_estimator() -> None:
    X, y = load_iris(return_X_y=True)
    model = LinearClassifier(loss="hinge", penalty="ball", B=1.0).fit(X, y)
    assert model.status_ is Status.CONVERGED
    assert model.coef_.shape == (3, 4)
    assert ((model.coef_**2).sum(axis=1) <= 1.0 + 1e-9).all()
    with pytest.warns(ConvergenceWarning, match="ITERATION_LIMIT"):
        assert LinearClassifier(penalty="ball", B=1.0, max_iter=1).fit(X, y > 0).status_ is Status.ITERATION_LIMIT
    with pytest.warns(ConvergenceWarning, match="TIME_LIMIT"):
        assert LinearClassifier(penalty="ball", B=1.0, tol=1e-12, max_time=1e-9).fit(*_overlap()).status_ is Status.TIME_LIMIT


@pytest.mark.parametrize(
    ("asked", "solver", "message"),
    [
        ({"penalty": "ball"}, "auto", "The 'B' parameter of PrimalProblem must be a float in the range (0.0, inf). Got None"),
        ({"penalty": "ball", "B": -1.0}, "auto", "The 'B' parameter of PrimalProblem"),
        ({"B": 1.0}, "auto", "The 'B' parameter of PrimalProblem must be None where the penalty is not 'ball'. Got 1.0"),
        ({"penalty": "ball", "B": 1.0}, "newton", "the penalty must be 'l2' or None, and is 'ball'"),
        ({"penalty": "ball", "B": 1.0}, "coordinate_descent", "the penalty must be 'l2', and is 'ball'"),
        ({"penalty": "ball", "B": 1.0, "loss": "logistic"}, "gradient_descent", "it needs a smooth penalty"),
        ({"penalty": "ball", "B": 1.0}, "stochastic_subgradient", "steps of 1/(λt) are for the penalty 'l2'"),
        ({}, "ball", "BallSearch cannot solve PrimalProblem: it is for the penalty 'ball', and this one is 'l2'"),
        ({"penalty": "ball", "B": 1.0}, BallSearch(CoordinateDescent()), "nothing solves its penalised form: a free offset"),
    ],
)
def test_refusals(asked: dict[str, Any], solver: Any, message: str) -> None:
    with pytest.raises(InvalidInput) as error:
        solve(PrimalProblem([[-1.0], [1.0]], [-1, 1], **asked), solver=solver)
    assert message in str(error.value)


def test_an_inner_solver_that_is_none() -> None:
    with pytest.raises(InvalidInput, match="The 'inner' parameter of BallSearch must be a PrimalSolver"):
        BallSearch(inner="newton")
