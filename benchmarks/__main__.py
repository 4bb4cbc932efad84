"""Times fits and predictions of ours and of the peers, interleaved, and says how good each model is."""

from __future__ import annotations

import argparse
import json
import math
import time
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import numpy as np

import maxmargin
from benchmarks import (
    _approximate,
    _auto,
    _blocks,
    _crammer_singer,
    _distributed,
    _families,
    _growth,
    _linear,
    _linear_objective,
    _objects,
    _path,
    _probabilities,
    _regimes,
    _torchkm,
    _tuning,
    _tuning_linear,
)
from benchmarks._evaluator import judge
from benchmarks._fits import capped, contestants, fit
from benchmarks._sets import SUITES, Task

PREDICTED_ROWS = 2000
_OF_THEIR_OWN = {
    "approximate": _approximate.run,
    "auto": _auto.run,
    "blocks": _blocks.run,
    "distributed": _distributed.run,
    "objects": _objects.run,
    "probabilities": _probabilities.run,
    "regimes": _regimes.run,
    "tuning": _tuning.run,
    "tuning_linear": _tuning_linear.run,
    "torchkm": _torchkm.run,
}


def _timed(task: Task, folder: Path | None) -> dict[str, Any]:
    """Medians, and medians of the ratios within each round: what disturbs the machine disturbs a whole round.

    A fit that was stopped at the task's cap counts as the cap, and has neither predictions nor a verdict.
    """
    X, y = task.load(folder)
    gamma = 1 / (X.shape[1] * X.var()) if task.gamma == "scale" else float(task.gamma)
    new = X[:PREDICTED_ROWS].copy()
    names = list(contestants())
    fits: dict[str, list[float]] = {name: [] for name in names}
    predictions: dict[str, list[float]] = {name: [] for name in names}
    models = {}
    for _ in range(task.repeats):
        for name in names:
            model, seconds = (fit if task.cap is None else capped)(name, X.copy(), y, task, gamma)
            fits[name].append(seconds)
            start = time.perf_counter()
            if model is not None:
                model.predict(new)
                models[name] = model
            predictions[name].append(time.perf_counter() - start if model is not None else math.nan)
    verdicts = {name: judge(model, X, y, task.C, gamma) for name, model in models.items()}
    best = max(verdict.dual for verdict in verdicts.values())
    return {
        "task": task.name,
        "rows": len(y),
        "stopped": [name for name in names if name not in models],
        **_summary(fits, predictions),
        "violation": {name: verdict.violation for name, verdict in verdicts.items()},
        "below_best_dual": {name: (best - verdict.dual) / abs(best) for name, verdict in verdicts.items()},
    }


def _summary(fits: dict[str, list[float]], predictions: dict[str, list[float]]) -> dict[str, Any]:
    return {
        "fit": {name: float(np.median(values)) for name, values in fits.items()},
        "predict": {name: float(np.median(values)) for name, values in predictions.items()},
        "fit_ratio": _ratios(fits),
        "predict_ratio": _ratios(predictions),
    }


def _of_families(suite: str, folder: Path | None) -> Iterator[dict[str, Any]]:
    for found in _families.timed(suite, folder):
        yield found | _summary(found.pop("fits"), found.pop("predictions"))


def _ratios(times: dict[str, list[float]]) -> dict[str, float]:
    ours = np.array(times["maxmargin"])
    return {name: float(np.median(np.array(values) / ours)) for name, values in times.items() if name != "maxmargin"}


def _print(result: dict[str, Any]) -> None:
    parts = [f"{result['task']:<20} {result['rows']:>6} rows"]
    for what in ("fit", "predict"):
        times = " ".join(f"{name} {seconds:.4g} s" for name, seconds in result[what].items())
        stopped = result["stopped"]
        ratios = ", ".join(f"{'≥ ' * (n in stopped)}{ratio:.2f}x {n}" for n, ratio in result[f"{what}_ratio"].items())
        parts.append(f"    {what}: {times}  ->  {ratios}")
    parts.append("    violation: " + " ".join(f"{name} {value:.1e}" for name, value in result["violation"].items()))
    parts.append("    dual below the best: " + " ".join(f"{n} {v:.1e}" for n, v in result["below_best_dual"].items()))
    print("\n".join(parts), flush=True)


