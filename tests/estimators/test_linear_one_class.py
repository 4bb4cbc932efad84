"""LinearOneClassSVM: the optimum of the one-class problem with a linear kernel, by the engine of linear models."""

from __future__ import annotations

import pickle
import warnings
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy import optimize, sparse

from maxmargin import LinearOneClassSVM, OneClassSVM, get_threads, set_threads, solve
from maxmargin.errors import ConvergenceWarning, InvalidInput, NoMarginWarning
from maxmargin.problems import PrimalProblem
from maxmargin.solution import Status, linear_kkt
from maxmargin.solvers import StochasticSubgradient

PRECISE = 1e-9


def _rows(n: int = 200, d: int = 4, far: float = 1.0, seed: int = 0) -> Any:
    return np.random.default_rng(seed).normal(loc=far, size=(n, d))


def _reference(X: Any, nu: float, weight: Any) -> float:
    """Minus half of the least square of Σ β_i x_i with 0 ≤ β ≤ w and Σ β = ν W, by a general program of scipy."""
    total, K = nu * weight.sum(), X @ X.T
    found = optimize.minimize(
        lambda beta: 0.5 * beta @ K @ beta,
        weight * nu,
        jac=lambda beta: K @ beta,
        bounds=[(0.0, w) for w in weight],
        constraints={"type": "eq", "fun": lambda beta: beta.sum() - total, "jac": np.ones_like},
        method="SLSQP",
        options={"ftol": 1e-15, "maxiter": 500},
    )
    return -float(found.fun)


@pytest.mark.parametrize("nu", [0.05, 0.2, 0.5, 0.9, 1.0])
@pytest.mark.parametrize(("n", "d", "far"), [(60, 3, 1.0), (40, 2, 3.0), (30, 100, 0.2)])
def test_it_has_the_optimum_of_a_general_program(n: int, d: int, far: float, nu: float) -> None:
    X = _rows(n, d, far)
    weight = np.random.default_rng(1).uniform(0.5, 2.0, n)
    model = LinearOneClassSVM(nu=nu, tol=PRECISE).fit(X, sample_weight=weight)
    wanted = _reference(X, nu, weight)
    assert model.certificate_.primal_objective == pytest.approx(wanted, rel=1e-6, abs=1e-8)
    assert model.status_.is_optimal


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_matrix, lambda X: X.astype(np.float32)])
@pytest.mark.parametrize("nu", [0.03, 0.3, 0.5])
def test_it_is_the_one_class_model_with_a_linear_kernel(form: Any, nu: float) -> None:
    X = form(_rows(300, 5, 1.5))
    ours, theirs = LinearOneClassSVM(nu=nu, tol=PRECISE).fit(X), OneClassSVM(kernel="linear", nu=nu, tol=1e-8).fit(X)
    scale = abs(float(theirs.offset_[0]))
    own = theirs.coef_.toarray() if sparse.issparse(theirs.coef_) else theirs.coef_
    np.testing.assert_allclose(ours.coef_, own, rtol=1e-5, atol=1e-6 * scale)
    np.testing.assert_allclose(ours.offset_, theirs.offset_, rtol=1e-5)
    np.testing.assert_allclose(ours.score_samples(X), theirs.score_samples(X), rtol=1e-4, atol=1e-5 * scale)
    assert np.mean(ours.predict(X) != theirs.predict(X)) <= 1 / 300
    assert ours.certificate_.primal_objective == pytest.approx(theirs.certificate_.primal_objective, rel=1e-7)


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10**6), st.integers(2, 40), st.integers(1, 6), st.floats(0.02, 1.0), st.floats(-3, 3))
def test_laws(seed: int, n: int, d: int, nu: float, far: float) -> None:
    """A proof for every fit; at most a fraction ν of outliers; twice the rows is twice the weights, and longer rows scale."""
    X = _rows(n, d, far, seed)
    solution = solve(PrimalProblem.one_class(X, nu), tol=1e-7)
    assert solution.status in (Status.CONVERGED, Status.ZERO_OPTIMUM)
    assume(solution.status is Status.CONVERGED)
    outside = solution.decision_function(X) < -1e-7 * abs(solution.bias)
    assert outside.sum() <= nu * n + 1e-9
    assert (solution.alpha > 0.0).sum() >= nu * n - 1e-9
    objective = solution.certificate.primal_objective
    doubled = solve(PrimalProblem.one_class(np.repeat(X, 2, axis=0), nu), tol=1e-7).certificate.primal_objective
    weighted = solve(PrimalProblem.one_class(X, nu, np.full(n, 2.0)), tol=1e-7).certificate.primal_objective
    longer = solve(PrimalProblem.one_class(7.0 * X, nu), tol=1e-7).certificate.primal_objective
    assert doubled == pytest.approx(weighted, rel=1e-6)
    assert weighted == pytest.approx(4.0 * objective, rel=1e-6)
    assert longer == pytest.approx(49.0 * objective, rel=1e-6)


