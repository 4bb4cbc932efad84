"""Multinomial loss with ``Σ|w_k|₁`` or an elastic net: subgradients, saga's optima, its ends, bounds, bits, limits."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import load_digits, load_iris
from sklearn.linear_model import LogisticRegression as Theirs

from maxmargin import LogisticRegression, solve
from maxmargin.errors import ConvergenceWarning, InvalidInput
from maxmargin.problems import MulticlassLinear
from maxmargin.solution import Status, certify_multiclass
from maxmargin.solvers import MulticlassProximalNewton, get_threads, select, set_threads

X, Y = load_iris(return_X_y=True)
X = (X - X.mean(axis=0)) / X.std(axis=0)
DIGITS, NUMBERS = load_digits(return_X_y=True)
DIGITS = DIGITS / 16.0
OFFSETS = ["free", "penalised", None]


def _problem(offset: Any = "free", share: float = 1.0, C: float = 1.0, rows: Any = X, labels: Any = Y) -> MulticlassLinear:
    paid: dict[str, Any] = {"penalty": "l1"} if share == 1.0 else {"penalty": "elasticnet", "l1_ratio": share}
    return MulticlassLinear(rows, labels, C=C, offset=offset, offset_scale=2.0 if offset == "penalised" else 1.0, **paid)


def _pull(problem: MulticlassLinear, w: Any, b: Any) -> Any:
    """Minus the slope of the loss in weights and offsets, by the formula."""
    f = problem.X @ w.T + b
    e = np.exp(f - f.max(axis=1, keepdims=True))
    slope = e / e.sum(axis=1, keepdims=True)
    slope[np.arange(problem.n), problem.codes] -= 1.0
    slope *= problem.cost[:, np.newaxis]
    return -(slope.T @ problem.X), -slope.sum(axis=0)


@pytest.mark.parametrize("share", [1.0, 0.3])
@pytest.mark.parametrize("offset", OFFSETS)
@pytest.mark.parametrize("C", [0.02, 1.0, 100.0])
def test_0_is_a_subgradient(C: float, offset: Any, share: float) -> None:
    problem = _problem(offset, share, C)
    found = solve(problem, tol=1e-12)
    w, b = found.weights, found.bias
    in_w, in_b = _pull(problem, w, b)

    def away(weights: Any, pull: Any) -> float:
        rest = pull - (1.0 - share) * weights
        return float(
            np.where(weights != 0.0, np.abs(rest - share * np.sign(weights)), np.maximum(abs(rest) - share, 0.0)).max()
        )

    assert away(w, in_w) <= 1e-5
    if offset == "free":
        assert np.abs(in_b).max() <= 1e-5
    elif offset == "penalised":
        assert away(b / 2.0, 2.0 * in_b) <= 1e-5
    assert found.kkt.largest <= 1e-5
    assert (w == 0.0).any() or share < 1.0


@pytest.mark.parametrize("share", [1.0, 0.5])
@pytest.mark.parametrize("intercept", [True, False])
def test_it_is_sagas_optimum(intercept: bool, share: float) -> None:
    theirs = Theirs(l1_ratio=share, solver="saga", C=0.5, tol=1e-12, max_iter=100_000, fit_intercept=intercept).fit(X, Y)
    mine = LogisticRegression(l1_ratio=share, solver="saga", C=0.5, tol=1e-11, fit_intercept=intercept).fit(X, Y)
    np.testing.assert_allclose(mine.coef_, theirs.coef_, atol=1e-5)
    np.testing.assert_array_equal(mine.coef_ == 0.0, np.abs(theirs.coef_) < 1e-8)
    np.testing.assert_allclose(mine.predict_proba(X), theirs.predict_proba(X), atol=1e-5)
    problem = _problem("free" if intercept else None, share, 0.5)
    known = problem.objective(theirs.coef_, np.ravel(theirs.intercept_) * np.ones(3))
    assert mine.certificate_.primal_objective <= known * (1 + 1e-12)
    assert mine.certificate_.dual_objective <= known * (1 + 1e-12)


@pytest.mark.parametrize(("share", "end"), [(1e-9, 0.0), (1.0 - 1e-9, 1.0)])
def test_its_ends_are_the_other_penalties(share: float, end: float) -> None:
    near = LogisticRegression(l1_ratio=share, tol=1e-11).fit(X, Y)
    there = LogisticRegression(l1_ratio=end, tol=1e-11).fit(X, Y)
    assert near.certificate_.primal_objective == pytest.approx(there.certificate_.primal_objective, rel=1e-7)
    np.testing.assert_allclose(near.coef_, there.coef_, atol=1e-4)


def test_two_classes_at_once_are_the_binary_model() -> None:
    """``|w_0|₁ + |w_1|₁`` is least, for a given difference, where it is the difference's."""
    rows, labels = X[Y != 0], Y[Y != 0]
    pair = LogisticRegression(l1_ratio=1.0, multi_class="multinomial", tol=1e-11).fit(rows, labels)
    binary = LogisticRegression(l1_ratio=1.0, tol=1e-11).fit(rows, labels)
    np.testing.assert_allclose(pair.coef_, binary.coef_, atol=1e-5)


