"""What may happen to a fit on a cluster: lost workers, blocks that cannot be read, Ctrl-C."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from maxmargin import ApproximateSVC, LinearSVC, LinearSVR, LogisticRegression, RowBlocks
from maxmargin._cluster import _waiting as waiting
from maxmargin.distributed import DaskApproximateSVC, DaskLinearSVC, DaskLinearSVR, DaskLogisticRegression
from maxmargin.distributed import _passes as passes
from maxmargin.errors import DistributedError, FitInterrupted, InvalidInput, MissingExtra
from maxmargin.solution import Status

from ._rows import broken, deadly, generated, slowly, tasks_left, weights_of

da = pytest.importorskip("dask.array")
distributed = pytest.importorskip("distributed")

pytestmark = pytest.mark.alone

HERE = Path(__file__).parents[2]


@pytest.mark.parametrize(
    ("model", "local"),
    [
        (DaskLinearSVC(), LinearSVC()),
        (DaskLinearSVC(loss="hinge"), LinearSVC(loss="hinge")),
        (DaskLogisticRegression(), LogisticRegression()),
        (DaskLinearSVR(), LinearSVR()),
        (DaskLinearSVR(loss="squared_epsilon_insensitive"), LinearSVR(loss="squared_epsilon_insensitive")),
        (DaskApproximateSVC(30, random_state=0), ApproximateSVC(30, random_state=0)),
    ],
    ids=["squared hinge", "hinge", "logistic", "tube", "squared tube", "landmarks"],
)
def test_a_worker_is_killed_in_the_midst_of_a_round(model: Any, local: Any, client: Any, tmp_path: Path) -> None:
    """The worker that holds block 2 dies by SIGKILL while it makes it; the fit ends with the same bits."""
    X, y = generated()
    rows = da.from_array(X, chunks=(1000, -1)).map_blocks(deadly, str(tmp_path), 1, dtype=X.dtype, meta=X[:0])
    model.fit(rows, y)
    local.fit(RowBlocks.from_arrays(X, y, batch_size=1000))
    assert len(list(tmp_path.glob("kill-*"))) == 1
    assert weights_of(model).tobytes() == weights_of(local).tobytes()
    assert model.certificate_ == local.certificate_


@pytest.mark.parametrize(
    ("how", "said"),
    [
        ("raises", r"Block 1 of the dask array could not be read: OSError: the disk is gone"),
        ("NaN", r"Block 1 of the dask array: Input X contains NaN"),
        ("wide", r"Block 1 of the dask array has 12 features, and 6 are expected"),
    ],
)
def test_a_bad_block_is_named(how: str, said: str, client: Any) -> None:
    X, y = generated(3000)
    rows = da.from_array(X, chunks=(1000, -1)).map_blocks(broken, how, dtype=X.dtype, meta=X[:0])
    model = DaskLinearSVC()
    with pytest.raises(InvalidInput, match=said):
        model.fit(rows, y)
    assert not hasattr(model, "coef_")
    del rows
    assert tasks_left(client) == 0


def test_a_time_limit_ends_in_the_midst_of_a_pass(client: Any) -> None:
    X, y = generated()
    rows = da.from_array(X, chunks=(1000, -1))
    DaskLinearSVC().fit(rows, y)  # workers have imported what they need
    slow = rows.map_blocks(slowly, 0.3, dtype=X.dtype, meta=X[:0])
    begun = time.monotonic()
    with pytest.warns(UserWarning, match="TIME_LIMIT"):
        model = DaskLinearSVC(max_time=2.0, tol=1e-12).fit(slow, y)
    assert model.status_ is Status.TIME_LIMIT
    assert time.monotonic() - begun < 4.0
    assert tasks_left(client) == 0


def test_ctrl_c_leaves_no_task_behind(client: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = generated()
    rows = da.from_array(X, chunks=(300, -1)).map_blocks(slowly, 0.1, dtype=X.dtype, meta=X[:0])
    pressed: list[float] = []
    begun = passes.DaskPasses.answers

    def press() -> None:
        pressed.append(time.monotonic())
        os.kill(os.getpid(), signal.SIGINT)

    def answers(self: Any, *how: Any) -> Any:
        threading.Timer(0.5, press).start()
        return begun(self, *how)

    monkeypatch.setattr(passes.DaskPasses, "answers", answers)
    with pytest.raises(FitInterrupted) as caught:
        DaskLinearSVC(tol=1e-12).fit(rows, y)
    assert time.monotonic() - pressed[-1] < 1.0
    assert tasks_left(client) == 0
    assert caught.value.solution.status is Status.INTERRUPTED  # certified now, by one more pass
    assert caught.value.solution.certificate.primal_objective > 0.0


def test_all_workers_are_gone(monkeypatch: pytest.MonkeyPatch) -> None:
    """A cluster whose workers are not made anew: the fit ends with an error, after the patience that it has."""
    monkeypatch.setattr(waiting, "ALONE", 3.0)
    X, y = generated()
    with (
        distributed.LocalCluster(n_workers=1, threads_per_worker=1, dashboard_address=":0") as cluster,
        distributed.Client(cluster) as client,
    ):
        DaskLinearSVC().fit(da.from_array(X, chunks=(1000, -1)), y)
        rows = da.from_array(X, chunks=(200, -1)).map_blocks(slowly, 0.3, dtype=X.dtype, meta=X[:0])
        timer = threading.Timer(3.0, lambda: cluster.scale(0))
        timer.start()
        with pytest.raises(DistributedError, match=r"No worker is left: for 3 seconds.*Start workers"):
            DaskLinearSVC(client=client).fit(rows, y)
        timer.join()


def test_there_is_no_client() -> None:
    X, y = generated(100)
    with pytest.raises(InvalidInput, match=r"DaskLinearSVC found no Dask client\. Make one first"):
        DaskLinearSVC().fit(da.from_array(X, chunks=(50, -1)), y)
    with pytest.raises(InvalidInput, match=r"'client' parameter of DaskLinearSVC must be a distributed\.Client"):
        DaskLinearSVC(client="tcp://there").fit(da.from_array(X, chunks=(50, -1)), y)


@pytest.mark.parametrize("model", [LinearSVC(), LogisticRegression()], ids=["svc", "logistic"])
def test_local_models_do_not_gather(model: Any) -> None:
    X, y = generated(100)
    rows = da.from_array(X, chunks=(50, -1))
    with pytest.raises(InvalidInput, match=r"X is a dask Array.*maxmargin\.distributed\.DaskLinearSVC.*X\.compute"):
        model.fit(rows, y)
    model.fit(X, y)
    with pytest.raises(InvalidInput, match="X is a dask Array"):
        model.predict(rows)


def test_dask_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(MissingExtra, match=r'pip install "maxmargin\[dask\]"'):
        DaskLinearSVC().fit(np.zeros((2, 2)), [0, 1])


def test_nothing_of_dask_is_loaded_before_a_fit() -> None:
    code = "import sys, maxmargin.distributed; assert not {'dask', 'distributed'} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True, cwd=HERE)
