"""A search whose time is over has converged if it has the gap that it was asked for, and not otherwise."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import pytest

from maxmargin.problems import MulticlassLinear, PrimalProblem
from maxmargin.solution import Progress, Status
from maxmargin.solvers import Limits, MulticlassNewton, ProximalNewton

RNG = np.random.default_rng(0)
TALL = RNG.standard_normal((430, 300))
SIDES = np.sign(TALL[:, 0] + RNG.standard_normal(430))
CLASSES = np.digitize(TALL[:, 0] + 0.5 * RNG.standard_normal(430), [-1.0, -0.4, 0.0, 0.4, 1.0])

# So small that they go on to the last digit, and so hard that this takes longer than a look at the clock.
SEARCHES: dict[str, tuple[Any, Any]] = {
    "l1": (ProximalNewton(), PrimalProblem(TALL, SIDES, loss="squared_hinge", penalty="l1", C=1e3)),
    "classes": (MulticlassNewton(), MulticlassLinear(TALL[:, :95], CLASSES, loss="joint", C=100.0)),
}


@pytest.mark.parametrize(("tol", "status"), [(2.0, Status.CONVERGED), (1e-12, Status.TIME_LIMIT)])
@pytest.mark.parametrize("name", SEARCHES)
def test_time_runs_out_between_two_points(name: str, tol: float, status: Status) -> None:
    """The callback sleeps until the time is over: the search sees that at once, in the middle of a round or after it."""
    solver, problem = SEARCHES[name]
    seen: list[Progress] = []

    def sleep(progress: Progress) -> None:
        seen.append(progress)
        time.sleep(0.4)

    found = solver.run_one(problem, None, Limits(tol=tol, max_steps=100_000, max_seconds=0.3), sleep)
    assert seen, "it ended before the first look at the clock: take a harder problem"
    assert found.status is status
