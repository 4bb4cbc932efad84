"""What of an answer is unique, and the rank of its active constraints: against rational arithmetic."""

from __future__ import annotations

import pickle
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from scipy import sparse
from scipy.optimize import linprog

from maxmargin import SVC, SVR, NuSVC, OneClassSVM, solve
from maxmargin.errors import InvalidInput
from maxmargin.kernels import RBF, Linear, Polynomial, Precomputed, UserFunction
from maxmargin.problems import (
    DataDescription,
    EpsilonRegression,
    HardMargin,
    NuClassification,
    NuRegression,
    OneClass,
    SoftMargin,
)

from ..contracts._registry import DATA
from ._exact import Exact, Row, exact_optimum

SQUARE = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
PRICES = [Fraction(1, 8), Fraction(1, 4), Fraction(1), Fraction(10)]


def _numbers(values: Any) -> list[Fraction]:
    return [Fraction(int(value)) for value in values]


def _margins(draw: Any, X: Any, weight: Any, cost: Fraction | None, offset: bool) -> tuple[Any, list[Row]]:
    y = np.where(draw.random(len(X)) < 0.5, 1, -1)
    y[:2] = 1, -1
    rows = []
    for x, sign, w in zip(X, y, weight, strict=True):
        most = None if cost is None else cost * int(w)
        slopes = [most, Fraction(0)] if sign > 0 else [Fraction(0), None if most is None else -most]
        rows.append(Row(_numbers(x), [Fraction(int(sign))], slopes))
    if cost is None:
        return HardMargin(X, y, kernel=Linear(), offset=offset), rows
    return SoftMargin(X, y, C=float(cost), kernel=Linear(), offset=offset, sample_weight=weight), rows


def _tubes(draw: Any, X: Any, weight: Any, cost: Fraction | None, offset: bool, epsilon: Fraction) -> tuple[Any, list[Row]]:
    y, rows = draw.integers(0, 4, len(X)), []
    for x, target, w in zip(X, y, weight, strict=True):
        most = None if cost is None else cost * int(w)
        least, middle = None if most is None else -most, int(target)
        bends, flat = ([middle - epsilon, middle + epsilon], [Fraction(0)]) if epsilon else ([Fraction(middle)], [])
        rows.append(Row(_numbers(x), bends, [most, *flat, least]))
    C, kernel = np.inf if cost is None else float(cost), Linear()
    return EpsilonRegression(X, y, C=C, epsilon=float(epsilon), kernel=kernel, offset=offset, sample_weight=weight), rows


def _drawn(kind: str, draw: Any) -> tuple[Any, list[Row], bool, Fraction]:
    """A problem on whole numbers 0, 1, 2, where most rows have equals and lines go through many: its rows, offset and total."""
    X = draw.integers(0, 3, (draw.integers(3, 7), draw.integers(1, 4)))
    weight = draw.integers(1, 4, len(X)) if draw.random() < 0.3 else np.ones(len(X), dtype=int)
    cost, offset = PRICES[draw.integers(4)], bool(draw.random() < 0.7)
    share = [Fraction(1, 8), Fraction(1, 4), Fraction(1, 2), Fraction(1)][draw.integers(4)]
    abs_sum = int(weight.sum())
    if kind in ("hard margin", "soft margin"):
        return *_margins(draw, X, weight, None if kind == "hard margin" else cost, offset), offset, Fraction(0)
    if kind == "one class":
        rows = [Row(_numbers(x), [Fraction(0)], [Fraction(int(w)), Fraction(0)]) for x, w in zip(X, weight, strict=True)]
        return OneClass(X, nu=float(share), kernel=Linear(), sample_weight=weight), rows, True, share * abs_sum
    if kind == "ball":
        rows = [
            Row(_numbers(x), [Fraction(0)], [Fraction(int(w)) / (share * abs_sum), Fraction(0)], -Fraction(int(x @ x), 2))
            for x, w in zip(X, weight, strict=True)
        ]
        return DataDescription(X, nu=float(share), kernel=Linear(), sample_weight=weight), rows, True, Fraction(1)
    epsilon = Fraction(0) if kind == "tube without width" else Fraction(1, int(draw.choice([1, 2, 4])))
    return *_tubes(draw, X, weight, None if kind == "tube without slack" else cost, offset, epsilon), offset, Fraction(0)


KINDS = ["hard margin", "soft margin", "tube", "tube without width", "tube without slack", "one class", "ball"]


