"""The claims of the five lectures, one test each, by numbers that do not come from the solver that drew the picture."""

from __future__ import annotations

from itertools import product
from timeit import repeat
from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_digits, make_blobs, make_circles, make_moons

from maxmargin import SVC, LinearSVC, LogisticRegression, Perceptron, losses, solve
from maxmargin.bounds import enclosing_ball, vc_dimension
from maxmargin.errors import InfeasibleError
from maxmargin.feature_maps import Monomials, Squares
from maxmargin.kernels import RBF, Linear, Polynomial
from maxmargin.problems import HardMargin, SoftMargin
from maxmargin.solution import Kind, margin_of
from maxmargin.solvers import DualQP, qp


def _two_clouds(spread: float, seed: int = 3, n: int = 40) -> tuple[Any, Any]:
    X, label = make_blobs(n, centers=[[-2.0, -1.0], [2.0, 1.0]], cluster_std=spread, random_state=seed)
    return X, np.where(label == 1, 1.0, -1.0)


def _separators(X: Any, y: Any) -> dict[str, tuple[Any, float]]:
    hard = solve(HardMargin(X, y, kernel=Linear()), tol=1e-9)
    found = {"hard margin": (hard.weights, hard.bias)}
    for model in (Perceptron(), LogisticRegression()):
        model.fit(X, y)
        found[type(model).__name__] = (model.coef_[0], float(model.intercept_[0]))
    return found


def test_three_points_have_eight_thin_labellings_and_four_fat_ones() -> None:
    corners = np.array([[-0.5, 0.0], [0.5, 0.0], [0.0, 2.0]])
    widths = []
    for signs in product((0, 1), repeat=3):
        if len(set(signs)) > 1:
            widths.append(solve(HardMargin(corners, signs, kernel=Linear()), tol=1e-10).geometry.width)
    by_hand = [2.0] * 2 + [4 / np.sqrt(17)] * 4  # the height of the triangle, and the distance of a lower corner from a side
    np.testing.assert_allclose(sorted(widths, reverse=True), by_hand, rtol=1e-6)


def test_polynomial_kernels_of_one_span_choose_different_curves() -> None:
    X, y = make_moons(80, noise=0.2, random_state=0)

    def straightness(gamma: float) -> float:
        """0 for a quadratic form, 1 for a straight line: the part of f − b that changes sign with x."""
        kernel = Polynomial(degree=2, gamma=gamma, coef0=1.0)
        found = solve(SoftMargin(X, y, C=1e-9, kernel=kernel))  # all multipliers at C: w is the same sum for every gamma
        there, back, constant = (found.decision_function(s * X) for s in (1, -1, 0))
        odd, even = np.linalg.norm(there - back), np.linalg.norm(there + back - 2 * constant)
        return float(odd / (odd + even))

    assert straightness(0.001) > 0.99
    assert straightness(1000.0) < 0.01
    assert 0.1 < straightness(1.0) < 0.9


def test_the_power_of_ten_spans_66_features() -> None:
    X = np.random.default_rng(0).normal(size=(120, 2))
    assert np.linalg.matrix_rank(Monomials(10).fit_transform(X)) == 66
    np.testing.assert_allclose(Polynomial(degree=10, gamma=1.0, coef0=1.0)(X[:3]), (1 + X[:3] @ X[:3].T) ** 10, rtol=1e-12)


def test_a_third_order_map_has_a_wider_street_and_the_bound_says_what_it_costs() -> None:
    X, y = _two_clouds(0.8)
    bounds, widths = [], []
    for degree in (2, 3):
        Z = Monomials(degree).fit_transform(X)
        found = solve(HardMargin(Z, y, kernel=Linear()), tol=1e-8)
        widths.append(found.geometry.width)
        bound = vc_dimension(found, enclosing_ball(Z))
        ratio = (enclosing_ball(Z).radius * np.linalg.norm(found.weights)) ** 2
        assert bound.value == min(int(np.ceil(ratio)), Z.shape[1]) + 1
        bounds.append(bound.value)
    assert widths[0] < widths[1]
    assert max(bounds) <= 11


def test_the_margin_is_widest_where_classes_are_apart_and_logistic_regression_is_no_worse_where_they_overlap() -> None:
    X, y = _two_clouds(0.8)
    margins = {name: margin_of(w, b, X, y) for name, (w, b) in _separators(X, y).items()}
    assert margins["hard margin"] > 1.2 * max(margins["Perceptron"], margins["LogisticRegression"])
    fresh, side = _two_clouds(3.0, seed=99, n=20_000)
    errors = np.array(
        [
            [
                np.mean(m.fit(*_two_clouds(3.0, seed=s)).predict(fresh) != side)
                for m in (LinearSVC(loss="hinge"), LogisticRegression())
            ]
            for s in range(20)
        ]
    )
    assert errors[:, 1].mean() <= errors[:, 0].mean() + 0.002


