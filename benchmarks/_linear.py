"""Linear models: time to a relative suboptimality of 1e-3, ours and the peers', at the loosest tolerance that reaches it."""

from __future__ import annotations

import json
import lzma
import math
import multiprocessing
import os
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.datasets import load_svmlight_file
from sklearn.preprocessing import StandardScaler

from benchmarks import _linear_peers as peers
from maxmargin.problems import PrimalProblem

SETS = (
    *("splice", "mushrooms", "w7a", "a9a", "ijcnn1", "madelon standardised", "covtype.20k standardised", "skin_nonskin"),
    *("mnist", "news20", "sector.scale", "imdb_bow"),
)
LOSSES = ("squared_hinge", "hinge", "logistic")
PRICES = (1.0, 100.0)
CLOSE = 1e-3
EXACT = 1e-7
CAP = 120.0
MNIST_ROWS = 20_000


def load(name: str, folder: Path) -> tuple[Any, NDArray[np.float64]]:
    """Rows as the file has them, dense if more than a third is not 0; of many classes the upper half against the lower."""
    if name == "mnist":
        with np.load(folder / "mnist.npz") as held:
            digits, X = held["y"][:MNIST_ROWS], held["X"][:MNIST_ROWS]
        return np.ascontiguousarray(X.reshape(len(digits), -1) / 255.0), np.where(digits < 5, 1.0, -1.0)
    file, _, how = name.partition(" ")
    with lzma.open(folder / f"{file}.xz") as stream:
        X, y = load_svmlight_file(stream)
    labels = np.unique(y)
    upper = y > (labels[0] if len(labels) == 2 else np.median(labels))
    if how or X.nnz > X.shape[0] * X.shape[1] / 3:
        X = np.ascontiguousarray(X.toarray())
    else:  # scikit-learn's LinearSVC takes no others
        X.indices, X.indptr = X.indices.astype(np.int32), X.indptr.astype(np.int32)
    return (StandardScaler().fit_transform(X) if how else X), np.where(upper, 1.0, -1.0)


def objective(X: Any, y: NDArray[np.float64], w: NDArray[np.float64], b: float, C: float, loss: str) -> float:
    """What all minimise, in float64; the logistic loss is without b."""
    margins = y * (X @ w + b)
    slack = np.maximum(0.0, 1.0 - margins)
    values = {"hinge": slack, "squared_hinge": slack * slack, "logistic": np.logaddexp(0.0, -margins)}
    value = values[loss].sum()
    return 0.5 * float(w @ w) + 0.5 * b * b + C * float(value)


def _serve(pipe: Any, name: str, folder: Path) -> None:
    """Fits of one process that keeps its data: what takes too long is killed with it."""
    warnings.simplefilter("ignore")
    X, y = load(name, folder)
    while True:
        who, C, loss, tol, most = pipe.recv()
        try:
            seconds, w, b, ran_out = peers.fit(who, X, y, C, loss, tol, most, CAP)
        except Exception as wrong:  # a peer may refuse what it is given: that is its result
            pipe.send((math.inf, math.inf, False, repr(wrong)))
        else:
            pipe.send((seconds, objective(X, y, w, b, C, loss), ran_out, ""))


class _Server:
    """Runs fits, and starts again after one that had to be stopped."""

    def __init__(self, name: str, folder: Path) -> None:
        self._args = (name, folder)
        self._begin()

    def _begin(self) -> None:
        self._pipe, there = multiprocessing.Pipe()
        self._process = multiprocessing.get_context("spawn").Process(target=_serve, args=(there, *self._args), daemon=True)
        self._process.start()

    def fit(self, *asked: Any) -> tuple[float, float, bool, str] | None:
        """Seconds, objective, whether it ran to its limit, what went wrong; None at the cap."""
        self._pipe.send(asked)
        try:
            if self._pipe.poll(CAP + 60.0):
                found: tuple[float, float, bool, str] = self._pipe.recv()
                return found if found[0] <= CAP or found[3] else None
        except EOFError:  # the process died
            pass
        self.stop()
        self._begin()
        return None

    def stop(self) -> None:
        self._process.kill()
        self._process.join()


