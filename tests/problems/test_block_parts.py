"""Parts of a block: they hold its rows, and what they add is what the whole block adds."""

from __future__ import annotations

import gc
import math
import weakref
from typing import Any

import numpy as np
import pytest
from scipy import sparse

from maxmargin.losses import Hinge, Logistic, SquaredHinge
from maxmargin.problems import BlockProblem, BlockRows, Offset, Penalty
from maxmargin.solvers import Certify
from maxmargin.solvers._blocks._requests import Point, Terms


def rows_of(n: int, d: int, kind: Any = np.float32) -> BlockRows:
    rng = np.random.default_rng(5)
    X = rng.normal(size=(n, d)).astype(kind)
    return BlockRows(X, rng.integers(0, 2, n).astype(np.uint8), rng.uniform(0.5, 2.0, n))


@pytest.mark.parametrize(("n", "d", "count"), [(30_000, 30, 1), (60_000, 30, 3), (9_000, 300, 3), (9_000, 1000, 1)])
def test_parts_hold_all_rows_once(n: int, d: int, count: int) -> None:
    rows = rows_of(n, d)
    parts = rows.parts
    assert len(parts) == count
    np.testing.assert_array_equal(np.concatenate([part.X for _, part in parts]), rows.X)
    np.testing.assert_array_equal(np.concatenate([part.cost for _, part in parts]), rows.cost)
    assert [where.start for where, _ in parts[1:]] == [where.stop for where, _ in parts[:-1]]
    assert np.shares_memory(parts[-1][1].X, rows.X)


def test_sparse_rows_are_one_part() -> None:
    dense = rows_of(60_000, 30)
    assert len(BlockRows(sparse.csr_matrix(dense.X), dense.label, dense.cost).parts) == 1


@pytest.mark.parametrize("n", [100, 60_000])
def test_rows_are_let_go_at_once(n: int) -> None:
    """Blocks that hold themselves would stay until somebody looks for cycles: some at a time, in little memory."""
    rows = rows_of(n, 30)
    seen = weakref.ref(rows.X)
    gc.disable()
    try:
        assert rows.parts
        del rows
        assert seen() is None
    finally:
        gc.enable()


@pytest.mark.parametrize("loss", [SquaredHinge(), Logistic(), Hinge()], ids=lambda loss: type(loss).__name__)
def test_sums_are_those_of_plain_numpy(loss: Any) -> None:
    rows = rows_of(60_000, 20)
    n, d = rows.X.shape
    total = float(rows.cost.sum())
    problem = BlockProblem(loss, Penalty.L2, Offset.FREE, 1.0, math.inf, 1.0, n, d, total, total, positive=1)
    w = np.linspace(-0.2, 0.3, d)
    at = Point(w, 0.1, 0.5, ((np.zeros(d), 0.0, 0.3),) if isinstance(loss, Hinge) else ())
    assert len(rows.parts) > 1
    found = Certify.found(Certify(problem, at).on(rows)[0])
    y = np.where(rows.label == 1, 1.0, -1.0)
    margins = y * (rows.X.astype(np.float64) @ w + 0.1)
    assert found.lost == pytest.approx(float((rows.cost * loss.value(margins)).sum()), rel=1e-12)
    sums, centre = Terms(problem, at).on(rows)
    again, _ = Terms(problem, at).on(rows, centre)
    for one, other in zip(sums.added, again.added, strict=True):
        assert one.tobytes() == other.tobytes()
    if centre is not None:  # the multipliers at which the first smoothing ended: it begins at half of the bounds
        np.testing.assert_allclose(centre.values, (0.5 + 0.3) * rows.cost, rtol=1e-12)
