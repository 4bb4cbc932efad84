"""Stochastic subgradient walks over rows that come in blocks: each epoch takes the blocks in their order."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final, final

import numpy as np
from numpy.typing import NDArray

from maxmargin.problems import BlockProblem, BlockRows, Offset, PrimalProblem
from maxmargin.solution import Checkpoint, LinearEvaluation, Status, certify_blocks
from maxmargin.solvers._blocks._requests import Certify, Sums, certificate_sums
from maxmargin.solvers._primal._row_order import RowOrder
from maxmargin.solvers._primal._subgradient_walk import SubgradientWalk

__all__ = ["BlockSurvey", "BlockWalk", "Survey", "evened", "order_of"]

Vector = NDArray[np.float64]

_SOME: Final = 20_000  # rows that are kept to choose steps by
_RAN_OFF: Final = 1e3  # times the objective at 0


@final
@dataclass(frozen=True, eq=False)
class BlockSurvey:
    """What a pass before the first step finds in a block.

    Attributes
    ----------
    steps : int
        Different rows.
    weight : float
        Of all rows.
    X, weights : rows, ndarray
        Some of them, and their weights.
    """

    steps: int
    weight: float
    X: Any
    weights: Vector

    @classmethod
    def of(cls, rows: BlockRows, every: int) -> BlockSurvey:
        """Of a block; so many rows stand for one that is kept."""
        order = order_of(rows)
        kept = rows.X[::every]
        return cls(order.steps, float(rows.cost.sum()), kept.copy(), rows.cost[::every].copy())


@final
class Survey:
    """Those of all blocks: how many steps an epoch takes in each.

    Blocks are taken in proportion to their weights, as rows are in a block.
    """

    def __init__(self, blocks: Sequence[BlockSurvey | None]) -> None:
        self.steps = sum(block.steps for block in blocks if block is not None)
        self.weight = sum(block.weight for block in blocks if block is not None)
        self.steps_of = [0 if block is None else max(1, round(self.steps * (block.weight / self.weight))) for block in blocks]

    @staticmethod
    def every(n: int) -> int:
        """How many rows stand for one that a survey keeps."""
        return max(1, n // _SOME)


def order_of(rows: BlockRows, steps: int | None = None) -> RowOrder:
    """What shuffled steps go through in a block."""
    order = RowOrder.of(rows.X, rows.features, rows.label, rows.cost)
    return order if steps is None else replace(order, steps=steps)


@final
@dataclass(eq=False)
class BlockWalk:
    """The walk of one binary classifier, and what is known of where it was looked at last.

    Attributes
    ----------
    problem : BlockProblem
        What is minimised.
    walk : SubgradientWalk
        Where it is.
    tallies : dict
        Of each block what its rows have met on the way: two numbers a row, and which rows are copies.
    status : Status or None
        How it ended.
    """

    problem: BlockProblem
    walk: SubgradientWalk
    tallies: dict[int, tuple[Vector, Vector, RowOrder | None]] = field(default_factory=dict)
    status: Status | None = None
    w: Vector = field(init=False)
    b: float = 0.0
    steps: int = 0
    active: int = 0
    bound: float = -math.inf
    evaluation: LinearEvaluation | None = None
    checkpoints: list[Checkpoint] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.w = np.zeros(self.problem.d)
        loss: Any = self.problem.loss
        self.bound = -self.problem.total * float(loss.conjugate(0.0))  # that of no multipliers
        primal = self.problem.at_zero
        self.evaluation = LinearEvaluation(primal, self.bound, math.inf, 0.0, at_zero=primal)
        self._note()

    @property
    def gap(self) -> float:
        """Of the last look, relative."""
        return self.checkpoints[-1].violation

    @property
    def taken(self) -> int:
        """Steps so far."""
        return self.walk.steps

    def through(self, number: int, problem: PrimalProblem, order: RowOrder, most: int) -> None:
        """The steps of an epoch in a block."""
        known = self.tallies.get(number)
        self.walk.move_to(problem, order, None if known is None else known[:2])
        self.walk.advance(min(order.steps, most - self.walk.steps))
        drawn, slopes = self.walk.tally
        self.tallies[number] = drawn, slopes, None if order.copy_of is None else order

    def multipliers(self, number: int, cost: Vector) -> Vector:
        """The mean of the slopes on the way, of the rows of a block."""
        if number not in self.tallies:
            return np.zeros(len(cost))
        drawn, slopes, order = self.tallies[number]
        means = np.divide(slopes, drawn, out=np.zeros(len(drawn)), where=drawn > 0.0)
        return cost * (means if order is None else order.shared(means))

    def sums(self, number: int, rows: BlockRows, even: tuple[float, float]) -> Sums:
        """What a block adds to the certificate of the mean of the walk."""
        signed = self.multipliers(number, rows.cost) * self.problem.labels(rows)
        signed *= np.where(signed > 0.0, even[1], even[0])
        w, b = self.walk.mean
        return certificate_sums(self.problem, rows, w, b, signed, 1.0)

    def sides(self, number: int, label: NDArray[Any], cost: Vector) -> Vector:
        """Sums of the multipliers of a block on either side, which a free offset wants to be equal."""
        alpha = self.multipliers(number, cost)
        above = label == self.problem.positive
        return np.array([float(alpha[~above].sum()), float(alpha[above].sum())])

    def see(self, sums: Sums, tol: float) -> None:
        """Take what a look has summed up."""
        w, b = self.walk.mean
        found = Certify.found(sums)
        with np.errstate(over="ignore", invalid="ignore"):
            evaluation = certify_blocks(self.problem, w, b, found)
        if not math.isfinite(evaluation.primal) or self.walk.diverged:
            self.status = Status.DIVERGED
            return
        self.w, self.b, self.steps, self.active = w, b, self.walk.steps, found.active
        if evaluation.infeasibility <= 1e-9:
            self.bound = max(self.bound, evaluation.dual)
        self.evaluation = replace(evaluation, dual=self.bound, infeasibility=0.0)
        self._note()
        if self.evaluation.is_optimal(tol):
            self.status = Status.CONVERGED

    def end(self, status: Status) -> None:
        """A limit; one far above where it began has run off."""
        if self.status is None:
            assert self.evaluation is not None
            far = self.evaluation.primal > _RAN_OFF * max(self.problem.at_zero, 1e-300)
            self.status = Status.DIVERGED if far and status is not Status.INTERRUPTED else status

    def _note(self) -> None:
        assert self.evaluation is not None
        gap = self.evaluation.primal - self.bound
        relative = gap / max(abs(self.evaluation.primal), 1e-300)
        self.checkpoints.append(Checkpoint(0.0, self.steps, self.bound, relative, self.active, gap))


def evened(problem: BlockProblem, sides: Vector) -> tuple[float, float]:
    """Factors of the multipliers on either side, after which a free offset has none left."""
    if problem.offset is not Offset.FREE:
        return 1.0, 1.0
    level = float(sides.min())
    low, high = (level / float(side) if side > 0.0 else 0.0 for side in sides)
    return low, high
