"""From a point near the optimum, as interior points leave it, to a vertex or a face of the box: an active-set finish.

Interior points end a little inside of every bound, and nobody can tell by their numbers which variables are 0. Here they are
put on their bounds by complementarity, the sums are restored on the others, and Newton's method on the face where these live
takes out what is left of the gradient: variables that meet a bound stay there, those that want to leave theirs are let go.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import final

import numpy as np
from numpy.typing import NDArray
from scipy import linalg

from maxmargin.problems import DualProblem, inner
from maxmargin.solution import Evaluation, evaluated
from maxmargin.solvers._dual._projection import proximal, shifted
from maxmargin.solvers._dual._watch import Watch
from maxmargin.solvers._runtime._aside import aside
from maxmargin.solvers._runtime._threads import one_blas_thread

__all__ = ["finished", "minimum_on"]

Vector = NDArray[np.float64]
Mask = NDArray[np.bool_]

_ROUNDS = 40
_LARGE = 600  # free variables beyond which a Newton system is dear, and fewer are solved
_ROUNDS_IF_LARGE = 6
_FEASIBLE = 1e-12
_RELEASED = 8  # variables let go at once


def finished(dual: DualProblem, beta: Vector, tol: float, watch: Watch | None = None) -> tuple[Vector, Vector]:
    """A feasible point near β with the least violation that was found, and its scores ``K β``; the best before time is over.

    Examples
    --------
    >>> import numpy as np
    >>> from maxmargin.kernels import Linear
    >>> from maxmargin.problems import SoftMargin
    >>> from maxmargin.solvers._dual._face_finish import finished
    >>> dual = SoftMargin([[-2.0], [-1.0], [1.0]], [-1, -1, 1], C=10.0, kernel=Linear()).dual
    >>> finished(dual, np.array([-1e-9, -0.499, 0.5]), 1e-12)[0].round(12) + 0.0
    array([ 0. , -0.5,  0.5])
    """
    inside = np.clip(beta, dual.lower, dual.upper)
    sides = _keeps_sides(dual, inside)
    point = _balanced(dual, _snapped(dual, inside, dual.gram.matvec(inside), sides), sides)
    scores = dual.gram.matvec(point)
    evaluation = evaluated(dual, point, scores)
    if evaluation.infeasibility > _FEASIBLE:  # a side has no variable to give its sum to: the projection finds one
        point = proximal(dual, inside)
        scores = dual.gram.matvec(point)
        evaluation = evaluated(dual, point, scores)
    best, idle = (point, scores, evaluation), 0
    for round_number in range(_ROUNDS):
        if best[2].kkt_violation <= tol or idle > 2 or (watch is not None and watch.is_late()):
            break
        face = _Face.at(dual, point, evaluation, sides)
        if len(face.rows) == 0 or (len(face.rows) > _LARGE and round_number >= _ROUNDS_IF_LARGE):
            break
        point = _balanced(dual, face.newton(dual, point, evaluation), sides)
        scores = dual.gram.matvec(point)
        evaluation = evaluated(dual, point, scores)
        better = evaluation.kkt_violation < best[2].kkt_violation and evaluation.infeasibility <= _FEASIBLE
        idle = 0 if better else idle + 1
        if better:
            best = (point, scores, evaluation)
    return best[0], best[1]


def _keeps_sides(dual: DualProblem, beta: Vector) -> bool:
    """Whether ``Σ|β|`` is kept: then the positive and the negative variables have each a sum of their own."""
    if dual.abs_sum is None:
        return False
    return not dual.abs_sum_may_fall or float(np.abs(beta).sum()) >= dual.abs_sum * (1.0 - 1e-7)


def _knots(dual: DualProblem, beta: Vector) -> tuple[Vector, Vector]:
    """The nearest numbers below and above where something changes: bounds, and 0 where ``|β|`` has a weight or a fixed sum."""
    if dual.l1_weight == 0 and dual.abs_sum is None:
        return dual.lower, dual.upper
    return np.where(beta > 0, np.maximum(dual.lower, 0.0), dual.lower), np.where(
        beta < 0, np.minimum(dual.upper, 0.0), dual.upper
    )


def _free(dual: DualProblem, beta: Vector) -> Mask:
    """Variables between their knots."""
    low, high = _knots(dual, beta)
    free = (beta > low) & (beta < high)
    return free if dual.l1_weight == 0 and dual.abs_sum is None else free & (beta != 0)


def _snapped(dual: DualProblem, beta: Vector, scores: Vector, sides: bool) -> Vector:
    """Put a variable on the bound that its gradient pushes it to, if it is nearer to it than the gradient is to 0."""
    low, high = _knots(dual, beta)
    room = np.minimum(beta - low, high - beta)
    weight = np.where(np.isfinite(room), room, 1.0) ** 2
    slope = dual.gradient(beta, scores) + dual.l1_weight * np.sign(beta)
    for group in _groups(dual, beta, sides):
        # What is far from its bounds is free, and has the gradient 0 but for the multiplier: so it tells the multiplier.
        heavy = float(weight[group].sum())
        if heavy > 0:
            slope[group] -= inner(weight[group], slope[group]) / heavy
    result = np.where(beta - low < slope, low, beta)
    return np.where(high - beta < -slope, high, result)


def _groups(dual: DualProblem, beta: Vector, sides: bool) -> list[Mask]:
    """Variables whose sum is kept."""
    if sides:
        return [beta > 0, beta < 0]
    return [np.ones(dual.n, dtype=np.bool_)] if dual.offset else []


def _balanced(dual: DualProblem, beta: Vector, sides: bool) -> Vector:
    """Restore the sums by the free variables, if that is possible, else by all of the group."""
    result = beta.copy()
    low, high = _knots(dual, beta)
    free = _free(dual, beta)
    abs_sum = dual.abs_sum or 0.0
    amounts = [0.5 * (abs_sum + dual.total), 0.5 * (dual.total - abs_sum)] if sides else [dual.total]
    for group, amount in zip(_groups(dual, beta, sides), amounts, strict=False):
        movable = group & free
        for some in (movable, group):
            missing = amount - float(result[group].sum())
            # The free ones take all of it; what is on a bound moves only for more than rounding.
            if abs(missing) <= (0.0 if some is movable else 1e-12) * float(np.abs(result).sum()):
                break
            if some.any():
                part, _ = shifted(result[some], low[some], high[some], float(result[some].sum()) + missing)
                result[some] = part
    return result


@final
@dataclass(frozen=True, eq=False)
class _Face:
    """The free variables, those let go, and on which side of 0 each of them moves."""

    rows: NDArray[np.intp]
    sign: Vector
    way: Vector  # −1 or 1 for variables let go, 0 for free ones
    sides: bool

    @classmethod
    def at(cls, dual: DualProblem, beta: Vector, evaluation: Evaluation, sides: bool) -> _Face:
        free = _free(dual, beta)
        gradient = dual.gradient(beta, evaluation.scores) + evaluation.bias
        bend = dual.l1_weight + evaluation.cost
        rise = np.where(beta >= 0, gradient + bend, gradient - bend)
        fall = np.where(beta <= 0, gradient - bend, gradient + bend)
        up = np.where(~free & (beta < dual.upper), np.maximum(0.0, -rise), 0.0)
        down = np.where(~free & (beta > dual.lower), np.maximum(0.0, fall), 0.0)
        wants = np.maximum(up, down)
        worst = np.argsort(-wants, kind="stable")[:_RELEASED]
        worst = worst[wants[worst] > 0.1 * evaluation.kkt_violation]
        rows = np.concatenate((np.flatnonzero(free), worst))
        way = np.concatenate((np.zeros(int(free.sum())), np.where(up[worst] >= down[worst], 1.0, -1.0)))
        sign = np.sign(beta[rows])
        return cls(rows, np.where(sign == 0, way, sign), way, sides)

    def newton(self, dual: DualProblem, beta: Vector, evaluation: Evaluation) -> Vector:
        """The minimum on the face, or the first bound on the way to it."""
        rows, sign, way = self.rows, self.sign, self.way
        slope = dual.gradient(beta, evaluation.scores)[rows] + dual.l1_weight * sign
        H = dual.gram.block(rows, rows)
        if dual.D is not None:
            H[np.arange(len(rows)), np.arange(len(rows))] += dual.D[rows]
        kept = np.ones(len(rows), dtype=np.bool_)
        direction = np.zeros(len(rows))
        for _ in range(_RELEASED):
            direction[:] = 0.0
            direction[kept] = minimum_on(H[np.ix_(kept, kept)], slope[kept], self._sums(dual, sign[kept]))
            wrong = kept & (way * direction < 0)  # let go, and driven back into its bound
            if not wrong.any():
                break
            kept &= ~wrong
        result = beta.copy()
        moved = beta[rows]
        low, high = self._range(dual)
        with np.errstate(divide="ignore", invalid="ignore"):
            ratio = np.where(
                direction > 0, (high - moved) / direction, np.where(direction < 0, (low - moved) / direction, np.inf)
            )
        length = min(1.0, float(ratio.min(initial=np.inf)))
        moved = np.clip(moved + length * direction, low, high)
        blocked = ratio <= length
        moved[blocked] = np.where(direction[blocked] > 0, high[blocked], low[blocked])
        result[rows] = moved
        return result

    def _range(self, dual: DualProblem) -> tuple[Vector, Vector]:
        low, high = dual.lower[self.rows], dual.upper[self.rows]
        if dual.l1_weight == 0 and dual.abs_sum is None:
            return low, high
        return np.where(self.sign > 0, np.maximum(low, 0.0), low), np.where(self.sign < 0, np.minimum(high, 0.0), high)

    def _sums(self, dual: DualProblem, sign: Vector) -> NDArray[np.float64]:
        """One row a sum that is kept."""
        if self.sides:
            both = np.stack((sign > 0, sign < 0)).astype(np.float64)
            return np.asarray(both[both.any(axis=1)])
        return np.ones((1, len(sign))) if dual.offset else np.empty((0, len(sign)))


def minimum_on(H: NDArray[np.float64], slope: Vector, sums: NDArray[np.float64], missing: Vector | float = 0.0) -> Vector:
    """The d with the least ``½ dᵀHd + slopeᵀd`` that adds to the sums what is missing; where H has no curvature, a long one.

    Examples
    --------
    >>> import numpy as np
    >>> from maxmargin.solvers._dual._face_finish import minimum_on
    >>> minimum_on(np.eye(2), np.array([1.0, 0.0]), np.ones((1, 2))).round(9)
    array([-0.5,  0.5])
    """
    m, k = len(slope), len(sums)
    ridge = 1e-14 * max(float(np.abs(np.diagonal(H)).max(initial=0.0)), 1e-300)  # of the size of rounding
    system = np.zeros((m + k, m + k))
    system[:m, :m] = H
    system[np.arange(m), np.arange(m)] += ridge
    system[:m, m:], system[m:, :m] = sums.T, sums
    right = np.concatenate((-slope, np.broadcast_to(missing, k)))
    with warnings.catch_warnings(), one_blas_thread():
        warnings.simplefilter("ignore", linalg.LinAlgWarning)
        try:
            if m > _LARGE:  # numpy gives up Python's lock meanwhile: Ctrl-C need not wait for it
                d = np.asarray(aside(lambda: np.linalg.solve(system, right)))[:m]
            else:
                d = np.asarray(linalg.solve(system, right, assume_a="sym")[:m])
        except linalg.LinAlgError:
            d = np.linalg.lstsq(system, right, rcond=None)[0][:m]
    return d if np.isfinite(d).all() else np.zeros(m)
