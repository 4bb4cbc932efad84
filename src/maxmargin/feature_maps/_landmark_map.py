"""The features that kernel values against landmarks make."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final, final

import numpy as np
from numpy.typing import NDArray
from scipy import linalg

from maxmargin._blas import one_blas_thread
from maxmargin._deadline import Deadline
from maxmargin.errors import IndefiniteKernelWarning, InvalidInput
from maxmargin.feature_maps._landmarks import means_of_rows, product, rows_by_leverage
from maxmargin.kernels import BoundKernel
from maxmargin.validation import length, take_rows

__all__ = ["LandmarkMap", "landmark_map"]

_AT_ONCE: Final = 1 << 21  # kernel values
_INDEFINITE: Final = 1e-8  # of the largest k(z, z): an eigenvalue as far below 0 is no rounding
_SINGLE: Final = 2.0**-24  # the same for each landmark where values were float32

Vector = NDArray[np.float64]


@final
@dataclass(frozen=True, eq=False)
class LandmarkMap:
    """``φ(x) = Λ^(−½) Uᵀ k_Z(x)`` for landmarks Z with ``K_ZZ = U Λ Uᵀ``, without the eigenvalues that are 0 but for rounding.

    Attributes
    ----------
    kernel : BoundKernel
        k with its numbers.
    landmarks : rows
        Z; numbers of columns for a precomputed kernel.
    projection : ndarray of shape (rank, number of landmarks)
        ``Λ^(−½) Uᵀ``, from the largest eigenvalue on.
    eigenvalues : ndarray of shape (number of landmarks,)
        All of ``K_ZZ``, from the largest on.
    rows : ndarray of intp, or None
        Which rows the landmarks were; None for means.
    """

    kernel: BoundKernel
    landmarks: Any
    projection: Vector
    eigenvalues: Vector
    rows: NDArray[np.intp] | None

    @property
    def rank(self) -> int:
        """How many features there are."""
        return len(self.projection)

    def inner(self, X: Any) -> Vector:
        """``K_ZZ``; X are the training rows, of which a precomputed kernel has its landmarks."""
        rows = take_rows(X, self.landmarks) if self.kernel.is_precomputed else self.landmarks
        return self.kernel.cross(rows, self.landmarks)

    def blocks(self, X: Any) -> Iterator[tuple[slice, Any]]:
        """Some rows of X at a time."""
        n = length(X)
        height = max(1, _AT_ONCE // max(1, length(self.landmarks)))
        for begin in range(0, n, height):
            some = slice(begin, min(begin + height, n))
            yield some, X[some]

    def features(self, X: Any, dtype: Any = np.float64, deadline: Deadline | None = None) -> NDArray[Any]:
        """``φ(x)`` of rows; computed in float64 and rounded once. Where the time is over the others are 0."""
        found = np.zeros((length(X), self.rank), dtype=dtype)
        for some, rows in self.blocks(X):
            if deadline is not None and deadline.is_over():
                break
            found[some] = product(self.kernel.cross(rows, self.landmarks), self.projection)
        return found

    def coefficients(self, w: Vector) -> Vector:
        """``a`` with ``<w, φ(x)> = Σ a_j k(z_j, x)`` for each row of w; ``aᵀ K_ZZ a = |w|²``."""
        return product(np.atleast_2d(w), np.ascontiguousarray(self.projection.T))

    def values(self, X: Any, coefficients: Vector) -> Vector:
        """``Σ a_j k(z_j, x)`` of rows (down) for each row of coefficients (across)."""
        count = len(coefficients)
        if self.kernel.is_precomputed:
            return product(self.kernel.cross(X, self.landmarks), coefficients)
        sums = self.kernel.weighted_sums(X, self.landmarks, coefficients, (0, length(self.landmarks)))
        return np.ascontiguousarray(sums.reshape(count, length(X)).T)

    def missing(self, X: Any, own: Vector) -> Vector:
        """``k(x, x) − |φ(x)|²``, from ``own = k(x, x)``: the squared distance of x from what the landmarks span, at least 0."""
        found = np.empty(length(X))
        for some, rows in self.blocks(X):
            features = product(self.kernel.cross(rows, self.landmarks), self.projection)
            found[some] = own[some] - np.einsum("ij,ij->i", features, features)
        return found.clip(0.0)


def landmark_map(
    kernel: BoundKernel,
    X: Any,
    count: int,
    how: str,
    random: np.random.RandomState,
    *,
    rank_tol: float,
    deadline: Deadline | None = None,
    stacklevel: int = 3,
) -> LandmarkMap:
    """Choose landmarks among valid rows, and make their features.

    Raises
    ------
    InvalidInput
        The rows have no means, or all kernel values are 0.
    """
    clock = Deadline() if deadline is None else deadline
    rows: NDArray[np.intp] | None = None
    if how == "kmeans":
        landmarks = means_of_rows(kernel, X, count, random, clock)
        inner = kernel.cross(landmarks, landmarks)
    else:
        n = length(X)
        if count >= n:
            rows = np.arange(n)
        elif how == "leverage":
            _check_finite(kernel.gram(X).diagonal() if not kernel.is_precomputed else np.diagonal(X))
            rows = rows_by_leverage(kernel.gram(X), count, random, clock)
        else:
            rows = np.sort(random.permutation(n)[:count])
        landmarks = rows.astype(np.int32) if kernel.is_precomputed else take_rows(X, rows)
        inner = X[np.ix_(rows, rows)].astype(np.float64) if kernel.is_precomputed else kernel.cross(landmarks, landmarks)
    _check_finite(inner)
    with one_blas_thread():
        values, vectors = linalg.eigh(0.5 * (inner + inner.T))
    single = kernel.is_precomputed and X.dtype == np.float32
    part = max(_INDEFINITE, _SINGLE * len(values)) if single else _INDEFINITE * max(1.0, np.sqrt(len(values)))
    least = _least(values, part * float(np.abs(np.diagonal(inner)).max()), rank_tol, stacklevel + 1)
    kept = np.flatnonzero(values > least)[::-1]
    if not len(kept):
        raise InvalidInput(
            "All kernel values between the landmarks are 0, or negative: there is nothing to make features of. Choose another"
            " kernel, or other kernel parameters."
        )
    vectors = vectors[:, kept].T
    largest = np.take_along_axis(vectors, np.abs(vectors).argmax(axis=1, keepdims=True), axis=1)
    projection = np.ascontiguousarray(vectors / (np.sign(largest) * np.sqrt(values[kept])[:, np.newaxis]))
    return LandmarkMap(kernel, landmarks, projection, values[::-1].copy(), rows)


def _check_finite(values: Vector) -> None:
    if not np.isfinite(values).all():
        raise InvalidInput(
            "Kernel values between rows overflow. Scale X, for example with StandardScaler, or choose other kernel parameters."
        )


def _least(values: Vector, rounding: float, rank_tol: float, stacklevel: int) -> float:
    """Eigenvalues up to this are taken for 0: rounding makes negative ones, and others as far above 0 are no better."""
    least = rank_tol * max(float(values[-1]), 0.0)
    below = -float(values[0])
    if below <= rounding:
        return max(least, below)
    warnings.warn(
        f"The kernel matrix of the landmarks has an eigenvalue of {-below:.3g}: the kernel is no inner product. The features"
        " leave its negative part out.",
        IndefiniteKernelWarning,
        stacklevel,
    )
    return max(least, rounding)
