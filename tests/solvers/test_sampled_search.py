"""Large problems begin with a sample of their rows: the answer is the one of all rows, whatever the sample was like."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import sparse

from maxmargin import problems, solve
from maxmargin.errors import ConvergenceWarning
from maxmargin.kernels import RBF, Kernel, Linear
from maxmargin.problems import Problem
from maxmargin.solution import Progress, Status
from maxmargin.solvers import SMO

ROWS = 12000


@functools.cache
def _points() -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    rng = np.random.default_rng(5)
    X = rng.normal(size=(ROWS, 4))
    return X, np.sin(X[:, 0]) + X[:, 1] * X[:, 2] + 0.3 * rng.normal(size=ROWS)


def _soft(y: Callable[[NDArray[np.float64]], Any], kernel: Kernel | None = None, C: float = 1.0, **more: Any) -> Problem:
    X, level = _points()
    return problems.SoftMargin(X, y(level), C=C, kernel=kernel or RBF(gamma=0.25), **more)


def _sorted() -> Problem:
    X, level = _points()
    order = np.argsort(level, kind="stable")
    return problems.SoftMargin(X[order], level[order] > 0.5, kernel=RBF(gamma=0.25))


def _wide() -> Problem:
    X, level = _points()
    rare = sparse.csr_array((np.full(ROWS, 0.1), (np.arange(ROWS), np.arange(ROWS))), shape=(ROWS, 60000))
    return problems.SoftMargin(sparse.hstack([X, rare]).tocsr(), level > 0, kernel=RBF(gamma=0.25))


def _tube() -> Problem:
    X, level = _points()
    return problems.EpsilonRegression(X, 100.0 * np.sin(level), C=50.0, epsilon=60.0, kernel=RBF(gamma=0.25))


def _blobs(C: float) -> Problem:
    """As many rows of both classes, and all of them support vectors at C: between the levels there is much room."""
    y = np.repeat([0, 1], ROWS // 2)
    X = np.random.default_rng(0).normal(size=(ROWS, 2)) + y[:, np.newaxis]
    return problems.SoftMargin(X, y, C=C, kernel=RBF(gamma=0.5))


SAMPLED: dict[str, Callable[[], Problem]] = {
    "two classes": lambda: _soft(lambda level: level > 0),
    "sorted by class": _sorted,
    "labels without meaning": lambda: _soft(lambda level: np.random.default_rng(0).random(len(level)) > 0.5),
    "linear kernel": lambda: _soft(lambda level: level > 0, kernel=Linear()),
    "weights": lambda: _soft(lambda level: level > 0, sample_weight=np.linspace(0.0, 2.0, ROWS)),
    "wide sparse rows": _wide,
    "a tube": _tube,
    "no free variable": lambda: _blobs(1e-5),
    "hardly a free variable": lambda: _blobs(1e-3),
}
WHOLE: dict[str, Callable[[], Problem]] = {
    "a class that the sample misses": lambda: _soft(lambda level: level > np.sort(level)[-4]),
    "squared slack": lambda: _soft(lambda level: level > 0, slack="squared"),
    "no offset": lambda: _soft(lambda level: level > 0, offset=False),
    "large C": lambda: _soft(lambda level: level > 0, C=100.0),
}
CASES = {**SAMPLED, **WHOLE}


def _begins_with_a_sample(problem: Problem) -> bool:
    """After some steps: is there at most one support vector among each eight neighbours?"""
    early = solve(problem, max_iter=60, throw=False)
    return len(np.unique(early.support // 8)) == len(early.support)


@pytest.mark.filterwarnings("ignore:ITERATION_LIMIT")
@pytest.mark.parametrize("name", CASES)
def test_which_problems_it_is_for(name: str) -> None:
    assert _begins_with_a_sample(CASES[name]()) == (name in SAMPLED)


@pytest.mark.parametrize("name", CASES)
def test_it_finds_the_optimum_of_all_rows(name: str) -> None:
    problem = CASES[name]()
    sampled, whole = (solve(problem, solver=SMO(shrinking=shrinking)) for shrinking in (True, False))
    assert sampled.status is whole.status is Status.CONVERGED
    for ours, other in ((sampled, whole), (whole, sampled)):
        assert ours.certificate.dual_objective <= other.certificate.primal_objective * (1 + 1e-12)
        assert ours.certificate.kkt_violation <= 1e-3
    objective = sampled.trace.objective
    assert (np.diff(objective[:-1]) >= 0).all()
    assert objective[-1] == pytest.approx(objective[-2], rel=1e-8) or objective[-1] > objective[-2]  # evaluated in float64


def test_little_memory_is_enough() -> None:
    problem = CASES["two classes"]()
    little, much = (solve(problem, solver=SMO(cache_size=size)) for size in (2, 500))
    assert little.status is Status.CONVERGED
    assert little.certificate.dual_objective == pytest.approx(much.certificate.dual_objective, rel=1e-3)


def test_a_budget_ends_it_in_the_sample_and_after() -> None:
    problem = CASES["two classes"]()
    steps = solve(problem).steps
    for limit in (10, steps // 4, steps // 2):
        with pytest.warns(ConvergenceWarning, match="ITERATION_LIMIT"):
            ended = solve(problem, max_iter=limit)
        assert ended.status is Status.ITERATION_LIMIT
        assert ended.steps <= limit


def _long() -> Problem:
    rng = np.random.default_rng(1)
    X = rng.normal(size=(40000, 8))
    return problems.SoftMargin(X, X[:, 1] + X[:, 0] * X[:, 2] + rng.normal(size=40000) > 0, kernel=RBF(gamma=0.125))


def test_reports_tell_of_all_rows() -> None:
    seen: list[Progress] = []

    def keep(progress: Progress) -> bool:
        seen.append(progress)
        return False

    found = solve(_long(), callback=keep)
    assert found.status is Status.CONVERGED
    assert len(seen) > 3
    *under_way, end = seen
    assert [progress.done for progress in seen] == [False] * len(under_way) + [True]
    assert all(before.objective <= after.objective for before, after in itertools.pairwise(under_way))
    assert end.objective >= under_way[-1].objective * (1.0 - 1e-6)  # computed anew in float64
    assert min(progress.violation for progress in under_way) > 1e-3
    assert 0.5 * found.certificate.kkt_violation <= end.violation <= 1e-3


def test_it_can_be_stopped_at_any_report() -> None:
    problem = _long()
    for report in range(1, 4):
        seen: list[Progress] = []

        def stop(progress: Progress, seen: list[Progress] = seen, last: int = report) -> bool:
            seen.append(progress)
            return len(seen) == last

        with pytest.warns(ConvergenceWarning, match="INTERRUPTED"):
            ended = solve(problem, callback=stop)
        assert ended.status is Status.INTERRUPTED
        assert len(seen) == report
