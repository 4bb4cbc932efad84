"""The step of a round for penalties other than ``½|w|²``: the minimum of the losses' quadratic model and the penalty itself.

All of it happens in the space of the weights, without another pass over the rows.
"""

from __future__ import annotations

import math
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy import linalg

from maxmargin._blas import one_blas_thread
from maxmargin.problems import BlockProblem, Offset, Penalty, inner

__all__ = ["absolute_of", "penalised_step"]

Vector = NDArray[np.float64]
_SWEEPS: Final = 1000
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
        return _with_absolute_values(H, linear, absolute_of(problem), at) - at


def _with_absolute_values(H: Vector, linear: Vector, absolute: Vector, start: Vector) -> Vector:
    """``min ½uᵀHu + <c, u> + Σ l_k |u_k|`` by coordinates; where signs have settled, exactly."""
    u = start.copy()
    slope = H @ u + linear
    own = np.diagonal(H)
    scale = float(np.abs(linear).max(initial=0.0)) + float(absolute.max(initial=0.0))
    which = np.arange(len(u))
    for sweep in range(_SWEEPS):
        signs, largest = np.sign(u), 0.0
        for k in which.tolist():
            before = u[k]
            wanted = own[k] * before - slope[k]
            after = math.copysign(max(abs(wanted) - absolute[k], 0.0), wanted) / own[k]
            if after != before:
                u[k] = after
                slope += H[k] * (after - before)
                largest = max(largest, abs(after - before) * own[k])
        if largest <= _CLOSE * scale:
            if len(which) == len(u):
                break
            which = np.arange(len(u))
            continue
        if sweep >= 2 and np.array_equal(signs, np.sign(u)):
            exact = _of_signs(H, linear, absolute, u)
            if exact is not None:
                u = exact
                slope = H @ u + linear
                if _is_optimal(slope, u, absolute, scale):
                    break
        which = np.flatnonzero((u != 0.0) | (absolute == 0.0)) if sweep % 8 else np.arange(len(u))
    return u


def _of_signs(H: Vector, linear: Vector, absolute: Vector, u: Vector) -> Vector | None:
    """The minimum with these signs, if it has them."""
    some = np.flatnonzero((u != 0.0) | (absolute == 0.0))
    signs = np.sign(u[some])
    try:
        factor = linalg.cho_factor(H[np.ix_(some, some)], lower=True, check_finite=False)
    except linalg.LinAlgError:
        return None
    found = linalg.cho_solve(factor, -(linear[some] + absolute[some] * signs), check_finite=False)
    if bool(((np.sign(found) != signs) & (absolute[some] > 0.0)).any()):
        return None
    exact = np.zeros(len(u))
    exact[some] = found
    return exact


def _is_optimal(slope: Vector, u: Vector, absolute: Vector, scale: float) -> bool:
    off = np.where(u != 0.0, np.abs(slope + absolute * np.sign(u)), np.maximum(np.abs(slope) - absolute, 0.0))
    return float(off.max(initial=0.0)) <= 1e3 * _CLOSE * scale


def _in_ball(problem: BlockProblem, H: Vector, linear: Vector) -> Vector:
    """``min ½uᵀHu + <c, u>`` with ``|w|² ≤ B``: ``(H + λM)u = −c`` with the λ at which w has that length."""
    counts = np.ones(problem.size)
    if problem.offset is Offset.FREE:
        counts[-1] = 0.0
    elif problem.offset is Offset.PENALISED:
        counts[-1] = 1.0 / problem.offset_scale**2

    def at(multiplier: float) -> tuple[Vector, float]:
        matrix = H + np.diag(multiplier * counts)
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
