"""How time and memory grow with n: ours alone, on one generated family, each n in a process of its own."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt

FEATURES = 10
SIZES = ((5_000, "auto"), (10_000, "auto"), (20_000, "auto"), (40_000, "auto"), (100_000, 500.0))

_FITS = """
import json, resource, sys, time
import numpy as np
from maxmargin import SVC

n, cache_size = json.loads(sys.argv[1])
rng = np.random.default_rng(0)
X = rng.normal(size=(n, 10))
y = np.sin(X[:, 0]) + X[:, 1] * X[:, 2] + 0.3 * rng.normal(size=n) > 0
peak = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
SVC().fit(X[:2000], y[:2000])
before, seconds = peak(), []
for _ in range(2):
    start = time.perf_counter()
    model = SVC(cache_size=cache_size).fit(X, y)
    seconds.append(time.perf_counter() - start)
print(json.dumps({
    "n": n, "cache_size": cache_size, "first": seconds[0], "second": seconds[1], "rise_mb": peak() - before,
    "support": int(model.n_support_.sum()), "status": model.status_.name, "violation": model.certificate_.kkt_violation,
}))
"""


def bound(n: int) -> float:
    """Seconds of a fit that computes the whole matrix once, half of it by symmetry, and writes it, on two AVX2 cores."""
    return n * n * FEATURES / 2 / 75e9 + n * n / 2 * 0.15e-9 + 4 * n * n / 20e9


def run(output: Path) -> None:
    """Fit every size twice: the first fit of a process also pays for the first touch of its memory."""
    results: list[dict[str, Any]] = []
    for size in SIZES:
        done = subprocess.run([sys.executable, "-c", _FITS, json.dumps(size)], capture_output=True, text=True, check=True)
        found = json.loads(done.stdout)
        found["bound"] = bound(found["n"])
        results.append(found)
        print(
            f"n {found['n']:>7}  cache {found['cache_size']!s:>5}  bound {found['bound']:.3f} s  first {found['first']:.2f} s"
            f"  second {found['second']:.2f} s ({found['second'] / found['bound']:.1f} bounds)  rise {found['rise_mb']:.0f} MB"
            f"  {found['support']} support vectors  {found['status']} {found['violation']:.1e}",
            flush=True,
        )
    output.mkdir(parents=True, exist_ok=True)
    (output / "growth.json").write_text(json.dumps(results, indent=1), encoding="utf-8")
    _draw(results, output / "growth.png")
    print(f"written: {output / 'growth'}.json, .png")


def _draw(results: list[dict[str, Any]], file: Path) -> None:
    figure, (time_ax, memory_ax) = plt.subplots(1, 2, figsize=(10, 4), layout="constrained")
    sizes = [found["n"] for found in results]
    for what, label in (("first", "first fit"), ("second", "second fit"), ("bound", "bound of the hardware")):
        time_ax.plot(sizes, [found[what] for found in results], marker="o", label=label)
    time_ax.set(xscale="log", yscale="log", xlabel="rows", ylabel="seconds")
    time_ax.legend(frameon=False)
    memory_ax.plot(sizes, [found["rise_mb"] for found in results], marker="o", color="black")
    for found in results:
        memory_ax.annotate(f"cache {found['cache_size']}", (found["n"], found["rise_mb"]), fontsize=8)
    memory_ax.set(xscale="log", yscale="log", xlabel="rows", ylabel="rise of peak memory, MB")
    figure.savefig(file, dpi=120)
