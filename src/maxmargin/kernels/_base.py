"""What every kernel is: a small picklable object with parameters, and, once bound to data, a function with fixed numbers."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import fields
from itertools import pairwise
from numbers import Real
from typing import Any, ClassVar, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from maxmargin import _core
from maxmargin.errors import InvalidInput
from maxmargin.kernels._gram import Gram
from maxmargin.kernels._scale import Moments
from maxmargin.validation import feature_matrix, length, object_rows, rows_are_objects, take_rows

__all__ = ["BoundKernel", "Kernel", "combination"]

_BLOCK_VALUES = 1 << 21  # kernel values held at once


class BoundKernel(ABC):
    """A kernel whose parameters are fixed. It provides Gram sources for training and kernel values for prediction."""

    largest_checked: int = 1000
    """Rows up to which a matrix of an unknown kernel is examined as a whole."""
    gamma: float | None = None
    """The scale of the inner product or distance, where there is one."""

    @property
    def is_linear(self) -> bool:
        """Whether f(x) = <w, x> + b for weights w."""
        return False

    @property
    def is_precomputed(self) -> bool:
        """Whether rows are known by their number only, so that no kernel value can be computed from them."""
        return False

    @property
    def of_features(self) -> bool:
        """Whether the core computes all values from feature vectors: equal rows have equal values, to the last bit."""
        return False

    @property
    def of_objects(self) -> bool:
        """Whether the core computes all values from objects that `encode` hands over."""
        return False

    @property
    def of_distances(self) -> bool:
        """Whether values are from 0 to 1 and ``k(x, x) = 1``, with the rounding errors of a distance."""
        return False

    @property
    def mercer(self) -> bool:
        """Whether every Gram matrix is known to be positive semidefinite."""
        return False

    @property
    def strictly_positive(self) -> bool:
        """Whether ``φ(x_i)`` of any distinct rows are linearly independent."""
        return False

    @property
    def degrees(self) -> range | None:
        """Degrees of the monomials of features that φ consists of, up to factors; None if it is something else."""
        return None

    def dimension(self, d: int) -> int | None:
        """Dimension of the space that φ spans for d features, without a constant; None if infinite or not known."""
        return None if self.degrees is None else sum(math.comb(d + k - 1, k) for k in self.degrees if k > 0)

    def largest_at(self, square: float) -> float:
        """A bound of ``|k(x, x)|`` where ``|x|²`` is not larger than this; 1 if nothing is known."""
        return 1.0

    def overflows_at(self, square: float) -> bool:
        """Whether ``k(x, x)`` may overflow where ``|x|²`` is not larger than this."""
        try:
            return not math.isfinite(self.largest_at(square))
        except OverflowError:
            return True

    def check(self, X: Any) -> None:
        """Raise for rows that the kernel is not defined for, as those below 0 are for some."""
        return

    @property
    def roughness(self) -> str:
        """Why values have no derivative by the features of a row; empty if they have one."""
        return f"{type(self).__name__.lstrip('_')} knows its values only"

    def gradient_sums(self, X: Any, rows: Any, weights: NDArray[np.float64]) -> NDArray[np.float64]:
        """``Σ_j W_ij ∂k(x_i, r_j)/∂x_i`` for each row of X, shape (m, d), if there is no `roughness`."""
        raise TypeError(f"{type(self).__name__} has no gradient.")

    def own_gradient(self, X: Any) -> NDArray[np.float64]:
        """``∂k(x, x)/∂x`` for each row of X, shape (m, d), if there is no `roughness`."""
        raise TypeError(f"{type(self).__name__} has no gradient.")

    def encode(self, objects: Sequence[Any], first_column: int) -> _core.Objects:
        """Objects as the core reads them, if `of_objects`; those from ``first_column`` on are the columns of blocks."""
        raise TypeError(f"{type(self).__name__} is no kernel of objects.")

    @abstractmethod
    def gram(self, X: Any) -> Gram:
        """Source of the Gram matrix of the training rows."""

    @abstractmethod
    def cross(self, X: Any, rows: Any) -> NDArray[np.float64]:
        """Kernel values of the rows of X (down) against other rows (across), in float64."""

    def diagonal(self, X: Any) -> NDArray[np.float64]:
        """``k(x, x)`` of rows, in float64."""
        return self.gram(X).diagonal()

    def weighted_sums(self, X: Any, rows: Any, coefficients: NDArray[np.float64], bounds: Sequence[int]) -> NDArray[np.float64]:
        """Kernel values against groups of rows, summed with coefficients: what predictions are made of.

        Parameters
        ----------
        X : rows
            Where to predict.
        rows : rows
            Support vectors; group g is from ``bounds[g]`` to ``bounds[g + 1]``.
        coefficients : ndarray of shape (h, number of rows)
            Several for each.
        bounds : sequence of int
            Where the groups begin, and the end.

        Returns
        -------
        ndarray of shape (groups, h, len(X))
        """
        m = length(X)
        sums = np.zeros((len(bounds) - 1, len(coefficients), m))
        height = max(1, _BLOCK_VALUES // max(1, bounds[-1]))
        for start in range(0, m, height):
            some = slice(start, min(start + height, m))
            values = self.cross(X if height >= m else take_rows(X, np.arange(some.start, some.stop)), rows)
            for group, (low, high) in enumerate(pairwise(bounds)):
                sums[group, :, some] = coefficients[:, low:high] @ values[:, low:high].T
        return sums


class Kernel(ABC):
    """A kernel with parameters as the user gave them. They are checked when the kernel is bound to data.

    Kernels are added, multiplied and scaled, ``0.5 * RBF(gamma=0.1) + Linear() * Polynomial(degree=2)``; summed,
    ``sum([k1, k2, k3])``; raised to a power, ``k ** 2``; normalised, ``k.normalised()``; and applied to some columns,
    ``k.on([0, 3])``. If the parts are inner products, so is the result.

    Kernels have scikit-learn's ``get_params`` and ``set_params``, so that ``clone`` copies them and a grid search over
    ``kernel__gamma``, or ``kernel__left__gamma`` of a sum, reaches them. Subclasses are dataclasses: their fields are their
    parameters.
    """

    combinations: ClassVar[dict[str, Callable[..., Kernel]]] = {}
    """What makes a sum, a product, … of kernels, by the name of the operation: each class in its own file."""

    @property
    def input_kind(self) -> str:
        """What its rows must be: "vectors", any "objects", "structured" objects, which are never read as vectors, or
        rows of a "precomputed" matrix."""
        return "vectors"

    @abstractmethod
    def bind(self, X: Any, sample_weight: NDArray[np.float64] | None = None, *, moments: Moments | None = None) -> BoundKernel:
        """Fix the parameters, with ``gamma="scale"`` taken from the data."""

    def __call__(self, X: Any, Y: Any = None) -> NDArray[np.float64]:
        """Kernel values of the rows of X against those of Y, or of X itself; ``"scale"`` is taken from X."""
        if self.input_kind == "structured":
            X = object_rows(X)
            return self.bind(X).cross(X, X if Y is None else object_rows(Y))
        X = _as_rows(X)
        if self.input_kind == "precomputed":  # X has the values of all its columns
            return self.bind(X).cross(X, np.arange(X.shape[1]))
        return self.bind(X).cross(X, X if Y is None else _as_rows(Y))

    def __add__(self, other: Any) -> Kernel:
        return self.combinations["sum"](self, other) if isinstance(other, Kernel) else NotImplemented

    def __radd__(self, other: Any) -> Kernel:
        """``0 + k`` is k: what the builtin ``sum`` of several kernels begins with."""
        return self if _is_number(other) and other == 0 else NotImplemented

    def __mul__(self, other: Any) -> Kernel:
        if isinstance(other, Kernel):
            return self.combinations["product"](self, other)
        return self.combinations["scaled"](self, other) if _is_number(other) else NotImplemented

    def __rmul__(self, other: Any) -> Kernel:
        return self.combinations["scaled"](self, other) if _is_number(other) else NotImplemented

    def __pow__(self, exponent: Any) -> Kernel:
        return self.combinations["power"](self, exponent)

    def on(self, columns: Any) -> Kernel:
        """The same kernel of some columns of X, given by their numbers."""
        return self.combinations["on_columns"](self, columns)

    def normalised(self) -> Kernel:
        """``k(u, v) / √(k(u, u) k(v, v))``: the cosine of the angle between φ(u) and φ(v)."""
        return self.combinations["normalised"](self)

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Parameters by name; deep, also those of the kernels among them: ``left__gamma``."""
        own = {field.name: getattr(self, field.name) for field in fields(self)}  # type: ignore[arg-type]
        if not deep:
            return own
        nested = {
            f"{name}__{inner}": value
            for name, kernel in own.items()
            if isinstance(kernel, Kernel)
            for inner, value in kernel.get_params().items()
        }
        return {**own, **nested}

    def set_params(self, **params: Any) -> Self:
        """Set parameters by name, first its own, then those of the kernels among them."""
        known = self.get_params(deep=False)
        for name in params:
            outer, _, inner = name.partition("__")
            if outer not in known or (inner and not isinstance(params.get(outer, known[outer]), Kernel)):
                raise InvalidInput(
                    f"Invalid parameter {name!r} for kernel {type(self).__name__}. Valid parameters are: "
                    f"{list(self.get_params())}."
                )
        nested: dict[str, dict[str, Any]] = {}
        for name, value in params.items():
            outer, _, inner = name.partition("__")
            if inner:
                nested.setdefault(outer, {})[inner] = value
            else:
                setattr(self, name, value)
        for name, inner_params in nested.items():
            getattr(self, name).set_params(**inner_params)
        return self


K = TypeVar("K", bound=Kernel)


def combination(name: str) -> Callable[[type[K]], type[K]]:
    """Make a class the one for an operation on kernels."""

    def register(cls: type[K]) -> type[K]:
        Kernel.combinations[name] = cls
        return cls

    return register


def _is_number(value: Any) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool | np.bool_)


def _as_rows(X: Any) -> Any:
    """Feature rows as the core reads them; sequences of objects are left as they are."""
    return X if rows_are_objects(X) else feature_matrix(X)
