"""Elastic nets of more features than rows, by Newton's method in the multipliers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final, final

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.linalg import LinAlgError, cho_factor, cho_solve

from maxmargin._blas import one_blas_thread
from maxmargin.losses import SquaredEpsilonInsensitive, SquaredHinge
from maxmargin.problems import Offset, Penalty, PrimalProblem
from maxmargin.solution import PrimalIterate, Status
from maxmargin.solvers._primal._watch import PrimalWatch
from maxmargin.solvers._runtime._base import Callback, Limits

__all__ = ["ElasticDual"]

Vector = NDArray[np.float64]

_FEWEST_FEATURES: Final = 1000  # below that the primal has a matrix of its own
_MOST_ROWS: Final = 1000  # 8 MB
_MOST_OUTER: Final = 40
_MOST_INNER: Final = 30
_MOST_HALVES: Final = 30
_GROWTH: Final = 10.0
_LONGEST: Final = 1e9  # times the first
_CLOSE: Final = 1e-4
_ROUNDING: Final = 1e-13
_PATIENCE: Final = 4  # outer rounds in which the gap must become smaller
_PRODUCTS: Final = 1 << 31  # between two looks at the clock
_MOST_WORK: Final = 1 << 33  # products of a matrix: a second


@final
@dataclass(frozen=True, eq=False)
class _Point:
    """Where multipliers u lead: the value to raise, its slope, weights, offset, scores, and what scores give way."""

    value: float
    slope: Vector
    w: Vector
    last: float
    b: float
    scores: Vector
    way: Vector


@final
class ElasticDual:
    r"""``ρ|w|₁ + (1 − ρ)/2 |w|² + Σ C_i ℓ(f_i)`` with a squared loss, f = Xw + b, by proximal steps in the scores r and in b.

    Each step minimises the objective ``+ |r − r̄|²/2σ + (b − b̄)²/2σ`` subject to ``r = Xw + b``. Its dual in the multipliers
    u of these equations has no constraint and no kink:

        maximise  −Σ_k max(0, |v_k| − ρ)² / 2(1 − ρ) + Σ_i min_r (C_i ℓ(r) + (r − r̄_i)²/2σ − u_i r) + b̄ Σu − σ/2 (Σu)²

    with ``v = −Xᵀu``; r is the minimiser, and ``w_k`` is v_k shrunk by ρ and divided by 1 − ρ. It is quadratic in pieces, and
    Newton's matrix, ``X_A X_Aᵀ/(1 − ρ) + D + σ11ᵀ`` with the columns A whose weights are not 0, has one row for each row of X.
    σ grows tenfold with each step, and so do the digits (Li, Sun and Toh, A highly efficient semismooth Newton augmented
    Lagrangian method for solving Lasso problems, SIAM Journal on Optimization 28, 2018).

    Parameters
    ----------
    problem : PrimalProblem
        Its rows near 0 where a free offset allows that.
    mean : ndarray or None
        What was taken from the rows ``problem.X`` to be near 0.
    """

    def __init__(self, problem: PrimalProblem, mean: Vector | None) -> None:
        self._problem, self._mean = problem, mean
        self._columns = problem.X.tocsc() if sparse.issparse(problem.X) else problem.X
        self._hinge = isinstance(problem.loss, SquaredHinge)
        self._width = problem.loss.epsilon if isinstance(problem.loss, SquaredEpsilonInsensitive) else 0.0
        self._scale = problem.offset_scale if problem.offset is Offset.PENALISED else 0.0

    @staticmethod
    def suits(problem: PrimalProblem) -> bool:
        """Whether the matrix of the rows is small beside what the primal would need."""
        few = problem.n <= min(_MOST_ROWS, problem.d) and problem.d > _FEWEST_FEATURES
        return few and problem.penalty is Penalty.ELASTIC and problem.ridge > 0.0 and _work(problem.X) <= _MOST_WORK

    def run(self, found: PrimalIterate, limits: Limits, callback: Callback | None) -> PrimalIterate:
        """From a point of the primal; its steps are those of Newton's method."""
        problem = self._problem
        watch = PrimalWatch(problem, limits, callback, problem.n)
        b, r, u = 0.0, np.zeros(problem.n), np.zeros(problem.n)
        watch.glance(found.w, float(found.b), found.alpha, 0)
        first = 0.5 / float(problem.cost.mean())
        sigma, free, steps, gap, idle = first, first, 0, np.inf, 0
        with one_blas_thread(), np.errstate(over="ignore", invalid="ignore"):
            for _ in range(_MOST_OUTER):
                if watch.status is not None:
                    break
                point = self._at(u, r, b, sigma, free)
                largest = 0.0
                for inner in range(_MOST_INNER):
                    size = 1.0 + float(np.abs(point.scores).max())
                    close = _CLOSE * sigma * float(np.abs(u).max()) + _ROUNDING * size
                    if inner > 0 and float(np.abs(point.slope).max()) <= close:
                        break
                    watch.poll(steps)
                    H = None if watch.status is not None else self._matrix(point, free, watch, steps)
                    move = None if H is None else _solved(H, point.slope)
                    if H is None or move is None or not np.isfinite(move).all():
                        break
                    largest = float(H.diagonal().max())
                    u, point, moved = self._searched(u, move, point, r, b, sigma, free)
                    steps += 1
                    if not moved:
                        break
                r, b = point.scores, point.b
                if watch.status is not None:
                    break
                watch.glance(point.w, b, self._slopes(problem.scores(point.w, b)), steps)
                left = watch.gap
                idle = 0 if left < 0.9 * gap else idle + 1
                gap = min(gap, left)
                if idle >= _PATIENCE:
                    break
                sigma = min(_GROWTH * sigma, _LONGEST * first)
                free = min(_GROWTH * free, max(first, 1e3 * largest))
        return watch.iterate(watch.status or Status.STALLED)

    def _at(self, u: Vector, r: Vector, b: float, sigma: float, free: float) -> _Point:
        problem = self._problem
        v, total = -problem.combination(u), float(u.sum())
        w = _shrunk(v, problem.l1, problem.ridge)
        value = -0.5 * problem.ridge * float((w * w).sum())
        last = 0.0
        if problem.offset is Offset.FREE:
            value += b * total - 0.5 * free * total * total
            b = b - free * total
        elif problem.offset is Offset.PENALISED:
            last = float(_shrunk(np.array([-self._scale * total]), problem.l1, problem.ridge)[0])
            value -= 0.5 * problem.ridge * last * last
            b = self._scale * last
        else:
            b = 0.0
        scores, way, lost = self._given_way(u, r, sigma)
        value += float(lost.sum())
        return _Point(value, problem.scores(w, b) - scores, w, last, b, scores, way)

    def _given_way(self, u: Vector, r: Vector, sigma: float) -> tuple[Vector, Vector, Vector]:
        """The least points of ``C ℓ(s) + (s − r)²/2σ − u s``, how they move with u, and the values there."""
        y, cost = self._problem.y, self._problem.cost
        bare = r + sigma * u
        curved = 2.0 * cost + 1.0 / sigma
        if self._hinge:
            target, inside = y, y * bare < 1.0
        else:
            away = bare - y
            target, inside = y + np.sign(away) * self._width, np.abs(away) > self._width
        scores = np.where(inside, (u + 2.0 * cost * target + r / sigma) / curved, bare)
        loss = np.where(inside, cost * np.square(scores - target), 0.0)
        return scores, np.where(inside, 1.0 / curved, sigma), loss + np.square(scores - r) / (2.0 * sigma) - u * scores

    def _slopes(self, f: Vector) -> Vector:
        """Multipliers ``−C ℓ'(z)`` at scores."""
        problem = self._problem
        return np.asarray(-problem.cost * problem.loss.derivative(problem.loss.argument(problem.y, f)))

    def _matrix(self, point: _Point, free: float, watch: PrimalWatch, steps: int) -> Any:
        """Newton's matrix; None if the time is over meanwhile."""
        problem, n = self._problem, self._problem.n
        H = np.zeros((n, n))
        used = np.flatnonzero(point.w)
        height = max(64, _PRODUCTS // (n * n))
        for begin in range(0, len(used), height):
            some = used[begin : begin + height]
            part = self._columns[:, some].astype(np.float64)
            if self._mean is not None:
                part = (part.toarray() if sparse.issparse(part) else part) - self._mean[some]
            product = part @ part.T
            H += product.toarray() if sparse.issparse(product) else product
            watch.poll(steps)
            if watch.status is not None:
                return None
        H /= problem.ridge
        H[np.diag_indices(n)] += point.way
        if problem.offset is Offset.FREE:
            H += free
        elif point.last != 0.0:
            H += self._scale * self._scale / problem.ridge
        return H

    def _searched(
        self, u: Vector, move: Vector, point: _Point, r: Vector, b: float, sigma: float, free: float
    ) -> tuple[Vector, _Point, bool]:
        """As far along a direction as the value rises as it should, half as far as often as it does not."""
        promised, length = float((point.slope * move).sum()), 1.0
        for _ in range(_MOST_HALVES):
            there = u + length * move
            new = self._at(there, r, b, sigma, free)
            if new.value >= point.value + 1e-4 * length * promised - 1e-12 * abs(point.value):
                return there, new, True
            length *= 0.5
        return u, point, False


def _work(X: Any) -> int:
    """Products that Newton's matrix takes, if all weights are other than 0."""
    if not sparse.issparse(X):
        return int(X.shape[0]) ** 2 * int(X.shape[1])
    return int(np.square(np.bincount(X.indices, minlength=X.shape[1]).astype(np.int64)).sum())


def _shrunk(v: Vector, by: float, ridge: float) -> Vector:
    return np.asarray(np.sign(v) * np.maximum(np.abs(v) - by, 0.0) / ridge)


def _solved(H: NDArray[np.float64], right: Vector) -> Vector | None:
    """H⁻¹ of the right side, H raised as far as its rounding asks for it."""
    diagonal = H.diagonal().copy()
    for raised in (0.0, 1e-14, 1e-12, 1e-10):
        H[np.diag_indices(len(H))] = diagonal * (1.0 + raised) + raised * diagonal.max()
        try:
            factor = cho_factor(H, lower=True, check_finite=False)
        except LinAlgError:
            continue
        return np.asarray(cho_solve(factor, right, check_finite=False))
    return None
