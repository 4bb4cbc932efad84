"""LinearSVR: the optimum of SVR, of scikit-learn and of a QP solver; rows of every kind, weights, units, refusals."""

from __future__ import annotations

import math
import pickle
import warnings
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import sparse
from sklearn.datasets import load_diabetes
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVR as TheirLinearSVR

import maxmargin
from maxmargin import SVR, LinearSVR
from maxmargin.errors import ConvergenceWarning, InvalidInput
from maxmargin.losses import EpsilonInsensitive, SquaredEpsilonInsensitive
from maxmargin.problems import PrimalProblem
from maxmargin.solution import Status
from maxmargin.solvers import CoordinateDescent, qp

LOSSES: list[Any] = ["epsilon_insensitive", "squared_epsilon_insensitive"]


def _diabetes() -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    X, y = load_diabetes(return_X_y=True)
    return StandardScaler().fit_transform(X), y


def _small(seed: int = 0, d: int = 3) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(25, d))
    return X, X @ rng.normal(size=d) + 4.0 + rng.standard_t(2, size=25)


@pytest.mark.parametrize("C", [1e-3, 1.0, 1e2, 1e4])
@pytest.mark.parametrize("epsilon", [0.0, 10.0])
def test_the_optimum_of_svr(epsilon: float, C: float) -> None:
    X, y = _diabetes()
    linear = LinearSVR(epsilon=epsilon, C=C, tol=1e-9).fit(X, y)
    kernel = SVR(kernel="linear", epsilon=epsilon, C=C, tol=1e-6).fit(X, y)
    assert linear.status_ is Status.CONVERGED
    assert linear.certificate_.primal_objective == pytest.approx(kernel.certificate_.primal_objective, rel=1e-6)
    np.testing.assert_allclose(linear.coef_, kernel.coef_[0], rtol=1e-3, atol=1e-3)


def _objective(model: Any, X: Any, y: Any, C: float, epsilon: float, loss: str, scale: float) -> float:
    b = float(np.ravel(model.intercept_)[0])
    deficit = np.maximum(np.abs(y - X @ model.coef_ - b) - epsilon, 0.0)
    lost = deficit.sum() if loss == "epsilon_insensitive" else (deficit**2).sum()
    return float(0.5 * model.coef_ @ model.coef_ + 0.5 * (b / scale) ** 2 + C * lost)


@pytest.mark.parametrize("scaling", [1.0, 20.0])
@pytest.mark.parametrize("C", [1e-2, 1.0, 1e2])
@pytest.mark.parametrize("loss", LOSSES)
def test_a_penalised_intercept_is_liblinears(loss: Any, C: float, scaling: float) -> None:
    X, y = _diabetes()
    mine = LinearSVR(loss=loss, C=C, epsilon=5.0, penalise_intercept=True, intercept_scaling=scaling, tol=1e-8).fit(X, y)
    assert mine.certificate_.primal_objective == pytest.approx(_objective(mine, X, y, C, 5.0, loss, scaling), rel=1e-9)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        theirs = TheirLinearSVR(
            loss=loss, C=C, epsilon=5.0, intercept_scaling=scaling, tol=1e-6, max_iter=20_000, random_state=0
        ).fit(X, y)
    assert mine.certificate_.primal_objective <= _objective(theirs, X, y, C, 5.0, loss, scaling) * (1 + 1e-6)
    if C <= 1e-2:  # where theirs comes near
        np.testing.assert_allclose(mine.coef_, theirs.coef_, rtol=1e-2, atol=1e-1)


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("C", [0.1, 10.0])
@pytest.mark.parametrize("loss", LOSSES)
def test_a_general_qp_solver_finds_the_same(loss: Any, C: float, intercept: bool) -> None:
    """Variables w, b, ξ, ξ*: ``½|w|² + C Σ ξ (or ξ²)`` with ``|y − f| ≤ ε + ξ``."""
    X, y = _small()
    n, d, epsilon = *X.shape, 0.3
    column = np.full((n, 1), float(intercept))
    rows = np.hstack([X, column])
    square = np.concatenate([np.ones(d), [0.0 if intercept else 1.0], np.full(2 * n, 2.0 * C * (loss == LOSSES[1]))])
    cost = np.concatenate([np.zeros(d + 1), np.full(2 * n, C * (loss == LOSSES[0]))])
    G = np.vstack([np.hstack([rows, np.eye(n), np.zeros((n, n))]), np.hstack([-rows, np.zeros((n, n)), np.eye(n)])])
    h = np.concatenate([y - epsilon, -y - epsilon])
    bounded = np.hstack([np.zeros((2 * n, d + 1)), np.eye(2 * n)])
    known = qp(np.diag(square), cost, np.vstack([G, bounded]), np.concatenate([h, np.zeros(2 * n)]))
    model = LinearSVR(loss=loss, C=C, epsilon=epsilon, fit_intercept=intercept, tol=1e-9).fit(X, y)
    np.testing.assert_allclose(model.coef_, known.u[:d], atol=1e-4)
    if intercept:
        assert model.intercept_[0] == pytest.approx(known.u[d], abs=1e-4)


