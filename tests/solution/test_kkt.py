"""The KKT report: 0 at every optimum, the formulas in plain numpy elsewhere, Slater's condition, the table."""

from __future__ import annotations

import dataclasses
import pickle
from typing import Any

import numpy as np
import pytest
from scipy.optimize import linprog

from maxmargin import SVC, SVDD, SVR, NuSVC, NuSVR, OneClassSVM, solve
from maxmargin.errors import InvalidInput
from maxmargin.kernels import RBF, Linear, Precomputed, Sigmoid
from maxmargin.problems import (
    DataDescription,
    EpsilonRegression,
    HardMargin,
    NuClassification,
    NuRegression,
    OneClass,
    SoftMargin,
)

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
    assert kkt.alpha_unique is True
    assert kkt.active == kkt.rank
    assert kkt.independent is True
    assert kkt.slater is True
    assert kkt.convex is True
    assert len(str(kkt).splitlines()) == 8


@pytest.mark.parametrize("slack", ["linear", "squared"])
def test_far_from_the_optimum_they_are_the_formulas(slack: str) -> None:
    """All rows in plain numpy; a Solution knows only those with a multiplier or on the boundary."""
    C = 2.0 * WEIGHT
    with pytest.warns(UserWarning, match="ITERATION_LIMIT"):
        solution = solve(SoftMargin(X, Y, C=2.0, sample_weight=WEIGHT, kernel=RBF(gamma=0.5), slack=slack), max_iter=6)
    alpha, kkt = solution.alpha, solution.kkt
    deficit = 1.0 - Y * (RBF(gamma=0.5)(X) @ (Y * alpha) + solution.bias)
    xi = alpha / (2 * C) if slack == "squared" else np.maximum(0.0, deficit)
    assert kkt.primal_feasibility == pytest.approx(max(0.0, (deficit - xi).max()), abs=1e-12)
    assert kkt.complementary_slackness == pytest.approx((alpha * np.abs(xi - deficit)).max(), rel=1e-9, abs=1e-12)
    expected = ((C - alpha) * xi).max() if slack == "linear" else 0.0
    assert kkt.slack_complementarity == pytest.approx(expected, rel=1e-9, abs=1e-12)
    assert kkt.stationarity == pytest.approx(abs(Y @ alpha), abs=1e-12)
    assert kkt.largest > 0.1
    assert (kkt.b_unique, kkt.alpha_unique, kkt.active, kkt.rank, kkt.independent) == (None, None, None, None, None)
    assert "not looked at" in str(kkt)


def test_products_sum_to_the_gap() -> None:
    """``Σ α_i (ξ_i − e_i) + (C_i − α_i) ξ_i`` is the duality gap: so both are 0 only at the optimum."""
    with pytest.warns(UserWarning, match="ITERATION_LIMIT"):
        solution = solve(SoftMargin(X, Y, C=2.0, kernel=RBF(gamma=0.5)), max_iter=6)
    deficit = 1.0 - Y * solution.decision_function(X)
    xi, alpha = np.maximum(0.0, deficit), solution.alpha
    gap = float(np.sum(alpha * (xi - deficit) + (2.0 - alpha) * xi))
    assert solution.certificate.gap == pytest.approx(gap, rel=1e-9)
    assert gap <= len(Y) * (solution.kkt.complementary_slackness + solution.kkt.slack_complementarity)


def test_an_offset_that_is_an_interval() -> None:
    """α = C at both rows: w = 0.2, and all b with |b| ≤ 0.8 lose the same."""
    solution = solve(SoftMargin([[-1.0], [1.0]], [-1, 1], C=0.1, kernel=Linear()))
    assert solution.bias_interval == pytest.approx((-0.8, 0.8))
    assert solution.kkt.b_unique is False
    assert solution.kkt.alpha_unique is True
    assert solution.kkt.active == 0


@pytest.mark.parametrize("scale", [1.0, 1e-3, 1e5])
def test_a_separable_hard_margin_has_a_strictly_feasible_point(scale: float) -> None:
    """Twice w and b; nothing is known of a fit that was stopped before it separates."""
    rows, y = scale * np.array([[0.0, 0.0], [0.0, 1.0], [3.0, 0.2], [3.0, 2.0]]), [-1, -1, 1, 1]
    solution = solve(HardMargin(rows, y, kernel=Linear()), tol=1e-9)
    assert solution.kkt.slater is True
    assert (y * (2 * solution.decision_function(rows)) > 1.5).all()
    crossed = X[:, 0] > 0.4 * np.sin(9 * X[:, 1])
    with pytest.warns(UserWarning, match="ITERATION_LIMIT"):
        stopped = solve(HardMargin(X, crossed, kernel=RBF(gamma=30.0)), max_iter=3)
    assert stopped.kkt.slater is None
    assert "unknown; if any point fulfils the constraints, the conditions are necessary and sufficient" in str(stopped.kkt)


