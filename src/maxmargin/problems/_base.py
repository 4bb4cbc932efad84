"""What a formulation must tell: its dual."""

from __future__ import annotations

from abc import ABC, abstractmethod

from maxmargin.problems._dual import DualProblem

__all__ = ["Problem"]


class Problem(ABC):
    """A question about data. It knows its dual problem, and no solver."""

    @property
    @abstractmethod
    def dual(self) -> DualProblem:
        """The canonical dual."""
