"""The grid of the agreement suite, and how one fit of it is made and evaluated."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.metrics.pairwise import rbf_kernel

from .._data import BUNDLED, FULL, PUBLIC, DataSet
from ._evaluator import Verdict, judge, subproblems

TOL = 1e-6
"""The tolerance that both libraries are asked for."""

BINARY_1_OF_D = ("a9a", "w7a", "splice")
"""Sets that the literature runs at gamma = 1/d; the others take "scale"."""

SPARSE = ("a9a", "w7a")
"""Sets that ours gets as CSR, while the evaluation and scikit-learn see them dense."""

C_GRID = (1e-3, 1e-2, 1e-1, 1.0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6)
C_SHORT = (1e-3, 1.0, 1e2, 1e4, 1e6)
C_LARGE_SETS = (1e-3, 1.0, 1e2, 1e6)
LARGE = ("a9a", "w7a", "ijcnn1", "svmguide1", "magic04", "letter", "usps")

STEP_CAP = 500_000
STEP_CAP_FULL = 50_000_000
"""scikit-learn's steps a pair in the short and in the full grid. At C = 1e4 and above it needs tens of
millions, or does not end; wherever it stops its multipliers are feasible: its dual objective is a bound that
ours must not be below."""


@dataclass(frozen=True)
class Case:
    """One cell: a data set by name, and C."""

    name: str
    C: float

    def __str__(self) -> str:
        return f"{self.name}-C={self.C:g}"


def cases() -> list[Case]:
    """All cells in the order of the sets: a loaded set and its Gram matrix serve all its values of C."""
    grid = []
    for name in (*BUNDLED, *PUBLIC):
        short = C_LARGE_SETS if name in LARGE else C_SHORT
        grid += [Case(name, C) for C in (C_GRID if FULL else short)]
    return grid


def gamma(data: DataSet) -> float:
    """The number that ``gamma="scale"`` (or 1/d) stands for on this set."""
    d = data.X.shape[1]
    return 1.0 / d if data.name in BINARY_1_OF_D else 1.0 / (d * data.X.var())


def gamma_parameter(data: DataSet) -> str:
    return "auto" if data.name in BINARY_1_OF_D else "scale"


class _GramCache:
    """The Gram matrix of the last set asked for (one is up to 200 MB)."""

    name = ""
    K = np.empty((0, 0))

    @classmethod
    def of(cls, data: DataSet) -> np.ndarray:
        if cls.name != data.name:
            cls.name, cls.K = data.name, rbf_kernel(data.X, gamma=gamma(data))
        return cls.K


gram = _GramCache.of


def verdicts(model: Any, data: DataSet, C: float) -> list[Verdict]:
    """What the evaluation says of each binary binary classifier in ``model``."""
    upper = np.full(len(data.y), C)
    return [judge(subproblem, gram(data)) for subproblem in subproblems(model, data.y, upper)]
