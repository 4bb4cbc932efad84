"""Norms, widths and distances: by hand, by scaling, and against numpy."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import make_blobs
from sklearn.linear_model import LogisticRegression, Perceptron

from maxmargin import SVC, solve
from maxmargin.errors import InvalidInput
from maxmargin.kernels import RBF, Linear
from maxmargin.problems import DataDescription, EpsilonRegression, HardMargin, OneClass, SoftMargin
from maxmargin.solution import margin_of

SQUARE = [[0.0, 0.0], [0.0, 2.0], [4.0, 0.0], [4.0, 2.0]]
SIDES = [-1, -1, 1, 1]


def _separable(seed: int = 0) -> tuple[Any, Any]:
    X, y = make_blobs(60, 2, centers=[[0, 0], [6, 3]], cluster_std=0.9, random_state=seed)
    return X, 2 * y - 1


def test_by_hand() -> None:
    geometry = solve(HardMargin(SQUARE, SIDES, kernel=Linear()), tol=1e-10).geometry
    assert geometry.norm == pytest.approx(0.5)
    assert geometry.width == pytest.approx(4.0)
    assert geometry.smallest == pytest.approx(1.0)
    assert geometry.tolerance == pytest.approx(2.0)
    assert geometry.canonical
    np.testing.assert_allclose(geometry.distance([[2.0, 7.0], [1.0, 1.0], [5.0, 0.0]]), [0.0, -1.0, 3.0], atol=1e-9)


def test_a_soft_margin_with_slack_is_not_canonical() -> None:
    X, y = [[0.0], [1.0], [3.0], [4.0], [0.5]], [-1, -1, 1, 1, 1]
    solution = solve(SoftMargin(X, y, C=1.0, kernel=Linear()), tol=1e-10)
    f = solution.decision_function(X)
    assert solution.geometry.smallest == pytest.approx((np.array(y) * f).min())
    assert solution.geometry.tolerance < 0.0
    assert not solution.geometry.canonical


@pytest.mark.parametrize("kernel", [Linear(), RBF(gamma=0.3)], ids=["linear", "rbf"])
def test_a_kernel_has_distances_through_its_norm(kernel: Any) -> None:
    X, y = _separable()
    solution = solve(SoftMargin(X, y, C=5.0, kernel=kernel), tol=1e-9)
    norm = math.sqrt(solution.alpha * y @ kernel(X) @ (solution.alpha * y))
    geometry = solution.geometry
    assert geometry.norm == pytest.approx(norm, rel=1e-9)
    assert geometry.width == pytest.approx(2.0 / norm, rel=1e-9)
    np.testing.assert_allclose(geometry.distance(X), solution.decision_function(X) / norm, rtol=1e-9)
    assert geometry.width == solution.margin


def test_every_shorter_shift_keeps_the_labels_and_a_longer_one_does_not() -> None:
    X, y = _separable()
    solution = solve(HardMargin(X, y, kernel=Linear()), tol=1e-9)
    towards = -y[:, None] * solution.weights / np.linalg.norm(solution.weights)
    for part, kept in ((0.999, True), (1.001, False)):
        moved = solution.decision_function(X + part * solution.geometry.tolerance * towards)
        assert bool((y * moved > 0).all()) is kept


def test_the_street_lies_in_the_middle_where_a_class_has_one_support_vector() -> None:
    """The nearest points are 0 and 2; the row at −1 is behind and must not pull the offset."""
    solution = solve(HardMargin([[-1.0], [0.0], [2.0], [5.0]], [0, 0, 1, 1], kernel=Linear()))
    assert solution.bias == pytest.approx(-1.0)
    assert solution.geometry.canonical
    assert solution.certificate.relative_gap < 1e-9


def test_an_estimators_solution_has_it_too() -> None:
    X, y = _separable()
    model = SVC(kernel="linear", C=math.inf).fit(X, y)
    assert model.solutions_[0].geometry.canonical
    assert model.solutions_[0].geometry.width == pytest.approx(margin_of(model.coef_[0], model.intercept_[0], X, y), rel=1e-3)


def test_no_hyperplane_is_wider_than_the_hard_margin() -> None:
    X, y = _separable()
    widest = solve(HardMargin(X, y, kernel=Linear()), tol=1e-9)
    assert margin_of(widest.weights, widest.bias, X, y) == pytest.approx(widest.margin, rel=1e-7)
    for other in (Perceptron(), LogisticRegression()):
        other.fit(X, y)
        assert margin_of(other.coef_[0], other.intercept_[0], X, y) < widest.margin


@pytest.mark.parametrize("scale", [1e-200, 3.0, 1e200])
def test_margin_of_a_scaled_hyperplane_is_the_same(scale: float) -> None:
    X, y = _separable()
    w, b = np.array([1.0, 0.5]), -4.0
    assert margin_of(scale * w, scale * b, X, y) == pytest.approx(margin_of(w, b, X, y), rel=1e-12)
    assert margin_of(-scale * w, -scale * b, X, y) < 0.0


def test_margin_of_sparse_rows() -> None:
    X, y = _separable()
    assert margin_of([1.0, 0.5], -4.0, sparse.csr_matrix(X), y) == pytest.approx(margin_of([1.0, 0.5], -4.0, X, y))


@pytest.mark.parametrize("w", [[1.0], [0.0, 0.0], [1.0, math.nan], [[1.0, 2.0]]])
def test_wrong_normals(w: Any) -> None:
    with pytest.raises(InvalidInput, match="The 'w' parameter of margin_of must be a vector of 2 finite numbers"):
        margin_of(w, 0.0, SQUARE, SIDES)


def test_wrong_words_as_normal_and_offset() -> None:
    with pytest.raises(InvalidInput, match="could not convert"):
        margin_of(["a", "b"], 0.0, SQUARE, SIDES)
    with pytest.raises(InvalidInput, match="The 'b' parameter of margin_of must be"):
        margin_of([1.0, 0.0], math.inf, SQUARE, SIDES)


@pytest.mark.parametrize(
    "problem",
    [
        EpsilonRegression(SQUARE, [0.0, 1.0, 2.0, 3.0]),
        OneClass(SQUARE),
        DataDescription(SQUARE),
    ],
    ids=["tube", "level", "ball"],
)
def test_other_readings_have_no_hyperplane_between_classes(problem: Any) -> None:
    with pytest.raises(InvalidInput, match=r"Only a problem of two classes has a separating hyperplane\. This one is read as"):
        _ = solve(problem).geometry


def test_infeasible_and_empty_answers_say_so() -> None:
    infeasible = solve(HardMargin([[0.0], [1.0], [2.0]], [0, 1, 0], kernel=Linear()), throw=False)
    with pytest.raises(InvalidInput, match=r"no answer that could have a hyperplane: INFEASIBLE\. Look at `proof`"):
        _ = infeasible.geometry
    with pytest.warns(UserWarning, match="ITERATION_LIMIT"):
        nothing = solve(SoftMargin(SQUARE, SIDES, kernel=Linear()), max_iter=0)
    assert nothing.geometry.width == math.inf
    with pytest.raises(InvalidInput, match="no hyperplane to be distant from: w = 0"):
        nothing.geometry.distance(SQUARE)
