"""The elastic net ``ρ|w|₁ + (1 − ρ)/2 |w|²``: subgradients, scikit-learn's optima, its ends, certificates."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from scipy import sparse
from sklearn.linear_model import ElasticNet
from sklearn.linear_model import LogisticRegression as TheirLogistic

from maxmargin import get_threads, set_threads, solve
from maxmargin.errors import InvalidInput
from maxmargin.problems import PrimalProblem
from maxmargin.solution import Status, certify_linear
from tests.contracts._linear_sets import linear_sets

OFFSETS = ["free", "penalised", None]
SMOOTH = ["squared_hinge", "logistic", "squared", "squared_epsilon_insensitive"]
SETS = linear_sets(wide=(60, 1500), words=(200, 2000))


def _problem(name: str, loss: str, offset: Any, C: float, share: float) -> PrimalProblem:
    X, y = SETS[name]
    t = np.where(y, 1.0, -1.0)
    scale = 2.0 if offset == "penalised" else 1.0
    return PrimalProblem(X, t, loss=loss, penalty="elasticnet", l1_ratio=share, C=C, offset=offset, offset_scale=scale)


@pytest.mark.parametrize("share", [0.1, 0.5, 0.999])
@pytest.mark.parametrize("offset", OFFSETS)
@pytest.mark.parametrize(("loss", "C"), [*((loss, C) for loss in SMOOTH for C in (1e-2, 1.0, 10.0)), ("logistic", 1e3)])
@pytest.mark.parametrize("name", SETS)
def test_the_gap_closes_and_0_is_a_subgradient(name: str, loss: str, offset: Any, C: float, share: float) -> None:
    problem = _problem(name, loss, offset, C, share)
    found = solve(problem, tol=1e-8)
    assert found.status is Status.CONVERGED
    assert found.certificate.relative_gap <= 1e-8
    # The condition of the optimum, by the loss alone: −∇loss is ρ sign(w) + (1 − ρ) w, or inside of [−ρ, ρ] where w is 0.
    tight = solve(problem, tol=1e-12, throw=False) if C <= 1.0 else found
    w, b = tight.weights, float(tight.bias)
    X = problem.X
    z = problem.loss.argument(problem.y, np.asarray(X @ w).ravel() + b)
    pull = -np.asarray(X.T @ (problem.cost * problem.loss.derivative(z) * problem.loss.slope(problem.y))).ravel()
    rest = pull - (1.0 - share) * w
    away = np.where(w != 0.0, np.abs(rest - share * np.sign(w)), np.maximum(np.abs(rest) - share, 0.0))
    # A gap of ε leaves a distance of √(2ε/(1 − ρ)) in w, which curvature makes one of the slope.
    squares = abs(sparse.csr_array(X)).power(2).sum(axis=0).max()
    curvature = 2.0 * float(problem.cost.max()) * float(squares)
    gap = max(tight.certificate.gap, 1e-12 * tight.certificate.primal_objective)
    assert away.max() <= (1.0 - share + curvature) * np.sqrt(2.0 * gap / (1.0 - share)) * np.sqrt(len(w))


@pytest.mark.parametrize("share", [0.1, 0.9])
@pytest.mark.parametrize("offset", OFFSETS)
@pytest.mark.parametrize("loss", ["squared_hinge", "squared", "squared_epsilon_insensitive"])
@pytest.mark.parametrize("name", ["wide", "words"])
@pytest.mark.parametrize("C", [1e3, 1e5])
def test_a_large_cost_and_many_weights(name: str, loss: str, offset: Any, C: float, share: float) -> None:
    """Where the primal is too badly conditioned for its rounds: Newton's method in the multipliers."""
    found = solve(_problem(name, loss, offset, C, share), tol=1e-6)
    assert found.status is Status.CONVERGED
    assert found.steps < 1000
    problem = _problem(name, loss, offset, C, share)
    certified = certify_linear(problem, found.weights, float(found.bias), found.alpha)
    assert certified.primal - certified.dual <= 2e-6 * certified.primal


