"""Small sets of two classes for the contracts of linear models."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.datasets import make_classification

__all__ = ["linear_sets"]


def linear_sets(wide: tuple[int, int], words: tuple[int, int]) -> dict[str, tuple[Any, NDArray[Any]]]:
    """Rows and labels by name; the shapes of the wide ones decide which path of a solver they take."""
    X, y = make_classification(150, 8, n_informative=5, flip_y=0.2, random_state=0)
    noise = np.random.default_rng(0).normal(size=wide)
    counts = sparse.random(*words, density=0.02, random_state=1, format="csr")
    return {
        "overlap": (X, y),
        "uneven": (np.vstack([X[y == 0], X[y == 1][:5]]), np.r_[np.zeros((y == 0).sum()), np.ones(5)]),
        "wide": (noise, noise[:, 0] > 0.2),
        "words": (counts, np.asarray(counts[:, :40].sum(axis=1)).ravel() > 0.35),
        "one feature": (X[:, :1], y),
        "doubled": (np.vstack([X[:40]] * 2), np.r_[y[:40], 1 - y[:40]]),
    }
