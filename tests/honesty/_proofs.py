"""Whether a proof that something does not exist is refuted: by the thing itself, checked in whole numbers.

A linear program in float64 proposes a hyperplane or a function; fractions decide whether it does what it should. Nothing is
concluded where none is found.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations_with_replacement
from typing import Any

import numpy as np
from scipy.optimize import linprog

from maxmargin.kernels import Kernel

from ._formulas import are_strict
from ._generator import Case

__all__ = [
    "balanced",
    "features",
    "in_tube",
    "refuted_joint_margin",
    "refuted_margin",
    "refuted_tube",
    "separated",
    "separated_jointly",
]

_MOST_ENTRIES = 20_000
_MOST_COLUMNS = 30


def features(case: Case, rows: np.ndarray, shifted: bool = True) -> np.ndarray | None:
    """Explicit features of the kernel, as fractions: linear functions of them are those of the kernel. None if there are none.

    Columns are multiplied by powers of 2 and, if they may be, shifted, which changes no separation where the offset is free.
    """
    name = case.params.get("kernel", "linear")
    if isinstance(name, Kernel):
        return None
    if name == "precomputed" or callable(name):
        matrix = case.X[np.ix_(rows, rows)] if name == "precomputed" else name(case.X[rows], case.X[rows])
        return _levelled(_fractions(matrix), shifted) if matrix.size <= _MOST_ENTRIES else None
    X = _fractions(case.X[rows])
    if name == "linear":
        return _levelled(X, shifted)
    degree, coef0 = int(case.params.get("degree", 3)), float(case.params.get("coef0", 0.0))
    if name != "poly" or coef0 < 0.0:
        return None
    powers = range(1, degree + 1) if coef0 > 0.0 else [degree]
    terms = [term for power in powers for term in combinations_with_replacement(range(X.shape[1]), power)]
    if not terms or len(X) * len(terms) > _MOST_ENTRIES:
        return None
    return _levelled(np.stack([np.prod(X[:, list(term)], axis=1) for term in terms], axis=1), shifted)


def _fractions(values: np.ndarray) -> np.ndarray:
    return np.array([Fraction(float(value)) for value in values.ravel()], dtype=object).reshape(values.shape)


def _levelled(table: np.ndarray, shifted: bool) -> np.ndarray:
    """Columns about 0 and of size 1, exactly: shifted by one of their values, and times a power of 2."""
    columns = []
    for column in table.T:
        apart = column - sorted(column)[len(column) // 2] if shifted else column
        size = max(abs(value) for value in apart)
        if size == 0:
            continue
        power = size.numerator.bit_length() - size.denominator.bit_length()
        columns.append(apart * (Fraction(1, 2**power) if power >= 0 else Fraction(2**-power)))
    return np.array(columns, dtype=object).T if columns else np.zeros((len(table), 0), dtype=object)


def _proposed(A: np.ndarray, b: np.ndarray, bounds: list[tuple[float | None, float | None]]) -> np.ndarray | None:
    """A point with ``A x ≤ b`` that leaves as much room as there is: the last variable is the room."""
    cost = np.zeros(A.shape[1])
    cost[-1] = -1.0
    found = linprog(cost, A_ub=A, b_ub=b, bounds=bounds, method="highs")
    return None if found.x is None else np.asarray(found.x)


def separated(table: np.ndarray, sign: np.ndarray, offset: bool = True, room: float = 0.0) -> bool:
    """Whether a hyperplane is found that has all rows strictly on their sides.

    Parameters
    ----------
    table : ndarray of Fraction, shape (n, m)
        Features.
    sign : ndarray of −1 and +1
        Sides.
    offset : bool
        Whether the hyperplane may be off the origin; then the columns may have been shifted.
    room : float
        Only a hyperplane that leaves this much of it counts.
    """
    floats = table.astype(np.float64)
    columns = np.hstack([floats, np.ones((len(floats), 1))]) if offset else floats
    signed = sign[:, np.newaxis] * columns
    A = np.hstack([-signed, np.ones((len(floats), 1))])
    bounds = [(-1.0, 1.0)] * table.shape[1] + [(None, None)] * int(offset) + [(None, 1.0)]
    found = _proposed(A, np.zeros(len(floats)), bounds)
    if found is None or found[-1] < room:
        return False
    w = [Fraction(float(value)) for value in found[: table.shape[1]]]
    scores = [sum((a * x for a, x in zip(w, row, strict=True)), Fraction(0)) for row in table]
    above = [score for score, side in zip(scores, sign, strict=True) if side > 0]
    below = [score for score, side in zip(scores, sign, strict=True) if side < 0]
    if not above or not below:
        return True
    return min(above) > max(below) if offset else min(above) > 0 > max(below)


def separated_jointly(table: np.ndarray, codes: np.ndarray, classes: int) -> bool:
    """Whether scores of all classes are found of which that of its own class is the largest for every row."""
    n, m = table.shape
    if n * (classes - 1) * classes * (m + 1) > 20 * _MOST_ENTRIES:
        return False
    floats = np.hstack([table.astype(np.float64), np.ones((n, 1))])
    A = []
    for row, own in zip(floats, codes, strict=True):
        for rival in set(range(classes)) - {int(own)}:
            line = np.zeros((classes, m + 1))
            line[rival], line[own] = row, -row
            A.append(np.append(line.ravel(), 1.0))
    bounds: list[tuple[float | None, float | None]] = [*(([(-1.0, 1.0)] * m + [(None, None)]) * classes), (None, 1.0)]
    found = _proposed(np.array(A), np.zeros(len(A)), bounds)
    if found is None:
        return False
    W = _fractions(found[:-1].reshape(classes, m + 1))
    for row, own in zip(table, codes, strict=True):
        scores = [sum((a * x for a, x in zip(w, row, strict=False)), w[-1]) for w in W]
        if any(scores[own] <= scores[rival] for rival in set(range(classes)) - {int(own)}):
            return False
    return True


def balanced(rows: np.ndarray, weights: np.ndarray) -> bool:
    """Whether positive weights near the given ones are found with which the rows sum to 0, exactly.

    Then no vector has products with the rows that are all at least 0 and not all 0 (Stiemke 1915): losses that fall for ever in
    these products have a minimum. The weights are changed by ``−a_i <λ, z_i>`` with ``Σ a_i z_i z_iᵀ λ = Σ a_i z_i``.

    Parameters
    ----------
    rows : ndarray of Fraction, shape (n, m)
        The vectors z.
    weights : ndarray of float
        The a, positive.
    """
    floats = rows.astype(np.float64) * np.asarray(weights, dtype=np.float64)[:, np.newaxis]
    if rows.shape[1] > _MOST_COLUMNS or (np.abs(floats.sum(axis=0)) > 1e-6 * np.abs(floats).sum(axis=0)).any():
        return False  # far from it, or too much to find out
    a = _fractions(np.asarray(weights, dtype=np.float64))
    if not all(value > 0 for value in a):
        return False
    scaled = rows * a[:, np.newaxis]
    shift = _solved(scaled.T @ rows, scaled.sum(axis=0))
    return shift is not None and all(1 - value > 0 for value in rows @ shift)


def _solved(A: np.ndarray, b: np.ndarray) -> np.ndarray | None:
    """A solution of ``A x = b`` in fractions, with 0 where x is free; None if there is none."""
    M = np.hstack([A, b[:, np.newaxis]])
    pivots: list[int] = []
    for column in range(len(A)):
        row = next((k for k in range(len(pivots), len(M)) if M[k, column] != 0), None)
        if row is None:
            continue
        M[[len(pivots), row]] = M[[row, len(pivots)]]
        M[len(pivots)] = M[len(pivots)] / M[len(pivots), column]
        for other in range(len(M)):
            if other != len(pivots) and M[other, column] != 0:
                M[other] = M[other] - M[len(pivots)] * M[other, column]
        pivots.append(column)
    if any(value != 0 for value in M[len(pivots) :, -1]):
        return None
    x = np.full(len(A), Fraction(0), dtype=object)
    for row, column in enumerate(pivots):
        x[column] = M[row, -1]
    return x


def in_tube(table: np.ndarray, y: np.ndarray, epsilon: float) -> bool:
    """Whether a function is found that is within ε of all targets."""
    floats = table.astype(np.float64)
    size = max(float(np.abs(y - np.median(y)).max()), epsilon, 1e-300)
    target = (y - np.median(y)) / size
    columns = np.hstack([floats, np.ones((len(floats), 1)), np.ones((len(floats), 1))])
    up, down = columns.copy(), -columns
    down[:, -1] = 1.0
    A, b = np.vstack([up, down]), np.concatenate([target, -target]) + epsilon / size
    found = _proposed(A, b, [(None, None)] * (columns.shape[1] - 1) + [(None, 1.0)])
    if found is None:
        return False
    w = [Fraction(float(value)) * Fraction(size) for value in found[: table.shape[1]]]
    residuals = [
        Fraction(float(target_i)) - sum((a * x for a, x in zip(w, row, strict=True)), Fraction(0))
        for row, target_i in zip(table, y, strict=True)
    ]
    return max(residuals) - min(residuals) <= 2 * Fraction(float(epsilon))


def distinct(case: Case, rows: np.ndarray, sign: np.ndarray) -> bool:
    """Whether no row of one side is among those of the other: then an RBF separates them, whatever its γ > 0."""
    X = case.X + 0.0  # −0 is 0
    above = {X[row].tobytes() for row in rows[sign > 0]}
    return not any(X[row].tobytes() in above for row in rows[sign < 0])


def _given_values(name: Any) -> bool:
    return name == "precomputed" or (callable(name) and not isinstance(name, Kernel))


def _tells_apart(name: Any) -> bool:
    """Whether a kernel has independent images of any distinct rows."""
    return are_strict(name) if isinstance(name, Kernel) else bool(name == "rbf")


def refuted_margin(case: Case, rows: np.ndarray, sign: np.ndarray, offset: bool = True) -> bool:
    """Whether it is false that no hyperplane of the kernel separates the rows."""
    name: Any = case.params.get("kernel", "rbf")
    if _tells_apart(name):
        return distinct(case, rows, sign)
    table = features(case, rows, shifted=offset)
    return table is not None and separated(table, sign, offset, 1e-6 if _given_values(name) else 0.0)


def refuted_joint_margin(case: Case, rows: np.ndarray, codes: np.ndarray) -> bool:
    """Whether it is false that no scores of the kernel tell all classes apart."""
    name: Any = case.params.get("kernel", "rbf")
    classes = int(codes.max()) + 1
    if _tells_apart(name):
        return all(distinct(case, rows, np.where(codes == k, 1.0, -1.0)) for k in range(classes))
    table = None if _given_values(name) else features(case, rows)
    return table is not None and separated_jointly(table, codes, classes)


def refuted_tube(case: Case, rows: np.ndarray) -> bool:
    """Whether it is false that no function of the kernel is within ε of all targets."""
    assert case.y is not None
    y, epsilon = case.y[rows].astype(np.float64), float(case.params["epsilon"])
    name: Any = case.params.get("kernel", "rbf")
    if _tells_apart(name):
        spans: dict[bytes, list[float]] = {}
        for row, target in zip(case.X[rows] + 0.0, y, strict=True):
            spans.setdefault(row.tobytes(), []).append(float(target))
        return all(Fraction(max(span)) - Fraction(min(span)) <= 2 * Fraction(epsilon) for span in spans.values())
    table = None if _given_values(name) else features(case, rows)
    return table is not None and in_tube(table, y, epsilon)
