"""The primal problem: its objective and slope against numpy, no copy of X, and what it refuses."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import sparse
from scipy.optimize import check_grad

from maxmargin.errors import InvalidInput
from maxmargin.losses import EpsilonInsensitive, Hinge, Logistic, Loss, SquaredEpsilonInsensitive, SquaredHinge
from maxmargin.problems import Offset, Penalty, PrimalProblem

OFFSETS = ["free", "penalised", None]


def _rows(kind: str, dtype: Any, n: int = 40, d: int = 37) -> Any:
    rng = np.random.default_rng(0)
    X = (rng.normal(size=(n, d)) * (rng.random((n, d)) < 0.4)).astype(dtype)
    if kind == "dense":
        return np.ascontiguousarray(X)
    rows = sparse.csr_matrix(X)
    if kind == "csr64":
        rows.indices, rows.indptr = rows.indices.astype(np.int64), rows.indptr.astype(np.int64)
    return rows


def _labels(n: int = 40) -> NDArray[np.int64]:
    return np.where(np.arange(n) % 3 == 0, 1, -1)


def _dense(X: Any) -> NDArray[np.float64]:
    return np.asarray(X.toarray() if sparse.issparse(X) else X, dtype=np.float64)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("kind", ["dense", "csr32", "csr64"])
def test_passes_over_the_rows(kind: str, dtype: Any) -> None:
    X, rng = _rows(kind, dtype), np.random.default_rng(1)
    problem = PrimalProblem(X, _labels())
    w, c = rng.normal(size=problem.d), rng.normal(size=problem.n)
    c[::5] = 0.0
    np.testing.assert_allclose(problem.scores(w, 2.0), _dense(X) @ w + 2.0, rtol=1e-13, atol=1e-13)
    np.testing.assert_allclose(problem.combination(c), c @ _dense(X), rtol=1e-13, atol=1e-13)


@pytest.mark.parametrize("kind", ["dense", "csr32", "csr64"])
def test_x_is_not_copied(kind: str) -> None:
    X = _rows(kind, np.float32)
    held = PrimalProblem(X, _labels()).X
    assert held.dtype == np.float32
    for mine, theirs in [(held, X)] if kind == "dense" else [(held.data, X.data), (held.indices, X.indices)]:
        assert np.shares_memory(mine, theirs)


@pytest.mark.parametrize("penalty", ["l2", "l1", None])
@pytest.mark.parametrize("offset", OFFSETS)
@pytest.mark.parametrize("loss", [SquaredHinge(), Logistic(), SquaredEpsilonInsensitive(0.3)], ids=repr)
def test_objective_and_gradient(loss: Loss, offset: str | None, penalty: str | None) -> None:
    X, weight = _rows("csr32", np.float64), np.linspace(0.5, 2.0, 40)
    problem = PrimalProblem(X, _labels(), loss=loss, penalty=penalty, C=3.0, offset=offset, sample_weight=weight)
    point = 0.1 * np.random.default_rng(2).normal(size=problem.d + 1)
    if offset is None:
        point[-1] = 0.0
    w, b = point[:-1], float(point[-1])
    f = _dense(X) @ w + b
    z = _labels() - f if isinstance(loss, SquaredEpsilonInsensitive) else _labels() * f
    u = np.append(w, b) if offset == "penalised" else w
    paid = {None: 0.0, "l1": np.abs(u).sum(), "l2": 0.5 * u @ u}[penalty]
    assert problem.objective(w, b) == pytest.approx(paid + 3.0 * weight @ loss.value(z), rel=1e-12)

    def value(p: NDArray[np.float64]) -> float:
        return problem.objective(p[:-1], float(p[-1]) if offset is not None else 0.0)

    def slope(p: NDArray[np.float64]) -> NDArray[np.float64]:
        in_w, in_b = problem.gradient(p[:-1], float(p[-1]))
        return np.append(in_w, in_b)

    assert check_grad(value, slope, point) < 1e-4


def test_rows_without_weight_are_left_out() -> None:
    X, weight = _rows("dense", np.float64), np.ones(40)
    weight[::2] = 0.0
    problem = PrimalProblem(X, _labels(), sample_weight=weight)
    np.testing.assert_array_equal(problem.X, X[1::2])
    assert problem.n == 20


def test_fields() -> None:
    problem = PrimalProblem([[0.0], [1.0]], ["a", "b"], C=2.0, sample_weight=[1.0, 3.0])
    np.testing.assert_array_equal(problem.y, [-1.0, 1.0])
    np.testing.assert_array_equal(problem.cost, [2.0, 6.0])
    assert (problem.loss, problem.penalty, problem.offset) == (Hinge(), Penalty.L2, Offset.FREE)
    with pytest.raises(AttributeError, match="PrimalProblem is frozen"):
        problem.y = np.zeros(2)
    targets = PrimalProblem([[0.0], [1.0]], [0.5, 7.0], loss=EpsilonInsensitive())
    np.testing.assert_array_equal(targets.y, [0.5, 7.0])


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"C": 0.0}, "The 'C' parameter of PrimalProblem must be a float"),
        ({"loss": "hinged"}, "The 'loss' parameter of PrimalProblem must be one of"),
        ({"penalty": "l0"}, "must be a str among {'l2', 'l1', 'elasticnet', 'ball'} or None. Got 'l0' instead"),
        ({"offset": True}, "The 'offset' parameter of PrimalProblem must be a str among {'free', 'penalised'} or None"),
        ({"y": [0, 1, 2]}, "Expected labels of two classes, got 3"),
    ],
)
def test_refusals(wrong: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidInput) as error:
        PrimalProblem(**{"X": [[0.0], [1.0], [2.0]], "y": [0, 1, 1], **wrong})
    assert message in str(error.value)


def test_parts_that_do_not_fit() -> None:
    with pytest.raises(InvalidInput, match="Got 2 rows, 3 labels and 2 costs"):
        PrimalProblem.on(np.zeros((2, 1)), np.ones(3), np.ones(2), Hinge())
