"""The offsets of logistic regression that are best for given functions."""

from __future__ import annotations

import math
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy import linalg, special

from maxmargin.problems import KernelLogistic, Losses
from maxmargin.solvers._multiclass._logistic_curvature import curvature_of_offsets

__all__ = ["best_offsets"]

Matrix = NDArray[np.float64]
Vector = NDArray[np.float64]

_MOST: Final = 60
_HALVINGS: Final = 40
_LONGEST: Final = 10.0  # a step at most: beyond it curvatures are others
_LONGER: Final = 4.0  # times that the next, where all slopes still agree
_FLAT: Final = 1e-13  # of the losses: what is less does not show in them
_LAST_PLACE: Final = 2.0**-53
_NEAR: Final = 1e-9  # of the slopes: a sum of them that no longer falls by a half has come to rounding


def best_offsets(problem: KernelLogistic, values: Matrix, bias: Vector) -> tuple[Vector, Losses]:
    """The offsets that are best for functions with these values, and the losses there; given ones, if they are not free.

    Parameters
    ----------
    problem : KernelLogistic
        Whose losses.
    values : ndarray of shape (n, m)
        ``f_k(x_i)`` without offsets.
    bias : ndarray of shape (m,)
        Where to begin.
    """
    losses = problem.losses(values + bias)
    if not problem.offset:
        return bias, losses
    if problem.outputs == 1:
        found = _root(problem.shifted(values)[:, 0], problem.codes == 1, problem.cost, float(bias[0]))
        return (bias, losses) if found == bias[0] else (np.array([found]), problem.losses(values + found))
    bias, losses = _of_more(problem, values, bias, losses)
    return bias - bias.mean(), losses


def _root(scores: Vector, own: NDArray[np.bool_], cost: Vector, begin: float) -> float:
    """The offset of two classes at which the slopes sum to 0, which fall as it rises: Newton's method between bounds.

    Where scores are large, the losses are straight but for a narrow bend at each row, and Newton's steps lead anywhere. The
    root is at one of the bends, or between two of them, and is looked for there.
    """
    sign = np.where(own, 1.0, -1.0)
    here, longest, slow, before = begin, _LONGEST, False, math.inf
    low, high, best, least = -math.inf, math.inf, begin, math.inf
    bends: Vector | None = None
    for _ in range(_MOST):
        wrong = special.expit(-sign * (scores + here))
        sizes = cost * wrong
        pull, size = float(sign @ sizes), float(sizes.sum())
        if abs(pull) < least:
            best, least = here, abs(pull)
        slow = not abs(pull) < 0.5 * before
        if abs(pull) <= _LAST_PLACE * size or (slow and before <= _NEAR * size):
            break
        before = abs(pull)
        low, high = (here, high) if pull > 0.0 else (low, here)
        curvature = float(sizes @ (1.0 - wrong))
        step = pull / curvature if curvature > 0.0 else math.copysign(math.inf, pull)
        there = here + min(max(step, -longest), longest)
        longest *= _LONGER if abs(step) > longest else 1.0
        if not low < there < high or (slow and math.isfinite(low + high)):
            bends = np.sort(-scores) if bends is None else bends
            inside = bends[np.searchsorted(bends, low, "right") : np.searchsorted(bends, high, "left")]
            there = float(inside[len(inside) // 2]) if len(inside) else 0.5 * (low + high)
        if not low < there < high:
            break
        here = there
    return best


def _of_more(problem: KernelLogistic, values: Matrix, bias: Vector, losses: Losses) -> tuple[Vector, Losses]:
    """Newton's method in so few numbers."""
    for _ in range(_MOST):
        pull = losses.slopes.sum(axis=0)
        shift = np.asarray(linalg.lstsq(curvature_of_offsets(problem, losses), pull)[0])
        fall = float(pull @ shift)
        if not fall > _FLAT * losses.value:  # the objective is flat to rounding, but the slopes may not be
            moved = problem.losses(values + (bias + shift))
            if not float(np.abs(moved.slopes.sum(axis=0)).max()) < 0.5 * float(np.abs(pull).max()):
                break
            bias, losses = bias + shift, moved
            continue
        length = min(1.0, _LONGEST / max(float(np.abs(shift).max()), 1e-300))
        for _ in range(_HALVINGS):
            moved = problem.losses(values + (bias + length * shift))
            if moved.value <= losses.value - 1e-4 * length * fall:
                break
            length *= 0.5
        else:
            break
        bias, losses = bias + length * shift, moved
    return bias, losses
