"""All classes at once on rows that come in blocks: the optimum of rows in memory, from sums over blocks."""

from __future__ import annotations

import pickle
import time
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from scipy import sparse
from scipy.optimize import minimize
from scipy.special import logsumexp
from sklearn.datasets import load_digits, load_iris, load_wine
from sklearn.exceptions import ConvergenceWarning

from maxmargin import LogisticRegression, RowBlocks, get_threads, set_threads
from maxmargin._deadline import Deadline
from maxmargin._solve import solve_blocks
from maxmargin.blocks import TreeSum
from maxmargin.errors import InvalidInput
from maxmargin.problems import BlockClasses, BlockRows, Offset, Penalty
from maxmargin.solution import Status
from maxmargin.solvers import Question, Sums

from .test_block_fits import after, same_optimum

RNG = np.random.default_rng(7)


def generated(n: int = 2000, d: int = 6, classes: int = 4) -> tuple[Any, Any]:
    rng = np.random.default_rng(3)
    X = rng.normal(size=(n, d)).astype(np.float32)
    return X, (X @ rng.normal(size=(d, classes)) + rng.gumbel(size=(n, classes))).argmax(axis=1)


def words() -> tuple[Any, Any]:
    X = sparse.random(600, 1500, density=0.02, format="csr", random_state=1)
    return X, (X @ np.random.default_rng(0).normal(size=(1500, 4))).argmax(axis=1)


def wide() -> tuple[Any, Any]:
    rng = np.random.default_rng(2)
    X = rng.normal(size=(900, 300))
    return X, (X[:, :5] + rng.gumbel(size=(900, 5))).argmax(axis=1)


DATA: dict[str, Callable[[], tuple[Any, Any]]] = {
    "generated": generated,
    "iris": lambda: load_iris(return_X_y=True),
    "wine": lambda: load_wine(return_X_y=True),  # columns of very different size
    "digits": lambda: load_digits(return_X_y=True),
    "wide": wide,  # conjugate gradients
    "words": words,  # and no matrix at all
}
PENALTIES: list[dict[str, Any]] = [{}, {"l1_ratio": 1.0}, {"l1_ratio": 0.3}]


