"""The nearest point that satisfies the constraints of a dual problem."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from maxmargin.problems import DualProblem

__all__ = ["proximal", "shifted"]

Vector = NDArray[np.float64]


def shifted(points: Vector, lower: Vector, upper: Vector, amount: float) -> tuple[Vector, float]:
    """``clip(points − θ, lower, upper)`` with the θ that makes its sum ``amount``, and θ.

    The sum falls in θ, and is linear between the numbers where a point meets a bound. A binary search over these finds the
    piece, and the piece gives θ exactly (Kiwiel 2008). It is the projection of ``points`` on the box and the plane of this sum.

    Examples
    --------
    >>> import numpy as np
    >>> from maxmargin.solvers._dual._projection import shifted
    >>> shifted(np.array([0.0, 1.0, 5.0]), np.zeros(3), np.full(3, 2.0), 2.5)
    (array([0. , 0.5, 2. ]), 0.5)
    """
    corners = np.concatenate((points - lower, points - upper))
    corners = np.sort(corners[np.isfinite(corners)])

    def total(theta: float) -> float:
        return float(np.clip(points - theta, lower, upper).sum())

    first, last = 0, len(corners)  # the corners before `first` have too large a sum, those from `last` on too small a one
    while first < last:
        middle = (first + last) // 2
        if total(float(corners[middle])) > amount:
            first = middle + 1
        else:
            last = middle
    left = corners[first - 1] if first > 0 else None
    right = corners[first] if first < len(corners) else None
    theta = _between(left, right)
    moved = points - theta
    inside = (moved > lower) & (moved < upper)
    count = int(inside.sum())
    if count:
        fixed = float(np.clip(moved[~inside], lower[~inside], upper[~inside]).sum())
        theta = (float(points[inside].sum()) + fixed - amount) / count
    elif right is not None:
        theta = float(right)  # the sum is flat here: its end is where it is right, or nearest to it
    result = np.clip(points - theta, lower, upper)
    if count and (error := amount - float(result.sum())) != 0.0:
        # θ cancels digits where points are large beside the bounds: what is missing goes to those inside.
        result[inside] = np.clip(result[inside] + error / count, lower[inside], upper[inside])
    return result, float(theta)


def _between(left: float | None, right: float | None) -> float:
    if left is None:
        return 0.0 if right is None else float(right) - 1.0 - abs(float(right))
    return float(left) + 1.0 + abs(float(left)) if right is None else 0.5 * (float(left) + float(right))


def proximal(dual: DualProblem, points: Vector, weight: float = 0.0) -> Vector:
    """The point of the constraints with the least ``½|x − points|² + weight Σ|x|``.

    Positive and negative parts are variables of their own, ``clip(p − θ − weight, 0, upper)`` and
    ``clip(p − θ + weight, lower, 0)``, for one θ, or, where ``Σ|x|`` is kept, for one on each side: two searches that know
    nothing of each other.

    Examples
    --------
    >>> import numpy as np
    >>> from maxmargin.problems import SoftMargin
    >>> from maxmargin.solvers._dual._projection import proximal
    >>> dual = SoftMargin([[0.0], [1.0], [2.0]], [0, 0, 1], C=1.0).dual
    >>> proximal(dual, np.array([-1.0, -1.0, 3.0]))
    array([-0.5, -0.5,  1. ])
    """
    above, below = np.maximum(dual.upper, 0.0), np.minimum(dual.lower, 0.0)
    zero = np.zeros_like(points)
    if dual.abs_sum is not None:
        positive, high = shifted(points, zero, above, 0.5 * (dual.abs_sum + dual.total))
        negative, low = shifted(points, below, zero, -0.5 * (dual.abs_sum - dual.total))
        if not dual.abs_sum_may_fall or 0.5 * (high - low) >= weight:
            return positive + negative
    if dual.offset and weight == 0:
        return shifted(points, dual.lower, dual.upper, dual.total)[0]
    if dual.offset:
        both = np.concatenate((points - weight, points + weight))
        parts, _ = shifted(both, np.concatenate((zero, below)), np.concatenate((above, zero)), dual.total)
        return np.asarray(parts[: dual.n] + parts[dual.n :])
    return np.asarray(np.clip(points - weight, 0.0, above) + np.clip(points + weight, below, 0.0))