def _means(results: list[dict[str, Any]]) -> dict[str, dict[str, float]]:
    return {
        what: {
            name: float(np.exp(np.mean([np.log(result[what][name]) for result in results if name in result[what]])))
            for name in results[0][what]
        }
        for what in ("fit_ratio", "predict_ratio")
    }


def _group(result: dict[str, Any], suite: str) -> str:
    """What has a mean of its own: an estimator, or the whole suite."""
    return str(result["task"]).split(",")[0] if suite in _families.SUITES else suite


def _draw(results: list[dict[str, Any]], file: Path) -> None:
    figure, axes = plt.subplots(1, 2, figsize=(11, 0.45 * len(results) + 1.6), sharey=True, layout="constrained")
    places = np.arange(len(results))
    for ax, what in zip(axes, ("fit_ratio", "predict_ratio"), strict=True):
        peers = list(results[0][what])
        for k, peer in enumerate(peers):
            values = [result[what].get(peer, np.nan) for result in results]
            bars = ax.barh(places + (k - (len(peers) - 1) / 2) * 0.38, values, height=0.36, label=peer)
            ax.bar_label(bars, fmt="%.1f", padding=2, fontsize=8)
        ax.axvline(1, color="black", linewidth=0.8)
        ax.set(xscale="log", xlabel=f"times faster, {what.removesuffix('_ratio')}")
        ax.set_yticks(places, [result["task"] for result in results])
    axes[0].invert_yaxis()
    axes[1].legend(title="against", frameon=False)
    figure.savefig(file, dpi=120)


def main() -> None:
    """Run one suite."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument(
        "suite",
        choices=[*SUITES, *_families.SUITES, "growth", "joint", "path", *_OF_THEIR_OWN, *_linear.SUITES, "linear_objective"],
    )
    parser.add_argument("--data", type=Path, help="folder with the data sets")
    parser.add_argument("--only", help="comma-separated names of tasks")
    parser.add_argument("--output", type=Path, default=Path("build/bench"))
    asked = parser.parse_args()
    if asked.suite == "growth":
        _growth.run(asked.output)
        return
    if asked.suite == "joint":
        _crammer_singer.run(asked.data, asked.output)
        return
    if asked.suite == "path":
        _path.run(asked.data, asked.output)
        return
    if asked.suite in _OF_THEIR_OWN:
        _OF_THEIR_OWN[asked.suite](asked.data, asked.output, asked.only)
        return
    if asked.suite in _linear.SUITES:
        _linear.run(asked.suite, asked.output, asked.data, asked.only)
        return
    if asked.suite == "linear_objective":
        _linear_objective.run(asked.output, asked.data, asked.only)
        return
    warnings.simplefilter("ignore")
    _timed(Task("warm-up", "iris", 1, "scale", repeats=2), None)
    if asked.suite in _families.SUITES:
        found = _of_families(asked.suite, asked.data)
    else:
        tasks = [task for task in SUITES[asked.suite] if asked.only is None or task.name in asked.only.split(",")]
        found = (_timed(task, asked.data) for task in tasks)
    results = []
    for result in found:
        results.append(result)
        _print(result)
    means = {}
    for group in dict.fromkeys(_group(result, asked.suite) for result in results):
        means[group] = _means([result for result in results if _group(result, asked.suite) == group])
        for what, ratios in means[group].items():
            print(f"{group}, geometric mean, {what}: " + ", ".join(f"{ratio:.2f}x {name}" for name, ratio in ratios.items()))
    asked.output.mkdir(parents=True, exist_ok=True)
    held = {"suite": asked.suite, "threads": maxmargin.get_threads(), "results": results, "geometric_means": means}
    (asked.output / f"{asked.suite}.json").write_text(json.dumps(held, indent=1), encoding="utf-8")
    _draw(results, asked.output / f"{asked.suite}.png")
    print(f"written: {asked.output / asked.suite}.json, .png")


if __name__ == "__main__":
    main()