def both(X: Any, y: Any, *weight: Any, batch: int = 5, **how: Any) -> tuple[Any, Any]:
    how = {"max_iter": 1000, **how}
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="features differ")
        blocks = RowBlocks.from_arrays(X, y, *weight, batch_size=X.shape[0] // batch)
        return LogisticRegression(**how).fit(blocks), LogisticRegression(**how).fit(X, y, *weight)


@pytest.mark.parametrize("data", DATA)
def test_the_optimum_is_that_of_rows_in_memory(data: str) -> None:
    X, y = DATA[data]()
    model, whole = both(X, y)
    same_optimum(model, whole)
    blocks = RowBlocks.from_arrays(X, y, batch_size=100)
    np.testing.assert_array_equal(model.predict(blocks), model.predict(X))
    np.testing.assert_allclose(model.predict_proba(blocks).sum(axis=1), 1.0)
    assert model.score(blocks) == model.score(X, y)
    assert model.coef_.shape == whole.coef_.shape
    np.testing.assert_allclose(model.coef_.sum(axis=0), 0.0, atol=1e-10)


@pytest.mark.parametrize("own", [{}, {"fit_intercept": False}, {"C": 50.0}, {"C": 0.01}, {"class_weight": "balanced"}])
@pytest.mark.parametrize("penalty", PENALTIES)
@pytest.mark.parametrize("data", ["generated", "iris"])
def test_penalties(data: str, penalty: dict[str, Any], own: dict[str, Any]) -> None:
    X, y = DATA[data]()
    model, whole = both(X, y, tol=1e-6, **penalty, **own)
    same_optimum(model, whole, 1e-6)
    if penalty.get("l1_ratio") == 1.0 and own.get("C") == 0.01:
        assert (model.coef_ == 0.0).any()


def test_the_minimum_is_that_of_scipy() -> None:
    """An oracle that shares nothing with this library."""
    X, y = DATA["iris"]()
    model = LogisticRegression(tol=1e-9).fit(RowBlocks.from_arrays(X, y, batch_size=40))

    def objective(flat: Any) -> float:
        W = flat.reshape(3, 5)
        f = X @ W[:, :4].T + W[:, 4]
        return float(0.5 * (W[:, :4] ** 2).sum() + (logsumexp(f, axis=1) - f[np.arange(150), y]).sum())

    found = minimize(objective, np.zeros(15), method="BFGS", options={"gtol": 1e-7})
    assert model.certificate_.primal_objective == pytest.approx(found.fun, rel=1e-8)
    here = objective(np.column_stack([model.coef_, model.intercept_]).ravel())
    assert model.certificate_.primal_objective == pytest.approx(here, rel=1e-12)
    np.testing.assert_allclose(model.coef_, found.x.reshape(3, 5)[:, :4], atol=1e-4)


@pytest.mark.parametrize("penalty", PENALTIES)
def test_two_classes_at_once(penalty: dict[str, Any]) -> None:
    X, y = generated(classes=2)
    model, whole = both(X, y, multi_class="multinomial", tol=1e-7, **penalty)
    same_optimum(model, whole, 1e-7)
    assert model.coef_.shape == (1, 6)
    np.testing.assert_allclose(model.coef_, whole.coef_, atol=1e-2 if penalty else 1e-4)


def test_weights_count_rows() -> None:
    X, y = generated(1000)
    weight = RNG.integers(0, 3, size=1000)
    weight[200:300] = 0
    model = LogisticRegression(tol=1e-7).fit(RowBlocks.from_arrays(X, y, weight, batch_size=100))
    rows = np.repeat(np.arange(1000), weight)
    same_optimum(model, LogisticRegression(tol=1e-7).fit(X[rows], y[rows]), 1e-7)


def test_columns_that_are_far_from_0() -> None:
    X, y = generated()
    near = X.astype(np.float64)
    far = near + np.array([1e7, 0.0, -1e5, 0.0, 0.0, 0.0])
    one, other = (LogisticRegression(tol=1e-6).fit(RowBlocks.from_arrays(rows, y, batch_size=500)) for rows in (far, near))
    same_optimum(one, other, 1e-6)
    np.testing.assert_allclose(one.coef_, other.coef_, atol=1e-3)


@pytest.mark.parametrize("data", ["generated", "digits", "wide", "words"])
def test_the_same_bits_on_any_number_of_threads(data: str) -> None:
    X, y = DATA[data]()
    before, found = get_threads(), []
    try:
        for threads in (1, 2, 3):
            set_threads(threads)
            model = LogisticRegression().fit(RowBlocks.from_arrays(X, y, batch_size=X.shape[0] // 3))
            found.append((model.coef_.tobytes(), model.intercept_.tobytes(), model.certificate_))
    finally:
        set_threads(before)
    assert found[0] == found[1] == found[2]


def test_other_blockings_are_within_the_certificates() -> None:
    X, y = generated()
    fits = [LogisticRegression().fit(RowBlocks.from_arrays(X, y, batch_size=size)) for size in (100, 999, 2000)]
    same_optimum(fits[0], fits[1])
    same_optimum(fits[0], fits[2])


def test_a_round_is_a_pass() -> None:
    X, y = generated()
    blocks = RowBlocks.from_arrays(X, y, batch_size=500)
    model = LogisticRegression().fit(blocks)
    assert blocks.n_passes <= 2 * int(model.n_iter_[0]) + 3  # a first look, a gradient, and one for the certificate


@pytest.mark.parametrize("classes", [2, 4])
def test_a_warm_start_is_shorter(classes: int) -> None:
    X, y = generated(classes=classes)
    blocks = RowBlocks.from_arrays(X, y, batch_size=500)
    model = LogisticRegression(multi_class="multinomial", warm_start=True).fit(blocks)
    first = int(model.n_iter_[0])
    model.set_params(C=1.05).fit(blocks)
    assert model.status_ is Status.CONVERGED
    assert int(model.n_iter_[0]) < first


def test_standardised_rows() -> None:
    X, y = generated()
    far = X * np.array([1.0, 100.0, 1.0, 1.0, 1.0, 1.0], np.float32) + np.float32(3.0)
    blocks = RowBlocks.from_arrays(far, y, batch_size=300).standardised()
    rows = np.concatenate([block.X for block in blocks.blocks()])
    model, by_hand = LogisticRegression(tol=1e-8).fit(blocks), LogisticRegression(tol=1e-8).fit(rows.astype(np.float64), y)
    np.testing.assert_allclose(model.decision_function(far), by_hand.decision_function(rows), rtol=1e-4, atol=1e-4)


def test_a_question_can_be_sent() -> None:
    """Sums may be made elsewhere: questions and answers are pickled, and the same bits come out."""
    X, y = generated()
    problem = BlockClasses(Penalty.L2, Offset.FREE, 1.0, 1.0, len(y), 6, np.bincount(y).astype(np.float64))
    blocks = [BlockRows(X[k : k + 400], y[k : k + 400], np.ones(400)) for k in range(0, 2000, 400)]

    def execute(questions: Any, deadline: Deadline) -> list[Sums]:
        answers = []
        for question in pickle.loads(pickle.dumps(list(questions))):
            assert isinstance(question, Question)
            tree: TreeSum[Sums] = TreeSum()
            for rows in blocks:
                tree.add(pickle.loads(pickle.dumps(question.on(rows)[0])))
            answers.append(tree.total())
        return answers

    (found,) = solve_blocks([problem], execute, 1e-4, 100, Deadline(None))
    model = LogisticRegression().fit(RowBlocks.from_arrays(X, y, batch_size=400))
    np.testing.assert_array_equal(found.weights, model.coef_)
    np.testing.assert_array_equal(found.bias, model.intercept_)
    assert found.certificate == model.certificate_


# Endings.


def slow(seconds: float) -> RowBlocks:
    X, y = generated()

    def blocks() -> Iterator[Any]:
        for begin in range(0, 2000, 200):
            time.sleep(seconds)
            yield X[begin : begin + 200], y[begin : begin + 200]

    return RowBlocks.from_callable(blocks, cache_size=1e-9)


def test_a_limit_of_rounds() -> None:
    X, y = generated()
    with pytest.warns(ConvergenceWarning, match="ITERATION_LIMIT"):
        model = LogisticRegression(max_iter=2, tol=1e-9).fit(RowBlocks.from_arrays(X, y, batch_size=500))
    found, best = model.certificate_, LogisticRegression(tol=1e-7).fit(X, y).certificate_
    assert found.dual_objective <= best.primal_objective * (1.0 + 1e-9)
    assert found.primal_objective > best.primal_objective


@pytest.mark.alone
@pytest.mark.parametrize("seconds", [0.02, 0.5])
def test_a_limit_of_time(seconds: float) -> None:
    blocks = slow(0.01)
    blocks.look()
    begun = time.perf_counter()
    with pytest.warns(ConvergenceWarning, match="TIME_LIMIT"):
        model = LogisticRegression(tol=1e-14, max_time=seconds).fit(blocks)
    assert time.perf_counter() - begun < seconds + 0.3
    best = LogisticRegression(tol=1e-6).fit(*generated()).certificate_
    assert model.certificate_.dual_objective <= best.primal_objective
    assert model.certificate_.primal_objective >= best.dual_objective


@pytest.mark.alone
def test_ctrl_c() -> None:
    blocks = slow(0.03)
    blocks.look()
    error, waited = after(0.8, lambda: LogisticRegression(tol=1e-14).fit(blocks))
    assert waited < 0.3
    found = error.solution
    assert found.status is Status.INTERRUPTED
    assert found.certificate.primal_objective >= found.certificate.dual_objective


@pytest.mark.alone
def test_ctrl_c_while_a_block_is_computed() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(30_000, 90))
    y = (X[:, :10] + rng.gumbel(size=(30_000, 10))).argmax(axis=1)  # 55 matrices of 91 by 91
    blocks = RowBlocks.from_arrays(X, y, batch_size=30_000)
    blocks.look()
    _, waited = after(0.6, lambda: LogisticRegression(tol=1e-14).fit(blocks))
    assert waited < 0.3


def test_what_is_not_supported_is_said() -> None:
    X, y = generated(400)
    blocks = RowBlocks.from_arrays(X, y, batch_size=100)
    with pytest.raises(InvalidInput, match="needs a penalty for RowBlocks"):
        LogisticRegression(penalty=None).fit(blocks)
    with pytest.raises(InvalidInput, match=r"chooses between two classes\. Got 4 classes"):
        LogisticRegression(threshold=0.3).fit(blocks)
    many = RowBlocks.from_arrays(RNG.normal(size=(40, 600)), np.arange(40) % 4, batch_size=20)
    with pytest.raises(InvalidInput, match=r"at most 2048 weights. Got 4 classes of 600 features: 2404"):
        LogisticRegression(l1_ratio=1.0).fit(many)


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
        LogisticRegression().fit(RowBlocks.from_callable(blocks, cache_size=1e-9))


def test_one_class_only() -> None:
    X, _ = generated(200)
    with pytest.raises(InvalidInput, match="got 1 class in all blocks"):
        LogisticRegression(multi_class="multinomial").fit(RowBlocks.from_arrays(X, np.ones(200), batch_size=50))


def test_a_generator_that_does_not_begin_again() -> None:
    X, y = generated(200)
    once = iter([(X[:100], y[:100]), (X[100:], y[100:])])
    with pytest.raises(InvalidInput, match=r"block 0 of 2 is missing in pass 2.*do not begin again"):
        LogisticRegression().fit(RowBlocks.from_callable(lambda: once, cache_size=1e-9))
