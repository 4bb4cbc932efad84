"""Small fits that rounding or bad conditioning keeps from their optimum end after few steps, and within seconds."""

from __future__ import annotations

import time
import warnings
from typing import Any

import numpy as np
import pytest

from maxmargin import SVC, SVR
from maxmargin.solution import Status
from maxmargin.solvers import SMO

MOST_STEPS = 1_000_000
"""Of all binary classifiers together; before, each took up to 4 million, and a fit up to 14 seconds."""
LONGEST = 10.0
"""Seconds of a processor for a small fit."""


def _rows(seed: int, n: int, d: int, offset: float) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    codes = np.arange(n) % 4
    return 2.0 * rng.normal(size=(4, d))[codes] + rng.normal(size=(n, d)) + offset, codes


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(
    ("settings", "n", "d"),
    [
        ({"C": 946.0, "degree": 1, "coef0": 1.0, "tol": 1e-4}, 17, 5),
        ({"C": np.inf, "degree": 3, "gamma": 0.27, "tol": 1e-4}, 23, 3),
        ({"C": 849.0, "degree": 4, "coef0": 10.0, "tol": 0.1}, 8, 1),
    ],
)
def test_circles_end(settings: dict[str, Any], n: int, d: int, seed: int) -> None:
    X, y = _rows(seed, n, d, -1e8)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = SVC(kernel="poly", **settings).fit(X, y)
    assert model.status_ is Status.STALLED
    assert model.n_iter_.sum() <= MOST_STEPS


def test_steps_that_gain_nothing_of_the_gap_end() -> None:
    """Two columns of Unix time and no offset: a step in one coefficient gains 1e-18, and there is no pair to step in."""
    rng = np.random.default_rng(0)
    X = 1.7e9 + np.rint(rng.uniform(0, 1e5, (28, 2)))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = SVC(kernel="linear", C=2e-4, loss="squared_hinge", fit_intercept=False, tol=1e-6).fit(X, np.arange(28) % 2)
    assert model.n_iter_.sum() <= MOST_STEPS


def test_the_automatic_steps_of_a_small_fit_take_seconds() -> None:
    """A smooth kernel of one column, a large C and no tube: a search that goes on for millions of steps."""
    rng = np.random.default_rng(0)
    n, taken = 300, 50_000
    x = rng.normal(size=n)
    begin = time.process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = SVR(C=575.0, epsilon=0.0, gamma=0.05, tol=1e-8, max_iter=taken)
        model.fit(x[:, np.newaxis], np.sign(x) + rng.normal(size=n))
    seconds = time.process_time() - begin
    assert model.status_ is Status.ITERATION_LIMIT
    assert seconds / taken * SMO().automatic_steps(n) <= LONGEST
