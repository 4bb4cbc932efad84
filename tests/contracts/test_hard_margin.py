"""The hard margin: the limit of soft ones, distances between convex hulls, and proofs where there is none."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog
from sklearn.preprocessing import PolynomialFeatures

from maxmargin import SVC, solve
from maxmargin.errors import InfeasibleError
from maxmargin.kernels import RBF, Linear, Polynomial, Precomputed, UserFunction
from maxmargin.problems import HardMargin, Inseparable, SoftMargin
from maxmargin.solution import Kind, Solution, Status

from ._registry import DATA, Array

TOL = 1e-8

XOR = np.array([[0.0, 0.0], [1.0, 1.0], [0.0, 1.0], [1.0, 0.0]]), np.array([1, 1, -1, -1])


def _features(X: Array) -> Array:
    """φ of ``(<x, z> + 1)²``, written out."""
    powers = PolynomialFeatures(2, interaction_only=False)
    phi = powers.fit_transform(X)
    several = (powers.powers_ == 1).sum(axis=1) + 2 * (powers.powers_.sum(axis=1) == 1)
    return phi * np.where(several > 1, np.sqrt(2.0), 1.0)


KERNELS: dict[str, tuple[Any, Callable[[Array], Array]]] = {
    "linear": (Linear(), lambda X: X),
    "quadratic": (Polynomial(degree=2, gamma=1.0, coef0=1.0), _features),
}
"""Kernels with features that can be written down."""


def _separable(phi: Array, y: Array, offset: bool) -> bool:
    """Whether a linear program finds w and b with ``y (φw + b) ≥ 1``."""
    rows = np.column_stack([phi, np.ones(len(y))]) if offset else phi
    found = linprog(np.zeros(rows.shape[1]), A_ub=-y[:, None] * rows, b_ub=-np.ones(len(y)), bounds=(None, None))
    assert found.status in (0, 2), found.message
    return bool(found.status == 0)


@st.composite
def sets(draw: st.DrawFn) -> tuple[Array, Array]:
    n, d = draw(st.integers(4, 25), label="rows"), draw(st.integers(1, 4), label="features")
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1), label="seed"))
    lattice = draw(st.booleans(), label="on a lattice")
    X = rng.integers(-3, 4, size=(n, d)).astype(float) if lattice else rng.normal(size=(n, d))
    apart = draw(st.sampled_from([0.0, 1.0, 4.0]), label="apart")
    y = np.where(rng.random(n) < 0.5, 1.0, -1.0)
    y[:2] = -1.0, 1.0
    X[:, 0] += apart * y
    return X, y


def test_features_are_those_of_the_kernel() -> None:
    X = np.random.default_rng(0).normal(size=(6, 3))
    np.testing.assert_allclose(_features(X) @ _features(X).T, (X @ X.T + 1.0) ** 2)


@settings(max_examples=150)
@given(data=sets(), kernel=st.sampled_from(list(KERNELS)), offset=st.booleans())
def test_an_answer_or_a_proof(data: tuple[Array, Array], kernel: str, offset: bool) -> None:
    """A hard margin exists exactly where the classes are separable; else two equal points prove that it does not."""
    X, y = data
    chosen, features = KERNELS[kernel]
    phi = features(X)
    solution = solve(HardMargin(X, y, kernel=chosen, offset=offset), tol=1e-6, throw=False)
    if _separable(phi, y, offset):
        assert solution.status is Status.CONVERGED
        assert solution.proof is None
        w = phi.T @ (y * solution.alpha)
        assert (y * (phi @ w + solution.bias)).min() == pytest.approx(1.0, abs=1e-5)
        assert solution.certificate.primal_objective == pytest.approx(0.5 * w @ w, rel=1e-5)
    else:
        assert solution.status is Status.INFEASIBLE
        _check_proof(solution.proof, phi, y, offset)


def _check_proof(proof: Inseparable | None, phi: Array, y: Array, offset: bool) -> None:
    assert proof is not None
    weights = proof.weights
    assert weights.min() >= 0.0
    if offset:
        assert weights[y > 0].sum() == pytest.approx(1.0, abs=1e-12)
        assert weights[y < 0].sum() == pytest.approx(1.0, abs=1e-12)
    else:
        assert weights.sum() == pytest.approx(1.0, abs=1e-12)
    size = np.sqrt((phi**2).sum(axis=1).max())
    meeting = (weights * y) @ phi
    assert np.sqrt(meeting @ meeting) <= 1.1e-6 * max(size, 1e-300)
    assert proof.distance <= 1.1e-6 * size


@settings(max_examples=150)
@given(data=sets(), kernel=st.sampled_from(["linear", "quadratic", "rbf"]), offset=st.booleans())
def test_the_limit_of_soft_margins(data: tuple[Array, Array], kernel: str, offset: bool) -> None:
    """Where C is above every multiplier of the hard margin the two problems have the same optimum."""
    X, y = data
    chosen = RBF(gamma=0.5) if kernel == "rbf" else KERNELS[kernel][0]
    hard = solve(HardMargin(X, y, kernel=chosen, offset=offset), tol=TOL, throw=False)
    assume(hard.status is Status.CONVERGED and hard.alpha.max() < 1e3)
    soft = solve(SoftMargin(X, y, C=1.5 * hard.alpha.max(), kernel=chosen, offset=offset), tol=TOL)
    assert hard.certificate.primal_objective == pytest.approx(soft.certificate.primal_objective, rel=1e-6)
    f = soft.decision_function(X)
    np.testing.assert_allclose(hard.decision_function(X), f, rtol=0, atol=1e-5 * max(1.0, np.abs(f).max()))
    assert hard.margin == pytest.approx(soft.margin, rel=1e-6)


@settings(max_examples=150)
@given(data=sets(), offset=st.booleans())
def test_geometry(data: tuple[Array, Array], offset: bool) -> None:
    """Canonical form, two kinds of rows, and that every shift shorter than half the margin keeps all labels."""
    X, y = data
    X[:, 0] += 5.0 * y
    solution = solve(HardMargin(X, y, kernel=Linear(), offset=offset), tol=TOL)
    margins = y * (X @ solution.weights + solution.bias)
    assert margins.min() == pytest.approx(1.0, abs=1e-6)
    norm = np.linalg.norm(solution.weights)
    assert solution.margin == pytest.approx(2.0 / norm, rel=1e-7)
    assert solution.certificate.dual_objective == pytest.approx(2.0 / solution.margin**2, rel=1e-6)
    assert set(np.unique(solution.taxonomy)) <= {Kind.BOUNDARY, Kind.NON_INFORMATIVE}
    assert np.all(margins[solution.support] < 1.0 + 1e-6)
    assert np.all(solution.slack <= 1e-6)
    pushed = X - 0.999 / norm * y[:, None] * solution.weights / norm
    assert np.all(y * solution.decision_function(pushed) > 0)


@pytest.mark.parametrize("offset", [True, False])
@pytest.mark.parametrize("width", [3.0, 1.0, 0.1, 1e-2, 1e-3, 1e-4, 1e-5, 3e-6])
@pytest.mark.parametrize(("n", "d"), [(20, 2), (200, 3), (1000, 10)])
def test_the_gap_is_that_of_the_hyperplane(n: int, d: int, width: float, offset: bool) -> None:
    """Nearest points are searched for, but the gap is ``½|w|²`` against its dual: of wide streets and of 1e-6 of the diameter.

    Recomputed from β and b with more digits. Scores have rounding of 1e-16 of ``|φ(x)|²`` beside a squared distance of hulls.
    """
    rng = np.random.default_rng(n)
    X = rng.uniform(-1.0, 1.0, size=(n, d))
    y = np.where(X[:, 0] > 0, 1.0, -1.0)
    X[:2, 0], y[:2] = 0.0, (1.0, -1.0)
    X[:, 0] += 0.5 * width * y
    exact = X.astype(np.longdouble)
    for tol in (1e-3, 1e-6):
        noise = 2e-15 * float((X**2).sum(axis=1).max()) / width**2
        if noise > tol:
            continue
        solution = solve(HardMargin(X, y, kernel=Linear(), offset=offset), tol=tol)
        beta = np.zeros(n, dtype=np.longdouble)
        beta[solution.support] = solution.beta
        w = beta @ exact
        nearest = (y * (exact @ w + solution.bias)).min()
        primal, dual = 0.5 * w @ w / nearest**2, np.abs(beta).sum() - 0.5 * w @ w
        gap = float((primal - dual) / max(primal, dual))
        certificate = solution.certificate
        assert solution.status is Status.CONVERGED
        assert gap <= tol
        assert certificate.relative_gap <= tol
        assert certificate.relative_gap == pytest.approx(gap, abs=noise)
        assert certificate.primal_objective == pytest.approx(float(primal), rel=noise + 1e-12)
        assert 2.0 / solution.margin**2 == pytest.approx(certificate.dual_objective, rel=tol)


def test_by_hand() -> None:
    """Three points: the nearest of the upper class's edge from (0, 0) to (2, 0) to (1, 2) is (1, 0)."""
    X, y = [[0.0, 0.0], [2.0, 0.0], [1.0, 2.0]], [-1, -1, 1]
    solution = solve(HardMargin(X, y, kernel=Linear()), tol=TOL)
    np.testing.assert_allclose(solution.weights, [0.0, 1.0], atol=1e-9)
    np.testing.assert_allclose(solution.alpha, [0.25, 0.25, 0.5], atol=1e-9)
    assert solution.bias == pytest.approx(-1.0)
    assert solution.margin == pytest.approx(2.0)
    # Without offset (1, 2) and minus (2, 0), minus (0, 0) = 0: the origin is in the hull.
    assert solve(HardMargin(X, y, kernel=Linear(), offset=False), throw=False).status is Status.INFEASIBLE


