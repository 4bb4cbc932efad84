"""A path of 20 values of C: each fit from the one before, and each anew, in turn."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import numpy as np

import maxmargin
from benchmarks._sets import Task

PRICES = np.geomspace(1e-2, 1e3, 20)
TASKS = (
    Task("splice", "splice", 1, 0.01, repeats=7),
    Task("svmguide1", "svmguide1", 1, 0.25, standardised=True, repeats=5),
    Task("a9a 3k", "a9a", 1, 1 / 123, rows=3000, repeats=3),
)


def _timed(task: Task, folder: Path | None) -> dict[str, Any]:
    """Seconds and steps of each fit, medians over several paths; the two fits of a value of C stand next to each other."""
    X, y = task.load(folder)
    seconds = np.empty((task.repeats, len(PRICES), 2))
    steps = np.empty((len(PRICES), 2))
    worse = 0.0
    for path in range(task.repeats):
        warm = maxmargin.SVC(gamma=task.gamma, warm_start=True)
        for k, C in enumerate(PRICES):
            duals = []
            for which, model in enumerate((warm.set_params(C=C), maxmargin.SVC(gamma=task.gamma, C=C))):
                begin = time.perf_counter()
                model.fit(X, y)
                seconds[path, k, which] = time.perf_counter() - begin
                steps[k, which] = int(model.n_iter_.sum())
                assert model.status_.is_optimal, model.status_
                duals.append(model.certificate_.dual_objective)
            worse = max(worse, (duals[1] - duals[0]) / abs(duals[1]))
    each = np.median(seconds, axis=0)
    warm_total, cold_total = each.sum(axis=0)
    return {
        "task": task.name,
        "rows": len(y),
        "C": PRICES.tolist(),
        "seconds": {"warm": each[:, 0].tolist(), "cold": each[:, 1].tolist()},
        "steps": {"warm": steps[:, 0].tolist(), "cold": steps[:, 1].tolist()},
        "time_ratio": float(warm_total / cold_total),
        "step_ratio": float(steps[:, 0].sum() / steps[:, 1].sum()),
        "dual_below_cold": worse,
    }


def run(folder: Path | None, output: Path) -> None:
    """Print a line a set, and keep all of it."""
    results = []
    for task in TASKS:
        found = _timed(task, folder)
        results.append(found)
        warm, cold = (sum(found["seconds"][which]) for which in ("warm", "cold"))
        print(
            f"{found['task']:<10} {found['rows']} rows, {len(PRICES)} values of C: warm {warm:.4g} s, cold {cold:.4g} s:"
            f" {found['time_ratio']:.2f} of the time, {found['step_ratio']:.2f} of the steps, dual objective at most"
            f" {found['dual_below_cold']:.1e} below",
            flush=True,
        )
    mean = float(np.exp(np.mean([np.log(found["time_ratio"]) for found in results])))
    print(f"geometric mean of the time: {mean:.2f}")
    output.mkdir(parents=True, exist_ok=True)
    (output / "path.json").write_text(json.dumps({"results": results, "geometric_mean": mean}, indent=1), encoding="utf-8")
    print(f"written: {output / 'path.json'}")
