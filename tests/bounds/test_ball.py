"""The smallest ball: by hand, by a general solver, and by moving and stretching the rows."""

from __future__ import annotations

from typing import Any

import numpy as np
import piqp
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from maxmargin.bounds import enclosing_ball
from maxmargin.errors import InvalidInput
from maxmargin.kernels import RBF, Linear, Polynomial, Precomputed

RNG = np.random.default_rng(0)
CLOUD = RNG.normal(size=(80, 3)) * [1.0, 3.0, 0.2]


def _square_radius_by_piqp(K: Any) -> float:
    """``max Σ β_i K_ii − βᵀKβ`` over the simplex."""
    n = len(K)
    solver = piqp.DenseSolver()
    solver.settings.eps_abs = solver.settings.eps_rel = 1e-11
    solver.settings.max_iter = 500
    solver.setup(np.asfortranarray(2 * K), -np.diagonal(K).copy(), np.ones((1, n), order="F"), np.ones(1), x_l=np.zeros(n))
    assert solver.solve() == piqp.PIQP_SOLVED
    beta = solver.result.x
    return float(beta @ np.diagonal(K) - beta @ K @ beta)


def test_by_hand() -> None:
    triangle = [[0.0, 0.0], [2.0, 0.0], [1.0, np.sqrt(3.0)]]
    ball = enclosing_ball([*triangle, [1.0, 0.5]])
    assert ball.radius == pytest.approx(2 / np.sqrt(3.0), rel=1e-6)
    np.testing.assert_allclose(ball.centre, [1.0, 1 / np.sqrt(3.0)], atol=1e-5)
    np.testing.assert_allclose(ball.coefficients, [1 / 3, 1 / 3, 1 / 3, 0.0], atol=1e-5)


@pytest.mark.parametrize("kernel", [None, RBF(gamma=0.2), Polynomial(degree=2, gamma=0.3, coef0=1.0)], ids=str)
def test_against_a_general_solver(kernel: Any) -> None:
    K = (kernel or Linear())(CLOUD)
    ball = enclosing_ball(CLOUD, kernel)
    assert ball.radius**2 == pytest.approx(_square_radius_by_piqp(K), rel=1e-5)
    assert ball.smallest <= ball.radius <= ball.smallest * (1 + 1e-5)
    beta = ball.coefficients
    distances = np.sqrt(np.diagonal(K) - 2 * K @ beta + beta @ K @ beta)
    assert distances.max() <= ball.radius * (1 + 1e-9)
    assert beta.sum() == pytest.approx(1.0)
    assert (ball.centre is None) is (kernel is not None)


def test_gram_sparse_and_dense_rows_agree() -> None:
    radius = enclosing_ball(CLOUD).radius
    assert enclosing_ball(CLOUD @ CLOUD.T, Precomputed()).radius == pytest.approx(radius, rel=1e-5)
    given = enclosing_ball(sparse.csr_matrix(CLOUD))
    assert given.radius == pytest.approx(radius, rel=1e-5)
    np.testing.assert_allclose(given.centre, enclosing_ball(CLOUD).centre, atol=1e-3)


@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e6])
@pytest.mark.parametrize("shift", [0.0, 1e5])
def test_it_moves_and_grows_with_its_rows(scale: float, shift: float) -> None:
    plain = enclosing_ball(CLOUD)
    moved = enclosing_ball(scale * (CLOUD + shift))
    assert moved.radius == pytest.approx(scale * plain.radius, rel=1e-5)
    np.testing.assert_allclose(moved.centre, scale * (plain.centre + shift), atol=1e-3 * scale * plain.radius)


@given(st.lists(st.tuples(st.integers(-3, 3), st.integers(-3, 3)), min_size=1, max_size=12))
def test_equal_rows_and_rows_on_a_line(points: list[tuple[int, int]]) -> None:
    rows = np.array(points, dtype=float)
    ball = enclosing_ball(rows)
    assert ball.centre is not None
    far = np.linalg.norm(rows - ball.centre, axis=1).max()
    assert far <= ball.radius * (1 + 1e-7) + 1e-7
    pairs = np.linalg.norm(rows[:, None] - rows[None], axis=2).max()
    assert 0.5 * pairs <= ball.radius * (1 + 1e-6) + 1e-9
    assert ball.radius <= pairs / np.sqrt(3.0) * (1 + 1e-4) + 1e-9  # Jung's theorem in the plane


def test_about_the_origin() -> None:
    ball = enclosing_ball(CLOUD, about_origin=True)
    assert ball.radius == pytest.approx(np.linalg.norm(CLOUD, axis=1).max())
    assert not ball.coefficients.any()
    assert ball.centre is not None
    assert not ball.centre.any()
    assert enclosing_ball(CLOUD, RBF(), about_origin=True).radius == 1.0


def test_objects() -> None:
    def shared(A: Any, B: Any) -> Any:
        return np.array([[len(set(a) & set(b)) for b in B] for a in A], dtype=float)

    assert enclosing_ball(["ab", "cd"], shared).radius == pytest.approx(1.0)  # apart by 2, as k = 2, 2 and 0


def test_messages() -> None:
    with pytest.raises(InvalidInput, match="The 'tol' parameter of enclosing_ball must be a float in the range"):
        enclosing_ball(CLOUD, tol=0.0)
    with pytest.raises(InvalidInput, match="The 'about_origin' parameter of enclosing_ball must be an instance of 'bool'"):
        enclosing_ball(CLOUD, about_origin="yes")
    with pytest.raises(InvalidInput, match="enclosing_ball"):
        enclosing_ball(CLOUD, kernel="cubic")
