"""Counts that do not depend on the clock: a slower search shows here before anybody times it."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import sparse

from maxmargin import LinearSVC
from maxmargin.kernels import RBF
from maxmargin.problems import SoftMargin
from maxmargin.solution import Iterate
from maxmargin.solvers import SMO, Limits, Start

SLACK = 1.15
"""Another compiler or instruction set rounds otherwise, and the search goes a little another way."""


@dataclass(frozen=True)
class Count:
    """A generated problem, and what the engine needs for it: pair steps, kernel rows made, Newton rounds."""

    rows: int
    C: float
    steps: int
    rows_made: int
    newton_rounds: int

    def __str__(self) -> str:
        return f"{self.rows} rows, C = {self.C:g}"


COUNTS = [
    Count(600, 1.0, steps=446, rows_made=414, newton_rounds=0),
    Count(2000, 1e4, steps=76471, rows_made=2224, newton_rounds=9),
    Count(9000, 1.0, steps=6833, rows_made=5174, newton_rounds=0),
    Count(9000, 100.0, steps=158127, rows_made=6606, newton_rounds=4),
    Count(12000, 10.0, steps=60214, rows_made=8924, newton_rounds=4),  # begins with a sample: more steps in shorter rows
]


def _run(count: Count) -> Iterate:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(count.rows, 6))
    y = np.sin(X[:, 0]) + X[:, 1] * X[:, 2] + 0.5 * rng.normal(size=count.rows) > 0
    problem = SoftMargin(X, y, C=count.C, kernel=RBF(gamma=1 / 6))
    (iterate,) = SMO(cache_size=1000).run([problem], [Start.zero(problem.dual)], Limits(1e-3, 10**7), None)
    return iterate


@pytest.mark.parametrize("count", COUNTS, ids=str)
def test_the_search_takes_no_more_than_it_did(count: Count) -> None:
    if os.environ.get("MAXMARGIN_CPU") == "baseline":
        pytest.skip("the counts are those of the default instruction set")
    iterate = _run(count)
    assert iterate.steps <= SLACK * count.steps
    assert iterate.rows_made <= SLACK * count.rows_made
    assert iterate.newton_rounds <= count.newton_rounds + 2


@dataclass(frozen=True)
class LinearCount:
    """A linear model, and what its solver needs: sweeps, or rounds of Newton."""

    data: Callable[[], tuple[Any, NDArray[np.bool_]]]
    loss: str
    C: float
    solver: str
    rounds: int

    def __str__(self) -> str:
        return f"{self.data.__name__.strip('_')}, {self.loss}, C = {self.C:g}, {self.solver}"


def _words() -> tuple[sparse.csr_array, NDArray[np.bool_]]:
    """Counts of words, few of them common, in texts of very different lengths."""
    rng = np.random.default_rng(0)
    texts, words = 4000, 6000
    lengths = np.exp(rng.normal(3.5, 1, size=texts)).astype(int) + 1
    drawn = np.minimum(rng.zipf(1.3, size=lengths.sum()) - 1, words - 1)
    X = sparse.csr_array((np.ones(len(drawn)), (np.repeat(np.arange(texts), lengths), drawn)), shape=(texts, words))
    X.sum_duplicates()
    return X, X @ rng.normal(size=words) + np.sqrt(lengths) * rng.normal(size=texts) > 0


def _columns() -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Few features of different scales."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(20_000, 30)) * np.logspace(-1, 1, 30)
    return X, X @ rng.normal(size=30) + 3 * rng.normal(size=len(X)) > 0


LINEAR_COUNTS = [
    LinearCount(_words, "hinge", 1.0, "coordinate_descent", 169),
    LinearCount(_words, "squared_hinge", 1.0, "coordinate_descent", 88),
    LinearCount(_columns, "hinge", 0.1, "auto", 7),
    LinearCount(_columns, "hinge", 100.0, "auto", 10),
    LinearCount(_columns, "squared_hinge", 100.0, "auto", 3),
]


@pytest.mark.parametrize("count", LINEAR_COUNTS, ids=str)
def test_linear_searches_take_no_more_than_they_did(count: LinearCount) -> None:
    X, y = count.data()
    model = LinearSVC(loss=count.loss, C=count.C, solver=count.solver, tol=1e-3, penalise_intercept=True).fit(X, y)
    assert model.certificate_.relative_gap <= 1e-3
    assert model.n_iter_ <= 1.25 * count.rounds
