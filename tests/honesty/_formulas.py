"""Values of kernel objects from the formulas in their docstrings, in an arithmetic of many digits."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from maxmargin.kernels import Kernel

from ._numbers import Digits

__all__ = ["are_semidefinite", "are_strict", "own", "values"]


def values(kernel: Kernel, A: np.ndarray, B: np.ndarray, digits: Digits, gamma: Any = None) -> np.ndarray:
    """``k(a, b)`` of all rows of A (down) and B (across); with γ where that of the kernel is "scale" or "auto"."""
    name, given = type(kernel).__name__, kernel.get_params(deep=False)

    def of(part: str, left: np.ndarray = A, right: np.ndarray = B) -> np.ndarray:
        return values(given[part], left, right, digits)

    def number(parameter: str) -> Any:
        return gamma if isinstance(given[parameter], str) else digits.of(float(given[parameter]))[()]

    forms: dict[str, Callable[[], np.ndarray]] = {
        "Linear": lambda: A @ B.T,
        "Polynomial": lambda: _power(number("gamma") * (A @ B.T) + number("coef0"), int(given["degree"])),
        "Quadratic": lambda: 1 + A @ B.T + (A @ B.T) * (A @ B.T),
        "RBF": lambda: digits.exp(-number("gamma") * _squares(A, B, digits)),
        "Laplacian": lambda: digits.exp(-number("gamma") * _summed(A, B, digits, lambda a, b: np.abs(a - b))),
        "ChiSquared": lambda: digits.exp(-number("gamma") * _summed(A, B, digits, _chi_squared)),
        "Matern": lambda: _matern(_squares(A, B, digits), number("length_scale"), float(given["nu"]), digits),
        "RationalQuadratic": lambda: _rational(_squares(A, B, digits), number("length_scale"), number("alpha"), digits),
        "Cosine": lambda: _normalised(A @ B.T, _own_products(A), _own_products(B), digits),
        "Tanimoto": lambda: _tanimoto(A @ B.T, _own_products(A), _own_products(B)),
        "Intersection": lambda: _summed(A, B, digits, np.minimum),
        "MinMax": lambda: _divided(_summed(A, B, digits, np.minimum), _summed(A, B, digits, np.maximum)),
        "Sum": lambda: of("left") + of("right"),
        "Product": lambda: of("left") * of("right"),
        "Scaled": lambda: number("factor") * of("kernel"),
        "Power": lambda: _power(of("kernel"), int(given["exponent"])),
        "OnColumns": lambda: of("kernel", A[:, list(given["columns"])], B[:, list(given["columns"])]),
        "Normalised": lambda: _normalised(of("kernel"), *(own(given["kernel"], each, digits) for each in (A, B)), digits),
    }
    return forms[name]()


def own(kernel: Kernel, A: np.ndarray, digits: Digits, gamma: Any = None) -> np.ndarray:
    """``k(a, a)`` of all rows."""
    return np.array([values(kernel, A[i : i + 1], A[i : i + 1], digits, gamma)[0, 0] for i in range(len(A))])


def are_semidefinite(kernel: Kernel) -> bool | None:
    """Whether it is positive semidefinite by its formula: all that are drawn are; None where it is not known."""
    if type(kernel).__name__ == "Sigmoid":
        return None
    return None if any(are_semidefinite(part) is None for part in _parts(kernel)) else True


def are_strict(kernel: Kernel) -> bool:
    """Whether distinct rows have independent images, by a theorem."""
    name, parts = type(kernel).__name__, _parts(kernel)
    if name == "Sum":
        return any(map(are_strict, parts))
    if name in ("Product", "Power", "Scaled", "Normalised"):
        return all(map(are_strict, parts))
    return name in ("RBF", "Laplacian", "Matern", "RationalQuadratic")


def _parts(kernel: Kernel) -> list[Kernel]:
    return [value for value in kernel.get_params(deep=False).values() if isinstance(value, Kernel)]


def _power(base: np.ndarray, exponent: int) -> np.ndarray:
    found = base * 0 + 1
    for _ in range(exponent):
        found = found * base
    return found


def _summed(A: np.ndarray, B: np.ndarray, digits: Digits, term: Callable[[Any, Any], Any]) -> np.ndarray:
    """The sum over all columns."""
    found = digits.of(np.zeros((len(A), len(B))))
    for a, b in zip(A.T, B.T, strict=True):
        found = found + term(a[:, np.newaxis], b[np.newaxis, :])
    return found


def _squares(A: np.ndarray, B: np.ndarray, digits: Digits) -> np.ndarray:
    return _summed(A, B, digits, lambda a, b: (a - b) * (a - b))


def _own_products(A: np.ndarray) -> np.ndarray:
    return np.asarray((A * A).sum(axis=1))


def _chi_squared(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return _divided((a - b) * (a - b), a + b, otherwise=0)


def _divided(above: np.ndarray, below: np.ndarray, otherwise: int = 1) -> np.ndarray:
    """The quotient, and a number where both are 0."""
    return np.where(below > 0, above / np.where(below > 0, below, below * 0 + 1), above * 0 + otherwise)


def _matern(square: np.ndarray, length: Any, nu: float, digits: Digits) -> np.ndarray:
    r = digits.sqrt(int(2 * nu) * square) / length
    polynomial = {0.5: lambda: 1, 1.5: lambda: 1 + r, 2.5: lambda: 1 + r + r * r / 3}[nu]()
    return polynomial * digits.exp(-r)


def _rational(square: np.ndarray, length: Any, alpha: Any, digits: Digits) -> np.ndarray:
    return digits.exp(-alpha * digits.log1p(square / (2 * alpha * length * length)))


def _normalised(products: np.ndarray, down: np.ndarray, across: np.ndarray, digits: Digits) -> np.ndarray:
    """Divided by both lengths; rows without a length have a direction of their own, the same for all of them."""
    lengths = digits.sqrt(down[:, np.newaxis]) * digits.sqrt(across[np.newaxis, :])
    otherwise = np.where(down[:, np.newaxis] + across[np.newaxis, :] > 0, products * 0, products * 0 + 1)
    return np.where(lengths > 0, products / np.where(lengths > 0, lengths, lengths * 0 + 1), otherwise)


def _tanimoto(products: np.ndarray, down: np.ndarray, across: np.ndarray) -> np.ndarray:
    return _divided(products, down[:, np.newaxis] + across[np.newaxis, :] - products)
