"""The sum of two kernels."""

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

__all__ = ["Sum"]


@final
@dataclass(frozen=True)
class BoundSum(CombinedKernel):
    left: BoundKernel
    right: BoundKernel

    @property
    def parts(self) -> tuple[BoundKernel, ...]:
        return self.left, self.right

    @property
    def strictly_positive(self) -> bool:
        """K₁ + K₂ is positive definite if one of them is and the other one is semidefinite."""
        return self.mercer and (self.left.strictly_positive or self.right.strictly_positive)

    @property
    def degrees(self) -> range | None:
        """The degrees of both, if there is none between them that neither has."""
        a, b = self.left.degrees, self.right.degrees
        if a is None or b is None or max(a.start, b.start) > min(a.stop, b.stop):
            return None
        return range(min(a.start, b.start), max(a.stop, b.stop))

    def largest_at(self, square: float) -> float:
        return self.left.largest_at(square) + self.right.largest_at(square)

    def values(self, X: Any, rows: Any) -> NDArray[np.float64]:
        return self.left.cross(X, rows) + self.right.cross(X, rows)

    def own_values(self, X: Any) -> NDArray[np.float64]:
        return self.left.diagonal(X) + self.right.diagonal(X)

    def gradient_sums(self, X: Any, rows: Any, weights: NDArray[np.float64]) -> NDArray[np.float64]:
        return self.left.gradient_sums(X, rows, weights) + self.right.gradient_sums(X, rows, weights)

    def own_gradient(self, X: Any) -> NDArray[np.float64]:
        return self.left.own_gradient(X) + self.right.own_gradient(X)

    def encode(self, objects: Sequence[Any], first_column: int) -> _core.Objects:
        return self.left.encode(objects, first_column).plus(self.right.encode(objects, first_column))

    def push_to(self, program: Program, columns: Columns | None) -> bool:
        both = push_part(self.left, program, columns) and push_part(self.right, program, columns)
        return both and program.push_operator("add")


@combination("sum")
@final
@dataclass
class Sum(Kernel):
    """``k(u, v) = k₁(u, v) + k₂(u, v)``, written ``k1 + k2``: φ is that of both, one after the other.

    Parameters
    ----------
    left, right : Kernel
        ``k₁`` and ``k₂``.

    References
    ----------
    Shawe-Taylor and Cristianini, Kernel Methods for Pattern Analysis, 2004, proposition 3.22.

    Examples
    --------
    >>> from maxmargin.kernels import RBF, Linear
    >>> kernel = 0.5 * RBF(gamma=0.5) + Linear()
    >>> kernel([[0.0, 1.0]], [[0.0, 1.0]])
    array([[1.5]])
    >>> kernel.set_params(left__kernel__gamma=2.0)
    Sum(left=Scaled(kernel=RBF(gamma=2.0), factor=0.5), right=Linear())
    """

    left: Kernel
    right: Kernel

    @property
    def input_kind(self) -> str:
        """What its rows must be."""
        return input_kind_of(self.left, self.right)

    def bind(self, X: Any, sample_weight: NDArray[np.float64] | None = None, *, moments: Moments | None = None) -> BoundKernel:
        """Fix the parameters of both."""
        left, right = (require_kernel(name, getattr(self, name), "Sum") for name in ("left", "right"))
        require_same_input(left, right, "Sum")
        return BoundSum(left.bind(X, sample_weight, moments=moments), right.bind(X, sample_weight, moments=moments))