def test_nothing_apart_from_the_origin_is_an_optimum_of_0() -> None:
    X = np.concatenate((_rows(50, 3), -_rows(50, 3)))
    with pytest.warns(NoMarginWarning, match="The margin is 0: at nu = 0.5 the origin is inside"):
        model = LinearOneClassSVM(nu=0.5).fit(X)
    assert model.status_ is Status.ZERO_OPTIMUM
    assert not model.coef_.any()
    assert (model.predict(X) == 1).all()


def test_kkt_conditions() -> None:
    problem = PrimalProblem.one_class(_rows(100, 3, 2.0), 0.2)
    report = linear_kkt(problem, solve(problem, tol=1e-12))
    assert report.largest < 1e-6 * problem.pull


def test_bits_over_threads() -> None:
    X, before = _rows(30_000, 12, 0.5), get_threads()
    found = []
    try:
        for threads in (1, 2, 3):
            set_threads(threads)
            model = LinearOneClassSVM(nu=0.1).fit(X)
            found.append(model.coef_.tobytes() + model.intercept_.tobytes())
    finally:
        set_threads(before)
    assert len(set(found)) == 1


def test_warm_start_goes_on_from_the_last_fit() -> None:
    X = _rows(5_000, 6, 1.0)
    model = LinearOneClassSVM(nu=0.1, warm_start=True, tol=1e-6).fit(X)
    first = model.n_iter_
    again = pickle.loads(pickle.dumps(model)).fit(X)
    assert again.n_iter_ <= max(1, first // 4)
    assert again.status_ is Status.CONVERGED
    moved = model.set_params(nu=0.11).fit(X)
    cold = LinearOneClassSVM(nu=0.11, tol=1e-6).fit(X)
    assert moved.certificate_.primal_objective == pytest.approx(cold.certificate_.primal_objective, rel=2e-6)


def test_limits_are_told() -> None:
    with pytest.warns(ConvergenceWarning):
        model = LinearOneClassSVM(nu=0.1, max_iter=1, tol=1e-10).fit(_rows(3_000, 30, 0.3))
    assert model.status_ is Status.ITERATION_LIMIT
    assert model.fit_status_ == 1
    with pytest.warns(ConvergenceWarning):
        model = LinearOneClassSVM(nu=0.1, max_time=1e-6).fit(_rows(3_000, 30, 0.3))
    assert model.status_ is Status.TIME_LIMIT


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"nu": 0.0}, "The 'nu' parameter of LinearOneClassSVM must be"),
        ({"nu": 1.5}, "The 'nu' parameter of LinearOneClassSVM must be"),
        ({"tol": 0.0}, "The 'tol' parameter of LinearOneClassSVM must be"),
        ({"max_iter": -2}, "The 'max_iter' parameter of LinearOneClassSVM must be"),
        ({"warm_start": "yes"}, "The 'warm_start' parameter of LinearOneClassSVM must be"),
        ({"solver": "ball"}, "cannot solve PrimalProblem"),
        ({"solver": "stochastic_subgradient"}, "its steps would not balance what pulls at the offset"),
    ],
)
def test_wrong_parameters(parameters: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        LinearOneClassSVM(**parameters).fit(_rows())


def test_edited_state_is_checked() -> None:
    model = LinearOneClassSVM().fit(_rows())
    model.coef_ = model.coef_[:, :2]
    with pytest.raises(InvalidInput, match=r"coef_ and intercept_ of LinearOneClassSVM must be arrays of floats of the shapes"):
        model.predict(_rows())


def test_a_pull_at_the_offset_is_for_one_class_only() -> None:
    problem = PrimalProblem.on(_rows(), np.ones(200), np.ones(200), PrimalProblem.one_class(_rows()).loss, pull=-1.0)
    with pytest.raises(InvalidInput, match="a pull at the offset is for one class"):
        solve(problem, solver="newton")
    assert StochasticSubgradient().supports(PrimalProblem.one_class(_rows())) is not None


@pytest.mark.parametrize("size", [1e-310, 1e-160])
def test_rows_that_are_hardly_there_end(size: float) -> None:
    X = size * (3.0 + np.random.default_rng(0).normal(size=(11, 2)))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = LinearOneClassSVM().fit(X)
    assert np.isfinite(model.decision_function(X)).all()


def test_squares_that_overflow_are_refused() -> None:
    X = 1e150 * np.random.default_rng(0).normal(size=(11, 2))
    with pytest.raises(InvalidInput, match="overflow: the squares of their values"):
        LinearOneClassSVM().fit(X, sample_weight=np.full(11, 1e10))
