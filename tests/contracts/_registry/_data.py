"""Small sets of rows, each degenerate in its own way."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

import numpy as np
from sklearn import datasets

from ._programs import Array


def _iris_pair() -> tuple[Array, Array]:
    X, y = datasets.load_iris(return_X_y=True)
    return X[y > 0], np.where(y[y > 0] == 2, 1.0, -1.0)


def _moons() -> tuple[Array, Array]:
    X, y = datasets.make_moons(80, noise=0.2, random_state=0)
    return X, 2.0 * y - 1.0


def _lattice() -> tuple[Array, Array]:
    """Many equal distances and equal rows with opposite labels: the optimum is degenerate."""
    X = np.array([[i % 4, i // 4 % 4] for i in range(40)], dtype=float)
    return X, np.where((X.sum(axis=1) % 3 == 0) ^ (np.arange(40) % 7 == 0), 1.0, -1.0)


def _wide() -> tuple[Array, Array]:
    X, y = datasets.make_classification(30, 50, n_informative=10, random_state=1)
    return X, 2.0 * y - 1.0


def _skewed() -> tuple[Array, Array]:
    rng = np.random.default_rng(2)
    return np.vstack([rng.normal(0, 1, (57, 3)), rng.normal(1, 1, (3, 3))]), np.repeat([-1.0, 1.0], [57, 3])


def _two_rows() -> tuple[Array, Array]:
    return np.array([[0.0, 1.0], [2.0, -1.0]]), np.array([1.0, -1.0])


DATA: dict[str, Callable[[], tuple[Array, Array]]] = {
    "iris": lru_cache(_iris_pair),
    "moons": lru_cache(_moons),
    "lattice": lru_cache(_lattice),
    "wide": lru_cache(_wide),
    "skewed": lru_cache(_skewed),
    "two rows": lru_cache(_two_rows),
}
"""Small enough for a general QP solver, each degenerate in its own way."""

BOXES: dict[str, Callable[[int], Array]] = {
    "C=0.1": lambda n: np.full(n, 0.1),
    "C=10": lambda n: np.full(n, 10.0),
    "C=1e3": lambda n: np.full(n, 1e3),
    "a C for each row": lambda n: np.random.default_rng(4).lognormal(0, 1.5, n),
}
