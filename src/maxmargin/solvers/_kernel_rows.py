"""Rows of a kernel matrix as a walk of single steps takes them: kept where there are not many."""

from __future__ import annotations

from typing import Final, final

import numpy as np
from numpy.typing import NDArray

from maxmargin.kernels import Gram

__all__ = ["KernelRows"]

_HELD: Final = 4000  # rows up to which the kernel matrix is kept


@final
class KernelRows:
    """The kernel matrix, or its rows one at a time, and the products ``K c`` that a walk keeps along.

    Attributes
    ----------
    matrix : ndarray of shape (n, n) or None
        The whole matrix, where it is not large.
    products : ndarray of shape (n,)
        ``K c``.
    """

    def __init__(self, gram: Gram) -> None:
        self._gram = gram
        self._every = np.arange(gram.n, dtype=np.int32)
        self.matrix = np.ascontiguousarray(gram.block(self._every, self._every)) if gram.n <= _HELD else None
        self.products = np.zeros(gram.n)

    def row(self, i: int) -> NDArray[np.float64]:
        """One row of the matrix."""
        return np.ascontiguousarray(self._gram.block([i], self._every)[0])
