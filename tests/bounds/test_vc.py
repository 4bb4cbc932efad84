"""The dimension of fat hyperplanes: by hand, and what it refuses."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pytest

from maxmargin import solve
from maxmargin.bounds import enclosing_ball, feature_dimension, vc_dimension
from maxmargin.errors import InfeasibleError, InvalidInput
from maxmargin.feature_maps import Affine, Monomials, Multinomial
from maxmargin.kernels import RBF, Linear, Polynomial, Precomputed, Sigmoid, UserFunction
from maxmargin.problems import EpsilonRegression, HardMargin, SoftMargin


@pytest.mark.parametrize(
    ("rho", "radius", "dimension", "value"),
    [
        (1.0, 1.0, None, 2),
        (0.5, 1.0, None, 5),
        (0.5, 1.0, 2, 3),
        (0.3, 1.0, None, 13),  # ⌈11.11⌉ + 1
        (0.1, 0.3, None, 10),  # 0.3/0.1 is a little less than 3 in floating point, and its square is 9
        (2.0, 1.0, 7, 2),
        (math.inf, 1.0, None, 1),
        (1.0, 0.0, None, 1),
        (1e-200, 1.0, None, math.inf),
        (1e-200, 1.0, 4, 5),
    ],
)
def test_by_hand(rho: float, radius: float, dimension: int | None, value: float) -> None:
    assert vc_dimension(rho, radius, dimension).value == value


def test_half_the_width_of_the_street_counts() -> None:
    """Rows at ±1 and ±2: the street is 2 wide, ρ = 1, R = 2, so that the bound is 5; with the width it would be 2."""
    X, y = [[-2.0], [-1.0], [1.0], [2.0]], [0, 0, 1, 1]
    solution = solve(HardMargin(X, y, kernel=Linear()), tol=1e-9)
    bound = vc_dimension(solution, enclosing_ball(X), dimension=None)
    assert bound.half_width == pytest.approx(1.0)
    assert bound.value == 5
    assert vc_dimension(solution, enclosing_ball(X)).value == 2  # points on a line
    assert "indication" in bound.note


def test_fat_hyperplanes_shatter_no_more_rows_than_it_says() -> None:
    """Three points on a circle: all 8 dichotomies are separable, but only thin enough lines manage them all."""
    turns = 2 * np.pi * np.arange(3) / 3
    X = np.column_stack([np.cos(turns), np.sin(turns)])
    narrowest = math.inf
    for signs in itertools.product([-1, 1], repeat=3):
        if abs(sum(signs)) < 3:
            narrowest = min(narrowest, solve(HardMargin(X, signs, kernel=Linear()), tol=1e-9).margin / 2)
    assert vc_dimension(narrowest, enclosing_ball(X), dimension=2).value >= 3
    assert vc_dimension(1.01, enclosing_ball(X), dimension=2).value == 2  # and no line that fat separates any two of them


def test_a_kernel_has_it_in_its_own_space() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(50, 2))
    y = np.sign(X[:, 0] * X[:, 1])
    solution = solve(SoftMargin(X, y, C=10.0, kernel=RBF(gamma=1.0)))
    bound = vc_dimension(solution, enclosing_ball(X, RBF(gamma=1.0)))
    assert bound.value == math.ceil((bound.radius * solution.geometry.norm) ** 2) + 1
    assert str(bound).endswith("d = inf)")


@pytest.mark.parametrize(
    ("kernel", "map"),
    [
        (Linear(), Affine()),
        (Polynomial(degree=2, gamma=0.5, coef0=1.0), Monomials(degree=2)),
        (Polynomial(degree=3, gamma=2.0, coef0=1.0), Monomials(degree=3)),
        (Polynomial(degree=3, gamma=1.0, coef0=0.0), Multinomial(degree=3, coef0=0.0)),
        (Polynomial(degree=1, gamma=1.0, coef0=1.0), Affine()),
    ],
    ids=str,
)
@pytest.mark.parametrize("d", [1, 2, 5])
def test_the_dimension_of_a_kernel_is_that_of_its_map(kernel: Any, map: Any, d: int) -> None:
    """Counted, and as the rank of features of random rows less the first."""
    rows = np.random.default_rng(d).normal(size=(200, d))
    Z = map.fit_transform(rows)
    rank = np.linalg.matrix_rank(Z[1:] - Z[0] if isinstance(map, Affine | Monomials) else Z)
    assert feature_dimension(kernel, d) == rank


@pytest.mark.parametrize(
    "kernel",
    [RBF(gamma=0.3), Sigmoid(), Precomputed(), Polynomial(coef0=-1.0), UserFunction(np.dot)],
    ids=lambda kernel: type(kernel).__name__,
)
def test_infinite_or_not_known(kernel: Any) -> None:
    assert feature_dimension(kernel, 3) is None


def test_a_solution_knows_the_dimension_of_its_kernel() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 2))
    y = np.sign(X[:, 0] * X[:, 1])
    for kernel, dimension in ((Linear(), 2), (Polynomial(degree=2, gamma=1.0, coef0=1.0), 5), (RBF(gamma=1.0), None)):
        solution = solve(SoftMargin(X, y, C=10.0, kernel=kernel))
        bound = vc_dimension(solution, enclosing_ball(X, kernel))
        assert bound.dimension == dimension
        ratio = math.ceil((bound.radius / bound.half_width) ** 2)
        assert bound.value == min(ratio, math.inf if dimension is None else dimension) + 1
    K = X @ X.T
    assert vc_dimension(solve(SoftMargin(K, y, kernel=Precomputed())), 1.0).dimension is None
    assert vc_dimension(0.5, 1.0).dimension is None


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((0.0, 1.0), r"The 'half_width' parameter of vc_dimension must be a float in the range \(0.0, inf\]. Got 0.0 instead"),
        ((1.0, -1.0), r"The 'radius' parameter of vc_dimension must be a float in the range \[0.0, inf\). Got -1.0 instead"),
        ((1.0, 1.0, 0), r"The 'dimension' parameter of vc_dimension must be an int in the range \[1, inf\). Got 0 instead"),
        (("wide", 1.0), "The 'half_width' parameter of vc_dimension"),
        ((1.0, 1.0, "all"), "The 'dimension' parameter of vc_dimension must be 'auto', an int in the range"),
    ],
)
def test_messages(arguments: Any, words: str) -> None:
    with pytest.raises(InvalidInput, match=words):
        vc_dimension(*arguments)


def test_messages_of_the_dimension() -> None:
    with pytest.raises(InvalidInput, match="The 'kernel' parameter of feature_dimension must be a kernel object"):
        feature_dimension("rbf", 2)
    with pytest.raises(InvalidInput, match="The 'n_features' parameter of feature_dimension"):
        feature_dimension(Linear(), 0)


def test_solutions_without_a_street() -> None:
    with pytest.raises(InvalidInput, match="Only a problem of two classes has a separating hyperplane"):
        vc_dimension(solve(EpsilonRegression([[0.0], [1.0]], [0.0, 1.0])), 1.0)
    with pytest.raises(InfeasibleError):
        vc_dimension(solve(HardMargin([[0.0], [1.0], [2.0]], [0, 1, 0], kernel=Linear())), 1.0)
