"""The four kinds of training object."""

from __future__ import annotations

from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

__all__ = ["Kind", "kinds"]


class Kind(IntEnum):
    """The role of a training row in a soft margin classifier, by its margin ``y f``.

    For linear slack ``yf > 1 ⇒ α = 0``, ``yf < 1 ⇒ α = C`` and ``0 < α < C ⇒ yf = 1``; the converses are false.
    """

    NON_INFORMATIVE = 0
    """``y f > 1``: the solution would be the same without it."""
    BOUNDARY = 1
    """``y f = 1``: on the edge of the street."""
    INSIDE_RIGHT = 2
    """``y f < 1`` and predicted right: in the street."""
    WRONG = 3
    """``y f < 1`` and predicted wrong."""


def kinds(margins: NDArray[np.float64], right: NDArray[np.bool_], tolerance: float) -> NDArray[np.int8]:
    """Kind of each row from its margin ``y f`` and whether it is predicted right."""
    inside = np.where(right, Kind.INSIDE_RIGHT, Kind.WRONG)
    edge = np.where(margins > 1.0 + tolerance, Kind.NON_INFORMATIVE, Kind.BOUNDARY)
    return np.where(margins < 1.0 - tolerance, inside, edge).astype(np.int8)
