"""Small fits that rounding or bad conditioning keeps from their optimum end after few steps, and within seconds."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

from maxmargin import SVC
from maxmargin.solution import Status
from maxmargin.solvers import SMO

MOST_STEPS = 1_000_000
"""Of all binary classifiers together; before, each took up to 4 million, and a fit up to 14 seconds."""
LONGEST = 10.0
"""Seconds of a processor for a small fit."""
SECONDS_OF_A_STEP = 4e-6
"""Of 300 rows, Newton rounds included: 2.6e-6 were measured with 218 rows."""


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
    """Badly conditioned fits use all of them: a smooth kernel of one column, a large C, and hardly a tube."""
    assert SMO().automatic_steps(300) * SECONDS_OF_A_STEP <= LONGEST
