"""A Gram matrix that the user computed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from maxmargin import _core
from maxmargin.errors import InvalidInput
from maxmargin.kernels._base import BoundKernel, Kernel
from maxmargin.kernels._gram import Gram
from maxmargin.kernels._rows import RowNumbers

__all__ = ["Precomputed"]


@final
@dataclass(frozen=True)
class _PrecomputedKernel(BoundKernel):
    def gram(self, X: Any) -> Gram:
        return Gram(lambda subset: _core.precomputed_gram(X, subset), RowNumbers(), self)

    def cross(self, X: Any, rows: Any) -> NDArray[np.float64]:
        chosen = np.asarray(rows, dtype=np.intp)
        if chosen.size and not 0 <= chosen.min() <= chosen.max() < X.shape[1]:
            raise InvalidInput(
                f"Support vectors have numbers up to {chosen.max()}, but the kernel matrix has {X.shape[1]} columns. "
                "Give the kernel values of every training row."
            )
        return np.asarray(X[:, chosen], dtype=np.float64)


@final
@dataclass
class Precomputed(Kernel):
    """``k(x_i, x_j) = X[i, j]``: X is the Gram matrix, n × n for training and n_test × n for prediction.

    Examples
    --------
    >>> import numpy as np
    >>> from maxmargin.kernels import Precomputed
    >>> K = np.array([[2.0, 1.0], [1.0, 2.0]])
    >>> Precomputed().bind(K).gram(K).diagonal()
    array([2., 2.])
    """

    def bind(self, X: Any, sample_weight: NDArray[np.float64] | None = None) -> BoundKernel:
        """Fix the numbers: there are none."""
        return _PrecomputedKernel()

    def __call__(self, X: Any, Y: Any = None) -> NDArray[np.float64]:
        """X itself."""
        return np.array(X, dtype=np.float64)
