"""Sigmoid, odds, logit; and maximum likelihood is minimum cross-entropy."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize
from scipy.special import expit, ndtr

from maxmargin import LogisticRegression, solve
from maxmargin.errors import InvalidInput
from maxmargin.losses import Logistic, cross_entropy, logit, odds, sigmoid
from maxmargin.problems import PrimalProblem

RNG = np.random.default_rng(0)
X = np.sort(RNG.normal(size=14))
C = (RNG.random(14) < expit(0.5 + 1.5 * X)).astype(int)


@given(st.floats(-700.0, 700.0))
def test_sigmoid_odds_and_logit_belong_together(f: float) -> None:
    h = float(sigmoid(f))
    assert h == pytest.approx(float(expit(f)), rel=1e-14)
    assert float(sigmoid(f)) + float(sigmoid(-f)) == pytest.approx(1.0, rel=1e-14)
    if abs(f) < 15.0:
        assert float(logit(h)) == pytest.approx(f, rel=1e-8, abs=1e-8)
        assert math.log(float(odds(h))) == pytest.approx(f, rel=1e-8, abs=1e-8)


@pytest.mark.filterwarnings("error")
def test_the_ends() -> None:
    np.testing.assert_array_equal(sigmoid([-np.inf, np.inf]), [0.0, 1.0])
    np.testing.assert_array_equal(odds([0.0, 1.0]), [0.0, np.inf])
    np.testing.assert_array_equal(logit([0.0, 1.0]), [-np.inf, np.inf])
    assert cross_entropy([1], [0.0]) == math.inf


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: odds(1.5), r"odds is of probabilities, between 0 and 1\. Got 1\.5"),
        (lambda: logit([0.5, -0.1]), r"logit is of probabilities, between 0 and 1\. Got -0\.1"),
        (lambda: logit(np.nan), r"Got nan"),
        (lambda: cross_entropy([0, 1], [0.5]), r"one class, 0 or 1, for each of 1 probabilities\. Got 2 of \[0\.0, 1\.0\]"),
        (lambda: cross_entropy([-1, 1], [0.5, 0.5]), r"Got 2 of \[-1\.0, 1\.0\]"),
    ],
)
def test_what_is_no_probability_is_said(make: Callable[[], Any], words: str) -> None:
    with pytest.raises(InvalidInput, match=words):
        make()


def likelihood(h: Any) -> float:
    """Probability that independent trials come out as C: a plain product."""
    return float(np.prod(np.where(C == 1, h, 1.0 - h)))


@given(st.floats(-5.0, 5.0), st.floats(-5.0, 5.0))
def test_cross_entropy_is_minus_the_log_likelihood_and_the_logistic_loss(b: float, w: float) -> None:
    f = b + w * X
    found = cross_entropy(C, sigmoid(f))
    assert found == pytest.approx(-math.log(likelihood(sigmoid(f))), rel=1e-10)
    assert found == pytest.approx(float(Logistic().value((2 * C - 1) * f).sum()), rel=1e-10)
    assert found == pytest.approx(PrimalProblem(X[:, None], C, loss="logistic", penalty=None).objective(np.array([w]), b))


def test_the_likelihood_is_how_often_trials_come_out_so() -> None:
    """The fourth text's experiment, on the first five rows: draw classes with probabilities h, and count the right draws."""
    h, rng = sigmoid(0.5 + 1.5 * X[:5]), np.random.default_rng(1)
    right = (rng.random((200_000, 5)) < h) == (C[:5] == 1)
    expected = math.exp(-cross_entropy(C[:5], h))
    often = right.all(axis=1).mean()
    assert often == pytest.approx(expected, abs=5 * math.sqrt(expected / 200_000))


def test_maximum_likelihood_is_minimum_cross_entropy() -> None:
    """The likelihood as a product, made large by a search that knows no logarithm and no gradient."""
    searched = minimize(
        lambda u: -likelihood(expit(u[0] + u[1] * X)), [0.0, 0.0], method="Nelder-Mead", options={"xatol": 1e-9, "fatol": 1e-16}
    ).x
    solution = solve(PrimalProblem(X[:, None], C, loss="logistic", penalty=None), tol=1e-10)
    model = LogisticRegression(penalty=None, tol=1e-10).fit(X[:, None], C)
    for b, w in ((solution.bias, solution.weights[0]), (model.intercept_[0], model.coef_[0, 0])):
        np.testing.assert_allclose([b, w], searched, atol=1e-5)
    best = likelihood(sigmoid(solution.bias + solution.weights[0] * X))
    assert solution.certificate.primal_objective == pytest.approx(-math.log(best), rel=1e-9)


@pytest.mark.parametrize("curve", [expit, ndtr, lambda f: 0.5 + np.arctan(f) / np.pi], ids=["logistic", "normal", "arctangent"])
def test_that_does_not_depend_on_the_sigmoid(curve: Callable[[Any], Any]) -> None:
    grid = [(b, w) for b in np.linspace(-2, 2, 41) for w in np.linspace(-1, 4, 51)]
    likely = [likelihood(curve(b + w * X)) for b, w in grid]
    entropy = [cross_entropy(C, curve(b + w * X)) for b, w in grid]
    assert int(np.argmax(likely)) == int(np.argmin(entropy))
    np.testing.assert_array_equal(np.argsort(likely)[-50:], np.argsort(entropy)[:50][::-1])
