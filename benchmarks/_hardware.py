"""Linear models beside the machine: bytes a second of one pass over the rows, and what a fit adds to its input's memory."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import _linear_peers as peers
from benchmarks._linear_server import load
from maxmargin.problems import PrimalProblem


def _gigabytes_a_second(bytes_read: int, call: Any) -> float:
    times = []
    for _ in range(7):
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return bytes_read / min(times) / 1e9


def passes() -> dict[str, float]:
    """GB a second of X w and of X'c over dense rows that no cache holds, beside a plain read by as many threads."""
    rng = np.random.default_rng(0)
    X = rng.random((100_000, 400), dtype=np.float32)
    y = np.where(np.arange(len(X)) % 2, 1.0, -1.0)
    plain = np.ones(25_000_000)
    with ThreadPoolExecutor(peers.THREADS) as pool:
        parts = np.array_split(plain, peers.THREADS)
        speed = {"memory": _gigabytes_a_second(plain.nbytes, lambda: list(pool.map(np.add.reduce, parts)))}
    for kind in (np.float32, np.float64):
        rows = X.astype(kind)
        problem = PrimalProblem(rows, y)
        w, c = np.ones(X.shape[1]), np.ones(len(X))
        speed[f"X w, {kind.__name__}"] = _gigabytes_a_second(rows.nbytes, lambda p=problem, v=w: p.scores(v, 0.0))
        speed[f"X'c, {kind.__name__}"] = _gigabytes_a_second(rows.nbytes, lambda p=problem, v=c: p.combination(v))
    return speed


_MEMORY = """
import sys, warnings
import numpy as np
from scipy import sparse
import maxmargin
warnings.simplefilter("ignore")
held = [np.load(f"{sys.argv[1]}/{part}.npy") for part in ("data", "indices", "indptr", "y")]
X = sparse.csr_matrix(tuple(held[:3]), shape=(len(held[3]), int(sys.argv[2])), copy=False)
maxmargin.LinearSVC(loss=sys.argv[3]).fit(X[:50], np.arange(50) % 2)
def kilobytes(what):
    return int(next(line for line in open("/proc/self/status") if line.startswith(what)).split()[1])
open("/proc/self/clear_refs", "w").write("5")  # forget the peak so far, which would hide this one
before = kilobytes("VmRSS")
maxmargin.LinearSVC(loss=sys.argv[3], max_time=30).fit(X, held[3])
print((kilobytes("VmHWM") - before) * 1024 / sum(part.nbytes for part in held[:3]))
"""


def memory(folder: Path) -> dict[str, float]:
    """Rise of peak memory while imdb_bow is fitted from float32 CSR, in sizes of the input, in a process of its own."""
    X, y = load("imdb_bow", folder)
    rise = {}
    with tempfile.TemporaryDirectory() as place:
        for part, values in (("data", X.data.astype(np.float32)), ("indices", X.indices), ("indptr", X.indptr), ("y", y)):
            np.save(f"{place}/{part}.npy", values)
        for loss in ("squared_hinge", "hinge"):
            asked = [sys.executable, "-c", _MEMORY, place, str(X.shape[1]), loss]
            rise[loss] = float(subprocess.run(asked, check=True, capture_output=True, text=True, env=os.environ).stdout)
    return rise
