"""What every kernel is: a small picklable object with parameters, and, once bound to data, a function with fixed numbers."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import fields
from itertools import pairwise
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from maxmargin.errors import InvalidInput
from maxmargin.kernels._gram import Gram
from maxmargin.kernels._scale import Moments
from maxmargin.validation import feature_matrix, length, rows_are_objects, take_rows

__all__ = ["BoundKernel", "Kernel"]

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

    Kernels have scikit-learn's ``get_params`` and ``set_params``, so that ``clone`` copies them and a grid search over
    ``kernel__gamma`` reaches them. Subclasses are dataclasses: their fields are their parameters.
    """

    @abstractmethod
    def bind(self, X: Any, sample_weight: NDArray[np.float64] | None = None, *, moments: Moments | None = None) -> BoundKernel:
        """Fix the parameters, with ``gamma="scale"`` taken from the data."""

    def __call__(self, X: Any, Y: Any = None) -> NDArray[np.float64]:
        """Kernel values of the rows of X against those of Y, or of X itself; ``"scale"`` is taken from X."""
        X = _as_rows(X)
        return self.bind(X).cross(X, X if Y is None else _as_rows(Y))

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Parameters by name."""
        return {field.name: getattr(self, field.name) for field in fields(self)}  # type: ignore[arg-type]

    def set_params(self, **params: Any) -> Self:
        """Set parameters by name."""
        known = self.get_params()
        for name, value in params.items():
            if name not in known:
                raise InvalidInput(
                    f"Invalid parameter {name!r} for kernel {type(self).__name__}. Valid parameters are: {list(known)}."
                )
            setattr(self, name, value)
        return self


def _as_rows(X: Any) -> Any:
    """Feature rows as the core reads them; sequences of objects are left as they are."""
    return X if rows_are_objects(X) else feature_matrix(X)
