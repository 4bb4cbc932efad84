"""Curves of several solvers: what is drawn is their traces, and what does not fit is said."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from matplotlib import pyplot
from matplotlib.figure import Figure

from maxmargin import solve
from maxmargin.errors import InvalidInput
from maxmargin.kernels import RBF, Linear
from maxmargin.plots import convergence
from maxmargin.problems import CrammerSinger, MulticlassLinear, PrimalProblem, SoftMargin
from maxmargin.solution import Solution, Trace
from maxmargin.solvers import Decomposition, ProjectedGradient

NAMES = ["gradient", "decomposition"]


@pytest.fixture(scope="module")
def solutions() -> list[Solution]:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(30, 2))
    problem = SoftMargin(X, X[:, 0] + 0.5 * rng.normal(size=30) > 0, kernel=RBF(gamma=1.0))
    return [solve(problem, solver=ProjectedGradient()), solve(problem, solver=Decomposition(q=8))]


def _curves(ax: Any) -> dict[str, Any]:
    return {line.get_gid(): line for line in ax.lines if line.get_gid()}


def test_curves_are_the_traces(solutions: list[Solution]) -> None:
    axes = convergence(solutions, NAMES, axes=Figure().subplots(2, 2))
    assert axes.shape == (2, 2)
    best = max(solution.trace.objective.max() for solution in solutions)
    for name, solution in zip(NAMES, solutions, strict=True):
        trace = solution.trace
        for column, along in enumerate((trace.seconds, trace.steps)):
            distance, violation = (_curves(axes[row, column])[name] for row in range(2))
            np.testing.assert_allclose(distance.get_xdata()[1:], np.maximum(along, 1e-6)[1:])
            drawn = distance.get_ydata()
            shown = drawn > 1e-16
            np.testing.assert_allclose(drawn[shown], ((best - trace.objective) / max(1.0, abs(best)))[shown])
            np.testing.assert_allclose(violation.get_ydata(), np.maximum(trace.violation, 1e-16))
    assert [text.get_text() for text in axes[0, 1].get_legend().get_texts()] == NAMES
    assert {(ax.get_xscale(), ax.get_yscale()) for ax in axes.ravel()} == {("log", "log")}


def test_one_solution_and_its_own_figure(solutions: list[Solution]) -> None:
    axes = convergence(solutions[0])
    assert axes[0, 0].figure.number in pyplot.get_fignums()
    assert set(_curves(axes[0, 0])) == {"ProjectedGradient"}


def test_a_known_optimum(solutions: list[Solution]) -> None:
    top = solutions[1].certificate.primal_objective + 1.0
    axes = convergence(solutions, axes=Figure().subplots(2, 2), best=top)
    lowest = min(curve.get_ydata().min() for curve in _curves(axes[0, 0]).values())
    assert lowest >= 0.99 / max(1.0, abs(top))


def _rows() -> tuple[Any, Any]:
    rng = np.random.default_rng(1)
    X = rng.normal(size=(60, 3))
    return X, X[:, 0] + 0.7 * rng.normal(size=60) > 0


def test_linear_models_beside_the_dual() -> None:
    """Of the primal objective its distance, and for all the relative gap."""
    problem = PrimalProblem(*_rows(), offset="penalised")
    drawn = {
        "newton": solve(problem, tol=1e-8),
        "sweeps": solve(problem, solver="coordinate_descent", tol=1e-6),
        "dual": solve(SoftMargin(*_rows(), kernel=Linear(), offset="penalised"), tol=1e-6),
    }
    axes = convergence(drawn, axes=Figure().subplots(2, 2))
    top = max(solution.trace.objective.max() for solution in drawn.values())
    for name, solution in drawn.items():
        trace = solution.trace
        away = top - trace.objective if name == "dual" else trace.primal - top
        above, below = (_curves(axes[row, 1])[name].get_ydata() for row in range(2))
        np.testing.assert_allclose(above, np.maximum(away / max(1.0, abs(top)), 1e-16))
        gap = trace.gap / np.maximum(np.abs(trace.primal), np.abs(trace.objective))
        np.testing.assert_allclose(below, np.maximum(gap, 1e-16))
        assert above[-1] < 1e-5 < above[0]
        assert below[-1] < 1e-4
    assert [text.get_text() for text in axes[0, 1].get_legend().get_texts()] == list(drawn)
    assert axes[1, 0].get_ylabel() == "relative gap"


def test_all_classes_at_once() -> None:
    X, _ = _rows()
    y = np.digitize(X[:, 1], [-0.5, 0.5])
    joint = solve(CrammerSinger(X, y, kernel=Linear(), C=2.0))
    axes = convergence(joint, axes=Figure().subplots(2, 2))
    np.testing.assert_allclose(
        _curves(axes[1, 1])["CrammerSingerDescent"].get_ydata(), np.maximum(joint.trace.violation, 1e-16)
    )
    assert axes[1, 0].get_ylabel() == "KKT violation"
    linear = solve(MulticlassLinear(X, y, loss="joint"))
    axes = convergence([linear, solve(MulticlassLinear(X, y, loss="joint"), solver="coordinate_descent")])
    assert set(_curves(axes[0, 0])) == {"MulticlassNewton", "MulticlassDescent"}
    with pytest.raises(
        InvalidInput, match=r"answers to one problem\. Got number 1 with a primal objective of .*, with the same C\."
    ):
        convergence([joint, linear])  # the joint problem has |w_k|² without its half


def test_messages(solutions: list[Solution]) -> None:
    with pytest.raises(InvalidInput, match=r"must be one or more solutions of maxmargin.solve. Got none\."):
        convergence([])
    with pytest.raises(InvalidInput, match=r"Got \['int'\]\."):
        convergence([1])
    with pytest.raises(InvalidInput, match=r"one name for each of 2\. Got 1\."):
        convergence(solutions, ["a"])
    with pytest.raises(InvalidInput, match=r"one name for each of 2\. Got 'ab'\."):
        convergence(solutions, "ab")
    with pytest.raises(InvalidInput, match=r"must be None where 'solutions' is a dict: its keys are names\."):
        convergence({"a": solutions[0]}, ["a"])
    with pytest.raises(InvalidInput, match=r"must be four axes\. Got 2\."):
        convergence(solutions, axes=Figure().subplots(1, 2))
    with pytest.raises(InvalidInput, match=r"Solutions \[0\] have no trace"):
        convergence([replace(solutions[0], trace=Trace.of())])


def test_solvers_name_themselves(solutions: list[Solution]) -> None:
    axes = convergence(solutions, axes=Figure().subplots(2, 2))
    assert set(_curves(axes[0, 0])) == {"ProjectedGradient", "Decomposition"}
    twice = convergence([solutions[0], solutions[0]], axes=Figure().subplots(2, 2))
    assert set(_curves(twice[0, 0])) == {"ProjectedGradient 0", "ProjectedGradient 1"}
