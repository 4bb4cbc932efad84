"""Columns of mean 0 and variance 1, a block at a time."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, final

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from maxmargin.blocks._look import FirstLook
from maxmargin.kernels import Moments

__all__ = ["Mapped", "Standard"]

Vector = NDArray[np.float64]


@final
@dataclass(frozen=True, eq=False)
class Mapped:
    """Features in place of rows.

    Attributes
    ----------
    function : callable
        Makes them, of a block.
    columns, dtype
        How many, and what they are stored as.
    """

    function: Callable[[Any], Any]
    columns: int
    dtype: np.dtype[Any]

    def of_look(self, look: FirstLook) -> FirstLook:
        """What is known of the features: nobody has looked at their moments, so that they count as near 0."""
        moments = Moments(np.zeros(self.columns), np.ones(self.columns))
        filled = np.full(self.columns, look.n, dtype=np.int64)
        stored = look.n * self.columns
        return replace(
            look, columns=self.columns, dtype=self.dtype, sparse=False, moments=moments, filled=filled, stored=stored
        )

    def on(self, X: Any) -> Any:
        """A block."""
        return self.function(X)


@final
@dataclass(frozen=True, eq=False)
class Standard:
    """What is taken from each column, and what it is then divided by.

    Attributes
    ----------
    mean, scale : ndarray
        As floats of the rows have them; the mean of sparse rows is 0, and so is nothing taken away.
    before : FirstLook
        Of the rows as they are.
    """

    mean: Vector
    scale: Vector
    before: FirstLook

    @classmethod
    def of(cls, look: FirstLook) -> Standard:
        """From the moments of all rows; constant columns are not divided."""
        mean, variance = look.moments
        scale = np.sqrt(variance)
        scale[~(scale > 0.0) | ~np.isfinite(scale)] = 1.0
        taken = np.zeros_like(mean) if look.sparse else mean
        return cls(taken.astype(look.dtype).astype(np.float64), scale.astype(look.dtype).astype(np.float64), look)

    def of_look(self, look: FirstLook) -> FirstLook:
        """What a look at the standardised rows would find."""
        mean, variance = look.moments
        moved = Moments((mean - self.mean) / self.scale, variance / (self.scale * self.scale))
        return replace(look, moments=moved)

    def on(self, X: Any) -> Any:
        """A block."""
        scale = self.scale.astype(X.dtype)
        if sparse.issparse(X):
            return type(X)((X.data / scale[X.indices], X.indices, X.indptr), shape=X.shape)
        moved = X - self.mean.astype(X.dtype)
        moved /= scale
        return moved

    def folded(self, w: Vector, b: Any) -> tuple[Vector, Any]:
        """Weights and offset for rows as they are; also of several classes."""
        weights = w / self.scale
        moved = weights @ self.mean
        return weights, b - moved if w.ndim > 1 else b - float(moved)
