"""Whether weighted means of rows coincide in the space of a kernel: what proofs without slack rest on."""

from __future__ import annotations

import math
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from maxmargin.kernels import Gram
from maxmargin.problems._exact import dependence, monomials, positive_dependence, widest_dependence

__all__ = ["classes_coincidence", "coincidence", "equal_rows"]

Vector = NDArray[np.float64]
Matrix = NDArray[np.float64]

_EPSILON: Final = float(np.finfo(np.float64).eps)
_MOST_VALUES: Final = 4_000_000  # of rows made dense, or of a matrix taken apart
_WHOLE: Final = 2.0**53  # integers up to here are exact


def coincidence(
    gram: Gram, beta: Vector, *, offset: bool, signs: Vector | None = None, gain: Vector | None = None
) -> tuple[Vector, float] | None:
    """Coefficients whose ``Σ β_i φ(x_i)`` is exactly 0, and with an offset ``Σ β_i`` too: near to β, or found anew.

    Rows of features decide it: for a linear kernel their own numbers, for a polynomial one their products. A Gaussian kernel
    makes distinct rows linearly independent (Micchelli 1986), so that only equal ones can coincide. A matrix, or the values of
    a function, are taken as they are stored: ``K β = 0`` is enough, and mostly rounding has spoilt it.

    Parameters
    ----------
    gram : Gram
        Kernel values of the rows, neither centred nor adjusted.
    beta : ndarray
        What a solver found.
    offset : bool
        Whether the coefficients must sum to 0.
    signs : ndarray, optional
        Signs that the coefficients may have; or, where they may have either,
    gain : ndarray, optional
        what a coefficient of 1 and one of −1 is worth, of shape (2, n): the worth of the answer shall be large.

    Returns
    -------
    coefficients : ndarray
        Of all rows.
    error : float
        How far each is from its exact value at the most.
    """
    support = np.flatnonzero(beta)
    found = _features(gram)
    if found is None or not len(support):
        return None
    rows, relative_error = found
    if offset:  # what is constant vanishes with the sum of all coefficients
        rows = np.column_stack([rows[:, np.ptp(rows, axis=0) > 0.0], np.ones(len(rows))])
    held = np.sign(beta[support])
    proven = dependence(held[:, np.newaxis] * rows[support], np.abs(beta[support]), relative_error)
    if proven is not None:
        coefficients = np.zeros(len(beta))
        coefficients[support] = held * proven[0]
        return coefficients, proven[1]
    if signs is not None:
        proven = positive_dependence(signs[:, np.newaxis] * rows, None, relative_error)
        return None if proven is None else (signs * proven[0], proven[1])
    assert gain is not None
    proven = positive_dependence(np.vstack([rows, -rows]), gain.ravel(), relative_error)
    return None if proven is None else (proven[0][: len(beta)] - proven[0][len(beta) :], 2.0 * proven[1])


def classes_coincidence(
    gram: Gram, codes: NDArray[np.intp], classes: int, *, offset: bool, seconds: float = math.inf
) -> Matrix | None:
    """Weights ``λ_ik ≥ 0``, not all 0: ``Σ λ_ik (e_y − e_k) φ(x_i)ᵀ = 0`` exactly, with offsets ``Σ λ_ik (e_y − e_k) = 0``.

    Equal rows of two classes have them; else a linear program looks for them among the features of the kernel, for not more
    than so many seconds if that is not 0.
    """
    if (pair := _equal_of_two_classes(gram, codes)) is not None:
        weights = np.zeros((gram.n, classes))
        weights[pair, codes[pair[::-1]]] = 0.5
        return weights
    found = _features(gram)
    if found is None or 2 * found[0].size * (classes - 1) > _MOST_VALUES:
        return None
    rows, relative_error = found
    if offset:
        rows = np.column_stack([rows[:, np.ptp(rows, axis=0) > 0.0], np.ones(len(rows))])
    row, rival = (codes[:, np.newaxis] != np.arange(classes)).nonzero()
    guess = widest_dependence(_leads(rows[row], codes[row], rival, np.arange(classes - 1), classes), seconds)
    if guess is None:
        return None
    held = guess > 0.0
    row, rival, guess = row[held], rival[held], guess[held]
    # Where rows connect classes, what one of these gets follows from the others: equations that follow would hide the rank.
    links = sparse.coo_matrix((np.ones(len(row)), (codes[row], rival)), shape=(classes, classes))
    _, first = np.unique(connected_components(links)[1], return_index=True)
    kept = np.delete(np.arange(classes), first)
    if len(row) * len(kept) * rows.shape[1] > _MOST_VALUES:
        return None
    proven = dependence(_leads(rows[row], codes[row], rival, kept, classes).toarray(), guess, relative_error)
    if proven is None:
        return None
    weights = np.zeros((gram.n, classes))
    weights[row, rival] = proven[0] / proven[0].sum()
    return weights


