"""What rounding leaves of a sum that β must keep, and what the certificate says of it."""

from __future__ import annotations

import warnings
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from scipy import sparse

from maxmargin import SVC, SVDD, NuSVR
from maxmargin.kernels import RBF, Linear
from maxmargin.problems import CrammerSinger, EpsilonRegression, MulticlassLinear, NuRegression, Problem, SoftMargin
from maxmargin.solution import Status, certify, certify_crammer_singer, levelled, with_rounding

RNG = np.random.default_rng(0)
X = RNG.normal(size=(24, 6)) + 3.0
SIDES = np.where(np.arange(24) % 2 == 0, 1.0, -1.0)
T = X @ (X.T @ (0.25 * SIDES))  # so that 0.25 and −0.25 by turns are the optimum of a tube without width
OFF = 1e-9


def point(off: float) -> np.ndarray:
    """Coefficients inside of their bounds, whose sum is off by so much."""
    beta = 0.25 * SIDES
    beta[5] += off
    return beta


@pytest.mark.parametrize("rows", [X, X.astype(np.float32), sparse.csr_matrix(X)], ids=["dense", "float32", "csr"])
def test_a_sum_that_is_off_is_rounding_of_the_scores(rows: Any) -> None:
    """The rows are centred and do not see it; the model that predicts does, times C."""
    problem = EpsilonRegression(rows, T, C=1e6, epsilon=0.0, kernel=Linear())
    exact, off = (certify(problem, point(each)) for each in (0.0, OFF))
    dual = problem.dual
    seen = np.abs(dual.gram.predicted(point(OFF), off.shift, by_sign=False, offset=True) - off.scores).max()
    assert seen > 1e-10
    assert off.rounding >= 1e6 * 24 * seen
    assert exact.rounding < 1e-3 * off.rounding
    assert with_rounding(problem, point(OFF), off, 1e-3).primal >= off.primal + 1e6 * seen


def test_other_kernels_are_that_of_the_model_for_any_sum() -> None:
    problem = EpsilonRegression(X, T, C=1e6, epsilon=0.0, kernel=RBF(gamma=0.1))
    exact, off = (certify(problem, point(each)) for each in (0.0, OFF))
    assert off.rounding == pytest.approx(exact.rounding, rel=1e-3)
    assert levelled(problem, point(OFF), off, 1e-9) is None


def test_of_all_classes_at_once() -> None:
    codes = np.arange(24) % 3
    problem = CrammerSinger(X, codes, C=1e6, kernel=Linear())
    beta = np.where(codes[:, np.newaxis] == np.arange(3), 0.5, -0.25)
    exact = certify_crammer_singer(problem, beta, np.zeros(3))
    beta[0] += [OFF, -OFF, 0.0]
    assert exact.rounding < 1e-2 * certify_crammer_singer(problem, beta, np.zeros(3)).rounding