@pytest.mark.filterwarnings("ignore::maxmargin.errors.NoMarginWarning")  # w = 0 is an optimum as any other
@pytest.mark.parametrize("tol", [1e-3, 1e-9])
@pytest.mark.parametrize("kind", KINDS)
def test_small_problems_have_the_verdicts_of_rational_arithmetic(kind: str, tol: float) -> None:
    """All of them: none is left open."""
    draw, seen = np.random.default_rng(KINDS.index(kind)), []
    while len(seen) < 80:
        problem, rows, offset, total = _drawn(kind, draw)
        solution = solve(problem, tol=tol, throw=False)
        if solution.status.name == "INFEASIBLE":
            continue
        scores = solution.decision_function([[float(value) for value in row.x] for row in rows])
        exact = exact_optimum(rows, scores.tolist(), solution.bias, offset=offset, total=total)
        kkt = solution.kkt
        np.testing.assert_allclose(solution.weights, [float(value) for value in exact.w], atol=1e-6)
        assert (kkt.w_unique, kkt.b_unique, kkt.alpha_unique) == (True, exact.b_unique, exact.beta_unique)
        assert (kkt.active, kkt.rank) == (exact.active, exact.rank)
        seen.append(exact)
    assert len({(each.b_unique, each.beta_unique) for each in seen}) >= (2 if kind == "hard margin" else 3)
    by_signs = any(each.beta_unique and each.rank < each.active for each in seen)
    assert by_signs or kind == "hard margin", "dependent gradients, and a unique α all the same: no such case was drawn"


def _truth(X: Any, y: Any, cost: Fraction | None, scores: Any, bias: float) -> Exact:
    most = [cost, Fraction(0)]
    least = [Fraction(0), None if cost is None else -cost]
    rows = [Row(_numbers(x), [Fraction(int(s))], most if s > 0 else least) for x, s in zip(X, y, strict=True)]
    return exact_optimum(rows, scores.tolist(), bias, offset=True)


@pytest.mark.parametrize(("scale", "shift"), [(0.1, 0.0), (370000.7, 0.0), (3.1e-7, 0.0), (0.1, 7.3), (1.0, 1e6)])
def test_verdicts_do_not_depend_on_units_or_origin(scale: float, shift: float) -> None:
    """Features times s with C/s², and another origin, are the same problem; lost digits must not turn a verdict."""
    draw = np.random.default_rng(8)
    for _ in range(80):
        X = draw.integers(0, 3, (draw.integers(3, 7), 2))
        y = np.where(draw.random(len(X)) < 0.5, 1, -1)
        y[:2] = 1, -1
        cost = [None, *PRICES][draw.integers(5)]
        problems = [
            HardMargin(rows, y, kernel=Linear())
            if cost is None
            else SoftMargin(rows, y, C=float(cost) / unit**2, kernel=Linear())
            for rows, unit in ((X, 1.0), (scale * X + shift, scale))
        ]
        plain, other = (solve(problem, tol=1e-9, throw=False) for problem in problems)
        if plain.status.name == "INFEASIBLE":
            continue
        exact = _truth(X, y, cost, plain.decision_function(X), plain.bias)
        assert (other.kkt.b_unique, other.kkt.alpha_unique) == (exact.b_unique, exact.beta_unique)
        assert (other.kkt.active, other.kkt.rank) == (exact.active, exact.rank)


def test_the_unit_square() -> None:
    """Sides of a square: w and b are unique; α is not, by (1, −1, −1, 1). Where C binds, nothing is left to move."""
    hard = solve(HardMargin(SQUARE, [-1, -1, 1, 1], kernel=Linear()), tol=1e-9).kkt
    assert (hard.w_unique, hard.b_unique, hard.alpha_unique, hard.active, hard.rank) == (True, True, False, 4, 3)
    bound = solve(SoftMargin(SQUARE, [-1, -1, 1, 1], C=1.0, kernel=Linear()), tol=1e-9).kkt
    assert (bound.w_unique, bound.b_unique, bound.alpha_unique, bound.active, bound.rank) == (True, True, True, 4, 3)
    crossed = solve(SoftMargin(SQUARE, [1, -1, -1, 1], C=1.0, kernel=Linear()), tol=1e-9)
    assert crossed.bias_interval == pytest.approx((-1.0, 1.0))
    assert (crossed.kkt.b_unique, crossed.kkt.alpha_unique, crossed.kkt.active) == (False, True, 0)


@pytest.mark.parametrize("kernel", [Linear(), RBF(gamma=1.0), Polynomial(degree=3, gamma=1.0, coef0=1.0)], ids=str)
@pytest.mark.parametrize("copies", [1, 2])
def test_equal_rows_share_a_multiplier_in_any_way(kernel: Any, copies: int) -> None:
    rows, y = np.tile([[-1.0], [1.0]], (copies, 1)), np.tile([-1, 1], copies)
    kkt = solve(SoftMargin(rows, y, C=10.0, kernel=kernel), tol=1e-9).kkt
    assert (kkt.w_unique, kkt.b_unique, kkt.alpha_unique) == (True, True, copies == 1)
    assert (kkt.active, kkt.rank) == (2 * copies, 2)