def test_an_ellipse_becomes_a_line() -> None:
    turn = np.linspace(0, 2 * np.pi, 50)
    on_it = np.column_stack([3.0 * np.cos(turn), 0.5 * np.sin(turn)])
    squares = Squares().fit_transform(on_it)
    assert np.linalg.matrix_rank(squares - squares.mean(axis=0), tol=1e-9) == 1


def test_squared_error_with_a_sigmoid_is_not_convex_and_cross_entropy_is() -> None:
    w = np.linspace(-6, 6, 400)
    x, c = np.array([1.0, -0.7, 2.0]), np.array([1.0, 1.0, 0.0])
    h = losses.sigmoid(w[:, None] * x)
    squared = ((h - c) ** 2).sum(axis=1)
    entropy = np.array([losses.cross_entropy(c, row) for row in h])
    assert np.diff(squared, 2).min() < -1e-4
    assert np.diff(entropy, 2).min() > -1e-12


def test_outliers_are_support_vectors_at_their_bound() -> None:
    X, y = _two_clouds(0.8)
    for distance in (3.0, 6.0, 12.0):
        found = solve(SoftMargin(np.vstack([X, [[distance, 0.0]]]), np.r_[y, -1.0], C=0.1, kernel=Linear()), tol=1e-9)
        assert found.alpha[-1] == pytest.approx(0.1)


@pytest.mark.alone
def test_joint_training_is_slower_and_about_as_good() -> None:
    X, y = load_digits(return_X_y=True)
    train = np.arange(len(X)) % 3 != 0
    seconds, scores = [], []
    for scheme in ("ovo", "joint"):
        model = SVC(multi_class=scheme, C=10.0, gamma=1e-3)
        seconds.append(min(repeat(lambda m=model: m.fit(X[train], y[train]), number=1, repeat=5)))
        scores.append(model.score(X[~train], y[~train]))
    assert seconds[1] > seconds[0]
    assert abs(scores[1] - scores[0]) < 0.01


def test_whoever_moves_last_wins_on_a_wave_and_nobody_does_on_a_saddle() -> None:
    grid = np.linspace(-np.pi, np.pi, 401)
    wave, saddle = np.sin(grid[:, None] + grid), grid[:, None] ** 2 - grid**2
    assert wave.min(axis=0).max() == pytest.approx(-1.0, abs=1e-4)
    assert wave.max(axis=1).min() == pytest.approx(1.0, abs=1e-4)
    assert saddle.min(axis=0).max() == pytest.approx(saddle.max(axis=1).min(), abs=1e-12)


def test_the_logit_of_the_sigmoid_is_a_straight_line() -> None:
    f = np.linspace(-5, 5, 11)
    np.testing.assert_allclose(losses.logit(1 / (1 + np.exp(-f))), f, atol=1e-9)
    np.testing.assert_allclose(losses.odds(losses.sigmoid(f)), np.exp(f), rtol=1e-9)


def test_four_kinds_of_rows_by_their_margin() -> None:
    X, y = _two_clouds(2.0)
    found = solve(SoftMargin(X, y, C=1.0, kernel=Linear()), tol=1e-10)
    margins = y * (X @ found.weights + found.bias)
    by_hand = np.select(
        [margins > 1 + 1e-6, margins > 1 - 1e-6, margins > 0],
        [Kind.NON_INFORMATIVE, Kind.BOUNDARY, Kind.INSIDE_RIGHT],
        Kind.WRONG,
    )
    assert (found.taxonomy == by_hand).all()
    assert {int(kind) for kind in found.taxonomy} == {int(kind) for kind in Kind}


def test_the_width_is_the_projection_of_the_difference_of_two_support_vectors() -> None:
    X, y = _two_clouds(0.8)
    found = solve(HardMargin(X, y, kernel=Linear()), tol=1e-10)
    plus, minus = (X[found.support[y[found.support] == side]] for side in (1.0, -1.0))
    widths = (plus[:, None] - minus) @ found.weights / np.linalg.norm(found.weights)
    np.testing.assert_allclose(widths, found.geometry.width, rtol=1e-7)


def test_separators_stand_noise_as_far_as_their_nearest_row() -> None:
    X, y = _two_clouds(0.8)
    ranks = {}
    for name, (w, b) in _separators(X, y).items():
        ranks[name] = margin_of(w, b, X, y) / 2
        worst = X - y[:, None] * w / np.linalg.norm(w)  # the shift of length 1 that hurts most
        for length, kept in ((0.999 * ranks[name], True), (1.001 * ranks[name], False)):
            moved = X + length * (worst - X)
            assert bool((y * (moved @ w + b) > 0).all()) is kept, name
    assert max(ranks, key=ranks.__getitem__) == "hard margin"