@pytest.mark.parametrize(
    "problem",
    [
        EpsilonRegression(X, T, C=1e6, epsilon=0.0, kernel=Linear()),
        NuRegression(X, T, C=1e6, nu=0.5, kernel=Linear()),
        EpsilonRegression(sparse.csr_matrix(X), T, C=1e6, epsilon=0.0, kernel=Linear()),
    ],
    ids=["tube", "nu", "csr"],
)
def test_the_sum_is_made_right(problem: Problem) -> None:
    beta = point(OFF)
    found = levelled(problem, beta, certify(problem, beta), 1e-6)
    assert found is not None
    assert abs(found.sum()) <= 1e-15
    assert np.count_nonzero(found != beta) == 1
    assert (found >= problem.dual.lower).all()
    assert (found <= problem.dual.upper).all()
    assert levelled(problem, found, certify(problem, found), 1e-6) is None


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("kind", ["margin", "tube"])
def test_weights_of_a_huge_constant_and_of_rows_of_very_different_weights(kind: str, seed: int) -> None:
    """What is left of Σβ is a weight of the constant column: the certificate is that of ``|Σ β_i x_i|²`` as it is."""
    rng = np.random.default_rng(seed)
    rows, weight = np.column_stack([rng.normal(size=(60, 2)), np.full(60, 1e9)]), 10.0 ** rng.uniform(-12, 12, 60)
    t = rng.normal(size=60)
    y = t if kind == "tube" else np.where(t > 0, 1, -1)
    model = NuSVR(kernel="linear", C=100.0, nu=0.8, tol=1e-8) if kind == "tube" else SVC(kernel="linear", C=0.05)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.fit(rows, y, sample_weight=weight)
    beta = model.dual_coef_[0]
    exact = [
        sum((Fraction(b) * Fraction(x) for b, x in zip(beta, rows[model.support_, k], strict=True)), Fraction())
        for k in range(3)
    ]
    half = float(sum(w * w for w in exact)) / 2
    if kind == "tube":
        width = float(model.epsilon_[0])
        losses = 100.0 * (0.8 * weight.sum() * width + weight @ np.maximum(0.0, np.abs(model.predict(rows) - y) - width))
    else:
        losses = 0.05 * weight @ np.maximum(0.0, 1.0 - y * model.decision_function(rows))
    assert half + losses <= model.certificate_.primal_objective * (1.0 + 1e-3)


def test_what_the_sum_is_off_by_goes_to_smaller_variables_last() -> None:
    """The last place of a large variable is coarse: times a huge constant it would be seen."""
    rows = np.column_stack([np.linspace(-1.0, 1.0, 6), np.full(6, 1e9)])
    weight = np.array([1e15, 1e15, 1e6, 1e6, 10.0, 10.0])
    problem = EpsilonRegression(rows, np.zeros(6), C=1.0, epsilon=0.0, kernel=Linear(), sample_weight=weight)
    beta = np.array([3e14, -3e14, 1e5, -1e5, 3.0, -3.0]) + np.array([7.3, 0.0, 1e-4, 0.0, 1e-11, 0.0])
    found = levelled(problem, beta, certify(problem, beta), 1e-3)
    assert found is not None
    assert abs(sum(map(Fraction, found))) < 1e-9
    assert (np.abs(found - beta) <= 1e-3 * np.abs(beta)).all()


@pytest.mark.parametrize("offset", [True, False])
def test_coefficients_of_classes_that_do_not_sum_to_0_make_no_floor(offset: bool) -> None:
    codes = np.arange(24) % 3
    problem = CrammerSinger(X, codes, C=1.0, kernel=Linear(), offset=offset)
    none = certify_crammer_singer(problem, np.zeros((24, 3)), np.zeros(3)).primal
    beta = np.where(codes[:, np.newaxis] == np.arange(3), 1.0, 0.0)  # rows sum to 1
    assert certify_crammer_singer(problem, 1e-9 * beta, np.zeros(3)).dual <= 0.0
    assert certify_crammer_singer(problem, beta, np.zeros(3)).dual <= 0.0 <= none


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("C", [1e6, 1e9])
def test_a_search_that_begins_far_out(C: float, seed: int) -> None:
    """β begins at C and ends at 1; what the sum has lost on the way is C times as much in the loss of the model."""
    rng = np.random.default_rng(seed)
    rows, y = rng.normal(size=(20, 26)) + 1.0, rng.normal(size=20)
    model = NuSVR(kernel="linear", C=C, nu=0.4, tol=1e-4).fit(rows, y)
    beta, f = model.dual_coef_[0], model.predict(rows)
    w = beta @ rows[model.support_]
    width = float(model.epsilon_[0])
    primal = 0.5 * w @ w + 20 * C * 0.4 * width + C * np.maximum(0.0, np.abs(f - y) - width).sum()
    assert abs(beta.sum()) <= 1e-13 * np.abs(beta).sum()
    assert model.status_ is Status.CONVERGED
    assert primal - model.certificate_.dual_objective <= 1e-3 * primal


