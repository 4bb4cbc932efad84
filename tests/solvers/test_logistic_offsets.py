"""Offsets of logistic regression for functions whose values are far apart."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from scipy import optimize, special

from maxmargin import KernelLogisticRegression
from maxmargin.kernels import Linear
from maxmargin.problems import KernelLogistic
from maxmargin.solution import Status
from maxmargin.solvers._multiclass._logistic_offsets import best_offsets


def wrong(f: np.ndarray, sign: np.ndarray, cost: np.ndarray, b: float) -> float:
    """The sum of the slopes at an offset, from the definition."""
    return float((cost * sign * special.expit(-sign * (f + b))).sum())


@pytest.mark.parametrize("apart", [1.0, 1e3, 1e7, 1e10])
@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("shifted", [False, True])
def test_two_classes(apart: float, seed: int, shifted: bool) -> None:
    """The sum of the slopes changes its sign at the offset, however far away that is."""
    rng = np.random.default_rng(seed)
    n = 37
    codes, cost = rng.permutation(np.arange(n) % 2).astype(np.intp), 10.0 ** rng.uniform(-1.0, 8.0, n)
    f, shift = apart * rng.normal(size=(n, 1)), 3.0 * apart * rng.normal(size=(n, 1))
    gram = Linear().bind(f).gram(f)
    problem = KernelLogistic.on(gram, codes, np.array([0, 1]), cost, shift=shift if shifted else None)
    (b,), losses = best_offsets(problem, f, np.zeros(1))
    seen, sign = (f + shift if shifted else f)[:, 0], np.where(codes == 1, 1.0, -1.0)
    ends = -100.0 * apart - 1e3, 100.0 * apart + 1e3
    root = optimize.brentq(lambda b: wrong(seen, sign, cost, b), *ends, xtol=1e-300, rtol=1e-15, maxiter=1000)
    least = (cost * np.logaddexp(0.0, -sign * (seen + root))).sum()
    assert losses.value == pytest.approx(least, rel=1e-9)
    rounding = 1e-15 * (np.abs(losses.slopes[:, 0]) @ (np.abs(f) + np.abs(shift) + abs(b))).sum()
    left = abs(wrong(seen, sign, cost, b))
    assert left <= 1e-9 * np.abs(losses.slopes).sum() + 4.0 * abs(wrong(seen, sign, cost, root)) + rounding


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("C", [1e2, 1e4, 3e7])
@pytest.mark.parametrize("seed", range(4))
def test_a_point_that_is_said_to_be_stationary_is_so_in_its_offset(seed: int, C: float, classes: int) -> None:
    """Steps of at most 10 never came to offsets of 1e7, and a point said to be stationary had slopes that sum to C n / 2."""
    rng = np.random.default_rng(seed)
    X, y = np.eye(8)[rng.integers(0, 8, 38)], rng.permutation(np.arange(38) % classes)
    X[:, :4] = np.eye(4)[rng.integers(0, 4, 38)]
    model = KernelLogisticRegression(C=C, kernel="sigmoid", gamma=1.7, coef0=-1.0, tol=1e-6)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.fit(X, y)
    f = model.decision_function(X)
    scores = np.stack([np.zeros(38), f], axis=1) if classes == 2 else f
    left = np.abs((np.eye(classes)[y] - special.softmax(scores, axis=1)).mean(axis=0)).max()
    assert model.certificate_.kkt_violation >= 0.99 * left - 1e-9
    assert model.status_ is not Status.INDEFINITE or left <= 1.01e-6
