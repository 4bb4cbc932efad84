"""Law 11 of the house: same input, same bits, for any number of threads, and whatever else the machine does."""

from __future__ import annotations

import itertools
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from scipy import sparse

import maxmargin
from maxmargin import SVC
from maxmargin._solve import solve_batch
from maxmargin.problems import SoftMargin
from maxmargin.solution import Progress

from .._data import load

pytestmark = pytest.mark.alone

Rows = tuple[Any, np.ndarray]


def _smooth(n: int, d: int, classes: int = 2) -> Rows:
    rng = np.random.default_rng(n)
    X = rng.normal(size=(n, d))
    levels = np.sin(X[:, 0]) + X[:, 1] * X[:, 2] + 0.3 * rng.normal(size=n)
    return X, np.searchsorted(np.quantile(levels, np.arange(1, classes) / classes), levels)


def _sparse() -> Rows:
    X, y = _smooth(900, 8)
    return sparse.csr_array(np.where(X > 0.5, X, 0.0)), y


def _single() -> Rows:
    X, y = _smooth(1500, 20)
    return X.astype(np.float32), y


CASES: dict[str, tuple[Any, dict[str, Any]]] = {
    "blocks": (lambda: _smooth(6000, 6), {}),
    "a sample first": (lambda: _smooth(12000, 6), {"gamma": 0.2}),
    "pairs of classes": (lambda: _smooth(1600, 10, 8), {"C": 10.0}),
    "one against the rest": (lambda: _smooth(1200, 10, 6), {"multi_class": "ovr"}),
    "Newton": (lambda: _smooth(700, 5), {"C": 1e4, "tol": 1e-6}),
    "sparse": (_sparse, {"C": 5.0}),
    "float32": (_single, {"kernel": "poly", "coef0": 1.0}),
}

REAL: dict[str, tuple[int, dict[str, Any]]] = {
    "a9a": (15_000, {"C": 1.0, "gamma": "auto"}),
    "letter": (15_000, {"C": 10.0, "gamma": 1.0}),
    "magic04": (8_000, {"C": 1e3, "gamma": 0.1}),
}


@pytest.fixture
def busy_machine() -> Iterator[None]:
    """Two other processes that compute without end."""
    beside = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(2)]
    yield
    for process in beside:
        process.kill()
        process.wait()


def _bits(X: Any, y: np.ndarray, parameters: dict[str, Any], threads: int) -> tuple[bytes, bytes, bytes]:
    before = maxmargin.get_threads()
    try:
        maxmargin.set_threads(threads)
        model = SVC(**parameters).fit(X, y)
    finally:
        maxmargin.set_threads(before)
    return model.dual_coef_.data.tobytes(), model.support_.tobytes(), model.intercept_.tobytes()


@pytest.mark.parametrize("name", CASES)
def test_threads_and_load_change_no_bit(name: str, busy_machine: None) -> None:
    make, parameters = CASES[name]
    X, y = make()
    first, *others = [_bits(X, y, parameters, threads) for threads in (1, 2, 2, 5)]
    assert all(bits == first for bits in others)


@pytest.mark.parametrize("name", REAL)
def test_threads_and_load_change_no_bit_of_a_real_set(name: str, busy_machine: None) -> None:
    rows, parameters = REAL[name]
    data = load(name, rows)
    first, *others = [_bits(data.X, data.y, parameters, threads) for threads in (1, 2, 2)]
    assert all(bits == first for bits in others)


def _ten_classes() -> Rows:
    """Of 1 500 rows each, which overlap: 45 pairs that run side by side, shrink, and take long enough to be reported on."""
    rng = np.random.default_rng(0)
    y = np.repeat(np.arange(10), 1500)
    return 1.3 * rng.normal(size=(10, 4))[y] + rng.normal(size=(len(y), 4)), y


def test_ten_classes_that_are_reported_on_or_not_have_the_same_bits(capsys: pytest.CaptureFixture[str]) -> None:
    X, y = _ten_classes()
    settings = [(threads, verbose) for threads in (1, 2) for verbose in (False, True)]
    first, *others = [_bits(X, y, {"verbose": verbose}, threads) for threads, verbose in settings]
    assert capsys.readouterr().out
    assert all(bits == first for bits in others)


def test_a_callback_changes_no_bit_of_ten_classes() -> None:
    X, y = _ten_classes()
    pairs = [(y == a) | (y == b) for a, b in itertools.combinations(range(10), 2)]
    parts = [SoftMargin(X[pair], y[pair]) for pair in pairs]
    seen: list[Progress] = []
    watchers: list[Any] = [None, lambda progress: seen.append(progress) is not None]  # never true: it goes on
    before, found = maxmargin.get_threads(), []
    try:
        for threads, callback in itertools.product((1, 2), watchers):
            maxmargin.set_threads(threads)
            solutions = solve_batch(parts, callback=callback)
            found.append([(each.beta.tobytes(), each.support.tobytes(), each.bias) for each in solutions])
    finally:
        maxmargin.set_threads(before)
    assert all(each == found[0] for each in found[1:])
