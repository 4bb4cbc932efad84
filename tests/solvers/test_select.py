"""What "auto" takes for a problem of any family, why, and what other solvers and names are told."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from maxmargin import solve
from maxmargin.errors import InvalidInput
from maxmargin.losses import ConvexLoss, MarginLoss
from maxmargin.problems import CrammerSinger, MulticlassLinear, PrimalProblem, SoftMargin
from maxmargin.solvers import (
    SMO,
    BallSearch,
    CrammerSingerDescent,
    GradientDescent,
    LinearNewton,
    LinearProgram,
    MulticlassNewton,
    ProximalNewton,
    Solver,
    select,
)

X, Y = [[-1.0], [0.5], [1.0]], [-1, 1, 1]


@dataclass(frozen=True)
class _Cubic(MarginLoss, ConvexLoss):
    """``max(0, 1 − z)³/3 + max(0, 1 − z)``, which no engine knows."""

    name = "cubic"
    curvature = np.inf

    def value(self, z: Any) -> Any:
        short = np.maximum(0.0, 1.0 - z)
        return short**3 / 3.0 + short

    def derivative(self, z: Any) -> Any:
        short = np.maximum(0.0, 1.0 - z)
        return -(short**2) - (short > 0.0)

    def conjugate(self, slope: Any) -> Any:
        return np.where(slope <= 0.0, slope + 2.0 / 3.0 * np.maximum(0.0, -slope - 1.0) ** 1.5, np.inf)


PROBLEMS = {
    "dual": (SoftMargin(X, Y), SMO(), "the engine"),
    "joint": (CrammerSinger(X, [0, 1, 2]), CrammerSingerDescent(), "all classes at once"),
    "classes": (MulticlassLinear(X, [0, 1, 2]), MulticlassNewton(), "Newton's method"),
    "linear": (PrimalProblem(X, Y), LinearNewton(), "Newton's method"),
    "ball": (PrimalProblem(X, Y, penalty="ball", B=1.0), BallSearch(), "a ball"),
    "l1 and smooth": (PrimalProblem(X, Y, loss="logistic", penalty="l1"), ProximalNewton(), "smooth"),
    "l1 and kinked": (PrimalProblem(X, Y, loss="hinge", penalty="l1"), LinearProgram(), "linear program"),
}


@pytest.mark.parametrize("kind", PROBLEMS)
def test_every_family_has_a_choice_with_a_reason(kind: str) -> None:
    problem, solver, reason = PROBLEMS[kind]
    chosen = select(problem)
    assert isinstance(chosen.solver, Solver)
    assert chosen.solver == solver
    assert reason in chosen.reason
    assert chosen.solver.supports(problem) is None


@pytest.mark.parametrize("kind", PROBLEMS)
def test_auto_is_what_select_tells(kind: str) -> None:
    problem, solver, _ = PROBLEMS[kind]
    automatic, given = solve(problem), solve(problem, solver=solver)
    assert automatic.certificate == given.certificate


@pytest.mark.parametrize("kind", ["dual", "joint", "classes", "linear"])
def test_a_solver_of_another_family_is_refused(kind: str) -> None:
    problem, own, _ = PROBLEMS[kind]
    others = {SMO(), CrammerSingerDescent(), MulticlassNewton(), LinearNewton()} - {own}
    for other in others:
        with pytest.raises(InvalidInput, match=r"The 'solver' parameter must be one of 'auto'.* Got .* instead"):
            solve(problem, solver=other)


def test_a_loss_of_ones_own_is_walked_down() -> None:
    problem = PrimalProblem(X, Y, loss=_Cubic())
    assert "does not know" in select(problem).reason
    with pytest.raises(InvalidInput, match=r"no solver for loss _Cubic.* with penalty='l1'.*In detail: LinearNewton:"):
        select(PrimalProblem(X, Y, loss=_Cubic(), penalty="l1"))


def test_what_is_no_problem_is_refused() -> None:
    with pytest.raises(InvalidInput, match="Got an object of type 'str'; try SoftMargin"):
        solve("SVC")


def test_gradient_descent_goes_on_from_a_start() -> None:
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(60, 3))
    labels = rows[:, 0] + rng.normal(size=60) > 0
    before = solve(PrimalProblem(rows, labels, loss="logistic"), solver=GradientDescent(), tol=1e-9)
    problem = PrimalProblem(rows, labels, loss="logistic", C=1.001)
    cold = solve(problem, solver=GradientDescent(), tol=1e-9)
    warm = solve(problem, solver=GradientDescent(), tol=1e-9, start=before)
    assert 0 < warm.steps < cold.steps
    np.testing.assert_allclose(warm.weights, cold.weights, atol=1e-4)