def test_a_row_on_the_margin_without_multiplier_counts() -> None:
    """The third row is on the margin, and its α = 0 is the only choice: nothing could make up for a rise."""
    rows, y = [[-1.0, 0.0], [1.0, 0.0], [1.0, 5.0]], [-1, 1, 1]
    kkt = solve(HardMargin(rows, y, kernel=Linear()), tol=1e-9).kkt
    assert (kkt.active, kkt.rank, kkt.alpha_unique) == (3, 3, True)
    # On both sides of the second row it can give way to the two others.
    kkt = solve(HardMargin([*rows, [1.0, -5.0]], [*y, 1], kernel=Linear()), tol=1e-9).kkt
    assert (kkt.active, kkt.rank, kkt.alpha_unique) == (4, 3, False)


def test_distinct_rows_of_a_gaussian_are_independent_though_their_matrix_is_singular_in_floats() -> None:
    draw = np.random.default_rng(1)
    X = draw.normal(size=(80, 1))
    y = np.where(draw.random(80) < 0.5, 1, -1)
    solution = solve(SoftMargin(X, y, C=1.0, kernel=RBF(gamma=0.5)), tol=1e-9)
    assert (solution.kkt.alpha_unique, solution.kkt.rank) == (True, solution.kkt.active)
    # Of kernel values alone it cannot be told, and nothing false is said.
    for kernel, given in ((UserFunction(RBF(gamma=0.5)), X), (Precomputed(), RBF(gamma=0.5)(X))):
        assert solve(SoftMargin(given, y, C=1.0, kernel=kernel), tol=1e-9).kkt.alpha_unique in (True, None)


def test_few_digits_leave_it_open_and_never_turn_it() -> None:
    """What is claimed of a loose answer is what a good one shows."""
    draw, claimed = np.random.default_rng(4), 0
    for _ in range(40):
        X = draw.integers(0, 3, (6, 2))
        y = np.where(draw.random(6) < 0.5, 1, -1)
        y[:2] = 1, -1
        problem = SoftMargin(X, y, C=1.0, kernel=Linear())
        loose = solve(problem, solver="projected_gradient", tol=1e-3).kkt
        good = solve(problem, tol=1e-9).kkt
        assert loose.b_unique in (None, good.b_unique)
        assert loose.alpha_unique in (None, good.alpha_unique)
        claimed += loose.b_unique is not None
    assert claimed > 10


@pytest.mark.parametrize("data", ["iris", "lattice", "wide", "two rows", "moons"])
def test_alpha_against_a_linear_program(data: str) -> None:
    X, y = DATA[data]()
    solution = solve(SoftMargin(X, y, C=1.0, kernel=Linear()), tol=1e-9)
    margin = y * (Linear()(X) @ (y * solution.alpha) + solution.bias)
    bounds = np.column_stack([np.where(margin < 1 - 1e-6, 1.0, 0.0), np.where(margin > 1 + 1e-6, 0.0, 1.0)])
    same = np.vstack([Linear()(X) * y, y[None, :]])
    spread = 0.0
    for cost in np.random.default_rng(0).normal(size=(3, len(y))):
        target = same @ np.clip(solution.alpha, *bounds.T)
        ends = [linprog(s * cost, A_eq=same, b_eq=target, bounds=bounds) for s in (1, -1)]
        spread = max(spread, float(np.abs(ends[0].x - ends[1].x).max()))
    assert solution.kkt.alpha_unique is (spread < 1e-4)


def _minima(shares: Any, levels: Any, half: float) -> int:
    """At how many levels r of one side ``−half r + Σ w max(0, r − level)`` is least."""
    points = np.unique(np.append(levels.round(9), [levels.min() - 1, levels.max() + 1]))
    costs = [-half * r + shares @ np.maximum(0.0, r - levels) for r in points]
    return int(np.sum(np.isclose(costs, min(costs), atol=1e-9)))


@pytest.mark.filterwarnings("ignore::maxmargin.errors.NoMarginWarning")
def test_levels_of_a_nu_classification() -> None:
    """Each side has its own; where one is not unique, neither are ρ, by which the answer is divided, and w, b and α."""
    draw, seen = np.random.default_rng(3), {True: 0, False: 0}
    while min(seen.values()) < 15:
        X = draw.integers(0, 3, (7, 2)).astype(float)
        y = np.array([1, 1, 1, 1, -1, -1, -1])
        nu = float(draw.choice([0.25, 2 / 7, 0.5, 4 / 7]))
        solution = solve(NuClassification(X, y, nu=nu, kernel=Linear()), tol=1e-10, throw=False)
        if not solution.status.is_optimal or not np.abs(solution.weights).max() > 1e-9:
            continue
        products = y * (solution.decision_function(X) - solution.bias)
        minima = [_minima(np.ones(int((y == s).sum())), products[y == s], 3.5 * nu) for s in (1, -1)]
        kkt, unique = solution.kkt, minima == [1, 1]
        assert (kkt.w_unique, kkt.b_unique) == (unique, unique)
        assert unique or kkt.alpha_unique is False
        seen[unique] += 1


