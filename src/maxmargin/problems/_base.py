"""What a formulation must tell: its dual, and the primal value of an answer."""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np
from numpy.typing import NDArray

from maxmargin.problems._dual import DualProblem

__all__ = ["Problem"]


class Problem(ABC):
    """A question about data. It knows its dual problem and its primal objective, and no solver."""

    @property
    @abstractmethod
    def dual(self) -> DualProblem:
        """The canonical dual."""

    @abstractmethod
    def primal_objective(self, beta: NDArray[np.float64], scores: NDArray[np.float64], bias: float) -> float:
        """Value of the primal at ``w = Σ β_i φ(x_i)`` and ``b``, given the scores ``K β``."""