def test_many_dense_features_of_few_rows() -> None:
    """Rows far from 0, whose mean is taken off within."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(120, 1500)) + 100.0, rng.random(120) > 0.5
    problem = PrimalProblem(X, np.where(y, 1.0, -1.0), loss="squared_hinge", penalty="elasticnet", l1_ratio=0.5, C=1e3)
    found = solve(problem, tol=1e-6)
    assert found.status is Status.CONVERGED
    assert problem.objective(found.weights, float(found.bias)) == pytest.approx(found.certificate.primal_objective, rel=1e-6)
    moved = PrimalProblem(X - 100.0, np.where(y, 1.0, -1.0), loss="squared_hinge", penalty="elasticnet", l1_ratio=0.5, C=1e3)
    assert found.certificate.primal_objective == pytest.approx(solve(moved, tol=1e-6).certificate.primal_objective, rel=2e-6)


def test_limits_and_bits_of_many_weights() -> None:
    problem = _problem("words", "squared_hinge", "free", 1e4, 0.1)
    short = solve(problem, tol=1e-9, max_iter=5, throw=False)
    assert (short.status, short.steps) == (Status.ITERATION_LIMIT, 5)
    weights, before = [], get_threads()
    try:
        for threads in (1, 2):
            set_threads(threads)
            weights.append(solve(problem, tol=1e-8).weights)
    finally:
        set_threads(before)
    assert np.array_equal(*weights)


@pytest.mark.parametrize("share", [0.2, 0.8])
@pytest.mark.parametrize("intercept", [True, False])
def test_saga_to_many_digits(intercept: bool, share: float) -> None:
    X, y = SETS["overlap"]
    problem = _problem("overlap", "logistic", "free" if intercept else None, 0.3, share)
    theirs = TheirLogistic(l1_ratio=share, solver="saga", C=0.3, tol=1e-13, max_iter=100_000, fit_intercept=intercept)
    theirs.fit(X, np.where(y, 1.0, -1.0))
    found = solve(problem, tol=1e-13, throw=False)
    np.testing.assert_allclose(found.weights, theirs.coef_[0], atol=1e-6)
    np.testing.assert_array_equal(found.weights == 0.0, np.abs(theirs.coef_[0]) < 1e-9)
    known = problem.objective(theirs.coef_[0], float(np.ravel(theirs.intercept_)[0]))
    assert found.certificate.primal_objective <= known * (1 + 1e-12)
    assert found.certificate.dual_objective <= known * (1 + 1e-14)


@pytest.mark.parametrize("name", ["overlap", "wide", "words"])
def test_squared_loss_is_scikit_learns_elastic_net(name: str) -> None:
    """``(1/2n) Σ(t − f)² + α(ρ|w|₁ + (1 − ρ)/2 |w|²)`` with ``α = 1/(2nC)``."""
    X, y = SETS[name]
    t = np.where(y, 1.0, -1.0)
    theirs = ElasticNet(alpha=1 / (2 * len(t) * 2.0), l1_ratio=0.3, tol=1e-12, max_iter=100_000).fit(X, t)
    found = solve(_problem(name, "squared", "free", 2.0, 0.3), tol=1e-12)
    np.testing.assert_allclose(found.weights, theirs.coef_, atol=1e-6)
    assert found.bias == pytest.approx(theirs.intercept_, abs=1e-6)


@pytest.mark.parametrize(("share", "end"), [(1e-9, "l2"), (1.0 - 1e-9, "l1")])
def test_its_ends_are_the_other_penalties(share: float, end: str) -> None:
    X, y = SETS["overlap"]
    other = solve(PrimalProblem(X, y, loss="logistic", penalty=end, C=0.5), tol=1e-10)
    found = solve(_problem("overlap", "logistic", "free", 0.5, share), tol=1e-10)
    assert found.certificate.primal_objective == pytest.approx(other.certificate.primal_objective, rel=1e-7)
    np.testing.assert_allclose(found.weights, other.weights, atol=1e-4)


def test_by_hand() -> None:
    """Two points at ±2, squared hinge: ``ρ|w| + (1 − ρ)/2 w² + 2C(1 − 2w)²`` is least at ``(8C − ρ)/(16C + 1 − ρ)``."""
    for C in (0.25, 1.0, 10.0):
        problem = PrimalProblem([[-2.0], [2.0]], [-1, 1], loss="squared_hinge", penalty="elasticnet", l1_ratio=0.6, C=C)
        found = solve(problem, tol=1e-13, throw=False)
        assert found.weights[0] == pytest.approx((8 * C - 0.6) / (16 * C + 0.4), rel=1e-9)


@pytest.mark.parametrize("offset", OFFSETS)
def test_any_multipliers_give_a_bound(offset: Any) -> None:
    problem = _problem("overlap", "logistic", offset, 0.7, 0.5)
    least = solve(problem, tol=1e-11).certificate.primal_objective
    rng = np.random.default_rng(0)
    for size in (0.01, 0.3, 1.0):
        alpha = size * problem.cost * rng.random(problem.n)
        if offset == "free":  # both classes carry the same
            for side in (1.0, -1.0):
                alpha[problem.y == side] *= 0.01 / alpha[problem.y == side].sum()
        found = certify_linear(problem, np.zeros(problem.d), 0.0, alpha)
        assert found.infeasibility <= 1e-9
        assert found.dual <= least * (1 + 1e-10)


@pytest.mark.parametrize("share", [None, 0.0, 1.0, 1.5, -0.1, "half", True, float("nan")])
def test_the_share_is_checked(share: Any) -> None:
    with pytest.raises(InvalidInput, match=r"The 'l1_ratio' parameter .* in the range \(0.0, 1.0\)"):
        PrimalProblem([[0.0], [1.0]], [0, 1], loss="logistic", penalty="elasticnet", l1_ratio=share)


def test_other_penalties_have_no_share() -> None:
    with pytest.raises(InvalidInput, match="None where the penalty is not 'elasticnet'"):
        PrimalProblem([[0.0], [1.0]], [0, 1], loss="logistic", penalty="l1", l1_ratio=0.5)


def test_losses_with_kinks_have_no_solver() -> None:
    with warnings.catch_warnings(), pytest.raises(InvalidInput, match="no solver for loss Hinge"):
        solve(PrimalProblem([[0.0], [1.0]], [0, 1], loss="hinge", penalty="elasticnet", l1_ratio=0.5))
