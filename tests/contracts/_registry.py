"""The lists that the contract tests run over. To add a kernel, a problem or a solver: one line here.

Every entry brings what an independent check needs: a kernel its float64 reference from scikit-learn, a
problem its quadratic program in plain numpy, as the table in ARCHITECTURE.md states it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from sklearn import datasets
from sklearn.metrics.pairwise import linear_kernel, polynomial_kernel, rbf_kernel, sigmoid_kernel

from maxmargin.kernels import RBF, Linear, Polynomial, Sigmoid
from maxmargin.problems import SoftMargin
from maxmargin.solvers import SMO

Array = np.ndarray


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


@dataclass(frozen=True)
class QP:
    """minimise 1/2 a'Qa + p'a subject to 0 <= a <= u, A a = c."""

    Q: Array
    p: Array
    u: Array
    A: Array
    c: Array

    def value(self, a: Array) -> float:
        return float(0.5 * a @ self.Q @ a + self.p @ a)


@dataclass(frozen=True, eq=False)
class ProblemCase:
    """How maxmargin states a problem, and how the table states it."""

    name: str
    build: Callable[[Array, Array, Array, Any], Any]
    qp: Callable[[Array, Array, Array], QP]
    offset: bool

    def __str__(self) -> str:
        return self.name


def _soft_margin_qp(K: Array, y: Array, u: Array) -> QP:
    return QP(y[:, None] * K * y, -np.ones(len(y)), u, y[None, :], np.zeros(1))


def _without_offset(qp: QP) -> QP:
    return QP(qp.Q, qp.p, qp.u, np.empty((0, len(qp.p))), np.empty(0))


PROBLEMS = [
    ProblemCase(
        "soft margin",
        lambda X, y, u, kernel: SoftMargin(X, y, C=1.0, kernel=kernel, sample_weight=u),
        _soft_margin_qp,
        offset=True,
    ),
    ProblemCase(
        "soft margin, no offset",
        lambda X, y, u, kernel: SoftMargin(X, y, C=1.0, kernel=kernel, offset=False, sample_weight=u),
        lambda K, y, u: _without_offset(_soft_margin_qp(K, y, u)),
        offset=False,
    ),
]

SOLVERS: dict[str, Any] = {
    "auto": "auto",
    "smo": SMO(),
    "smo without shrinking": SMO(shrinking=False),
    "smo, tiny cache": SMO(cache_size=1),
}


def _iris_pair() -> tuple[Array, Array]:
    X, y = datasets.load_iris(return_X_y=True)
    return X[y > 0], np.where(y[y > 0] == 2, 1.0, -1.0)


def _moons() -> tuple[Array, Array]:
    X, y = datasets.make_moons(80, noise=0.2, random_state=0)
    return X, 2.0 * y - 1.0


def _lattice() -> tuple[Array, Array]:
    """Many equal distances and equal rows with opposite labels: the optimum is degenerate."""
    X = np.array([[i % 4, i // 4 % 4] for i in range(40)], dtype=float)
    return X, np.where((X.sum(axis=1) % 3 == 0) ^ (np.arange(40) % 7 == 0), 1.0, -1.0)


def _wide() -> tuple[Array, Array]:
    X, y = datasets.make_classification(30, 50, n_informative=10, random_state=1)
    return X, 2.0 * y - 1.0


def _skewed() -> tuple[Array, Array]:
    rng = np.random.default_rng(2)
    return np.vstack([rng.normal(0, 1, (57, 3)), rng.normal(1, 1, (3, 3))]), np.repeat([-1.0, 1.0], [57, 3])


def _two_rows() -> tuple[Array, Array]:
    return np.array([[0.0, 1.0], [2.0, -1.0]]), np.array([1.0, -1.0])


DATA: dict[str, Callable[[], tuple[Array, Array]]] = {
    "iris": lru_cache(_iris_pair),
    "moons": lru_cache(_moons),
    "lattice": lru_cache(_lattice),
    "wide": lru_cache(_wide),
    "skewed": lru_cache(_skewed),
    "two rows": lru_cache(_two_rows),
}
"""Small enough for a general QP solver, each degenerate in its own way."""

BOXES: dict[str, Callable[[int], Array]] = {
    "C=0.1": lambda n: np.full(n, 0.1),
    "C=10": lambda n: np.full(n, 10.0),
    "C=1e3": lambda n: np.full(n, 1e3),
    "a C for each row": lambda n: np.random.default_rng(4).lognormal(0, 1.5, n),
}
