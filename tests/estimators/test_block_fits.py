"""Fits to rows that come in blocks: the optimum of rows in memory, the same bits on any number of threads, honest endings."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from itertools import product
from typing import Any

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import load_breast_cancer, load_digits, load_iris
from sklearn.exceptions import ConvergenceWarning
from sklearn.preprocessing import StandardScaler

from maxmargin import LinearClassifier, LinearSVC, LinearSVR, LogisticRegression, RowBlocks, get_threads, set_threads
from maxmargin.errors import FitInterrupted, InvalidInput
from maxmargin.solution import Status

from .._data import DataSet

RNG = np.random.default_rng(5)


def generated(n: int = 3000, d: int = 8) -> tuple[Any, Any]:
    rng = np.random.default_rng(11)
    X = rng.normal(size=(n, d)).astype(np.float32)
    return X, X @ rng.normal(size=d) + rng.normal(size=n) > 0.3


def cancer() -> tuple[Any, Any]:
    X, y = load_breast_cancer(return_X_y=True)
    return StandardScaler().fit_transform(X), y


def words() -> tuple[Any, Any]:
    rng = np.random.default_rng(0)
    X = sparse.random(400, 1500, density=0.02, format="csr", random_state=1)
    return X, np.asarray(X @ rng.normal(size=1500) > 0.0)


DATA: dict[str, Callable[[], tuple[Any, Any]]] = {
    "generated": generated,
    "cancer": cancer,
    "iris": lambda: load_iris(return_X_y=True),
    "digits": lambda: load_digits(return_X_y=True),
    "words": words,  # more columns than a matrix is made for
}
MODELS: dict[str, Callable[..., Any]] = {
    "squared hinge": LinearSVC,
    "hinge": lambda **how: LinearSVC(loss="hinge", **how),
    "logistic": lambda **how: LogisticRegression(multi_class="ovr", **{"max_iter": 1000, **how}),
}


PENALTIES: list[dict[str, Any]] = [
    {},
    {"penalty": "l1"},
    {"penalty": "elasticnet", "l1_ratio": 0.5},
    {"penalty": "ball", "B": 1.0},
]


def same_optimum(one: Any, other: Any, tol: float = 1e-4) -> None:
    """Neither claims more than the other disproves: each bound is below the other objective."""
    assert one.status_ is Status.CONVERGED
    assert other.status_ is Status.CONVERGED
    assert -1e-12 <= one.certificate_.relative_gap <= tol  # below 0 by rounding
    a, b = one.certificate_, other.certificate_
    assert a.dual_objective <= b.primal_objective * (1.0 + 1e-9)
    assert b.dual_objective <= a.primal_objective * (1.0 + 1e-9)


@pytest.mark.parametrize("data", DATA)
@pytest.mark.parametrize("name", MODELS)
def test_the_optimum_is_that_of_rows_in_memory(name: str, data: str) -> None:
    X, y = DATA[data]()
    blocks = RowBlocks.from_arrays(X, y, batch_size=X.shape[0] // 5)
    model, whole = MODELS[name]().fit(blocks), MODELS[name]().fit(X, y)
    same_optimum(model, whole)
    np.testing.assert_array_equal(model.classes_, whole.classes_)
    np.testing.assert_array_equal(model.predict(blocks), model.predict(X))
    np.testing.assert_allclose(model.decision_function(blocks), model.decision_function(X))
    assert model.score(blocks) == model.score(X, y)
    assert model.coef_.shape == whole.coef_.shape


@pytest.mark.parametrize("C", [0.01, 100.0])
@pytest.mark.parametrize("name", MODELS)
def test_other_costs(name: str, C: float) -> None:
    X, y = cancer()
    model = MODELS[name](C=C, tol=1e-6).fit(RowBlocks.from_arrays(X, y, batch_size=100))
    same_optimum(model, MODELS[name](C=C, tol=1e-6).fit(X, y), 1e-6)


@pytest.mark.parametrize("file", ["a9a", "w7a"])
@pytest.mark.parametrize("name", MODELS)
def test_public_sets(name: str, file: str, data_set: Callable[[str], DataSet]) -> None:
    data = data_set(file)
    model = MODELS[name]().fit(RowBlocks.from_arrays(data.X, data.y, batch_size=700))
    same_optimum(model, MODELS[name]().fit(data.X, data.y))


@pytest.mark.parametrize(
    "how",
    [
        {"fit_intercept": False},
        {"penalise_intercept": True},
        {"intercept_scaling": 3.0},
        {"class_weight": "balanced"},
        {"class_weight": {False: 3.0}},
    ],
)
@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
def test_offsets_and_weights_of_classes(loss: str, how: dict[str, Any]) -> None:
    X, y = generated()
    model, whole = (LinearSVC(loss=loss, **how).fit(*rows) for rows in ((RowBlocks.from_arrays(X, y, batch_size=500),), (X, y)))
    same_optimum(model, whole)
    np.testing.assert_allclose(model.class_weight_, whole.class_weight_)


@pytest.mark.parametrize("name", MODELS)
def test_weights_count_rows(name: str) -> None:
    """A weight of 2 is the row twice, one of 0 the row absent; a block may lose all its rows."""
    X, y = generated(1000)
    weight = RNG.integers(0, 3, size=1000)
    weight[200:300] = 0
    model = MODELS[name](tol=1e-7).fit(RowBlocks.from_arrays(X, y, weight, batch_size=100))
    rows = np.repeat(np.arange(1000), weight)
    same_optimum(model, MODELS[name](tol=1e-7).fit(X[rows], y[rows]), 1e-7)


@pytest.mark.parametrize("name", MODELS)
def test_columns_that_are_far_from_0(name: str) -> None:
    X, y = generated()
    far = X.astype(np.float64) + np.array([1e7, 0.0, -1e5, 0.0, 0.0, 0.0, 0.0, 0.0])
    model = MODELS[name](tol=1e-6).fit(RowBlocks.from_arrays(far, y, batch_size=500))
    near = MODELS[name](tol=1e-6).fit(RowBlocks.from_arrays(X.astype(np.float64), y, batch_size=500))
    same_optimum(model, near, 1e-6)
    np.testing.assert_allclose(model.coef_, near.coef_, atol=1e-3)


@pytest.mark.parametrize("name", MODELS)
def test_the_same_bits_on_any_number_of_threads(name: str) -> None:
    X, y = generated(20_000)
    before, found = get_threads(), []
    try:
        for threads in (1, 2, 3):
            set_threads(threads)
            model = MODELS[name]().fit(RowBlocks.from_arrays(X, y, batch_size=6000))
            found.append((model.coef_.tobytes(), model.intercept_.tobytes(), model.certificate_))
    finally:
        set_threads(before)
    assert found[0] == found[1] == found[2]


@pytest.mark.parametrize("name", MODELS)
def test_other_blockings_are_within_the_certificates(name: str) -> None:
    X, y = generated()
    fits = [MODELS[name]().fit(RowBlocks.from_arrays(X, y, batch_size=size)) for size in (100, 999, 3000)]
    same_optimum(fits[0], fits[1])
    same_optimum(fits[0], fits[2])


def test_several_classes_share_passes() -> None:
    X, y = load_digits(return_X_y=True)
    blocks = RowBlocks.from_arrays(X, y, batch_size=300)
    LinearSVC().fit(blocks)
    alone = []
    for k in range(10):
        own = RowBlocks.from_arrays(X, y == k, batch_size=300)
        LinearSVC().fit(own)
        alone.append(own.n_passes)
    assert blocks.n_passes < 0.5 * sum(alone)


def test_a_warm_start_is_shorter() -> None:
    X, y = generated()
    blocks = RowBlocks.from_arrays(X, y, batch_size=500)
    model = LinearSVC(warm_start=True).fit(blocks)
    first, before = model.n_iter_, blocks.n_passes
    model.set_params(C=1.1).fit(blocks)
    assert model.status_ is Status.CONVERGED
    assert model.n_iter_ < first
    assert blocks.n_passes - before < before


@pytest.mark.parametrize("own", [{}, {"fit_intercept": False}, {"penalise_intercept": True}])
@pytest.mark.parametrize(
    ("loss", "penalty"),
    [
        *product(["squared_hinge", "logistic", "squared"], PENALTIES),
        *product(["exponential"], [PENALTIES[0], PENALTIES[3]]),  # in memory it has no others
    ],
)
def test_losses_and_penalties(loss: str, penalty: dict[str, Any], own: dict[str, Any]) -> None:
    X, y = cancer()
    model = LinearClassifier(loss=loss, **penalty, **own, tol=1e-5).fit(RowBlocks.from_arrays(X, y, batch_size=100))
    whole = LinearClassifier(loss=loss, **penalty, **own, tol=1e-5).fit(X, y)
    same_optimum(model, whole, 1e-5)
    if penalty.get("penalty") == "l1":
        np.testing.assert_array_equal(model.coef_ == 0.0, np.abs(whole.coef_) < 1e-9)


@pytest.mark.parametrize("own", [{}, {"fit_intercept": False}, {"penalise_intercept": True}])
@pytest.mark.parametrize("loss", ["epsilon_insensitive", "squared_epsilon_insensitive"])
def test_regression(loss: str, own: dict[str, Any]) -> None:
    X, _ = generated()
    rng = np.random.default_rng(1)
    target = X @ rng.normal(size=8) + 0.3 * rng.normal(size=3000) + (1e4 if not own else 0.0)
    weight = rng.integers(0, 3, size=3000)
    blocks = RowBlocks.from_arrays(X, target, weight, batch_size=400)
    model, whole = LinearSVR(loss=loss, epsilon=0.1, **own), LinearSVR(loss=loss, epsilon=0.1, **own)
    same_optimum(model.fit(blocks), whole.fit(X, target, weight))
    np.testing.assert_array_equal(model.predict(blocks), model.predict(X))
    assert model.score(blocks) == model.score(X, target, weight)


# Endings.


def slow_blocks(seconds: float) -> Iterator[Any]:
    X, y = generated()
    for begin in range(0, 3000, 300):
        time.sleep(seconds)
        yield X[begin : begin + 300], y[begin : begin + 300]


def slow(seconds: float) -> RowBlocks:
    return RowBlocks.from_callable(lambda: slow_blocks(seconds), cache_size=1e-9)


@pytest.mark.parametrize("name", MODELS)
def test_a_limit_of_rounds(name: str) -> None:
    X, y = generated()
    with pytest.warns(ConvergenceWarning, match="ITERATION_LIMIT"):
        model = MODELS[name](max_iter=2, tol=1e-9).fit(RowBlocks.from_arrays(X, y, batch_size=500))
    found, best = model.certificate_, MODELS[name](tol=1e-7).fit(X, y).certificate_
    assert found.dual_objective <= best.primal_objective * (1.0 + 1e-9)
    assert found.primal_objective >= best.dual_objective * (1.0 - 1e-9)
    assert found.primal_objective > best.primal_objective


@pytest.mark.alone
@pytest.mark.parametrize("seconds", [0.02, 0.3, 1.0])
def test_a_limit_of_time(seconds: float) -> None:
    blocks = slow(0.01)
    blocks.look()
    begun = time.perf_counter()
    with pytest.warns(ConvergenceWarning, match="TIME_LIMIT"):
        model = LinearSVC(loss="hinge", tol=1e-12, max_time=seconds).fit(blocks)
    assert time.perf_counter() - begun < seconds + 0.3
    X, y = generated()
    best = LinearSVC(loss="hinge", tol=1e-6).fit(X, y).certificate_
    assert model.certificate_.dual_objective <= best.primal_objective
    assert model.certificate_.primal_objective >= best.dual_objective


def after(seconds: float, fit: Callable[[], Any]) -> tuple[FitInterrupted, float]:
    """Ctrl-C so long after the beginning; how long the answer took."""
    sent = []

    def send() -> None:
        time.sleep(seconds)
        sent.append(time.perf_counter())
        os.kill(os.getpid(), signal.SIGINT)

    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    thread = threading.Thread(target=send)
    thread.start()
    try:
        with pytest.raises(KeyboardInterrupt) as caught:
            fit()
        waited = time.perf_counter() - sent[0]
    finally:
        thread.join()
        signal.signal(signal.SIGINT, before)
    assert isinstance(caught.value, FitInterrupted)
    return caught.value, waited


@pytest.mark.alone
def test_ctrl_c_while_a_block_is_read() -> None:
    blocks = slow(0.05)
    blocks.look()
    error, waited = after(0.8, lambda: LinearSVC(loss="hinge", tol=1e-12).fit(blocks))
    assert waited < 0.3
    time.sleep(0.1)
    assert not any(thread.name == "maxmargin-reader" for thread in threading.enumerate())
    found = error.solution
    assert found.status is Status.INTERRUPTED
    assert found.certificate.primal_objective >= found.certificate.dual_objective


@pytest.mark.alone
def test_ctrl_c_while_a_block_is_computed() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(12_000, 800))
    blocks = RowBlocks.from_arrays(X, X[:, 0] + rng.normal(size=12_000) > 0.0, batch_size=12_000)
    blocks.look()
    _, waited = after(0.4, lambda: LinearSVC(loss="hinge", tol=1e-12, C=100.0).fit(blocks))
    assert waited < 0.3


def test_a_fit_that_fails_leaves_the_model_as_it_was() -> None:
    X, y = generated()
    model = LinearSVC().fit(X, y)
    coef = model.coef_.copy()

    def broken() -> Iterator[Any]:
        yield X[:100], y[:100]
        raise RuntimeError("no more")

    with pytest.raises(InvalidInput, match=r"Block 1 .*RuntimeError: no more"):
        model.fit(RowBlocks.from_callable(broken))
    np.testing.assert_array_equal(model.coef_, coef)


def test_what_blocks_do_not_support_is_said() -> None:
    X, y = generated(200)
    blocks = RowBlocks.from_arrays(X, y)
    with pytest.raises(InvalidInput, match=r"'solver' parameter of LinearSVC .* for RowBlocks"):
        LinearSVC(solver="coordinate_descent").fit(blocks)
    with pytest.raises(InvalidInput, match="has the hinge only with the penalty 'l2' for RowBlocks"):
        LinearSVC(loss="hinge", penalty="l1").fit(blocks)
    with pytest.raises(InvalidInput, match="needs a penalty for RowBlocks"):
        LogisticRegression(penalty=None).fit(blocks)
    with pytest.raises(InvalidInput, match=r"RowBlocks have no Perceptron"):
        LinearClassifier(loss="perceptron").fit(blocks)
    with pytest.raises(InvalidInput, match="Leave it out for RowBlocks"):
        LinearSVR(interval=True).fit(blocks)
    three = RowBlocks.from_arrays(X, np.arange(200) % 3)
    with pytest.raises(InvalidInput, match="Choose multi_class='ovr'"):
        LinearSVC(multi_class="crammer_singer").fit(three)


_LIMITED = """
import resource, sys, numpy as np
from maxmargin import LinearClassifier, LinearSVC, LinearSVR, LogisticRegression, RowBlocks
from maxmargin.solution import Status
blocks = RowBlocks.from_npy(sys.argv[1], np.load(sys.argv[2]))
used = int(next(line for line in open("/proc/self/status") if line.startswith("VmData")).split()[1]) << 10
resource.setrlimit(resource.RLIMIT_DATA, (used + (120 << 20), -1))
for model in (LinearSVC(), LinearSVC(loss="hinge"), LogisticRegression()):
    assert model.set_params(tol=1e-3).fit(blocks).status_ is Status.CONVERGED
