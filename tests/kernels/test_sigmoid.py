"""The sigmoid kernel keeps its digits wherever its argument is."""

from __future__ import annotations

import numpy as np
import pytest

from maxmargin import SVDD
from maxmargin.kernels import Sigmoid
from maxmargin.solution import Status


def test_small_arguments_keep_all_their_digits() -> None:
    """``1 − 2/(e²ˣ + 1)`` would have none of them below 1e-16, and a kernel of small features would be 0."""
    size = np.concatenate([10.0 ** np.linspace(-300.0, 2.8, 3000), np.linspace(0.0, 3.0, 3000)])
    x = np.concatenate([size, -size])[:, np.newaxis]
    found = Sigmoid(gamma=1.0, coef0=0.0).bind(x).cross(x, np.ones((1, 1))).ravel()
    assert found == pytest.approx(np.tanh(x.ravel()), rel=1e-15, abs=0.0)


def test_a_ball_of_minute_rows() -> None:
    """There tanh x is x, and the ball that of a linear kernel, in another unit."""
    X = 1e-20 * np.random.default_rng(0).normal(size=(40, 3))
    curved, straight = (SVDD(kernel=name, gamma=0.25, coef0=0.0, nu=0.1, tol=1e-6) for name in ("sigmoid", "linear"))
    curved.fit(X)
    straight.set_params(gamma="scale").fit(0.5 * X)
    assert curved.status_ is Status.CONVERGED
    assert curved.radius_ == pytest.approx(straight.radius_, rel=1e-4)
