"""Small problems of whole numbers in rational arithmetic: an optimum that is proven, and the set of all that are.

Nothing here knows how the library decides. Every row has a convex, piecewise linear loss of its score. The set of optimal
coefficients is a polytope, whose extent a simplex method in fractions measures; the set of optimal offsets is read off the sum
of the losses.
"""

from __future__ import annotations

from fractions import Fraction
from typing import NamedTuple

__all__ = ["Exact", "Row", "exact_optimum", "rank_of"]

Numbers = list[Fraction]
Matrix = list[Numbers]
Bounds = list[Fraction | None]
ZERO, ONE = Fraction(0), Fraction(1)


class Row(NamedTuple):
    """A loss of ``f = <w, x> + shift + b`` that bends at some values; ``slopes`` are minus its own, one more, falling.

    A margin bends at y, and its slopes are C and 0, or 0 and −C. None is without bound.
    """

    x: Numbers
    bends: Numbers
    slopes: Bounds
    shift: Fraction = ZERO

    def loss(self, f: Fraction) -> Fraction | None:
        """0 where it is least; None if f is not allowed."""
        value = ZERO
        for bend, before, after in zip(self.bends, self.slopes, self.slopes[1:], strict=False):
            if (before is None and f < bend) or (after is None and f > bend):
                return None
            left = ZERO if before is None else max(before, ZERO) - max(after or ZERO, ZERO)
            right = ZERO if after is None else min(before or ZERO, ZERO) - min(after, ZERO)
            value += left * max(ZERO, bend - f) + right * max(ZERO, f - bend)
        return value


class Exact(NamedTuple):
    """What is true of a problem."""

    w: Numbers
    b_unique: bool
    beta_unique: bool
    active: int
    rank: int


def exact_optimum(rows: list[Row], scores: list[float], bias: float, *, offset: bool, total: Fraction = ZERO) -> Exact:
    """The truth, from a guess of the scores and of b; a wrong guess raises.

    It tells which rows are at a bend. At all others the coefficient is a slope. Fractions do the rest: coefficients within
    their slopes that put these rows at their bends, and sum to the total.
    """
    bends = [
        next((k for k, v in enumerate(row.bends) if abs(v - Fraction(f)) < Fraction(1, 10**5)), None)
        for row, f in zip(rows, scores, strict=True)
    ]
    on = [i for i, bend in enumerate(bends) if bend is not None]
    off = [i for i, bend in enumerate(bends) if bend is None]
    piece = [sum(Fraction(f) > bend for bend in row.bends) for row, f in zip(rows, scores, strict=True)]
    fixed = [rows[i].slopes[piece[i]] for i in off]
    assert None not in fixed, "a row is where it may not be"
    # β = base + way · x with 0 ≤ x ≤ width.
    base, way, width = [], [], []
    for i in on:
        high, low = rows[i].slopes[bends[i]], rows[i].slopes[bends[i] + 1]
        base.append(low if low is not None else high)
        way.append(ONE if low is not None else -ONE)
        width.append(None if low is None or high is None else high - low)
    features = range(len(rows[0].x))
    given = [(beta, rows[i].x) for i, beta in zip(off, fixed, strict=True)] + [
        (beta, rows[i].x) for i, beta in zip(on, base, strict=True)
    ]
    pushed = [sum((beta * x[k] for beta, x in given), ZERO) for k in features]
    left = total - sum((beta for beta, _ in given), ZERO)
    equations, right = [], []
    for i in on:
        products = [sign * _dot(rows[i].x, rows[j].x) for sign, j in zip(way, on, strict=True)]
        equations.append([*products, ONE, -ONE] if offset else products)
        right.append(rows[i].bends[bends[i]] - rows[i].shift - _dot(pushed, rows[i].x))
    if offset:
        equations.append([*way, ZERO, ZERO])
        right.append(left)
    found = _Polytope(equations, right, [*width, *[None] * (2 * offset)]).point()
    assert found is not None, "no coefficients: the guess is wrong"
    w = [pushed[k] + sum((found[a] * way[a] * rows[j].x[k] for a, j in enumerate(on)), ZERO) for k in features]
    b = ZERO if not offset else found[-2] - found[-1] if on else Fraction(bias)
    for i, row in enumerate(rows):
        f = _dot(w, row.x) + row.shift + b
        assert (
            f == row.bends[bends[i]]
            if bends[i] is not None
            else (f not in row.bends and sum(f > bend for bend in row.bends) == piece[i])
        ), "not optimal: the guess is wrong"
    same = [[way[a] * rows[j].x[k] for a, j in enumerate(on)] for k in features] + [list(way)] * offset
    optimal = _Polytope(same, [w[k] - pushed[k] for k in features] + [left] * offset, width)
    return Exact(
        w=w,
        b_unique=not offset or _offset_is_unique(rows, w, total),
        beta_unique=all(optimal.extent(a) == 0 for a in range(len(on))),
        active=len(on),
        rank=rank_of([[*rows[j].x, *[ONE] * offset] for j in on]),
    )


def _dot(u: Numbers, v: Numbers) -> Fraction:
    return sum((a * b for a, b in zip(u, v, strict=True)), ZERO)