def test_a_tube_without_slack_has_one_if_and_only_if_a_narrower_tube_would_do() -> None:
    """The narrowest by a linear program. Where it is as wide as the given one, constraints that are affine still suffice."""
    found = {True: 0, False: 0}
    draw = np.random.default_rng(2)
    while min(found.values()) < 20:
        rows, y, epsilon = draw.integers(0, 3, (5, 2)), draw.integers(0, 4, 5), float(draw.choice([0.25, 0.5, 1.0]))
        sides = np.column_stack([rows, np.ones(5), np.zeros(5)])
        bound = np.vstack([sides, -sides])
        bound[:, 3] = -1.0
        narrowest = linprog([0, 0, 0, 1], A_ub=bound, b_ub=np.concatenate([y, -y]), bounds=[(None, None)] * 4).fun
        if narrowest < epsilon + 1e-9:
            problem = EpsilonRegression(rows, y.astype(float), C=np.inf, epsilon=epsilon, kernel=Linear())
            kkt = solve(problem, tol=1e-9).kkt
            strictly = narrowest < epsilon - 1e-9
            assert kkt.slater is strictly
            assert ("no, but the constraints are affine" in str(kkt)) is not strictly
            found[strictly] += 1
    exact = EpsilonRegression([[0.0], [1.0]], [0.0, 1.0], C=np.inf, epsilon=0.0, kernel=Linear())
    assert solve(exact, tol=1e-9).kkt.slater is False


def test_an_indefinite_kernel_leaves_them_necessary_only() -> None:
    with pytest.warns(UserWarning, match="INDEFINITE"):
        kkt = solve(SoftMargin(X, Y, C=10.0, kernel=Sigmoid(gamma=3.0, coef0=1.0))).kkt
    assert (kkt.convex, kkt.w_unique, kkt.slater) == (False, None, True)
    assert "yes: the conditions are necessary, and not sufficient: the kernel is indefinite" in str(kkt)


def test_an_optimum_of_zero_has_a_report() -> None:
    """A ball of no size: all rows are the same one."""
    solution = solve(DataDescription(np.ones((3, 2)), nu=0.5, kernel=Linear()), tol=1e-9)
    assert solution.status.is_optimal
    assert (solution.kkt.active, solution.kkt.rank, solution.kkt.alpha_unique) == (3, 1, False)


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


def test_a_precomputed_model_forgets_its_matrix() -> None:
    """But a solution of `solve` keeps the part that counts."""
    (solution,) = SVC(kernel="precomputed", tol=1e-9).fit(X @ X.T, Y).solutions_
    assert solution.kkt.largest < 1e-7
    assert (solution.kkt.b_unique, solution.kkt.alpha_unique, solution.kkt.rank) == (True, None, None)
    assert "alpha unknown" in str(solution.kkt)
    assert "rank not looked at" in solution.kkt._repr_html_()
    kept = solve(SoftMargin(X @ X.T, Y, kernel=Precomputed()), tol=1e-9).kkt
    assert dataclasses.asdict(kept) == pytest.approx(dataclasses.asdict(solve(SoftMargin(X, Y, kernel=Linear()), tol=1e-9).kkt))


def test_no_answer_no_conditions() -> None:
    infeasible = solve(HardMargin([[0.0], [1.0], [2.0]], [0, 1, 0], kernel=Linear()), throw=False)
    with pytest.raises(InvalidInput, match="no answer that could have optimality conditions: INFEASIBLE"):
        _ = infeasible.kkt


def test_a_solution_without_prices() -> None:
    solution = dataclasses.replace(solve(SoftMargin(X, Y)), kkt_data=None)
    with pytest.raises(InvalidInput, match=r"need the costs C_i, which this Solution was made without\. Get one from"):
        _ = solution.kkt


def test_slack_and_scores_of_a_ball_are_those_of_its_decision_function() -> None:
    solution = solve(DataDescription(X, nu=0.2, kernel=Linear()), tol=1e-9)
    f = solution.decision_function(X)
    np.testing.assert_allclose(solution.support_scores, f[solution.support], atol=1e-9)
    np.testing.assert_allclose(solution.slack, np.maximum(0.0, -f), atol=1e-8)