def test_without_offset_by_hand() -> None:
    solution = solve(HardMargin([[1.0, 1.0], [-1.0, -3.0]], [1, -1], kernel=Linear(), offset=False), tol=TOL)
    np.testing.assert_allclose(solution.weights, [0.5, 0.5], atol=1e-9)
    np.testing.assert_allclose(solution.alpha, [0.5, 0.0], atol=1e-9)
    assert solution.bias == 0.0


def test_inseparable_data_raise_and_the_exception_has_the_proof() -> None:
    X, y = XOR
    with pytest.raises(
        InfeasibleError, match=r"no point satisfies the constraints.*`solution.proof`.*choose a finite C"
    ) as caught:
        solve(HardMargin(X, y, kernel=Linear()))
    solution: Solution = caught.value.solution
    assert solution.status is Status.INFEASIBLE
    np.testing.assert_allclose(solution.proof.weights, 0.5)
    again = pickle.loads(pickle.dumps(caught.value))
    assert str(again) == str(caught.value)
    np.testing.assert_array_equal(again.solution.proof.weights, solution.proof.weights)


def test_throw_false_returns_the_proof_without_a_warning(recwarn: pytest.WarningsRecorder) -> None:
    X, y = XOR
    solution = solve(HardMargin(X, y, kernel=Linear()), throw=False)
    _check_proof(solution.proof, X, y.astype(float), True)
    assert solution.certificate.status is Status.INFEASIBLE
    assert solution.certificate.primal_objective == np.inf
    assert [str(each.message) for each in recwarn] == []
    assert solve(HardMargin(X, y, kernel=RBF(gamma=1.0))).status is Status.CONVERGED


