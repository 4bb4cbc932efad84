"""A grid of 10 values of C and 10 of gamma, five folds: ours and the peers', each search in a process of its own."""

from __future__ import annotations

import importlib
import importlib.util
import json
import multiprocessing
import os
import time
import warnings
from pathlib import Path
from typing import Any, Final

import numpy as np
from joblib.externals.loky import get_reusable_executor
from numpy.typing import NDArray
from sklearn.datasets import make_classification
from sklearn.model_selection import GridSearchCV as PeerSearch
from sklearn.svm import SVC as PeerSVC

import maxmargin
from benchmarks._fits import end
from benchmarks._sets import Task
from maxmargin.model_selection import GridSearchCV

FOLDS: Final = 5
CAP: Final = 600.0  # seconds for a peer's search
ROUNDS: Final = 3
TASKS: Final = (
    Task("generated", "", 1, "scale"),
    Task("splice", "splice", 1, "scale"),
    Task("svmguide1", "svmguide1", 1, "scale", standardised=True),
    Task("segment", "segment.scale", 1, "scale"),
    Task("dna", "dna.scale", 1, "scale"),
)


def _load(task: Task, folder: Path | None) -> tuple[NDArray[np.float64], NDArray[Any]]:
    return make_classification(2000, 20, random_state=0) if task.source == "" else task.load(folder)


def _grid(X: NDArray[np.float64]) -> dict[str, NDArray[np.float64]]:
    """C over six decades, gamma over four, around 1 / (features · variance)."""
    return {"C": np.logspace(-2, 4, 10), "gamma": np.logspace(-2, 2, 10) / (X.shape[1] * X.var())}


def _search(which: str, task: Task, folder: Path | None, results: Any) -> None:
    os.setsid()
    warnings.simplefilter("ignore")
    X, y = _load(task, folder)
    for _ in range(ROUNDS if which == "maxmargin" else 1):
        if which == "maxmargin":
            search = GridSearchCV(maxmargin.SVC(), _grid(X), cv=FOLDS, refit=False)
        else:
            peer = PeerSVC if which == "scikit-learn" else importlib.import_module("sklearnex.svm").SVC
            search = PeerSearch(peer(cache_size=1000), _grid(X), cv=FOLDS, refit=False, n_jobs=2)
        begin = time.perf_counter()
        search.fit(X, y)
        scores = np.array([search.cv_results_[f"split{fold}_test_score"] for fold in range(FOLDS)])
        results.put((time.perf_counter() - begin, scores))
    get_reusable_executor().shutdown(wait=True)


def _timed(which: str, task: Task, folder: Path | None) -> tuple[float, NDArray[np.float64] | None]:
    """Seconds and scores; of a search that was stopped at the cap these seconds, and no scores. Of ours the median."""
    context = multiprocessing.get_context("spawn")
    results = context.Queue()
    process = context.Process(target=_search, args=(which, task, folder, results))
    process.start()
    found = []
    try:
        for _ in range(ROUNDS if which == "maxmargin" else 1):
            found.append(results.get(timeout=CAP))
    except Exception:
        return CAP, None
    finally:
        end(process)
    return float(np.median([seconds for seconds, _ in found])), found[-1][1]


def run(folder: Path | None, output: Path, only: str | None) -> None:
    """Print a line a set, and keep all of it."""
    results = []
    for task in TASKS:
        if only is not None and task.name not in only.split(","):
            continue
        (ours, scores), (theirs, peer_scores) = (_timed(which, task, folder) for which in ("maxmargin", "scikit-learn"))
        assert scores is not None
        apart = None if peer_scores is None else float(np.abs(scores.mean(axis=0) - peer_scores.mean(axis=0)).max())
        intel = _timed("intelex", task, folder)[0] if importlib.util.find_spec("sklearnex") else None
        held = {"task": task.name, "seconds": ours, "peer_seconds": theirs, "intelex_seconds": intel}
        results.append({**held, "ratio": theirs / ours, "apart": apart})
        said = "stopped" if apart is None else f"mean scores at most {apart:.4f} apart"
        beside = "" if intel is None else f"; intelex {intel:.4g} s: {intel / ours:.1f}x"
        print(
            f"{task.name:<10} ours {ours:.3g} s, scikit-learn {theirs:.4g} s: {theirs / ours:.1f}x, {said}{beside}", flush=True
        )
    mean = float(np.exp(np.mean([np.log(found["ratio"]) for found in results])))
    print(f"geometric mean: {mean:.1f}x")
    output.mkdir(parents=True, exist_ok=True)
    held = {"threads": maxmargin.get_threads(), "results": results, "geometric_mean": mean}
    (output / "tuning.json").write_text(json.dumps(held, indent=1), encoding="utf-8")
    print(f"written: {output / 'tuning.json'}")