def test_a_hard_gaussian_learns_the_noise() -> None:
    X, y = make_blobs(60, centers=[[-1.0, 0.0], [1.0, 0.0]], cluster_std=1.0, random_state=1)
    fresh, side = make_blobs(5_000, centers=[[-1.0, 0.0], [1.0, 0.0]], cluster_std=1.0, random_state=2)
    line, islands = SVC(kernel="linear", C=1.0).fit(X, y), SVC(C=np.inf, gamma=20.0).fit(X, y)
    assert islands.score(X, y) == 1.0 > line.score(X, y)
    assert line.score(fresh, side) > islands.score(fresh, side) + 0.05


def test_the_gaussian_goes_from_a_line_to_islands() -> None:
    X, y = make_moons(100, noise=0.2, random_state=0)
    flat = SVC(C=1e6, gamma=1e-7).fit(X, y).decision_function(X)
    affine = np.column_stack([X, np.ones(len(X))])
    rest = flat - affine @ np.linalg.lstsq(affine, flat, rcond=None)[0]
    assert np.abs(rest).max() < 0.01 * np.ptp(flat)
    islands = SVC(C=1.0, gamma=1e5).fit(X, y)
    assert len(islands.support_) == len(X)
    np.testing.assert_allclose(islands.decision_function(X + 1.0), islands.intercept_[0], atol=1e-9)


def test_a_plane_separates_the_lifted_circle_and_no_line_the_flat_one() -> None:
    X, y = make_circles(100, noise=0.03, factor=0.5, random_state=0)
    with pytest.raises(InfeasibleError):
        SVC(kernel="linear", C=np.inf).fit(X, y)
    lifted = np.column_stack([X, (X**2).sum(axis=1)])
    assert SVC(kernel="linear", C=np.inf).fit(lifted, y).score(lifted, y) == 1.0


def test_rows_that_attain_the_smallest_distance_decide_the_margin_of_any_hyperplane() -> None:
    X, y = _two_clouds(0.8)
    for name, (w, b) in _separators(X, y).items():
        d = y * (X @ w + b) / np.linalg.norm(w)
        nearest = np.isclose(d, d.min())
        assert margin_of(w, b, X, y) == pytest.approx(2 * d[nearest].max(), rel=1e-9)
        assert (len(set(y[nearest])) == 2) is (name == "hard margin")


@pytest.mark.alone
def test_a_naive_qp_grows_with_the_cube_of_the_rows() -> None:
    seconds = []
    for n in (500, 2000):
        X, y = make_moons(n, noise=0.2, random_state=1)
        problem = SoftMargin(X, y, C=1.0, kernel=RBF(sigma=0.7))
        seconds.append(min(repeat(lambda p=problem: solve(p, solver=DualQP()), number=1, repeat=3)))
    slope = np.log(seconds[1] / seconds[0]) / np.log(4)
    assert 2.2 < slope < 3.8, f"{seconds} s for 500 and 2 000 rows"


def test_cross_entropy_is_the_negative_log_likelihood_of_any_probabilities() -> None:
    rng = np.random.default_rng(0)
    for _ in range(5):
        c, h = rng.integers(0, 2, 40), rng.uniform(0.01, 0.99, 40)
        assert losses.cross_entropy(c, h) == pytest.approx(-np.log(np.where(c == 1, h, 1 - h).prod()), rel=1e-12)


def test_conditions_of_a_general_problem_name_its_minimum() -> None:
    """Against a fine grid over the region, which knows nothing of multipliers."""
    A, c, centre = (
        np.array([[-1.0, -1.0], [-1.0, 0.3], [1.0, 0.0], [0.0, 1.0]]),
        np.array([-2.0, -1.4, 0.0, 0.0]),
        np.array([2.0, 1.5]),
    )
    found = qp(np.eye(2), -centre, A, c)
    room = A @ found.u - c
    assert np.abs(found.u - centre - A.T @ found.multipliers).max() < 1e-8
    assert (room > -1e-8).all()
    assert (found.multipliers > -1e-8).all()
    assert np.abs(found.multipliers * room).max() < 1e-8
    grid = np.stack(np.meshgrid(*[np.linspace(0, 2, 401)] * 2), axis=-1).reshape(-1, 2)
    inside = grid[(grid @ A.T >= c - 1e-12).all(axis=1)]
    best = inside[((inside - centre) ** 2).sum(axis=1).argmin()]
    np.testing.assert_allclose(found.u, best, atol=0.01)
