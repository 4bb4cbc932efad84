"""Linear models that choose C among ten values by five folds: ours and scikit-learn's, each search in a process of its own."""

from __future__ import annotations

import json
import lzma
import multiprocessing
import os
import time
import warnings
from pathlib import Path
from typing import Any, Final

import numpy as np
from joblib.externals.loky import get_reusable_executor
from sklearn.datasets import load_svmlight_file
from sklearn.linear_model import LogisticRegressionCV as PeerLogistic
from sklearn.model_selection import GridSearchCV
from sklearn.svm import LinearSVC as PeerSVC

import maxmargin
from benchmarks._fits import end
from maxmargin import LinearSVCCV, LogisticRegressionCV

FOLDS: Final = 5
LOADING: Final = 60.0  # seconds at most, which do not count
CAP: Final = 60.0  # seconds at most for a search; a peer's is stopped at TIMES ours, which is enough to tell ten times
SHORTEST: Final = 20.0  # cap of a peer
TIMES: Final = 12.0
SETS: Final = ("a9a", "news20", "mnist")
MODELS: Final = ("LinearSVC", "LogisticRegression")
COSTS: Final = {"LinearSVC": np.logspace(-2, 2, 10), "LogisticRegression": np.logspace(-4, 4, 10)}


def _load(name: str, folder: Path) -> tuple[Any, Any]:
    """Sparse a9a and news20, its classes in two halves; 10 000 dense rows of mnist."""
    if name == "mnist":
        with np.load(folder / "mnist.npz") as held:
            return held["X"][:10000] / 255.0, held["y"][:10000]
    with lzma.open(folder / f"{name}.xz") as file:
        X, y = load_svmlight_file(file)
    return X, y > np.median(np.unique(y)) if name == "news20" else y


def _model(which: str, kind: str) -> Any:
    costs = COSTS[kind]
    if which == "maxmargin":
        return (LinearSVCCV if kind == "LinearSVC" else LogisticRegressionCV)(Cs=costs, cv=FOLDS)
    if kind == "LinearSVC":
        return GridSearchCV(PeerSVC(), {"C": costs}, cv=FOLDS, n_jobs=2)
    return PeerLogistic(Cs=costs, cv=FOLDS, n_jobs=2, scoring="accuracy", use_legacy_attributes=False)


def _search(which: str, kind: str, name: str, folder: Path, results: Any) -> None:
    os.setsid()
    warnings.simplefilter("ignore")
    X, y = _load(name, folder)
    model = _model(which, kind)
    results.put(None)
    begin = time.perf_counter()
    model.fit(X, y)
    seconds = time.perf_counter() - begin
    best = model.best_score_ if hasattr(model, "best_score_") else model.scores_.reshape(FOLDS, -1).mean(axis=0).max()
    results.put((seconds, float(best), float(np.nanmax(model.gaps_)) if which == "maxmargin" else None))
    get_reusable_executor().shutdown(wait=True)


def _timed(which: str, kind: str, name: str, folder: Path, cap: float) -> tuple[float, float | None, float | None]:
    """Seconds, best mean score and worst gap; of a search that was stopped at the cap these seconds alone."""
    context = multiprocessing.get_context("spawn")
    results = context.Queue()
    process = context.Process(target=_search, args=(which, kind, name, folder, results))
    process.start()
    try:
        results.get(timeout=LOADING)
        found: tuple[float, float | None, float | None] = results.get(timeout=cap)
    except Exception:
        found = cap, None, None
    finally:
        end(process)
    return found


def run(folder: Path | None, output: Path, only: str | None) -> None:
    """Print a line for each set and model, and keep all of it."""
    if folder is None:
        raise SystemExit("The sets are not bundled with scikit-learn: give the folder that has them, make bench DATA=folder")
    results: list[dict[str, Any]] = []
    for name in SETS:
        for kind in MODELS:
            if only is not None and not {name, kind} & set(only.split(",")):
                continue
            ours, score, gap = _timed("maxmargin", kind, name, folder, CAP)
            if score is None or gap is None:
                print(f"{name:<7} {kind:<18} stopped at {ours:.3g} s", flush=True)
                continue
            theirs, peer_score, _ = _timed("scikit-learn", kind, name, folder, min(CAP, max(SHORTEST, TIMES * ours)))
            ratio, stopped = theirs / ours, peer_score is None
            held = {"set": name, "model": kind, "seconds": ours, "peer_seconds": theirs, "ratio": ratio, "gap": gap}
            results.append({**held, "peer_stopped": stopped})
            said = "stopped there" if stopped else f"best score {score:.4f} and {peer_score:.4f}"
            print(
                f"{name:<7} {kind:<18} {ours:.3g} s, worst gap {gap:.1e};"
                f" scikit-learn {theirs:.4g} s: {'at least ' if stopped else ''}{ratio:.1f}x, {said}",
                flush=True,
            )
    output.mkdir(parents=True, exist_ok=True)
    kept = {"threads": maxmargin.get_threads(), "results": results}
    (output / "tuning_linear.json").write_text(json.dumps(kept, indent=1), encoding="utf-8")
    print(f"written: {output / 'tuning_linear.json'}")
