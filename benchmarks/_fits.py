"""One timed fit of ours or of a peer, in this process or, with a cap, in one of its own; and how such a process ends."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
import time
import warnings
from collections.abc import Callable
from typing import Any

import sklearn.svm

import maxmargin
from benchmarks._sets import Task

try:
    import sklearnex.svm as intelex
except ImportError:  # not on every platform
    intelex = None

CACHE_MB = 2000


def contestants() -> dict[str, Callable[..., Any]]:
    """Ours and the peers, ready for C, gamma and tol."""
    found: dict[str, Callable[..., Any]] = {
        "maxmargin": maxmargin.SVC,
        "scikit-learn": lambda **kw: sklearn.svm.SVC(cache_size=CACHE_MB, **kw),
    }
    if intelex is not None:
        found["intelex"] = lambda **kw: intelex.SVC(cache_size=CACHE_MB, **kw)
    return found


def fit(name: str, X: Any, y: Any, task: Task, gamma: float) -> tuple[Any, float]:
    """A model and the seconds that it took."""
    start = time.perf_counter()
    model = contestants()[name](C=task.C, gamma=gamma, tol=1e-3).fit(X, y)
    return model, time.perf_counter() - start


def _send_fit(pipe: Any, *asked: Any) -> None:
    warnings.simplefilter("ignore")
    pipe.send(fit(*asked))


def capped(name: str, X: Any, y: Any, task: Task, gamma: float) -> tuple[Any, float]:
    """A fit that is stopped at the cap: then there is no model, and its time is at least the cap."""
    here, there = multiprocessing.Pipe()
    process = multiprocessing.get_context("spawn").Process(target=_send_fit, args=(there, name, X, y, task, gamma))
    process.start()
    there.close()  # so that a child that dies is seen at once
    found = here.recv() if here.poll(task.cap) else (None, task.cap)
    process.kill()
    process.join()
    return found


def end(process: Any) -> None:
    """End a process that leads a session of its own, and the workers that it has left: they would disturb what comes next."""
    process.join(timeout=20.0)
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.join()