def test_small_fits_need_no_second_look(monkeypatch: pytest.MonkeyPatch) -> None:
    def looked(*given: Any) -> None:
        raise AssertionError("a plain fit is certified without it")

    monkeypatch.setattr("maxmargin._solve._dual.levelled", looked)
    assert SVC(kernel="linear").fit(X, X[:, 0] > 3.0).status_ is Status.CONVERGED


@pytest.mark.parametrize("container", [np.asarray, sparse.csr_matrix])
def test_the_row_that_is_taken_off_may_be_another_machines(container: Any) -> None:
    """Equal rows of two classes cancel where one of them is taken off all rows; where a third one is, only up to rounding."""
    rows = container(np.array([[0.7, -1.3], [0.7, -1.3], [-0.9, 0.4], [1.9, 2.3]]))
    problem = SoftMargin(rows, [1, -1, 1, -1], kernel=Linear(), C=1.0, sample_weight=[4e4, 1e13, 1e13, 1e-3])
    part = SoftMargin.on(problem.gram.take([0, 1]), np.array([1.0, -1.0]), np.array([4e4, 1e13]))
    beta = np.array([4e4, -4e4])
    found = with_rounding(part, beta, certify(part, beta), 1e-3)
    assert found.noise > 1e-13
    assert found.primal - found.dual > 1e13 * 1e-13


@pytest.mark.parametrize("scale", [1e-3, 1.0, 1e3])
def test_the_loss_of_a_row_on_the_margin_of_all_classes(scale: float) -> None:
    """A difference of two scores is rounded, and 1 plus that is not: the loss is what the scores as they are say."""
    rng = np.random.default_rng(3)
    codes = np.arange(300) % 3
    own = scale * rng.normal(size=300)
    scores = own[:, np.newaxis] - 1.0 - 1e-15 * rng.normal(size=(300, 3)) * max(1.0, scale)
    scores[np.arange(300), codes] = own
    problem = MulticlassLinear(rng.normal(size=(300, 2)), codes, loss="joint")
    for f, code, loss in zip(scores, codes, problem.losses(scores), strict=True):
        exact = max(0 if k == code else Fraction(f[k]) - Fraction(f[code]) + 1 for k in range(3))
        assert loss == pytest.approx(float(exact), rel=1e-9, abs=0.0)


@pytest.mark.parametrize(("n", "scale", "C"), [(10_000, 0.1, 10.0**-3.5), (20_000, 0.01, 1e-6), (10_000, 1.0, 10.0**-6.5)])
def test_sums_of_many_equal_terms(n: int, scale: float, C: float) -> None:
    """With a small C every row is at its bound: plain sums of n equal terms lose more than a few last places."""
    rows = np.random.default_rng(n).normal(size=(n, 1)) * scale
    y = np.repeat([-1.0, 1.0], n // 2)
    found = certify(SoftMargin(rows, y, C=C, kernel=Linear()), C * y)
    w = Fraction(C) * sum(
        (Fraction(x) if side > 0 else -Fraction(x) for x, side in zip(rows[:, 0], y, strict=True)), Fraction(0)
    )
    dual = n * Fraction(C) - w * w / 2
    assert abs(float(Fraction(found.dual) - dual)) <= found.rounding
    assert found.kkt_violation == 0.0
    assert found.gap >= -found.rounding
    assert SVC(kernel="linear", C=C).fit(rows, y).status_ is Status.CONVERGED


@pytest.mark.parametrize("nu", [0.5, 1.0])
@pytest.mark.parametrize("seed", [4, 8, 13, 15, 17, 18, 23, 30, 52, 56])
def test_no_rounding_that_hides_below_a_wide_tolerance_makes_a_bound_above_the_objective(seed: int, nu: float) -> None:
    """Kernel values of 1e48 leave an objective of 1e37 few digits: little beside a gap of 0.1, but no gap is below 0."""
    rows = 1e6 + np.random.default_rng(seed).normal(size=(32, 7))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = SVDD(nu=nu, kernel="poly", gamma="auto", degree=4, coef0=0.5, tol=0.1).fit(rows).certificate_
    assert found.gap >= -1e-9 * abs(found.primal_objective)
