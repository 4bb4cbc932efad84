"""Rows as a walk of single steps sees them: a product with one of them, and one of them added."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, final

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from maxmargin.errors import InvalidInput
from maxmargin.kernels import Gram

__all__ = ["KernelRows", "NoRows", "Rows", "feature_rows"]

Vector = NDArray[np.float64]

_HELD = 4000  # rows up to which the kernel matrix is kept
_SHORT = 1024


def _product(x: NDArray[Any], theta: Vector) -> float:
    """``<x, θ>``: of long rows not by BLAS, whose sums have an order that depends on its threads."""
    return float(x.dot(theta)) if len(x) <= _SHORT else float((x * theta).sum())


class Rows(ABC):
    """Rows ``φ(x_i)`` with a sum ``θ = Σ c_i φ(x_i)`` that grows by one row at a time.

    Attributes
    ----------
    theta : ndarray
        θ itself, of length d; for a kernel the coefficients c, of length n.
    moment : ndarray
        The same sum with a weight on every term: what the mean of all earlier θ is read from.
    """

    theta: Vector
    moment: Vector

    @abstractmethod
    def product(self, i: int) -> float:
        """``<θ, φ(x_i)>``."""

    @abstractmethod
    def add(self, i: int, amount: float, weight: float) -> None:
        """``θ ← θ + amount φ(x_i)``, and ``weight`` times that to the moment."""


@final
class _Dense(Rows):
    def __init__(self, X: NDArray[Any]) -> None:
        self._x = X
        self.theta, self.moment = np.zeros(X.shape[1]), np.zeros(X.shape[1])

    def product(self, i: int) -> float:
        return _product(self._x[i], self.theta)

    def add(self, i: int, amount: float, weight: float) -> None:
        change = amount * self._x[i].astype(np.float64, copy=False)
        self.theta += change
        self.moment += weight * change


@final
class _Sparse(Rows):
    """Only the stored values of a row are touched."""

    def __init__(self, X: Any) -> None:
        self._starts, self._columns, self._values = X.indptr.tolist(), X.indices, X.data
        self.theta, self.moment = np.zeros(X.shape[1]), np.zeros(X.shape[1])

    def _row(self, i: int) -> tuple[NDArray[Any], NDArray[Any]]:
        stored = slice(self._starts[i], self._starts[i + 1])
        return self._columns[stored], self._values[stored]

    def product(self, i: int) -> float:
        columns, values = self._row(i)
        return _product(values, self.theta[columns])

    def add(self, i: int, amount: float, weight: float) -> None:
        columns, values = self._row(i)
        change = amount * values.astype(np.float64, copy=False)
        self.theta[columns] += change
        self.moment[columns] += weight * change


@final
class KernelRows(Rows):
    """Rows in the space of a kernel: the products ``K c`` with all of them are kept along."""

    def __init__(self, gram: Gram) -> None:
        self.gram = gram
        self._every = np.arange(gram.n, dtype=np.int32)
        self._matrix = gram.block(self._every, self._every) if gram.n <= _HELD else None
        self._products = np.zeros(gram.n)
        self.theta, self.moment = np.zeros(gram.n), np.zeros(gram.n)

    def product(self, i: int) -> float:
        return float(self._products[i])

    def add(self, i: int, amount: float, weight: float) -> None:
        row = self.gram.block([i], self._every)[0] if self._matrix is None else self._matrix[i]
        self.theta[i] += amount
        self.moment[i] += weight * amount
        self._products += amount * row


@final
class NoRows(Rows):
    """Between one set of rows and the next: θ alone."""

    def __init__(self, before: Rows) -> None:
        self.theta, self.moment = before.theta, before.moment

    def product(self, i: int) -> float:
        raise InvalidInput("The walk has no rows to draw from. Move it to some: move_to(problem).")

    def add(self, i: int, amount: float, weight: float) -> None:
        self.product(i)


def feature_rows(X: Any, before: Rows | None = None) -> Rows:
    """Dense or CSR rows, with the sum θ of others before them."""
    rows: Rows = _Sparse(X) if sparse.issparse(X) else _Dense(X)
    if before is not None:
        rows.theta, rows.moment = before.theta, before.moment
    return rows
