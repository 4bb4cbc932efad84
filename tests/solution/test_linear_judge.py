"""The evaluation of linear models: what it calls an optimum, and what it says far from one."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from maxmargin import LinearClassifier, LinearSVR, solve
from maxmargin.errors import ConvergenceWarning, FeatureScaleWarning
from maxmargin.losses import ConvexLoss, EpsilonInsensitive, MarginLoss, as_loss
from maxmargin.problems import MulticlassLinear, PrimalProblem
from maxmargin.solution import LinearEvaluation, Status, certify_linear, certify_multiclass

RNG = np.random.default_rng(0)
X = RNG.normal(size=(40, 4))
Y = np.where(X[:, 0] + 0.7 * RNG.normal(size=40) > 0, 1, -1)
T = X[:, 0] + 0.3 * RNG.normal(size=40)
MARGINS = ("hinge", "squared_hinge", "logistic", "exponential", "squared", "perceptron")
RESIDUALS = ("epsilon_insensitive", "squared_epsilon_insensitive")
SMOOTH = ("squared_hinge", "logistic", "exponential", "squared", "squared_epsilon_insensitive")
PENALTIES: dict[str, dict[str, Any]] = {
    "l2": {"penalty": "l2"},
    "l1": {"penalty": "l1"},
    "ball": {"penalty": "ball", "B": 4.0},
    "none": {"penalty": None},
}


def targets(loss: str) -> Any:
    return T if loss in RESIDUALS else Y


def quietly(problem: Any, **given: Any) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return solve(problem, **given)


@dataclass(frozen=True)
class OwnMargin(MarginLoss, ConvexLoss):
    """Another loss under a name that the core does not know."""

    of: Any

    @property
    def curvature(self) -> float:  # type: ignore[override]
        return float(self.of.curvature)

    def value(self, z: Any) -> Any:
        return self.of.value(z)

    def derivative(self, z: Any) -> Any:
        return self.of.derivative(z)

    def conjugate(self, u: Any) -> Any:
        return self.of.conjugate(u)


@pytest.mark.parametrize("offset", ["free", "penalised", None])
@pytest.mark.parametrize("penalty", PENALTIES)
@pytest.mark.parametrize("loss", [loss for loss in MARGINS if loss != "exponential"])  # has kinks, as far as numpy knows
def test_the_core_and_numpy_judge_alike(loss: str, penalty: str, offset: str | None) -> None:
    """Losses of one's own are evaluated in numpy, the library's in one pass of the core."""
    cost = RNG.uniform(0.1, 2.0, 40)
    given = {"offset": offset, "sample_weight": cost, **PENALTIES[penalty]}
    known, own = (PrimalProblem(X, Y, loss=kind, **given) for kind in (as_loss(loss, "x"), OwnMargin(as_loss(loss, "x"))))
    w, b = 0.3 * RNG.normal(size=4), 0.2 if offset else 0.0
    alpha = cost * RNG.uniform(0.0, 1.0, 40)
    one, other = (certify_linear(problem, w, b, alpha) for problem in (known, own))
    for name in ("primal", "dual", "stationarity", "infeasibility"):
        assert getattr(one, name) == pytest.approx(getattr(other, name), rel=1e-12, abs=1e-12), name


def problem_of(loss: str, penalty: str, offset: str | None = "free", **more: Any) -> PrimalProblem:
    return PrimalProblem(X, targets(loss), loss=loss, offset=offset, **PENALTIES[penalty], **more)


@pytest.mark.parametrize("penalty", ["l2", "none"])
@pytest.mark.parametrize("loss", SMOOTH)
def test_the_violation_of_a_smooth_loss_is_the_gradient(loss: str, penalty: str) -> None:
    """At 0, wherever the multipliers are: also at feasible ones, whose sums say nothing."""
    problem = problem_of(loss, penalty, C=3.0)
    for w, b in ((np.zeros(4), 0.0), (RNG.normal(size=4), 0.7)):
        in_w, in_b = problem.gradient(w, b)
        expected = max(float(np.abs(in_w).max()), abs(in_b))
        assert expected > 1.0
        assert certify_linear(problem, w, b, np.zeros(40)).stationarity == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize(
    ("loss", "penalty"),
    [
        (loss, penalty)
        for loss in (*MARGINS[:-1], *RESIDUALS)
        for penalty in PENALTIES
        # those that a solver is for
        if loss in SMOOTH[:2] or penalty in ("l2", "ball") or (penalty == "none" and loss in SMOOTH)
    ],
)
def test_the_violation_is_small_at_the_optimum_and_large_at_0(loss: str, penalty: str) -> None:
    problem = problem_of(loss, penalty)
    found = quietly(problem, tol=1e-11)
    assert found.certificate.kkt_violation < 1e-4
    far = certify_linear(problem, np.zeros(4), 0.0, found.alpha)
    assert far.stationarity > 0.1


def test_the_violation_of_classes_is_the_gradient_too() -> None:
    codes = np.digitize(X[:, 0], [-0.5, 0.5])
    problem = MulticlassLinear(X, codes, penalty=None)
    even = np.full((40, 3), 1.0 / 3.0)
    evaluated = certify_multiclass(problem, np.zeros((3, 4)), np.zeros(3), even)
    slopes = -even
    slopes[np.arange(40), codes] += 1.0
    assert evaluated.stationarity == pytest.approx(np.abs(X.T @ slopes).max(), rel=1e-12)
    joint = MulticlassLinear(X, codes, loss="joint")
    own = np.zeros((40, 3))
    own[np.arange(40), codes] = 1.0
    assert certify_multiclass(joint, np.zeros((3, 4)), np.zeros(3), own).stationarity == 1.0  # what every row loses


def test_what_is_an_optimum() -> None:
    def evaluated(primal: float, dual: float, **more: float) -> LinearEvaluation:
        return LinearEvaluation(primal=primal, dual=dual, stationarity=0.0, **{"infeasibility": 0.0, **more})

    assert evaluated(1.0, 0.9999).is_optimal(1e-3)
    assert not evaluated(1.0, 0.998).is_optimal(1e-3)
    # no allowance for what is small beside something else
    assert not evaluated(1e-6, 0.0, at_zero=1e12).is_optimal(1e-3)
    # a floor above the objective by more than rounding is none
    assert not evaluated(1.0, 1.07).is_optimal(0.1)
    assert not evaluated(1.0, 1.0 + 1e-12).is_optimal(1e-3)
    assert evaluated(1.0, 1.0 + 1e-12, rounding=1e-11).is_optimal(1e-3)
    assert evaluated(1.0, 1.0 + 1e-12, noise=1e-11).is_optimal(1e-3)
    assert not evaluated(1.0, 1.0 + 1e-2, noise=1.0).is_optimal(1e-3)
    # what rounding hides is not proven
    assert not evaluated(1.0, 1.0, rounding=1e-2).is_optimal(1e-3)
    assert not evaluated(1.0, 1.0, infeasibility=1e-3).is_optimal(1e-3)
    assert not evaluated(np.inf, np.inf).is_optimal(1e-3)


def test_what_is_an_optimum_of_0() -> None:
    def status(primal: float, dual: float, scale: float, rounding: float = 0.0) -> Status:
        found = LinearEvaluation(primal, dual, 0.0, 0.0, rounding=rounding, at_zero=scale)
        return found.status(Status.CONVERGED, 1e-4)

    assert status(0.0, 0.0, 1.0) is Status.CONVERGED
    assert status(1e-12, -1e-12, 1.0) is Status.ZERO_OPTIMUM
    assert status(1e-12, 1e-13, 1.0) is Status.STALLED  # its sign is known
    assert status(1e-12, 1e-13, 1.0, rounding=1e-12) is Status.ZERO_OPTIMUM
    assert status(1e-6, -1e-12, 1.0) is Status.STALLED
    assert status(1.0, 0.999, 1e12, rounding=1e6) is Status.STALLED  # nothing is known


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from(["hinge", "squared_hinge", "logistic"]), st.sampled_from(["free", None]))
def test_wide_weights_never_pass_for_a_small_gap(seed: int, loss: str, offset: str | None) -> None:
    rng = np.random.default_rng(seed)
    rows = rng.normal(size=(30, 3))
    problem = PrimalProblem(rows, np.arange(30) % 2, loss=loss, offset=offset, sample_weight=10.0 ** rng.uniform(-12, 12, 30))
    certificate = quietly(problem).certificate
    if certificate.status is Status.CONVERGED:
        assert abs(certificate.gap) <= 1e-4 * abs(certificate.primal_objective)
    if certificate.status is Status.ZERO_OPTIMUM:
        assert certificate.dual_objective <= 1e-9 * certificate.scale
        assert certificate.gap <= 1e-9 * certificate.scale


def test_an_optimum_of_0_has_its_own_status_and_scale() -> None:
    """More features than rows: all labels are met exactly."""
    rows = RNG.normal(size=(5, 9))
    found = quietly(PrimalProblem(rows, [0, 1, 0, 1, 1], loss="squared", penalty=None))
    assert found.status is Status.ZERO_OPTIMUM
    assert found.certificate.scale == 5.0
    assert found.certificate.gap <= 1e-9 * 5.0


@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
def test_rows_on_the_margin_are_there_but_for_rounding(loss: str) -> None:
    """Their loss is 0 by one order of summation and not by another; rows beyond it have none by any."""
    rows, y = np.array([[0.1, 0.2], [0.3, -0.4], [-0.7, 0.5]]), np.array([1, -1, 1])
    w = np.linalg.solve(np.hstack([rows, np.ones((3, 1))]), y)
    problem = PrimalProblem(rows, y, loss=loss, penalty=None)
    beyond = certify_linear(problem, 2.0 * w[:2], 2.0 * w[2], np.zeros(3))
    assert beyond.primal == 0.0
    assert beyond.status(Status.CONVERGED, 1e-3) is Status.CONVERGED
    larger = next(
        1.0 + k * 1e-16 for k in range(0, 100, 2) if (y * problem.scores((1.0 + k * 1e-16) * w[:2], w[2]) >= 1.0).all()
    )
    there = certify_linear(problem, larger * w[:2], w[2], np.zeros(3))
    assert there.primal == 0.0
    assert there.status(Status.CONVERGED, 1e-3) is Status.ZERO_OPTIMUM
    assert there.at_zero == 3.0


@pytest.mark.parametrize(("b", "status"), [(-0.38125744, Status.ZERO_OPTIMUM), (-0.3, Status.CONVERGED)])
def test_targets_on_the_edge_of_the_tube_are_there_but_for_rounding(b: float, status: Status) -> None:
    problem = PrimalProblem(X[:2], [b - 0.5 if status is Status.ZERO_OPTIMUM else -0.7, 0.1], loss=EpsilonInsensitive(0.5))
    found = certify_linear(problem, np.zeros(4), b, np.zeros(2))
    assert found.primal == 0.0
    assert found.status(Status.CONVERGED, 1e-3) is status


@pytest.mark.parametrize("seed", range(20))
def test_no_model_of_several_classes_is_better_than_it_predicts(seed: int) -> None:
    rng = np.random.default_rng(seed)
    rows, y = rng.normal(size=(5, 8)), np.array([0, 1, 2, 0, 1])
    rows[:, 2] = -3.5
    model = LinearClassifier(loss="squared_hinge", penalty=None, C=9.0).fit(rows, y)
    signs = np.where(y[:, np.newaxis] == model.classes_, 1.0, -1.0)
    primal = 9.0 * np.square(np.maximum(0.0, 1.0 - signs * model.decision_function(rows))).sum()
    assert model.status_ is Status.ZERO_OPTIMUM or primal <= model.certificate_.primal_objective * (1.0 + 1e-3)


@pytest.mark.parametrize("penalty", ["l2", "l1", "ball", "none"])
@pytest.mark.parametrize("constant", [1.0, 1e3, 1e6, 1.7e9])
def test_no_floor_is_above_the_optimum(penalty: str, constant: float) -> None:
    """Multipliers that are nearly feasible, beside a column that makes "nearly" large for the others."""
    rows = np.column_stack([X, np.full(40, constant)])
    problem = PrimalProblem(rows, Y, loss="logistic", **PENALTIES[penalty])
    best = quietly(PrimalProblem(X, Y, loss="logistic", **PENALTIES[penalty]), tol=1e-12)
    optimum = best.certificate.primal_objective
    for size in (1e-15, 1e-12, 1e-10, 1e-8, 1e-3):
        for _ in range(20):
            alpha = np.clip(best.alpha * (1.0 + size * RNG.normal(size=40)), 0.0, 1.0)
            found = certify_linear(problem, np.append(best.weights, 0.0), best.bias, alpha)
            assert found.dual <= optimum * (1.0 + 1e-11)


@pytest.mark.parametrize("constant", [1e6, -3.7e5, 1.7e9])
@pytest.mark.parametrize("loss", ["hinge", "squared_hinge", "logistic"])
def test_the_certificate_is_of_the_model_that_predicts(loss: str, constant: float) -> None:
    rows = X.copy()
    rows[:, 1] = constant
    model = LinearClassifier(loss=loss, C=1e3).fit(rows, Y)
    kind: Any = as_loss(loss, "x")
    value = 0.5 * float((model.coef_**2).sum()) + 1e3 * float(kind.value(Y * model.decision_function(rows)).sum())
    assert model.status_ is Status.CONVERGED
    assert model.certificate_.primal_objective == pytest.approx(value, rel=1e-9)
    alone = LinearClassifier(loss=loss, C=1e3).fit(np.delete(rows, 1, axis=1), Y)
    assert value == pytest.approx(alone.certificate_.primal_objective, rel=2e-4)
    assert model.coef_[0, 1] == 0.0


@pytest.mark.filterwarnings("ignore", category=FeatureScaleWarning)
def test_the_certificate_of_regression_far_from_0() -> None:
    rows, y = np.full((30, 1), -3.7e5), 1e-3 * RNG.normal(size=30)
    model = LinearSVR(C=1e3).fit(rows, y)
    value = 0.5 * float((model.coef_**2).sum()) + 1e3 * float(np.abs(y - model.predict(rows)).sum())
    assert model.status_ is Status.CONVERGED
    assert model.certificate_.primal_objective == pytest.approx(value, rel=1e-9)
    assert value == pytest.approx(1e3 * np.abs(y - np.median(y)).sum(), rel=1e-4)


@pytest.mark.parametrize("seed", range(12))
def test_an_objective_below_the_rounding_of_the_losses_is_no_optimum(seed: int) -> None:
    """A column near 1e150 has weights whose square vanishes: a row that rounding puts on the edge of the tube counts."""
    rng = np.random.default_rng(seed)
    X, y = 1e150 * rng.integers(1, 9, size=(18, 1)).astype(float), rng.uniform(-0.55, 0.55, 18)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = LinearSVR(C=5.0, epsilon=0.5, tol=1e-5).fit(X, y)
    w, b = Fraction(model.coef_[0]), Fraction(np.ravel(model.intercept_)[0])
    residuals = [abs(Fraction(t) - (w * Fraction(x) + b)) - Fraction(0.5) for x, t in zip(X[:, 0], y, strict=True)]
    exact = w * w / 2 + 5 * sum(max(Fraction(0), each) for each in residuals)
    certificate = model.certificate_
    assert model.status_ is not Status.CONVERGED or exact - Fraction(certificate.dual_objective) <= exact / 1000
