"""The product of two kernels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from maxmargin import _core
from maxmargin.kernels._base import BoundKernel, Kernel, combination
from maxmargin.kernels._combined import CombinedKernel, input_kind_of, push_part, require_kernel, require_same_input
from maxmargin.kernels._program import Columns, Program
from maxmargin.kernels._scale import Moments

__all__ = ["Product"]


@final
@dataclass(frozen=True)
class BoundProduct(CombinedKernel):
    left: BoundKernel
    right: BoundKernel

    @property
    def parts(self) -> tuple[BoundKernel, ...]:
        return self.left, self.right

    @property
    def strictly_positive(self) -> bool:
        """The product of two positive definite matrices, entry by entry, is positive definite (Schur 1911)."""
        return self.left.strictly_positive and self.right.strictly_positive

    @property
    def degrees(self) -> range | None:
        """Products of a monomial of one with a monomial of the other."""
        a, b = self.left.degrees, self.right.degrees
        return None if a is None or b is None else range(a.start + b.start, a.stop + b.stop - 1)

    def largest_at(self, square: float) -> float:
        return self.left.largest_at(square) * self.right.largest_at(square)

    def values(self, X: Any, rows: Any) -> NDArray[np.float64]:
        return self.left.cross(X, rows) * self.right.cross(X, rows)

    def own_values(self, X: Any) -> NDArray[np.float64]:
        return self.left.diagonal(X) * self.right.diagonal(X)

    def gradient_sums(self, X: Any, rows: Any, weights: NDArray[np.float64]) -> NDArray[np.float64]:
        by_left = self.left.gradient_sums(X, rows, weights * self.right.cross(X, rows))
        return by_left + self.right.gradient_sums(X, rows, weights * self.left.cross(X, rows))

    def own_gradient(self, X: Any) -> NDArray[np.float64]:
        left, right = self.left.diagonal(X)[:, np.newaxis], self.right.diagonal(X)[:, np.newaxis]
        return np.asarray(right * self.left.own_gradient(X) + left * self.right.own_gradient(X))

    def encode(self, objects: Sequence[Any], first_column: int) -> _core.Objects:
        return self.left.encode(objects, first_column).times(self.right.encode(objects, first_column))

    def push_to(self, program: Program, columns: Columns | None) -> bool:
        both = push_part(self.left, program, columns) and push_part(self.right, program, columns)
        return both and program.push_operator("multiply")


@combination("product")
@final
@dataclass
class Product(Kernel):
    """``k(u, v) = k₁(u, v) k₂(u, v)``, written ``k1 * k2``: φ has every product of a feature of one with one of the other.

    Parameters
    ----------
    left, right : Kernel
        ``k₁`` and ``k₂``.

    References
    ----------
    Shawe-Taylor and Cristianini, Kernel Methods for Pattern Analysis, 2004, proposition 3.22.

    Examples
    --------
    >>> from maxmargin.kernels import Linear, Polynomial
    >>> kernel = Linear() * Polynomial(degree=2, gamma=1.0, coef0=1.0)
    >>> kernel([[1.0, 2.0]], [[3.0, 4.0]])
    array([[1584.]])
    """

    left: Kernel
    right: Kernel

    @property
    def input_kind(self) -> str:
        """What its rows must be."""
        return input_kind_of(self.left, self.right)

    def bind(self, X: Any, sample_weight: NDArray[np.float64] | None = None, *, moments: Moments | None = None) -> BoundKernel:
        """Fix the parameters of both."""
        left, right = (require_kernel(name, getattr(self, name), "Product") for name in ("left", "right"))
        require_same_input(left, right, "Product")
        return BoundProduct(left.bind(X, sample_weight, moments=moments), right.bind(X, sample_weight, moments=moments))
