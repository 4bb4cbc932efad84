"""What every kernel is: a small picklable object with parameters, and, once bound to data, a function with fixed numbers."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import fields
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from maxmargin.errors import InvalidInput
from maxmargin.kernels._gram import Gram
from maxmargin.validation import feature_matrix, rows_are_objects

__all__ = ["BoundKernel", "Kernel"]


class BoundKernel(ABC):
    """A kernel whose numbers are fixed. Hands out Gram sources for training and kernel values for prediction."""

    is_linear: bool = False
    """Whether f(x) = <w, x> + b for weights w."""
    mercer: bool = False
    """Whether every Gram matrix is known to be positive semidefinite."""
    gamma: float | None = None
    """The scale of the inner product or distance, where there is one."""

    @abstractmethod
    def gram(self, X: Any) -> Gram:
        """Source of the Gram matrix of the training rows."""

    @abstractmethod
    def cross(self, X: Any, rows: Any) -> NDArray[np.float64]:
        """Kernel values of the rows of X (down) against other rows (across), in float64."""


class Kernel(ABC):
    """A kernel with parameters as the user gave them. They are checked when the kernel is bound to data.

    Kernels have scikit-learn's ``get_params`` and ``set_params``, so that ``clone`` copies them and a grid search over
    ``kernel__gamma`` reaches them. Subclasses are dataclasses: their fields are their parameters.
    """

    @abstractmethod
    def bind(self, X: Any, sample_weight: NDArray[np.float64] | None = None) -> BoundKernel:
        """Fix the numbers, with ``gamma="scale"`` taken from the data."""

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
