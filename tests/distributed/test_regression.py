"""Regressions on a cluster: the bits of blocks in memory, and what a median of some targets may not change."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from maxmargin import LinearSVR, RowBlocks
from maxmargin.distributed import DaskLinearSVR
from maxmargin.errors import InvalidInput
from maxmargin.solution import Status

from ._rows import generated, targets

da = pytest.importorskip("dask.array")

pytestmark = pytest.mark.alone

SIZE = 1100
LOSSES = ("epsilon_insensitive", "squared_epsilon_insensitive")


@pytest.mark.parametrize("far", [0.0, 1e7], ids=["near", "far"])
@pytest.mark.parametrize("loss", LOSSES)
def test_the_bits_of_blocks_in_memory(loss: str, far: float, client: Any) -> None:
    X, _ = generated()
    y = targets(X) + far
    weight = np.random.default_rng(3).random(len(X)) * (np.arange(len(X)) % 5 > 0)
    weight[SIZE : 2 * SIZE] = 0.0  # a block without rows that count
    local = LinearSVR(loss=loss, epsilon=0.1).fit(RowBlocks.from_arrays(X, y, weight, batch_size=SIZE))
    rows = da.from_array(X, chunks=(SIZE, 2))
    model = DaskLinearSVR(loss=loss, epsilon=0.1, client=client).fit(rows, da.from_array(y, chunks=700), weight)
    assert model.status_ is Status.CONVERGED
    assert model.coef_.tobytes() == local.coef_.tobytes()
    assert model.intercept_.tobytes() == local.intercept_.tobytes()
    assert model.certificate_ == local.certificate_
    np.testing.assert_array_equal(model.predict(rows).compute(), local.predict(X))
    for how in ((), (weight,)):
        assert model.score(rows, y, *how) == pytest.approx(local.score(X, y, *how), rel=1e-9)


@pytest.mark.parametrize("loss", LOSSES)
def test_the_optimum_of_all_rows(loss: str, client: Any) -> None:
    X, _ = generated()
    y = targets(X)
    whole = LinearSVR(loss=loss).fit(X, y)
    model = DaskLinearSVR(loss=loss).fit(da.from_array(X, chunks=(700, -1)), y)
    assert model.certificate_.dual_objective <= whole.certificate_.primal_objective * (1.0 + 1e-12)
    assert whole.certificate_.dual_objective <= model.certificate_.primal_objective * (1.0 + 1e-12)
    assert model.certificate_.relative_gap <= 1e-4


@pytest.mark.parametrize("loss", LOSSES)
def test_sorted_targets_are_no_harder(loss: str, client: Any) -> None:
    """A few targets of each block stand for all: their order may change the rounds, not the optimum."""
    X, _ = generated()
    y = targets(X)
    order = np.argsort(y)
    rows = da.from_array(X[order], chunks=(3000, -1))
    model = DaskLinearSVR(loss=loss, tol=1e-6).fit(rows, y[order])
    whole = LinearSVR(loss=loss, tol=1e-6).fit(X, y)
    assert model.certificate_.primal_objective == pytest.approx(whole.certificate_.primal_objective, rel=2e-6)


def test_refusals(client: Any) -> None:
    X, _ = generated(600)
    rows = da.from_array(X, chunks=(300, -1))
    with pytest.raises(InvalidInput, match="Block 1 of the dask array: Input y contains NaN"):
        DaskLinearSVR().fit(rows, np.where(np.arange(600) == 400, np.nan, 1.0))
    with pytest.raises(InvalidInput, match="The targets in y are too large"):
        DaskLinearSVR(loss="squared_epsilon_insensitive").fit(rows, np.full(600, 1e150))
    with pytest.raises(InvalidInput, match="'epsilon' parameter of LinearSVR"):
        DaskLinearSVR(epsilon=-1.0).fit(rows, np.ones(600))
    with pytest.raises(TypeError, match=r"DaskLinearSVR.__init__\(\) got an unexpected keyword argument 'interval'"):
        DaskLinearSVR(interval=True)
