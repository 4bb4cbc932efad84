"""The L1 penalty: scikit-learn's optima, hand-solved cases, certificates, every kind of rows, endings, and its laws."""

from __future__ import annotations

import os
import signal
import threading
import warnings
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import sparse
from scipy.optimize import linprog
from sklearn.datasets import make_classification
from sklearn.linear_model import Lasso
from sklearn.linear_model import LogisticRegression as TheirLogistic
from sklearn.svm import LinearSVC as TheirLinearSVC

import maxmargin
from maxmargin import solve
from maxmargin.errors import ConvergenceWarning, FitInterrupted, InvalidInput
from maxmargin.losses import EpsilonInsensitive, Hinge, Logistic, Squared, SquaredEpsilonInsensitive, SquaredHinge
from maxmargin.problems import PrimalProblem
from maxmargin.solution import Status, certify_linear
from maxmargin.solvers import LinearProgram, ProximalNewton, StochasticSubgradient
from tests.contracts._linear_sets import linear_sets

OFFSETS = ["free", "penalised", None]
SMOOTH = ["squared_hinge", "logistic", "squared", "squared_epsilon_insensitive"]
KINKED = ["hinge", "epsilon_insensitive"]


def _sets() -> dict[str, tuple[Any, NDArray[Any]]]:
    sets = linear_sets(wide=(60, 1500), words=(200, 2000))
    X, y = sets["overlap"]
    return {**sets, "a feature twice": (np.column_stack([X, X[:, 0], np.zeros(len(X))]), y)}


SETS = _sets()


@pytest.mark.parametrize("C", [1e-2, 1.0, 1e3])
@pytest.mark.parametrize("offset", OFFSETS)
@pytest.mark.parametrize("loss", [*SMOOTH, *KINKED])
@pytest.mark.parametrize("name", SETS)
def test_the_gap_closes(name: str, loss: str, offset: Any, C: float) -> None:
    X, y = SETS[name]
    tol = 1e-8 if loss in SMOOTH else 1e-6
    found = solve(PrimalProblem(X, y, loss=loss, penalty="l1", C=C, offset=offset), tol=tol)
    assert found.status is Status.CONVERGED
    assert found.certificate.relative_gap <= tol
    assert found.certificate.gap >= -1e-9 * found.certificate.primal_objective
    # As many weights as there are rows explain all of them: a corner has no more.
    assert np.count_nonzero(found.weights) <= len(y)


@pytest.mark.parametrize("C", [1e-2, 1.0, 1e2])
@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("name", SETS)
def test_never_above_liblinear(name: str, intercept: bool, C: float) -> None:
    X, y = SETS[name]
    offset = "penalised" if intercept else None
    settings: dict[str, Any] = {"C": C, "fit_intercept": intercept, "tol": 1e-6, "max_iter": 20_000, "random_state": 0}
    pairs = [
        ("squared_hinge", TheirLinearSVC(penalty="l1", dual=False, **settings)),
        ("logistic", TheirLogistic(penalty="l1", solver="liblinear", **settings)),
    ]
    for loss, theirs in pairs:
        problem = PrimalProblem(X, y, loss=loss, penalty="l1", C=C, offset=offset)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            theirs.fit(X, y)
        known = problem.objective(theirs.coef_[0], float(theirs.intercept_[0]) if intercept else 0.0)
        found = solve(problem, tol=1e-8).certificate
        assert found.primal_objective <= known * (1 + 1e-9)
        assert found.dual_objective <= known * (1 + 1e-14)


def test_a_free_offset_against_saga() -> None:
    X, y = SETS["overlap"]
    problem = PrimalProblem(X, y, loss="logistic", penalty="l1", C=0.3)
    theirs = TheirLogistic(l1_ratio=1.0, solver="saga", C=0.3, tol=1e-12, max_iter=100_000).fit(X, y)
    found = solve(problem, tol=1e-10)
    assert found.certificate.primal_objective <= problem.objective(theirs.coef_[0], float(theirs.intercept_[0])) * (1 + 1e-12)
    np.testing.assert_allclose(found.weights, theirs.coef_[0], atol=1e-6)


