"""Balls that hold the solution for every C, and rows that are certainly wrong for all of some values of C.

Let ``F_C(w, b) = ½|w|² + C L(w, b)`` with ``L(w, b) = Σ c_i max(0, 1 − y_i(<w, φ_i> + b))``, and let its minimum be at
``(w_C, b_C)``. Let β have ``0 ≤ y_i β_i ≤ C c_i``, and write ``A = Σ|β_i|``, ``w(β) = Σ β_i φ_i``, ``δ = |Σ β_i|``.

**Lemma.** For every (w, b), ``|w_C − ½(w + w(β))|² ≤ G − ¼|w − w(β)|²`` with ``G = F_C(w, b) − A + ½|w(β)|² + δ|b_C|``.

*Proof.* (1) ``F_C − ½|w|²`` is convex and 0 is a subgradient of ``F_C`` at its minimum, so that ``F_C(w, b) ≥ F_C(w_C, b_C) +
½|w − w_C|²``. (2) Since ``C c_i max(0, 1 − s) ≥ |β_i|(1 − s)`` for the margin s of every row, ``F_C(w_C, b_C) ≥ ½|w_C|² + A −
<w_C, w(β)> − b_C Σβ_i ≥ A − ½|w(β)|² + ½|w_C − w(β)|² − δ|b_C|``. The sum of both is ``½|w − w_C|² + ½|w(β) − w_C|² ≤ G``,
and the left side is ``|w_C − ½(w + w(β))|² + ¼|w − w(β)|²``. ∎ Without an offset, or with one that is a weight (φ has a
constant 1 then), b and δ are 0. With a free one nothing but δ changes: the ball bounds w, not b.

**One solution.** Let (α̂, b̂) be any point at C̃ with ``ŵ = w(α̂)``, gap ``g = |ŵ|² + C̃ L(ŵ, b̂) − Â`` and ``r = C/C̃``.
With ``w = ŵ`` and ``β = r α̂``, which satisfies the bounds of C, ``G − ¼|w − w(β)|² = ½|ŵ|² + C L − r Â + ½ r²|ŵ|² − ¼(1 −
r)²|ŵ|² + rδ|b_C|``, and ``C L − r Â = r (g − |ŵ|²)``, so that

    |w_C − ½(1 + r) ŵ|² ≤ ¼(1 − r)²|ŵ|² + r (g + δ|b_C|).

For g = 0 this is the ball of Shibagaki and others (NeurIPS 2015).

**Two solutions.** Let there be such points at ``C_1 < C_2``, and let ``C = (1 − t)C_1 + t C_2``. The mean of both with the
same t satisfies the bounds of C. With ``w = w(β) = w_t``, ``b = b_t``, convexity of L, and ``|w_t|² = (1 − t)|w_1|² + t|w_2|²
− t(1 − t)|w_2 − w_1|²``,

    |w_C − w_t|² ≤ (1 − t)(g_1 + δ_1|b_C|) + t(g_2 + δ_2|b_C|) + t(1 − t) Q,   Q = (C_2 − C_1)(L_1 − L_2) − |w_2 − w_1|².

Where the path of solutions has no kink between C_1 and C_2, Q is the error of L's convexity alone, and small.

**Scores.** Without a free offset ``f_C(x_v) = <w_C, φ_v>`` lies within ``R|φ_v|`` of its value at the centre.

**A free offset.** Let ``s_i = <w_C, φ_i − φ_v>`` and ``f = b + <w_C, φ_v>``: the score of row v. An optimal b minimises ``Σ
c_i max(0, 1 − y_i(s_i + f))`` over f, which is piecewise linear with breakpoints ``t_i = y_i − s_i``: its slope is ``−W_+``
left of all of them, ``W_+ = Σ_{y_i = 1} c_i``, and grows by ``c_i`` at ``t_i``. So every optimal f is negative if and only if
the slope left of 0 is positive, ``Σ_{t_i < 0} c_i > W_+``, and every one is positive if and only if ``Σ_{t_i ≤ 0} c_i <
W_+``. Both sums are monotone in every s_i, which lies within ``R|φ_i − φ_v|`` of its value at the centre: the ends of these
intervals decide for all of them. And ``|b_C| ≤ 1 + max|<w_C, φ_i>|``, as b is between breakpoints, with ``|w_C|² ≤ 2 F_C(0,
0) = 2 C Σc_i``.

**Rounding.** All of this holds for any positive semidefinite matrix of kernel values. Values, sums and differences are off by
rounding: every quantity is moved to the side where the statement is weaker, by bounds of what rounding can do: sums of n
products in blocks of 64 by ``(64 + n/64 + 8) u`` of the sizes of their terms, kernel values by κ. The gap is a sum of terms
that are not negative, ``(C c_i − α_i) max(0, 1 − s_i) + α_i max(0, s_i − 1)``, with the margins s: nothing in it cancels, but
for b̂ Σβ_i. What underflows is less than a constant that every gap and error is made larger by. So it holds for every positive
semidefinite matrix within κ of the one that was computed.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final, final

import numpy as np
from numpy.typing import NDArray

__all__ = ["Fold", "FoldPoint", "certainly_wrong"]

Vector = NDArray[np.float64]
Matrix = NDArray[np.float64]

_UNIT: Final = 2.0**-53
_BLOCK: Final = 64
_AT_MOST: Final = 1.0 + 1e-12  # what a product or a root of a few numbers is rounded up by
_TINY: Final = 1e-280  # more than what underflows in a sum
_CELLS: Final = 4_000_000  # distances that are looked at at once


@final
class Fold:
    """The rows of a fold, with kernel values.

    Parameters
    ----------
    values : ndarray of shape (n, n)
        Kernel values of all rows; with 1 added where the offset is a weight.
    value_error : float
        What these may be off by: κ.
    y : ndarray of shape (n,)
        Labels −1 and +1.
    train, test : ndarray of intp
        Rows that it trains on and holds out.
    cost : ndarray of shape (len(train),)
        ``c_i > 0`` of each row that it trains on.
    free : bool
        Whether the offset is free.
    """

    def __init__(
        self,
        values: Matrix,
        value_error: float,
        y: Vector,
        train: NDArray[np.intp],
        test: NDArray[np.intp],
        cost: Vector,
        *,
        free: bool,
    ) -> None:
        self.train, self.test, self.cost, self.free = train, test, cost, free
        self.y, self.y_test = y[train], y[test]
        self._towards = np.ascontiguousarray(values[:, train])
        diagonal = np.diagonal(values)
        self.largest = float(np.abs(values).max(initial=0.0))
        self.value_error = value_error
        self.lengths = np.sqrt((np.maximum(diagonal[test], 0.0) + self.value_error) * _AT_MOST)
        self.positive = float(cost[self.y > 0.0].sum())
        self._diagonal = diagonal
        self._values = values

    def distances(self, places: NDArray[np.intp]) -> Matrix:
        """Upper bounds of ``|φ_i − φ_v|`` from held-out rows v, by their places, to the training rows i."""
        rows = self.test[places]
        squares = self._diagonal[rows][:, np.newaxis] + self._diagonal[self.train] - 2.0 * self._towards[rows]
        return np.asarray(np.sqrt((np.maximum(squares, 0.0) + 4.0 * self.value_error + 8.0 * _UNIT * self.largest) * _AT_MOST))

    def point(self, C: float, beta: Vector, bias: float) -> FoldPoint:
        """What is known at a point of the dual for C; β is first brought within its bounds."""
        alpha = np.minimum(np.maximum(self.y * beta, 0.0), C * self.cost * (1.0 - 2.0 * _UNIT))
        beta = self.y * alpha
        size, n = float(alpha.sum()), len(beta)
        products = np.zeros(len(self._towards))
        for start in range(0, n, _BLOCK):
            products += self._towards[:, start : start + _BLOCK] @ beta[start : start + _BLOCK]
        relative = (_BLOCK + n / _BLOCK + 8.0) * _UNIT
        error = (relative * self.largest + self.value_error) * size * _AT_MOST + _TINY
        offset = bias if self.free else 0.0
        margin = self.y * (products[self.train] + offset)
        near = error + 4.0 * _UNIT * (1.0 + abs(offset) + float(np.abs(margin).max()))
        above, below = np.maximum(1.0 - margin + near, 0.0), np.maximum(margin - 1.0 + near, 0.0)
        terms = (C * self.cost - alpha) * above + alpha * below
        gap = math.fsum(terms.tolist()) * _AT_MOST + 4.0 * _UNIT * C * math.fsum((self.cost * above).tolist())
        scores = products + offset
        parts = beta * products[self.train]
        norm = max(math.fsum(parts.tolist()), 0.0) + size * error + 4.0 * _UNIT * float(np.abs(parts).sum())
        imbalance = abs(math.fsum(beta.tolist())) * _AT_MOST if self.free else 0.0
        return FoldPoint(
            C=C,
            beta=beta,
            products=products,
            scores=scores[self.test],
            error=error,
            square_norm=norm * _AT_MOST,
            gap=(gap + abs(offset) * imbalance) * _AT_MOST + _TINY,
            loss=math.fsum((self.cost * above).tolist()) * _AT_MOST,
            least_loss=math.fsum((self.cost * np.maximum(1.0 - margin - near, 0.0)).tolist()) / _AT_MOST,
            imbalance=imbalance,
        )

    def offset_bound(self, C: float) -> float:
        """Largest ``|b_C|``."""
        if not self.free:
            return 0.0
        reach = math.sqrt(2.0 * C * float(self.cost.sum()) * (float(self._diagonal.max()) + self.value_error))
        return (1.0 + reach) * _AT_MOST


@final
@dataclass(frozen=True, eq=False)
class FoldPoint:
    """A point of a fold's dual, with bounds of what matters.

    Attributes
    ----------
    C : float
        Its C.
    beta : ndarray
        Signed coefficients of the training rows, within their bounds.
    products : ndarray
        ``<ŵ, φ(x)>`` of all rows, as computed.
    scores : ndarray
        ``f(x)`` of the held-out rows.
    error : float
        What the products may be off by.
    square_norm, gap, loss : float
        Upper bounds of ``|ŵ|²``, the duality gap, and L.
    least_loss : float
        Lower bound of L.
    imbalance : float
        ``|Σ β_i|``, which a free offset wants to be 0.
    """

    C: float
    beta: Vector
    products: Vector
    scores: Vector
    error: float
    square_norm: float
    gap: float
    loss: float
    least_loss: float
    imbalance: float


@final
@dataclass(frozen=True, eq=False)
class _Cover:
    """Over a cell of values of C: the centre runs straight from one end to the other, with a radius for all of it.

    Attributes
    ----------
    first, last : tuple of float
        The factors of both points' products in the centre at the ends.
    radius : float
        Upper bound of the radius.
    error : float
        What scores at the centre may be off by.
    """

    first: tuple[float, float]
    last: tuple[float, float]
    radius: float
    error: float


def certainly_wrong(fold: Fold, left: FoldPoint, right: FoldPoint, ends: Vector) -> NDArray[np.int_]:
    """How many held-out rows are wrong for every C of each cell between two points.

    Parameters
    ----------
    fold : Fold
        The rows.
    left, right : FoldPoint
        Points at two values of C.
    ends : ndarray of shape (cells + 1,)
        Ends of the cells, ascending, from the first C to the second.
    """
    places = np.flatnonzero((fold.y_test * left.scores < 0.0) & (fold.y_test * right.scores < 0.0))
    cells = len(ends) - 1
    counts = np.zeros(cells, dtype=np.int_)
    if len(places) == 0:
        return counts
    distances = fold.distances(places) if fold.free and len(places) * len(fold.train) <= _CELLS else None
    for cell, covers in enumerate(_covers(fold, left, right, ends)):
        open_ = np.arange(len(places))
        for cover in covers:
            if len(open_) == 0:
                break
            own = places[open_]
            if fold.free:
                away = fold.distances(own) if distances is None else distances[open_]
                sure = _wrong_with_offset(fold, left, right, cover, own, away)
            else:
                sure = _wrong(fold, left, right, cover, own)
            counts[cell] += int(sure.sum())
            open_ = open_[~sure]
    return counts


def _covers(fold: Fold, left: FoldPoint, right: FoldPoint, ends: Vector) -> list[list[_Cover]]:
    """The balls of each cell: that of both points, then that of each alone."""
    bound = fold.offset_bound(right.C)
    gaps = [each.gap + each.imbalance * bound for each in (left, right)]
    change = right.beta - left.beta
    moved = (right.products - left.products)[fold.train]
    apart = math.fsum((change * moved).tolist())
    size = float(np.abs(change).sum())
    apart -= size * (left.error + right.error) + 8.0 * _UNIT * float(np.abs(change * moved).sum())
    width = right.C - left.C
    bend = max(width * max(left.loss - right.least_loss, 0.0) * _AT_MOST - max(apart, 0.0) / _AT_MOST, 0.0)
    error = left.error + right.error
    found = []
    for low, high in zip(ends[:-1].tolist(), ends[1:].tolist(), strict=True):
        # Shares are computed from the ends with rounding: a little more on both sides is covered.
        t0 = max((low - left.C) / width - 1e-12, 0.0)
        t1 = min((high - left.C) / width + 1e-12, 1.0)
        top = min(max(0.5 if bend == 0.0 else 0.5 + (gaps[1] - gaps[0]) / (2.0 * bend), t0), t1)
        square = max((1.0 - t) * gaps[0] + t * gaps[1] + t * (1.0 - t) * bend for t in (t0, t1, top))
        covers = [_Cover((1.0 - t0, t0), (1.0 - t1, t1), math.sqrt(square) * (1.0 + 1e-9), error)]
        for point, gap, is_left in ((left, gaps[0], True), (right, gaps[1], False)):
            r0, r1 = low / point.C * (1.0 - 1e-15), high / point.C * (1.0 + 1e-15)
            square = max(0.25 * (1.0 - r) ** 2 * point.square_norm + r * gap for r in (r0, r1))
            first, last = ((0.5 * (1.0 + r), 0.0) if is_left else (0.0, 0.5 * (1.0 + r)) for r in (r0, r1))
            covers.append(_Cover(first, last, math.sqrt(square) * (1.0 + 1e-9), (1.0 + r1) * point.error))
        found.append(covers)
    return found


def _ends(left: FoldPoint, right: FoldPoint, cover: _Cover, rows: NDArray[np.intp]) -> list[Vector]:
    """Products of rows at both ends of a cover's centre."""
    return [a * left.products[rows] + b * right.products[rows] for a, b in (cover.first, cover.last)]


