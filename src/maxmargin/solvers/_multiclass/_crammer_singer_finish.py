"""The exact finish of the joint problem: Newton's method on the face where the free coefficients live.

A coefficient has an upper bound, 0 or C_i, and none below. On its bound it is fixed, else free; row sums and, with offsets,
class totals are kept. On a face the minimum is one linear system away: a step ends there or at the first bound on the way,
which is then kept, and from a minimum the coefficients that want to leave their bounds most are let go.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, final

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from maxmargin.kernels import Gram
from maxmargin.problems import CrammerSinger
from maxmargin.solvers._dual._face_finish import minimum_on
from maxmargin.solvers._runtime._threads import one_blas_thread

__all__ = ["Finished", "finished_crammer_singer", "is_small", "offsets_at"]

Matrix = NDArray[np.float64]
Mask = NDArray[np.bool_]

_SMALL = 600  # variables on a face; beyond, a Newton system is dear
_WORK = 5e9  # the sum of their cubes, over the rounds, after which the search is left to go on;
_A_ROUND = 4e6  # what a round takes beside, as rows and classes are looked at, in the same unit
_RELEASED = 8  # coefficients let go at once
_ROUNDING, _SQRT_ROUNDING = 1e-13, 3e-7
_UNEVEN = 1e-11  # slopes of a row that differ by less, beside the largest, are the same
_LAST_PLACES = 1e-15
_IDLE = 3  # minima that are no better than the best before: what is left is rounding


@final
class Finished(NamedTuple):
    """The point, its offsets, the Newton systems it took, and whether what is left is rounding."""

    beta: Matrix
    bias: NDArray[np.float64]
    rounds: int
    at_optimum: bool


def is_small(problem: CrammerSinger, beta: Matrix) -> bool:
    """Whether the face of β is small enough for dense systems."""
    return _variables(beta < problem.room) <= _SMALL


def finished_crammer_singer(
    problem: CrammerSinger, beta: Matrix, rounds: int, is_over: Callable[[int, float, int], bool]
) -> Finished:
    """The optimum, from a feasible β near it; or as near as the rounds allow, and whoever says that the time is over.

    It is told the rounds, the dual objective and the rows with coefficients.

    Examples
    --------
    >>> import numpy as np
    >>> from maxmargin.kernels import Linear
    >>> from maxmargin.problems import CrammerSinger
    >>> from maxmargin.solvers._multiclass._crammer_singer_finish import finished_crammer_singer
    >>> problem = CrammerSinger([[0.0], [2.0], [4.0]], [0, 1, 2], C=10.0, kernel=Linear())
    >>> near = np.array([[0.9, -0.9, 0.0], [-0.9, 1.8, -0.9], [0.0, -0.9, 0.9]])
    >>> finished_crammer_singer(problem, near, 20, lambda *_: False).beta.round(12) + 0.0
    array([[ 1., -1.,  0.],
           [-1.,  2., -1.],
           [ 0., -1.,  1.]])
    """
    with one_blas_thread():
        return _finished(problem, beta, rounds, is_over)


def _finished(problem: CrammerSinger, beta: Matrix, rounds: int, is_over: Callable[[int, float, int], bool]) -> Finished:
    room = problem.room
    every, own = np.arange(len(beta)), problem.codes
    point, used, work, at_minimum = beta.copy(), 0, 0.0, False
    best, idle = -np.inf, 0
    released = np.zeros(beta.shape, dtype=np.bool_)
    while True:
        slopes = _slopes(problem, point)
        if not np.isfinite(slopes).all():  # without bounds β may run away
            return Finished(beta, np.zeros(beta.shape[1]), used, at_optimum=False)
        can_rise = point < room
        dual = float(point[every, own].sum() - np.vdot(point, slopes)) / 2.0
        if used >= rounds or work > _WORK or is_over(used, dual, int(np.count_nonzero(point[every, own]))):
            return Finished(point, _offsets(problem, slopes, can_rise), used, at_optimum=False)
        if at_minimum or _variables(can_rise) == 0:
            bias = _offsets(problem, slopes, can_rise)
            wants = slopes + bias
            wants -= np.where(can_rise, wants, np.inf).min(axis=1, keepdims=True)
            size = float(np.abs(slopes).max())
            uneven = float(np.where(can_rise, wants, 0.0).max()) / size  # where the system lost digits there is more to gain
            wants = np.where(can_rise, 0.0, wants)
            violation = max(float(wants.max()) / size, uneven if uneven > _UNEVEN else 0.0)
            idle = 0 if dual > best else idle + 1
            best = max(best, dual)
            if violation <= _ROUNDING or idle > _IDLE:
                return Finished(point, bias, used, at_optimum=violation <= _SQRT_ROUNDING)
            if problem.offset:  # who leaves its bound is seen beside the multipliers of this face
                wants = slopes + _face_offsets(slopes, can_rise)
                wants = np.where(can_rise, 0.0, wants - np.where(can_rise, wants, np.inf).min(axis=1, keepdims=True))
            most = np.argsort(-wants, axis=None, kind="stable")[: _RELEASED if idle % 2 == 0 else 1]
            released[:] = False
            released.flat[most[wants.flat[most] > 0.1 * wants.max()]] = True
        else:
            released &= ~can_rise
        free = can_rise | released
        free &= free.sum(axis=1, keepdims=True) > 1
        point, at_minimum = _stepped(problem, point, slopes, room, free, released)
        used, work = used + 1, work + _A_ROUND + float(_variables(free)) ** 3 + 10.0 * beta.size * len(beta)


def _offsets(problem: CrammerSinger, slopes: Matrix, can_rise: Mask) -> NDArray[np.float64]:
    return best_offsets(slopes, can_rise) if problem.offset else np.zeros(slopes.shape[1])


def offsets_at(problem: CrammerSinger, beta: Matrix) -> NDArray[np.float64]:
    """The best offsets of coefficients that satisfy the constraints of each row; 0 where nothing tells that of a class."""
    can_rise = beta < problem.room
    if not beta.any() or not can_rise.any(axis=0).all():
        return np.zeros(len(problem.classes))
    return _offsets(problem, _slopes(problem, beta), can_rise)


def _variables(free: Mask) -> int:
    """How many of the free coefficients can move: in each row, one follows from the others."""
    return int(np.maximum(free.sum(axis=1) - 1, 0).sum())


def _slopes(problem: CrammerSinger, beta: Matrix) -> Matrix:
    columns = [np.ascontiguousarray(column) for column in beta.T]
    slopes = 0.5 * Gram.matvecs([problem.source] * len(columns), np.concatenate(columns)).reshape(len(columns), -1).T
    slopes[np.arange(len(beta)), problem.codes] -= 1.0
    return np.asarray(slopes)


def _stepped(
    problem: CrammerSinger, beta: Matrix, slopes: Matrix, room: Matrix, free: Mask, released: Mask
) -> tuple[Matrix, bool]:
    """The minimum on the face, or the first bound on the way to it; whether it is the minimum.

    In each row one coefficient takes what the others of the row give: the variables are these others.
    """
    rows = np.flatnonzero(free.any(axis=1))
    taker = np.where(free & ~released, room - beta, -np.inf)[rows].argmax(axis=1)
    others = free[rows]
    others[np.arange(len(rows)), taker] = False
    at, label = np.nonzero(others)
    row, takes = rows[at], taker[at]
    same = (label[:, None] == label).astype(np.float64) - (label[:, None] == takes)
    H = 0.5 * problem.source.block(rows, rows)[np.ix_(at, at)]
    H *= same + (takes[:, None] == takes) - (takes[:, None] == label)
    slope = slopes[row, label] - slopes[row, takes]
    totals = _independent(row, label, takes, problem) if problem.offset else np.empty(0, dtype=np.intp)
    sums = (totals[:, None] == label).astype(np.float64) - (totals[:, None] == takes)
    missing = -beta[:, totals].sum(axis=0)
    kept = np.ones(len(row), dtype=np.bool_)
    given = np.zeros(len(row))
    for _ in range(_RELEASED):
        given[:] = 0.0
        given[kept] = minimum_on(H[np.ix_(kept, kept)], slope[kept], sums[:, kept], missing)
        wrong = kept & released[row, label] & (given > 0)  # let go, and driven back into its bound
        if not wrong.any():
            break
        kept &= ~wrong
    off = missing - sums @ given
    if np.abs(off).max(initial=0.0) > _LAST_PLACES * float(np.abs(beta).sum()):  # lost digits, in a system of many scales
        given[kept] += minimum_on(H[np.ix_(kept, kept)], np.zeros(int(kept.sum())), sums[:, kept], off)
    direction = np.zeros(beta.shape)
    direction[row, label] = given
    direction[rows, taker] = -direction[rows].sum(axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.where(direction > 0, (room - beta) / direction, np.inf)
    length = min(1.0, float(ratio.min()))
    blocked = ratio <= length
    moved = np.where(blocked, room, np.minimum(beta + length * direction, room))
    moved[rows, taker] -= np.where(blocked[rows, taker], 0.0, moved[rows].sum(axis=1))  # rounding of the sum
    return moved, not blocked.any()


def _independent(
    row: NDArray[np.intp], label: NDArray[np.intp], takes: NDArray[np.intp], problem: CrammerSinger
) -> NDArray[np.intp]:
    """The classes whose totals can change and do not follow from the others: of classes that rows connect, one follows."""
    classes = len(problem.classes)
    _, part = connected_components(sparse.coo_matrix((np.ones(len(row)), (label, takes)), shape=(classes, classes)))
    _, first = np.unique(part, return_index=True)
    return np.asarray(np.delete(np.arange(classes), first))


def _face_offsets(slopes: Matrix, can_rise: Mask) -> NDArray[np.float64]:
    """The multipliers of the class totals at the minimum of a face: with them the free slopes of a row are equal.

    Rows with several free coefficients tell them for the classes that they connect; between others they are the best.
    """
    classes = slopes.shape[1]
    rows = np.flatnonzero(can_rise.sum(axis=1) > 1)
    first = can_rise[rows].argmax(axis=1)
    others = can_rise[rows]
    others[np.arange(len(rows)), first] = False
    at, label = np.nonzero(others)
    row, other = rows[at], first[at]
    equations = np.eye(classes)[label] - np.eye(classes)[other]
    offsets = np.linalg.lstsq(equations, slopes[row, other] - slopes[row, label], rcond=None)[0]
    count, part = connected_components(sparse.coo_matrix((np.ones(len(label)), (label, other)), shape=(classes, classes)))
    if count == 1:
        return np.asarray(offsets)
    cost = _costs(slopes + offsets, can_rise)
    between = np.full((count, count), np.inf)
    np.minimum.at(between, (part[:, None], part[None, :]), cost)
    return np.asarray(offsets + _best(between)[part])


def best_offsets(slopes: Matrix, can_rise: Mask) -> NDArray[np.float64]:
    """The offsets that violate the optimality conditions least; where many do, the middle of them. They sum to 0.

    Mass goes from class k to class l at the cost ``w_kl = min {g_il − g_ik : β_il can rise}``. Offsets c violate by ε if
    ``w_kl + c_l − c_k ≥ −ε`` for all pairs; the least ε is the mean weight of a cycle (Karp 1978), and with shortest paths d in
    ``w + ε`` every ``c_k = d_kl`` and every ``c_k = −d_lk`` is among the best. The mean of all these is taken, which for two
    classes is the middle of the interval.

    Examples
    --------
    >>> import numpy as np
    >>> from maxmargin.solvers._multiclass._crammer_singer_finish import best_offsets
    >>> best_offsets(np.array([[-1.0, 0.0], [3.0, -1.0]]), np.array([[True, True], [True, True]]))
    array([-0.75,  0.75])
    """
    return _best(_costs(slopes, can_rise))


def _costs(slopes: Matrix, can_rise: Mask) -> Matrix:
    """``w_kl``: what it costs to move mass from class k to class l, in the row where that costs least."""
    columns = [(slopes[can_rise[:, k], k][:, None] - slopes[can_rise[:, k]]).min(axis=0) for k in range(slopes.shape[1])]
    return np.stack(columns, axis=1)


def _best(w: Matrix) -> NDArray[np.float64]:
    classes = len(w)
    walks = [np.zeros(classes)]
    for _ in range(classes):
        walks.append((walks[-1][:, None] + w).min(axis=0))
    lengths = np.arange(classes, 0, -1)[:, None]
    mean = float(((walks[-1] - np.stack(walks[:-1])) / lengths).max(axis=0).min())
    d = w - min(mean, 0.0)
    np.fill_diagonal(d, 0.0)
    for k in range(classes):
        d = np.minimum(d, d[:, k, None] + d[k])
    offsets = d.mean(axis=1) - d.mean(axis=0)
    return np.asarray(0.5 * (offsets - offsets.mean()))
