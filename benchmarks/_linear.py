"""Linear models: time to a relative suboptimality of 1e-3, ours and the peers', at the loosest tolerance that reaches it."""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import _linear_peers as peers
from benchmarks._linear_server import Server, chosen, load
from maxmargin.problems import PrimalProblem

PRICES = (1.0, 100.0)
CLOSE = 1e-3
EXACT = 1e-7
CAP = 120.0
ROUNDS, SHORT = 5, 1.0  # short fits are made so often, in turn


def _least(server: Server, who: str, C: float, loss: str, best: float) -> dict[str, Any]:
    """The first of the tries that comes within 1e-3 of the best, without those that cannot be it.

    Only a fit that was stopped counts as the cap. Where all tries end and none is close, or they have taken the cap together,
    the longest of them is what it would have taken at least: a bound too, and said to be one.
    """
    runs: list[dict[str, Any]] = []
    few_ran_out = False
    for tol, most in peers.tries(who):
        if most == peers.FEW and few_ran_out:
            continue  # the same fit again
        if most == peers.MANY and not few_ran_out:
            continue  # it ended before
        found = server.fit(peers.Asked(who, C, loss, tol, most, CAP))
        if found is None:
            return {"seconds": CAP, "ending": "capped", "runs": runs}  # and so would all that follow
        run = {"tol": tol, "max_iter": most, "seconds": found.seconds, "wrong": found.wrong}
        runs.append(run | {"above": (found.objective - best) / best})
        few_ran_out = found.ran_out if most == peers.FEW else few_ran_out
        if found.objective <= best * (1 + CLOSE):
            return {"seconds": found.seconds, "ending": "close", "runs": runs, "asked": (tol, most)}
        if found.wrong:
            return {"seconds": math.nan, "ending": "failed", "runs": runs}
        if sum(run["seconds"] for run in runs) >= CAP:
            break
    return {"seconds": max(run["seconds"] for run in runs), "ending": "never close", "runs": runs}


def _in_turn(server: Server, C: float, loss: str, found: dict[str, dict[str, Any]]) -> dict[str, list[float]]:
    """Seconds of several rounds: of short fits that came close in turn, of others the one figure there is."""
    short = {one: held["asked"] for one, held in found.items() if held["ending"] == "close" and held["seconds"] <= SHORT}
    rounds: dict[str, list[float]] = {one: [] for one in found}
    for _ in range(ROUNDS):
        for one, held in found.items():
            fitted = server.fit(peers.Asked(one, C, loss, *short[one], CAP)) if one in short else None
            rounds[one].append(held["seconds"] if fitted is None else fitted.seconds)
    return rounds


def _best(server: Server, C: float, loss: str) -> tuple[float, float]:
    """Our objective at a tolerance of 1e-7, and how long that took: the best there is, or what the cap lets it come to."""
    found = server.fit(peers.Asked(peers.OURS, C, loss, EXACT, peers.FEW, CAP))
    if found is None or found.wrong or not found.relative_gap <= 0.1 * CLOSE:
        raise SystemExit(f"Nothing to measure by: with the {loss} and C = {C:g} ours gave {found}.")
    return found.objective, found.seconds


def timed(folder: Path, names: list[str], losses: list[str], prices: list[float]) -> Iterator[dict[str, Any]]:
    """For every set, loss and C: the least time of each that comes within 1e-3 of our objective at a tolerance of 1e-7.

    Medians of several fits in turn where these are short; a ratio is the median of the ratios.
    Who is stopped at the cap is not asked again at a larger C, where nobody is faster: it counts as the cap there too.
    """
    for name in names:
        server = Server(name, folder)
        for loss in losses:
            stopped: set[str] = set()
            for C in sorted(prices):
                best, exact_seconds = _best(server, C, loss)
                found = {}
                for one in peers.contestants(loss, server.width):
                    if one in stopped:
                        found[one] = {"seconds": CAP, "ending": "capped at a smaller C", "runs": []}
                        continue
                    found[one] = _least(server, one, C, loss, best)
                    if found[one]["ending"] == "capped":
                        stopped.add(one)
                rounds = _in_turn(server, C, loss, found)
                ours = np.array(rounds[peers.OURS])
                yield {
                    "task": f"{name}, {loss}, C = {C:g}",
                    "loss": loss,
                    "C": C,
                    "best": best,
                    "exact_seconds": exact_seconds,
                    "seconds": {one: float(np.median(times)) for one, times in rounds.items()},
                    "ending": {one: held["ending"] for one, held in found.items()},
                    "ratio": {one: float(np.median(times / ours)) for one, times in rounds.items() if one != peers.OURS},
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


def run(output: Path, folder: Path | None, only: str | None) -> None:
    """Print a line each, and keep all of it."""
    if folder is None:
        raise SystemExit("The linear suite needs the folder that has the data: make bench SUITE=linear DATA=folder")
    results = []
    for found in timed(folder, *chosen(only, PRICES)):
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