def test_copies_on_both_sides_of_a_nu_tube() -> None:
    """Equal rows whose targets are 2ε apart may exchange only what another such pair makes up for: each side keeps its sum."""
    rows, y = np.array([[0.0], [0.0], [3.0], [3.0]]), np.array([0.0, 2.0, 5.0, 7.0])
    one = solve(NuRegression(rows[:3], y[:3], C=10.0, nu=0.5, kernel=RBF(gamma=1.0)), tol=1e-10)
    two = solve(NuRegression(rows, y, C=10.0, nu=0.5, kernel=RBF(gamma=1.0)), tol=1e-10)
    assert one.slack_rule.epsilon == pytest.approx(1.0)
    assert (one.kkt.active, one.kkt.rank, one.kkt.alpha_unique) == (3, 3, True)
    assert two.slack_rule.epsilon == pytest.approx(1.0)
    assert (two.kkt.active, two.kkt.rank, two.kkt.alpha_unique) == (4, 3, False)


@pytest.mark.parametrize("container", [np.asarray, sparse.csr_array, sparse.csr_matrix])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_models_keep_the_rows_on_the_margin(container: Any, dtype: Any) -> None:
    """Also without a multiplier; for all binary classifiers, through pickles, and whatever the rows are stored in."""
    draw = np.random.default_rng(6)
    X, y = draw.integers(0, 3, (24, 2)).astype(dtype), draw.integers(0, 3, 24)
    weight = np.where(np.arange(24) % 7 == 0, 0.0, 1.0)
    model = SVC(kernel="linear", C=1.0, tol=1e-9).fit(container(X), y, weight)
    alone = []
    for i, j in ((0, 1), (0, 2), (1, 2)):
        members = ((y == i) | (y == j)) & (weight > 0)
        alone.append(solve(SoftMargin(container(X[members]), y[members] == i, C=1.0, kernel=Linear()), tol=1e-9).kkt)
    for found in (model.solutions_, pickle.loads(pickle.dumps(model)).solutions_):
        assert sum(len(solution.boundary) for solution in found) > 0
        for solution, expected in zip(found, alone, strict=True):
            kkt = solution.kkt
            assert (kkt.b_unique, kkt.alpha_unique) == (expected.b_unique, expected.alpha_unique)
            assert (kkt.active, kkt.rank) == (expected.active, expected.rank)


@pytest.mark.parametrize(
    ("model", "problem"),
    [
        (
            SVR(kernel="linear", C=1.0, epsilon=0.5, tol=1e-9),
            lambda X, y: EpsilonRegression(X, y, epsilon=0.5, kernel=Linear()),
        ),
        (OneClassSVM(kernel="linear", nu=0.25, tol=1e-9), lambda X, y: OneClass(X, nu=0.25, kernel=Linear())),
        (NuSVC(kernel="linear", nu=0.5, tol=1e-9), lambda X, y: NuClassification(X, y > 1, nu=0.5, kernel=Linear())),
    ],
    ids=["SVR", "OneClassSVM", "NuSVC"],
)
def test_other_models_do_too(model: Any, problem: Any) -> None:
    X, y = np.array([[1.0], [1.0], [1.0], [2.0], [2.0], [2.0]]), np.array([0.5, 0.5, 0.5, 2.0, 2.0, 2.5])
    target = y > 1 if isinstance(model, NuSVC) else y
    ours, expected = model.fit(X, target).solutions_[0].kkt, solve(problem(X, y), tol=1e-9).kkt
    assert (ours.b_unique, ours.alpha_unique, ours.active, ours.rank) == (
        expected.b_unique,
        expected.alpha_unique,
        expected.active,
        expected.rank,
    )


def test_altered_rows_are_refused() -> None:
    model = SVC(kernel="linear", C=10.0, tol=1e-9).fit(SQUARE, [0, 0, 1, 1])
    assert model._records.rows is not None
    for rows in (np.zeros((1, 2)), np.zeros((4, 2), dtype=np.float16), "rows"):
        object.__setattr__(model._records, "rows", rows)
        with pytest.raises(InvalidInput, match="The records of the fit were altered: the boundary"):
            _ = model.solutions_
