"""The KKT report: 0 at every optimum, the formulas in plain numpy elsewhere, and uniqueness against a linear program."""

from __future__ import annotations

import dataclasses
import pickle
from typing import Any

import numpy as np
import pytest
from scipy.optimize import linprog

from maxmargin import SVC, SVDD, SVR, NuSVC, NuSVR, OneClassSVM, solve
from maxmargin.errors import InvalidInput
from maxmargin.kernels import RBF, Linear, Precomputed
from maxmargin.problems import (
    DataDescription,
    EpsilonRegression,
    HardMargin,
    NuClassification,
    NuRegression,
    OneClass,
    SoftMargin,
    Terms,
)
from maxmargin.solution._kkt import Conditions

from ..contracts._registry import DATA

rng = np.random.default_rng(5)
X = rng.normal(size=(60, 2))
Y = np.where(X[:, 0] + 0.7 * rng.normal(size=60) > 0, 1.0, -1.0)
WEIGHT = rng.lognormal(0, 1, 60)

PROBLEMS: dict[str, Any] = {
    "soft": lambda: SoftMargin(X, Y, C=2.0, sample_weight=WEIGHT),
    "soft, no offset": lambda: SoftMargin(X, Y, C=2.0, offset=False),
    "soft, penalised offset": lambda: SoftMargin(X, Y, C=2.0, offset="penalised"),
    "squared": lambda: SoftMargin(X, Y, C=2.0, slack="squared"),
    "hard": lambda: HardMargin(X, Y, kernel=RBF(gamma=30.0)),
    "hard, no offset": lambda: HardMargin(X, Y, kernel=RBF(gamma=30.0), offset=False),
    "nu": lambda: NuClassification(X, Y, nu=0.3, sample_weight=WEIGHT),
    "epsilon regression": lambda: EpsilonRegression(X, X[:, 0] ** 2, C=3.0),
    "nu regression": lambda: NuRegression(X, X[:, 0] ** 2, C=3.0),
    "one class": lambda: OneClass(X, nu=0.2),
    "ball": lambda: DataDescription(X, nu=0.2, kernel=Linear()),
}


@pytest.mark.parametrize("name", PROBLEMS)
def test_every_optimum_fulfils_all_conditions(name: str) -> None:
    solution = solve(PROBLEMS[name](), tol=1e-9)
    kkt = solution.kkt
    assert kkt.largest < 1e-7
    assert kkt.w_unique is True
    assert kkt.b_unique is True
    assert kkt.active >= kkt.rank
    assert len(str(kkt).splitlines()) == 7


@pytest.mark.parametrize("slack", ["linear", "squared"])
def test_far_from_the_optimum_they_are_the_formulas(slack: str) -> None:
    """All rows in plain numpy; a Solution knows only those with a multiplier or on the boundary."""
    C = 2.0 * WEIGHT
    with pytest.warns(UserWarning, match="ITERATION_LIMIT"):
        solution = solve(SoftMargin(X, Y, C=2.0, sample_weight=WEIGHT, kernel=RBF(gamma=0.5), slack=slack), max_iter=6)
    alpha, kkt = solution.alpha, solution.kkt
    excess = 1.0 - Y * (RBF(gamma=0.5)(X) @ (Y * alpha) + solution.bias)
    xi = alpha / (2 * C) if slack == "squared" else np.maximum(0.0, excess)
    assert kkt.primal_feasibility == pytest.approx(max(0.0, (excess - xi).max()), abs=1e-12)
    assert kkt.complementary_slackness == pytest.approx((alpha * np.abs(xi - excess)).max(), rel=1e-9, abs=1e-12)
    expected = ((C - alpha) * xi).max() if slack == "linear" else 0.0
    assert kkt.slack_complementarity == pytest.approx(expected, rel=1e-9, abs=1e-12)
    assert kkt.stationarity == pytest.approx(abs(Y @ alpha), abs=1e-12)
    assert kkt.largest > 0.1
    assert (kkt.b_unique, kkt.alpha_unique, kkt.active, kkt.rank) == (None, None, None, None)
    assert "not looked at" in str(kkt)


def test_products_sum_to_the_gap() -> None:
    """``Σ α_i (ξ_i − e_i) + (C_i − α_i) ξ_i`` is the duality gap: so both are 0 only at the optimum."""
    with pytest.warns(UserWarning, match="ITERATION_LIMIT"):
        solution = solve(SoftMargin(X, Y, C=2.0, kernel=RBF(gamma=0.5)), max_iter=6)
    excess = 1.0 - Y * solution.decision_function(X)
    xi, alpha = np.maximum(0.0, excess), solution.alpha
    gap = float(np.sum(alpha * (xi - excess) + (2.0 - alpha) * xi))
    assert solution.certificate.gap == pytest.approx(gap, rel=1e-9)
    assert gap <= len(Y) * (solution.kkt.complementary_slackness + solution.kkt.slack_complementarity)


def test_an_offset_that_is_an_interval() -> None:
    """α = C at both rows: w = 0.2, and all b with |b| ≤ 0.8 lose the same."""
    solution = solve(SoftMargin([[-1.0], [1.0]], [-1, 1], C=0.1, kernel=Linear()))
    assert solution.bias_interval == pytest.approx((-0.8, 0.8))
    assert solution.kkt.b_unique is False
    assert solution.kkt.alpha_unique is True
    assert solution.kkt.active == 0