def test_the_median_and_the_mean() -> None:
    """Without features that tell anything the offset is the median of y, for squares the mean."""
    y = np.array([0.0, 1.0, 2.0, 50.0, 100.0])
    X = np.zeros((5, 1))
    assert LinearSVR().fit(X, y).intercept_[0] == pytest.approx(2.0)
    assert LinearSVR(loss="squared_epsilon_insensitive").fit(X, y).intercept_[0] == pytest.approx(y.mean())


@pytest.mark.parametrize("loss", LOSSES)
def test_constant_targets_are_met_exactly(loss: Any) -> None:
    X, _ = _small()
    model = LinearSVR(loss=loss).fit(X, np.full(25, 0.1))
    assert model.status_ is Status.CONVERGED
    np.testing.assert_array_equal(model.predict(X), 0.1)


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("width", [6, 700])
def test_every_kind_of_rows(width: int, loss: Any) -> None:
    rng = np.random.default_rng(1)
    dense = (rng.normal(size=(80, width)) * (rng.random((80, width)) < 0.3)).astype(np.float32)
    y = dense[:, 0] - 2.0 * dense[:, 1] + 0.2 * rng.normal(size=80)
    narrow = sparse.csr_matrix(dense)
    long = narrow.copy()
    long.indices, long.indptr = long.indices.astype(np.int64), long.indptr.astype(np.int64)
    wanted = LinearSVR(loss=loss, epsilon=0.05, tol=1e-9).fit(dense, y)
    assert wanted.status_ is Status.CONVERGED
    for X in (dense.astype(np.float64), narrow, long, narrow.astype(np.float64), sparse.csc_array(dense)):
        model = LinearSVR(loss=loss, epsilon=0.05, tol=1e-9).fit(X, y)
        np.testing.assert_allclose(model.coef_, wanted.coef_, atol=2e-5)
        np.testing.assert_allclose(model.predict(X), wanted.predict(dense), atol=1e-4)


@pytest.mark.parametrize("loss", LOSSES)
def test_a_weight_of_two_is_the_row_twice(loss: Any) -> None:
    X, y = _small(d=2)
    weight = np.arange(25) % 3
    one = LinearSVR(loss=loss, epsilon=0.1).fit(X, y, sample_weight=weight)
    other = LinearSVR(loss=loss, epsilon=0.1).fit(np.repeat(X, weight, axis=0), np.repeat(y, weight))
    np.testing.assert_allclose(one.coef_, other.coef_, rtol=1e-6)
    np.testing.assert_allclose(one.intercept_, other.intercept_, rtol=1e-6)


@pytest.mark.parametrize("factor", [1e-6, 1e6])
def test_the_unit_of_the_targets(factor: float) -> None:
    """y and ε in another unit, C for the same trade: the same function in that unit."""
    X, y = _diabetes()
    here = LinearSVR(epsilon=10.0, C=1.0, tol=1e-9).fit(X, y)
    there = LinearSVR(epsilon=10.0 * factor, C=factor, tol=1e-9).fit(X, factor * y)
    assert there.status_ is Status.CONVERGED
    np.testing.assert_allclose(there.coef_, factor * here.coef_, rtol=1e-5)
    np.testing.assert_allclose(LinearSVR(epsilon=10.0, tol=1e-9).fit(X, y + 1e4).coef_, here.coef_, rtol=1e-5)


