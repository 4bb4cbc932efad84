"""Kernels, each with the float64 reference from scikit-learn or plain numpy."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.gaussian_process import kernels as processes
from sklearn.metrics.pairwise import (
    chi2_kernel,
    cosine_similarity,
    laplacian_kernel,
    linear_kernel,
    polynomial_kernel,
    rbf_kernel,
    sigmoid_kernel,
)

from maxmargin.kernels import (
    RBF,
    ChiSquared,
    Cosine,
    Intersection,
    Laplacian,
    Linear,
    Matern,
    MinMax,
    Polynomial,
    Quadratic,
    RationalQuadratic,
    Sigmoid,
    Tanimoto,
)

from ._programs import Array

Reference = Callable[[Array, Array], Array]


@dataclass(frozen=True, eq=False)
class KernelCase:
    """A kernel with numbers for its parameters, and the same kernel as scikit-learn or numpy computes it."""

    name: str
    kernel: Any
    reference: Reference
    mercer: bool = True
    non_negative: bool = False
    strict: bool = False  # distinct rows are linearly independent
    roots: bool = False  # of the distance, at 0
    shrink: float = 1.0  # of rows, where values would be so large that float64 does not have the digits which a test asks for

    def rows(self, X: Array) -> Array:
        """Rows that the kernel takes."""
        return (np.abs(X) if self.non_negative else X) * self.shrink

    def __str__(self) -> str:
        return self.name


def _minima(X: Array, Y: Array) -> Array:
    return np.asarray(np.minimum(X[:, np.newaxis], Y).sum(axis=2))


def _maxima(X: Array, Y: Array) -> Array:
    return np.asarray(np.maximum(X[:, np.newaxis], Y).sum(axis=2))


def _ratio(above: Array, below: Array) -> Array:
    return np.where(below > 0.0, above / np.where(below > 0.0, below, 1.0), 1.0)


def _min_max(X: Array, Y: Array) -> Array:
    return _ratio(_minima(X, Y), _maxima(X, Y))


def _squares(X: Array, Y: Array) -> Array:
    return np.asarray(np.add.outer(np.square(X).sum(axis=1), np.square(Y).sum(axis=1)))


def _cosine(X: Array, Y: Array) -> Array:
    return np.where(_squares(X, Y) > 0.0, cosine_similarity(X, Y), 1.0)


def _tanimoto(X: Array, Y: Array) -> Array:
    return _ratio(X @ Y.T, _squares(X, Y) - X @ Y.T)


def _quadratic(X: Array, Y: Array) -> Array:
    return np.asarray(1.0 + X @ Y.T + np.square(X @ Y.T))


def _normalised(reference: Reference) -> Reference:
    def values(X: Array, Y: Array) -> Array:
        lengths = [np.sqrt(np.array([reference(row[np.newaxis], row[np.newaxis])[0, 0] for row in rows])) for rows in (X, Y)]
        return np.asarray(reference(X, Y) / np.multiply.outer(*lengths))

    return values


KERNELS = [
    KernelCase("linear", Linear(), linear_kernel),
    KernelCase("rbf", RBF(gamma=0.3), lambda X, Y: rbf_kernel(X, Y, gamma=0.3), strict=True),
    KernelCase("rbf by its width", RBF(sigma=2.0), lambda X, Y: rbf_kernel(X, Y, gamma=0.125), strict=True),
    KernelCase("rbf wide", RBF(gamma=1e-3), lambda X, Y: rbf_kernel(X, Y, gamma=1e-3), strict=True),
    KernelCase(
        "polynomial of degree 2",
        Polynomial(degree=2, gamma=0.5, coef0=1.0),
        lambda X, Y: polynomial_kernel(X, Y, 2, 0.5, 1.0),
    ),
    KernelCase("cubic", Polynomial(degree=3, gamma=0.05), lambda X, Y: polynomial_kernel(X, Y, 3, 0.05, 0.0)),
    KernelCase("sigmoid", Sigmoid(gamma=0.2, coef0=-0.5), lambda X, Y: sigmoid_kernel(X, Y, 0.2, -0.5), mercer=False),
    KernelCase("quadratic", Quadratic(), _quadratic, shrink=0.25),
    KernelCase("laplacian", Laplacian(gamma=0.2), lambda X, Y: laplacian_kernel(X, Y, 0.2), strict=True),
    KernelCase("matern 1/2", Matern(1.5, nu=0.5), processes.Matern(1.5, nu=0.5), strict=True, roots=True),
    KernelCase("matern 3/2", Matern(1.5, nu=1.5), processes.Matern(1.5, nu=1.5), strict=True, roots=True),
    KernelCase("matern 5/2", Matern(1.5, nu=2.5), processes.Matern(1.5, nu=2.5), strict=True, roots=True),
    KernelCase("rational quadratic", RationalQuadratic(1.5, alpha=0.7), processes.RationalQuadratic(1.5, 0.7), strict=True),
    KernelCase("chi squared", ChiSquared(gamma=0.4), lambda X, Y: chi2_kernel(X, Y, 0.4), non_negative=True),
    KernelCase("intersection", Intersection(), _minima, non_negative=True),
    KernelCase("min max", MinMax(), _min_max, non_negative=True),
    KernelCase("tanimoto", Tanimoto(), _tanimoto),
    KernelCase("cosine", Cosine(), _cosine),
]
"""To add a kernel is a line here."""

COMBINATIONS = [
    KernelCase(
        "sum of scaled and product",
        0.5 * RBF(gamma=0.1) + Linear() * Polynomial(degree=2, gamma=0.5, coef0=1.0),
        lambda X, Y: 0.5 * rbf_kernel(X, Y, 0.1) + (X @ Y.T) * polynomial_kernel(X, Y, 2, 0.5, 1.0),
        strict=True,
    ),
    KernelCase(
        "product with a sum",
        (RBF(gamma=0.1) + Linear()) * Laplacian(gamma=0.3),
        lambda X, Y: (rbf_kernel(X, Y, 0.1) + X @ Y.T) * laplacian_kernel(X, Y, 0.3),
        strict=True,
    ),
    KernelCase(
        "product of three",
        RBF(gamma=0.1) * Linear() * Laplacian(gamma=0.3),
        lambda X, Y: rbf_kernel(X, Y, 0.1) * (X @ Y.T) * laplacian_kernel(X, Y, 0.3),
    ),
    KernelCase("power", Laplacian(gamma=0.1) ** 3, lambda X, Y: laplacian_kernel(X, Y, 0.1) ** 3, strict=True),
    KernelCase("normalised", Quadratic().normalised(), _normalised(_quadratic)),
    KernelCase(
        "normalised within a sum",
        Matern(2.0, nu=1.5) + 2.0 * (Quadratic() + Linear()).normalised() ** 2,
        lambda X, Y: (
            processes.Matern(2.0, nu=1.5)(X, Y) + 2.0 * _normalised(lambda A, B: _quadratic(A, B) + A @ B.T)(X, Y) ** 2
        ),
        strict=True,
        roots=True,
    ),
    KernelCase(
        "on columns",
        RBF(gamma=1.0).on([0, 3]) + Linear().on([5, 1]) * Cosine(),
        lambda X, Y: rbf_kernel(X[:, [0, 3]], Y[:, [0, 3]], 1.0) + (X[:, [5, 1]] @ Y[:, [5, 1]].T) * _cosine(X, Y),
    ),
    KernelCase(
        "on columns of columns",
        (Laplacian(gamma=0.5) + Matern(1.0, nu=0.5).on([1])).on([6, 2, 4]),
        lambda X, Y: (
            laplacian_kernel(X[:, [6, 2, 4]], Y[:, [6, 2, 4]], 0.5) + processes.Matern(1.0, nu=0.5)(X[:, [2]], Y[:, [2]])
        ),
    ),
    KernelCase(
        "of histograms",
        ChiSquared(gamma=0.2) * Intersection() + 3.0 * MinMax().on([0, 1, 2, 3]) ** 2,
        lambda X, Y: (
            chi2_kernel(X, Y, 0.2) * _minima(X, Y) + 3.0 * _ratio(_minima(X[:, :4], Y[:, :4]), _maxima(X[:, :4], Y[:, :4])) ** 2
        ),
        non_negative=True,
    ),
    KernelCase("minus nothing", 0.0 * Linear() + Tanimoto(), _tanimoto),
    KernelCase(
        "with a sigmoid",
        Sigmoid(gamma=0.2, coef0=-0.5) + 0.1 * Linear(),
        lambda X, Y: sigmoid_kernel(X, Y, 0.2, -0.5) + 0.1 * X @ Y.T,
        mercer=False,
    ),
    KernelCase(
        "too long for the core",
        sum((0.1 * RBF(gamma=0.01 * k) for k in range(1, 20)), start=Laplacian(gamma=0.1)),  # type: ignore[arg-type]
        lambda X, Y: laplacian_kernel(X, Y, 0.1) + sum(0.1 * rbf_kernel(X, Y, 0.01 * k) for k in range(1, 20)),
        strict=True,
    ),
]
