"""Training rows in an arithmetic of many digits, and the kernel between them."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from maxmargin.kernels import Kernel

from ._formulas import are_semidefinite, own, values
from ._generator import Case
from ._numbers import Digits

__all__ = ["TrainingRows", "gamma_of"]


def gamma_of(case: Case) -> np.longdouble | None:
    """γ by its definition: 1/(d · variance of all entries), each row counted by its weight; None where the kernel has none."""
    kernel = case.params.get("kernel", "rbf")
    if isinstance(kernel, Kernel):
        gamma = kernel.get_params(deep=False).get("gamma", 0.0)
        if not isinstance(gamma, str):
            return None
    elif kernel in ("rbf", "poly", "sigmoid"):
        gamma = case.params.get("gamma", "scale")
    else:
        return None
    if gamma == "auto":
        return 1 / np.longdouble(case.X.shape[1])
    if gamma != "scale":
        return np.longdouble(gamma)
    X = case.X.astype(np.longdouble)
    X = X - X[0, 0]  # where all entries are the same, their mean may be off by rounding, and its square is no variance
    weight = np.ones(len(X), dtype=np.longdouble) if case.weight is None else case.weight.astype(np.longdouble)
    total = weight.sum() * X.shape[1]
    mean = (weight @ X).sum() / total
    variance = (weight @ np.square(X - mean)).sum() / total
    return 1 / (X.shape[1] * variance) if variance > 0 else np.longdouble(1)


class TrainingRows:
    """The rows of positive weight of a case.

    Parameters
    ----------
    case : Case
        The fit.
    digits : Digits
        The arithmetic.
    gamma : float or None
        γ of the fitted kernel; None takes the definition.
    """

    def __init__(self, case: Case, digits: Digits, gamma: float | None = None) -> None:
        self.digits = digits
        self.kept = np.arange(len(case.X)) if case.weight is None else np.flatnonzero(case.weight > 0.0)
        self.name = case.params.get("kernel", "rbf")
        self.degree = int(case.params.get("degree", 3))
        self.coef0 = digits.of(float(case.params.get("coef0", 0.0)))[()]
        defined = gamma_of(case)
        self.gamma = None if defined is None else digits.of(defined if gamma is None else gamma)[()]
        if self.name == "precomputed":
            self._matrix = digits.of(case.X[np.ix_(self.kept, self.kept)])
        elif callable(self.name) and not isinstance(self.name, Kernel):
            self._matrix = digits.of(self.name(case.X[self.kept], case.X[self.kept]))
        else:
            self.X = digits.of(case.X[self.kept])

    @property
    def n(self) -> int:
        return len(self.kept)

    def block(self, rows: np.ndarray) -> np.ndarray:
        """Kernel values between some of the rows."""
        return self.between(rows, rows)

    def between(self, down: np.ndarray, across: np.ndarray) -> np.ndarray:
        """Kernel values between some rows and others."""
        if isinstance(self.name, Kernel):
            return values(self.name, self.X[down], self.X[across], self.digits, self.gamma)
        if self.name == "precomputed" or callable(self.name):
            return (self._matrix[np.ix_(down, across)] + self._matrix[np.ix_(across, down)].T) / 2
        A, B = self.X[down], self.X[across]
        if self.name != "rbf":
            return self._of_products(A @ B.T)
        square = self.digits.of(np.zeros((len(down), len(across))))
        for a, b in zip(A.T, B.T, strict=True):
            apart = a[:, np.newaxis] - b[np.newaxis, :]
            square = square + apart * apart
        return self.digits.exp(-self.gamma * square)

    @cached_property
    def diagonal(self) -> np.ndarray:
        """``k(x_i, x_i)``."""
        if isinstance(self.name, Kernel):
            return own(self.name, self.X, self.digits, self.gamma)
        if self.name == "precomputed" or callable(self.name):
            return self._matrix.diagonal()
        if self.name == "rbf":
            return self.digits.of(np.ones(self.n))
        return self._of_products((self.X * self.X).sum(axis=1))

    def _of_products(self, products: np.ndarray) -> np.ndarray:
        if self.name == "linear":
            return products
        inner = self.gamma * products + self.coef0
        if self.name == "sigmoid":
            return self.digits.tanh(inner)
        found = inner * 0 + 1
        for _ in range(self.degree):
            found = found * inner
        return found

    def square_norm(self, beta: np.ndarray) -> Any:
        """``|Σ β_i φ(x_i)|²``."""
        rows = np.flatnonzero(beta != 0)
        if self.name == "linear":
            w = beta[rows] @ self.X[rows] if len(rows) else self.digits.of(np.zeros(1))
            return w @ w
        if len(rows) == 0:
            return self.digits.of(0.0)[()]
        return beta[rows] @ (self.block(rows) @ beta[rows])

    def scores(self, beta: np.ndarray) -> np.ndarray:
        """``Σ β_j k(x_j, x_i)`` of all rows."""
        held = np.flatnonzero(beta != 0)
        if len(held) == 0:
            return self.digits.of(np.zeros(self.n))
        if self.name == "linear":
            return self.X @ (beta[held] @ self.X[held])
        return self.between(np.arange(self.n), held) @ beta[held]

    def is_semidefinite(self) -> bool | None:
        """Whether the kernel is positive semidefinite by its formula; None if only its values can tell."""
        if isinstance(self.name, Kernel):
            return are_semidefinite(self.name)
        if self.name in ("linear", "rbf") or callable(self.name):
            return True
        if self.name == "poly":
            return True if float(self.coef0) >= 0.0 else None
        return None
