"""Losses of the margin."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, final

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import xlog1py, xlogy

from maxmargin.losses._base import ConvexLoss, MarginLoss, Vector

__all__ = ["Exponential", "Hinge", "Logistic", "Perceptron", "Squared", "SquaredHinge", "ZeroOne"]


def _floats(z: ArrayLike) -> Vector:
    return np.asarray(z, dtype=np.float64)


def _inside(inside: NDArray[np.bool_], value: Vector) -> Vector:
    """The value, and infinity outside."""
    return np.where(inside, value, np.inf)


@final
@dataclass(frozen=True)
class ZeroOne(MarginLoss):
    """``1`` if ``z ≤ 0``, else 0: the errors that the other losses approximate. Not convex, and without a useful slope.

    Examples
    --------
    >>> from maxmargin.losses import ZeroOne
    >>> ZeroOne().value([-1.0, 0.0, 1.0])
    array([1., 1., 0.])
    """

    def value(self, z: ArrayLike) -> Vector:
        """1 for an error; a row on the boundary counts as one."""
        return np.where(_floats(z) <= 0.0, 1.0, 0.0)

    def derivative(self, z: ArrayLike) -> Vector:
        """0, where there is one."""
        return np.zeros_like(_floats(z))


@final
@dataclass(frozen=True)
class Hinge(ConvexLoss, MarginLoss):
    """``max(0, 1 − z)``: linear slack (Cortes and Vapnik 1995).

    Examples
    --------
    >>> from maxmargin.losses import Hinge
    >>> Hinge().value([-1.0, 1.0, 2.0]), Hinge().derivative([-1.0, 2.0])
    (array([2., 0., 0.]), array([-1.,  0.]))
    """

    def value(self, z: ArrayLike) -> Vector:
        """``max(0, 1 − z)``."""
        return np.maximum(1.0 - _floats(z), 0.0)

    def derivative(self, z: ArrayLike) -> Vector:
        """−1 where ``z < 1``, else 0."""
        return np.where(_floats(z) < 1.0, -1.0, 0.0)

    def conjugate(self, u: ArrayLike) -> Vector:
        """u for ``−1 ≤ u ≤ 0``."""
        u = _floats(u)
        return _inside((u >= -1.0) & (u <= 0.0), u)


@final
@dataclass(frozen=True)
class SquaredHinge(ConvexLoss, MarginLoss):
    """``max(0, 1 − z)²``: squared slack.

    Examples
    --------
    >>> from maxmargin.losses import SquaredHinge
    >>> SquaredHinge().value([-1.0, 2.0]), SquaredHinge().derivative([-1.0, 2.0])
    (array([4., 0.]), array([-4., -0.]))
    """

    curvature: ClassVar[float] = 2.0

    def value(self, z: ArrayLike) -> Vector:
        """``max(0, 1 − z)²``."""
        return np.square(np.maximum(1.0 - _floats(z), 0.0))

    def derivative(self, z: ArrayLike) -> Vector:
        """``−2 max(0, 1 − z)``."""
        return -2.0 * np.maximum(1.0 - _floats(z), 0.0)

    def conjugate(self, u: ArrayLike) -> Vector:
        """``u + u²/4`` for ``u ≤ 0``."""
        u = _floats(u)
        return _inside(u <= 0.0, u + 0.25 * u * u)


@final
@dataclass(frozen=True)
class Logistic(ConvexLoss, MarginLoss):
    """``log(1 + e^−z)``: minus the log-likelihood of a label whose log-odds are f.

    Examples
    --------
    >>> from maxmargin.losses import Logistic
    >>> Logistic().value([0.0]).round(6), Logistic().derivative([0.0])
    (array([0.693147]), array([-0.5]))
    """

    curvature: ClassVar[float] = 0.25

    def value(self, z: ArrayLike) -> Vector:
        """``log(1 + e^−z)``, without overflow."""
        return np.asarray(np.logaddexp(0.0, -_floats(z)))

    def derivative(self, z: ArrayLike) -> Vector:
        """``−1/(1 + e^z)``, minus the probability of the other label."""
        return -np.exp(-np.logaddexp(0.0, _floats(z)))

    def conjugate(self, u: ArrayLike) -> Vector:
        """``p log p + (1 − p) log(1 − p)`` with ``p = −u`` between 0 and 1."""
        p = -_floats(u)
        return _inside((p >= 0.0) & (p <= 1.0), xlogy(p, p) + xlog1py(1.0 - p, -p))


@final
@dataclass(frozen=True)
class Exponential(ConvexLoss, MarginLoss):
    """``e^−z``: what boosting minimises. Its curvature has no bound.

    Examples
    --------
    >>> from maxmargin.losses import Exponential
    >>> Exponential().value([0.0]), Exponential().derivative([0.0])
    (array([1.]), array([-1.]))
    """

    def value(self, z: ArrayLike) -> Vector:
        """``e^−z``; infinite where that overflows."""
        with np.errstate(over="ignore"):
            return np.exp(-_floats(z))

    def derivative(self, z: ArrayLike) -> Vector:
        """``−e^−z``."""
        return -self.value(z)

    def conjugate(self, u: ArrayLike) -> Vector:
        """``p log p − p`` with ``p = −u ≥ 0``."""
        p = -_floats(u)
        return _inside(p >= 0.0, xlogy(p, p) - p)


@final
@dataclass(frozen=True)
class Squared(ConvexLoss, MarginLoss):
    """``(1 − z)²``, which is ``(y − f)²`` for labels −1 and +1: least squares. It also penalises rows far on the right side.

    Examples
    --------
    >>> from maxmargin.losses import Squared
    >>> Squared().value([0.0, 1.0, 3.0])
    array([1., 0., 4.])
    """

    curvature: ClassVar[float] = 2.0

    def value(self, z: ArrayLike) -> Vector:
        """``(1 − z)²``."""
        return np.square(1.0 - _floats(z))

    def derivative(self, z: ArrayLike) -> Vector:
        """``−2 (1 − z)``."""
        return -2.0 * (1.0 - _floats(z))

    def conjugate(self, u: ArrayLike) -> Vector:
        """``u + u²/4``."""
        u = _floats(u)
        return np.asarray(u + 0.25 * u * u)


@final
@dataclass(frozen=True)
class Perceptron(ConvexLoss, MarginLoss):
    """``max(0, −z)``: the hinge without a margin (Rosenblatt 1958).

    Examples
    --------
    >>> from maxmargin.losses import Perceptron
    >>> Perceptron().value([-2.0, 0.5])
    array([2., 0.])
    """

    def value(self, z: ArrayLike) -> Vector:
        """``max(0, −z)``."""
        return np.maximum(-_floats(z), 0.0)

    def derivative(self, z: ArrayLike) -> Vector:
        """−1 where ``z ≤ 0``, so that training can leave ``w = 0``; else 0."""
        return np.where(_floats(z) <= 0.0, -1.0, 0.0)

    def conjugate(self, u: ArrayLike) -> Vector:
        """0 for ``−1 ≤ u ≤ 0``."""
        u = _floats(u)
        return _inside((u >= -1.0) & (u <= 0.0), np.zeros_like(u))
