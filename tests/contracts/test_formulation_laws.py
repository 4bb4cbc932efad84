"""What the optimum of each formulation implies of its rows: ν-properties, tubes, balls, and kinds of rows."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from sklearn.metrics.pairwise import linear_kernel, polynomial_kernel, rbf_kernel

from maxmargin import SVC, solve
from maxmargin.kernels import RBF, Linear, Polynomial
from maxmargin.problems import (
    Ball,
    DataDescription,
    EpsilonRegression,
    NuClassification,
    NuRegression,
    OneClass,
    SoftMargin,
    Tube,
)
from maxmargin.solution import Kind, Solution, Status

from ._registry import Array

TOL = 1e-8
NEAR = 1e-6
"""Within this of an edge a row may be on either side of it at TOL."""

KERNELS = {
    "linear": (Linear(), linear_kernel),
    "rbf": (RBF(gamma=0.5), lambda X, Y: rbf_kernel(X, Y, gamma=0.5)),
    "polynomial": (Polynomial(degree=2, gamma=0.3, coef0=1.0), lambda X, Y: polynomial_kernel(X, Y, 2, 0.3, 1.0)),
}
kernels = st.sampled_from(list(KERNELS))
EXAMPLES = settings(max_examples=200)


@st.composite
def sets(draw: st.DrawFn) -> tuple[Array, Array, Array, Array]:
    """Rows, labels, targets and weights; on a coarse lattice rows are equal and many are on an edge."""
    n, d = draw(st.integers(6, 40), label="rows"), draw(st.integers(1, 4), label="features")
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1), label="seed"))
    lattice = draw(st.booleans(), label="on a lattice")
    X = rng.integers(-2, 3, size=(n, d)).astype(float) if lattice else rng.normal(size=(n, d))
    noise = rng.integers(-1, 2, n) if lattice else rng.normal(size=n)
    y = np.where(X[:, 0] + noise > 0, 1.0, -1.0)
    y[:2] = -1.0, 1.0
    weight = rng.integers(1, 4, n).astype(float) if draw(st.booleans(), label="weights") else np.ones(n)
    return X, y, X[:, 0] ** 2 + 0.5 * noise, weight


def _beta(solution: Solution) -> Array:
    beta = np.zeros(solution.n)
    beta[solution.support] = solution.beta
    return beta


def _scores(solution: Solution, X: Array, kernel: str) -> Array:
    return KERNELS[kernel][1](X, X) @ _beta(solution) + solution.bias


def _weight_between(weight: Array, beyond: Array, support: Array, share: float) -> None:
    """The ν-property: rows beyond weigh at most ν of all, support vectors at least."""
    total = weight.sum()
    assert weight[beyond].sum() <= share * total * (1 + 1e-9)
    assert weight[support].sum() >= share * total * (1 - 1e-9)


@EXAMPLES
@given(data=sets(), kernel=kernels, share=st.floats(0.05, 1.0))
def test_nu_of_a_margin(data: tuple[Array, Array, Array, Array], kernel: str, share: float) -> None:
    X, y, _, weight = data
    nu = share * 2 * min(weight[y > 0].sum(), weight[y < 0].sum()) / weight.sum()
    solution = solve(NuClassification(X, y, nu=nu, kernel=KERNELS[kernel][0], sample_weight=weight), tol=TOL)
    assume(solution.certificate.primal_objective < -1e-6)  # else the margin is 0, and there is nothing inside
    margin = y * _scores(solution, X, kernel)
    _weight_between(weight, margin < 1 - NEAR, solution.support, nu)
    assert np.all(solution.alpha[margin > 1 + NEAR] == 0)


@EXAMPLES
@given(data=sets(), kernel=kernels, share=st.floats(0.05, 0.95))
def test_nu_of_a_margin_is_a_soft_margin_at_one_over_rho(
    data: tuple[Array, Array, Array, Array], kernel: str, share: float
) -> None:
    X, y, _, weight = data
    abs_sum = share * 2 * min(weight[y > 0].sum(), weight[y < 0].sum())
    solution = solve(NuClassification(X, y, abs_sum / weight.sum(), KERNELS[kernel][0], weight), tol=TOL)
    assume(solution.certificate.primal_objective < -1e-3)
    rho = abs_sum / np.abs(solution.beta).sum()
    soft = solve(SoftMargin(X, y, C=1 / rho, kernel=KERNELS[kernel][0], sample_weight=weight), tol=TOL)
    optimum = soft.certificate.dual_objective
    alpha, K = _beta(solution), KERNELS[kernel][1](X, X)
    assert np.abs(alpha).sum() - 0.5 * alpha @ K @ alpha == pytest.approx(optimum, rel=1e-6)
    w_soft, w_nu = K @ _beta(soft), K @ alpha
    np.testing.assert_allclose(w_nu, w_soft, rtol=0, atol=1e-5 * max(1.0, np.abs(w_soft).max()))
    low, high = soft.bias_interval
    assert low - NEAR <= solution.bias <= high + NEAR


@EXAMPLES
@given(data=sets(), kernel=kernels, nu=st.floats(0.05, 1.0), C=st.sampled_from([0.1, 1.0, 20.0]))
def test_nu_of_a_tube(data: tuple[Array, Array, Array, Array], kernel: str, nu: float, C: float) -> None:
    X, _, t, weight = data
    solution = solve(NuRegression(X, t, C=C, nu=nu, kernel=KERNELS[kernel][0], sample_weight=weight), tol=TOL)
    assert isinstance(solution.slack_rule, Tube)
    epsilon, away = solution.slack_rule.epsilon, np.abs(_scores(solution, X, kernel) - t)
    assert weight[away > epsilon + NEAR].sum() <= nu * weight.sum() * (1 + 1e-9)
    if epsilon > NEAR:
        assert weight[solution.support].sum() >= nu * weight.sum() * (1 - 1e-9)
    np.testing.assert_allclose(solution.slack, np.maximum(0.0, away - epsilon), rtol=0, atol=NEAR)


@EXAMPLES
@given(data=sets(), kernel=kernels, nu=st.floats(0.1, 0.9))
def test_the_tube_that_nu_finds_is_that_of_its_epsilon(data: tuple[Array, Array, Array, Array], kernel: str, nu: float) -> None:
    X, _, t, weight = data
    solution = solve(NuRegression(X, t, C=2.0, nu=nu, kernel=KERNELS[kernel][0], sample_weight=weight), tol=TOL)
    assert isinstance(solution.slack_rule, Tube)
    epsilon = solution.slack_rule.epsilon
    given_width = solve(EpsilonRegression(X, t, 2.0, epsilon, KERNELS[kernel][0], sample_weight=weight), tol=TOL)
    with_price = given_width.certificate.primal_objective + 2.0 * nu * weight.sum() * epsilon
    assert solution.certificate.primal_objective == pytest.approx(with_price, rel=1e-6, abs=1e-7)


@EXAMPLES
@given(data=sets(), kernel=kernels, C=st.sampled_from([0.1, 1.0, 20.0]), epsilon=st.sampled_from([0.0, 0.1, 0.5]))
def test_inside_on_and_outside_a_tube(data: tuple[Array, Array, Array, Array], kernel: str, C: float, epsilon: float) -> None:
    X, _, t, weight = data
    solution = solve(EpsilonRegression(X, t, C, epsilon, KERNELS[kernel][0], sample_weight=weight), tol=TOL)
    assert solution.slack_rule == Tube(epsilon)
    beta, f = _beta(solution), _scores(solution, X, kernel)
    outside, inside = np.abs(f - t) > epsilon + NEAR, np.abs(f - t) < epsilon - NEAR
    np.testing.assert_array_equal(beta[inside], 0.0)
    np.testing.assert_allclose(beta[outside], (C * weight * np.sign(t - f))[outside], rtol=1e-12)
    np.testing.assert_allclose(solution.slack, np.maximum(0.0, np.abs(f - t) - epsilon), rtol=0, atol=NEAR)
    free = (beta != 0) & (np.abs(beta) < C * weight)
    np.testing.assert_allclose(np.abs(f - t)[free], epsilon, rtol=0, atol=NEAR)


@EXAMPLES
@given(data=sets(), kernel=kernels, nu=st.floats(0.05, 1.0))
def test_outliers_of_one_class(data: tuple[Array, Array, Array, Array], kernel: str, nu: float) -> None:
    X, _, _, weight = data
    solution = solve(OneClass(X, nu=nu, kernel=KERNELS[kernel][0], sample_weight=weight), tol=TOL)
    f = _scores(solution, X, kernel)
    near = NEAR * max(1.0, float(np.abs(f).max()))
    _weight_between(weight, f < -near, solution.support, nu)
    assert np.all(solution.alpha[f > near] == 0)
    np.testing.assert_allclose(solution.slack, np.maximum(0.0, -f), rtol=0, atol=near)


@EXAMPLES
@given(data=sets(), kernel=kernels, nu=st.floats(0.02, 1.0))
def test_the_ball(data: tuple[Array, Array, Array, Array], kernel: str, nu: float) -> None:
    X, _, _, weight = data
    solution = solve(DataDescription(X, nu=nu, kernel=KERNELS[kernel][0], sample_weight=weight), tol=TOL)
    assert isinstance(solution.slack_rule, Ball)
    beta, K, square = _beta(solution), KERNELS[kernel][1](X, X), solution.slack_rule.radius**2
    norm = beta @ K @ beta
    distance = np.diag(K) - 2 * K @ beta + norm
    near = NEAR * max(1.0, float(np.abs(distance).max()))
    assert beta.sum() == pytest.approx(1.0, abs=1e-12)
    assert solution.bias == pytest.approx(0.5 * (square - norm), abs=near)
    np.testing.assert_allclose(solution.decision_function(X), 0.5 * (square - distance), rtol=0, atol=near)
    np.testing.assert_allclose(solution.slack, np.maximum(0.0, 0.5 * (distance - square)), rtol=0, atol=near)
    _weight_between(weight, distance > square + near, solution.support, nu)
    assert np.all(beta[distance < square - near] == 0)
    free = (beta > 0) & (beta < weight / (nu * weight.sum()))
    np.testing.assert_allclose(distance[free], square, rtol=0, atol=near)
    if nu * weight.sum() <= weight.min():
        assert distance.max() <= square + near, "so small a nu leaves no row outside"


@EXAMPLES
@given(data=sets(), nu=st.floats(0.05, 0.95))
def test_a_ball_of_an_rbf_is_one_class(data: tuple[Array, Array, Array, Array], nu: float) -> None:
    X, _, _, weight = data
    ball = solve(DataDescription(X, nu=nu, kernel=RBF(gamma=0.5), sample_weight=weight), tol=TOL)
    level = solve(OneClass(X, nu=nu, kernel=RBF(gamma=0.5), sample_weight=weight), tol=TOL)
    abs_sum = nu * weight.sum()
    np.testing.assert_allclose(abs_sum * ball.decision_function(X), level.decision_function(X), rtol=0, atol=NEAR * abs_sum)


@EXAMPLES
@given(data=sets(), kernel=kernels, C=st.sampled_from([0.1, 1.0, 50.0]), offset=st.sampled_from([True, False, "penalised"]))
def test_kinds_of_rows_with_any_offset(
    data: tuple[Array, Array, Array, Array], kernel: str, C: float, offset: bool | str
) -> None:
    X, y, _, weight = data
    solution = solve(SoftMargin(X, y, C, KERNELS[kernel][0], offset, weight), tol=TOL)
    margin, alpha = y * _scores(solution, X, kernel), solution.alpha
    assert np.all(alpha[margin > 1 + NEAR] == 0)
    np.testing.assert_array_equal(alpha[margin < 1 - NEAR], (C * weight)[margin < 1 - NEAR])
    free = (alpha > 0) & (alpha < C * weight)
    np.testing.assert_allclose(margin[free], 1.0, rtol=0, atol=NEAR)
    kinds, clear = solution.taxonomy, (np.abs(margin - 1) > 10 * NEAR) & (np.abs(margin) > 10 * NEAR)
    expected = np.where(margin > 1, Kind.NON_INFORMATIVE, np.where(margin > 0, Kind.INSIDE_RIGHT, Kind.WRONG))
    np.testing.assert_array_equal(kinds[clear], expected[clear])
    assert np.all(kinds[free] == Kind.BOUNDARY)


@EXAMPLES
@given(data=sets(), kernel=kernels, C=st.sampled_from([0.1, 1.0, 50.0]), offset=st.sampled_from([True, False, "penalised"]))
def test_squared_slack_is_alpha_over_two_C(
    data: tuple[Array, Array, Array, Array], kernel: str, C: float, offset: bool | str
) -> None:
    X, y, _, weight = data
    solution = solve(SoftMargin(X, y, C, KERNELS[kernel][0], offset, weight, slack="squared"), tol=TOL)
    alpha, f = solution.alpha, _scores(solution, X, kernel)
    near = NEAR * max(1.0, float(np.abs(f).max()))
    np.testing.assert_allclose(np.maximum(0.0, 1 - y * f), alpha / (2 * C * weight), rtol=0, atol=near)
    np.testing.assert_allclose(solution.slack, alpha / (2 * C * weight), rtol=0, atol=near)
    support = alpha > 0
    offsets = (y * (1 - alpha / (2 * C * weight)) - (f - solution.bias))[support]
    np.testing.assert_allclose(offsets, solution.bias, rtol=0, atol=near)
    if offset == "penalised":
        assert solution.bias == pytest.approx((y * alpha).sum(), abs=1e-9 * alpha.sum())
    # |w|² is without the diagonal that squared slack adds.
    w2 = (y * alpha) @ KERNELS[kernel][1](X, X) @ (y * alpha)
    assert solution.margin == pytest.approx(2 / np.sqrt(w2), rel=1e-6) or w2 < 1e-12


@pytest.mark.parametrize("slack", ["linear", "squared"])
def test_a_penalised_offset_is_the_weight_of_a_constant_feature(slack: str) -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3)) + 1.0
    y = np.where(X[:, 0] + rng.normal(size=60) > 1, 1, -1)
    ours = solve(SoftMargin(X, y, kernel=Linear(), offset="penalised", slack=slack), tol=TOL)
    wider = np.column_stack([X, np.ones(60)])
    plain = solve(SoftMargin(wider, y, kernel=Linear(), offset=False, slack=slack), tol=TOL)
    np.testing.assert_allclose(np.append(ours.weights, ours.bias), plain.weights, rtol=0, atol=1e-7)
    free = solve(SoftMargin(X, y, kernel=Linear(), slack=slack), tol=TOL)
    assert abs(free.bias - ours.bias) > 1e-3
    assert ours.certificate.primal_objective > free.certificate.primal_objective + 1e-3


def test_a_penalised_offset_by_hand() -> None:
    """(0, 1) against (2, 1): a free offset gives w = (1, 0), b = -1; a penalised one shares -1 with the second feature."""
    X, y = [[0.0, 1.0], [2.0, 1.0]], [-1, 1]
    free = solve(SoftMargin(X, y, C=10.0, kernel=Linear()), tol=TOL)
    np.testing.assert_allclose([*free.weights, free.bias], [1.0, 0.0, -1.0], rtol=0, atol=1e-9)
    penalised = solve(SoftMargin(X, y, C=10.0, kernel=Linear(), offset="penalised"), tol=TOL)
    np.testing.assert_allclose([*penalised.weights, penalised.bias], [1.0, -0.5, -0.5], rtol=0, atol=1e-9)
    assert penalised.certificate.primal_objective == pytest.approx(0.75)
    assert penalised.bias_interval == (penalised.bias, penalised.bias)


def test_saddle_point_without_offset() -> None:
    """001's form: λ in [0, 1]ⁿ, f = (1/α) Σ λ y k, the same from both sides of min and max."""
    rng = np.random.default_rng(3)
    X = rng.normal(size=(40, 2))
    y, a = np.where(X[:, 0] > 0.3 * rng.normal(size=40), 1.0, -1.0), 0.5
    solution = solve(SoftMargin(X, y, C=1 / a, kernel=RBF(gamma=0.5), offset=False), tol=TOL)
    K, lam = rbf_kernel(X, gamma=0.5), a * solution.alpha
    f = K @ (lam * y) / a
    assert lam.min() >= 0
    assert lam.max() <= 1
    max_min = lam.sum() - (lam * y) @ K @ (lam * y) / (2 * a)
    min_max = 0.5 * a * (lam * y) @ K @ (lam * y) / a**2 + np.maximum(0, 1 - y * f).sum()
    assert min_max == pytest.approx(max_min, rel=1e-9)
    np.testing.assert_allclose(solution.decision_function(X), f, rtol=0, atol=1e-9)


def test_what_only_a_margin_has_is_refused_in_words() -> None:
    solution = solve(OneClass([[1.0], [2.0]], kernel=Linear()))
    for what, words in (("taxonomy", "kinds of rows"), ("margin", "a street")):
        with pytest.raises(ValueError, match=rf"Only a problem of two classes has {words}. This one is read as Level\(\)"):
            getattr(solution, what)


def test_a_linear_and_a_squared_slack_differ() -> None:
    X, y = [[0.0], [1.0], [0.5], [2.0]], [-1, -1, 1, 1]
    linear, squared = (solve(SoftMargin(X, y, kernel=Linear(), slack=kind), tol=TOL) for kind in ("linear", "squared"))
    assert linear.status is squared.status is Status.CONVERGED
    assert abs(linear.weights[0] - squared.weights[0]) > 1e-2
    assert linear.weights == pytest.approx(SVC(kernel="linear", tol=TOL).fit(X, y).coef_[0], abs=1e-6)
