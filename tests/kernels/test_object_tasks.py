"""Generated tasks where the objects say what no mean vector of theirs does: the kernel must be at least ten points better."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from benchmarks import _object_scores as tasks
from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from maxmargin import SVC
from maxmargin.kernels import GlobalAlignment, RelationalKernel, SetKernel

TASKS: dict[str, tuple[Any, Callable[..., Any], Callable[[Any], Any]]] = {
    "bags": (SetKernel(), tasks.bags, lambda bag: bag.mean(axis=0)),
    "records": (RelationalKernel(), tasks.records, lambda record: np.r_[record[0], record[1].mean(axis=0)]),
    "series": (GlobalAlignment(), tasks.series, lambda x: np.array([x.mean(), x.std()])),
}


@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize("seed", [1, 2])
def test_ten_points_more_than_the_mean_vector(task: str, seed: int) -> None:
    """By default parameters, on other draws than those of the benchmark."""
    kernel, make, mean = TASKS[task]
    X, y = make(120, seed)
    folds = StratifiedKFold(4, shuffle=True, random_state=0)
    by_means = cross_val_score(make_pipeline(StandardScaler(), SVC(C=10)), np.array([mean(x) for x in X]), y, cv=folds).mean()
    by_kernel = cross_val_score(SVC(kernel=kernel, C=10), X, y, cv=folds).mean()
    assert by_kernel >= by_means + 0.1
