"""Start points for problems whose coefficients have a fixed sum."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["balanced", "filled"]

Vector = NDArray[np.float64]


def filled(room: Vector, amount: float) -> Vector:
    """``amount`` poured into the rows one after the other, each up to its room; the sum is exact to rounding.

    Examples
    --------
    >>> import numpy as np
    >>> from maxmargin.problems._feasible_start import filled
    >>> filled(np.array([1.0, 1.0, 1.0]), 1.5)
    array([1. , 0.5, 0. ])
    """
    before = np.concatenate(([0.0], np.cumsum(room)[:-1]))
    return np.clip(amount - before, 0.0, room)


def balanced(beta: Vector, bound: Vector) -> Vector:
    """Coefficients whose sum is 0 again, by changes of those that are free.

    What is lost on one side is taken up in equal parts, relative to their room, by the free coefficients: those of that side
    grow, those of the other shrink. Coefficients at their bounds, of which most stay there, are left alone as long as the
    free ones suffice; else those of the heavier side all shrink.

    Examples
    --------
    >>> import numpy as np
    >>> from maxmargin.problems._feasible_start import balanced
    >>> balanced(np.array([1.0, 0.5, -0.5]), np.array([1.0, 1.0, 1.0]))
    array([ 1.,  0., -1.])
    """
    surplus = float(beta.sum())
    size, side = np.abs(beta), np.sign(surplus)
    if surplus == 0.0:
        return beta
    is_free = (size > 0.0) & (size < bound * (1.0 - 1e-9))
    heavy = np.sign(beta) == side
    room = np.where(is_free, np.where(heavy, size, bound - size), 0.0)
    total = float(room.sum())
    if np.isfinite(total) and total >= abs(surplus):
        return np.asarray(beta - side * (abs(surplus) / total) * room)
    return np.asarray(np.where(heavy, beta * (1.0 - abs(surplus) / float(size[heavy].sum())), beta))
