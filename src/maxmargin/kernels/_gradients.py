"""Derivatives of the kernels of feature vectors by one of their rows.

Everything is asked for as it is used: sums ``Σ_j W_ij ∂k(x_i, r_j)/∂x_i`` with weights of their own for each row. So the chain
rule of a combination only changes the weights, and no array of rows × rows × features is ever made.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from maxmargin.errors import InvalidInput

__all__ = ["gradient_sums", "own_gradient", "roughness"]

Floats = NDArray[np.float64]
_KINKS: Final = {
    "laplacian": "Laplacian has a kink wherever two rows agree in a feature",
    "intersection": "Intersection has a kink wherever two rows agree in a feature",
    "min_max": "MinMax has a kink wherever two rows agree in a feature",
}
_ROOT: Final = "Matern(nu=0.5) has a kink at every support vector"


def roughness(kind: str, degree: int) -> str:
    """Why a formula has no gradient everywhere; empty if it has one."""
    return _ROOT if kind == "matern" and degree == 0 else _KINKS.get(kind, "")


def gradient_sums(kind: str, numbers: tuple[float, float, float], X: Any, rows: Any, weights: Floats) -> Floats:
    """``Σ_j W_ij ∂k(x_i, r_j)/∂x_i`` for each row of X, shape (m, d), of a formula with its γ, ζ and degree."""
    dense, others = _dense(X), rows if sparse.issparse(rows) else np.asarray(rows, dtype=np.float64)
    if kind == "chi_squared":
        return _chi_squared(numbers[0], dense, _dense(rows), weights)
    products = np.asarray(dense @ others.T)
    if kind in _OF_PRODUCTS:
        return np.asarray((weights * _OF_PRODUCTS[kind](products, *numbers)) @ others)
    left, right = np.square(dense).sum(axis=1)[:, np.newaxis], _squares(others)[np.newaxis]
    if kind in ("cosine", "tanimoto"):
        return _by_lengths(kind, dense, others, weights, (products, left, right))
    _require(kind, _OF_DISTANCES)
    # Squared distances of centred rows: a large constant in X would cost their digits.
    middle = dense.mean(axis=0)
    near, far = dense - middle, _dense(rows) - middle
    distances = np.square(near).sum(axis=1)[:, np.newaxis] + np.square(far).sum(axis=1) - 2.0 * (near @ far.T)
    pulled = weights * _OF_DISTANCES[kind](np.maximum(distances, 0.0), *numbers)
    return np.asarray(2.0 * (pulled.sum(axis=1)[:, np.newaxis] * near - pulled @ far))


def own_gradient(kind: str, numbers: tuple[float, float, float], X: Any) -> Floats:
    """``∂k(x, x)/∂x`` for each row, shape (m, d)."""
    dense = _dense(X)
    if kind not in _OF_PRODUCTS:  # k(x, x) is constant
        return np.zeros_like(dense)
    squares = np.square(dense).sum(axis=1)[:, np.newaxis]
    return np.asarray(2.0 * _OF_PRODUCTS[kind](squares, *numbers) * dense)


def _polynomial(s: Floats, gamma: float, coef0: float, degree: float) -> Floats | float:
    return degree * gamma * (gamma * s + coef0) ** (int(degree) - 1) if degree > 0.0 else 0.0


def _matern(D: Floats, rate: float, _: float, order: float) -> Floats:
    r = rate * np.sqrt(D)
    # dk/dr is −r e^−r (ν = 3/2) or −r (1 + r) e^−r / 3 (ν = 5/2), and dr/dD = rate² / 2r.
    return np.asarray(-0.5 * rate**2 * (np.exp(-r) if order == 1.0 else (1.0 + r) * np.exp(-r) / 3.0))


_OF_PRODUCTS: Final[dict[str, Callable[..., Any]]] = {
    "linear": lambda s, gamma, coef0, degree: 1.0,
    "polynomial": _polynomial,
    "quadratic": lambda s, gamma, coef0, degree: 1.0 + 2.0 * s,
    "sigmoid": lambda s, gamma, coef0, degree: gamma / np.cosh(np.clip(gamma * s + coef0, -350.0, 350.0)) ** 2,
}
"""dk/ds of kernels of the inner product s."""

_OF_DISTANCES: Final[dict[str, Callable[..., Any]]] = {
    "rbf": lambda D, gamma, coef0, degree: -gamma * np.exp(-gamma * D),
    "matern": _matern,
    "rational_quadratic": lambda D, gamma, alpha, degree: -alpha * gamma * (1.0 + gamma * D) ** (-alpha - 1.0),
}
"""dk/dD of kernels of the squared distance D."""


def _by_lengths(kind: str, X: Floats, rows: Any, W: Floats, squares: tuple[Floats, Floats, Floats]) -> Floats:
    """Cosine, k = s / (|u| |v|): ∂k = v / (|u| |v|) − k u / |u|². Tanimoto, k = s / t: ∂k = v (t + s) / t² − 2 s u / t²."""
    s, left, right = squares
    if not left.all():
        row = int(np.flatnonzero(left[:, 0] == 0.0)[0])
        raise InvalidInput(f"{kind.capitalize()} has no gradient at a row of zeros. Got one, row {row}; leave it out.")
    if kind == "cosine":
        lengths = np.sqrt(left) * np.sqrt(right)
        away, along = W / np.where(lengths > 0.0, lengths, np.inf), W * s / np.where(lengths > 0.0, lengths, np.inf) / left
    else:
        t = left + right - s
        away, along = W * (t + s) / t**2, 2.0 * W * s / t**2
    return np.asarray(away @ rows - along.sum(axis=1)[:, np.newaxis] * X)


def _chi_squared(gamma: float, X: Floats, rows: Floats, W: Floats) -> Floats:
    """``∂/∂u (u − v)²/(u + v) = 1 − 4 v²/(u + v)²``; for u = v = 0 the derivative towards larger u."""
    distances, slopes = np.zeros_like(W), np.zeros_like(X)
    shares = []
    for u, v in zip(X.T, rows.T, strict=True):
        total = np.add.outer(u, v)
        share = np.where(total > 0.0, v / np.where(total > 0.0, total, 1.0), 0.0)
        distances += total * (1.0 - 2.0 * share) ** 2
        shares.append(share)
    pulled = -gamma * W * np.exp(-gamma * distances)
    for k, share in enumerate(shares):
        slopes[:, k] = (pulled * (1.0 - 4.0 * share**2)).sum(axis=1)
    return slopes


def _squares(rows: Any) -> Floats:
    if sparse.issparse(rows):
        return np.asarray(rows.multiply(rows).sum(axis=1), dtype=np.float64).ravel()
    return np.asarray(np.square(rows).sum(axis=1))


def _dense(rows: Any) -> Floats:
    return np.asarray(rows.toarray() if sparse.issparse(rows) else rows, dtype=np.float64)


def _require(kind: str, known: dict[str, Any]) -> None:
    if kind not in known:
        raise InvalidInput(f"The gradient of the kernel {kind!r} is not known.")
