"""Stochastic steps through rows that come in blocks: the walk of rows in memory where these are one block."""

from __future__ import annotations

import pickle
import time
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import load_digits
from sklearn.exceptions import ConvergenceWarning

from maxmargin import LinearSVC, RowBlocks, StochasticClassifier, get_threads, set_threads
from maxmargin.errors import InvalidInput
from maxmargin.losses import MarginLoss
from maxmargin.solution import Status

from .test_block_fits import after

RNG = np.random.default_rng(7)


def generated(n: int = 2000, d: int = 6) -> tuple[Any, Any]:
    rng = np.random.default_rng(11)
    X = rng.normal(size=(n, d)).astype(np.float32)
    return X, X @ rng.normal(size=d) + rng.normal(size=n) > 0.3


WAYS: list[dict[str, Any]] = [
    {},
    {"loss": "squared_hinge"},
    {"loss": "logistic"},
    {"fit_intercept": False},
    {"penalise_intercept": False, "max_iter": 20_000},
    {"class_weight": "balanced"},
    {"lam_half": 0.01, "draws": "shuffled", "intercept_scaling": 2.0},
    {"delay": 100, "tol": 0.1},
]


def same_walk(one: Any, other: Any) -> None:
    np.testing.assert_array_equal(one.coef_, other.coef_)
    np.testing.assert_array_equal(one.intercept_, other.intercept_)
    assert (one.t_, one.lam_half_, one.delay_, one.status_) == (other.t_, other.lam_half_, other.delay_, other.status_)
    assert one.certificate_.relative_gap == pytest.approx(other.certificate_.relative_gap, rel=1e-9)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("how", WAYS)
@pytest.mark.parametrize("data", ["two", "ten", "weighted", "copies", "sparse"])
def test_one_block_is_the_walk_of_rows_in_memory(data: str, how: dict[str, Any]) -> None:
    X, y = load_digits(return_X_y=True) if data == "ten" else generated()
    weight = RNG.integers(0, 4, size=len(y)) if data == "weighted" else None
    if data == "copies":
        X, y = np.concatenate([X, X[:500]]), np.concatenate([y, y[:500]])
    X = sparse.csr_matrix(np.where(X > 0.5, X, 0.0)) if data == "sparse" else X
    blocks = RowBlocks.from_arrays(X, y, weight, batch_size=X.shape[0])
    model = StochasticClassifier(random_state=3, **how).fit(blocks)
    same_walk(model, StochasticClassifier(random_state=3, **how).fit(X, y, weight))
    np.testing.assert_array_equal(model.predict(blocks), model.predict(X))
    np.testing.assert_array_equal(model.decision_function(blocks), model.decision_function(X))
    assert model.score(blocks) == pytest.approx(model.score(X, y, weight))


@pytest.mark.parametrize("how", WAYS[:4])
def test_the_certificate_of_several_blocks_holds(how: dict[str, Any]) -> None:
    """Its objective is that of the model, and its bound is below every other model's objective."""
    X, y = generated()
    blocks = RowBlocks.from_arrays(X, y, batch_size=333)
    model = StochasticClassifier(**how).fit(blocks)
    assert model.status_ is Status.CONVERGED
    assert model.certificate_.relative_gap <= 0.2
    whole = StochasticClassifier(**{"tol": 0.02, **how}).fit(X, y)
    assert model.certificate_.dual_objective <= whole.certificate_.primal_objective
    assert whole.certificate_.dual_objective <= model.certificate_.primal_objective
    problem = model._problem(X, np.where(y, 1.0, -1.0), np.ones(len(y)))
    here = problem.objective(model.coef_[0], float(model.intercept_[0]))
    assert model.certificate_.primal_objective == pytest.approx(here, rel=1e-9)
    assert model.score(X, y) > LinearSVC().fit(X, y).score(X, y) - 0.02


def test_blocks_are_taken_in_proportion_to_their_weights() -> None:
    X, y = generated(1000)
    weight = np.where(np.arange(1000) < 500, 1.0, 9.0)
    model = StochasticClassifier(tol=0.05).fit(RowBlocks.from_arrays(X, y, weight, batch_size=500))
    whole = StochasticClassifier(tol=0.05).fit(X, y, weight)
    assert model.status_ is whole.status_ is Status.CONVERGED
    assert model.certificate_.dual_objective <= whole.certificate_.primal_objective
    assert whole.certificate_.dual_objective <= model.certificate_.primal_objective


def test_the_same_bits_on_any_number_of_threads() -> None:
    X, y = load_digits(return_X_y=True)
    before, found = get_threads(), []
    try:
        for threads in (1, 2, 3):
            set_threads(threads)
            model = StochasticClassifier().fit(RowBlocks.from_arrays(X, y, batch_size=500))
            found.append((model.coef_.tobytes(), model.intercept_.tobytes(), model.certificate_))
    finally:
        set_threads(before)
    assert found[0] == found[1] == found[2]


