"""What a linear solution keeps of its training rows: enough for the optimality conditions, slacks and kinds, without X."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import final

import numpy as np
from numpy.typing import NDArray

from maxmargin.errors import InvalidInput
from maxmargin.losses import ConvexLoss, EpsilonInsensitive, Hinge, Loss, SquaredEpsilonInsensitive, SquaredHinge
from maxmargin.problems import KKTData, Margin, Offset, Penalty, SlackRule, Tube
from maxmargin.solution._conditions import Conditions
from maxmargin.solution._kkt import KKT
from maxmargin.solution._residuals import boundary_width
from maxmargin.solution._taxonomy import kinds

__all__ = ["LinearData"]

Vector = NDArray[np.float64]


@final
@dataclass(frozen=True, eq=False)
class LinearData:
    """The rows of a linear model as its loss sees them.

    Attributes
    ----------
    loss : Loss
        The loss of a row.
    penalty : Penalty
        What weights cost.
    offset : Offset
        What kind of offset.
    y, cost, scores : ndarray of shape (n,)
        Labels −1 and +1 or targets, ``C_i``, and ``f(x_i)``.
    stationarity : float
        The largest ``|w_k − Σ α_i s_i x_ik|`` and ``|Σ α_i s_i|``; for penalties other than L2 see `LinearEvaluation`.
    outside : float
        How far ``|w|²`` is above B in a ball; 0 without one.
    binds : bool
        Whether w is on the surface of the ball because its gradient pulls outwards.
    """

    loss: Loss
    penalty: Penalty
    offset: Offset
    y: Vector
    cost: Vector
    scores: Vector
    stationarity: float
    outside: float = 0.0
    binds: bool = False

    @property
    def slack_rule(self) -> SlackRule | None:
        """What the scores mean, where the loss is that of a slack; None where it is not."""
        if isinstance(self.loss, Hinge | SquaredHinge):
            return Margin()
        return Tube(self.loss.epsilon) if isinstance(self.loss, EpsilonInsensitive | SquaredEpsilonInsensitive) else None

    @property
    def squared(self) -> bool:
        """Whether the square of the slack is penalised."""
        return isinstance(self.loss, SquaredHinge | SquaredEpsilonInsensitive)

    def require_street(self, what: str) -> None:
        """Raise unless the loss has a street, whose edges are where it begins to cost."""
        if not isinstance(self.slack_rule, Margin):
            raise InvalidInput(f"Only the hinge and the squared hinge have {what}. This solution is of {self.loss!r}.")

    def slack(self) -> Vector:
        """``ξ_i`` of all rows."""
        if (slack_rule := self.slack_rule) is None:
            raise InvalidInput(f"Only the hinge, the tube and their squares have slack. This solution is of {self.loss!r}.")
        return np.maximum(0.0, slack_rule.deficit(self.y, self.scores))

    def taxonomy(self, alpha: Vector) -> NDArray[np.int8]:
        """`Kind` of every row."""
        self.require_street("kinds of rows")
        margins = self.y * self.scores
        width = boundary_width(alpha, 1.0 - margins, self.cost, squared=self.squared)
        return kinds(margins, (self.scores >= 0.0) == (self.y > 0.0), width)

    def kkt(self, alpha: Vector, *, optimal: bool) -> KKT:
        """The report on multipliers α; what is unique only where they are optimal."""
        unique = True if self.penalty in (Penalty.L2, Penalty.ELASTIC) or self.binds else None
        slack_rule = self.slack_rule
        if slack_rule is None:
            return self._smooth(alpha, w_unique=unique)
        conditions = self._conditions(slack_rule, alpha)
        of_rows = conditions.residuals()
        settled = optimal and self.penalty is Penalty.L2 and conditions.is_settled
        active = int(conditions.active.sum()) if optimal else None
        return KKT(
            stationarity=self.stationarity,
            primal_feasibility=max(self.outside, of_rows.primal_feasibility),
            dual_feasibility=of_rows.dual_feasibility,
            complementary_slackness=of_rows.complementary_slackness,
            slack_complementarity=of_rows.slack_complementarity,
            w_unique=unique,
            b_unique=conditions.offset_is_unique() if settled else None,
            alpha_unique=conditions.multipliers_are_unique(None) if settled else None,
            active=active,
            rank=active if self.squared else None,
            slater=True,
            convex=True,
        )

    def _conditions(self, slack_rule: SlackRule, alpha: Vector) -> Conditions:
        beta = alpha * self.loss.slope(self.y)
        multiplier, deficit = slack_rule.multiplier(self.y, beta), slack_rule.deficit_towards(self.y, self.scores, beta)
        unit = 1.0 if isinstance(slack_rule, Margin) else float(np.abs(self.y).max(initial=0.0)) or 1.0
        width = boundary_width(multiplier, deficit, self.cost, squared=self.squared, unit=unit)
        # Digits that are lost where scores are much larger than what they are compared with.
        rounding = 1e-14 * float(np.abs(self.scores).max(initial=0.0))
        return Conditions(
            alpha=multiplier,
            beta=beta,
            deficit=deficit,
            side=slack_rule.side(self.y, self.scores, beta),
            kkt_data=KKTData(
                self.cost,
                free_offset=self.offset is Offset.FREE,
                penalised_offset=self.offset is Offset.PENALISED,
                squared=self.squared,
            ),
            slack_rule=slack_rule,
            sure=max(1e-8 * unit, rounding) if width <= 1e-6 * unit else -1.0,
            near=max(width, 100.0 * rounding),
        )

    def _smooth(self, alpha: Vector, *, w_unique: bool | None) -> KKT:
        """For a loss without slack: whether ``−α_i/C_i`` is a slope of it (Fenchel and Young)."""
        loss = self.loss
        assert isinstance(loss, ConvexLoss)  # the evaluation refuses others
        z, conjugate = loss.argument(self.y, self.scores), loss.conjugate(-alpha / self.cost)
        known = np.isfinite(conjugate)
        rows = self.cost * (loss.value(z) + np.where(known, conjugate, 0.0)) + alpha * z
        fixed = self.penalty is Penalty.L2 and self.offset is not Offset.FREE
        return KKT(
            stationarity=self.stationarity,
            primal_feasibility=self.outside,
            dual_feasibility=0.0 if bool(known.all()) else math.inf,
            complementary_slackness=float(np.maximum(0.0, rows.max(initial=0.0))),
            slack_complementarity=None,
            w_unique=w_unique,
            b_unique=True if fixed else None,
            alpha_unique=None,
            active=None,
            rank=None,
            slater=True,
            convex=True,
        )
