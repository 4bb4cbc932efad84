"""``search="auto"`` of `SVCCV` and `SVRCV` beside the whole grid, in turn: seconds, cells, and the score in standard errors."""

from __future__ import annotations

import json
import time
import warnings
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import numpy as np
from sklearn.preprocessing import StandardScaler

import maxmargin
from benchmarks._sets import Task

ROUNDS: Final = 3
TASKS: Final = (
    Task("heart", "heart_scale", 1, "scale"),
    Task("german", "german.numer_scale", 1, "scale"),
    Task("sonar", "sonar", 1, "scale"),
    Task("ionosphere", "ionosphere", 1, "scale"),
    Task("diabetes", "diabetes", 1, "scale"),
    Task("splice", "splice", 1, "scale"),
    Task("breast cancer", "breast_cancer", 1, "scale"),
    Task("vehicle", "vehicle.scale", 1, "scale"),
    Task("segment", "segment.scale", 1, "scale"),
    Task("svmguide1", "svmguide1", 1, "scale"),
    Task("digits", "digits", 1, "scale"),
    Task("abalone", "abalone", 1, "scale", rows=2000),
    Task("housing", "housing_scale", 1, "scale"),
)
_TARGETS: Final = {"abalone", "housing"}


def _timed(task: Task, folder: Path | None) -> dict[str, Any]:
    """Medians over the rounds; the score that auto misses is in standard errors of the grid's best cell."""
    X, y = replace(task, standardised=False).load(folder)
    X = StandardScaler().fit_transform(X)
    kind = maxmargin.SVRCV if task.name in _TARGETS else maxmargin.SVCCV
    given = {"epsilon": 0.1 * float(np.std(y))} if task.name in _TARGETS else {}
    seconds = np.empty((ROUNDS, 2))
    models = {}
    for turn in range(ROUNDS):
        for which, search in enumerate(("grid", "auto")):
            begin = time.perf_counter()
            models[search] = kind(search=search, **given).fit(X, y)
            seconds[turn, which] = time.perf_counter() - begin
    grid, auto = models["grid"], models["auto"]
    results, at = grid.cv_results_, grid.best_index_
    error = float(results["std_test_score"][at]) / np.sqrt(len(grid.scores_))
    missing = float(grid.best_score_ - auto.best_score_)
    return {
        "task": task.name,
        "rows": len(y),
        "seconds": dict(zip(("grid", "auto"), np.median(seconds, axis=0).tolist(), strict=True)),
        "ratio": float(np.median(seconds[:, 0] / seconds[:, 1])),
        "cells": [len(each.cv_results_["params"]) for each in (grid, auto)],
        "scores": [grid.best_score_, auto.best_score_],
        "missing": 0.0 if missing <= 0.0 else missing / error,
    }


def run(folder: Path | None, output: Path, only: str | None) -> None:
    """Print a line a set, and keep all of it."""
    warnings.simplefilter("ignore")
    results = []
    maxmargin.SVCCV(search="auto").fit(*Task("", "iris", 1, "scale").load(None))
    for task in TASKS:
        if only is not None and task.name not in only.split(","):
            continue
        results.append(found := _timed(task, folder))
        took = found["seconds"]
        print(
            f"{task.name:<14} grid {took['grid']:.3g} s, auto {took['auto']:.3g} s: {found['ratio']:.2f}x,"
            f" {found['cells'][1]} of {found['cells'][0]} cells, {found['missing']:.2f} standard errors below the best",
            flush=True,
        )
    median = float(np.median([found["ratio"] for found in results]))
    print(f"median: {median:.2f}x, at most {max(found['missing'] for found in results):.2f} standard errors below the best")
    output.mkdir(parents=True, exist_ok=True)
    held = {"threads": maxmargin.get_threads(), "results": results, "median": median}
    (output / "auto.json").write_text(json.dumps(held, indent=1), encoding="utf-8")
    print(f"written: {output / 'auto.json'}")
