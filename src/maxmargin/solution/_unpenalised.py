"""Lower bounds without a penalty: multipliers whose rows nearly sum to 0, and what exact ones near them are worth."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, Final, NamedTuple, final

import numpy as np
from numpy.typing import NDArray
from scipy import linalg, sparse

from maxmargin import _core
from maxmargin._blas import one_blas_thread
from maxmargin.kernels import as_features
from maxmargin.losses import ConvexLoss
from maxmargin.problems import MulticlassLinear, Offset, PrimalProblem
from maxmargin.validation import take_rows

__all__ = ["class_repair_cost", "repair_cost", "repair_seconds", "repair_sizes"]

Vector = NDArray[np.float64]
Matrix = NDArray[np.float64]

_EPSILON: Final = float(np.finfo(np.float64).eps)
_LONG: Final = float(np.finfo(np.longdouble).eps)
_MOST_COLUMNS: Final = 2048  # beyond, a factor takes minutes
_BLOCK: Final = 4096  # rows at a time
_SAMPLE: Final = 4  # rows for each column,
_FEW: Final = 512  # and more
_A_PRODUCT: Final = 2e-10  # seconds
_PASSES: Final = 50  # products that the other work for a value costs as much as
_FEW_VALUES: Final = 20_000  # of all rows: more digits cost next to nothing
_HARDLY: Final = 1e-10  # of each room: what moves it by no more is good enough
_GOOD: Final = 1e-6  # smallest eigenvalue of products of columns of length 1 that has its digits
_NULL: Final = 64.0 * _EPSILON  # a singular value that is rounding of the columns,
_CLEAR: Final = 16.0  # and times that: one that is not
_SAFE: Final = 1.125  # for the rounding of the singular values


def repair_cost(problem: PrimalProblem, alpha: Vector) -> float:
    """What the dual objective at α loses, at most, by making α satisfy ``Σ α_i s_i x_i = 0`` and ``Σ α_i s_i = 0`` exactly.

    Without a penalty a bound holds for all weights only if these sums vanish. Float64 makes them nearly 0, and weights that are
    large enough gain by what is left: columns that depend on each other up to float32 have optimal weights of 10⁷. Exact
    multipliers are looked for beside α (see `repair_sizes`), and every row counts at the worse end of what it may be moved by.

    Returns
    -------
    float
        Infinite where no exact multipliers are known beside α: it then proves nothing.

    Examples
    --------
    >>> import numpy as np
    >>> from maxmargin.problems import PrimalProblem
    >>> from maxmargin.solution._unpenalised import repair_cost
    >>> problem = PrimalProblem([[-1.0], [1.0], [2.0]], [1, 1, -1], loss="logistic", penalty=None, offset=None)
    >>> repair_cost(problem, np.array([0.2, 0.6, 0.2])) < 1e-14  # −0.2 + 0.6 − 2 · 0.2 = 0
    True
    >>> round(repair_cost(problem, np.array([0.2, 0.6, 0.21])), 3)
    0.014
    """
    loss = problem.loss
    assert isinstance(loss, ConvexLoss)
    if not alpha.any():
        return 0.0
    room = np.abs(alpha)
    if math.isinf(float(loss.conjugate(-2.0))):  # bounded by C_i
        room = room * np.maximum(0.0, 1.0 - room / problem.cost)
    sizes = repair_sizes(problem.X, _constant_of(problem), room, alpha * loss.slope(problem.y))
    if sizes is None:
        return math.inf
    moved = np.flatnonzero(sizes)
    sizes, near, cost, y = (each[moved] for each in (sizes, alpha, problem.cost, problem.y))
    here, below, above = (loss.conjugate(-each / cost) for each in (near, near - sizes, near + sizes))
    linear = sizes * np.abs(loss.argument(y, np.zeros(len(y))))
    with np.errstate(invalid="ignore"):
        lost = float((cost * (np.maximum(below, above) - here) + linear).sum())
    return math.inf if math.isnan(lost) else lost


def class_repair_cost(problem: MulticlassLinear, others: Matrix) -> float:
    """The same for the multinomial loss, of multipliers of other classes than a row's own, and 0 of that.

    Every class but the largest is made to satisfy its equalities, by what it exchanges with the largest in each row. That one
    then satisfies its own, since all of a row sum to C_i.

    Examples
    --------
    >>> import numpy as np
    >>> from maxmargin.problems import MulticlassLinear
    >>> from maxmargin.solution._unpenalised import class_repair_cost
    >>> problem = MulticlassLinear([[0.0], [0.0], [0.0]], [0, 1, 2], penalty=None)
    >>> third = np.full((3, 3), 1.0 / 3.0)
    >>> class_repair_cost(problem, third - np.diag(np.diag(third))) < 1e-13
    True
    """
    cost, every = problem.cost[:, np.newaxis], np.arange(problem.n)
    if not others.any():
        return 0.0
    long = others.astype(np.longdouble)
    lost = long.sum(axis=1)
    change, alpha = -long, others.copy()
    change[every, problem.codes] = lost
    alpha[every, problem.codes] = np.maximum(0.0, (problem.cost - lost).astype(np.float64))
    middle = int(alpha.sum(axis=0).argmax())
    sizes = np.zeros_like(alpha)
    for k in range(alpha.shape[1]):
        if k == middle:
            continue
        both = alpha[:, k] + alpha[:, middle]
        room = alpha[:, k] * (alpha[:, middle] / np.where(both > 0.0, both, 1.0))
        found = repair_sizes(problem.X, _constant_of(problem), room, change[:, k])
        if found is None:
            return math.inf
        sizes[:, k] = found
        sizes[:, middle] += found
    moved = sizes > 0.0
    least = np.where(moved, (alpha - sizes) / cost, 1.0)
    if (least <= 0.0).any():
        return math.inf
    return float((sizes * (1.0 + np.abs(np.log(least)))).sum())


def repair_seconds(n: int, d: int) -> float:
    """What `repair_sizes` takes, about: products of all pairs of columns, and some passes.

    Examples
    --------
    >>> from maxmargin.solution._unpenalised import repair_seconds
    >>> repair_seconds(1000, 10) < 0.01, repair_seconds(10, 100_000)
    (True, 0.0)
    """
    return _A_PRODUCT * n * (d + _PASSES) * d if d < _MOST_COLUMNS else 0.0


def _constant_of(problem: PrimalProblem | MulticlassLinear) -> float:
    """The value of the feature whose weight the offset is; 0 where there is none."""
    return 0.0 if problem.offset is Offset.NONE else problem.offset_scale


def repair_sizes(X: Any, constant: float, room: Vector, signed: NDArray[Any]) -> Vector | None:
    """Bounds of ``|δ_i|`` for some δ with ``Σ (c_i + δ_i) x_i = 0``, exactly; None where float64 does not show one.

    ``δ_i = −room_i <x_i, y>`` with ``(Σ room_i x_i x_iᵀ) y = Σ c_i x_i`` solves it. What a computed y leaves, and what the sum
    itself is rounded by, would be solved in the same way: with the smallest singular value of the rows times ``√room`` that is
    bounded too. Columns that depend on each other but for their own last places, where float64 cannot tell whether they do, are
    taken to: a model could use the difference only for as much as its scores are rounded by.

    Parameters
    ----------
    X : ndarray or CSR matrix
        Rows.
    constant : float
        Value of one more feature; none if it is 0.
    room : ndarray
        How much each c_i may be moved, in proportion; not below 0.
    signed : ndarray of float64 or longdouble
        c.

    Examples
    --------
    >>> import numpy as np
    >>> from maxmargin.solution._unpenalised import repair_sizes
    >>> repair_sizes(np.array([[1.0], [1.0]]), 0.0, np.ones(2), np.array([1.0, -0.75])).round(3)
    array([0.125, 0.125])
    >>> repair_sizes(np.array([[1.0], [1.0]]), 0.0, np.zeros(2), np.array([1.0, -0.75])) is None  # nothing may move
    True
    """
    largest = float(room.max(initial=0.0))
    columns = X.shape[1] + (constant != 0.0)
    if columns > _MOST_COLUMNS or not (largest > 0.0 and math.isfinite(largest)):
        return None
    movable = np.flatnonzero(room > 0.0)
    step = len(movable) // (_SAMPLE * columns + _FEW)
    sizes = np.zeros(len(room))
    with one_blas_thread(), np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        whole = _Rows.of(X, constant)
        for chosen in ([movable[::step]] if step > 1 else []) + [movable]:  # a sample mostly shows enough
            found = _repaired(whole, whole.take(chosen), room[chosen] / largest, signed)
            if found is not None and bool(np.isfinite(found).all()):
                sizes[chosen] = found
                return sizes
    return None


@final
class _Rows(NamedTuple):
    """Rows with the constant feature, in blocks, with columns whose lengths powers of 2 have brought to about 1."""

    X: Any
    constant: float
    down: Vector

    @classmethod
    def of(cls, X: Any, constant: float) -> _Rows:
        squares = _core.column_squares(as_features(X), np.ones(X.shape[0]))
        top = np.append(np.sqrt(squares), [abs(constant) * math.sqrt(X.shape[0])] if constant else [])
        return cls(X, constant, np.ldexp(1.0, np.clip(-np.frexp(top)[1], -1000, 1000)))

    def take(self, chosen: NDArray[np.intp]) -> _Rows:
        return self if len(chosen) == self.X.shape[0] else self._replace(X=take_rows(self.X, chosen))

    def blocks(self) -> Iterator[tuple[slice, Matrix]]:
        """Which rows, and these as a dense array."""
        for start in range(0, self.X.shape[0], _BLOCK):
            rows = self.X[start : start + _BLOCK]
            dense = np.asarray(rows.toarray() if sparse.issparse(rows) else rows, dtype=np.float64)
            if self.constant:
                dense = np.column_stack([dense, np.full(len(dense), self.constant)])
            yield slice(start, start + _BLOCK), dense * self.down

    def products(self, weight: Vector) -> Matrix:
        """``Σ weight_i x_i x_iᵀ``."""
        found = np.zeros((len(self.down), len(self.down)))
        for some, block in self.blocks():
            found += block.T @ (weight[some, np.newaxis] * block)
        return found

    def triangle(self, weight: Vector, norms: Vector) -> Matrix:
        """R of the rows times the roots of their weights, with columns divided by their norms."""
        found = np.zeros((0, len(norms)))
        for some, block in self.blocks():
            scaled = np.sqrt(weight[some, np.newaxis]) * (block / norms)
            found = linalg.qr(np.vstack([found, scaled]), mode="r", check_finite=False)[0][: len(norms)]
        return np.asarray(found)

    def sum(self, signed: NDArray[Any], *, long: bool) -> tuple[Vector, Vector]:
        """``Σ c_i x_i``, and what it may be rounded by: no column is longer than 1."""
        if long:
            found = np.zeros(len(self.down), dtype=np.longdouble)
            for some, block in self.blocks():
                found += (signed[some].astype(np.longdouble)[:, np.newaxis] * block).sum(axis=0)
        else:
            short = np.ascontiguousarray(signed, dtype=np.float64)
            found = np.append(_core.row_sum(as_features(self.X), short), [self.constant * short.sum()] if self.constant else [])
            found = found * self.down
        part = (8.0 + math.sqrt(len(signed))) * (_LONG if long else _EPSILON) * _norm(signed.astype(np.float64))
        near = found.astype(np.float64)
        return near, part + _EPSILON * np.abs(near)


@final
class _Directions(NamedTuple):
    """Singular values and right singular vectors of the weighted rows with columns of length 1, without those that are 0."""

    values: Vector
    vectors: Matrix


def _repaired(whole: _Rows, rows: _Rows, weight: Vector, signed: NDArray[Any]) -> Vector | None:
    """The sizes by which these rows alone can be moved."""
    products = rows.products(weight)
    norms = np.sqrt(np.diagonal(products))
    empty = norms == 0.0
    norms = np.where(empty, 1.0, norms)
    values, vectors = linalg.eigh(products / np.outer(norms, norms) + np.diag(empty.astype(np.float64)), check_finite=False)
    good = bool(values[0] > _GOOD)
    found = _Directions(np.sqrt(values), vectors) if good else _by_rows(whole, rows, weight, norms)
    if found is None or (empty.any() and any(block[:, empty].any() for _, block in whole.blocks())):
        return None  # also where rows that may not move have values in a column
    if good and whole.X.shape[0] * len(norms) > _FEW_VALUES:
        parts = _parts(whole, rows, weight, norms, found, signed, long=False)
        if float(parts.max(initial=0.0)) <= _HARDLY:
            return weight * parts
    return weight * _parts(whole, rows, weight, norms, found, signed, long=True)


def _parts(
    whole: _Rows, rows: _Rows, weight: Vector, norms: Vector, found: _Directions, signed: NDArray[Any], *, long: bool
) -> Vector:
    """Bounds of ``|<x_i, y>|``, by a sum of more digits and direction by direction if ``long``."""
    off, error = (each / norms for each in whole.sum(signed, long=long))
    y, residual = np.zeros(len(norms)), off
    for _ in range(2 if long else 1):
        y = y + found.vectors @ ((found.vectors.T @ residual) / np.square(found.values))
        residual = off - _again(rows, weight, norms, y)
    least = float(found.values.min(initial=1.0))
    left = _SAFE * (_norm(found.vectors.T @ residual) + _norm(error)) / least
    parts = np.zeros(len(weight))
    for some, block in rows.blocks():
        scaled = block / norms
        along = scaled @ (found.vectors / found.values) if long else scaled / least
        parts[some] = np.abs(scaled @ y) + left * np.sqrt(np.square(along).sum(axis=1))
    return parts


def _by_rows(whole: _Rows, rows: _Rows, weight: Vector, norms: Vector) -> _Directions | None:
    """The directions from the rows themselves, not their squares; None where float64 cannot tell which are 0."""
    triangle = rows.triangle(weight, norms)
    if not np.isfinite(triangle).all():
        return None
    _, values, transposed = linalg.svd(triangle, full_matrices=True, check_finite=False)
    values = np.append(values, np.zeros(len(norms) - len(values)))
    nothing = _NULL * math.sqrt(len(norms))
    null = values <= nothing
    if (~null & (values <= _CLEAR * nothing)).any():
        return None
    if null.any():  # for all rows, also those of little weight
        across = transposed[null].T
        for _, block in whole.blocks():
            scaled = block / norms
            if (np.abs(scaled @ across) > _CLEAR * nothing * np.abs(scaled).max(axis=1, keepdims=True)).any():
                return None
    return _Directions(values[~null], transposed[~null].T)


def _again(rows: _Rows, weight: Vector, norms: Vector, y: Vector) -> Vector:
    """``Σ weight_i x_i <x_i, y>`` of the scaled rows."""
    found = np.zeros(len(norms))
    for some, block in rows.blocks():
        scaled = block / norms
        found += (weight[some] * (scaled @ y)) @ scaled
    return found


def _norm(x: Vector) -> float:
    return math.sqrt(float((x * x).sum()))
