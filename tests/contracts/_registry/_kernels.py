"""Kernels, each with the float64 reference from scikit-learn."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from sklearn.metrics.pairwise import linear_kernel, polynomial_kernel, rbf_kernel, sigmoid_kernel

from maxmargin.kernels import RBF, Linear, Polynomial, Sigmoid

from ._programs import Array


@dataclass(frozen=True, eq=False)
class KernelCase:
    """A kernel with numbers for its parameters, and the same kernel as scikit-learn computes it."""

    name: str
    kernel: Any
    reference: Callable[[Array, Array], Array]
    mercer: bool = True

    def __str__(self) -> str:
        return self.name


KERNELS = [
    KernelCase("linear", Linear(), linear_kernel),
    KernelCase("rbf", RBF(gamma=0.3), lambda X, Y: rbf_kernel(X, Y, gamma=0.3)),
    KernelCase("rbf wide", RBF(gamma=1e-3), lambda X, Y: rbf_kernel(X, Y, gamma=1e-3)),
    KernelCase(
        "quadratic",
        Polynomial(degree=2, gamma=0.5, coef0=1.0),
        lambda X, Y: polynomial_kernel(X, Y, 2, 0.5, 1.0),
    ),
    KernelCase("cubic", Polynomial(degree=3, gamma=0.05), lambda X, Y: polynomial_kernel(X, Y, 3, 0.05, 0.0)),
    KernelCase("sigmoid", Sigmoid(gamma=0.2, coef0=-0.5), lambda X, Y: sigmoid_kernel(X, Y, 0.2, -0.5), mercer=False),
]
