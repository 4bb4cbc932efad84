"""Linear models of all classes at once: the optimum of general solvers, of the kernel binary classifier and of the binary
models.
"""

from __future__ import annotations

import os
import signal
import threading
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import sparse
from scipy.optimize import minimize
from sklearn.datasets import load_digits, load_iris, load_wine, make_blobs, make_classification
from sklearn.preprocessing import StandardScaler

import maxmargin
from maxmargin import solve
from maxmargin.errors import ConvergenceWarning, FitInterrupted, InvalidInput
from maxmargin.kernels import Linear
from maxmargin.problems import ClassLoss, CrammerSinger, MulticlassLinear, Offset, Penalty, PrimalProblem
from maxmargin.solution import Status, certify_multiclass
from maxmargin.solvers import SMO, MulticlassNewton

from ._registry import least_joint, multinomial

OFFSETS = ["free", "penalised", None]
LOSSES = ["multinomial", "joint"]
WORDS = {Offset.FREE: "free", Offset.PENALISED: "penalised", Offset.NONE: None}


def _sets() -> dict[str, tuple[Any, NDArray[Any]]]:
    rng = np.random.default_rng(0)
    wine, cultivar = load_wine(return_X_y=True)
    wide = rng.normal(size=(40, 1100))
    words = sparse.random(120, 900, density=0.03, random_state=1, format="csr")
    return {
        "iris": load_iris(return_X_y=True),
        "wine": (StandardScaler().fit_transform(wine), cultivar),
        "unscaled": (wine, cultivar),
        "blobs": make_blobs(90, 3, centers=6, cluster_std=3.0, random_state=0),
        "wide": (wide, np.digitize(wide[:, 0], [-0.5, 0.2, 0.9])),
        "words": (words, np.digitize(np.asarray(words[:, :200].sum(axis=1)).ravel(), [2.0, 3.5])),
        "uneven": (rng.normal(size=(60, 2)), np.r_[np.zeros(50), np.ones(8), [2, 3]]),
        "doubled": (np.vstack([rng.normal(size=(20, 3))] * 2), np.r_[np.arange(20) % 3, (np.arange(20) + 1) % 3]),
    }


SETS = _sets()


def _all(problem: MulticlassLinear, solution: Any) -> NDArray[np.float64]:
    return np.column_stack([solution.weights, solution.bias]).ravel()


