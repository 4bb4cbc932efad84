"""Losses of the residual ``r = y − f``, for regression."""

from __future__ import annotations

from abc import ABC
from dataclasses import dataclass
from typing import ClassVar, final

import numpy as np
from numpy.typing import ArrayLike

from maxmargin.losses._base import ConvexLoss, Vector
from maxmargin.validation import check_non_negative

__all__ = ["EpsilonInsensitive", "SquaredEpsilonInsensitive"]


@dataclass(frozen=True)
class _Tube(ConvexLoss, ABC):
    """What lies within ε costs nothing."""

    epsilon: float = 0.1

    def __post_init__(self) -> None:
        check_non_negative("epsilon", self.epsilon, type(self).__name__)

    def argument(self, y: Vector, scores: Vector) -> Vector:
        """``r = y − f``."""
        return np.asarray(y - scores)

    def slope(self, y: Vector) -> Vector:
        """``∂r/∂f = −1``."""
        return np.full_like(y, -1.0)

    def _deficit(self, z: ArrayLike) -> Vector:
        return np.maximum(np.abs(np.asarray(z, dtype=np.float64)) - self.epsilon, 0.0)


@final
@dataclass(frozen=True)
class EpsilonInsensitive(_Tube):
    """``max(0, |r| − ε)`` (Vapnik 1995).

    Parameters
    ----------
    epsilon : float
        Half the width of the tube.

    Examples
    --------
    >>> from maxmargin.losses import EpsilonInsensitive
    >>> EpsilonInsensitive(0.5).value([-2.0, 0.25, 1.0])
    array([1.5, 0. , 0.5])
    """

    def value(self, z: ArrayLike) -> Vector:
        """``max(0, |r| − ε)``."""
        return self._deficit(z)

    def derivative(self, z: ArrayLike) -> Vector:
        """The sign of r outside of the tube, else 0."""
        return np.where(self._deficit(z) > 0.0, np.sign(np.asarray(z, dtype=np.float64)), 0.0)

    def conjugate(self, u: ArrayLike) -> Vector:
        """``ε|u|`` for ``|u| ≤ 1``."""
        size = np.abs(np.asarray(u, dtype=np.float64))
        return np.where(size <= 1.0, self.epsilon * size, np.inf)


@final
@dataclass(frozen=True)
class SquaredEpsilonInsensitive(_Tube):
    """``max(0, |r| − ε)²``.

    Parameters
    ----------
    epsilon : float
        Half the width of the tube.

    Examples
    --------
    >>> from maxmargin.losses import SquaredEpsilonInsensitive
    >>> SquaredEpsilonInsensitive(0.5).value([-2.5, 0.25])
    array([4., 0.])
    """

    curvature: ClassVar[float] = 2.0

    def value(self, z: ArrayLike) -> Vector:
        """``max(0, |r| − ε)²``."""
        return np.square(self._deficit(z))

    def derivative(self, z: ArrayLike) -> Vector:
        """``2 max(0, |r| − ε) sign(r)``."""
        return 2.0 * self._deficit(z) * np.sign(np.asarray(z, dtype=np.float64))

    def conjugate(self, u: ArrayLike) -> Vector:
        """``ε|u| + u²/4``."""
        size = np.abs(np.asarray(u, dtype=np.float64))
        return np.asarray(self.epsilon * size + 0.25 * size * size)
