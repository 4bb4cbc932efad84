"""Steps of single rows for all classes at once: the same optimum as Newton's, the same bits, and limits that are kept."""

from __future__ import annotations

import os
import signal
import threading
import time
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import sparse
from sklearn.datasets import load_digits, load_iris, make_blobs

import maxmargin
from maxmargin import LinearSVC, solve
from maxmargin.errors import ConvergenceWarning, FitInterrupted
from maxmargin.kernels import Linear
from maxmargin.problems import CrammerSinger, MulticlassLinear
from maxmargin.solution import Status
from maxmargin.solvers import MulticlassDescent

OFFSETS = ["free", "penalised", None]


def _words(n: int, d: int, classes: int, seed: int = 0) -> tuple[sparse.csr_matrix, NDArray[np.int64]]:
    """Rows like texts: few of many features, of length 1, more of some of them in each class."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, classes, n)
    common = rng.zipf(1.3, size=(n, 30)) % d
    own = (rng.integers(0, d // 20, size=(n, 6)) * classes + y[:, None]) % d
    columns = np.hstack([common, own])
    X = sparse.csr_matrix((rng.random(columns.size), (np.repeat(np.arange(n), 36), columns.ravel())), shape=(n, d))
    X = sparse.csr_matrix(sparse.diags(1.0 / np.sqrt(np.asarray(X.multiply(X).sum(axis=1)).ravel())) @ X)
    y[rng.random(n) < 0.1] = 0
    return X, y


WORDS = _words(600, 2500, 5)
SETS: dict[str, tuple[Any, Any]] = {
    "iris": load_iris(return_X_y=True),
    "blobs": make_blobs(90, 3, centers=6, cluster_std=3.0, random_state=0),
    "uneven": (np.random.default_rng(0).normal(size=(60, 2)), np.r_[np.zeros(50), np.ones(8), [2, 3]]),
    "words": WORDS,
}


@pytest.mark.parametrize("C", [1e-2, 1.0, 10.0])
@pytest.mark.parametrize("offset", OFFSETS)
@pytest.mark.parametrize("name", SETS)
def test_the_optimum_is_the_kernel_machines(name: str, offset: Any, C: float) -> None:
    X, y = SETS[name]
    found = solve(MulticlassLinear(X, y, loss="joint", C=C, offset=offset), tol=1e-6, solver=MulticlassDescent())
    assert found.status is Status.CONVERGED
    assert found.certificate.relative_gap <= 1e-6
    if offset == "penalised":  # the weight of a constant feature
        X = (
            sparse.hstack([X, np.ones((len(y), 1))], format="csr")
            if sparse.issparse(X)
            else np.column_stack([X, np.ones(len(y))])
        )
    known = solve(CrammerSinger(X, y, C=2.0 * C, kernel=Linear(), offset=offset == "free"), tol=1e-6)
    assert found.certificate.primal_objective <= 0.5 * known.certificate.primal_objective * (1 + 1e-6)
    assert found.certificate.primal_objective >= 0.5 * known.certificate.dual_objective * (1 - 1e-9)
    if offset == "free":
        assert abs(found.bias.sum()) <= 1e-9 * max(1.0, np.abs(found.bias).max())


@pytest.mark.parametrize("scale", [1e-3, 0.5, 30.0])
def test_the_scale_of_a_penalised_offset(scale: float) -> None:
    X, y = SETS["blobs"]
    problem = MulticlassLinear(X, y, loss="joint", offset="penalised", offset_scale=scale)
    found, known = (solve(problem, tol=1e-6, solver=solver) for solver in ("coordinate_descent", "newton"))
    assert found.status is known.status is Status.CONVERGED
    assert found.certificate.primal_objective == pytest.approx(known.certificate.primal_objective, rel=2e-6)


@pytest.mark.parametrize("tol", [1e-2, 1e-4, 1e-8])
def test_wide_rows_end_in_sweeps(tol: float) -> None:
    """Newton's method hands them over; small problems it solves to more digits."""
    problem = MulticlassLinear(*_words(1500, 2500, 7), loss="joint")
    found = solve(problem, tol=tol)
    assert found.status is Status.CONVERGED
    assert found.certificate.relative_gap <= tol
    if tol >= 1e-4:
        swept = solve(problem, tol=tol, solver=MulticlassDescent())
        assert swept.weights.tobytes() == found.weights.tobytes()