def _wrong(fold: Fold, left: FoldPoint, right: FoldPoint, cover: _Cover, places: NDArray[np.intp]) -> NDArray[np.bool_]:
    y = fold.y_test[places]
    nearest = np.maximum(*(y * each for each in _ends(left, right, cover, fold.test[places])))
    reach = cover.radius * fold.lengths[places]
    return np.asarray(nearest + reach + cover.error + 1e-14 * (np.abs(nearest) + reach) < 0.0)


def _wrong_with_offset(
    fold: Fold, left: FoldPoint, right: FoldPoint, cover: _Cover, places: NDArray[np.intp], away: Matrix
) -> NDArray[np.bool_]:
    """Those whose score has the other sign for every optimal offset: see the module, "A free offset"."""
    y = fold.y_test[places]
    sure = np.zeros(len(places), dtype=np.bool_)
    own, others = (_ends(left, right, cover, rows) for rows in (fold.test[places], fold.train))
    size = max(float(np.abs(each).max()) for each in (*own, *others))
    slack = cover.radius * away + (2.0 * cover.error + 1e-14 * (size + 1.0))
    apart = [train - test[:, np.newaxis] for test, train in zip(own, others, strict=True)]
    truth = y > 0.0
    if truth.any():  # is the score negative?
        low = np.minimum(apart[0][truth], apart[1][truth]) - slack[truth]
        sure[truth] = (low > fold.y) @ fold.cost > fold.positive * (1.0 + 1e-10)
    if not truth.all():
        high = np.maximum(apart[0][~truth], apart[1][~truth]) + slack[~truth]
        sure[~truth] = (high >= fold.y) @ fold.cost < fold.positive * (1.0 - 1e-10)
    return sure
