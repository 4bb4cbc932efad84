"""Proofs without slack: exact, or not claimed; and certificates of the model as it predicts."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import sparse

from maxmargin import SVC, SVR, NuSVC, NuSVR, OneClassSVM, solve
from maxmargin.errors import ConvergenceWarning, InfeasibleError
from maxmargin.kernels import RBF, Linear, Polynomial, Precomputed
from maxmargin.problems import CrammerSinger, EpsilonRegression, HardMargin
from maxmargin.solution import Status

SQUARE = np.array([[0.0, 0.0], [2.0, 2.0], [2.0, 0.0], [3.0, 0.0]])


class TestSeparable:
    """What has a margin, however small, is never called inseparable."""

    @pytest.mark.parametrize("margin", [1e-3, 1e-6, 1e-9, 1e-12])
    def test_a_small_margin(self, margin: float) -> None:
        model = SVC(kernel="linear", C=np.inf).fit([[0.0], [margin], [1.0]], [-1, 1, 1])
        assert model.status_ is Status.CONVERGED
        assert_allclose(model.coef_[0, 0], 2.0 / margin, rtol=1e-3)

    @pytest.mark.parametrize("far", [0.0, 1e3, 1e6, 1e9])
    def test_far_from_the_origin(self, far: float) -> None:
        here = solve(HardMargin(SQUARE, [-1, -1, 1, 1], kernel=Linear()))
        there = solve(HardMargin(SQUARE + far, [-1, -1, 1, 1], kernel=Linear()))
        assert there.status is Status.CONVERGED
        assert_allclose(there.weights, here.weights, rtol=1e-6)

    def test_a_label_beside_a_clock(self) -> None:
        rng = np.random.default_rng(0)
        y = rng.integers(0, 2, 50)
        X = np.column_stack([1.7e9 + np.sort(rng.uniform(0.0, 1e7, 50)), y])
        solution = solve(HardMargin(X, y, kernel=Linear()), throw=False)
        assert solution.status in (Status.CONVERGED, Status.STALLED)

    def test_a_gaussian_tells_distinct_rows_apart(self) -> None:
        X, y = np.linspace(0.0, 10.0, 60)[:, np.newaxis], np.arange(60) % 2
        with pytest.warns(ConvergenceWarning, match="STALLED.*Floating point cannot decide whether a hyperplane separates"):
            model = SVC(C=np.inf, gamma=1.0).fit(X, y)
        assert model.status_ is Status.STALLED
        assert solve(HardMargin(RBF(gamma=1.0)(X), y, kernel=Precomputed()), throw=False).status is not Status.INFEASIBLE

    def test_a_steep_function_is_still_in_the_tube(self) -> None:
        problem = EpsilonRegression([[0.0], [1e-7], [1.0]], [0.0, 1.0, 1e7], C=np.inf, epsilon=0.3, kernel=Linear())
        assert solve(problem).status is Status.CONVERGED


class TestInseparable:
    """And what has none is proven to have none."""

    @pytest.mark.parametrize("kernel", [Linear(), Polynomial(degree=2, coef0=1.0), Polynomial(degree=3)])
    @pytest.mark.parametrize("container", [np.asarray, sparse.csr_matrix])
    def test_overlapping_classes(self, kernel: Any, container: Any) -> None:
        rng = np.random.default_rng(1)
        X, y = rng.normal(size=(120, 2)), rng.integers(0, 2, 120)
        solution = solve(HardMargin(container(X), y, kernel=kernel), throw=False)
        assert solution.status is Status.INFEASIBLE
        weights = solution.proof.weights
        assert_allclose([weights[y == 0].sum(), weights[y == 1].sum()], 1.0)
        assert solution.proof.distance <= 1e-6

    @pytest.mark.parametrize("kernel", [Linear(), RBF(gamma=1.0), Polynomial(degree=2, coef0=1.0)])
    def test_equal_rows_of_both_classes(self, kernel: Any) -> None:
        X = np.random.default_rng(2).normal(size=(30, 3))
        X[7] = X[4]
        with pytest.raises(InfeasibleError) as caught:
            solve(HardMargin(X, np.arange(30) % 2, kernel=kernel))
        assert np.flatnonzero(caught.value.solution.proof.weights).tolist() == [4, 7]

    @pytest.mark.parametrize("factor", [1e-60, 1.0, 1e100])
    def test_on_a_line_in_any_unit(self, factor: float) -> None:
        solution = solve(HardMargin(factor * np.array([[0.0], [1.0], [2.0]]), [0, 1, 0], kernel=Linear()), throw=False)
        assert solution.status is Status.INFEASIBLE
        assert_allclose(solution.proof.weights, [0.5, 1.0, 0.5])

    def test_the_proof_of_a_tube_bounds_epsilon_from_below(self) -> None:
        rng = np.random.default_rng(3)
        X, y = rng.normal(size=(40, 2)), rng.normal(size=40)
        proof = solve(EpsilonRegression(X, y, C=np.inf, epsilon=0.01, kernel=Linear()), throw=False).proof
        needed = min(_width(X, y, w) for w in rng.normal(size=(200, 2)))
        assert 0.01 < proof.epsilon <= needed


def _width(X: np.ndarray, y: np.ndarray, w: np.ndarray) -> float:
    """Half of the spread of the residuals: the ε of the best offset."""
    return 0.5 * float(np.ptp(y - X @ w))


CONSTANTS = [0.0, 1e6, -1e9]


@pytest.mark.parametrize("container", [np.asarray, np.float32, sparse.csr_matrix])
@pytest.mark.parametrize("constant", CONSTANTS)
@pytest.mark.parametrize("C", [1.0, 1e3])
def test_the_certificate_is_that_of_the_predictions(constant: float, container: Any, C: float) -> None:
    """A large constant column belongs to the offset: it changes neither the model nor what is said of it."""
    rng = np.random.default_rng(2)
    X = rng.normal(size=(20, 10))
    y = np.where(X[:, 1] + 0.3 * rng.normal(size=20) > 0, 1.0, -1.0)
    X[:, 0] = constant
    rows = container(X)
    model = SVC(kernel="linear", C=C).fit(rows, y)
    assert model.status_ is Status.CONVERGED
    w = np.asarray(model.coef_.toarray() if sparse.issparse(model.coef_) else model.coef_).ravel()
    primal = 0.5 * w @ w + C * np.maximum(0.0, 1.0 - y * model.decision_function(rows)).sum()
    assert model.certificate_.primal_objective == pytest.approx(primal, rel=1e-6)
    assert w[0] == 0.0


@pytest.mark.parametrize("constant", CONSTANTS)
@pytest.mark.parametrize("model", [SVR(kernel="linear", C=1e3, epsilon=0.0), NuSVR(kernel="linear", C=1e3)])
def test_of_regressions_too(model: Any, constant: float) -> None:
    y = 1e-3 * np.random.default_rng(0).normal(size=30)
    model.fit(np.full((30, 1), constant), y)
    assert model.status_ is Status.CONVERGED
    assert_allclose(model.predict([[constant]]), np.median(y), atol=2e-3)
    if isinstance(model, SVR):
        primal = 1e3 * np.abs(model.predict(np.full((30, 1), constant)) - y).sum()
        assert model.certificate_.primal_objective == pytest.approx(primal, rel=1e-9)


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("kernel", ["linear", "rbf"])
def test_converged_is_never_beyond_its_gap(kernel: str, seed: int) -> None:
    """An optimum of 0 is called that; all others keep the promise of README, computed from the certificate."""
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(300, 4)), rng.integers(0, 2, 300)
    for model in (NuSVC(nu=0.5, kernel=kernel), OneClassSVM(nu=0.3, kernel=kernel), SVC(C=1e4, kernel=kernel)):
        certificate = model.fit(X, y).certificate_
        if certificate.status is Status.CONVERGED:
            assert -1e-9 <= certificate.gap / abs(certificate.primal_objective) <= 1e-3
            assert certificate.scale is None
        else:
            assert certificate.status is Status.ZERO_OPTIMUM
            assert certificate.gap <= 1e-9 * certificate.scale
            assert "scale of both" in str(certificate)


def test_a_hard_margin_of_large_features_keeps_the_gap() -> None:
    """Its unit is 2/|v|²: a tolerance in that unit would let any gap pass."""
    rng = np.random.default_rng(5)
    X = 1e3 * rng.normal(size=(60, 2))
    y = np.where(X[:, 0] > 0, 1, -1)
    X[:, 0] += 2e2 * y
    certificate = SVC(kernel="linear", C=np.inf, tol=0.1).fit(X, y).certificate_
    assert certificate.status is Status.CONVERGED
    assert certificate.gap <= 0.1 * certificate.primal_objective


@pytest.mark.parametrize("offset", [1e3, 1e6])
@pytest.mark.parametrize("weighted", [False, True])
def test_gamma_of_sparse_rows_far_from_zero(offset: float, weighted: bool) -> None:
    X = np.random.default_rng(6).normal(size=(40, 3)) + offset
    weight = np.random.default_rng(7).uniform(0.5, 2.0, 40) if weighted else None
    y = np.arange(40) % 2
    dense, rows = (SVC().fit(each, y, weight) for each in (X, sparse.csr_matrix(X)))
    assert rows._gamma == pytest.approx(dense._gamma, rel=1e-9)


def _cancels(X: np.ndarray, y: np.ndarray, weights: np.ndarray) -> float:
    """``Σ λ_ik (e_y − e_k) (x_i, 1)ᵀ``, its largest number: what a proof of all classes says is 0."""
    ahead = np.zeros_like(weights)
    ahead[np.arange(len(y)), y] = weights.sum(axis=1)
    return float(np.abs((ahead - weights).T @ np.column_stack([X, np.ones(len(X))])).max())


class TestAllClassesAtOnce:
    """The same promises of the joint problem."""

    @pytest.mark.parametrize("seed", range(4))
    def test_overlapping_classes_are_proven_so(self, seed: int) -> None:
        rng = np.random.default_rng(seed)
        X, y = rng.normal(size=(60, 2)), rng.integers(0, 4, 60)
        solution = solve(CrammerSinger(X, y, C=np.inf, kernel=Linear()), throw=False)
        assert solution.status is Status.INFEASIBLE
        assert solution.certificate.primal_objective == np.inf
        weights = solution.proof.weights
        assert weights.min() >= 0.0
        assert weights.sum() == pytest.approx(1.0)
        assert not weights[np.arange(60), y].any()
        assert _cancels(X, y, weights) <= 1e-12

    def test_two_of_three_classes_on_a_line(self) -> None:
        X, y = np.array([[0, 0], [2, 0], [1, 0], [5, 5], [6, 5]], dtype=float), np.array([0, 0, 1, 2, 2])
        with pytest.raises(InfeasibleError, match="no scores put every row in its own class") as caught:
            SVC(kernel="linear", C=np.inf, multi_class="joint").fit(X, y)
        weights = caught.value.solution.proof.weights
        assert not weights[3:].any()
        assert _cancels(X, y, weights) <= 1e-15

    def test_three_classes_of_which_any_two_are_separable(self) -> None:
        """Every pair has its line, but no three scores agree with all of them: sides of a triangle do not meet in a point."""
        turn = np.array([[-0.5, -np.sqrt(0.75)], [np.sqrt(0.75), -0.5]])
        side = np.array([[-4.0, -0.9], [-2.0, -0.9], [-4.0, -1.1], [-2.0, -1.1]])
        X = np.vstack([side @ np.linalg.matrix_power(turn, k).T for k in range(3)])
        y = np.concatenate([[k, k, (k + 1) % 3, (k + 1) % 3] for k in range(3)])
        for pair in ([0, 1], [0, 2], [1, 2]):
            some = np.isin(y, pair)
            assert solve(HardMargin(X[some], y[some], kernel=Linear())).status is Status.CONVERGED
        solution = solve(CrammerSinger(X, y, C=np.inf, kernel=Linear()), throw=False)
        assert solution.status is Status.INFEASIBLE
        assert _cancels(X, y, solution.proof.weights) <= 1e-12

    @pytest.mark.parametrize("kernel", [Linear(), RBF(gamma=1.0), Polynomial(degree=2, coef0=1.0)])
    def test_equal_rows_of_two_classes(self, kernel: Any) -> None:
        X = np.random.default_rng(2).normal(size=(30, 3))
        X[7] = X[4]
        solution = solve(CrammerSinger(X, np.arange(30) % 4, C=np.inf, kernel=kernel), throw=False)
        assert solution.status is Status.INFEASIBLE
        assert np.argwhere(solution.proof.weights).tolist() == [[4, 3], [7, 0]]

    @pytest.mark.parametrize(("margin", "status"), [(1e-3, "CONVERGED"), (1e-6, "CONVERGED"), (1e-12, "STALLED")])
    def test_a_small_margin_is_none_of_it(self, margin: float, status: str) -> None:
        X, y = np.array([[0.0], [margin], [1.0], [2.0]]), np.array([0, 1, 1, 2])
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            solution = solve(CrammerSinger(X, y, C=np.inf, kernel=Linear()), throw=False)
        assert solution.proof is None
        assert solution.status.name == status

    def test_undecided_is_said(self) -> None:
        X, y = np.linspace(0.0, 10.0, 150)[:, np.newaxis], np.random.default_rng(0).integers(0, 3, 150)
        with pytest.warns(ConvergenceWarning, match="STALLED.*Floating point cannot decide whether any scores put every row"):
            model = SVC(C=np.inf, gamma=1.0, multi_class="joint").fit(X, y)
        assert model.status_ is Status.STALLED

    @pytest.mark.parametrize("container", [np.asarray, sparse.csr_matrix])
    @pytest.mark.parametrize("constant", [0.0, 1e6, -1e9])
    def test_the_certificate_is_that_of_the_predictions(self, constant: float, container: Any) -> None:
        rng = np.random.default_rng(4)
        X, y = rng.normal(size=(60, 5)), rng.integers(0, 3, 60)
        X[:, 0] = constant
        model = SVC(kernel="linear", C=10.0, multi_class="joint").fit(container(X), y)
        assert model.status_ is Status.CONVERGED
        f, every = model.decision_function(container(X)), np.arange(60)
        behind = f + 1.0
        behind[every, y] -= 1.0
        W = np.asarray(model.coef_.toarray() if sparse.issparse(model.coef_) else model.coef_)
        primal = float((W * W).sum()) + 10.0 * float((behind.max(axis=1) - f[every, y]).sum())
        assert model.certificate_.primal_objective == pytest.approx(primal, rel=1e-6)
        np.testing.assert_allclose(model.solutions_[0].decision_function(container(X)), f, atol=1e-6)

    def test_a_price_that_rounding_multiplies(self) -> None:
        """A row that is off by the last place loses C times that: the certificate has it, and the status keeps to it."""
        X, y = np.array([[0.0], [0.3], [0.7], [1.9]]), np.array([0, 1, 2, 0])
        with pytest.warns(ConvergenceWarning, match="rounding errors"):
            certificate = SVC(C=1e15, gamma=3.0, tol=1e-6, multi_class="joint").fit(X, y).certificate_
        assert certificate.status is Status.STALLED
        assert certificate.relative_gap > 1e-6
