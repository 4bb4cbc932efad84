"""The scaled objectives have the minimiser of ½|w|² + C Σ loss: checked by a general solver on the primal of each."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import piqp
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import make_blobs

from maxmargin import scales, solve
from maxmargin.errors import InvalidInput
from maxmargin.kernels import Linear
from maxmargin.problems import SoftMargin

N = 40
positive = st.floats(1e-6, 1e6)


def _data() -> tuple[Any, Any]:
    X, y = make_blobs(N, 2, centers=2, cluster_std=3.0, random_state=3)
    return X, 2.0 * y - 1.0


def _primal_by_piqp(X: Any, y: Any, quadratic: float, cost: float) -> Any:
    """``min quadratic |w|² + cost Σ ξ`` over (w, b, ξ), as written down: no dual, and nothing of ours."""
    n, d = X.shape
    P = np.zeros((d + 1 + n, d + 1 + n))
    P[:d, :d] = 2.0 * quadratic * np.eye(d)
    c = np.concatenate([np.zeros(d + 1), np.full(n, cost)])
    margins = np.hstack([y[:, None] * X, y[:, None], np.eye(n)])
    solver = piqp.DenseSolver()
    solver.settings.eps_abs = solver.settings.eps_rel = 1e-11
    solver.settings.eps_duality_gap_abs = solver.settings.eps_duality_gap_rel = 1e-11
    solver.settings.max_iter = 500
    solver.setup(
        np.asfortranarray(P),
        c,
        None,
        None,
        np.asfortranarray(margins),
        np.ones(n),
        None,
        x_l=np.concatenate([np.full(d + 1, -np.inf), np.zeros(n)]),
    )
    assert solver.solve() == piqp.PIQP_SOLVED
    return solver.result.x[:d], solver.result.x[d]


@pytest.mark.parametrize(
    ("quadratic", "cost", "C"),
    [
        (0.03, 1 / N, scales.C_from_lam(0.03, N)),
        (0.03 / 2, 1 / N, scales.C_from_lam_half(0.03, N)),
        (0.7 / 2, 1.0, scales.C_from_alpha_sum(0.7)),
    ],
    ids=["lam", "lam_half", "alpha_sum"],
)
def test_the_scaled_problem_has_the_same_optimum(quadratic: float, cost: float, C: float) -> None:
    X, y = _data()
    w, b = _primal_by_piqp(X, y, quadratic, cost)
    ours = solve(SoftMargin(X, y, C=C, kernel=Linear()), tol=1e-8)
    np.testing.assert_allclose(ours.weights, w, atol=1e-5)
    assert ours.bias == pytest.approx(b, abs=1e-4)
    scaled = quadratic * ours.weights @ ours.weights + cost * ours.slack.sum()
    assert scaled == pytest.approx(ours.certificate.primal_objective * 2 * quadratic, rel=1e-9)


def test_the_two_lambdas_differ_by_a_factor_of_two() -> None:
    assert scales.C_from_lam_half(0.1, 50) == 2.0 * scales.C_from_lam(0.1, 50)


@given(positive, st.integers(1, 10**6))
def test_there_and_back(value: float, n: int) -> None:
    pairs: list[tuple[Callable[[float], float], Callable[[float], float]]] = [
        (lambda v: scales.C_from_lam(v, n), lambda v: scales.lam_from_C(v, n)),
        (lambda v: scales.C_from_lam_half(v, n), lambda v: scales.lam_half_from_C(v, n)),
        (scales.C_from_alpha_sum, scales.alpha_sum_from_C),
    ]
    for there, back in pairs:
        assert math.isclose(back(there(value)), value, rel_tol=1e-14)
        assert math.isclose(there(back(value)), value, rel_tol=1e-14)


@pytest.mark.parametrize("wrong", [0.0, -1.0, math.inf, math.nan, "1", None])
def test_constants_are_positive(wrong: Any) -> None:
    with pytest.raises(InvalidInput, match=r"The 'lam' parameter of C_from_lam must be a float in the range \(0.0, inf\)"):
        scales.C_from_lam(wrong, 10)
    with pytest.raises(InvalidInput, match="The 'alpha_sum' parameter of C_from_alpha_sum must be"):
        scales.C_from_alpha_sum(wrong)


@pytest.mark.parametrize("wrong", [0, -3, 2.5])
def test_rows_are_counted(wrong: Any) -> None:
    with pytest.raises(InvalidInput, match=r"The 'n' parameter of lam_from_C must be an int in the range \[1, inf\)"):
        scales.lam_from_C(1.0, wrong)


def test_what_has_no_finite_counterpart() -> None:
    with pytest.raises(InvalidInput, match=r"'C' parameter of alpha_sum_from_C is too extreme\. Got 1e-310, .* nearer to 1"):
        scales.alpha_sum_from_C(1e-310)
    with pytest.raises(InvalidInput, match="too extreme"):
        scales.lam_from_C(1e308, 10)
