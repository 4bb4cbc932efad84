"""The lectures' solvers at their limits: steps that run off, digits that run out, and weights that grow without end."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

from maxmargin import solve
from maxmargin.errors import ConvergenceWarning, InvalidInput
from maxmargin.kernels import RBF, Linear
from maxmargin.problems import PrimalProblem, SoftMargin
from maxmargin.solution import Status
from maxmargin.solvers import GradientDescent, KernelSubgradient, ProjectedGradient

RNG = np.random.default_rng(0)
X = RNG.normal(size=(40, 2))
Y = np.where(X[:, 0] + 0.5 * RNG.normal(size=40) > 0, 1, -1)


def quietly(problem: Any, **given: Any) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return solve(problem, **given)


@pytest.mark.parametrize("C", [0.01, 1e3, 1e5])
@pytest.mark.parametrize("offset", [True, False])
def test_a_stochastic_walk_that_runs_off_says_so(offset: bool, C: float) -> None:
    """Squared slack has slopes without a bound, and the first steps of a small λ are too long for them."""
    problem = SoftMargin(X, Y, C=C, kernel=RBF(gamma=0.5), slack="squared", offset=offset)
    found = quietly(problem, solver=KernelSubgradient(seed=0), max_iter=3000)
    assert np.isfinite(found.certificate.primal_objective)
    assert (found.status is Status.DIVERGED) == (C > 1.0)


def test_what_a_walk_that_ran_off_hands_back_is_a_point() -> None:
    problem = SoftMargin(X, Y, C=1e4, kernel=RBF(gamma=0.5), slack="squared")
    with pytest.warns(ConvergenceWarning, match="DIVERGED"):
        found = solve(problem, solver=KernelSubgradient(seed=0), max_iter=20_000)
    assert np.isfinite(found.alpha).all()
    assert np.isfinite(found.decision_function(X)).all()


@pytest.mark.parametrize("kernel", [RBF(gamma=0.5), Linear()])
@pytest.mark.parametrize("offset", [True, False])
@pytest.mark.parametrize("share", [0.5, 1.0, 1.9])
def test_projected_steps_of_any_length_have_all_digits(share: float, offset: bool, kernel: Any) -> None:
    """The objective sees the square of a step: it stands still at 1e-8, and the steps go on."""
    problem = SoftMargin(X, Y, C=1.0, kernel=kernel, offset=offset)
    every = np.arange(40, dtype=np.int32)
    norm = float(np.linalg.norm(problem.dual.gram.block(every, every), 2))
    found = quietly(problem, solver=ProjectedGradient(step=share / norm), tol=1e-11)
    assert found.status is Status.CONVERGED
    assert found.certificate.kkt_violation <= 1e-11


@pytest.mark.parametrize("loss", ["logistic", "exponential"])
def test_weights_grow_without_end_where_a_hyperplane_separates(loss: str) -> None:
    rows = np.vstack([X[Y > 0] + 3.0, X[Y < 0] - 3.0])
    problem = PrimalProblem(rows, np.sort(-Y), loss=loss, penalty=None)
    at_once = quietly(problem, solver=GradientDescent())
    assert at_once.status is Status.SEPARABLE
    assert at_once.steps < 100
    lengths, losses = [], []
    for steps in (100, 1000, 10_000):
        found = quietly(problem, solver=GradientDescent(stop_when_separable=False), max_iter=steps)
        assert found.status is Status.SEPARABLE
        assert found.steps == steps
        lengths.append(float(np.linalg.norm(found.weights)))
        losses.append(found.certificate.primal_objective)
    # by about as much for every tenfold of steps: like their logarithm (Soudry and others 2018)
    assert np.diff(lengths) == pytest.approx(np.full(2, lengths[2] - lengths[1]), rel=0.5)
    assert losses[0] > 5.0 * losses[1] > 25.0 * losses[2] > 0.0


def test_going_on_changes_nothing_where_there_is_a_minimum() -> None:
    problem = PrimalProblem(X, Y, loss="logistic", penalty=None)
    one, other = (solve(problem, solver=GradientDescent(stop_when_separable=stop), tol=1e-6) for stop in (True, False))
    assert one.status is other.status is Status.CONVERGED
    np.testing.assert_array_equal(one.weights, other.weights)


def test_the_option_is_a_boolean() -> None:
    with pytest.raises(InvalidInput, match="'stop_when_separable' parameter of GradientDescent must be an instance of 'bool'"):
        GradientDescent(stop_when_separable="no")  # type: ignore[arg-type]