try:
    np.ones(40 << 20, np.float32)
except MemoryError:
    print("limited")
"""


@pytest.mark.alone
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="RLIMIT_DATA counts private memory on Linux only")
def test_rows_that_do_not_fit_into_memory(tmp_path: Any) -> None:
    """160 MB of rows, 120 MB of memory above what the imports took (of which BLAS takes 32, and stacks of threads 24), by the
    word of the operating system.
    """
    rng = np.random.default_rng(0)
    n, d = 1_000_000, 40
    w = rng.normal(size=d).astype(np.float32)
    X = np.lib.format.open_memmap(tmp_path / "X.npy", "w+", np.float32, (n, d))
    y = np.empty(n, np.int8)
    for begin in range(0, n, 100_000):
        rows = rng.standard_normal((100_000, d), dtype=np.float32)
        X[begin : begin + 100_000] = rows
        y[begin : begin + 100_000] = rows @ w + rng.logistic(size=100_000) > 0.0
    del X
    np.save(tmp_path / "y.npy", y)
    command = [sys.executable, "-c", _LIMITED, str(tmp_path / "X.npy"), str(tmp_path / "y.npy")]
    two = {**os.environ, "MAXMARGIN_NUM_THREADS": "2"}
    found = subprocess.run(command, capture_output=True, text=True, check=False, env=two)
    assert (found.returncode, found.stdout.strip()) == (0, "limited"), found.stderr[-2000:]


def test_nothing_warns() -> None:
    X, y = generated(500)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        LinearSVC().fit(RowBlocks.from_arrays(X, y, batch_size=100))
