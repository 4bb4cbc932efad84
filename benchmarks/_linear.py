"""Linear models: time to a relative suboptimality of 1e-3, ours and LIBLINEAR's through scikit-learn, penalised intercept."""

from __future__ import annotations

import json
import lzma
import multiprocessing
import time
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import sklearn.svm
from numpy.typing import NDArray
from sklearn.datasets import load_svmlight_file
from sklearn.preprocessing import StandardScaler

import maxmargin

SETS = ("splice", "mushrooms", "w7a", "a9a", "ijcnn1", "covtype.20k standardised", "news20", "imdb_bow")
LOSSES = ("squared_hinge", "hinge")
PRICES = (1.0, 100.0)
CLOSE = 1e-3
CAP = 120.0
OURS = [{"tol": tol} for tol in (1e-1, 1e-2, 1e-3)]
THEIRS = [{"tol": tol, "max_iter": most} for most in (1_000, 100_000) for tol in (1e-1, 1e-2, 1e-3, 1e-4)]


def load(name: str, folder: Path) -> tuple[Any, NDArray[np.float64]]:
    """Rows as the file has them, dense if more than a third is not 0; of many classes the upper half against the lower."""
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


def objective(X: Any, y: NDArray[np.float64], model: Any, C: float, loss: str) -> float:
    """What both minimise, in float64."""
    w, b = model.coef_[0], float(model.intercept_[0])
    slack = np.maximum(0.0, 1.0 - y * (X @ w + b))
    return 0.5 * float(w @ w) + 0.5 * b * b + C * float(slack.sum() if loss == "hinge" else slack @ slack)


def _fit(who: str, X: Any, y: Any, C: float, loss: str, settings: dict[str, Any]) -> tuple[float, float, str]:
    if who == "maxmargin":
        model = maxmargin.LinearSVC(loss=loss, C=C, penalise_intercept=True, max_time=CAP, **settings)
    else:
        model = sklearn.svm.LinearSVC(loss=loss, C=C, random_state=0, **settings)
    start = time.perf_counter()
    model.fit(X, y)
    return time.perf_counter() - start, objective(X, y, model, C, loss), str(settings)


def _serve(pipe: Any, name: str, folder: Path) -> None:
    """Fits of one process that keeps its data: what takes too long is killed with it."""
    warnings.simplefilter("ignore")
    X, y = load(name, folder)
    while True:
        who, C, loss, settings = pipe.recv()
        pipe.send(_fit(who, X, y, C, loss, settings))


class _Server:
    """Runs fits, and starts again after one that had to be stopped."""

    def __init__(self, name: str, folder: Path) -> None:
        self._args = (name, folder)
        self._begin()

    def _begin(self) -> None:
        self._pipe, there = multiprocessing.Pipe()
        self._process = multiprocessing.get_context("spawn").Process(target=_serve, args=(there, *self._args), daemon=True)
        self._process.start()

    def fit(self, *asked: Any) -> tuple[float, float, str] | None:
        """Seconds, objective, settings; None at the cap."""
        self._pipe.send(asked)
        if self._pipe.poll(CAP + 60.0):
            found: tuple[float, float, str] = self._pipe.recv()
            return found if found[0] <= CAP else None
        self.stop()
        self._begin()
        return None

    def stop(self) -> None:
        self._process.kill()
        self._process.join()


def timed(folder: Path, only: list[str]) -> Iterator[dict[str, Any]]:
    """For every set, loss and C: the least time of each that comes within 1e-3 of the best objective that any found."""
    for name in only or SETS:
        server = _Server(name, folder)
        for loss in LOSSES:
            for C in PRICES:
                runs: dict[str, list[tuple[float, float, str]]] = {}
                for who, tries in (("maxmargin", OURS), ("scikit-learn", THEIRS)):
                    found = [server.fit(who, C, loss, settings) for settings in tries]
                    runs[who] = [run for run in found if run is not None]
                exact = server.fit("maxmargin", C, loss, {"tol": 1e-7})
                known = [run for group in runs.values() for run in group] + ([exact] if exact else [])
                best = min(value for _, value, _ in known)
                times = {
                    who: min((s for s, value, _ in group if value <= best * (1 + CLOSE)), default=CAP)
                    for who, group in runs.items()
                }
                yield {
                    "task": f"{name}, {loss}, C = {C:g}",
                    "best": best,
                    "ours_above_best": (exact[1] - best) / best if exact else None,
                    "seconds": times,
                    "ratio": times["scikit-learn"] / times["maxmargin"],
                    "runs": runs,
                }
        server.stop()


def run(output: Path, folder: Path | None, only: str | None) -> None:
    """Print a line each, and keep all of it."""
    if folder is None:
        raise SystemExit("The linear suite needs the folder that has the data: make bench SUITE=linear DATA=folder")
    results = []
    for found in timed(folder, only.split(",") if only else []):
        results.append(found)
        ours, theirs = found["seconds"]["maxmargin"], found["seconds"]["scikit-learn"]
        capped = "≥ " * (theirs >= CAP)
        line = f"{found['task']:<50} ours {ours:.3g} s, scikit-learn {capped}{theirs:.3g} s: {capped}{found['ratio']:.1f}x"
        print(line, flush=True)
    for C in PRICES:
        ratios = [np.log(found["ratio"]) for found in results if found["task"].endswith(f"C = {C:g}")]
        print(f"geometric mean at C = {C:g}: {np.exp(np.mean(ratios)):.1f}x")
    output.mkdir(parents=True, exist_ok=True)
    (output / "linear.json").write_text(json.dumps(results, indent=1), encoding="utf-8")
