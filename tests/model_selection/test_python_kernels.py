"""Kernels that Python computes: how many matrices of them a search keeps at a time."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import StandardScaler

from maxmargin import SVC
from maxmargin.kernels import UserFunction
from maxmargin.model_selection import GridSearchCV

Matrix = NDArray[np.float64]
N = 200  # a matrix takes 320 000 bytes, and a search of one 480 000


def _power(degree: int) -> Callable[[Matrix, Matrix], Matrix]:
    return lambda a, b: np.asarray((a @ b.T + 1.0) ** degree)


KERNELS = [UserFunction(_power(degree)) for degree in (1, 2, 3)]


def _searched(cache_size: float, model: Callable[[SVC], Any], prefix: str) -> GridSearchCV:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(N, 3))
    y = (X[:, 0] * X[:, 1] + 0.3 * rng.normal(size=N) > 0).astype(int)
    grid = {f"{prefix}kernel": KERNELS, f"{prefix}C": [0.1, 1.0]}
    return GridSearchCV(model(SVC(cache_size=cache_size, tol=1e-4)), grid).fit(X, y)


def _plain(model: SVC) -> SVC:
    return model


def _scaled(model: SVC) -> Pipeline:
    return Pipeline([("scale", StandardScaler()), ("svc", model)])


@pytest.mark.parametrize(
    ("model", "prefix", "said"),
    [
        (_plain, "", "At most 2 of 3 kernels at a time: the values of more do not fit into cache_size."),
        (_scaled, "svc__", "the values of a kernel function on all folds do not fit into cache_size"),
    ],
)
def test_matrices_stay_within_the_cache(model: Callable[[SVC], Any], prefix: str, said: str) -> None:
    small, large = _searched(0.7, model, prefix), _searched(100.0, model, prefix)
    assert said in small.shared_
    assert "do not fit" not in large.shared_
    difference = np.abs(small.cv_results_["mean_test_score"] - large.cv_results_["mean_test_score"])
    assert difference.max() <= 1 / N + 1e-12
