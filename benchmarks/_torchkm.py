"""TorchKM's protocol (arXiv 2606.06742): 10 folds times 50 values of C on Gaussian clusters, and the fit of the best."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from sklearn.preprocessing import StandardScaler

import maxmargin
from maxmargin import SVC
from maxmargin.model_selection import GridSearchCV

ROWS: Final = 10_000
FEATURES: Final = (10, 100, 1000)
FOLDS: Final = 10
LAMBDAS: Final = np.logspace(-3.0, 3.0, 50)


def _clusters(features: int) -> tuple[NDArray[np.float64], NDArray[np.int_]]:
    """Five centres a class, shifted by 2 on one half of the features; noise of deviation 3; standardised."""
    rng, half = np.random.default_rng(0), features // 2
    y = np.repeat([0, 1], ROWS // 2)
    centres = rng.normal(size=(2, 5, features))
    centres[0, :, :half] += 2.0
    centres[1, :, half:] += 2.0
    X = centres[y, rng.integers(5, size=ROWS)] + 3.0 * rng.normal(size=(ROWS, features))
    order = rng.permutation(ROWS)
    return StandardScaler().fit_transform(X[order]), y[order]


def _gamma(X: NDArray[np.float64]) -> float:
    """2 σ, with σ the mean of the reciprocal 0.9 and 0.1 quantiles of squared distances of random pairs."""
    rng = np.random.default_rng(1)
    a, b = rng.integers(len(X), size=(2, len(X) // 2))
    distances = ((X[a[a != b]] - X[b[a != b]]) ** 2).sum(axis=1)
    return 2.0 * float(np.mean(1.0 / np.quantile(distances, [0.9, 0.1])))


def run(folder: Path | None, output: Path, only: str | None) -> None:
    """Print a line for each number of features, and keep all of it."""
    results: list[dict[str, Any]] = []
    for features in FEATURES:
        if only is not None and str(features) not in only.split(","):
            continue
        X, y = _clusters(features)
        search = GridSearchCV(SVC(gamma=_gamma(X), tol=1e-3), {"C": np.sort(1.0 / (2 * ROWS * LAMBDAS))}, cv=FOLDS)
        begin = time.perf_counter()
        search.fit(X, y)
        seconds = time.perf_counter() - begin
        worst, last = float(search.gaps_.max()), search.best_estimator_.certificate_.relative_gap
        results.append({"features": features, "seconds": seconds, "worst_gap": worst, "last_gap": last})
        print(f"p = {features:<5} {search.gaps_.size} fits and the last one: {seconds:.1f} s,", end=" ")
        print(f"worst gap {worst:.1e}, last {last:.1e}, best score {search.best_score_:.4f}", flush=True)
    output.mkdir(parents=True, exist_ok=True)
    held = {"threads": maxmargin.get_threads(), "results": results}
    (output / "torchkm.json").write_text(json.dumps(held, indent=1), encoding="utf-8")
    print(f"written: {output / 'torchkm.json'}")
