"""Data and models that are drawn, without a screen."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import matplotlib
import numpy as np
import pytest
from matplotlib import pyplot

from maxmargin import SVC

matplotlib.use("Agg")


@pytest.fixture(autouse=True)
def _close_figures() -> Iterator[None]:
    yield
    pyplot.close("all")


def _blobs(centres: list[tuple[float, float]], per_class: int = 40) -> tuple[Any, Any]:
    rng = np.random.default_rng(0)
    X = np.concatenate([centre + rng.standard_normal((per_class, 2)) for centre in np.asarray(centres)])
    return X, np.repeat(np.arange(len(centres)), per_class)


@pytest.fixture(scope="session")
def two() -> tuple[Any, Any, SVC]:
    X, y = _blobs([(0.0, 0.0), (2.2, 1.0)])
    return X, y, SVC(C=2.0).fit(X, y)


@pytest.fixture(scope="session")
def three() -> tuple[Any, Any, SVC]:
    X, y = _blobs([(0.0, 0.0), (2.5, 0.5), (1.0, 2.5)])
    labels = np.array(["ant", "bee", "cat"])[y]
    return X, labels, SVC().fit(X, labels)
