"""What the optimality conditions say of the rows that count: residuals, uniqueness, Slater's condition."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np
from numpy.typing import NDArray

from maxmargin.problems import KKTData, Margin, SlackRule, Tube
from maxmargin.solution._directions import Dependencies
from maxmargin.solution._residuals import Residuals, slack_residuals

__all__ = ["Conditions"]

Vector = NDArray[np.float64]
Mask = NDArray[np.bool_]


@final
@dataclass(frozen=True, eq=False)
class Conditions:
    """The rows that have a multiplier, and those without that are on the boundary or beyond; the others fulfil everything.

    Attributes
    ----------
    alpha, beta, deficit : ndarray
        Multipliers, coefficients and deficit of these rows.
    side : ndarray
        The sign that β can have; 0 if both.
    kkt_data : KKTData
        Their costs, and the equalities.
    slack_rule : SlackRule
        What the scores mean.
    sure, near : float
        A deficit up to ``sure``, either way, is on the boundary; one above ``near`` is not.
    """

    alpha: Vector
    beta: Vector
    deficit: Vector
    side: Vector
    kkt_data: KKTData
    slack_rule: SlackRule
    sure: float
    near: float

    def stationarity(self) -> float:
        """In the offset; in w it holds by construction."""
        return abs(float(self.beta.sum()) - self.kkt_data.total) if self.kkt_data.free_offset else 0.0

    def residuals(self) -> Residuals:
        """The four numbers of `KKT` that concern the rows."""
        return slack_residuals(self.alpha, self.deficit, self.kkt_data.cost, squared=self.kkt_data.squared)

    @property
    def active(self) -> Mask:
        """Rows that may be on the boundary; with squared slack, which counts as such, those with a multiplier too."""
        return (np.abs(self.deficit) <= self.near) | (self.kkt_data.squared & (self.alpha > 0.0))

    @property
    def borders(self) -> list[Vector]:
        """What gradients of active constraints have beside ``φ(x_i)``: ones for an offset, sides where each keeps its sum."""
        chosen = self.active
        borders = [np.ones(int(chosen.sum()))] if self.kkt_data.free_offset or self.kkt_data.penalised_offset else []
        # Of two classes the sums of both sides follow from the rest.
        return [*borders, self.side[chosen]] if self._sided and isinstance(self.slack_rule, Tube) else borders

    @property
    def _sided(self) -> bool:
        """Whether each side has a level of its own; in a tube without width they meet, and it is open which holds b."""
        return self.kkt_data.by_side and not self._flat

    @property
    def _flat(self) -> bool:
        """Whether the two edges of a tube are not told apart."""
        return isinstance(self.slack_rule, Tube) and self.slack_rule.epsilon <= self.near

    @property
    def is_settled(self) -> bool:
        """Whether the rows are where their multipliers say: otherwise nothing can be told from them."""
        if self.kkt_data.squared:
            return True
        if self._flat and (self.kkt_data.by_side or self.side.any()):
            return False  # a width that may be 0
        (rises, falls), beyond, short = self._moves(sure=True), self._pull > self.near, self._pull < -self.near
        return not ((rises & beyond) | (falls & short)).any()

    @property
    def _pull(self) -> Vector:
        """Excess with the sign of the side that it is on: where it is positive β should rise, where negative fall."""
        side = np.where(self.side == 0.0, np.sign(self.beta), self.side)
        return np.where(side < 0.0, -self.deficit, self.deficit)

    @property
    def _rooms(self) -> tuple[Vector, Vector]:
        """By how much β can rise, and by how much fall, within ``0 ≤ α_i ≤ C_i``."""
        low = np.where(self.side > 0.0, 0.0, -self.kkt_data.cost)
        high = np.where(self.side < 0.0, 0.0, self.kkt_data.cost)
        return np.maximum(high - self.beta, 0.0), np.maximum(self.beta - low, 0.0)

    def _moves(self, *, sure: bool) -> tuple[Mask, Mask]:
        """Which β can rise and which can fall, for sure or perhaps."""
        largest = float(np.abs(self.beta).max(initial=0.0))
        own = np.minimum(self.kkt_data.cost, largest)
        least = np.maximum(1e-8 * own, 1e-10 * largest) if sure else np.maximum(1e-10 * own, 1e-14 * largest)
        up, down = self._rooms
        return up > least, down > least

    @property
    def _on(self) -> Mask:
        """Rows that are on the boundary for sure."""
        return np.abs(self.deficit) <= self.sure

    def offset_is_unique(self) -> bool | None:
        """Whether β can rise and fall among the rows on the boundary; where each side has its own level, on both."""
        if not self.kkt_data.free_offset:
            return True
        if self.kkt_data.squared:
            return bool((self.alpha > 0.0).any()) or None
        members = [self.side > 0.0, self.side < 0.0] if self._sided else [np.ones(len(self.beta), dtype=np.bool_)]
        verdicts = [self._level_is_unique(each) for each in members]
        return True if all(verdicts) else False if False in verdicts else None

    def _level_is_unique(self, members: Mask) -> bool | None:
        """The same for one level.

        Of an answer with few digits it is not known which rows are on the boundary. But with the room ``r_i`` that a free β has
        to either side, every optimal level leaves a deficit with ``Σ r_i |e_i| ≤ gap`` (a row's part of the gap is no less). So
        two of them are at most ``2 gap / Σ r_i`` apart.
        """
        (up, down), (rises, falls) = self._rooms, self._moves(sure=True)
        free = members & rises & falls
        if (free & np.isinf(self.kkt_data.cost)).any() or all((members & self._on & moves).any() for moves in (rises, falls)):
            return True
        with np.errstate(invalid="ignore"):  # no slack and no deficit
            gap = float(np.nansum(up * np.maximum(self._pull, 0.0) + down * np.maximum(-self._pull, 0.0)))
        if free.any() and 2.0 * gap <= self.near * float(np.minimum(up, down)[free].sum()):
            return True
        open_still = all((members & self.active & moves).any() for moves in self._moves(sure=False))
        return None if open_still or self.sure < 0.0 else False

    def multipliers_are_unique(self, gradients: Dependencies | None) -> bool | None:
        """Whether no change of β on the boundary leaves w and the equalities as they are, and is within bounds.

        Parameters
        ----------
        gradients : Dependencies or None
            Those of the active rows, if they could be looked at.
        """
        if self.kkt_data.squared:
            return True
        if self._scaled and not (level := self.offset_is_unique()):
            return level
        if gradients is None:
            return None
        active, on = self.active, self._on
        if gradients.let_pass(*((moves | ~on)[active] for moves in self._moves(sure=False))) is False:
            return True
        passes = gradients.let_pass(*((moves & on)[active] for moves in self._moves(sure=True)))
        return False if passes else None

    @property
    def _scaled(self) -> bool:
        """Whether the answer is divided by a ρ of its own, as that of ν-classification."""
        return self.kkt_data.by_side and isinstance(self.slack_rule, Margin)

    def weights_are_unique(self, *, settled: bool) -> bool | None:
        """True, but where they are divided by a ρ that is not."""
        if not self._scaled:
            return True
        return self.offset_is_unique() if settled else None

    def slater(self, gradients: Dependencies | None) -> bool | None:
        """Whether some point fulfils all constraints strictly.

        Without slack the set of optimal multipliers is then bounded: no direction of it goes on for ever (Gauvin 1977).
        """
        if self.kkt_data.squared or np.isfinite(self.kkt_data.cost).all():
            return True
        if not isinstance(self.slack_rule, Tube):
            return True if float(self.deficit.max(initial=-np.inf)) < 1.0 else None
        if self.slack_rule.epsilon == 0.0:
            return False
        if gradients is None:
            return None
        passes = gradients.let_pass(self.side[self.active] > 0.0, self.side[self.active] < 0.0)
        return None if passes is None else not passes
