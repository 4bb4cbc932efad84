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
from maxmargin.kernels._linear_rows import RowNumbers
from maxmargin.kernels._scale import Moments

__all__ = ["Precomputed"]


@final
@dataclass(frozen=True)
class PrecomputedKernel(BoundKernel):
    @property
    def is_precomputed(self) -> bool:
        return True

    def gram(self, X: Any) -> Gram:
        _require_symmetric(X)
        return Gram(lambda subset: _core.precomputed_gram(X, subset), RowNumbers(), self)

    def cross(self, X: Any, rows: Any) -> NDArray[np.float64]:
        chosen = np.asarray(rows, dtype=np.intp)
        if chosen.size and not 0 <= chosen.min() <= chosen.max() < X.shape[1]:
            raise InvalidInput(
                f"Support vectors have numbers up to {chosen.max()}, but the kernel matrix has {X.shape[1]} columns. "
                "Give the kernel values of every training row."
            )
        return np.asarray(X[:, chosen], dtype=np.float64)

    def diagonal(self, X: Any) -> NDArray[np.float64]:
        raise InvalidInput(
            "The distance of new rows from a centre needs k(x, x), which kernel values against the training rows do not have."
            " Use a kernel object or a function."
        )


def _require_symmetric(K: NDArray[Any]) -> None:
    """Refuse a matrix that differs from its transpose by more than rounding."""
    found = _core.square_check(K)
    largest, difference = found.largest, found.asymmetry
    if not difference <= 1e-5 * largest:  # NaN where the difference of two values overflows
        raise InvalidInput(
            f"A precomputed kernel matrix must be symmetric. Got entries that differ from their transpose by up to "
            f"{difference:.3g}. If that is noise, use (K + K.T) / 2."
        )


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

    @property
    def input_kind(self) -> str:
        """Rows of a Gram matrix."""
        return "precomputed"

    def bind(self, X: Any, sample_weight: NDArray[np.float64] | None = None, *, moments: Moments | None = None) -> BoundKernel:
        """Fix the parameters: there are none."""
        return PrecomputedKernel()

    def __call__(self, X: Any, Y: Any = None) -> NDArray[np.float64]:
        """X itself."""
        return np.array(X, dtype=np.float64)