@pytest.mark.parametrize("name", ["overlap", "wide", "words"])
def test_squared_loss_is_the_lasso(name: str) -> None:
    """``|w|₁ + C Σ(y − f)²`` has the weights of scikit-learn's ``(1/2n) Σ(y − f)² + α|w|₁`` with ``α = 1/(2nC)``."""
    X, y = SETS[name]
    t = np.where(y, 1.0, -1.0)
    theirs = Lasso(alpha=1 / (2 * len(t) * 2.0), tol=1e-12, max_iter=100_000).fit(X, t)
    for loss in (Squared(), SquaredEpsilonInsensitive(0.0)):
        found = solve(PrimalProblem(X, t, loss=loss, penalty="l1", C=2.0), tol=1e-12)
        np.testing.assert_allclose(found.weights, theirs.coef_, atol=1e-6)
        assert found.bias == pytest.approx(theirs.intercept_, abs=1e-6)


@pytest.mark.parametrize("offset", OFFSETS)
@pytest.mark.parametrize("loss", KINKED)
def test_the_primal_program_has_the_same_optimum(loss: str, offset: Any) -> None:
    """HiGHS on ``(w⁺, w⁻, b⁺, b⁻, ξ)``, where the solver hands over the dual."""
    X, y = SETS["overlap"]
    t, C, n, d = np.where(y, 1.0, -1.0), 0.7, *X.shape
    rows = np.column_stack([X, np.ones(n)])
    signed = np.vstack([t[:, None] * rows] if loss == "hinge" else [rows, -rows])
    slack = np.eye(n) if loss == "hinge" else np.vstack([np.eye(n)] * 2)
    demand = np.ones(n) if loss == "hinge" else np.r_[t, -t] - 0.1
    paid = {"free": 0.0, "penalised": 1.0, None: 1e6}[offset]
    cost = np.r_[np.ones(d), paid, np.ones(d), paid, np.full(n, C)]
    known = linprog(cost, A_ub=-np.column_stack([signed, -signed, slack]), b_ub=-demand).fun
    found = solve(PrimalProblem(X, t, loss=loss, penalty="l1", C=C, offset=offset), tol=1e-7)
    assert found.certificate.primal_objective == pytest.approx(known, rel=1e-7)


def test_by_hand() -> None:
    """Two points at ±2: the squared hinge has ``|w| + 2C(1 − 2w)²``, least at ``w = ½ − 1/(16C)``, the hinge a kink at ½."""
    X, y = [[-2.0], [2.0]], [-1, 1]
    for C in (0.25, 1.0, 10.0):
        found = solve(PrimalProblem(X, y, loss="squared_hinge", penalty="l1", C=C), tol=1e-12)
        assert found.weights[0] == pytest.approx(0.5 - 1 / (16 * C), rel=1e-9)
        assert found.bias == pytest.approx(0.0, abs=1e-9)
    # At 4C = 1 the hinge's loss falls as fast as the penalty rises.
    for C, w in ((0.2, 0.0), (0.3, 0.5)):
        assert solve(PrimalProblem(X, y, loss="hinge", penalty="l1", C=C), tol=1e-9).weights[0] == pytest.approx(w, abs=1e-9)


@pytest.mark.parametrize("offset", OFFSETS)
@pytest.mark.parametrize(("loss", "slope"), [("squared_hinge", 2.0), ("logistic", 0.5), ("squared", 2.0)])
@settings(max_examples=15)
@given(seed=st.integers(0, 1000))
def test_below_the_critical_price_all_weights_are_0(loss: str, slope: float, offset: Any, seed: int) -> None:
    """As many rows of each class: b = 0 is best, slopes are the same for all rows, and ``1/C = slope · max_k |Σ y_i x_ik|``."""
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(20, 6)), np.where(np.arange(20) % 2, 1, -1)
    critical = 1.0 / (slope * np.abs(y @ X).max())
    below = solve(PrimalProblem(X, y, loss=loss, penalty="l1", C=0.999 * critical, offset=offset))
    np.testing.assert_array_equal(below.weights, 0.0)
    assert below.bias == pytest.approx(0.0, abs=1e-9)
    above = solve(PrimalProblem(X, y, loss=loss, penalty="l1", C=1.001 * critical, offset=offset), tol=1e-10)
    # The offset may answer first, and change who is critical; without one, it is that feature.
    if offset is None:
        np.testing.assert_array_equal(np.flatnonzero(above.weights), [np.abs(y @ X).argmax()])


