"""What weights of all classes cost."""

from __future__ import annotations

from abc import ABC

import numpy as np
from numpy.typing import NDArray

from maxmargin.problems._primal_terms import Penalty
from maxmargin.problems._soft_margin import Offset

__all__ = ["ClassObjective"]

Matrix = NDArray[np.float64]
Vector = NDArray[np.float64]


class ClassObjective(ABC):  # what problems in memory and in blocks share
    """Penalty and offsets of a linear model of all classes, whatever holds its rows."""

    __slots__ = ()

    penalty: Penalty
    offset: Offset
    offset_scale: float
    l1: float

    @property
    def ridge(self) -> float:
        """Factor of ``½ Σ|w_k|²`` in the penalty."""
        if self.penalty is Penalty.ELASTIC:
            return 1.0 - self.l1
        return 1.0 if self.penalty is Penalty.L2 else 0.0

    @property
    def has_l1(self) -> bool:
        """Whether weights cost their absolute values."""
        return self.penalty in (Penalty.L1, Penalty.ELASTIC)

    def penalty_of(self, w: Matrix, b: Vector) -> float:
        """``½ Σ|w_k|²``, ``Σ|w_k|₁`` or both, and the same of ``b_k/scale`` if the offset is penalised; 0 without a penalty."""
        if self.penalty is Penalty.NONE:
            return 0.0
        offsets = b / self.offset_scale if self.offset is Offset.PENALISED else np.zeros(1)
        paid = 0.5 * self.ridge * (float((w * w).sum()) + float((offsets * offsets).sum())) if self.ridge else 0.0
        return paid + (self.l1 * (float(np.abs(w).sum()) + float(np.abs(offsets).sum())) if self.has_l1 else 0.0)
