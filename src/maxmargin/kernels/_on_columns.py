"""A kernel of some columns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from maxmargin.errors import InvalidInput
from maxmargin.kernels._base import BoundKernel, Kernel, combination
from maxmargin.kernels._combined import CombinedKernel, push_part, require_kernel
from maxmargin.kernels._feature_kernel import FeatureKernel, require_non_negative
from maxmargin.kernels._program import Columns, Program
from maxmargin.kernels._scale import Moments
from maxmargin.validation import rows_are_objects

__all__ = ["OnColumns"]


@final
@dataclass(frozen=True)
class BoundOnColumns(CombinedKernel):
    kernel: BoundKernel
    columns: tuple[int, ...]

    @property
    def parts(self) -> tuple[BoundKernel, ...]:
        return (self.kernel,)

    @property
    def mercer(self) -> bool:
        return self.kernel.mercer

    def dimension(self, d: int) -> int | None:
        """That of the kernel for the features it sees."""
        return self.kernel.dimension(len(self.columns))

    def largest_at(self, square: float) -> float:
        return self.kernel.largest_at(square)

    def check(self, X: Any) -> None:
        """Raise for rows that the kernel is not defined for; the message has the numbers of their columns in X."""
        if isinstance(self.kernel, FeatureKernel):
            if self.kernel.non_negative:
                require_non_negative(_taken(X, self.columns), self.kernel.non_negative, self.columns)
        else:
            self.kernel.check(_taken(X, self.columns))

    def values(self, X: Any, rows: Any) -> NDArray[np.float64]:
        return self.kernel.cross(_taken(X, self.columns), _taken(rows, self.columns))

    def own_values(self, X: Any) -> NDArray[np.float64]:
        return self.kernel.diagonal(_taken(X, self.columns))

    def gradient_sums(self, X: Any, rows: Any, weights: NDArray[np.float64]) -> NDArray[np.float64]:
        inner = self.kernel.gradient_sums(_taken(X, self.columns), _taken(rows, self.columns), weights)
        return self._scattered(inner, X)

    def own_gradient(self, X: Any) -> NDArray[np.float64]:
        return self._scattered(self.kernel.own_gradient(_taken(X, self.columns)), X)

    def _scattered(self, inner: NDArray[np.float64], X: Any) -> NDArray[np.float64]:
        """Derivatives by the columns that the kernel sees, among 0 for the others."""
        every = np.zeros(X.shape)
        every[:, list(self.columns)] = inner
        return every

    def push_to(self, program: Program, columns: Columns | None) -> bool:
        chosen = self.columns if columns is None else tuple(columns[k] for k in self.columns)
        return push_part(self.kernel, program, chosen)


@combination("on_columns")
@final
@dataclass(eq=False)
class OnColumns(Kernel):
    """``k(u_S, v_S)``: a kernel that only sees the columns S of X, written ``k.on(columns)``.

    ``gamma="scale"`` is that of these columns.

    Parameters
    ----------
    kernel : Kernel
        k.
    columns : sequence of int
        S, by numbers from 0.

    Examples
    --------
    >>> from maxmargin.kernels import RBF, Linear
    >>> kernel = RBF(gamma=1.0).on([0, 3]) + Linear().on([1])
    >>> kernel([[1.0, 2.0, 9.0, 0.0]], [[1.0, 3.0, 7.0, 0.0]])
    array([[7.]])
    """

    kernel: Kernel
    columns: Any

    @property
    def input_kind(self) -> str:
        """Vectors, which have columns; what has none is refused by `bind`."""
        kind = self.kernel.input_kind if isinstance(self.kernel, Kernel) else "vectors"
        return kind if kind in ("precomputed", "structured") else "vectors"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, OnColumns):
            return NotImplemented
        return self.kernel == other.kernel and list(self.columns) == list(other.columns)

    __hash__ = None  # type: ignore[assignment]  # as other kernels, whose parameters may change

    def bind(self, X: Any, sample_weight: NDArray[np.float64] | None = None, *, moments: Moments | None = None) -> BoundKernel:
        """Check the columns, and fix the parameters of the kernel on them."""
        kernel = require_kernel("kernel", self.kernel, "OnColumns")
        if kernel.input_kind == "precomputed":
            raise InvalidInput(
                f"OnColumns needs features to choose from. Got {kernel!r}, whose columns are training rows. Choose the features"
                " before the matrix is computed."
            )
        if kernel.input_kind == "structured" or rows_are_objects(X):
            raise InvalidInput(
                f"OnColumns needs rows with columns to choose from. Got rows that are objects, and columns={self.columns!r}."
                " Let the kernel function choose."
            )
        columns = _checked(self.columns, int(X.shape[1]))
        chosen = list(columns)
        own = None if moments is None else Moments(moments.mean[chosen], moments.variance[chosen])
        bound = BoundOnColumns(kernel.bind(_taken(X, columns), sample_weight, moments=own), columns)
        bound.check(X)
        return bound


def _taken(X: Any, columns: tuple[int, ...]) -> Any:
    some = X[:, list(columns)]
    return np.ascontiguousarray(some) if isinstance(some, np.ndarray) else some


def _checked(columns: Any, width: int) -> tuple[int, ...]:
    """The columns as integers, if they are distinct columns of X."""
    expected = f"distinct column numbers from 0 to {width - 1}, such as [0, 2]"
    try:
        given = list(columns) if not isinstance(columns, str) else [columns]
    except TypeError:
        raise InvalidInput(f"The 'columns' parameter of OnColumns must be {expected}. Got {columns!r} instead.") from None
    if not given:
        raise InvalidInput("The 'columns' parameter of OnColumns must name a column at least. Got none.")
    for column in given:
        if isinstance(column, str):
            raise InvalidInput(
                f"The 'columns' parameter of OnColumns must be {expected}. Got the name {column!r}: kernels see rows without"
                " names. Look its number up, for example with frame.columns.get_loc, or select them in a ColumnTransformer."
            )
        if isinstance(column, bool | np.bool_):
            raise InvalidInput(
                f"The 'columns' parameter of OnColumns must be {expected}. Got the bool {column!r}. Use np.flatnonzero(mask)."
            )
        if not isinstance(column, int | np.integer) or not 0 <= column < width:
            raise InvalidInput(
                f"The 'columns' parameter of OnColumns must be {expected}, since X has {width} columns. Got {column!r}."
            )
    numbers = tuple(int(column) for column in given)
    twice = sorted({column for column in numbers if numbers.count(column) > 1})
    if twice:
        raise InvalidInput(
            f"The 'columns' parameter of OnColumns must be {expected}. Got column {twice[0]} more than once. To give a feature"
            " more weight, scale it."
        )
    return numbers
