"""What one pass tells of all rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from maxmargin.kernels import Moments, moments_of

__all__ = ["FirstLook", "Spread"]

Vector = NDArray[np.float64]


@final
@dataclass(frozen=True, eq=False)
class Spread:
    """Number, means and sums of squared differences from them of some rows; those of two blocks add up (Chan, Golub and
    LeVeque 1983)."""

    n: int
    mean: Vector
    square: Vector
    filled: NDArray[np.int64]
    stored: int

    @classmethod
    def of(cls, X: Any) -> Spread:
        """Of a block."""
        mean, variance = moments_of(X)
        n, columns = X.shape
        if isinstance(X, np.ndarray):
            filled, stored = np.full(columns, n, dtype=np.int64), n * columns
        else:
            filled, stored = np.bincount(X.indices, minlength=columns).astype(np.int64), int(X.nnz)
        return cls(n, mean, n * variance, filled, stored)

    @property
    def moments(self) -> Moments:
        """Means and variances."""
        return Moments(self.mean, self.square / self.n)

    def __add__(self, other: Spread) -> Spread:
        n = self.n + other.n
        apart = other.mean - self.mean
        with np.errstate(over="ignore"):
            square = self.square + other.square + apart * apart * (self.n * other.n / n)
        mean = self.mean + apart * (other.n / n)
        return Spread(n, mean, square, self.filled + other.filled, self.stored + other.stored)


@final
@dataclass(frozen=True, eq=False)
class FirstLook:
    """What the first pass found.

    Attributes
    ----------
    rows_of : tuple of int
        Rows of each block.
    columns : int
        Features.
    dtype : dtype
        Of the values: float32 where all blocks have that.
    sparse : bool
        Whether blocks are CSR matrices.
    moments : Moments
        Means and variances of the columns.
    filled : ndarray of int
        How many rows store a value in each column.
    stored : int
        Values that are stored.
    y, weight : ndarray or None
        Labels and weights, where they came with the blocks.
    """

    rows_of: tuple[int, ...]
    columns: int
    dtype: np.dtype[Any]
    sparse: bool
    moments: Moments
    filled: NDArray[np.int64]
    stored: int
    y: NDArray[Any] | None
    weight: NDArray[Any] | None

    @property
    def n(self) -> int:
        """Rows of all blocks."""
        return sum(self.rows_of)
