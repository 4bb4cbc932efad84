"""Multinomial linear models whose rows come in blocks."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import final

import numpy as np
from numpy.typing import NDArray

from maxmargin.problems._class_objective import ClassObjective
from maxmargin.problems._primal_terms import Penalty
from maxmargin.problems._soft_margin import Offset

__all__ = ["BlockClasses"]

Matrix = NDArray[np.float64]
Vector = NDArray[np.float64]


@final
@dataclass(frozen=True, eq=False)
class BlockClasses(ClassObjective):
    """Minimise a penalty and ``Σ C_i (log Σ_k exp f_k − f_y)`` over the weights of all classes, without the rows.

    Rows are handed to it, a block at a time: it is small, and can be sent to whoever has a block. Weights and offsets are
    one matrix W of shape (size, K): feature by feature, the offsets last if there are any.

    Attributes
    ----------
    penalty, offset, offset_scale, l1
        As of a `MulticlassLinear`.
    n, d : int
        Rows of all blocks that have a positive weight, and features.
    by_class : ndarray of shape (K,)
        ``Σ C_i`` of each class.
    mean : ndarray or None
        What is taken from the columns that are far from 0 where the offset is free.
    """

    penalty: Penalty
    offset: Offset
    offset_scale: float
    l1: float
    n: int
    d: int
    by_class: Vector
    mean: Vector | None = None

    @property
    def classes(self) -> int:
        """How many there are."""
        return len(self.by_class)

    @property
    def size(self) -> int:
        """Weights and offset of one class."""
        return self.d + (self.offset is not Offset.NONE)

    @property
    def total(self) -> float:
        """``Σ C_i``."""
        return float(self.by_class.sum())

    @property
    def at_zero(self) -> float:
        """The objective where all scores are 0."""
        return self.total * math.log(self.classes)

    def parts(self, W: Matrix) -> tuple[Matrix, Vector]:
        """Weights of shape (K, d) and offsets of shape (K,), for rows near 0."""
        return W[: self.d].T, W[self.d] if self.size > self.d else np.zeros(self.classes)

    def joined(self, w: Matrix, b: Vector) -> Matrix:
        """Weights and offsets as one matrix."""
        return np.ascontiguousarray(w.T if self.offset is Offset.NONE else np.vstack([w.T, b]), dtype=np.float64)

    def back(self, W: Matrix) -> Vector:
        """The offsets for rows as they are."""
        w, b = self.parts(W)
        return b if self.mean is None else b - (w * self.mean).sum(axis=1)

    def there(self, w: Matrix, b: Vector) -> Vector:
        """The offsets for rows near 0, from those for rows as they are."""
        return b if self.mean is None else b + (w * self.mean).sum(axis=1)

    def moved(self, W: Matrix) -> float:
        """The sizes of what is moved between offsets and rows: what scores are rounded by follows it."""
        return 0.0 if self.mean is None else float(np.abs(self.parts(W)[0] * self.mean).sum(axis=1).max())
