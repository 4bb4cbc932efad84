"""What kernels of objects share: the core encodes the objects, and computes blocks of kernel values on all threads."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maxmargin import _core
from maxmargin.errors import InvalidInput
from maxmargin.kernels._base import BoundKernel, Kernel
from maxmargin.kernels._gram import Gram
from maxmargin.validation import check_boolean, length

__all__ = [
    "BoundObjectKernel",
    "ObjectKernel",
    "listed",
    "normalised_objects",
    "object_cross",
    "object_diagonal",
    "object_gram",
    "object_sums",
]

_KEPT_BYTES = 1 << 29  # rows of a Gram matrix that are kept
_BLOCK_VALUES = 1 << 21  # kernel values held at once


class BoundObjectKernel(BoundKernel, ABC):
    """A kernel of objects whose parameters are fixed."""

    @property
    def of_objects(self) -> bool:
        """Whether `encode` makes the core compute all values."""
        return True

    @property
    def mercer(self) -> bool:
        """Whether every Gram matrix is positive semidefinite: all of these kernels are inner products."""
        return True

    @abstractmethod
    def encode(self, objects: Sequence[Any], first_column: int) -> _core.Objects:
        """The objects as the core reads them; those from ``first_column`` on are the columns of blocks."""

    def gram(self, X: Any) -> Gram:
        """Source of the Gram matrix of the training objects."""
        return object_gram(self, X)

    def cross(self, X: Any, rows: Any) -> NDArray[np.float64]:
        """Kernel values of the objects of X (down) against others (across), in float64."""
        return object_cross(self, X, rows)

    def diagonal(self, X: Any) -> NDArray[np.float64]:
        """``k(x, x)`` of objects, in float64."""
        return object_diagonal(self, X)

    def weighted_sums(self, X: Any, rows: Any, coefficients: NDArray[np.float64], bounds: Sequence[int]) -> NDArray[np.float64]:
        """Kernel values against groups of rows, summed with coefficients."""
        return object_sums(self, X, rows, coefficients, bounds)


class ObjectKernel(Kernel, ABC):
    """A kernel of objects. Subclasses are dataclasses with a field ``normalise``."""

    normalise: bool

    @property
    def input_kind(self) -> str:
        """Objects, which the kernel checks itself."""
        return "structured"

    def _normalises(self) -> bool:
        return check_boolean("normalise", self.normalise, type(self).__name__)


def listed(X: Any) -> list[Any]:
    """The objects of X; raises for a table of one column, whose rows would be sequences of one object."""
    if isinstance(X, np.ndarray) and X.ndim == 2 and X.shape[1] == 1 and X.dtype.kind in "OUST":
        raise InvalidInput(
            f"Kernels of objects need a sequence of objects. Got a table of shape {X.shape}. Pass the column: X['name'] of a"
            " data frame, X[:, 0] of an array."
        )
    return list(X)


def normalised_objects(encoded: _core.Objects, owner: str, advice: str = "Scale the kernel.") -> _core.Objects:
    """The objects with the kernel divided by ``√(k(u, u) k(v, v))``; raises where a double does not hold these."""
    try:
        return encoded.normalised()
    except ValueError as error:
        raise InvalidInput(f"{owner} divides by the root of k(x, x). {error}. {advice}") from None


def object_gram(kernel: BoundKernel, X: Any) -> Gram:
    """Source of a Gram matrix, whose rows are made when they are asked for, and kept while there is room."""
    return Gram(kernel.encode(listed(X), 0).kept(_KEPT_BYTES).gram, X, kernel)


def object_cross(kernel: BoundKernel, X: Any, rows: Any) -> NDArray[np.float64]:
    """Kernel values of the objects of X (down) against others (across)."""
    if rows is X:
        every = _numbers(0, length(X))
        return kernel.encode(listed(X), 0).kept(_KEPT_BYTES).gram(None).block(every, every)
    n, m = length(X), length(rows)
    return kernel.encode([*listed(X), *listed(rows)], n).block(_numbers(0, n), _numbers(n, n + m))


def object_diagonal(kernel: BoundKernel, X: Any) -> NDArray[np.float64]:
    """``k(x, x)`` of objects."""
    return kernel.encode(listed(X), 0).own()


def object_sums(
    kernel: BoundKernel, X: Any, rows: Any, coefficients: NDArray[np.float64], bounds: Sequence[int]
) -> NDArray[np.float64]:
    """Kernel values against groups of rows, summed with coefficients; the objects are encoded once."""
    n, m = length(X), length(rows)
    encoded = kernel.encode([*listed(X), *listed(rows)], n)
    sums = np.zeros((len(bounds) - 1, len(coefficients), n))
    height = max(1, _BLOCK_VALUES // max(1, m))
    for start in range(0, n, height):
        some = slice(start, min(start + height, n))
        values = encoded.block(_numbers(some.start, some.stop), _numbers(n, n + m))
        for group, (low, high) in enumerate(pairwise(bounds)):
            sums[group, :, some] = coefficients[:, low:high] @ values[:, low:high].T
    return sums


def _numbers(begin: int, end: int) -> NDArray[np.int32]:
    return np.arange(begin, end, dtype=np.int32)
