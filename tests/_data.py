"""Data sets for tests: public sets from a folder outside the project, and sets that scikit-learn bundles.

The folder is named by the environment variable ``MAXMARGIN_DATA``; unset, it is ``../shared/data`` seen
from the project. A test that wants a set of an absent folder skips and says so.
"""

from __future__ import annotations

import lzma
import os
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np
import pytest
from scipy import sparse
from sklearn import datasets

PROJECT = Path(__file__).resolve().parents[1]
FULL = os.environ.get("MAXMARGIN_FULL", "") not in ("", "0")
"""True where the whole grid of the agreement tests is asked for (hours on two cores)."""


@dataclass(frozen=True)
class Recipe:
    """How a public set is turned into training rows."""

    file: str
    rows: int | None = None
    scaled: bool = True


PUBLIC = {
    "a9a": Recipe("a9a.xz", rows=3000),
    "w7a": Recipe("w7a.xz", rows=3000),
    "ijcnn1": Recipe("ijcnn1.xz", rows=5000),
    "splice": Recipe("splice.xz", scaled=False),
    "svmguide1": Recipe("svmguide1.xz", scaled=False),
    "heart": Recipe("heart_scale.xz"),
    "german": Recipe("german.numer_scale.xz"),
    "diabetes": Recipe("diabetes.xz", scaled=False),
    "sonar": Recipe("sonar.xz", scaled=False),
    "fourclass": Recipe("fourclass_scale.xz"),
    "ionosphere": Recipe("ionosphere.xz", scaled=False),
    "magic04": Recipe("magic04.xz", rows=2500, scaled=False),
    "letter": Recipe("letter.scale.xz", rows=3000),
    "usps": Recipe("usps_zip.xz", rows=3000),
}
"""The sets of the agreement suite, under the names papers use."""

OTHERS = {
    "cpusmall": Recipe("cpusmall.xz", rows=1200, scaled=False),
    "kin8nm": Recipe("kin8nm.xz", rows=1200, scaled=False),
    "abalone": Recipe("abalone.xz", rows=1200, scaled=False),
    "housing": Recipe("housing_scale.xz"),
    "vehicle": Recipe("vehicle.scale.xz"),
    "segment": Recipe("segment.scale.xz"),
    "dna": Recipe("dna.scale.xz"),
    "mushrooms": Recipe("mushrooms.xz", rows=1200),
    "cpusmall unscaled": Recipe("cpusmall.xz", rows=1200),
    "diabetes unscaled": Recipe("diabetes.xz"),
}
"""Sets of regression, of one class, for searches, and as they come in the file."""

BUNDLED = ("breast_cancer", "wine", "digits")
"""Sets that scikit-learn brings along: these run everywhere."""

UNSEEN = 1000
"""At most so many rows that were not trained on are kept for comparing predictions."""


@dataclass(frozen=True)
class DataSet:
    """Rows to train on, and rows not trained on (possibly none)."""

    name: str
    X: np.ndarray
    y: np.ndarray
    X_unseen: np.ndarray

    @property
    def n_classes(self) -> int:
        return len(np.unique(self.y))

    def as_csr(self) -> sparse.csr_array:
        return sparse.csr_array(self.X)


def data_folder() -> Path:
    """The folder of the public sets, which may not exist."""
    named = os.environ.get("MAXMARGIN_DATA")
    return Path(named) if named else PROJECT.parent / "shared" / "data"


def standardised(X: np.ndarray, like: np.ndarray) -> np.ndarray:
    """``X`` with the columns of ``like`` at mean 0 and deviation 1; constant columns become 0."""
    deviation = like.std(axis=0)
    constant = deviation == 0
    scaled = (X - like.mean(axis=0)) / np.where(constant, 1.0, deviation)
    scaled[:, constant] = 0.0
    return scaled


@lru_cache(maxsize=4)
def _read(path: Path) -> tuple[sparse.csr_matrix, np.ndarray]:
    with lzma.open(path) as file:
        X, y = datasets.load_svmlight_file(file)
    return X, y


def _subset(name: str, X: np.ndarray | sparse.csr_matrix, y: np.ndarray, rows: int | None, scaled: bool) -> DataSet:
    order = np.random.default_rng(0).permutation(len(y))
    used, unseen = order[:rows], order[rows:][:UNSEEN] if rows is not None else order[:0]
    train, rest = (np.ascontiguousarray(A.toarray() if sparse.issparse(A) else A) for A in (X[used], X[unseen]))
    if not scaled:
        train, rest = standardised(train, train), standardised(rest, train)
    return DataSet(name, train, y[used], rest)


@lru_cache(maxsize=4)
def load(name: str, rows: int | None = None) -> DataSet:
    """The set called ``name``, with more or fewer rows if asked; skips the running test where its file is absent."""
    if name in BUNDLED:
        X, y = getattr(datasets, f"load_{name}")(return_X_y=True)
        return _subset(name, X, y, rows=1000 if len(y) > 1000 else None, scaled=False)
    recipe = (PUBLIC | OTHERS)[name]
    path = data_folder() / recipe.file
    if not path.exists():
        pytest.skip(f"{recipe.file} is not in {data_folder()}: set MAXMARGIN_DATA to the folder of the public sets")
    X, y = _read(path)
    return _subset(name, X, y, rows or recipe.rows, recipe.scaled)
