"""Rows for the tests of distributed fits, and blocks that misbehave."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Any

import numpy as np


def generated(n: int = 6000, d: int = 6, classes: int = 2) -> tuple[Any, Any]:
    rng = np.random.default_rng(11)
    X = rng.normal(size=(n, d)).astype(np.float32)
    scores = X @ rng.normal(size=(d, classes)) + rng.normal(size=(n, classes))
    return X, scores.argmax(axis=1) * 2


def targets(X: Any) -> Any:
    """Targets that a linear function does not tell, some of them far out."""
    rng = np.random.default_rng(12)
    return X @ np.arange(1.0, X.shape[1] + 1.0) + rng.standard_t(2, size=len(X)) + 5.0


def weights_of(model: Any) -> Any:
    """Of features, or of landmarks."""
    return model.landmark_coef_ if hasattr(model, "landmark_coef_") else model.coef_


def slowly(X: Any, seconds: float = 0.2) -> Any:
    """The same rows, after a while."""
    time.sleep(seconds)
    return X


def deadly(X: Any, folder: str, kills: int, after: int = 3, block_info: Any = None) -> Any:
    """The same rows; but the process that makes block 2 in this pass or a later one dies, the first few times."""
    if not block_info or block_info[0]["chunk-location"][0] != 2:
        return X
    place = Path(folder)
    (place / f"pass-{time.monotonic_ns()}").touch()
    done = len(list(place.glob("kill-*")))
    if done < kills and len(list(place.glob("pass-*"))) >= after + 2 * done:
        (place / f"kill-{done}").touch()
        os.kill(os.getpid(), 9)
    return X


def broken(X: Any, how: str, block_info: Any = None) -> Any:
    """The same rows; but block 1 raises, holds NaN, or is wider than the others."""
    if not block_info or block_info[0]["chunk-location"][0] != 1:
        return X
    if how == "raises":
        raise OSError("the disk is gone")
    if how == "NaN":
        return np.where(np.arange(len(X))[:, np.newaxis] == 3, np.nan, X)
    return np.hstack([X, X])


def tasks_left(client: Any) -> int:
    """Tasks that the scheduler knows, once it has heard of all that was let go."""
    for _ in range(40):
        if (left := client.run_on_scheduler(lambda dask_scheduler: len(dask_scheduler.tasks))) == 0:
            break
        time.sleep(0.05)
    return int(left)
