"""Thirty workers killed by SIGKILL, over rounds and estimators, on record: ``python -m tests.distributed.kills``.

Each fit is disturbed in the pass that its number says, by the death of the worker that makes its third block; it must end with
the bits of blocks in memory. The three of `test_faults` are part of ``make test``.
"""

from __future__ import annotations

import argparse
import logging
import tempfile
import time
from pathlib import Path
from typing import Any

import dask.array as da
import distributed

from maxmargin import ApproximateSVC, LinearSVC, LinearSVR, LogisticRegression, RowBlocks
from maxmargin.distributed import DaskApproximateSVC, DaskLinearSVC, DaskLinearSVR, DaskLogisticRegression

from ._rows import deadly, generated, targets, weights_of

OURS: dict[str, tuple[Any, Any, dict[str, Any]]] = {
    "squared hinge": (DaskLinearSVC, LinearSVC, {}),
    "hinge": (DaskLinearSVC, LinearSVC, {"loss": "hinge"}),
    "logistic": (DaskLogisticRegression, LogisticRegression, {}),
    "squared tube": (DaskLinearSVR, LinearSVR, {"loss": "squared_epsilon_insensitive", "epsilon": 0.1}),
    "tube": (DaskLinearSVR, LinearSVR, {"epsilon": 0.1}),
    "landmarks": (DaskApproximateSVC, ApproximateSVC, {"n_components": 40, "random_state": 0}),
}
SIZE = 1000


def fit_with_a_kill(name: str, after: int, client: Any) -> tuple[bool, int, float]:
    """Whether the bits are those of blocks in memory, how many workers died, and the seconds of the fit."""
    ours, theirs, how = OURS[name]
    X, labels = generated()
    y = targets(X) if ours is DaskLinearSVR else labels
    local = theirs(**how).fit(RowBlocks.from_arrays(X, y, batch_size=SIZE))
    with tempfile.TemporaryDirectory() as folder:
        rows = da.from_array(X, chunks=(SIZE, -1)).map_blocks(deadly, folder, 1, after, dtype=X.dtype, meta=X[:0])
        begun = time.perf_counter()
        model = ours(**how, client=client).fit(rows, y)
        seconds = time.perf_counter() - begun
        kills = len(list(Path(folder).glob("kill-*")))
    same = weights_of(model).tobytes() == weights_of(local).tobytes() and model.certificate_ == local.certificate_
    return same, kills, seconds


def main() -> None:
    """Kill, and print what came of it."""
    parser = argparse.ArgumentParser(prog="python -m tests.distributed.kills", description=__doc__)
    parser.add_argument("--kills", type=int, default=30)
    wanted = parser.parse_args().kills
    logging.getLogger("distributed").setLevel(logging.CRITICAL)  # it tells of every death
    died = wrong = 0
    while died < wanted:  # a cluster for each round over the estimators
        with (
            distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0") as cluster,
            distributed.Client(cluster) as client,
        ):
            for name in OURS:
                client.wait_for_workers(2)  # the one that died before is back
                after = 1 + died // len(OURS)
                same, kills, seconds = fit_with_a_kill(name, after, client)
                died += kills
                wrong += not same
                said = "same bits" if same else "OTHER BITS"
                print(f"{name:<14} killed in pass {after}: {kills} died, {seconds:5.1f} s, {said}", flush=True)
                if kills == 0:
                    raise SystemExit(f"{name} ended before pass {after}: nobody was killed")
                if died == wanted:
                    break
    print(f"{died} workers were killed, {wrong} fits have other bits")
    raise SystemExit(wrong > 0)


if __name__ == "__main__":
    main()