def test_equal_rows_of_two_classes_are_inseparable_for_every_kernel() -> None:
    X, y = DATA["lattice"]()
    K = np.exp(-0.5 * ((X[:, None] - X) ** 2).sum(axis=2))
    for problem in (
        HardMargin(X, y, kernel=RBF(gamma=0.5)),
        HardMargin(K, y, kernel=Precomputed()),
        HardMargin(X, y, kernel=UserFunction(lambda A, B: np.exp(-0.5 * ((A[:, None] - B) ** 2).sum(axis=2)))),
    ):
        solution = solve(problem, throw=False)
        assert solution.status is Status.INFEASIBLE
        signed = solution.proof.weights * y
        assert signed @ K @ signed <= 1e-12


def test_weights_matter_only_where_they_are_zero() -> None:
    X, y = XOR
    X, y = np.vstack([X, [[1.0, 0.5]]]), np.append(y, 1)
    weight = np.array([2.0, 0.0, 3.0, 1.0, 5.0])
    kept = weight > 0
    some = solve(HardMargin(X, y, kernel=RBF(gamma=1.0), sample_weight=weight), tol=TOL)
    other = solve(HardMargin(X[kept], y[kept], kernel=RBF(gamma=1.0)), tol=TOL)
    np.testing.assert_array_equal(some.decision_function(X), other.decision_function(X))


class TestSVC:
    """``SVC(C=inf)`` is the hard margin."""

    def test_equals_the_problem(self) -> None:
        X, y = DATA["wide"]()
        model, solution = SVC(C=np.inf, kernel="linear", tol=TOL).fit(X, y), solve(HardMargin(X, y, kernel=Linear()), tol=TOL)
        np.testing.assert_allclose(model.coef_[0], solution.weights, rtol=0, atol=1e-9)
        np.testing.assert_allclose(model.intercept_, solution.bias, rtol=0, atol=1e-9)
        assert model.certificate_ == solution.certificate
        assert model.status_ is Status.CONVERGED

    def test_inseparable_classes_raise(self) -> None:
        with pytest.raises(InfeasibleError, match="choose a finite C") as caught:
            SVC(C=np.inf, kernel="linear").fit(*XOR)
        np.testing.assert_allclose(caught.value.solution.proof.weights, 0.5)

    def test_three_classes(self) -> None:
        X = np.array([[0.0, 0.0], [0.0, 1.0], [4.0, 0.0], [4.0, 1.0], [2.0, 5.0], [2.0, 6.0]])
        y = np.repeat(["a", "b", "c"], 2)
        for scheme in ("ovo", "ovr"):
            model = SVC(C=np.inf, kernel="linear", multi_class=scheme, tol=TOL).fit(X, y)
            assert model.predict(X).tolist() == y.tolist()
            assert all(np.all(solution.slack <= 1e-6) for solution in model.solutions_)
        street = SVC(C=np.inf, kernel="linear", tol=TOL).fit(X, y).solutions_[0].margin
        assert street == pytest.approx(4.0)

    def test_weights_of_zero_leave_rows_out(self) -> None:
        X, y = XOR
        model = SVC(C=np.inf, kernel="linear").fit(X, y, sample_weight=[1, 0, 1, 1])
        assert model.predict(X[[0, 2, 3]]).tolist() == [1, -1, -1]