def _spread(K: Any, y: Any, C: Any, solution: Any) -> float:
    """How far apart two optimal α are, by linear programs over the set of all: same w, same equality, same fixed rows."""
    margin = y * (K @ (y * solution.alpha) + solution.bias)
    low = np.where(margin < 1 - 1e-6, C, 0.0)
    high = np.where(margin > 1 + 1e-6, 0.0, C)
    A = np.vstack([K * y, y[None, :]])
    b = A @ np.clip(solution.alpha, low, high)
    found = []
    for cost in rng.normal(size=(3, len(y))):
        ends = [linprog(s * cost, A_eq=A, b_eq=b, bounds=np.column_stack([low, high])) for s in (1, -1)]
        found.append(float(np.abs(ends[0].x - ends[1].x).max()))
    return max(found)


@pytest.mark.parametrize("data", ["iris", "lattice", "wide", "two rows", "moons"])
def test_uniqueness_of_alpha_against_a_linear_program(data: str) -> None:
    rows, y = DATA[data]()
    solution = solve(SoftMargin(rows, y, C=1.0, kernel=Linear()), tol=1e-9)
    verdict, spread = solution.kkt.alpha_unique, _spread(Linear()(rows), y, np.ones(len(y)), solution)
    if verdict is not None:
        assert verdict is (spread < 1e-4)
    assert verdict is not None or data == "lattice"


def test_two_equal_rows_share_a_multiplier_in_any_way() -> None:
    solution = solve(SoftMargin([[-1.0], [-1.0], [1.0], [1.0]], [-1, -1, 1, 1], C=10.0, kernel=Linear()))
    assert solution.kkt.alpha_unique is not True
    shared = np.array([-0.25, -0.25, 0.25, 0.25])
    conditions = Conditions(np.abs(shared), np.zeros(4), shared, Terms(np.full(4, 10.0)), 1e-6)
    rows = np.array([[-1.0], [-1.0], [1.0], [1.0]])
    assert conditions.multipliers_are_unique(rows @ rows.T, sided=False) == (False, 2)


def test_rank_counts_the_border() -> None:
    """Three points on a line: a Gram matrix of rank 1 has rank 2 with its border, and rank 1 without an offset."""
    rows = np.array([[1.0], [2.0], [4.0]])
    beta = np.array([-0.5, 0.25, 0.25])
    with_offset = Conditions(np.abs(beta), np.zeros(3), beta, Terms(np.full(3, np.inf)), 1e-6)
    without = dataclasses.replace(with_offset, terms=Terms(np.full(3, np.inf), free_offset=False))
    assert with_offset.multipliers_are_unique(rows @ rows.T, sided=False) == (False, 2)
    assert without.multipliers_are_unique(rows @ rows.T, sided=False) == (False, 1)


@pytest.mark.parametrize(
    "model", [SVC(), SVC(C=np.inf, gamma=30.0), NuSVC(nu=0.3), SVR(), NuSVR(), OneClassSVM(), SVDD()], ids=str
)
def test_solutions_of_estimators_keep_what_it_needs(model: Any) -> None:
    target = Y if isinstance(model, (SVC, NuSVC)) else X[:, 0] ** 2
    weights = None if isinstance(model, SVC) else WEIGHT
    model.set_params(tol=1e-9).fit(X, target, sample_weight=weights)
    kkt = model.solutions_[0].kkt
    assert kkt.largest < 1e-7
    assert kkt.alpha_unique is True
    assert pickle.loads(pickle.dumps(model)).solutions_[0].kkt == kkt


def test_a_precomputed_kernel_forgets_its_matrix() -> None:
    kkt = solve(SoftMargin(X @ X.T, Y, kernel=Precomputed()), tol=1e-9).kkt
    assert kkt.largest < 1e-7
    assert (kkt.alpha_unique, kkt.rank) == (None, None)
    assert "alpha unknown" in str(kkt)
    assert "rank not looked at" in kkt._repr_html_()


def test_no_answer_no_conditions() -> None:
    infeasible = solve(HardMargin([[0.0], [1.0], [2.0]], [0, 1, 0], kernel=Linear()), throw=False)
    with pytest.raises(InvalidInput, match="no answer that could have optimality conditions: INFEASIBLE"):
        _ = infeasible.kkt


def test_a_solution_without_prices() -> None:
    solution = dataclasses.replace(solve(SoftMargin(X, Y)), terms=None)
    with pytest.raises(InvalidInput, match=r"need the prices C_i, which this Solution was made without\. Get one from"):
        _ = solution.kkt


def test_slack_and_scores_of_a_ball_are_those_of_its_decision_function() -> None:
    solution = solve(DataDescription(X, nu=0.2, kernel=Linear()), tol=1e-9)
    f = solution.decision_function(X)
    np.testing.assert_allclose(solution.support_scores, f[solution.support], atol=1e-9)
    np.testing.assert_allclose(solution.slack, np.maximum(0.0, -f), atol=1e-8)
