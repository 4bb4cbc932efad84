"""A power of a kernel."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from maxmargin import _core
from maxmargin.errors import InvalidInput
from maxmargin.kernels._base import BoundKernel, Kernel, combination
from maxmargin.kernels._combined import CombinedKernel, input_kind_of, push_part, require_kernel
from maxmargin.kernels._program import Columns, Program
from maxmargin.kernels._scale import Moments

__all__ = ["Power"]

_LARGEST = 2**31 - 1  # that the core can count


@final
@dataclass(frozen=True)
class BoundPower(CombinedKernel):
    kernel: BoundKernel
    exponent: int

    @property
    def parts(self) -> tuple[BoundKernel, ...]:
        return (self.kernel,)

    @property
    def strictly_positive(self) -> bool:
        return self.kernel.strictly_positive

    @property
    def degrees(self) -> range | None:
        inner = self.kernel.degrees
        return inner and range(self.exponent * inner.start, self.exponent * (inner.stop - 1) + 1)

    def largest_at(self, square: float) -> float:
        return self.kernel.largest_at(square) ** self.exponent

    def values(self, X: Any, rows: Any) -> NDArray[np.float64]:
        return np.asarray(self.kernel.cross(X, rows) ** self.exponent)

    def own_values(self, X: Any) -> NDArray[np.float64]:
        return np.asarray(self.kernel.diagonal(X) ** self.exponent)

    def gradient_sums(self, X: Any, rows: Any, weights: NDArray[np.float64]) -> NDArray[np.float64]:
        inner = self.kernel.cross(X, rows) ** (self.exponent - 1)
        return self.kernel.gradient_sums(X, rows, self.exponent * weights * inner)

    def own_gradient(self, X: Any) -> NDArray[np.float64]:
        inner = self.kernel.diagonal(X)[:, np.newaxis] ** (self.exponent - 1)
        return np.asarray(self.exponent * inner * self.kernel.own_gradient(X))

    def encode(self, objects: Sequence[Any], first_column: int) -> _core.Objects:
        return self.kernel.encode(objects, first_column).power(self.exponent)

    def push_to(self, program: Program, columns: Columns | None) -> bool:
        return push_part(self.kernel, program, columns) and program.push_operator("power", exponent=self.exponent)


@combination("power")
@final
@dataclass
class Power(Kernel):
    """``k(u, v)^n`` with a positive integer n, written ``k ** n``: a product of n equal kernels.

    A root of a kernel need not be one: ``Intersection() ** 0.5`` of four histograms in a ring, each with half of its mass in
    common with either neighbour, would have an eigenvalue of −0.41.

    Parameters
    ----------
    kernel : Kernel
        k.
    exponent : int
        n ≥ 1.

    Examples
    --------
    >>> from maxmargin.kernels import Linear
    >>> (Linear() ** 2)([[1.0, 2.0]], [[3.0, 4.0]])
    array([[121.]])
    """

    kernel: Kernel
    exponent: int

    @property
    def input_kind(self) -> str:
        """What its rows must be."""
        return input_kind_of(self.kernel)

    def bind(self, X: Any, sample_weight: NDArray[np.float64] | None = None, *, moments: Moments | None = None) -> BoundKernel:
        """Fix the parameters of the kernel, and the exponent."""
        exponent = self.exponent
        integer = isinstance(exponent, int | np.integer) and not isinstance(exponent, bool)
        if not integer or not 1 <= exponent <= _LARGEST:
            raise InvalidInput(
                f"The 'exponent' parameter of Power must be an int in the range [1, {_LARGEST}]. Got {exponent!r} instead:"
                " other powers of a kernel are not positive semidefinite in general. Multiply kernels, or change parameters."
            )
        kernel = require_kernel("kernel", self.kernel, "Power")
        return BoundPower(kernel.bind(X, sample_weight, moments=moments), int(exponent))
