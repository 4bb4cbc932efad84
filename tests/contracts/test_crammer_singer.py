"""All classes at once: the same optimum as a general QP, and for two classes the binary binary classifier."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.optimize import linprog
from sklearn.datasets import load_iris, load_wine, make_blobs
from sklearn.preprocessing import StandardScaler

from maxmargin import SVC, get_threads, problems, set_threads, solve
from maxmargin.errors import IndefiniteKernelWarning, InfeasibleError, InvalidInput
from maxmargin.kernels import RBF, Linear, Polynomial, Sigmoid
from maxmargin.solution import Status, certify_crammer_singer
from maxmargin.solvers import SMO, CrammerSingerDescent
from maxmargin.solvers._multiclass._crammer_singer_finish import best_offsets

from .._data import load
from ._registry import least_of_all_classes_dual

KERNELS = {"linear": Linear(), "rbf": RBF(gamma=0.2), "quadratic": Polynomial(degree=2, gamma=0.1, coef0=1.0)}


def _four_blobs() -> tuple[np.ndarray, np.ndarray]:
    return make_blobs(60, 3, centers=4, cluster_std=2.0, random_state=0)


DATA = {
    "iris": lambda: load_iris(return_X_y=True),
    "wine": lambda: load_wine(return_X_y=True),
    "four blobs": _four_blobs,
}


def _rows(name: str) -> tuple[np.ndarray, np.ndarray]:
    X, y = DATA[name]()
    return StandardScaler().fit_transform(X), y


@pytest.mark.parametrize("offset", [True, False], ids=["offset", "no offset"])
@pytest.mark.parametrize("C", [0.1, 1.0, 10.0])
@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("data", DATA)
def test_same_optimum_as_a_general_solver(data: str, kernel: str, C: float, offset: bool) -> None:
    X, y = _rows(data)
    problem = problems.CrammerSinger(X, y, C=C, kernel=KERNELS[kernel], offset=offset)
    solution = solve(problem, tol=1e-9)
    assert solution.status is Status.CONVERGED
    assert solution.certificate.relative_gap <= 1e-9
    best = least_of_all_classes_dual(KERNELS[kernel](X), y, np.full(len(y), C), offset=offset)
    assert solution.certificate.dual_objective == pytest.approx(best, rel=1e-7)
    assert abs(solution.bias.sum()) <= 1e-9
    assert offset or not solution.bias.any()

    # the primal again, from the public scores and coefficients alone
    f, K = solution.decision_function(X), KERNELS[kernel](X)
    a = np.zeros((len(y), f.shape[1]))
    a[solution.support] = solution.coefficients
    behind = f + 1.0
    behind[np.arange(len(y)), y] -= 1.0
    slack = behind.max(axis=1) - f[np.arange(len(y)), y]
    primal = float(np.einsum("ik,ij,jk->", a, K, a)) + C * slack.sum()
    assert solution.certificate.primal_objective == pytest.approx(primal, rel=1e-9)


@pytest.mark.parametrize("C", [0.1, 2.0, 100.0])
def test_two_classes_are_the_binary_machine(C: float) -> None:
    X, y = _rows("iris")
    X, y = X[50:], y[50:]
    joint = solve(problems.CrammerSinger(X, y, C=C, kernel=RBF(gamma=0.5)), tol=1e-9)
    binary = solve(problems.SoftMargin(X, y, C=C, kernel=RBF(gamma=0.5)), tol=1e-9)
    assert joint.certificate.dual_objective == pytest.approx(binary.certificate.dual_objective, rel=1e-9)
    scores = joint.decision_function(X)
    np.testing.assert_allclose(scores[:, 1] - scores[:, 0], binary.decision_function(X), atol=1e-8)


def test_the_middle_of_optimal_offsets() -> None:
    # At a small C every coefficient is at its bound, and the offsets have some room.
    X, y = [[-3.0], [-1.0], [1.0], [3.0]], [0, 0, 1, 1]
    joint = solve(problems.CrammerSinger(X, y, C=0.01, kernel=Linear()))
    binary = solve(problems.SoftMargin(X, y, C=0.01, kernel=Linear()))
    assert binary.bias_interval[1] - binary.bias_interval[0] > 1.0
    assert joint.bias[1] - joint.bias[0] == pytest.approx(binary.bias, abs=1e-12)


@given(slopes=arrays(np.float64, (6, 4), elements=st.floats(-8, 8)), rises=arrays(np.bool_, (6, 4)))
def test_offsets_violate_least(slopes: np.ndarray, rises: np.ndarray) -> None:
    """No offsets have less violation: the minimum is a linear program, here by HiGHS."""
    rises[0] = True  # what has no row to rise in has no cost
    found = best_offsets(slopes, rises)
    row, up, down = (index.ravel() for index in np.indices((6, 4, 4)))
    some = rises[row, up] & (up != down)
    row, up, down = row[some], up[some], down[some]
    violation = slopes[row, down] + found[down] - slopes[row, up] - found[up]
    A = np.zeros((len(row), 5))
    A[np.arange(len(row)), down], A[np.arange(len(row)), up], A[:, 4] = 1.0, -1.0, -1.0
    least = linprog([0, 0, 0, 0, 1], A, slopes[row, up] - slopes[row, down], bounds=[(None, None)] * 4 + [(0, None)]).fun
    assert max(violation.max(), 0.0) == pytest.approx(least, abs=1e-6)
    assert abs(found.sum()) <= 1e-12


def test_without_slack() -> None:
    X, y = make_blobs(60, 2, centers=3, cluster_std=0.5, random_state=1)
    hard = solve(problems.CrammerSinger(X, y, C=np.inf, kernel=Linear()), tol=1e-8)
    assert hard.status is Status.CONVERGED
    f = hard.decision_function(X)
    own = f[np.arange(60), y].copy()
    f[np.arange(60), y] = -np.inf
    assert (own - f.max(axis=1)).min() == pytest.approx(1.0, abs=1e-8)
    soft = solve(problems.CrammerSinger(X, y, C=10.0, kernel=Linear()), tol=1e-8)
    assert hard.certificate.dual_objective == pytest.approx(soft.certificate.dual_objective, rel=1e-8)


@pytest.mark.parametrize("kernel", KERNELS)
def test_weights_and_absent_rows(kernel: str) -> None:
    X, y = _rows("wine")
    weight = np.random.default_rng(0).integers(0, 3, len(y)).astype(float)
    weighted = solve(problems.CrammerSinger(X, y, kernel=KERNELS[kernel], sample_weight=weight))
    rows = np.repeat(np.arange(len(y)), weight.astype(int))
    repeated = solve(problems.CrammerSinger(X[rows], y[rows], kernel=KERNELS[kernel]))
    assert weighted.certificate.dual_objective == pytest.approx(repeated.certificate.dual_objective, rel=1e-9)
    np.testing.assert_allclose(weighted.decision_function(X), repeated.decision_function(X), atol=1e-8)


def test_any_offsets_bound_the_optimum_from_above() -> None:
    X, y = _rows("iris")
    problem = problems.CrammerSinger(X, y)
    solution = solve(problem)
    beta = np.zeros((len(y), 3))
    beta[solution.support] = 2.0 * solution.coefficients
    moved = certify_crammer_singer(problem, beta, solution.bias + np.array([0.3, 0.0, -0.3]))
    assert moved.primal > solution.certificate.primal_objective
    assert moved.dual == pytest.approx(solution.certificate.dual_objective)
    assert moved.kkt_violation > 0.1


@pytest.mark.parametrize("name", ["letter", "usps"])
def test_about_as_accurate_as_pairs(name: str) -> None:
    data = load(name, 2000)
    half = len(data.y) // 2
    train, test = slice(0, half), slice(half, None)
    gamma = 1.0 if name == "letter" else 1 / 64
    scores = [
        SVC(C=10.0, gamma=gamma, multi_class=kind, tol=1e-2).fit(data.X[train], data.y[train]).score(data.X[test], data.y[test])
        for kind in ("ovo", "joint")
    ]
    assert scores[1] >= scores[0] - 0.01


@pytest.mark.parametrize("C", [1.0, 10.0])
def test_many_classes(C: float) -> None:
    """Too many free coefficients for the finish: the search proves its gap at totals of exactly 0."""
    data = load("letter", 2000)
    problem = problems.CrammerSinger(data.X, data.y, C=C, kernel=RBF(gamma=1.0))
    for tol in (1e-3, 1e-5):
        solution = solve(problem, tol=tol)
        assert solution.status is Status.CONVERGED
        assert 0.0 < solution.certificate.relative_gap <= tol
        assert np.abs(solution.coefficients.sum(axis=0)).max() <= 1e-12 * np.abs(solution.coefficients).sum()
        assert solution.certificate.kkt_violation <= 20 * tol


def test_more_classes_than_rows_in_memory() -> None:
    X = np.random.default_rng(0).normal(size=(300, 5))
    solution = solve(problems.CrammerSinger(X, np.arange(300) % 100), solver=CrammerSingerDescent(cache_size=0.001))
    assert solution.status is Status.CONVERGED


def test_a_kernel_that_sees_nothing() -> None:
    y = np.repeat([0, 1, 2], [20, 7, 3])
    solution = solve(problems.CrammerSinger(np.zeros((30, 2)), y, kernel=Linear()))
    assert solution.status is Status.CONVERGED
    assert solution.certificate.primal_objective == pytest.approx(20.0)  # all are put in the largest class; others pay 2
    np.testing.assert_allclose(solution.bias, [2 / 3, -1 / 3, -1 / 3], atol=1e-9)


def test_same_bits_for_any_threads() -> None:
    before = get_threads()
    data = load("letter", 1500)
    wine = _rows("wine")
    try:
        found = []
        for threads in (1, 2):
            set_threads(threads)
            for X, y, gamma in ((data.X, data.y, 1.0), (*wine, 0.1)):
                solution = solve(problems.CrammerSinger(X, y, C=10.0, kernel=RBF(gamma=gamma)))
                found.append((solution.coefficients.tobytes(), solution.bias.tobytes()))
    finally:
        set_threads(before)
    assert found[:2] == found[2:]


def test_a_budget_is_kept() -> None:
    X, y = _rows("wine")
    with pytest.warns(UserWarning, match="ITERATION_LIMIT"):
        solution = solve(problems.CrammerSinger(X, y, C=100.0), max_iter=10)
    assert solution.status is Status.ITERATION_LIMIT
    assert solution.steps <= 10
    seen = []
    stopped = solve(problems.CrammerSinger(X, y, C=1e6, kernel=Linear()), tol=1e-12, max_time=0.3, callback=seen.append)
    assert stopped.status in (Status.TIME_LIMIT, Status.STALLED, Status.CONVERGED)


def test_other_solvers_are_refused() -> None:
    problem = problems.CrammerSinger([[0.0], [1.0], [2.0]], [0, 1, 2])
    with pytest.raises(InvalidInput, match="CrammerSingerDescent"):
        solve(problem, solver=SMO())
    with pytest.raises(InvalidInput, match="solver of its own"):
        SVC(multi_class="joint", solver="smo").fit([[0.0], [1.0], [2.0]], [0, 1, 2])


def test_without_slack_classes_that_cannot_be_told_apart_are_proven_so() -> None:
    X, y = [[0.0], [2.0], [1.0], [5.0]], [0, 0, 1, 2]
    with pytest.raises(InfeasibleError, match="no scores put every row in its own class") as error:
        SVC(C=np.inf, kernel="linear", multi_class="joint").fit(X, y)
    assert error.value.solution.proof is not None
    assert SVC(C=np.inf, kernel="linear", multi_class="joint").fit([[0.0], [0.5], [2.0], [5.0]], y).status_ is Status.CONVERGED


@pytest.mark.parametrize("bad", [{"callback": 3}, {"throw": "yes"}, {"tol": -1.0}, {"max_iter": 1.5}, {"max_time": 0.0}])
def test_bad_options_get_messages(bad: dict[str, Any]) -> None:
    problem = problems.CrammerSinger([[0.0], [1.0], [2.0]], [0, 1, 2])
    with pytest.raises(InvalidInput, match=f"The '{next(iter(bad))}' parameter of solve must be"):
        solve(problem, **bad)


@pytest.mark.parametrize("C", [1.0, 100.0])
def test_an_indefinite_kernel_has_no_gap(C: float) -> None:
    """At a stationary point the two objectives agree whatever the matrix: that proves nothing."""
    X, y = _rows("wine")
    kernel = Sigmoid(gamma=0.5, coef0=-0.5)
    with pytest.warns(IndefiniteKernelWarning, match="not positive semidefinite"):
        model = SVC(kernel=kernel, C=C, multi_class="joint").fit(X, y)
    assert model.status_ is Status.INDEFINITE
    assert np.isnan(model.certificate_.gap)
    assert model.fit_status_ == 1


def test_more_digits_where_the_judge_finds_too_few() -> None:
    """Kernel values in float32 are off by more than this tolerance at such a cost."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 6))
    y = rng.integers(0, 3, 400)
    assert SVC(C=1e7, gamma=0.5, multi_class="joint", tol=0.1).fit(X, y).status_ is Status.CONVERGED


def test_the_finish_leaves_bounds_by_the_multipliers_of_the_face() -> None:
    """Offsets that violate least are no multipliers: by them it let go of what was driven back at once, and ended far away."""
    X, y = make_blobs(110, 1, centers=3, cluster_std=3.0, random_state=0)
    model = SVC(kernel="poly", degree=4, gamma=0.3, coef0=1.0, C=5.0, multi_class="joint").fit(X, y)
    assert model.status_ is Status.CONVERGED