def test_newton_goes_on_where_sweeps_are_slow() -> None:
    rng = np.random.default_rng(3)
    X = rng.normal(size=(300, 1030)) * np.r_[30.0, 10.0, np.full(1028, 0.01)]
    y = np.digitize(X[:, 0] + 30.0 * rng.normal(size=300), [-15.0, 15.0])
    problem = MulticlassLinear(X, y, loss="joint", C=100.0)
    with pytest.warns(ConvergenceWarning, match="ITERATION_LIMIT"):
        sweeps = solve(problem, tol=1e-6, solver=MulticlassDescent(), max_iter=400)
    found = solve(problem, tol=1e-6)
    assert sweeps.certificate.relative_gap > 0.1
    assert found.status is Status.CONVERGED


def test_same_bits_for_any_number_of_threads() -> None:
    X, y = _words(4000, 3000, 7)
    before, answers = maxmargin.get_threads(), []
    try:
        for threads in (1, 2, 3):
            maxmargin.set_threads(threads)
            solution = solve(MulticlassLinear(X, y, loss="joint"), tol=1e-3, solver="coordinate_descent")
            answers.append((solution.weights.tobytes(), solution.bias.tobytes(), solution.alpha.tobytes()))
    finally:
        maxmargin.set_threads(before)
    assert answers[0] == answers[1] == answers[2]


def test_every_kind_of_rows() -> None:
    narrow = WORDS[0].astype(np.float32)
    long = narrow.copy()
    long.indices, long.indptr = long.indices.astype(np.int64), long.indptr.astype(np.int64)
    kinds = [narrow, long, narrow.astype(np.float64), long.astype(np.float64), narrow.toarray(), narrow.toarray().astype(float)]
    values = [
        solve(MulticlassLinear(X, WORDS[1], loss="joint"), tol=1e-5, solver="coordinate_descent").certificate.primal_objective
        for X in kinds
    ]
    np.testing.assert_allclose(values, values[0], rtol=1e-5)


@pytest.mark.parametrize("C", [1e-300, 1e-6, 1e3])
def test_extreme_prices_end(C: float) -> None:
    assert solve(MulticlassLinear(*WORDS, loss="joint", C=C), tol=1e-3).status is Status.CONVERGED


def test_limits_and_callback() -> None:
    problem = MulticlassLinear(*load_digits(return_X_y=True), loss="joint", C=10.0)
    with pytest.warns(ConvergenceWarning, match=r"ITERATION_LIMIT.*max_iter"):
        few = solve(problem, max_iter=7, solver="coordinate_descent")
    assert few.steps == 7
    assert few.certificate.gap > 0
    start = time.perf_counter()
    with pytest.warns(ConvergenceWarning, match="TIME_LIMIT"):
        solve(problem, max_time=0.2, tol=1e-12, solver="coordinate_descent")
    assert time.perf_counter() - start < 1.0
    with pytest.warns(ConvergenceWarning, match="INTERRUPTED"):
        solve(problem, tol=1e-13, solver="coordinate_descent", callback=lambda progress: True)


def test_ctrl_c_keeps_what_there_is() -> None:
    problem = MulticlassLinear(*load_digits(return_X_y=True), loss="joint", C=1e5)
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background job ignores it
    try:
        presses = threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT))
        presses.start()
        with pytest.raises(FitInterrupted, match="Interrupted after") as caught:
            solve(problem, tol=1e-14, max_time=30.0, solver=MulticlassDescent())
        presses.join()
    finally:
        signal.signal(signal.SIGINT, before)
    assert caught.value.solution.status is Status.INTERRUPTED
    assert np.isfinite(caught.value.solution.certificate.gap)


@pytest.mark.filterwarnings("ignore::maxmargin.errors.FeatureScaleWarning")
def test_by_name_from_the_estimator() -> None:
    problem = MulticlassLinear(*WORDS, loss="joint")
    named, given = solve(problem, solver="coordinate_descent"), solve(problem, solver=MulticlassDescent())
    np.testing.assert_array_equal(named.weights, given.weights)
    model = LinearSVC(multi_class="crammer_singer", solver="coordinate_descent").fit(*WORDS)
    assert model.status_ is Status.CONVERGED
    assert model.score(*WORDS) > 0.8