@pytest.mark.parametrize("loss", ["squared_hinge", "logistic", "hinge"])
@settings(max_examples=10)
@given(seed=st.integers(0, 1000), factor=st.sampled_from([1e-3, 0.5, 4.0]))
def test_a_scaled_feature_has_another_price(loss: str, seed: int, factor: float) -> None:
    """A larger feature needs a smaller weight: its part of f costs less, and it can only gain by it; the optimum falls."""
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(30, 4)), np.arange(30) % 2
    X[:, 0] += y
    scaled = X.copy()
    scaled[:, 0] *= factor
    one, other = (solve(PrimalProblem(Z, y, loss=loss, penalty="l1", C=0.5), tol=1e-9) for Z in (X, scaled))
    low, high = sorted([one, other], key=lambda found: found.certificate.primal_objective)
    assert (low is other) == (factor > 1) or low.certificate.primal_objective == pytest.approx(
        high.certificate.primal_objective, rel=1e-8
    )
    if factor == 1e-3:
        assert other.weights[0] == 0.0


@pytest.mark.parametrize("offset", OFFSETS)
@pytest.mark.parametrize("loss", [*SMOOTH, *KINKED])
def test_a_weight_of_two_is_the_row_twice(loss: str, offset: Any) -> None:
    X, y = SETS["overlap"]
    weight = np.arange(len(y)) % 3
    one = solve(PrimalProblem(X, y, loss=loss, penalty="l1", sample_weight=weight, offset=offset), tol=1e-9)
    other = solve(
        PrimalProblem(np.repeat(X, weight, axis=0), np.repeat(y, weight), loss=loss, penalty="l1", offset=offset), tol=1e-9
    )
    assert one.certificate.primal_objective == pytest.approx(other.certificate.primal_objective, rel=1e-8)
    np.testing.assert_allclose(one.weights, other.weights, rtol=1e-5, atol=1e-7)


@pytest.mark.parametrize("width", [40, 1500])
@pytest.mark.parametrize("solver", [ProximalNewton(), LinearProgram()], ids=repr)
def test_every_kind_of_rows(solver: Any, width: int) -> None:
    rng = np.random.default_rng(4)
    dense = (rng.normal(size=(90, width)) * (rng.random((90, width)) < 0.3)).astype(np.float32)
    y = dense[:, 0] + dense[:, 1] + 0.3 * rng.normal(size=90) > 0
    narrow = sparse.csr_matrix(dense)
    long = narrow.copy()
    long.indices, long.indptr = long.indices.astype(np.int64), long.indptr.astype(np.int64)
    loss = "squared_hinge" if isinstance(solver, ProximalNewton) else "hinge"
    wanted = None
    for X in (dense, dense.astype(np.float64), narrow, long, narrow.astype(np.float64), long.astype(np.float64)):
        found = solve(PrimalProblem(X, y, loss=loss, penalty="l1", C=0.5), solver=solver, tol=1e-8)
        assert found.status is Status.CONVERGED
        wanted = found.certificate.primal_objective if wanted is None else wanted
        assert found.certificate.primal_objective == pytest.approx(wanted, rel=2e-8)


