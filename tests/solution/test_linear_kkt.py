"""The conditions of a linear model: 0 at every optimum, sums of them the gap, and those of the same problem with a kernel."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.datasets import make_classification

from maxmargin import solve
from maxmargin.errors import InvalidInput
from maxmargin.kernels import Linear
from maxmargin.losses import EpsilonInsensitive
from maxmargin.problems import PrimalProblem, SoftMargin
from maxmargin.solution import KKT, LinearSolution, certify_linear, linear_kkt

X, labels = make_classification(80, 4, n_informative=3, n_redundant=0, flip_y=0.25, random_state=3)
Y = np.where(labels > 0, 1.0, -1.0)
WEIGHT = np.random.default_rng(0).lognormal(0, 0.5, 80)


@pytest.mark.parametrize("penalty", ["l2", "l1", "ball"])
@pytest.mark.parametrize("offset", ["free", "penalised", None])
@pytest.mark.parametrize("loss", ["hinge", "squared_hinge", "logistic", "squared"])
def test_they_are_0_at_every_optimum(loss: str, offset: Any, penalty: str) -> None:
    ball = {"B": 0.3 if loss == "hinge" else 0.05} if penalty == "ball" else {}
    problem = PrimalProblem(X, Y, loss=loss, penalty=penalty, C=0.5, offset=offset, sample_weight=WEIGHT, **ball)
    kkt = linear_kkt(problem, solve(problem, tol=1e-8))
    assert kkt.largest < 5e-3  # the gap is quadratic in stationarity
    assert kkt.dual_feasibility == 0.0
    assert kkt.primal_feasibility < (5e-3 if loss == "squared_hinge" else 1e-12)  # there slack is that of the multipliers
    assert kkt.w_unique is (None if penalty == "l1" else True)
    assert (kkt.slack_complementarity is None) == (loss in ("logistic", "squared"))
    assert len(str(kkt).splitlines()) == (7 if kkt.slack_complementarity is None else 8)


@pytest.mark.parametrize("loss", ["hinge", "squared_hinge", "logistic", EpsilonInsensitive(epsilon=0.1)], ids=str)
def test_they_sum_to_the_gap(loss: Any) -> None:
    """With an L2 penalty and no offset: ``½|w − Σ α_i s_i x_i|²`` and what the rows have, for any point."""
    problem = PrimalProblem(X, Y, loss=loss, C=1.0, offset=None)
    draw = np.random.default_rng(1)
    w, alpha = draw.normal(size=4), draw.uniform(0.0, 0.999, 80)
    z, s = problem.loss.argument(problem.y, X @ w), problem.loss.slope(problem.y)
    rows = problem.loss.value(z) + problem.loss.conjugate(-alpha) + alpha * z
    away = w - (alpha * s) @ X
    evaluated = certify_linear(problem, w, 0.0, alpha)
    kkt = linear_kkt(problem, _point(problem, w, alpha))
    assert (rows >= -1e-12).all()
    assert evaluated.primal - evaluated.dual == pytest.approx(0.5 * away @ away + rows.sum())
    assert kkt.stationarity == pytest.approx(np.abs(away).max())
    if loss == "logistic":
        assert kkt.complementary_slackness == pytest.approx(rows.max())
        assert kkt.slack_complementarity is None
    else:
        _are_those_of_slack(kkt, loss, z, alpha, rows)


def _are_those_of_slack(kkt: KKT, loss: Any, z: Any, alpha: Any, rows: Any) -> None:
    # slack is what the loss is of; with squared slack it is that of the multipliers
    e = 1.0 - z if isinstance(loss, str) else -z - loss.epsilon  # all α pull a tube's rows the same way
    xi = alpha / 2.0 if loss == "squared_hinge" else np.maximum(0.0, e)
    assert kkt.primal_feasibility == pytest.approx(np.maximum(0.0, e - xi).max())
    assert kkt.complementary_slackness == pytest.approx((alpha * np.abs(xi - e)).max())
    assert kkt.slack_complementarity == pytest.approx(0.0 if loss == "squared_hinge" else ((1.0 - alpha) * xi).max())
    if loss == "hinge":
        np.testing.assert_allclose(alpha * (xi - e) + (1.0 - alpha) * xi, rows, atol=1e-12)


def _point(problem: PrimalProblem, w: Any, alpha: Any) -> LinearSolution:
    """A solution at any point."""
    found = solve(problem, tol=1e-2)
    return LinearSolution(w, 0.0, alpha, found.status, found.certificate, found.trace, found.steps)


def test_of_a_hinge_they_are_those_of_the_soft_margin() -> None:
    """At any point, each of them."""
    kernel = solve(SoftMargin(X, Y, C=1.0, kernel=Linear(), offset=False), tol=1e-2)
    problem = PrimalProblem(X, Y, C=1.0, offset=None)
    e = 1.0 - Y * kernel.decision_function(X)
    xi, alpha = np.maximum(0.0, e), kernel.alpha
    kkt = linear_kkt(problem, _point(problem, kernel.weights, alpha))
    assert kkt.complementary_slackness == pytest.approx(np.max(alpha * (xi - e)), abs=1e-12)
    assert kkt.complementary_slackness == pytest.approx(kernel.kkt.complementary_slackness, abs=1e-12)
    assert kkt.slack_complementarity == pytest.approx(kernel.kkt.slack_complementarity, abs=1e-12)
    assert kkt.stationarity == pytest.approx(0.0, abs=1e-12)


def test_multipliers_outside_of_their_bounds() -> None:
    problem = PrimalProblem(X, Y, C=1.0, offset=None)
    kkt = linear_kkt(problem, _point(problem, np.zeros(4), np.full(80, 1.5)))
    assert kkt.dual_feasibility == 0.5
    assert "dual feasibility    0.5" in str(kkt)
    smooth = PrimalProblem(X, Y, C=1.0, offset=None, loss="logistic")
    assert linear_kkt(smooth, _point(smooth, np.zeros(4), np.full(80, 1.5))).dual_feasibility == np.inf


def test_a_ball_that_does_not_bind_leaves_w_open() -> None:
    inside = PrimalProblem(X, Y, loss="logistic", penalty="ball", B=1e6, offset=None)
    assert linear_kkt(inside, solve(inside, tol=1e-9)).w_unique is None


def test_the_problem_of_another_solution() -> None:
    problem = PrimalProblem(X, Y)
    with pytest.raises(InvalidInput, match=r"80 rows of 3 features, but the solution 80 multipliers and 4 weights\. Give the"):
        linear_kkt(PrimalProblem(X[:, :3], Y), solve(problem))
