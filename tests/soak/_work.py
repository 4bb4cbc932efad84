"""What one worker process of the soak does: threads that fit, predict and pickle every estimator, and compare the bits."""

from __future__ import annotations

import gc
import hashlib
import json
import os
import pickle
import random
import signal
import sys
import threading
import time
import warnings
from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.base import clone

import maxmargin

from ..io._table import TABLE, rows, said

THREADS = 3
HANG = 120.0
"""Seconds after which a job that has not ended is a hang: alone each takes a fraction of one."""


def digest(model: Any, X: Any) -> str:
    """One word for all bits that a model says of rows."""
    found = hashlib.sha256()
    for name, value in sorted(said(model, X).items()):
        found.update(name.encode())
        found.update(np.ascontiguousarray(value).tobytes())
    return found.hexdigest()


class Worker:
    """Counts what was done, and keeps what went wrong."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.X, self.y = rows()
        self.containers: dict[str, Any] = {
            "dense": self.X,
            "CSR": sparse.csr_array(self.X),
            "float32": self.X.astype(np.float32),
        }
        self.done: Counter[str] = Counter()
        self.wrong: list[str] = []
        self.expected: dict[tuple[str, str], str] = {}
        self.running: dict[int, tuple[str, float]] = {}
        self.lock = threading.Lock()

    def fit(self, name: str, container: str) -> Any:
        model = clone(TABLE[name][0])
        if "random_state" in model.get_params():
            model.set_params(random_state=0)
        return model.fit(self.containers[container], self.y)

    def pairs(self) -> list[tuple[str, str]]:
        """Estimator and container; the explicit maps and the calibrator's steps take dense rows only."""
        return [
            (name, container) for name in TABLE for container in self.containers if container == "dense" or name != "FeatureMap"
        ]

    def learn(self) -> None:
        """What each says with nothing beside it."""
        for name, container in self.pairs():
            try:
                self.expected[name, container] = digest(self.fit(name, container), self.X)
            except (maxmargin.errors.MaxmarginError, TypeError) as error:
                self.expected[name, container] = f"{type(error).__name__}: {error}"

    def job(self, choice: random.Random) -> None:
        """One fit with what it says, sometimes by way of a pickle or a file, sometimes in a forked child."""
        name, container = choice.choice(list(self.expected))
        way = choice.choices(["fit", "pickle", "fork"], weights=[8, 3, 1])[0]
        if way == "fork" and hasattr(os, "fork"):
            found = self.forked(name, container)
        else:
            try:
                model = self.fit(name, container)
                found = digest(pickle.loads(pickle.dumps(model)) if way == "pickle" else model, self.X)
            except (maxmargin.errors.MaxmarginError, TypeError) as error:
                found = f"{type(error).__name__}: {error}"
        with self.lock:
            self.done[way] += 1
            if found != self.expected[name, container]:
                self.wrong.append(f"{way} of {name} on {container}: other bits than alone ({found[:120]})")

    def forked(self, name: str, container: str) -> str:
        """The digest that a forked child finds."""
        reading, writing = os.pipe()
        child = os.fork()
        if child == 0:
            try:
                signal.alarm(int(HANG))
                text = digest(self.fit(name, container), self.X)
            except BaseException as error:
                text = f"{type(error).__name__}: {error}"
            os.write(writing, text.encode()[:4000])
            os._exit(0)
        os.close(writing)
        with os.fdopen(reading, "rb") as stream:
            text = stream.read().decode()
        os.waitpid(child, 0)
        return text

    def thread(self, seed: int, until: float) -> None:
        choice = random.Random(seed)
        while time.monotonic() < until and not self.wrong:
            self.running[seed] = ("a job", time.monotonic())
            try:
                self.job(choice)
            except BaseException as error:
                self.wrong.append(f"{type(error).__name__}: {error}")
        self.running.pop(seed, None)

    def run(self, seconds: float) -> dict[str, Any]:
        """Work for so long; what was done, what went wrong, and how the process grew after its first third."""
        self.learn()
        until = time.monotonic() + seconds
        threads = [threading.Thread(target=self.thread, args=(k, until), daemon=True) for k in range(THREADS)]
        for each in threads:
            each.start()
        settled, early = time.monotonic() + seconds / 3, None
        while any(each.is_alive() for each in threads):
            time.sleep(0.05)
            maxmargin.set_threads(self.random.randint(1, 4))
            self.done["changed threads"] += 1
            now = time.monotonic()
            if early is None and now > settled:
                early = megabytes()
            stuck = [what for what, since in list(self.running.values()) if now - since > HANG]
            if stuck:
                self.wrong.append(f"hangs for {HANG} s: {stuck}")
                break
        early = megabytes() if early is None else early
        return {"done": dict(self.done), "wrong": self.wrong, "early": early, "late": megabytes()}


def megabytes() -> float:
    """What the process holds of memory."""
    gc.collect()
    try:
        with open("/proc/self/statm") as statm:
            return int(statm.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 2**20
    except FileNotFoundError:
        return 0.0


def main(seed: int, seconds: float, report: Callable[[str], Any]) -> None:
    """Work, and report as one line of JSON."""
    warnings.simplefilter("ignore")
    report(json.dumps(Worker(seed).run(seconds)))


if __name__ == "__main__":
    main(int(sys.argv[1]), float(sys.argv[2]), print)
