"""The step of a round for penalties other than ``½|w|²``: the minimum of the losses' quadratic model and the penalty itself.

All of it happens in the space of the weights, without another pass over the rows.
"""

from __future__ import annotations

import math
import warnings
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy import linalg

from maxmargin._blas import one_blas_thread
from maxmargin.problems import BlockProblem, Offset, Penalty, inner

__all__ = ["absolute_of", "penalised_step", "with_absolute_values"]

Vector = NDArray[np.float64]
_ROUNDS: Final = 2000
_TRIES: Final = 8
_NOTHING: Final = 1e-290
_CLOSE: Final = 1e-10
_HALVINGS: Final = 200


def absolute_of(problem: BlockProblem) -> Vector:
    """What the absolute value of each weight costs, and of the offset."""
    if problem.penalty not in (Penalty.L1, Penalty.ELASTIC):
        return np.zeros(problem.size)
    absolute = np.full(problem.size, problem.l1)
    if problem.offset is Offset.FREE:
        absolute[-1] = 0.0
    elif problem.offset is Offset.PENALISED:
        absolute[-1] /= problem.offset_scale
    return absolute


def penalised_step(
    problem: BlockProblem, curvature: Vector, gradient: Vector, at: Vector, ridge: Vector, least: Vector, floor: float
) -> Vector:
    """The p that minimises ``<g, p> + ½ pᵀHp`` plus the penalty of ``at + p``.

    Parameters
    ----------
    problem : BlockProblem
        For its penalty.
    curvature : ndarray
        Lower triangle of H, of the losses.
    gradient : ndarray
        Of the losses.
    at, ridge : ndarray
        Weights and offset, and what the quadratic part of the penalty adds to H.
    least : ndarray
        The least curvature of each: a smoothed loss may have none here, and an L1 penalty has none at all.
    floor : float
        The least curvature of a free offset.
    """
    lower = np.tril(curvature)
    H = lower + np.tril(lower, -1).T
    own = np.diagonal(H).copy()
    more = np.maximum(ridge, np.maximum(1e-12 * own, least) + 1e-300)
    if problem.offset is not Offset.NONE:
        more[-1] += max(0.0, floor - own[-1])
    np.fill_diagonal(H, own + more)
    linear = gradient - H @ at + ridge * at
    with one_blas_thread():
        if problem.penalty is Penalty.BALL:
            return _in_ball(problem, H, linear) - at
        return with_absolute_values(H, linear, absolute_of(problem), at) - at


def with_absolute_values(H: Vector, linear: Vector, absolute: Vector, start: Vector) -> Vector:
    """``min ½uᵀHu + <c, u> + Σ l_k |u_k|`` by signs (Lee, Battle, Raina and Ng 2006).

    The minimum for the signs that are there, and those that weights at 0 would take, is exact; on the way to it the objective
    is known at every change of a sign, and u goes where it is lowest. That ends where signs and minimum agree.
    """
    u, slope = start.copy(), H @ start + linear
    scale = float(np.abs(linear).max(initial=0.0)) + float(absolute.max(initial=0.0))
    kept = absolute == 0.0
    stuck, most = False, len(u)
    for _ in range(_ROUNDS):
        inside = kept | (u != 0.0)
        beyond = np.where(inside, 0.0, np.abs(slope) - absolute)
        off = np.where(inside, np.abs(slope + absolute * np.sign(u)), 0.0)
        if max(float(off.max(initial=0.0)), float(beyond.max(initial=0.0))) <= _CLOSE * scale:
            break
        entering = np.zeros(len(u), dtype=bool)
        if float(off.max(initial=0.0)) <= _CLOSE * scale or stuck:  # one that enters before may leave at once, and so on
            first = np.argsort(-beyond, kind="stable")[:most]
            entering[first] = beyond[first] > 0.5 * _CLOSE * scale
        signs = np.where(entering, -np.sign(slope), np.sign(u))
        some = np.flatnonzero(inside | entering)
        step, gained = _towards(H[np.ix_(some, some)], slope[some], absolute[some], signs[some], u[some])
        count = int(np.count_nonzero(entering))
        if gained < 0.0:
            u[some] = step
            slope = H[:, some] @ step + linear
            stuck, most = False, len(u)
        elif count > 1:  # several at once need not lower the objective, one does
            most = count // 4 + 1 if count > 4 else 1
        elif count == 1 or stuck:
            break
        else:  # as near as float64 comes with these signs
            stuck = True
    return u


def _towards(H: Vector, slope: Vector, absolute: Vector, signs: Vector, u: Vector) -> tuple[Vector, float]:
    """The lowest point on the way to the minimum for these signs, and how the objective changes until there."""
    diagonal = np.arange(len(u))
    own, more = H[diagonal, diagonal].copy(), 0.0
    for _ in range(_TRIES):
        try:
            factor = linalg.cho_factor(H, lower=True, check_finite=False)
        except linalg.LinAlgError:
            more = max(100.0 * more, 1e-14)
            H[diagonal, diagonal] = own * (1.0 + more)
            continue
        break
    else:
        return u, 0.0
    p = np.asarray(linalg.cho_solve(factor, -(slope + absolute * signs), check_finite=False))
    H[diagonal, diagonal] = own
    with np.errstate(divide="ignore", invalid="ignore"):
        crossings = np.where(absolute > 0.0, -u / p, 0.0)
    lengths = np.append(crossings[(crossings > 0.0) & (crossings < 1.0)], 1.0)
    first, curve = inner(slope, p), inner(p, H @ p)
    paid = np.array([inner(absolute, np.abs(u + t * p) - np.abs(u)) for t in lengths.tolist()])
    changes = lengths * first + 0.5 * lengths * lengths * curve + paid
    best = int(changes.argmin())
    there = u + lengths[best] * p
    there[crossings == lengths[best]] = 0.0
    return there, float(changes[best])


def _in_ball(problem: BlockProblem, H: Vector, linear: Vector) -> Vector:
    """``min ½uᵀHu + <c, u>`` with ``|w|² ≤ B``: ``(H + λM)u = −c`` with the λ at which w has that length."""
    counts = np.ones(problem.size)
    if problem.offset is Offset.FREE:
        counts[-1] = 0.0
    elif problem.offset is Offset.PENALISED:
        counts[-1] = 1.0 / problem.offset_scale**2

    empty = np.diagonal(H) < _NOTHING  # columns that hold nothing: their weights stay 0
    H[empty, empty] = 1.0

    def at(multiplier: float) -> tuple[Vector, float]:
        matrix = H + np.diag(multiplier * counts)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", linalg.LinAlgWarning)  # of columns of very different size
            u = np.asarray(linalg.solve(matrix, -linear, assume_a="pos", check_finite=False))
        return u, inner(counts * u, u)

    u, square = at(0.0)
    if square <= problem.B:
        return u
    low, high = 0.0, max(float(np.diagonal(H).max()), 1e-12)
    while at(high)[1] > problem.B:
        low, high = high, 4.0 * high
    for _ in range(_HALVINGS):
        middle = math.sqrt(low * high) if low > 0.0 else 0.5 * high
        u, square = at(middle)
        if abs(square - problem.B) <= 1e-13 * problem.B or not low < middle < high:
            break
        low, high = (middle, high) if square > problem.B else (low, middle)
    u, square = at(high) if square > problem.B * (1.0 + 1e-13) else (u, square)
    return u