def _offset_is_unique(rows: list[Row], w: Numbers, total: Fraction) -> bool:
    """Whether ``total · b + Σ loss`` has one minimum in b: it is convex, and bends where a row does."""
    products = [_dot(w, row.x) + row.shift for row in rows]
    points = sorted({bend - product for row, product in zip(rows, products, strict=True) for bend in row.bends})
    costs = []
    for b in [points[0] - 1, *points, points[-1] + 1]:
        losses = [row.loss(product + b) for row, product in zip(rows, products, strict=True)]
        if None not in losses:
            costs.append(total * b + sum(losses, ZERO))
    return costs.count(min(costs)) == 1


def rank_of(matrix: Matrix) -> int:
    """Rank by elimination."""
    rows, found = [list(row) for row in matrix], 0
    for column in range(len(rows[0]) if rows else 0):
        pivot = next((i for i in range(found, len(rows)) if rows[i][column] != 0), None)
        if pivot is None:
            continue
        rows[found], rows[pivot] = rows[pivot], rows[found]
        for i in range(found + 1, len(rows)):
            factor = rows[i][column] / rows[found][column]
            rows[i] = [a - factor * b for a, b in zip(rows[i], rows[found], strict=True)]
        found += 1
    return found


class _Polytope:
    """{A x = b, 0 ≤ x ≤ upper}."""

    def __init__(self, A: Matrix, b: Numbers, upper: Bounds) -> None:
        self.A, self.b, self.upper = A, b, upper

    def extent(self, place: int) -> Fraction | None:
        """How far apart two of its points can be in one coordinate; None without end."""
        ends = [self._best([Fraction(sign * (i == place)) for i in range(len(self.upper))]) for sign in (1, -1)]
        return None if ends[0] is None or ends[1] is None else ends[0][place] - ends[1][place]

    def point(self) -> Numbers | None:
        """One of its points; None if it is empty."""
        found = self._first().x
        return None if any(found[len(self.upper) :]) else found[: len(self.upper)]

    def _first(self) -> _Table:
        """A table that has made the sum of one extra variable for each equation as small as it can be."""
        width, height = len(self.upper), len(self.b)
        extra = [[Fraction((1 if b >= 0 else -1) * (i == k)) for k in range(height)] for i, b in enumerate(self.b)]
        table = _Table(
            [[*row, *more] for row, more in zip(self.A, extra, strict=True)],
            [*self.upper, *[None] * height],
            [ZERO] * width + [abs(b) for b in self.b],
            list(range(width, width + height)),
        )
        table.climb([ZERO] * width + [-ONE] * height)
        return table

    def _best(self, cost: Numbers) -> Numbers | None:
        table, height = self._first(), len(self.b)
        assert not any(table.x[len(self.upper) :]), "the polytope is empty"
        table.upper = [*self.upper, *[ZERO] * height]
        return table.x[: len(self.upper)] if table.climb([*cost, *[ZERO] * height]) else None


class _Table:
    """The simplex method with bounds, by Bland's rule, so that it ends."""

    def __init__(self, A: Matrix, upper: Bounds, x: Numbers, basis: list[int]) -> None:
        self.rows, self.upper, self.x, self.basis = [list(row) for row in A], list(upper), list(x), list(basis)
        for k, column in enumerate(self.basis):
            self._pivot(k, column)

    def _pivot(self, k: int, column: int) -> None:
        pivot = self.rows[k][column]
        self.rows[k] = [value / pivot for value in self.rows[k]]
        for i, row in enumerate(self.rows):
            if i != k and row[column] != 0:
                self.rows[i] = [a - row[column] * c for a, c in zip(row, self.rows[k], strict=True)]
        self.basis[k] = column

    def climb(self, cost: Numbers) -> bool:
        """Go to the largest ``cost · x``; false if there is none."""
        while (chosen := self._entering(cost)) is not None:
            j, way = chosen
            # Basic variables change by −way · column; the first to meet a bound leaves, of equals that of the smallest number.
            limits = [(self.upper[j], j, -1)] if self.upper[j] is not None else []
            for k, column in enumerate(self.basis):
                rate, top = -way * self.rows[k][j], self.upper[column]
                if rate < 0:
                    limits.append((self.x[column] / -rate, column, k))
                elif rate > 0 and top is not None:
                    limits.append(((top - self.x[column]) / rate, column, k))
            if not limits:
                return False
            step, _, leaving = min(limits)
            for k, column in enumerate(self.basis):
                self.x[column] -= way * step * self.rows[k][j]
            self.x[j] += way * step
            if leaving >= 0:
                self._pivot(leaving, j)
        return True

    def _entering(self, cost: Numbers) -> tuple[int, int] | None:
        for j in range(len(self.x)):
            if j not in self.basis:
                gain = cost[j] - sum((cost[column] * self.rows[k][j] for k, column in enumerate(self.basis)), ZERO)
                if gain > 0 and self.x[j] != self.upper[j]:
                    return j, 1
                if gain < 0 and self.x[j] > 0:
                    return j, -1
        return None
