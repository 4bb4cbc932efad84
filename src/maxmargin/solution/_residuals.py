"""What multipliers and slacks of rows miss of the optimality conditions, and how sharply they tell where the boundary is."""

from __future__ import annotations

from typing import Final, NamedTuple, final

import numpy as np
from numpy.typing import NDArray

__all__ = ["Residuals", "boundary_width", "slack_residuals"]

Array = NDArray[np.float64]
Vector = NDArray[np.float64]

_LEAST: Final = 1e-6  # as for answers of the dual
_MOST: Final = 0.01  # of half the street: what is further off is not on the boundary, however early a search was stopped


@final
class Residuals(NamedTuple):
    """Those of the conditions of `KKT` that concern the rows; its names, and its order. None for a loss without slack."""

    primal_feasibility: float
    dual_feasibility: float
    complementary_slackness: float
    slack_complementarity: float | None


def slack_residuals(alpha: Array, deficit: Array, cost: Vector, *, squared: bool = False) -> Residuals:
    """Residuals of rows whose slack ``ξ_i ≥ 0`` covers one constraint ``ξ_i ≥ e_i``, or several ``ξ_i ≥ e_ik``.

    Parameters
    ----------
    alpha, deficit : ndarray of shape (n,) or (n, m)
        The multiplier and the deficit of each constraint. Together the multipliers of a row are at most ``C_i``.
    cost : ndarray of shape (n,)
        ``C_i``; infinite where no slack is allowed.
    squared : bool
        Whether the square of the slack is penalised: then it is that of the multipliers, ``α_i/(2 C_i)``, which have no bound.

    Examples
    --------
    A row with room to spare that has a multiplier, and one with slack that does not have all of its own:

    >>> import numpy as np
    >>> from maxmargin.solution._residuals import slack_residuals
    >>> found = slack_residuals(np.array([0.5, 0.5]), np.array([-2.0, 3.0]), np.ones(2))
    >>> found.complementary_slackness, found.slack_complementarity
    (1.0, 1.5)
    """
    several = alpha.ndim > 1
    taken, worst = (alpha.sum(axis=1), deficit.max(axis=1)) if several else (alpha, deficit)
    paid = np.isfinite(cost)
    slack = np.maximum(0.0, taken) / (2.0 * cost) if squared else np.where(paid, np.maximum(0.0, worst), 0.0)
    room = np.where(paid & (not squared), cost - taken, 0.0)
    beside = slack[:, np.newaxis] if several else slack
    return Residuals(
        primal_feasibility=_largest(worst - slack),
        dual_feasibility=max(_largest(-alpha), _largest(-room)),
        complementary_slackness=_largest(alpha * np.abs(beside - deficit)),
        slack_complementarity=_largest(room * slack),
    )


def boundary_width(alpha: Vector, deficit: Vector, cost: Vector, *, squared: bool = False, unit: float = 1.0) -> float:
    """A deficit up to this, either way, is 0 within the tolerance of the answer.

    A row whose multiplier is neither 0 nor ``C_i`` is on the boundary at the optimum. How far such rows are off it in the mean,
    each with the weight ``min(α_i, C_i − α_i)`` that its deficit has in the gap, tells how sharply the boundary is known. With
    squared slack it is told by how far the slacks ``α_i/(2 C_i)`` are off the deficit. ``unit`` is what a deficit is compared
    with: 1 for a margin.

    Examples
    --------
    >>> import numpy as np
    >>> from maxmargin.solution._residuals import boundary_width
    >>> round(boundary_width(np.array([0.5, 0.0, 1.0]), np.array([1e-4, -3.0, 2.0]), np.ones(3)), 6)
    0.0003
    """
    if squared:
        weight, off = np.maximum(0.0, alpha), np.abs(alpha / (2.0 * cost) - deficit)
    else:
        weight, off = np.maximum(0.0, np.minimum(alpha, cost - alpha)), np.abs(deficit)
    total = float(weight.sum())
    mean = float((weight * off).sum()) / total if total > 0.0 else 0.0
    return min(max(3.0 * mean, _LEAST * unit), _MOST * unit)


def _largest(values: Array) -> float:
    return float(np.maximum(0.0, values.max(initial=0.0)))  # which keeps NaN: max(0.0, nan) is 0
