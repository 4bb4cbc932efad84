"""A kernel with vectors of length 1."""

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
from maxmargin.kernels._linear_rows import row_sizes
from maxmargin.kernels._objects._base import normalised_objects
from maxmargin.kernels._program import Columns, Program
from maxmargin.kernels._scale import Moments
from maxmargin.validation import rows_are_objects

__all__ = ["Normalised", "short_rows"]

_LEAST = 1e-290  # a k(x, x) that has all digits
_MINUTE = 1e-70  # entries of rows whose k(x, x) may be 0 by rounding only


@final
@dataclass(frozen=True)
class BoundNormalised(CombinedKernel):
    kernel: BoundKernel

    @property
    def parts(self) -> tuple[BoundKernel, ...]:
        return (self.kernel,)

    @property
    def strictly_positive(self) -> bool:
        return self.kernel.strictly_positive

    def values(self, X: Any, rows: Any) -> NDArray[np.float64]:
        values, down, across = self.kernel.cross(X, rows), self.kernel.diagonal(X), self.kernel.diagonal(rows)
        with np.errstate(invalid="ignore"):
            lengths = np.multiply.outer(np.sqrt(down), np.sqrt(across))
        otherwise = np.where(np.add.outer(down, across) > 0.0, 0.0, 1.0)
        return np.where(lengths > 0.0, values / np.where(lengths > 0.0, lengths, 1.0), otherwise)

    def check(self, X: Any) -> None:
        """Raise for rows that the kernel is not defined for, and for those whose k(x, x) is too small to divide by."""
        super().check(X)
        if rows_are_objects(X):
            return
        _, short, squares = short_rows(self.kernel, X)
        if short.any():
            row = int(np.flatnonzero(short)[0])
            raise InvalidInput(
                f"Normalised divides by k(x, x), which is {squares[row]:.3g} for row {row}: too small for floating"
                " point. Scale the features or the kernel."
            )

    def own_values(self, X: Any) -> NDArray[np.float64]:
        squares = self.kernel.diagonal(X)
        return np.where(squares < 0.0, -1.0, 1.0)

    def gradient_sums(self, X: Any, rows: Any, weights: NDArray[np.float64]) -> NDArray[np.float64]:
        squares, across = self.kernel.diagonal(X)[:, np.newaxis], self.kernel.diagonal(rows)
        if not squares.all():
            row = int(np.flatnonzero(squares[:, 0] == 0.0)[0])
            raise InvalidInput(f"Normalised has no gradient where k(x, x) = 0. Got row {row}, for which it is; leave it out.")
        held = weights / np.sqrt(squares * np.where(across > 0.0, across, np.inf))
        turned = (held * self.kernel.cross(X, rows)).sum(axis=1)[:, np.newaxis]
        return np.asarray(self.kernel.gradient_sums(X, rows, held) - 0.5 * turned / squares * self.kernel.own_gradient(X))

    def own_gradient(self, X: Any) -> NDArray[np.float64]:
        return np.zeros(X.shape)

    def encode(self, objects: Sequence[Any], first_column: int) -> _core.Objects:
        return normalised_objects(self.kernel.encode(objects, first_column), "Normalised")

    def push_to(self, program: Program, columns: Columns | None) -> bool:
        return push_part(self.kernel, program, columns) and program.push_operator("normalise")


@combination("normalised")
@final
@dataclass
class Normalised(Kernel):
    """``k(u, v) / √(k(u, u) k(v, v))``, written ``k.normalised()``: the cosine of the angle between φ(u) and φ(v).

    ``k(x, x) = 1``. Where k(u, u) = 0, so that φ(u) = 0, u has a direction of its own: 1 with others of that kind, 0 with
    the rest.

    Parameters
    ----------
    kernel : Kernel
        k.

    References
    ----------
    Shawe-Taylor and Cristianini, Kernel Methods for Pattern Analysis, 2004, section 5.1.

    Examples
    --------
    >>> from maxmargin.kernels import Linear
    >>> Linear().normalised()([[3.0, 4.0]], [[1.0, 0.0], [0.0, 2.0]])
    array([[0.6, 0.8]])
    """

    kernel: Kernel

    @property
    def input_kind(self) -> str:
        """What its rows must be."""
        return input_kind_of(self.kernel)

    def bind(self, X: Any, sample_weight: NDArray[np.float64] | None = None, *, moments: Moments | None = None) -> BoundKernel:
        """Fix the parameters of the kernel."""
        kernel = require_kernel("kernel", self.kernel, "Normalised")
        if kernel.input_kind == "precomputed":
            raise InvalidInput(
                f"Normalised needs k(x, x) of every row. Got {kernel!r}, which has none for rows to predict. Normalise the"
                " matrices yourself: K / np.sqrt(np.outer(k_xx, k_yy))."
            )
        bound = BoundNormalised(kernel.bind(X, sample_weight, moments=moments))
        bound.check(X)
        return bound


def short_rows(kernel: BoundKernel, X: Any) -> tuple[NDArray[np.bool_], NDArray[np.bool_], NDArray[np.float64]]:
    """Vectors with a k(x, x) near 0, those of them where rounding may be why, and all k(x, x)."""
    squares = kernel.diagonal(X)
    small = np.abs(squares) < _LEAST
    if not small.any():
        return small, small, squares
    sizes = row_sizes(X)
    return small, small & ((squares != 0.0) | ((sizes > 0.0) & (sizes < _MINUTE))), squares