def _value(problem: MulticlassLinear, p: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
    """The multinomial objective and its slope, by hand."""
    X = problem.X.toarray() if sparse.issparse(problem.X) else problem.X
    return multinomial(X, problem.codes, problem.cost, "l2", WORDS[problem.offset], p)


@pytest.mark.parametrize("C", [1e-2, 1.0, 1e3])
@pytest.mark.parametrize("offset", OFFSETS)
@pytest.mark.parametrize("name", SETS)
def test_multinomial_against_a_general_minimiser(name: str, offset: Any, C: float) -> None:
    problem = MulticlassLinear(*SETS[name], C=C, offset=offset)
    found = solve(problem, tol=1e-8)
    assert found.status is Status.CONVERGED
    assert found.certificate.relative_gap <= 1e-8
    assert _value(problem, _all(problem, found))[0] == pytest.approx(found.certificate.primal_objective, rel=1e-10)
    known = minimize(
        lambda p: _value(problem, p), 0.9 * _all(problem, found), jac=True, method="L-BFGS-B", options={"maxiter": 300}
    )
    assert found.certificate.primal_objective <= known.fun * (1 + 1e-8)
    assert found.certificate.dual_objective <= known.fun * (1 + 1e-12)


@pytest.mark.parametrize("C", [1e-2, 1.0, 1e2])
@pytest.mark.parametrize("offset", OFFSETS)
@pytest.mark.parametrize("name", ["iris", "wine", "blobs", "uneven", "doubled"])
def test_joint_against_a_general_solver(name: str, offset: Any, C: float) -> None:
    problem = MulticlassLinear(*SETS[name], loss="joint", C=C, offset=offset)
    found = solve(problem, tol=1e-8)
    assert found.status is Status.CONVERGED
    assert found.certificate.primal_objective == pytest.approx(
        least_joint(np.asarray(problem.X), problem.codes, problem.cost, offset), rel=1e-6
    )
    f = np.asarray(problem.X) @ found.weights.T + found.bias
    rivals = f + 1.0
    rivals[np.arange(problem.n), problem.codes] -= 1.0
    loss = rivals.max(axis=1) - f[np.arange(problem.n), problem.codes]
    squares = (found.weights**2).sum() + ((found.bias**2).sum() if offset == "penalised" else 0.0)
    assert 0.5 * squares + C * loss.sum() == pytest.approx(found.certificate.primal_objective, rel=1e-10)


@pytest.mark.parametrize("C", [1e-2, 1.0, 1e3])
@pytest.mark.parametrize("offset", [True, False])
@pytest.mark.parametrize("name", SETS)
def test_joint_has_the_optimum_of_the_kernel_machine(name: str, offset: bool, C: float) -> None:
    X, y = SETS[name]
    found = solve(MulticlassLinear(X, y, loss="joint", C=C, offset="free" if offset else None), tol=1e-6)
    known = solve(CrammerSinger(X, y, C=2.0 * C, kernel=Linear(), offset=offset), tol=1e-5)
    assert found.status is known.status is Status.CONVERGED
    assert found.certificate.primal_objective <= 0.5 * known.certificate.primal_objective * (1 + 1e-6)
    assert found.certificate.primal_objective >= 0.5 * known.certificate.dual_objective * (1 - 1e-9)
    assert abs(found.bias.sum()) <= 1e-9 * max(1.0, np.abs(found.bias).max())


@pytest.mark.parametrize("C", [0.1, 10.0])
@pytest.mark.parametrize("offset", OFFSETS)
@pytest.mark.parametrize(("loss", "binary"), [("multinomial", "logistic"), ("joint", "hinge")])
def test_two_classes_are_the_binary_model_at_twice_the_price(loss: str, binary: str, offset: Any, C: float) -> None:
    X, y = make_classification(150, 6, flip_y=0.2, random_state=0)
    both = solve(MulticlassLinear(X, y, loss=loss, C=C, offset=offset), tol=1e-10)
    # Half of the two offsets' penalty: ½(b²/2) = ½(b/√2)², and the whole is halved.
    one = solve(PrimalProblem(X, y, loss=binary, C=2.0 * C, offset=offset), tol=1e-10)
    assert both.certificate.primal_objective == pytest.approx(0.5 * one.certificate.primal_objective, rel=1e-8)
    np.testing.assert_allclose(both.weights[1] - both.weights[0], one.weights, atol=1e-5)
    assert both.bias[1] - both.bias[0] == pytest.approx(one.bias, abs=1e-5)


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("width", [12, 1100])
def test_every_kind_of_rows(width: int, loss: str) -> None:
    rng = np.random.default_rng(4)
    dense = (rng.normal(size=(90, width)) * (rng.random((90, width)) < 0.3)).astype(np.float32)
    y = np.digitize(dense[:, 0] + dense[:, 1] + 0.3 * rng.normal(size=90), [-0.4, 0.4])
    narrow = sparse.csr_matrix(dense)
    long = narrow.copy()
    long.indices, long.indptr = long.indices.astype(np.int64), long.indptr.astype(np.int64)
    wanted = None
    for X in (dense, dense.astype(np.float64), narrow, long, narrow.astype(np.float64), long.astype(np.float64)):
        found = solve(MulticlassLinear(X, y, loss=loss, C=0.5), tol=1e-10)
        assert found.status is Status.CONVERGED
        wanted = found.weights if wanted is None else wanted
        np.testing.assert_allclose(found.weights, wanted, atol=2e-5)
        np.testing.assert_allclose(found.decision_function(X), dense @ found.weights.T + found.bias, atol=1e-5)


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("width", [20, 1100])
def test_same_bits_for_any_number_of_threads(loss: str, width: int) -> None:
    rng = np.random.default_rng(5)
    X = rng.normal(size=(30_000 // width + 800, width)).astype(np.float32)
    y = np.digitize(X[:, 0] + rng.normal(size=len(X)), [-1.0, 0.0, 1.0])
    before, answers = maxmargin.get_threads(), []
    try:
        for threads in (1, 2, 3):
            maxmargin.set_threads(threads)
            solution = solve(MulticlassLinear(X, y, loss=loss, C=1e-2), tol=1e-2)
            answers.append((solution.weights.tobytes(), solution.bias.tobytes(), solution.alpha.tobytes()))
    finally:
        maxmargin.set_threads(before)
    assert answers[0] == answers[1] == answers[2]


@pytest.mark.parametrize("loss", LOSSES)
def test_a_weight_of_two_is_the_row_twice(loss: str) -> None:
    X, y = SETS["blobs"]
    weight = np.arange(len(y)) % 3
    one = solve(MulticlassLinear(X, y, loss=loss, sample_weight=weight), tol=1e-11)
    other = solve(MulticlassLinear(np.repeat(X, weight, axis=0), np.repeat(y, weight), loss=loss), tol=1e-11)
    np.testing.assert_allclose(one.weights, other.weights, atol=1e-5)
    assert one.certificate.primal_objective == pytest.approx(other.certificate.primal_objective, rel=1e-10)


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("offset", OFFSETS)
def test_names_of_classes_and_order_of_rows_do_not_matter(offset: Any, loss: str) -> None:
    X, y = SETS["blobs"]
    rng = np.random.default_rng(1)
    order, names = rng.permutation(len(y)), rng.permutation(6)
    one = solve(MulticlassLinear(X, y, loss=loss, offset=offset), tol=1e-11)
    other = solve(MulticlassLinear(X[order], names[y][order], loss=loss, offset=offset), tol=1e-11)
    assert one.certificate.primal_objective == pytest.approx(other.certificate.primal_objective, rel=1e-10)
    np.testing.assert_allclose(one.weights, other.weights[names], atol=1e-4)


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("offset", OFFSETS)
@settings(max_examples=30)
@given(seed=st.integers(0, 10_000))
def test_any_two_points_bound_the_optimum(offset: Any, loss: str, seed: int) -> None:
    """Weak duality: no dual value is above any primal value."""
    rng = np.random.default_rng(seed)
    n, K = 12, 3
    y = np.arange(n) % K
    problem = MulticlassLinear(rng.normal(size=(n, 2)), y, loss=loss, C=2.0, offset=offset, sample_weight=None)
    alpha = rng.dirichlet(np.full(K, 0.3), size=n) * problem.cost[:, None]
    if offset == "free":  # the mean over the three orders of classes has level totals
        turned = [np.stack([alpha[(np.arange(n) + t) % n][i, (np.arange(K) + t) % K] for i in range(n)]) for t in range(n)]
        alpha = np.mean(turned, axis=0)
    found = certify_multiclass(problem, rng.normal(size=(K, 2)), rng.normal(size=K) * (offset is not None), alpha)
    assert np.isfinite(found.dual)
    assert found.infeasibility < 1e-12
    assert found.dual <= found.primal


def test_multipliers_outside_of_their_bounds_prove_nothing() -> None:
    problem = MulticlassLinear([[-1.0], [1.0]], [0, 1], loss="joint")
    w, b = np.array([[-0.5], [0.5]]), np.zeros(2)
    assert certify_multiclass(problem, w, b, np.array([[0.0, 2.0], [2.0, 0.0]])).dual == 0.0  # as all α = 0
    assert certify_multiclass(problem, w, b, np.array([[0.0, -0.1], [0.25, 0.0]])).dual == 0.0
    uneven = certify_multiclass(problem, w, b, np.array([[0.0, 0.5], [0.25, 0.0]]))
    assert uneven.infeasibility == pytest.approx(1 / 6)
    assert not uneven.is_optimal(1.0)


@pytest.mark.parametrize("loss", LOSSES)
def test_the_scale_of_a_penalised_offset(loss: str) -> None:
    """It is the weight of a constant feature of that value."""
    X, y = SETS["blobs"]
    one = solve(MulticlassLinear(X, y, loss=loss, offset="penalised", offset_scale=3.0), tol=1e-12)
    other = solve(MulticlassLinear(np.column_stack([X, np.full(len(X), 3.0)]), y, loss=loss, offset=None), tol=1e-12)
    np.testing.assert_allclose(one.bias, 3.0 * other.weights[:, -1], atol=1e-5)
    assert one.certificate.primal_objective == pytest.approx(other.certificate.primal_objective)


@pytest.mark.parametrize("offset", ["free", None])
def test_no_penalty_is_maximum_likelihood(offset: Any) -> None:
    X, y = make_blobs(200, 3, centers=6, cluster_std=8.0, random_state=0)
    found = solve(MulticlassLinear(X, y, penalty=None, offset=offset))
    assert found.status is Status.CONVERGED
    assert found.certificate.relative_gap < 1e-8
    f = found.decision_function(X)
    p = np.exp(f) / np.exp(f).sum(axis=1, keepdims=True)
    residual = p - np.eye(6)[y]
    np.testing.assert_allclose(X.T @ residual, 0.0, atol=1e-5)  # the likelihood's own condition
    if offset is not None:
        np.testing.assert_allclose(residual.sum(axis=0), 0.0, atol=1e-5)
    assert -np.log(p[np.arange(len(y)), y]).sum() == pytest.approx(found.certificate.primal_objective, rel=1e-10)


SEPARABLE = {
    "completely": ([[0.0], [1.0], [2.0], [3.0], [4.0], [5.0]], [0, 0, 1, 1, 2, 2]),
    "quasi": ([[0.0], [1.0], [1.0], [2.0], [2.0], [3.0]], [0, 0, 1, 1, 2, 2]),
    "one class": ([[0.0], [1.0], [0.0], [1.0], [9.0], [9.5]], [0, 0, 1, 1, 2, 2]),
}


@pytest.mark.parametrize("name", SEPARABLE)
@pytest.mark.parametrize("offset", ["free", None])
def test_separable_without_penalty(name: str, offset: Any) -> None:
    X, y = SEPARABLE[name]
    if offset is None:
        X = np.column_stack([X, np.ones(len(y))])
    with pytest.warns(ConvergenceWarning, match=r"SEPARABLE: .*penalty='l2'"):
        found = solve(MulticlassLinear(X, y, penalty=None, offset=offset))
    assert found.status is Status.SEPARABLE


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("C", [1e-300, 1e-6, 1e6])
def test_extreme_prices_end(loss: str, C: float) -> None:
    X, y = SETS["blobs"]
    found = solve(MulticlassLinear(X, y, loss=loss, C=C), tol=1e-3)
    assert found.status is Status.CONVERGED


def test_limits_and_callback() -> None:
    X, y = load_digits(return_X_y=True)
    problem = MulticlassLinear(X, y, loss="joint", C=10.0)
    with pytest.warns(ConvergenceWarning, match=r"ITERATION_LIMIT.*max_iter"):
        few = solve(problem, max_iter=3)
    assert few.status is Status.ITERATION_LIMIT
    assert few.steps == 3
    assert few.certificate.gap > 0
    with pytest.warns(ConvergenceWarning, match="TIME_LIMIT"):
        assert solve(problem, max_time=1e-6, tol=1e-12).status is Status.TIME_LIMIT
    X = np.random.default_rng(0).normal(size=(3000, 1200))
    wide = MulticlassLinear(X, np.arange(3000) % 5, C=1e3)  # stopped inside of a Newton system
    with pytest.warns(ConvergenceWarning, match="INTERRUPTED"):
        solve(wide, tol=1e-15, callback=lambda progress: True)
    with pytest.warns(ConvergenceWarning, match="INTERRUPTED"):
        stopped = solve(problem, tol=1e-13, callback=lambda progress: progress.steps >= 0)
    assert stopped.status is Status.INTERRUPTED
    assert np.isfinite(stopped.certificate.primal_objective)
    with pytest.raises(InvalidInput, match="'callback' parameter of solve"):
        solve(problem, callback=3)


def test_ctrl_c_keeps_what_there_is() -> None:
    X, y = load_digits(return_X_y=True)
    problem = MulticlassLinear(X, y, loss="joint", C=1e5)
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background job ignores it
    try:
        presses = threading.Timer(0.2, lambda: os.kill(os.getpid(), signal.SIGINT))
        presses.start()
        with pytest.raises(FitInterrupted, match="Interrupted after") as caught:
            solve(problem, tol=1e-14, max_time=30.0)
        presses.join()
    finally:
        signal.signal(signal.SIGINT, before)
    assert caught.value.solution.status is Status.INTERRUPTED
    assert np.isfinite(caught.value.solution.certificate.gap)


@pytest.mark.parametrize(
    ("settings_", "message"),
    [
        ({"loss": "hinge"}, "The 'loss' parameter of MulticlassLinear must be a str among {'multinomial', 'joint'}"),
        (
            {"penalty": "ball"},
            "The 'penalty' parameter of MulticlassLinear must be a str among {'l2', 'l1', 'elasticnet'} or None",
        ),
        ({"penalty": "l1", "loss": "joint"}, "penalty='l1' goes with the multinomial loss only"),
        ({"penalty": "elasticnet"}, "The 'l1_ratio' parameter of MulticlassLinear"),
        ({"l1_ratio": 0.5}, "The 'l1_ratio' parameter of MulticlassLinear must be None where the penalty is not 'elasticnet'"),
        ({"penalty": None, "loss": "joint"}, "Without a penalty only the multinomial loss"),
        ({"offset": "no"}, "The 'offset' parameter of MulticlassLinear"),
        ({"offset_scale": 2.0}, "'offset_scale' parameter of MulticlassLinear must be 1.0 where the offset is not penalised"),
        ({"C": 0.0}, "The 'C' parameter of MulticlassLinear"),
    ],
)
def test_refused_problems(settings_: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidInput) as error:
        MulticlassLinear([[-1.0], [0.0], [1.0]], [0, 1, 2], **settings_)
    assert message in str(error.value)


def test_other_refusals() -> None:
    problem = MulticlassLinear([[-1.0], [0.0], [1.0]], [0, 1, 2])
    with pytest.raises(
        InvalidInput, match=r"'solver' parameter must be one of 'auto', 'newton', or a MulticlassSolver .* Got SMO"
    ):
        solve(problem, solver=SMO())
    with pytest.raises(
        InvalidInput,
        match=r"MulticlassDescent cannot solve MulticlassLinear: .*joint loss.*'multinomial'\. Take MulticlassNewton",
    ):
        solve(problem, solver="coordinate_descent")
    with pytest.raises(AttributeError, match="MulticlassLinear is frozen"):
        problem.cost = np.ones(3)
    found = solve(problem, solver=MulticlassNewton())
    with pytest.raises(InvalidInput, match="X has 2 features, but the model has 1"):
        found.decision_function([[1.0, 2.0]])
    parts = (problem.X, problem.codes, problem.classes, np.ones(2), ClassLoss.JOINT, Penalty.L2, Offset.FREE)
    with pytest.raises(InvalidInput, match="Got 3 rows, 3 labels and 2 costs"):
        MulticlassLinear.on(*parts)
