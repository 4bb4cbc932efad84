"""What weights cost."""

from __future__ import annotations

import math
from abc import ABC
from typing import Final

import numpy as np
from numpy.typing import NDArray

from maxmargin.problems._primal_terms import Penalty
from maxmargin.problems._soft_margin import Offset

__all__ = ["LinearObjective", "inner"]

Vector = NDArray[np.float64]

_ROUNDING: Final = 1e-12  # a w that is scaled to the surface of a ball is there up to this


def inner(x: Vector, y: Vector) -> float:
    """``<x, y>``, summed by numpy: BLAS sums in another order for every number of threads, and waits for busy cores.

    Examples
    --------
    >>> import numpy as np
    >>> from maxmargin.problems._linear_objective import inner
    >>> inner(np.array([1.0, 2.0]), np.array([3.0, 4.0]))
    11.0
    """
    return float((x * y).sum())


class LinearObjective(ABC):  # what problems in memory and in blocks share
    """Penalty and offset of a linear model, whatever holds its rows."""

    __slots__ = ()

    penalty: Penalty
    offset: Offset
    offset_scale: float
    B: float
    l1: float
    pull: float

    @property
    def ridge(self) -> float:
        """Factor of ``½|w|²`` in the penalty."""
        if self.penalty is Penalty.ELASTIC:
            return 1.0 - self.l1
        return 1.0 if self.penalty is Penalty.L2 else 0.0

    def penalty_of(self, w: Vector, b: float = 0.0) -> float:
        """``½|w|²``, ``|w|₁`` or both, and the same of ``b/scale`` if the offset is penalised; infinite outside a ball.

        With what pulls at the offset.
        """
        if self.penalty is Penalty.NONE:
            return 0.0
        offset = b / self.offset_scale if self.offset is Offset.PENALISED else 0.0
        if self.penalty in (Penalty.L1, Penalty.ELASTIC):
            absolute = float(np.abs(w).sum()) + abs(offset)
            return self.l1 * absolute + 0.5 * self.ridge * (inner(w, w) + offset * offset)
        half = 0.5 * inner(w, w) + 0.5 * offset * offset
        if self.penalty is Penalty.BALL:
            return math.inf if 2.0 * half > self.B * (1.0 + _ROUNDING) else 0.0
        return half + self.pull * b
