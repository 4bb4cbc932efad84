"""SEPARABLE is a proof: said where a hyperplane separates the rows as they are stored, and never where none does."""

from __future__ import annotations

import time
import warnings
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from maxmargin import LogisticRegression, Perceptron, solve
from maxmargin.errors import ConvergenceWarning
from maxmargin.problems import MulticlassLinear, PrimalProblem
from maxmargin.solution import Status
from maxmargin.solvers import GradientDescent, Limits
from maxmargin.solvers._separation import Patience, falls_for_ever, leads, multiclass_falls_for_ever, separates

ENDLESS = Limits(tol=1e-4, max_steps=100)


def status_of(X: Any, y: Any, loss: str = "logistic", **given: Any) -> Status:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        found: Status = solve(PrimalProblem(X, y, loss=loss, penalty=None, **given)).status
    return found


def in_one_feature(x: list[float], y: list[int]) -> bool:
    """Whether a threshold separates, perhaps with rows of both classes on it, but not all rows on it: exactly."""
    values = [Fraction(v) for v in x]
    zero, one = [v for v, label in zip(values, y, strict=True) if label == 0], [v for v, k in zip(values, y, strict=True) if k]
    if len(set(values)) == 1:
        return False
    return max(zero) <= min(one) or max(one) <= min(zero)


@settings(max_examples=150, deadline=None)
@given(st.data())
def test_one_feature_with_an_offset(data: st.DataObject) -> None:
    """Thresholds between numbers that differ in their last bits, also far from 0."""
    n = data.draw(st.integers(3, 8))
    base = data.draw(st.sampled_from([0.0, 1.0, 1e6]))
    step = data.draw(st.sampled_from([1.0, 1e-3, 1e-9, 2.0**-52]))
    x = [base + step * data.draw(st.integers(-3, 3)) for _ in range(n)]
    y = [data.draw(st.integers(0, 1)) for _ in range(n)]
    y[0], y[1] = 0, 1
    found = status_of(np.array(x)[:, np.newaxis], y)
    if found is Status.SEPARABLE:
        assert in_one_feature(x, y)
    elif found is Status.CONVERGED:
        assert not in_one_feature(x, y)


@pytest.mark.parametrize("loss", ["logistic", "exponential"])
@pytest.mark.parametrize("shift", [0.0, 1e3])
@pytest.mark.parametrize("margin", [1.0, 1e-3, 1e-6])
def test_small_margins(margin: float, shift: float, loss: str) -> None:
    """Two classes that are ``margin`` apart, and the same two that overlap by as much."""
    apart = np.array([[-1.0], [-margin], [margin], [1.0]]) + shift
    assert status_of(apart, [0, 0, 1, 1], loss) is Status.SEPARABLE
    assert status_of(apart, [0, 1, 0, 1], loss) is not Status.SEPARABLE


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_matrix])
def test_one_category_that_has_one_label(form: Any) -> None:
    """The others overlap: what separates is 0 for all of their rows."""
    codes = np.repeat([0, 1, 2, 3], 6)
    X = np.eye(4)[codes]
    y = np.where(codes == 3, 1, np.arange(24) % 2)
    assert status_of(form(X), y) is Status.SEPARABLE
    y[-1] = 0
    assert status_of(form(X), y) is Status.CONVERGED


