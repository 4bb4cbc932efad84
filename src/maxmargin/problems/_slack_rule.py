"""How the scores of a solved problem are interpreted: what a row should have, and by how much it misses that."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import final

import numpy as np
from numpy.typing import NDArray

__all__ = ["Ball", "Level", "Margin", "SlackRule", "Tube"]

Vector = NDArray[np.float64]


class SlackRule(ABC):
    """What scores f mean for given y. The slack of a row is ``max(0, deficit)``; on the boundary the deficit is 0."""

    half_diagonal: bool = False
    """Whether ``k(x, x)/2`` is taken off the score."""

    @abstractmethod
    def deficit(self, y: Vector, f: Vector) -> Vector:
        """By how much rows miss what they should have; negative where they have room."""

    def deficit_towards(self, y: Vector, f: Vector, beta: Vector) -> Vector:
        """The same on the side to which β pulls; there is only one, except in a tube."""
        return self.deficit(y, f)

    def multiplier(self, y: Vector, beta: Vector) -> Vector:
        """``α = y β``: negative where β has the wrong sign."""
        return y * beta

    def side(self, y: Vector, f: Vector, beta: Vector) -> Vector:
        """The sign that β can have where f is; 0 if both."""
        return y


@final
@dataclass(frozen=True)
class Margin(SlackRule):
    """Two classes: ``y f ≥ 1``.

    Examples
    --------
    >>> import numpy as np
    >>> from maxmargin.problems import Margin
    >>> Margin().deficit(np.array([1.0, -1.0]), np.array([0.5, -2.0]))
    array([ 0.5, -1. ])
    """

    def deficit(self, y: Vector, f: Vector) -> Vector:
        """``1 − y f``."""
        return 1.0 - y * f


@final
@dataclass(frozen=True)
class Tube(SlackRule):
    """Regression: ``|f − y| ≤ ε``.

    Attributes
    ----------
    epsilon : float
        Half the width of the tube.

    Examples
    --------
    >>> import numpy as np
    >>> from maxmargin.problems import Tube
    >>> Tube(0.25).deficit(np.array([1.0, 2.0]), np.array([1.5, 2.0]))
    array([ 0.25, -0.25])
    """

    epsilon: float

    def deficit(self, y: Vector, f: Vector) -> Vector:
        """``|f − y| − ε``."""
        return np.asarray(np.abs(f - y) - self.epsilon)

    def deficit_towards(self, y: Vector, f: Vector, beta: Vector) -> Vector:
        """``±(y − f) − ε`` with the sign of β."""
        return np.where(beta == 0.0, self.deficit(y, f), np.sign(beta) * (y - f) - self.epsilon)

    def multiplier(self, y: Vector, beta: Vector) -> Vector:
        """``|β|``: a row of a regression may pull to both sides."""
        return np.abs(beta)

    def side(self, y: Vector, f: Vector, beta: Vector) -> Vector:
        """The sign of β, or where it is 0 that of the nearer edge of the tube; a tube without width has both edges at once."""
        return np.zeros(len(y)) if self.epsilon == 0.0 else np.where(beta == 0.0, np.sign(y - f), np.sign(beta))


@final
@dataclass(frozen=True)
class Level(SlackRule):
    """One class: ``f ≥ 0``.

    Examples
    --------
    >>> import numpy as np
    >>> from maxmargin.problems import Level
    >>> Level().deficit(np.ones(2), np.array([0.5, -0.5]))
    array([-0.5,  0.5])
    """

    def deficit(self, y: Vector, f: Vector) -> Vector:
        """``−f``."""
        return -f


@final
@dataclass(frozen=True)
class Ball(SlackRule):
    """One class in a ball: ``f = (R² − |φ(x) − c|²) / 2 ≥ 0``.

    Attributes
    ----------
    radius : float
        R, in the space of the kernel.

    Examples
    --------
    >>> import numpy as np
    >>> from maxmargin.problems import Ball
    >>> Ball(1.0).deficit(np.ones(1), np.array([0.5]))
    array([-0.5])
    """

    radius: float
    half_diagonal = True

    def deficit(self, y: Vector, f: Vector) -> Vector:
        """``−f``."""
        return -f