def _least(server: _Server, who: str, C: float, loss: str, best: float) -> dict[str, Any]:
    """The first of the tries that comes within 1e-3 of the best, without those that cannot be it.

    Only a fit that was stopped counts as the cap. Where all tries end and none is close, the longest of them is what it would
    have taken at least: a bound too, and said to be one.
    """
    runs: list[dict[str, Any]] = []
    few_ran_out = False
    for tol, most in peers.tries(who):
        if most == peers.FEW and few_ran_out:
            continue  # the same fit again
        if most == peers.MANY and not few_ran_out:
            continue  # it ended before
        found = server.fit(who, C, loss, tol, most)
        if found is None:
            return {"seconds": CAP, "ending": "capped", "runs": runs}  # and so would all that follow
        seconds, value, ran_out, wrong = found
        runs.append({"tol": tol, "max_iter": most, "seconds": seconds, "above": (value - best) / best, "wrong": wrong})
        few_ran_out = ran_out if most == peers.FEW else few_ran_out
        if value <= best * (1 + CLOSE):
            return {"seconds": seconds, "ending": "close", "runs": runs}
        if wrong:
            return {"seconds": math.nan, "ending": "failed", "runs": runs}
    return {"seconds": max(run["seconds"] for run in runs), "ending": "never close", "runs": runs}


def timed(folder: Path, names: list[str], losses: list[str], prices: list[float]) -> Iterator[dict[str, Any]]:
    """For every set, loss and C: the least time of each that comes within 1e-3 of our objective at a tolerance of 1e-7."""
    for name in names:
        server = _Server(name, folder)
        X, _ = load(name, folder)
        for loss in losses:
            for C in prices:
                exact = server.fit(peers.OURS, C, loss, EXACT, peers.FEW)
                best = exact[1] if exact else math.inf
                who = peers.contestants(loss, X.shape[1])
                found = {one: _least(server, one, C, loss, best) for one in who}
                seconds = {one: held["seconds"] for one, held in found.items()}
                yield {
                    "task": f"{name}, {loss}, C = {C:g}",
                    "loss": loss,
                    "C": C,
                    "best": best,
                    "exact_seconds": exact[0] if exact else CAP,
                    "seconds": seconds,
                    "ending": {one: held["ending"] for one, held in found.items()},
                    "ratio": {one: value / seconds[peers.OURS] for one, value in seconds.items() if one != peers.OURS},
                    "runs": {one: held["runs"] for one, held in found.items()},
                }
        server.stop()


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


def _asked(only: str | None) -> tuple[list[str], list[str], list[float]]:
    words = [word.strip() for word in only.split(",")] if only else []
    losses = [word for word in words if word in LOSSES]
    prices = [float(word.removeprefix("C=")) for word in words if word.startswith("C=")]
    names = [word for word in words if word not in LOSSES and not word.startswith("C=")]
    if strange := [name for name in names if name not in SETS]:
        raise SystemExit(f"--only takes sets, losses and prices such as C=1. Unknown: {strange}; sets: {', '.join(SETS)}")
    return names or list(SETS), losses or list(LOSSES), prices or list(PRICES)


def run(output: Path, folder: Path | None, only: str | None) -> None:
    """Print a line each, and keep all of it."""
    if folder is None:
        raise SystemExit("The linear suite needs the folder that has the data: make bench SUITE=linear DATA=folder")
    results = []
    for found in timed(folder, *_asked(only)):
        results.append(found)
        ours = found["ending"][peers.OURS]
        line = [f"{found['task']:<46} ours {found['seconds'][peers.OURS]:.3g} s" + f" ({ours})" * (ours != "close")]
        for one, ratio in found["ratio"].items():
            ending = found["ending"][one]
            line.append(f"{one} {'≥ ' * (ending != 'close')}{ratio:.2f}x" + f" ({ending})" * (ending != "close"))
        print(", ".join(line), flush=True)
    means = {}
    for loss, C in dict.fromkeys((found["loss"], found["C"]) for found in results):
        group = [found["ratio"] for found in results if (found["loss"], found["C"]) == (loss, C)]
        for one in dict.fromkeys(name for ratios in group for name in ratios):
            logs = [math.log(ratios[one]) for ratios in group if math.isfinite(ratios.get(one, math.nan))]
            if logs:
                means[f"{loss}, C = {C:g}, {one}"] = math.exp(sum(logs) / len(logs))
    for what, mean in means.items():
        print(f"geometric mean, {what}: {mean:.2f}x")
    held: dict[str, Any] = {"results": results, "geometric_means": means}
    if only is None:
        held |= {"gigabytes_a_second": passes(), "rise_of_memory": memory(folder)}
        print("GB/s: " + ", ".join(f"{what} {value:.1f}" for what, value in held["gigabytes_a_second"].items()))
        print("rise of memory, inputs: " + ", ".join(f"{what} {v:.2f}" for what, v in held["rise_of_memory"].items()))
    output.mkdir(parents=True, exist_ok=True)
    (output / "linear.json").write_text(json.dumps(held, indent=1), encoding="utf-8")