@pytest.mark.parametrize("share", [1.0, 0.4])
@pytest.mark.parametrize("offset", OFFSETS)
def test_any_multipliers_give_a_bound(offset: Any, share: float) -> None:
    problem = _problem(offset, share)
    least = solve(problem, tol=1e-11).certificate.primal_objective
    rng = np.random.default_rng(0)
    for size in (0.01, 0.3, 1.0):
        alpha = np.tile(rng.dirichlet(np.ones(3)), (problem.n, 1)) if offset != "free" else np.full((problem.n, 3), 1.0 / 3.0)
        alpha = size * alpha * problem.cost[:, np.newaxis]  # classes are equally large: their sums stay 0
        found = certify_multiclass(problem, np.zeros((3, problem.d)), np.zeros(3), alpha)
        assert found.infeasibility <= 1e-9
        assert found.dual <= least * (1 + 1e-10)
        assert found.dual > 0.0 or share < 1.0  # with |w|₁ alone nothing is paid


@pytest.mark.parametrize("C", [1.0, 100.0])
def test_many_weights_by_matrix_and_by_columns(C: float) -> None:
    """150 rows of 900 features: more weights than a matrix is made for, and again with their zeros left out."""
    rng = np.random.default_rng(1)
    rows = rng.normal(size=(150, 900)) * (rng.random((150, 900)) < 0.3)
    labels = (rows[:, :40] @ rng.normal(size=(40, 5)) + rng.normal(size=(150, 5))).argmax(axis=1)
    dense = solve(_problem("free", 0.2, C, rows, labels), tol=1e-6)
    csr = solve(_problem("free", 0.2, C, sparse.csr_array(rows), labels), tol=1e-6)
    assert dense.status is csr.status is Status.CONVERGED
    assert (dense.weights != 0.0).sum() > 1000
    np.testing.assert_allclose(dense.weights, csr.weights, atol=1e-2 * np.abs(dense.weights).max())
    assert dense.certificate.primal_objective == pytest.approx(csr.certificate.primal_objective, rel=2e-6)


def test_containers_weights_and_starts() -> None:
    problem = _problem("free", 0.5, 1.0, DIGITS, NUMBERS)
    found = solve(problem, tol=1e-8)
    for rows in (sparse.csr_array(DIGITS), DIGITS.astype(np.float32), sparse.csr_array(DIGITS.astype(np.float32))):
        other = solve(_problem("free", 0.5, 1.0, rows, NUMBERS), tol=1e-8)
        np.testing.assert_allclose(other.weights, found.weights, atol=1e-3)
    assert solve(problem, tol=1e-8, start=found).steps <= 1
    other = solve(problem, tol=1e-8, start=found.weights)  # without offsets
    np.testing.assert_allclose(other.weights, found.weights, atol=1e-3)
    doubled = np.arange(len(Y)) % 3 == 0
    twice = solve(MulticlassLinear(X, Y, penalty="l1", sample_weight=1.0 + doubled), tol=1e-10)
    again = solve(MulticlassLinear(np.vstack([X, X[doubled]]), np.append(Y, Y[doubled]), penalty="l1"), tol=1e-10)
    np.testing.assert_allclose(twice.weights, again.weights, atol=1e-6)


def test_the_same_bits_for_any_number_of_threads() -> None:
    problem = _problem("free", 1.0, 1.0, DIGITS, NUMBERS)
    found, before = [], get_threads()
    for threads in (1, 2):
        set_threads(threads)
        found.append(solve(problem).weights)
    set_threads(before)
    np.testing.assert_array_equal(*found)


def test_limits_leave_a_certified_point() -> None:
    with pytest.warns(ConvergenceWarning):
        model = LogisticRegression(l1_ratio=1.0, C=100.0, max_iter=3, tol=1e-8).fit(DIGITS, NUMBERS)
    assert model.status_ is Status.ITERATION_LIMIT
    assert 0.0 < model.certificate_.relative_gap < 1.0


def test_who_solves_it() -> None:
    problem = _problem()
    assert isinstance(select(problem).solver, MulticlassProximalNewton)
    assert solve(problem, solver="proximal_newton").status is Status.CONVERGED
    with pytest.raises(InvalidInput, match="Take MulticlassProximalNewton"):
        solve(problem, solver="newton")
    with pytest.raises(InvalidInput, match="Take MulticlassNewton"):
        solve(MulticlassLinear(X, Y), solver="proximal_newton")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert "ρ |w_k|₁" in str(LogisticRegression(l1_ratio=0.5).fit(X, Y).summary())
