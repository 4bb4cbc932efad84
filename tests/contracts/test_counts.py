"""Counts that do not depend on the clock: a slower search shows here before anybody times it."""

from __future__ import annotations

import os
from dataclasses import dataclass

import numpy as np
import pytest

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
    Count(9000, 100.0, steps=134224, rows_made=6412, newton_rounds=3),
    Count(12000, 10.0, steps=40776, rows_made=6644, newton_rounds=0),
]


def _run(count: Count) -> Iterate:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(count.rows, 6))
    y = np.sin(X[:, 0]) + X[:, 1] * X[:, 2] + 0.5 * rng.normal(size=count.rows) > 0
    problem = SoftMargin(X, y, C=count.C, kernel=RBF(gamma=1 / 6))
    (iterate,) = SMO(cache_size=1000).run([problem], [Start.zero(problem.dual)], Limits(1e-3, 10**7, 0.0), None)
    return iterate


@pytest.mark.parametrize("count", COUNTS, ids=str)
def test_the_search_takes_no_more_than_it_did(count: Count) -> None:
    if os.environ.get("MAXMARGIN_CPU") == "baseline":
        pytest.skip("the counts are those of the default instruction set")
    iterate = _run(count)
    assert iterate.steps <= SLACK * count.steps
    assert iterate.rows_made <= SLACK * count.rows_made
    assert iterate.newton_rounds <= count.newton_rounds + 2