@pytest.mark.parametrize("loss", LOSSES)
def test_same_bits_for_any_number_of_threads(loss: Any) -> None:
    rng = np.random.default_rng(5)
    X = rng.normal(size=(16_000, 30)).astype(np.float32)
    y = X[:, 0] + rng.normal(size=len(X))
    before, answers = maxmargin.get_threads(), []
    try:
        for threads in (1, 2, 3):
            maxmargin.set_threads(threads)
            model = LinearSVR(loss=loss, epsilon=0.1, C=1e-2).fit(X, y)
            answers.append((model.coef_.tobytes(), model.intercept_.tobytes(), model.n_iter_))
    finally:
        maxmargin.set_threads(before)
    assert answers[0] == answers[1] == answers[2]


def test_limits_pickle_and_report(capsys: pytest.CaptureFixture[str]) -> None:
    X, y = _diabetes()
    model = LinearSVR(verbose=1).fit(X, y)
    assert "converged" in capsys.readouterr().out
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.predict(X), model.predict(X))
    with pytest.warns(ConvergenceWarning, match="ITERATION_LIMIT"):
        assert LinearSVR(max_iter=1).fit(X, y).status_ is Status.ITERATION_LIMIT
    with pytest.warns(ConvergenceWarning, match="TIME_LIMIT"):
        assert LinearSVR(max_time=1e-9).fit(X, y).status_ is Status.TIME_LIMIT


def test_sweeps_end_at_the_limit() -> None:
    """Also between two looks at the gap, which become rare: the one after the 17th comes after the 21st."""
    X, y = _diabetes()
    problem = PrimalProblem(X, y, C=1e3, loss=EpsilonInsensitive(0.1), offset="penalised")
    with pytest.warns(ConvergenceWarning, match="ITERATION_LIMIT"):
        assert maxmargin.solve(problem, solver=CoordinateDescent(seed=0), tol=1e-12, max_iter=18).steps == 18


@pytest.mark.parametrize("loss", [EpsilonInsensitive(0.2), SquaredEpsilonInsensitive(0.2)], ids=repr)
@pytest.mark.parametrize("offset", ["penalised", None])
def test_coordinate_descent_agrees(loss: Any, offset: Any) -> None:
    X, y = _small(d=4)
    problem = PrimalProblem(X, y, loss=loss, C=0.3, offset=offset)
    newton, coordinates = (maxmargin.solve(problem, solver=solver, tol=1e-7) for solver in ("newton", "coordinate_descent"))
    assert coordinates.status is Status.CONVERGED
    np.testing.assert_allclose(coordinates.weights, newton.weights, atol=1e-3)
    assert coordinates.certificate.primal_objective == pytest.approx(newton.certificate.primal_objective, rel=2e-7)


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (LinearSVR(C=math.inf), "The 'C' parameter of LinearSVR must be a float in the range (0.0, inf). Got inf instead."),
        (LinearSVR(C=0.0), "The 'C' parameter of LinearSVR"),
        (LinearSVR(epsilon=-1.0), "The 'epsilon' parameter of LinearSVR"),
        (LinearSVR(loss="hinge"), "The 'loss' parameter of LinearSVR must be a str among {'epsilon_insensitive'"),
        (LinearSVR(dual="yes"), "The 'dual' parameter of LinearSVR must be an instance of 'bool' or the str 'auto'"),
        (
            LinearSVR(intercept_scaling=3.0, penalise_intercept=False),
            "Set penalise_intercept=True, or leave intercept_scaling at 1.",
        ),
        (LinearSVR(tol=0.0), "The 'tol' parameter of LinearSVR"),
        (LinearSVR(max_iter=-1), "The 'max_iter' parameter of LinearSVR"),
        (LinearSVR(random_state=-1), "The 'random_state' parameter of LinearSVR"),
        (LinearSVR(solver=CoordinateDescent()), "a free offset ties all multipliers together"),
    ],
    ids=repr,
)
def test_refusals(model: Any, message: str) -> None:
    with pytest.raises(InvalidInput) as error:
        model.fit(*_small())
    assert message in str(error.value)


def test_numbers_that_overflow_are_refused() -> None:
    X, y = _small()
    with pytest.raises(InvalidInput, match="C is too large"):
        LinearSVR(C=1e200).fit(X, y)
    with pytest.raises(InvalidInput, match="The targets in y are too large"):
        LinearSVR(loss="squared_epsilon_insensitive").fit(X, 1e200 * y)
    assert LinearSVR().fit(X, 1e100 * y).status_ is Status.CONVERGED


def test_one_target_only() -> None:
    X, y = _small()
    with pytest.raises(InvalidInput, match="y should be a 1d array"):
        LinearSVR().fit(X, np.column_stack([y, y]))