def test_it_goes_on_with_other_rows() -> None:
    X, y = generated()
    model = StochasticClassifier().fit(RowBlocks.from_arrays(X, y, batch_size=300))
    before = model.t_
    other = pickle.loads(pickle.dumps(model))
    model.partial_fit(X[:100], y[:100])
    assert model.t_ == before + 100
    np.testing.assert_array_equal(other.partial_fit(X[:100], y[:100]).coef_, model.coef_)


def test_standardised_rows() -> None:
    X, y = generated()
    far = X * np.array([1.0, 100.0, 1.0, 1.0, 1.0, 1.0], np.float32) + np.float32(3.0)
    blocks = RowBlocks.from_arrays(far, y, batch_size=300).standardised()
    model = StochasticClassifier().fit(blocks)
    assert model.status_ is Status.CONVERGED
    assert model.score(far, y) == model.score(blocks) > 0.8
    with pytest.raises(InvalidInput, match="partial_fit cannot go on after"):
        model.partial_fit(far, y)


# Endings.


def slow(seconds: float) -> RowBlocks:
    X, y = generated()

    def blocks() -> Iterator[Any]:
        for begin in range(0, 2000, 200):
            time.sleep(seconds)
            yield X[begin : begin + 200], y[begin : begin + 200]

    return RowBlocks.from_callable(blocks, cache_size=1e-9)


def test_a_limit_of_steps() -> None:
    X, y = generated()
    with pytest.warns(ConvergenceWarning, match="ITERATION_LIMIT"):
        model = StochasticClassifier(max_iter=2500, tol=1e-6).fit(RowBlocks.from_arrays(X, y, batch_size=500))
    assert model.t_ == 2500


@pytest.mark.alone
@pytest.mark.parametrize("seconds", [0.02, 0.8])
def test_a_limit_of_time(seconds: float) -> None:
    blocks = slow(0.01)
    blocks.look()
    begun = time.perf_counter()
    with pytest.warns(ConvergenceWarning, match="TIME_LIMIT"):
        model = StochasticClassifier(tol=1e-6, max_time=seconds).fit(blocks)
    assert time.perf_counter() - begun < seconds + 0.3
    assert model.certificate_.primal_objective >= model.certificate_.dual_objective


@pytest.mark.alone
def test_ctrl_c() -> None:
    blocks = slow(0.02)
    blocks.look()
    error, waited = after(1.2, lambda: StochasticClassifier(tol=1e-9).fit(blocks))
    assert waited < 0.3
    assert error.solution.status is Status.INTERRUPTED
    assert error.solution.certificate.primal_objective >= error.solution.certificate.dual_objective


def test_what_is_not_supported_is_said() -> None:
    X, y = generated(400)
    blocks = RowBlocks.from_arrays(X, y, batch_size=100)
    with pytest.raises(InvalidInput, match="draws='independent' of StochasticClassifier needs all rows at once"):
        StochasticClassifier(draws="independent").fit(blocks)

    class Own(MarginLoss):
        def value(self, z: Any) -> Any:
            return np.maximum(0.0, 2.0 - z)

        def derivative(self, z: Any) -> Any:
            return np.where(np.asarray(z) < 2.0, -1.0, 0.0)

        @property
        def curvature(self) -> float:
            return np.inf

    with pytest.raises(InvalidInput, match="RowBlocks have no"):
        StochasticClassifier(loss=Own()).fit(blocks)


@pytest.mark.parametrize(
    ("change", "match"),
    [
        (lambda rows, labels: (np.where(rows == rows[0, 0], np.nan, rows), labels), "Block 17 .*NaN"),
        (lambda rows, labels: (rows[:, :3], labels), "Block 17 .* has 3 features, and those before it have 6"),
        (lambda rows, labels: (rows[:0], labels[:0]), "Block 17 .* is empty"),
    ],
)
def test_the_message_names_the_block(change: Any, match: str) -> None:
    X, y = generated()

    def blocks() -> Iterator[Any]:
        for k in range(20):
            rows, labels = X[100 * k : 100 * k + 100], y[100 * k : 100 * k + 100]
            yield change(rows, labels) if k == 17 else (rows, labels)

    with pytest.raises(InvalidInput, match=match):
        StochasticClassifier().fit(RowBlocks.from_callable(blocks, cache_size=1e-9))


def test_one_class_only_and_no_second_pass() -> None:
    X, y = generated(200)
    with pytest.raises(InvalidInput, match="got 1 class in all blocks"):
        StochasticClassifier().fit(RowBlocks.from_arrays(X, np.ones(200), batch_size=50))
    once = iter([(X[:100], y[:100]), (X[100:], y[100:])])
    with pytest.raises(InvalidInput, match=r"block 0 of 2 is missing in pass 2.*do not begin again"):
        StochasticClassifier().fit(RowBlocks.from_callable(lambda: once, cache_size=1e-9))
