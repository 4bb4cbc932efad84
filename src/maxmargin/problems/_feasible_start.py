"""Start points for problems whose coefficients have a fixed sum."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["filled"]


def filled(room: NDArray[np.float64], amount: float) -> NDArray[np.float64]:
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
