"""A kernel times a number."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from maxmargin import _core
from maxmargin.kernels._base import BoundKernel, Kernel, combination
from maxmargin.kernels._combined import CombinedKernel, input_kind_of, push_part, require_kernel
from maxmargin.kernels._program import Columns, Program
from maxmargin.kernels._scale import Moments
from maxmargin.validation import check_non_negative

__all__ = ["Scaled"]


@final
@dataclass(frozen=True)
class BoundScaled(CombinedKernel):
    kernel: BoundKernel
    factor: float

    @property
    def parts(self) -> tuple[BoundKernel, ...]:
        return (self.kernel,)

    @property
    def strictly_positive(self) -> bool:
        return self.factor > 0.0 and self.kernel.strictly_positive

    @property
    def degrees(self) -> range | None:
        return self.kernel.degrees if self.factor > 0.0 else None

    def dimension(self, d: int) -> int | None:
        return self.kernel.dimension(d) if self.factor > 0.0 else None

    def largest_at(self, square: float) -> float:
        return self.factor * self.kernel.largest_at(square) if self.factor > 0.0 else 0.0

    def values(self, X: Any, rows: Any) -> NDArray[np.float64]:
        return self.factor * self.kernel.cross(X, rows)

    def own_values(self, X: Any) -> NDArray[np.float64]:
        return self.factor * self.kernel.diagonal(X)

    def gradient_sums(self, X: Any, rows: Any, weights: NDArray[np.float64]) -> NDArray[np.float64]:
        return self.factor * self.kernel.gradient_sums(X, rows, weights)

    def own_gradient(self, X: Any) -> NDArray[np.float64]:
        return self.factor * self.kernel.own_gradient(X)

    def encode(self, objects: Sequence[Any], first_column: int) -> _core.Objects:
        return self.kernel.encode(objects, first_column).scaled(self.factor)

    def push_to(self, program: Program, columns: Columns | None) -> bool:
        return push_part(self.kernel, program, columns) and program.push_operator("scale", factor=self.factor)


@combination("scaled")
@final
@dataclass
class Scaled(Kernel):
    """``c k(u, v)`` with ``c ≥ 0``, written ``c * k``: φ times √c.

    Parameters
    ----------
    kernel : Kernel
        k.
    factor : float
        c. With a negative factor the result would not be an inner product.

    Examples
    --------
    >>> from maxmargin.kernels import Linear
    >>> 2.0 * Linear()
    Scaled(kernel=Linear(), factor=2.0)
    >>> (2.0 * Linear())([[1.0]], [[3.0]])
    array([[6.]])
    """

    kernel: Kernel
    factor: float

    @property
    def input_kind(self) -> str:
        """What its rows must be."""
        return input_kind_of(self.kernel)

    def bind(self, X: Any, sample_weight: NDArray[np.float64] | None = None, *, moments: Moments | None = None) -> BoundKernel:
        """Fix the parameters of the kernel, and the factor."""
        factor = check_non_negative("factor", self.factor, "Scaled")
        kernel = require_kernel("kernel", self.kernel, "Scaled")
        return BoundScaled(kernel.bind(X, sample_weight, moments=moments), factor)
