"""What every loss provides."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = ["ConvexLoss", "Loss", "MarginLoss"]

Vector = NDArray[np.float64]


class Loss(ABC):
    """A function of one number for each row: of the margin ``z = y f``, or of the residual ``z = y − f``.

    Attributes
    ----------
    curvature : float
        The smallest upper bound of the second derivative; ``inf`` where there is none.
    """

    curvature: ClassVar[float] = math.inf

    @abstractmethod
    def value(self, z: ArrayLike) -> Vector:
        """``ℓ(z)``."""

    @abstractmethod
    def derivative(self, z: ArrayLike) -> Vector:
        """``ℓ'(z)``; a subgradient where there is a kink."""

    @abstractmethod
    def argument(self, y: Vector, scores: Vector) -> Vector:
        """The argument z of the loss, from labels or targets and the scores ``f(x)``."""

    @abstractmethod
    def slope(self, y: Vector) -> Vector:
        """The derivative of the argument by the scores: ``∂z/∂f``, y for a margin and −1 for a residual."""


class ConvexLoss(Loss, ABC):
    """A loss with a conjugate, and so with a dual."""

    @abstractmethod
    def conjugate(self, u: ArrayLike) -> Vector:
        """``ℓ*(u) = sup_z (u z − ℓ(z))``; ``inf`` outside of its domain.

        Fenchel and Young: ``ℓ(z) + ℓ*(u) ≥ u z``, with equality where u is a subgradient at z.
        """


class MarginLoss(Loss, ABC):
    """A loss of the margin ``z = y f``, for labels −1 and +1."""

    def argument(self, y: Vector, scores: Vector) -> Vector:
        """``z = y f``."""
        return np.asarray(y * scores)

    def slope(self, y: Vector) -> Vector:
        """``∂z/∂f = y``."""
        return y
