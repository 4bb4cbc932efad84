"""Kernels made of others, bound to data: in the core's tiles if it can compute all parts, else by blocks of the parts."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from maxmargin import _core
from maxmargin.errors import InvalidInput
from maxmargin.kernels._base import BoundKernel, Kernel
from maxmargin.kernels._feature_kernel import FeatureKernel
from maxmargin.kernels._gram import FeatureSource, Gram
from maxmargin.kernels._linear_rows import RowNumbers, as_features
from maxmargin.kernels._objects._base import object_cross, object_diagonal, object_gram, object_sums
from maxmargin.kernels._program import Columns, Program
from maxmargin.kernels._user_function import FunctionRows

__all__ = ["CombinedKernel", "input_kind_of", "require_kernel"]


class CombinedKernel(BoundKernel, ABC):
    """A kernel whose values follow from those of its parts."""

    @property
    @abstractmethod
    def parts(self) -> tuple[BoundKernel, ...]:
        """The kernels that it is made of."""

    @abstractmethod
    def values(self, X: Any, rows: Any) -> NDArray[np.float64]:
        """Kernel values from those of the parts."""

    @abstractmethod
    def own_values(self, X: Any) -> NDArray[np.float64]:
        """``k(x, x)`` from those of the parts."""

    @abstractmethod
    def push_to(self, program: Program, columns: Columns | None) -> bool:
        """Add its operations to a program of the core; False if that is full or cannot compute a part."""

    @property
    def is_precomputed(self) -> bool:
        """Whether rows are known by their number only."""
        return self.parts[0].is_precomputed

    @property
    def of_features(self) -> bool:
        """Whether the core computes all values from feature vectors."""
        return all(part.of_features for part in self.parts)

    @property
    def of_objects(self) -> bool:
        """Whether the core computes all values from encoded objects."""
        return all(part.of_objects for part in self.parts)

    @property
    def mercer(self) -> bool:
        """Whether every Gram matrix is positive semidefinite: if those of all parts are."""
        return all(part.mercer for part in self.parts)

    @property
    def largest_checked(self) -> int:  # type: ignore[override]
        """Rows up to which a matrix of an unknown kernel is examined as a whole."""
        return min(part.largest_checked for part in self.parts)

    @property
    def roughness(self) -> str:
        """Why values have no gradient: what a part says."""
        return next((part.roughness for part in self.parts if part.roughness), "")

    @abstractmethod
    def gradient_sums(self, X: Any, rows: Any, weights: NDArray[np.float64]) -> NDArray[np.float64]:
        """The chain rule: sums of the gradients of the parts, with other weights."""

    @abstractmethod
    def own_gradient(self, X: Any) -> NDArray[np.float64]:
        """``∂k(x, x)/∂x`` from those of the parts."""

    def check(self, X: Any) -> None:
        """Raise for rows that a part is not defined for."""
        for part in self.parts:
            part.check(X)

    def gram(self, X: Any) -> Gram:
        """Source of the Gram matrix of the training rows."""
        if self.is_precomputed:
            for part in self.parts:
                part.gram(X)  # which looks at the matrix
            matrix = np.ascontiguousarray(self.values(X, np.arange(len(X))))
            return Gram(lambda subset: _core.precomputed_gram(matrix, subset), RowNumbers(), self)
        if self.of_objects:
            return object_gram(self, X)
        program = self._program(X)
        if program is None:
            return Gram(FunctionRows(_ByParts(self), X).source, X, self)
        return Gram(FeatureSource(as_features(program.rows_of(X)), program.function), X, self)

    def cross(self, X: Any, rows: Any) -> NDArray[np.float64]:
        """Kernel values of the rows of X (down) against other rows (across), in float64."""
        if self.of_objects:
            return object_cross(self, X, rows)
        program = self._program(X)
        if program is None:
            return self.values(X, rows)
        self.check(X)
        if rows is not X:
            self.check(rows)
        left = as_features(program.rows_of(X))
        return _core.cross_kernel(program.function, left, left if rows is X else as_features(program.rows_of(rows)))

    def diagonal(self, X: Any) -> NDArray[np.float64]:
        """``k(x, x)`` of rows, in float64."""
        if self.of_objects:
            return object_diagonal(self, X)
        return self.own_values(X) if self._program(X) is None else self.gram(X).diagonal()

    def weighted_sums(self, X: Any, rows: Any, coefficients: NDArray[np.float64], bounds: Sequence[int]) -> NDArray[np.float64]:
        """Kernel values against groups of rows, summed with coefficients."""
        if self.of_objects:
            return object_sums(self, X, rows, coefficients, bounds)
        program = self._program(X)
        if program is None:
            return super().weighted_sums(X, rows, coefficients, bounds)
        self.check(X)
        held, groups = np.ascontiguousarray(coefficients, dtype=np.float64), np.array(bounds, dtype=np.int32)
        left, right = as_features(program.rows_of(X)), as_features(program.rows_of(rows))
        return _core.weighted_sums(program.function, left, right, held, groups)

    def _program(self, X: Any) -> Program | None:
        """The operations for the core, if it can compute all of it."""
        if not self.of_features:
            return None
        program = Program(int(X.shape[1]))
        return program if self.push_to(program, None) else None


def push_part(part: BoundKernel, program: Program, columns: Columns | None) -> bool:
    """Add a part to a program; False if it is none of the core's."""
    return isinstance(part, FeatureKernel | CombinedKernel) and part.push_to(program, columns)


@final
class _ByParts:
    """A combined kernel as a function of two blocks of rows."""

    def __init__(self, kernel: CombinedKernel) -> None:
        self._kernel = kernel

    def __call__(self, A: Any, B: Any) -> NDArray[np.float64]:
        return self._kernel.values(A, B)

    def diag(self, A: Any) -> NDArray[np.float64]:
        return self._kernel.own_values(A)


def require_kernel(name: str, value: Any, owner: str) -> Kernel:
    """Return a part of a combination, if it is a kernel object."""
    if isinstance(value, Kernel):
        return value
    raise InvalidInput(
        f"The {name!r} parameter of {owner} must be a kernel object of maxmargin.kernels. Got {value!r} instead. For a name or"
        " a function use kernels.as_kernel."
    )


def input_kind_of(*kernels: Any) -> str:
    """What rows a combination of kernels takes: what all of them take."""
    kinds = {kernel.input_kind for kernel in kernels if isinstance(kernel, Kernel)}
    return next((kind for kind in ("precomputed", "structured", "vectors") if kind in kinds), "objects")


def require_same_input(left: Kernel, right: Kernel, owner: str) -> None:
    """Raise where one kernel takes a matrix and the other rows, or one vectors and the other strings or graphs."""
    if {left.input_kind, right.input_kind} == {"structured", "vectors"}:
        raise InvalidInput(
            f"{owner} needs two kernels of the same rows. Got {left!r} and {right!r}: one takes vectors, the other objects. For"
            " records that have both use RelationalKernel."
        )
    if (left.input_kind == "precomputed") != (right.input_kind == "precomputed"):
        raise InvalidInput(
            f"{owner} needs two kernels of the same rows. Got {left!r} and {right!r}: one takes a Gram matrix, the other rows."
            " Compute the sum or product of the matrices, and use Precomputed for that."
        )