def test_rows_of_both_labels_among_real_numbers() -> None:
    """Two of them: the plane through both is separating, and float64 does not have it."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(30, 5))
    normal = rng.normal(size=5)
    scores = X @ normal
    y = (scores > 0).astype(int)
    X, y = np.vstack([X, X[np.argsort(np.abs(scores))[:2]]]), np.append(y, 1 - y[np.argsort(np.abs(scores))[:2]])
    assert status_of(X, y) is Status.SEPARABLE
    twisted = y.copy()
    twisted[:6] = 1 - twisted[:6]
    assert status_of(X, twisted) is not Status.SEPARABLE


def test_separates_is_exact() -> None:
    third = 1.0 / 3.0
    problem = PrimalProblem(
        np.array([[third], [3.0 * third - 1.0], [-1.0]]), [1, 1, 0], loss="logistic", penalty=None, offset=None
    )
    assert separates(problem, np.array([1.0]), 0.0)  # 0 is on the plane
    assert not separates(problem, np.array([-1.0]), 0.0)
    assert not separates(problem, np.array([0.0]), 0.0)
    assert not separates(problem, np.array([np.inf]), 0.0)
    tenth = PrimalProblem(np.array([[0.1, 1.0], [-1.0, -1.0]]), [1, 0], loss="logistic", penalty=None, offset=None)
    w = np.array([10.0, -1.0])  # 10 · 0.1 − 1 is 0 in float64, and 5.6e-17 without rounding
    assert separates(tenth, w, 0.0)
    assert not separates(PrimalProblem(np.array([[0.1, 1.0], [-1.0, -1.0]]), [0, 1], loss="logistic", offset=None), w, 0.0)


def test_classes() -> None:
    rng = np.random.default_rng(1)
    X = np.vstack([rng.normal(size=(10, 2)) + 8.0 * np.array(centre) for centre in ([0, 1], [1, -1], [-1, -1])])
    y = np.repeat([0, 1, 2], 10)
    problem = MulticlassLinear(X, y, penalty=None)
    w, b = np.array([[0.0, 1.0], [1.0, -0.5], [-1.0, -0.5]]), np.zeros(3)
    assert leads(problem, w, b)
    assert not leads(problem, 0.0 * w, b)
    assert not leads(problem, -w, b)
    patience = Patience(ENDLESS, None)
    assert multiclass_falls_for_ever(problem, np.zeros((30, 3)), patience)
    mixed = MulticlassLinear(rng.normal(size=(60, 2)), rng.integers(0, 3, 60), penalty=None)
    assert not multiclass_falls_for_ever(mixed, np.zeros((60, 3)), patience)
    with pytest.warns(ConvergenceWarning, match="SEPARABLE"):
        assert LogisticRegression(penalty=None).fit(X, y).status_ is Status.SEPARABLE


def test_a_program_that_has_no_time_says_nothing() -> None:
    X, y = np.array([[0.0], [1.0]]), [0, 1]
    problem = PrimalProblem(X, y, loss="logistic", penalty=None)
    assert falls_for_ever(problem, np.zeros(2), Patience(ENDLESS, None))
    late = Patience(Limits(tol=1e-4, max_steps=100, max_seconds=0.0), None)
    time.sleep(1e-3)
    assert not falls_for_ever(problem, np.zeros(2), late)
    stopped = Patience(ENDLESS, lambda progress: True)
    assert stopped(0)
    assert stopped.stopped


def test_gradient_descent_claims_what_is_proven() -> None:
    X, y = np.array([[-2.0], [-1.0], [1.0], [2.0]]), [0, 0, 1, 1]
    problem = PrimalProblem(X, y, loss="logistic", penalty=None)
    with pytest.warns(ConvergenceWarning, match="SEPARABLE"):
        first = solve(problem, solver=GradientDescent())
    assert separates(problem, first.weights, first.bias)


def test_a_perceptrons_proof_speaks_of_both_signs() -> None:
    """It wants f ≥ 0 of the positive rows and f < 0 of the others: without an offset, w = (1, 0) does that here.

    A hard margin wants more, and has a proof that there is none: the two positive rows cancel.
    """
    X, y = np.array([[0.0, 1.0], [0.0, -1.0], [-1.0, 5.0]]), [1, 1, 0]
    with pytest.warns(ConvergenceWarning, match="ITERATION_LIMIT"):
        short = Perceptron(fit_intercept=False, max_iter=2).fit(X, y)
    assert short.status_ is Status.ITERATION_LIMIT
    assert Perceptron(fit_intercept=False).fit(X, y).status_ is Status.CONVERGED
    with pytest.warns(ConvergenceWarning, match="INSEPARABLE"):
        none = Perceptron(fit_intercept=False, max_iter=2).fit(np.vstack([X, -X[2:]]), [1, 1, 0, 0])
    assert none.status_ is Status.INSEPARABLE