@pytest.mark.parametrize("loss", ["squared_hinge", "logistic", "squared_epsilon_insensitive"])
@pytest.mark.parametrize("width", [30, 1500])
def test_same_bits_for_any_number_of_threads(loss: str, width: int) -> None:
    rng = np.random.default_rng(5)
    X = rng.normal(size=(480_000 // width, width)).astype(np.float32)
    y = X[:, 0] + rng.normal(size=len(X)) > 0
    before, answers = maxmargin.get_threads(), []
    try:
        for threads in (1, 2, 3):
            maxmargin.set_threads(threads)
            solution = solve(PrimalProblem(X, y, loss=loss, penalty="l1", C=0.1, offset="penalised"), tol=1e-3)
            answers.append((solution.weights.tobytes(), solution.bias, solution.alpha.tobytes()))
    finally:
        maxmargin.set_threads(before)
    assert answers[0] == answers[1] == answers[2]


def test_many_features_come_in() -> None:
    """A working set of more than a thousand: columns instead of a matrix."""
    rng = np.random.default_rng(6)
    X = sparse.random(2500, 3000, density=0.01, random_state=6, format="csr")
    y = X @ rng.normal(size=3000) + 0.1 * rng.normal(size=2500)
    for loss, offset in zip((SquaredHinge(), Logistic(), SquaredEpsilonInsensitive(0.05)), OFFSETS, strict=True):
        targets = y if isinstance(loss, SquaredEpsilonInsensitive) else y > 0.1
        found = solve(PrimalProblem(X, targets, loss=loss, penalty="l1", C=30.0, offset=offset), tol=1e-6)
        assert found.status is Status.CONVERGED
        assert 1000 < np.count_nonzero(found.weights) < 2500


@pytest.mark.parametrize(
    "loss", [Hinge(), SquaredHinge(), Logistic(), Squared(), EpsilonInsensitive(0.2), SquaredEpsilonInsensitive(0.2)], ids=repr
)
@pytest.mark.parametrize("offset", OFFSETS)
@settings(max_examples=20)
@given(seed=st.integers(0, 1000))
def test_any_two_points_bound_the_optimum(loss: Any, offset: Any, seed: int) -> None:
    """Weak duality, also for α that only their division by the largest product makes feasible."""
    rng = np.random.default_rng(seed)
    problem = PrimalProblem(rng.normal(size=(12, 3)), np.arange(12) % 2, loss=loss, penalty="l1", C=2.0, offset=offset)
    alpha = rng.random(12) * problem.cost
    if offset == "free":
        signed = alpha * loss.slope(problem.y)
        if isinstance(loss, EpsilonInsensitive | SquaredEpsilonInsensitive):
            alpha = (alpha - alpha.mean()) / 2
        else:
            up, down = signed[signed > 0].sum(), -signed[signed < 0].sum()
            alpha[signed > 0] *= min(1.0, down / up)
            alpha[signed < 0] *= min(1.0, up / down)
    found = certify_linear(problem, 0.3 * rng.normal(size=3), float(rng.normal()) if offset else 0.0, alpha)
    assert np.isfinite(found.dual)
    assert found.infeasibility < 1e-12
    assert found.dual <= found.primal


def test_stationarity_is_of_signs() -> None:
    problem = PrimalProblem([[-2.0, 0.0], [2.0, 0.0]], [-1, 1], loss="squared_hinge", penalty="l1")
    at_best = certify_linear(problem, np.array([0.4375, 0.0]), 0.0, np.array([0.25, 0.25]))
    assert at_best.primal == at_best.dual == 0.46875
    assert at_best.stationarity == 0.0
    # the slopes of the losses at −0.1 are 2.4, and 2.4 · (2 + 2) is off the sign −1 of the weight by 10.6
    wrong = certify_linear(problem, np.array([-0.1, 0.0]), 0.0, np.array([0.25, 0.25]))
    assert wrong.stationarity == pytest.approx(10.6, rel=1e-12)
    # at 0 they are 2, and 8 is above 1 by 7
    assert certify_linear(problem, np.zeros(2), 0.0, np.array([0.5, 0.5])).stationarity == 7.0
    off = PrimalProblem([[-2.0], [2.0]], [-1, 1], loss="squared_hinge", penalty="l1", offset="penalised", offset_scale=4.0)
    # one row still loses, with a slope of 2.25: −9 of a constant feature of 4 is off the sign +1 by 10
    assert certify_linear(off, np.array([0.4375]), 1.0, np.array([0.25, 0.25])).stationarity == 10.0


def test_the_scale_of_a_penalised_offset() -> None:
    X, y = SETS["overlap"]
    for loss in ("squared_hinge", "logistic", "hinge"):
        one = solve(PrimalProblem(X, y, loss=loss, penalty="l1", offset="penalised", offset_scale=3.0), tol=1e-9)
        constant = np.column_stack([X, np.full(len(X), 3.0)])
        other = solve(PrimalProblem(constant, y, loss=loss, penalty="l1", offset=None), tol=1e-9)
        assert one.certificate.primal_objective == pytest.approx(other.certificate.primal_objective, rel=1e-8)
        assert one.bias == pytest.approx(3.0 * other.weights[-1], rel=1e-5, abs=1e-7)


def test_limits_and_callback() -> None:
    X, y = make_classification(3000, 1500, flip_y=0.3, random_state=0)
    problem = PrimalProblem(X, y, loss="squared_hinge", penalty="l1", C=10.0)
    with pytest.warns(ConvergenceWarning, match=r"ITERATION_LIMIT.*max_iter"):
        few = solve(problem, max_iter=2)
    assert (few.status, few.steps) == (Status.ITERATION_LIMIT, 2)
    assert few.certificate.gap > 0
    with pytest.warns(ConvergenceWarning, match="TIME_LIMIT"):
        assert solve(problem, max_time=1e-6, tol=1e-12).status is Status.TIME_LIMIT
    with pytest.warns(ConvergenceWarning, match="INTERRUPTED"):
        assert solve(problem, tol=1e-12, callback=lambda progress: True).status is Status.INTERRUPTED


def test_limits_of_the_linear_program() -> None:
    """HiGHS has no weights before its end: w = 0, with an honest gap."""
    X, y = make_classification(1500, 60, flip_y=0.3, random_state=0)
    problem = PrimalProblem(X, y, penalty="l1", C=10.0)
    with pytest.warns(ConvergenceWarning, match="TIME_LIMIT"):
        short = solve(problem, max_time=1e-3)
    assert short.status is Status.TIME_LIMIT
    np.testing.assert_array_equal(short.weights, 0.0)
    assert short.certificate.primal_objective == pytest.approx(15_000.0)
    assert short.certificate.dual_objective == 0.0
    with pytest.warns(ConvergenceWarning, match="ITERATION_LIMIT"):
        assert solve(problem, max_iter=0).status is Status.ITERATION_LIMIT


def test_ctrl_c_keeps_what_there_is() -> None:
    X, y = make_classification(4000, 1500, n_informative=800, flip_y=0.3, random_state=0)
    problem = PrimalProblem(X, y, loss="logistic", penalty="l1", C=1e3)
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        presses = threading.Timer(0.1, lambda: os.kill(os.getpid(), signal.SIGINT))
        presses.start()
        with pytest.raises(FitInterrupted, match="Interrupted after") as caught:
            solve(problem, tol=1e-13, max_time=60.0)
        presses.join()
    finally:
        signal.signal(signal.SIGINT, before)
    assert caught.value.solution.status is Status.INTERRUPTED
    assert np.isfinite(caught.value.solution.certificate.gap)


@pytest.mark.parametrize(
    ("problem", "solver", "message"),
    [
        ({"penalty": "l1"}, "newton", "LinearNewton cannot solve PrimalProblem: the L1 penalty has a kink"),
        ({"penalty": "l1", "offset": None}, "coordinate_descent", "have a constraint for each feature"),
        ({"penalty": "l1", "loss": "logistic"}, "gradient_descent", "the L1 penalty has a kink at every 0"),
        ({"penalty": "l1"}, "stochastic_subgradient", "need the λ of an L2 penalty"),
        ({"penalty": "l1"}, "proximal_newton", "ProximalNewton cannot solve PrimalProblem: it needs a squared hinge"),
        ({"penalty": "l1", "loss": "logistic"}, "linear_program", "it needs the hinge or the ε-insensitive loss"),
        ({"penalty": "l1", "loss": "exponential"}, "auto", "ProximalNewton: it needs a squared hinge"),
        ({"loss": "logistic"}, "proximal_newton", "it is for penalty='l1' and 'elasticnet'. Take LinearNewton."),
        ({}, "linear_program", "its objective is made of lines: penalty='l1' only."),
    ],
)
def test_what_cannot_be_solved(problem: dict[str, Any], solver: str, message: str) -> None:
    with pytest.raises(InvalidInput) as error:
        solve(PrimalProblem([[-1.0], [1.0]], [-1, 1], **problem), solver=solver)
    assert message in str(error.value)


def test_no_walk_with_another_penalty() -> None:
    with pytest.raises(InvalidInput, match=r"StochasticSubgradient cannot walk on this PrimalProblem: .* L2 penalty"):
        StochasticSubgradient().walk(PrimalProblem([[-1.0], [1.0]], [-1, 1], penalty="l1"))
