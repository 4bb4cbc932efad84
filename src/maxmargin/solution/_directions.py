"""Which changes of the multipliers leave everything else as it is: linear dependencies of rows, with signs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations_with_replacement
from math import comb
from typing import Any, NamedTuple, final

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.linalg import qr
from scipy.linalg.lapack import dtrcon as trcon
from scipy.optimize import nnls

from maxmargin.kernels import BoundKernel
from maxmargin.validation import length, rows_are_objects, take_rows

__all__ = ["Dependencies", "dependencies", "dependencies_of"]

Vector = NDArray[np.float64]
Mask = NDArray[np.bool_]

_MOST_ROWS = 2000  # whose vectors are factored: some seconds
_MOST_PIVOTED = 400  # the same, one column after the other
_MOST_ONE_WAY = 1000  # that can move one way only, for the method of nonnegative least squares
_DENSE_VALUES = 4_000_000  # features are looked at themselves up to so many values, beyond that by their products
_ROUNDING = 64.0 * float(np.finfo(np.float64).eps)
_CLEAR = 1e3  # times rounding: below that floating point cannot decide


@final
@dataclass(frozen=True, eq=False)
class Dependencies:
    """Vectors that depend on each other linearly as the gradients of some constraints do.

    Attributes
    ----------
    copies : ndarray of intp
        Which of the distinct gradients each row has.
    vectors : ndarray of shape (distinct, dimensions) or None
        A vector for each of them, of length 1 (or 0); None if they are known to be independent.
    noise : float
        What of these vectors is rounding.
    from_products : bool
        Whether the vectors are made of kernel values, which have the squares of their lengths. What is rounding there may be
        a vector of half as many digits, as in any larger Gram matrix of a Gaussian, and proves no dependency.
    """

    copies: NDArray[np.intp]
    vectors: Vector | None
    noise: float
    from_products: bool = False

    @property
    def rank(self) -> int | None:
        """Rank of all gradients; None if kernel values do not tell."""
        distinct = int(self.copies.max(initial=-1)) + 1
        if self.vectors is None or distinct == 0:
            return distinct
        tall = self.vectors.shape[0] > self.vectors.shape[1]
        found = _span(self.vectors.T if tall else self.vectors, self.noise)
        return None if found is None or (self.from_products and found.rank < distinct) else found.rank

    def let_pass(self, rises: Mask, falls: Mask) -> bool | None:
        """Whether ``Σ d_i g_i = 0`` for some ``d ≠ 0``, positive only where a row can rise, negative only where it can fall.

        Gradients of rows that can do both must be independent, or there is one. Take their span off the others, turned the way
        that these can go: a d exists if and only if 0 is in the convex hull of what is left (Gordan's theorem). The point of
        the hull nearest to 0, by nonnegative least squares, proves either: it is 0 and its weights are d, or it has a positive
        product with them all. None if floating point cannot decide.

        Parameters
        ----------
        rises, falls : ndarray of bool
            Of each row.
        """
        distinct = int(self.copies.max(initial=-1)) + 1
        movable = np.bincount(self.copies, rises | falls, distinct)
        up, down = (np.bincount(self.copies, moves, distinct) > 0 for moves in (rises, falls))
        if ((movable > 1) & up & down).any():
            return True  # of two copies one can give to the other
        if self.vectors is None:
            return False
        turned = np.where(up, 1.0, -1.0)[:, np.newaxis] * self.vectors
        found = _depend(turned[up & down], turned[(movable > 0) & ~(up & down)], self.noise)
        return None if found and self.from_products else found


def _depend(free: Vector, one_way: Vector, noise: float) -> bool | None:
    """Whether a combination of vectors is 0, without those of one way having negative factors."""
    if len(free) > free.shape[1]:
        return True
    span = _span(free, noise)
    if span is None or len(one_way) > _MOST_ONE_WAY:
        return None
    if span.rank < len(free):
        return True
    left = one_way
    for _ in range(2):  # twice is enough
        left = left - (left @ span.basis) @ span.basis.T
    lengths = np.linalg.norm(left, axis=1)
    if (lengths <= noise).any():
        return True
    if not span.clear or (lengths <= _CLEAR * noise).any():
        return None
    return _hull_holds_zero(left / lengths[:, np.newaxis], noise / float(lengths.min())) if len(left) > 0 else False


def _hull_holds_zero(vectors: Vector, noise: float) -> bool | None:
    """Whether 0 is a convex combination of unit vectors; None within 1000 times the rounding."""
    wanted = np.append(np.zeros(vectors.shape[1]), 1.0)
    try:
        weights, distance = nnls(np.column_stack([vectors, np.ones(len(vectors))]).T, wanted)
    except RuntimeError:  # too many rounds
        return None
    if distance <= noise:
        return True
    nearest = weights @ vectors
    proven = float((vectors @ nearest).min()) > 0.5 * distance**2
    return False if distance > _CLEAR * noise and proven else None


@final
class _Span(NamedTuple):
    """An orthonormal basis of the span of some vectors, as columns, their rank, and whether that is beyond doubt."""

    basis: Vector
    rank: int
    clear: bool


def _span(vectors: Vector, noise: float) -> _Span | None:
    """The span of not more vectors than dimensions; None if they are too many to look at closely."""
    count, width = vectors.shape
    if count == 0 or width == 0:
        return _Span(np.zeros((width, 0)), 0, clear=True)
    basis, triangle = qr(vectors.T, mode="economic", check_finite=False)
    if trcon(triangle)[0] > _CLEAR * noise:
        return _Span(basis, count, clear=True)
    if count > _MOST_PIVOTED:
        return None
    basis, triangle, _ = qr(vectors.T, mode="economic", pivoting=True, check_finite=False)
    diagonal = np.abs(np.diagonal(triangle))
    kept = diagonal > noise * diagonal.max()
    return _Span(basis, int(kept.sum()), clear=bool((diagonal[kept] > _CLEAR * noise * diagonal.max()).all()))


def dependencies(kernel: BoundKernel, parts: Sequence[Any], borders: Sequence[Vector]) -> Dependencies | None:
    """Dependencies of ``(φ(x_i), borders_i)``; None if they cannot be examined.

    Rows that are equal are found as they are. Distinct rows are independent for a strictly positive definite kernel. For the
    linear and the polynomial kernel their monomials are compared, for others the kernel values.

    Parameters
    ----------
    kernel : BoundKernel
        The kernel.
    parts : sequence of rows
        Training rows of one kind, in one or more pieces.
    borders : sequence of ndarray
        Beside the features: ones for an offset, first; sides where each keeps its sum.
    """
    rows = _joined(parts)
    same = _copies(rows)
    copies = _numbered(np.column_stack([same, *borders[1:]])) if len(borders) > 1 else same
    independent = copies is same or copies.max(initial=0) == same.max(initial=0)
    if kernel.strictly_positive and independent:
        return Dependencies(copies, None, 0.0)
    first = np.unique(copies, return_index=True)[1]
    if len(first) > _MOST_ROWS:
        return None
    rounding = _ROUNDING * max(len(first), 8)
    features = None
    if kernel.strictly_positive:  # equal rows on both sides: as if each distinct row had a feature of its own
        features = np.eye(same.max(initial=0) + 1)[same[first]]
    elif kernel.degrees is not None:
        features = _monomials(take_rows(rows, first), kernel.degrees, shift=bool(borders))
    if features is None:
        chosen = take_rows(rows, first)
        products = kernel.cross(chosen, chosen)
        return _by_products(products, _edges(borders, first), copies) if np.isfinite(products).all() else None
    vectors = np.column_stack([features, _edges(borders, first)])
    if not np.isfinite(vectors).all():
        return None
    if vectors.shape[1] > 2 * len(first) > 0:
        vectors = qr(vectors.T, mode="r", check_finite=False)[0][: len(first)].T
    return Dependencies(copies, _unit(vectors), rounding)


def dependencies_of(products: Vector, borders: Sequence[Vector]) -> Dependencies:
    """The same by the kernel values of all pairs of rows, where these are all that is known."""
    copies = _numbered(np.column_stack([products, *borders[1:]]))
    first = np.unique(copies, return_index=True)[1]
    return _by_products(products[np.ix_(first, first)], _edges(borders, first), copies)


def _by_products(products: Vector, edges: Vector, copies: NDArray[np.intp]) -> Dependencies:
    """Vectors that have the kernel values as their products."""
    rounding = _ROUNDING * max(len(products), 8)
    products = products + (float(np.diagonal(products).max(initial=0.0)) or 1.0) * (edges @ edges.T)
    sizes = np.sqrt(np.maximum(np.diagonal(products), 0.0))
    sizes = np.where(sizes > 0.0, sizes, 1.0)
    values, directions = np.linalg.eigh(products / np.outer(sizes, sizes))
    kept = values > rounding * float(values.max(initial=0.0))
    vectors = _unit(directions[:, kept] * np.sqrt(values[kept]))
    return Dependencies(copies, vectors, float(np.sqrt(rounding)), from_products=True)


def _edges(borders: Sequence[Vector], rows: NDArray[np.intp]) -> Vector:
    return np.column_stack([np.ones((len(rows), 0)), *(border[rows] for border in borders)])


def _unit(vectors: Vector) -> Vector:
    sizes = np.linalg.norm(vectors, axis=1)
    return np.asarray(vectors / np.where(sizes > 0.0, sizes, 1.0)[:, np.newaxis])


def _monomials(rows: Any, degrees: range, *, shift: bool) -> Vector | None:
    """All products of so many features, up to their factors, on which no dependency depends; None if there are too many.

    Features are first scaled by powers of 2, which is exact. Where all lower degrees are there too, counting the constant of an
    offset, another origin makes no difference: it is put into a row, since differences keep their digits, and products with a
    large constant do not.
    """
    count, width = rows.shape
    sizes = [comb(width + degree - 1, degree) for degree in degrees]
    if count * sum(sizes) > _DENSE_VALUES:
        return None
    features = np.asarray(rows.toarray() if sparse.issparse(rows) else rows, dtype=np.float64)
    if degrees[0] == 0 or (shift and degrees[0] == 1):
        with np.errstate(over="ignore", invalid="ignore"):  # what is not finite is not looked at
            features = features - features[:1]
    largest = np.abs(features).max(axis=0, initial=0.0)
    features = np.ldexp(features, -np.frexp(largest)[1])
    found = np.ones((count, sum(sizes)))
    places = (each for degree in degrees for each in combinations_with_replacement(range(width), degree))
    for k, place in enumerate(places):
        for feature in place:
            found[:, k] *= features[:, feature]
    return found


def _joined(parts: Sequence[Any]) -> Any:
    """Rows of one kind, one after the other."""
    if len(parts) == 1:
        return parts[0]
    if isinstance(parts[0], np.ndarray):
        return np.concatenate(parts)
    return sparse.vstack(parts, format="csr") if sparse.issparse(parts[0]) else [row for part in parts for row in part]


def _copies(rows: Any) -> NDArray[np.intp]:
    """Which of the distinct rows each is; objects are all distinct, since only their kernel knows them."""
    if rows_are_objects(rows):
        return np.arange(length(rows))
    if sparse.issparse(rows):
        keys: dict[tuple[bytes, bytes], int] = {}
        found = []
        for begin, end in zip(rows.indptr[:-1], rows.indptr[1:], strict=True):
            columns, values = rows.indices[begin:end], rows.data[begin:end]
            entries = values != 0.0
            key = (columns[entries].tobytes(), values[entries].tobytes())
            found.append(keys.setdefault(key, len(keys)))
        return np.array(found, dtype=np.intp)
    return _numbered(np.asarray(rows) + 0.0)  # so that −0 is 0


def _numbered(table: NDArray[Any]) -> NDArray[np.intp]:
    """Which of the distinct rows of a table each is."""
    if len(table) == 0:
        return np.zeros(0, dtype=np.intp)
    return np.unique(table, axis=0, return_inverse=True)[1].reshape(-1)
