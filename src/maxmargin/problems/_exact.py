"""Whether rows of numbers are linearly dependent with weights of one sign: proven, not estimated.

That the weights of a solver make two means equal but for rounding proves nothing: a margin may be as small as that. What is
here decides it for the numbers as they are stored, each of which is a fraction.
"""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import combinations_with_replacement
from math import comb, gcd
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from scipy import linalg, sparse
from scipy.optimize import linprog

__all__ = ["dependence", "monomials", "positive_dependence", "widest_dependence"]

Vector = NDArray[np.float64]
Matrix = NDArray[np.float64]

_EPSILON: Final = float(np.finfo(np.float64).eps)
_MOST_WORK: Final = 60_000  # multiplications of long integers: some tenths of a second
_MOST_VALUES: Final = 4_000_000  # of a matrix whose approximate inverse is formed,
_MOST_PRODUCTS: Final = 8e9  # and of the products that takes
_MOST_IN_PROGRAM: Final = 1_000_000  # values of a linear program,
_SECONDS: Final = 1.0  # and how long it may take
_REFINEMENTS: Final = 2


def dependence(rows: Matrix, near: Vector, relative_error: float = 0.0) -> tuple[Vector, float] | None:
    """Weights ``λ ≥ 0``, not all 0, with ``Σ λ_i a_i = 0`` exactly, near to the ones given; None if none were proven to exist.

    Parameters
    ----------
    rows : ndarray of shape (s, m)
        The vectors ``a_i``.
    near : ndarray of shape (s,)
        Positive weights that make the sum small.
    relative_error : float
        By how much each number of the rows may differ from the one that is meant, as a part of it.

    Returns
    -------
    weights : ndarray of shape (s,)
        Numbers near to the exact weights.
    error : float
        How far each is from its exact one at the most.

    Notes
    -----
    With ``A`` the matrix of columns ``a_i`` and R nearly a right inverse, ``A R = I + E`` with ``‖E‖ < 1``, the equation
    ``A λ = 0`` has a solution within ``‖R‖ ‖A λ̃‖ / (1 − ‖E‖)`` of λ̃: if that is less than the smallest weight, it is positive
    (Rump, Verification methods, Acta Numerica 2010). Where A has no full rank, Gauss's elimination in whole numbers decides.

    Examples
    --------
    The middle of −1 and +1 is 0; of −1 and 1.5 it is not.

    >>> import numpy as np
    >>> from maxmargin.problems._exact import dependence
    >>> weights, error = dependence(np.array([[-1.0], [1.0]]), np.array([0.5, 0.5]))
    >>> weights, error < 1e-15
    (array([0.5, 0.5]), True)
    >>> dependence(np.array([[-1.0, 1.0], [1.5, -1.0]]), np.array([0.6, 0.4])) is None
    True
    """
    s, m = rows.shape
    if s == 0 or not np.isfinite(rows).all() or not (near > 0.0).all():
        return None
    if (
        s * m <= _MOST_VALUES
        and s * m * min(s, m) <= _MOST_PRODUCTS
        and (verified := _verified(rows, near, relative_error)) is not None
    ):
        return verified
    if relative_error > 0.0 or s * m * min(s, m) > _MOST_WORK:
        return None
    return _eliminated(rows, near)


def positive_dependence(rows: Matrix, gain: Vector | None, relative_error: float = 0.0) -> tuple[Vector, float] | None:
    """The same without a guess: a linear program looks for the weights, of sum 1.

    Parameters
    ----------
    rows : ndarray of shape (s, m)
        The vectors ``a_i``.
    gain : ndarray of shape (s,), optional
        What a weight is worth: the largest sum is looked for. None for the weights whose smallest is largest, which stand the
        most rounding.
    relative_error : float
        As for `dependence`.
    """
    s, m = rows.shape
    size = np.abs(rows).max(axis=0, initial=0.0)
    if s * m > _MOST_IN_PROGRAM or not np.isfinite(rows).all():
        return None
    A = (rows[:, size > 0.0] / size[size > 0.0]).T
    equal = np.vstack([A, np.ones(s)])
    right = np.append(np.zeros(len(A)), 1.0)
    options = {"time_limit": _SECONDS}
    if gain is None:  # λ = t + u with u ≥ 0
        tight = np.column_stack([equal, equal.sum(axis=1)])
        found = linprog(np.append(np.zeros(s), -1.0), A_eq=tight, b_eq=right, options=options)
        weights = None if found.x is None else found.x[:-1] + found.x[-1]
    else:
        found = linprog(-gain, A_eq=equal, b_eq=right, options=options)
        weights = found.x
    if found.status != 0 or weights is None:
        return None
    kept = weights > _EPSILON
    proven = dependence(rows[kept], weights[kept], relative_error)
    if proven is None:
        return None
    full = np.zeros(s)
    full[kept] = proven[0]
    return full, proven[1]


