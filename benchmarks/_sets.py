"""The tasks of each suite: a data set, C and γ."""

from __future__ import annotations

import lzma
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn import datasets
from sklearn.preprocessing import StandardScaler


@dataclass(frozen=True)
class Task:
    """A fit to time. ``rows`` picks ``default_rng(0).permutation(n)[:rows]``."""

    name: str
    source: str
    C: float
    gamma: float | str
    rows: int | None = None
    standardised: bool = False
    repeats: int = 3
    cap: float | None = None  # seconds after which a fit is stopped, each in a process of its own

    def load(self, folder: Path | None) -> tuple[NDArray[np.float64], NDArray[Any]]:
        """Dense float64 rows and labels."""
        X, y = _BUNDLED[self.source](return_X_y=True) if self.source in _BUNDLED else read(self.source, folder)
        if self.rows is not None:
            chosen = np.random.default_rng(0).permutation(len(y))[: self.rows]
            X, y = X[chosen], y[chosen]
        if self.standardised:
            X = StandardScaler().fit_transform(X)
        return np.ascontiguousarray(X, dtype=np.float64), y


_BUNDLED: dict[str, Callable[..., Any]] = {
    "iris": datasets.load_iris,
    "breast_cancer": datasets.load_breast_cancer,
    "digits": datasets.load_digits,
}


def read(source: str, folder: Path | None) -> tuple[Any, Any]:
    """Dense rows and targets of a file of the data folder."""
    if folder is None:
        raise SystemExit(f"{source} is not bundled with scikit-learn: give the folder that has it, make bench DATA=folder")
    if source.endswith(".npz"):
        held = np.load(folder / source)
        return held["X"] / 255.0, held["y"]
    with lzma.open(folder / f"{source}.xz") as file:
        X, y = datasets.load_svmlight_file(file)
    return X.toarray(), y


SUITES: dict[str, list[Task]] = {
    "kernel": [
        Task("a9a", "a9a", 1, 1 / 123, rows=15000),
        Task("ijcnn1", "ijcnn1", 10, 1.0),
        Task("w7a", "w7a", 1, 0.05),
        Task("covtype.20k", "covtype.20k", 10, 2 / 54, standardised=True),
        Task("letter", "letter.scale", 10, 1.0),
        Task("usps", "usps_zip", 10, 1 / 64),
        Task("mnist 10k", "mnist.npz", 5, 0.02, rows=10000),
        Task("splice", "splice", 1, 0.01, repeats=9),
        Task("svmguide1", "svmguide1", 10, 0.25, standardised=True, repeats=9),
        Task("magic04 8k", "magic04", 10, 0.1, rows=8000, standardised=True),
    ],
    "small": [
        Task("iris", "iris", 1, "scale", repeats=101),
        Task("breast cancer", "breast_cancer", 1, "scale", repeats=41),
        Task("digits", "digits", 1, "scale", repeats=15),
    ],
    "large_c": [
        Task("magic04 8k, C = 1e3", "magic04", 1e3, 0.1, rows=8000, standardised=True),
        Task("magic04 8k, C = 1e4", "magic04", 1e4, 0.1, rows=8000, standardised=True, repeats=1, cap=600.0),
    ],
}
