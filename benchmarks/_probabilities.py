"""Probabilities: what they cost in plain fits, and their log-loss beside scikit-learn's two ways."""

from __future__ import annotations

import json
import time
import warnings
from pathlib import Path
from typing import Any, Final

import numpy as np
import sklearn.svm
from numpy.typing import NDArray
from sklearn.calibration import CalibratedClassifierCV
from sklearn.metrics import log_loss
from sklearn.model_selection import StratifiedShuffleSplit

import maxmargin
from benchmarks._sets import Task

SPLITS: Final = 5
ROUNDS: Final = 5
MOST_ROWS: Final = 4000  # for training; scikit-learn's two take minutes beyond
TASKS: Final = (
    Task("splice", "splice", 1, "scale"),
    Task("german", "german.numer_scale", 1, "scale"),
    Task("breast cancer", "breast_cancer", 1, "scale", standardised=True),
    Task("w7a", "w7a", 1, 0.05, rows=2 * MOST_ROWS),
    Task("digits", "digits", 1, "scale"),
    Task("letter", "letter.scale", 10, 1.0, rows=2 * MOST_ROWS),
)


def _models(task: Task) -> dict[str, Any]:
    settings = {"C": task.C, "gamma": task.gamma}
    peer = sklearn.svm.SVC(**settings, cache_size=1000)
    return {
        "maxmargin": maxmargin.SVC(**settings, probability=True),
        "calibrated": CalibratedClassifierCV(peer, ensemble=False),
        "probability=True": sklearn.svm.SVC(**settings, cache_size=1000, probability=True, random_state=0),
    }


def _seconds(model: Any, X: NDArray[np.float64], y: NDArray[Any]) -> float:
    begin = time.perf_counter()
    model.fit(X, y)
    return time.perf_counter() - begin


def _timed(task: Task, folder: Path | None) -> dict[str, Any]:
    """Log-losses of the same splits, and plain fits per fit with probabilities, the median of fits in turn."""
    X, y = task.load(folder)
    splits = StratifiedShuffleSplit(SPLITS, test_size=0.5, random_state=0)
    losses: dict[str, list[float]] = {name: [] for name in _models(task)}
    fits: list[float] = []
    for train, test in splits.split(X, y):
        for name, model in _models(task).items():
            model.fit(X[train], y[train])
            losses[name].append(float(log_loss(y[test], model.predict_proba(X[test]), labels=model.classes_)))
    for _ in range(ROUNDS):
        plain = _seconds(maxmargin.SVC(C=task.C, gamma=task.gamma), X[train], y[train])
        fits.append(_seconds(_models(task)["maxmargin"], X[train], y[train]) / plain)
    means = {name: float(np.mean(found)) for name, found in losses.items()}
    return {"task": task.name, "classes": len(np.unique(y)), "fits": float(np.median(fits)), "log_loss": means}


def run(folder: Path | None, output: Path, only: str | None) -> None:
    """Print a line for each set, and keep all of it."""
    warnings.simplefilter("ignore")  # scikit-learn's probability=True is deprecated
    results = []
    for task in TASKS:
        if only is not None and task.name not in only.split(","):
            continue
        found = _timed(task, folder)
        results.append(found)
        said = ", ".join(f"{name} {loss:.4f}" for name, loss in found["log_loss"].items())
        print(f"{task.name:<14} {found['classes']:>2} classes: {found['fits']:.2f} plain fits; log-loss {said}", flush=True)
    output.mkdir(parents=True, exist_ok=True)
    held = {"threads": maxmargin.get_threads(), "results": results}
    (output / "probabilities.json").write_text(json.dumps(held, indent=1), encoding="utf-8")
    print(f"written: {output / 'probabilities.json'}")