def widest_dependence(rows: Any, seconds: float = math.inf) -> Vector | None:
    """Weights ``λ ≥ 0`` with ``Σ λ_i a_i`` near 0, as many as possible at least 1: for `dependence` to prove; or None.

    Maximises ``Σ min(λ_i, 1)``: weights may be multiplied, so that all that can be positive are 1 or more. Rows may be sparse.
    It takes a second at the most, or as many as are given if that is less and not 0.
    """
    A = sparse.csr_matrix(rows, dtype=np.float64)
    if A.nnz > _MOST_IN_PROGRAM or not np.isfinite(A.data).all():
        return None
    size = abs(A).max(axis=0).toarray().ravel()
    A = sparse.csr_matrix(A[:, size > 0.0])
    equal = sparse.csr_matrix((A.data / size[size > 0.0][A.indices], A.indices, A.indptr), A.shape).T
    s = A.shape[0]
    found = linprog(
        np.concatenate([-np.ones(s), np.zeros(s)]),
        A_eq=sparse.hstack([equal, equal]),
        b_eq=np.zeros(equal.shape[0]),
        bounds=[(0.0, 1.0)] * s + [(0.0, None)] * s,
        options={"time_limit": min(_SECONDS, seconds)},
    )
    if found.status != 0 or found.x is None:
        return None
    weights = np.where(found.x[:s] > 0.5, found.x[:s] + found.x[s:], 0.0)
    return weights if weights.any() else None


def _verified(rows: Matrix, near: Vector, relative_error: float) -> tuple[Vector, float] | None:
    """By a right inverse in floating point, with bounds of every rounding error."""
    size = np.abs(rows).max(axis=0)
    kept = size > 0.0
    if int(kept.sum()) > len(rows):
        return None
    _, exponent = np.frexp(size[kept])
    A = np.ldexp(rows[:, kept], -exponent).T  # exact, but for what is far below the largest
    m, s = A.shape
    if m == 0:
        return near, 0.0
    R = _right_inverse(A)
    each = (s + 4) * _EPSILON + relative_error
    absolute = np.abs(A)
    off = float((np.abs(A @ R - np.eye(m)) + each * (absolute @ np.abs(R))).sum(axis=1).max())
    if not off < 0.5:
        return None
    for _ in range(_REFINEMENTS):
        near = near - R @ (A @ near)
    if not (near > 0.0).all():
        return None
    residual = float((np.abs(A @ near) + each * (absolute @ near) + s * 1e-300).max())
    error = 1.01 * float(np.abs(R).sum(axis=1).max()) * residual / (1.0 - off)
    return (near, error) if error < float(near.min()) else None


def _right_inverse(A: Matrix) -> Matrix:
    """R with ``A R`` near to the identity, by ``Aᵀ = Q T``; 0, which is far from that, where T has none."""
    Q, T = np.linalg.qr(A.T)
    try:
        R = linalg.solve_triangular(T, Q.T).T
    except linalg.LinAlgError:
        return np.zeros_like(A.T)
    return R if np.isfinite(R).all() else np.zeros_like(A.T)


def _eliminated(rows: Matrix, near: Vector) -> tuple[Vector, float] | None:
    """By elimination in whole numbers: the largest weights are solved for, the others stay as they are."""
    order = np.argsort(-near, kind="stable")
    columns = [_whole(column) for column in rows[order].T]  # one equation each
    pivots: list[tuple[int, list[int]]] = []
    for equation in columns:
        reduced = equation
        for place, pivot in pivots:
            if reduced[place]:
                a, b = pivot[place], reduced[place]
                reduced = _primitive([a * x - b * y for x, y in zip(reduced, pivot, strict=True)])
        place = next((k for k, value in enumerate(reduced) if value), -1)
        if place >= 0:
            pivots.append((place, reduced))
    solved = {place for place, _ in pivots}
    if len(solved) == len(order):
        return None
    weights = [Fraction(0) if k in solved else Fraction(float(near[order[k]])) for k in range(len(order))]
    for place, pivot in reversed(pivots):  # an earlier equation may still hold places that later ones solve for
        known = sum((value * weights[k] for k, value in enumerate(pivot) if value and k != place), Fraction(0))
        weights[place] = -known / pivot[place]
        if weights[place] < 0:
            return None
    found = np.empty(len(order))
    found[order] = [float(weight) for weight in weights]
    return found, _EPSILON * float(found.max())


def _whole(numbers: Vector) -> list[int]:
    """Numbers times a power of two, as integers."""
    ratios = [float(number).as_integer_ratio() for number in numbers]
    common = max(below for _, below in ratios)
    return [above * (common // below) for above, below in ratios]


def _primitive(numbers: list[int]) -> list[int]:
    """Without the factor that all have in common: what is left is no longer than a minor of the matrix."""
    common = gcd(*numbers)
    return [number // common for number in numbers] if common > 1 else numbers


def monomials(X: Any, degree: int, homogeneous: bool) -> Matrix | None:
    """All products of ``degree`` numbers of a row, or of up to so many; None if there are too many, or they overflow.

    They span the feature space of ``(γ<u, v> + ζ)^degree``, with ζ = 0 or not. Their relative error is that of ``degree``
    multiplications.
    """
    n, d = X.shape
    wide = d if homogeneous else d + 1
    if comb(wide + degree - 1, degree) * n > _MOST_VALUES:
        return None
    rows = X if homogeneous else np.column_stack([X, np.ones(n)])
    with np.errstate(over="ignore", under="ignore"):
        found = np.column_stack(
            [np.prod(rows[:, list(chosen)], axis=1) for chosen in combinations_with_replacement(range(wide), degree)]
        )
    smallest = float(np.abs(X[X != 0.0]).min(initial=1.0))
    lost = smallest < 1.0 and degree * np.log10(smallest) < -290.0  # products that underflow are not exact
    return None if lost or not np.isfinite(found).all() else found