def _leads(rows: Matrix, own: NDArray[np.intp], rival: NDArray[np.intp], kept: NDArray[np.intp], classes: int) -> Any:
    """``(e_y − e_k) φ(x)ᵀ`` as a row for each of the pairs (x, k), of some of the classes."""
    unit = np.eye(classes)[:, kept]
    ahead = sparse.csr_matrix(unit[own] - unit[rival])
    table = sparse.csr_matrix(rows)
    return sparse.hstack([table.multiply(ahead[:, [k]]) for k in range(len(kept))], format="csr")


def _equal_of_two_classes(gram: Gram, codes: NDArray[np.intp]) -> NDArray[np.intp] | None:
    """Two rows that are the same, of different classes."""
    number = equal_rows(gram)
    _, first = np.unique(number, return_index=True)
    place = np.zeros(int(number.max()) + 1, dtype=np.intp)
    place[number[first]] = first
    other = np.flatnonzero(codes != codes[place[number]])
    return np.array([place[number[other[0]]], other[0]]) if len(other) else None


def _features(gram: Gram) -> tuple[Matrix, float] | None:
    """The vectors ``φ(x_i)`` of a kernel with few features, but for factors of each feature, and their relative error."""
    kernel, every = gram.kernel, np.arange(gram.n, dtype=np.int32)
    if not kernel.of_features:
        return _columns(gram)
    rows = gram.rows(every)
    if rows.shape[0] * rows.shape[1] > _MOST_VALUES:
        return None
    X = np.asarray(rows.toarray() if sparse.issparse(rows) else rows, dtype=np.float64)
    degrees = kernel.degrees
    if kernel.is_linear or degrees == range(1) or (kernel.gamma == 0.0 and kernel.mercer):  # its rows, or a constant
        return X if kernel.is_linear else np.ones((len(X), 1)), 0.0
    if degrees is None:
        return None
    highest = degrees.stop - 1
    known = degrees.start in (0, highest)
    found = monomials(X, highest, degrees.start == highest) if known else None
    if found is None:
        return None
    exact = bool((np.rint(X) == X).all()) and float(np.abs(found).max(initial=0.0)) <= _WHOLE
    return found, 0.0 if exact else highest * _EPSILON


def _columns(gram: Gram) -> tuple[Matrix, float] | None:
    """The columns of a matrix itself: where ``K β = 0`` exactly, ``|Σ β_i φ(x_i)|² = βᵀK β`` is 0 too."""
    if gram.n**2 > _MOST_VALUES or gram.is_indefinite():
        return None
    every = np.arange(gram.n, dtype=np.int32)
    return gram.block(every, every), 0.0


def equal_rows(gram: Gram) -> NDArray[np.intp]:
    """A number for each row, the same for rows that are equal; for a matrix or a function, for those with the same values."""
    every = np.arange(gram.n, dtype=np.int32)
    if gram.kernel.of_features:
        rows = gram.rows(every)
        if sparse.issparse(rows):
            clean = rows.copy()
            clean.sum_duplicates()
            clean.eliminate_zeros()
            keys = [
                (clean.indices[low:high].tobytes(), clean.data[low:high].tobytes())
                for low, high in zip(clean.indptr[:-1], clean.indptr[1:], strict=True)
            ]
        else:
            keys = [(row.tobytes(), b"") for row in np.ascontiguousarray(rows + 0.0)]  # −0 is 0
        numbers: dict[tuple[bytes, bytes], int] = {}
        return np.array([numbers.setdefault(key, len(numbers)) for key in keys], dtype=np.intp)
    known: dict[bytes, int] = {}
    found = np.empty(gram.n, dtype=np.intp)
    for start in range(0, gram.n, 256):
        some = every[start : start + 256]
        for row, values in zip(some.tolist(), gram.block(some, every) + 0.0, strict=True):
            found[row] = known.setdefault(values.tobytes(), row)
    return found
