"""Rows that do not fit into memory: 20 million rows of 40 float32, under a limit that the operating system enforces."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

ROWS, FEATURES = 20_000_000, 40
LIMIT = 1 << 30  # bytes of private memory that can be written: RLIMIT_DATA
_AT_ONCE = 200_000

_FIT = """
import json, resource, sys, threading, time
import numpy as np
from maxmargin import LinearSVC, LogisticRegression, RowBlocks

name, rows, labels, limit = json.loads(sys.argv[1])
resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))
peak = 0


def data():
    return int(next(line for line in open("/proc/self/status") if line.startswith("VmData")).split()[1]) << 10


def watch():
    global peak
    while True:
        peak = max(peak, data())
        time.sleep(0.05)


threading.Thread(target=watch, daemon=True).start()
model = {
    "squared hinge": LinearSVC(tol=1e-3),
    "hinge": LinearSVC(loss="hinge", tol=1e-3),
    "logistic": LogisticRegression(tol=1e-3),
}[name]
blocks = RowBlocks.from_npy(rows, np.load(labels))
start = time.perf_counter()
model.fit(blocks)
seconds = time.perf_counter() - start
print(json.dumps({
    "name": name, "seconds": seconds, "passes": blocks.n_passes, "gap": model.certificate_.relative_gap,
    "status": model.status_.name, "peak_mb": peak / 2**20,
}))
"""

_READ = """
import sys, time
start, room = time.perf_counter(), bytearray(8 << 20)
with open(sys.argv[1], "rb", buffering=0) as file:
    while file.readinto(room):
        pass
print(time.perf_counter() - start)
"""


def write(folder: Path, n: int = ROWS) -> tuple[Path, Path]:
    """Rows and labels, a part at a time: Gaussian features, labels of a logistic model."""
    rows, labels = folder / "rows.npy", folder / "labels.npy"
    weights = np.random.default_rng(1).normal(size=FEATURES).astype(np.float32) / 2.0
    X = np.lib.format.open_memmap(rows, "w+", np.float32, (n, FEATURES))
    y = np.lib.format.open_memmap(labels, "w+", np.int8, (n,))
    for begin in range(0, n, _AT_ONCE):
        rng = np.random.default_rng([7, begin])
        part = rng.standard_normal((min(_AT_ONCE, n - begin), FEATURES), dtype=np.float32)
        X[begin : begin + len(part)] = part
        y[begin : begin + len(part)] = part @ weights + rng.logistic(size=len(part)) > 0.0
    return rows, labels


def run(folder: Path | None, output: Path, only: str | None) -> None:
    """Fit all three in a process each, beside a plain read of the file; the file is deleted at the end."""
    del folder  # the rows are generated
    names = ["squared hinge", "logistic", "hinge"] if only is None else only.split(",")
    results: list[dict[str, Any]] = []
    with tempfile.TemporaryDirectory() as place:
        rows, labels = write(Path(place))
        size = rows.stat().st_size
        reads = [float(_run(_READ, str(rows))) for _ in range(3)]
        print(f"{size / 1e9:.1f} GB; a plain read: {min(reads):.2f} s, {size / min(reads) / 1e9:.2f} GB/s", flush=True)
        for name in names:
            found = json.loads(_run(_FIT, json.dumps([name, str(rows), str(labels), LIMIT])))
            found |= {"read_seconds": min(reads), "bytes": size, "bytes_a_second": found["passes"] * size / found["seconds"]}
            results.append(found)
            print(
                f"{name:<14} {found['seconds']:.1f} s, {found['passes']} passes, {found['seconds'] / found['passes']:.2f}"
                " s each,"
                f" {found['bytes_a_second'] / 1e9:.2f} GB/s; gap {found['gap']:.1e} {found['status']}; peak"
                f" {found['peak_mb']:.0f} MB"
                f" of {LIMIT >> 20}",
                flush=True,
            )
    output.mkdir(parents=True, exist_ok=True)
    (output / "blocks.json").write_text(json.dumps(results, indent=1), encoding="utf-8")
    print(f"written: {output / 'blocks.json'}")


def _run(code: str, argument: str) -> str:
    return subprocess.run([sys.executable, "-c", code, argument], capture_output=True, text=True, check=True).stdout
