"""Eigenpairs of centred kernel values, by whichever method: what kernel PCA consists of."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any, final

import numpy as np
from numpy.typing import NDArray
from scipy import linalg
from scipy.sparse.linalg import ArpackNoConvergence, LinearOperator, eigsh

from maxmargin._blas import one_blas_thread
from maxmargin._lazy import lazy
from maxmargin.errors import ConvergenceWarning, InvalidInput
from maxmargin.kernels import BlockProduct, BoundKernel, fits_krylov, gram_product, matrix_product, outer_eigenpairs
from maxmargin.validation import length

__all__ = ["METHODS", "Centred", "Request", "components"]

METHODS = ("arpack", "auto", "dense", "lanczos", "randomized")

_FEW_ROWS = 300  # for which all eigenvalues are computed sooner than some
_ROWS_PER_COMPONENT = 40  # fewer, and Lanczos is not faster than all eigenvalues
_NO_TOLERANCE = 1e-13  # what ``tol=0`` stands for: a little above rounding
_OVERSAMPLING = 10
_ZERO = 1e-12  # as a part of the largest: a smaller eigenvalue is 0
_NEGATIVE = 1e-5  # as a part of the largest: beyond, it is not rounding that makes an eigenvalue negative
_NEGATIVE_VALUE = 1e-10

Array = NDArray[np.float64]


@final
class Centred:
    """``K̃ = (I − 11ᵀ/n) K (I − 11ᵀ/n)`` by its products: of rows φ(x_i) less their mean, without a centred copy of K.

    Parameters
    ----------
    kernel : BoundKernel
        The kernel.
    X : rows
        The rows; the matrix K itself for a precomputed kernel.
    """

    def __init__(self, kernel: BoundKernel, X: Any) -> None:
        self._kernel = kernel
        self._x = X
        self.n = length(X)

    @lazy
    def _product(self) -> BlockProduct:
        return matrix_product(self._values()) if self._kernel.is_precomputed else gram_product(self._kernel, self._x)

    def _values(self) -> Array:
        if self._kernel.is_precomputed:
            return np.ascontiguousarray(self._x, dtype=np.float64)
        return np.asarray(self._kernel.cross(self._x, self._x))

    def means(self) -> Array:
        """Mean of each row of K."""
        return np.asarray(self._product(np.full((1, self.n), 1.0 / self.n))[0])

    def __call__(self, V: Array) -> Array:
        """``V`` times the centred matrix."""
        values = self._product(np.ascontiguousarray(V - V.mean(axis=1, keepdims=True)))
        values -= values.mean(axis=1, keepdims=True)
        return values

    def whole(self) -> Array:
        """The centred matrix itself."""
        K = self._values()
        K = 0.5 * (K + K.T)
        means = K.mean(axis=0)
        K -= means
        K -= (means - means.mean())[:, np.newaxis]
        return K


@final
@dataclass(frozen=True)
class Request:
    """How many components, and how to find them: the parameters of `KernelPCA` of the same names."""

    count: int
    eigen_solver: str
    tol: float
    max_iter: int | None
    iterated_power: int | str
    random_state: Any


def components(K: Centred, asked: Request) -> tuple[Array, Array]:
    """Eigenvalues, the largest first, and vectors in columns; the largest entry of each is positive."""
    method = asked.eigen_solver
    if method == "auto":
        few = K.n <= _FEW_ROWS or K.n < _ROWS_PER_COMPONENT * asked.count or not fits_krylov(K.n, asked.count)
        method = "dense" if few else "lanczos"
    find = {"dense": _dense, "lanczos": _lanczos, "arpack": _arpack, "randomized": _randomized}[method]
    with one_blas_thread():
        values, vectors = find(K, asked)
    order = np.argsort(-values, kind="stable")
    values, vectors = _positive(values[order]), vectors[:, order]
    largest = np.abs(vectors).argmax(axis=0)
    signs = np.where(vectors[largest, np.arange(len(values))] < 0.0, -1.0, 1.0)
    return values, np.ascontiguousarray(vectors * signs)


def _dense(K: Centred, asked: Request) -> tuple[Array, Array]:
    values, vectors = linalg.eigh(K.whole(), subset_by_index=(K.n - asked.count, K.n - 1), overwrite_a=True)
    return values, vectors


def _lanczos(K: Centred, asked: Request) -> tuple[Array, Array]:
    if not fits_krylov(K.n, asked.count):
        raise InvalidInput(
            f"eigen_solver='lanczos' finds few components of many rows. Got n_components={asked.count} for {K.n} rows."
            " Use eigen_solver='dense'."
        )
    found = outer_eigenpairs(
        K,
        K.n,
        asked.count,
        tolerance=max(asked.tol, _NO_TOLERANCE),
        most_rounds=asked.max_iter,
        seed=0 if asked.random_state is None else asked.random_state,
    )
    if not found.converged:
        _warn(f"Components are exact to {found.residual:.1g} of the largest eigenvalue after {found.rounds} rounds.")
    return found.values, found.vectors.T


def _arpack(K: Centred, asked: Request) -> tuple[Array, Array]:
    if asked.count >= K.n:
        raise InvalidInput(
            f"eigen_solver='arpack' finds fewer components than rows. Got n_components={asked.count} for {K.n} rows."
            " Use eigen_solver='dense'."
        )
    operator = LinearOperator((K.n, K.n), matvec=lambda v: K(np.reshape(v, (1, -1)))[0], dtype=np.float64)
    start = _random(asked).uniform(-1.0, 1.0, K.n)
    try:
        values, vectors = eigsh(operator, asked.count, which="LA", tol=asked.tol, maxiter=asked.max_iter, v0=start)
    except ArpackNoConvergence as fault:
        raise InvalidInput(
            f"ARPACK found {len(fault.eigenvalues)} of {asked.count} components. Raise max_iter or tol, or use"
            " eigen_solver='auto'."
        ) from fault
    return values, vectors


def _randomized(K: Centred, asked: Request) -> tuple[Array, Array]:
    """Subspace iteration (Halko, Martinsson and Tropp 2011); the eigenvalues of largest absolute value."""
    width = min(K.n, asked.count + _OVERSAMPLING)
    rounds = (7 if asked.count < 0.1 * K.n else 4) if asked.iterated_power == "auto" else int(asked.iterated_power)
    block = _random(asked).normal(size=(width, K.n))
    for _ in range(rounds + 1):
        block = np.ascontiguousarray(linalg.qr(K(block).T, mode="economic")[0].T)
    inner = block @ K(block).T
    values, mixture = linalg.eigh(0.5 * (inner + inner.T))
    best = np.argsort(-np.abs(values), kind="stable")[: asked.count]
    return values[best], block.T @ mixture[:, best]


def _random(asked: Request) -> Any:
    given = asked.random_state
    return given if isinstance(given, np.random.RandomState) else np.random.RandomState(0 if given is None else int(given))


def _positive(values: Array) -> Array:
    """Eigenvalues with 0 for what is rounding; raises where the kernel is indefinite."""
    largest, least = float(values[0]), float(values[-1])
    if largest < 0.0 or (-least > _NEGATIVE * largest and -least > _NEGATIVE_VALUE):
        raise InvalidInput(
            f"The centred kernel matrix has negative eigenvalues among the components: {least:.3g} beside {largest:.3g}. It is"
            " not that of a Mercer kernel (kernels.mercer tells). Ask for fewer components, or fit kernels.repair(K) with"
            " kernel='precomputed'."
        )
    return np.where(values <= _ZERO * largest, 0.0, values)


def _warn(text: str) -> None:
    warnings.warn(f"{text} Raise max_iter or tol.", ConvergenceWarning, stacklevel=5)
