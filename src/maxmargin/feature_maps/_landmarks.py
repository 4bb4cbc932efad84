"""Which rows, or means of rows, stand for all of them."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from scipy import linalg, sparse

from maxmargin._blas import one_blas_thread
from maxmargin._deadline import Deadline
from maxmargin.errors import InvalidInput
from maxmargin.kernels import BoundKernel, FeatureKernel, Gram
from maxmargin.validation import length, take_rows

__all__ = ["LANDMARKS", "means_of_rows", "product", "rows_by_leverage"]

LANDMARKS: Final = ("kmeans", "leverage", "uniform")

_AT_ONCE: Final = 1 << 21  # kernel values
_ROUNDS: Final = 10  # of Lloyd's algorithm: more change landmarks, but hardly what they are good for
_ROWS_OF_A_MEAN: Final = 50  # rows that Lloyd's algorithm sees, for each landmark
_FEWEST_ROWS: Final = 20_000
_LARGE: Final = 6  # landmarks for each eigenvalue that counts as large: with fewer, rows far out get nearly all of them
_TINY: Final = 1e-12  # of the mean of k(x, x): a ridge below it is rounding

Vector = NDArray[np.float64]
Numbers = NDArray[np.intp]


def rows_by_leverage(gram: Gram, count: int, random: np.random.RandomState, deadline: Deadline) -> Numbers:
    """Numbers of so many different rows, ascending, by their approximate ridge leverage scores ``l_i = [K (K + λ)⁻¹]_ii``
    (Musco and Musco, Recursive sampling for the Nyström method, NeurIPS 2017).

    Scores of twice as many rows are estimated from those drawn before, until all rows are among them. λ is the sum of all but
    the largest ``count/6`` eigenvalues, divided by ``count/6``. Where the time is over, the rows of the last round are taken.
    """
    order = random.permutation(gram.n)
    chosen, chance = order[:count], np.ones(min(count, gram.n))
    some = count
    while some < len(order) and not deadline.is_over():
        some = min(2 * some, len(order))
        scores = _leverage(gram, order[:some], chosen, chance, count)
        chances = _inclusion(scores, count)
        drawn = _systematic(chances, count, random)
        chosen, chance = order[drawn], chances[drawn]
    return np.sort(chosen)


def _leverage(gram: Gram, rows: Numbers, chosen: Numbers, chance: Vector, count: int) -> Vector:
    """``(k_ii − k_iS W (W K_SS W + λ)⁻¹ W k_Si) / λ`` with ``W = 1/√chance``: scores by those of the rows S, from 0 to 1."""
    weight = 1.0 / np.sqrt(chance)
    inner = weight[:, np.newaxis] * gram.block(chosen, chosen) * weight
    scale = float(np.abs(np.diagonal(inner)).mean())
    large = max(1, count // _LARGE)
    with one_blas_thread():
        values = linalg.eigvalsh(inner)
        ridge = max(float(values[:-large].clip(0.0).sum()) / large, _TINY * scale, float(-2.0 * values[0]), 1e-300)
        inner[np.diag_indices(len(inner))] += ridge
        factor = linalg.cholesky(inner, lower=True)
        turned = linalg.solve_triangular(factor, np.diag(weight), lower=True)
    own = gram.take(rows).diagonal()
    scores = np.empty(len(rows))
    height = max(1, _AT_ONCE // len(chosen))
    for begin in range(0, len(rows), height):
        part = slice(begin, begin + height)
        features = product(gram.block(rows[part], chosen), turned)
        scores[part] = own[part] - np.einsum("ij,ij->i", features, features)
    return np.asarray(np.clip(scores / ridge, 0.0, 1.0), dtype=np.float64)


def _inclusion(scores: Vector, count: int) -> Vector:
    """Chances of at most 1 that sum to ``count``, in proportion to the scores where they are below 1."""
    chances: Vector = scores + 1e-9 * (float(scores.mean()) + 1e-300)  # nobody is without one
    chances = chances * (count / float(chances.sum()))
    for _ in range(len(chances)):
        full = chances >= 1.0
        rest = count - int(full.sum())
        below = float(chances[~full].sum())
        if not full.any() or below <= 0.0 or abs(below - rest) <= 1e-9 * count:
            break
        chances = np.where(full, 1.0, chances * (rest / below))
    return np.asarray(np.minimum(chances, 1.0))


def _systematic(chances: Vector, count: int, random: np.random.RandomState) -> Numbers:
    """So many different numbers, each with its chance: a comb over the line on which the chances are laid off."""
    ends = np.cumsum(chances)
    teeth = (np.arange(count) + random.random_sample()) * (float(ends[-1]) / count)
    found = np.unique(np.minimum(np.searchsorted(ends, teeth, side="right"), len(chances) - 1))
    if len(found) < count:  # a chance of 1 and rounding
        left = np.setdiff1d(np.arange(len(chances)), found)
        found = np.concatenate([found, left[np.argsort(-chances[left], kind="stable")[: count - len(found)]]])
    return found


def means_of_rows(kernel: BoundKernel, X: Any, count: int, random: np.random.RandomState, deadline: Deadline) -> Any:
    """So many means of rows that are near each other, by Lloyd's algorithm on some of the rows (Zhang, Tsang and Kwok 2008)."""
    if not kernel.of_features:
        raise InvalidInput(
            "landmarks='kmeans' needs feature vectors and a kernel that the library computes from them: other rows have no"
            f" means. Got {type(kernel).__name__}. Choose landmarks='uniform' or 'leverage'."
        )
    n = length(X)
    if count >= n:
        return X
    seen = min(n, max(_FEWEST_ROWS, _ROWS_OF_A_MEAN * count))
    rows = take_rows(X, np.sort(random.permutation(n)[:seen]))
    means = take_rows(rows, np.sort(random.permutation(seen)[:count]))
    means = np.asarray(means.toarray() if sparse.issparse(means) else means, dtype=np.float64)
    nearest = np.full(seen, -1)
    for _ in range(_ROUNDS):
        if deadline.is_over():
            break
        before, nearest = nearest, _nearest(rows, means)
        if np.array_equal(before, nearest):
            break
        members = sparse.csr_array((np.ones(seen), (nearest, np.arange(seen))), shape=(count, seen))
        sizes = np.bincount(nearest, minlength=count)
        sums = members @ rows.astype(np.float64)
        sums = sums.toarray() if sparse.issparse(sums) else sums
        means = np.where(sizes[:, np.newaxis] > 0, sums / np.maximum(sizes, 1)[:, np.newaxis], means)
    means = means.astype(X.dtype)
    return sparse.csr_matrix(means) if sparse.issparse(X) else means


def _nearest(rows: Any, means: Vector) -> Numbers:
    """The mean nearest to each row, the first of several."""
    half = 0.5 * np.einsum("ij,ij->i", means, means)
    found = np.empty(length(rows), dtype=np.intp)
    height = max(1, _AT_ONCE // len(means))
    for begin in range(0, len(found), height):
        values = FeatureKernel("linear").cross(rows[begin : begin + height], means)
        found[begin : begin + height] = np.argmin(half - values, axis=1)
    return found


def product(left: Vector, right: Vector) -> Vector:
    """``A Bᵀ`` on all threads; its bits depend neither on their number nor on which rows A has."""
    return FeatureKernel("linear").cross(np.ascontiguousarray(left), np.ascontiguousarray(right))
