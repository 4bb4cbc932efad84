"""Newton's method whose every look at the rows is a pass over blocks.

A search is a generator: it asks `Question`, is sent the `Sums` of all blocks, and goes on. So several searches (one for each
class) share each pass, and it does not matter who makes the sums: threads here, or machines elsewhere.
"""

from __future__ import annotations

import math
from collections.abc import Generator
from typing import Any, Final, TypeAlias, final

import numpy as np
from numpy.typing import NDArray

from maxmargin import _core
from maxmargin.problems import BlockProblem, Offset, Penalty, inner
from maxmargin.solution import Checkpoint, LinearEvaluation, Status, certify_blocks
from maxmargin.solvers._blocks._gradients import conjugate_gradients
from maxmargin.solvers._blocks._model import (
    Model,
    ScaledDual,
    has_kinks,
    newton_direction,
    ridge_of,
    scaled_dual,
)
from maxmargin.solvers._blocks._penalised import absolute_of, penalised_step
from maxmargin.solvers._blocks._requests import Along, Certify, Point, Question, Sums, Terms

__all__ = ["LENGTHS", "STEEP", "TRIES", "WIDEST", "BlockSearch", "root_of"]

Vector = NDArray[np.float64]
Asks: TypeAlias = Generator[Question, Sums, Any]

WIDEST: Final = 1024  # weights and offset whose Hessian is a matrix; beyond, conjugate gradients
_SHARP: Final = 0.3  # penalty parameter of the first smoothing
_SHARPER: Final = 4.0
_SHARPEST: Final = 1e9
LENGTHS: Final = np.array([2.0**-12, 2.0**-9, 2.0**-7, *(np.arange(1, 17) / 16.0)])
STEEP: Final = 0.3  # of the slope where a step begins: beyond that where it ends, it was too long
_LEAST: Final = 1e-6  # of it
TRIES: Final = 4  # certificates that are made before a search that believes to be done is told STALLED


@final
class BlockSearch:
    """The search for the optimum of one problem.

    Attributes
    ----------
    problem : BlockProblem
        What is minimised.
    at : Point
        Where it is.
    primal, dual : float
        The two objectives there, as the search sees them.
    steps : int
        Newton rounds so far.
    status : Status or None
        How it ended; None while it runs.
    evaluation : LinearEvaluation or None
        What its certificate says.
    active : int
        Rows with a multiplier that is not 0, as the certificate counts them.
    checkpoints : list of Checkpoint
        One for each round; the seconds are those of whoever drives the search.

    Examples
    --------
    Two points at −1 and +1, in a block each:

    >>> import numpy as np
    >>> from maxmargin.blocks import TreeSum
    >>> from maxmargin.losses import SquaredHinge
    >>> from maxmargin.problems import BlockProblem, BlockRows, Offset, Penalty
    >>> from maxmargin.solvers import BlockSearch
    >>> problem = BlockProblem(SquaredHinge(), Penalty.L2, Offset.FREE, 1.0, np.inf, 1.0, 2, 1, 2.0, 2.0, positive=1)
    >>> blocks = [BlockRows(np.array([[x]]), np.array([k]), np.ones(1)) for k, x in enumerate((-1.0, 1.0))]
    >>> search = BlockSearch(problem, tol=1e-9, max_steps=20)
    >>> asks = search.run()
    >>> question = next(asks)
    >>> while search.status is None:
    ...     tree = TreeSum()
    ...     for rows in blocks:
    ...         tree.add(question.on(rows)[0])
    ...     try:
    ...         question = asks.send(tree.total())
    ...     except StopIteration:
    ...         break
    >>> search.at.w.round(6), search.status.name
    (array([0.8]), 'CONVERGED')
    """

    def __init__(self, problem: BlockProblem, tol: float, max_steps: int, start: tuple[Vector, float] | None = None) -> None:
        self.problem = problem
        self._tol, self._aim, self._max_steps = tol, tol, max_steps
        self._ridge, self._absolute = ridge_of(problem), absolute_of(problem)
        w, b = (np.zeros(problem.d), problem.start) if start is None else start
        self.at = Point(w, 0.0 if problem.offset is Offset.NONE else b, _SHARP / problem.spread)
        self._plain = problem.penalty is Penalty.L2
        self._explicit = problem.size <= WIDEST or not self._plain
        self._kind = _core.BlockCurvature.matrix if self._explicit else _core.BlockCurvature.diagonal
        self._scaled = ScaledDual(-math.inf, 1.0, 1.0)
        self._tries = 0
        self._most = np.zeros(problem.size)  # curvature that a coordinate has had
        self.primal, self.dual = math.inf, -math.inf
        self.steps = self.active = 0
        self.status: Status | None = None
        self.evaluation: LinearEvaluation | None = None
        self.checkpoints: list[Checkpoint] = []

    @property
    def solved(self) -> tuple[Vector, float]:
        """Weights and offset for rows as they are."""
        return self.at.w, self.problem.back(self.at.w, self.at.b)

    @property
    def relative_gap(self) -> float:
        """What is left, as the search sees it."""
        return (self.primal - self.dual) / max(abs(self.primal), 1e-300)

    def run(self) -> Asks:
        """Search; ends with a status and an evaluation."""
        model = yield from self._terms(self.at)
        while self.status is None:
            self._see(model)
            if abs(self.primal - self.dual) <= self._aim * self.primal:  # an estimate above the primal one is none
                if (yield from self.certify(Status.CONVERGED)):
                    return
                self._aim *= 0.25
                self._tries += 1
                if self._tries == TRIES:
                    self.status = Status.STALLED
                    return
            if self.steps >= self._max_steps:
                yield from self.certify(Status.ITERATION_LIMIT)
                self.status = self.status or Status.ITERATION_LIMIT
                return
            direction = None
            if not self._plain:  # the step itself tells how much is left
                direction = yield from self._direction(model)
            if has_kinks(self.problem) and self._unsolved(model, direction) <= 0.1 * (self.primal - self.dual):
                model, direction = (yield from self._sharpen()), None
            if direction is None:
                direction = yield from self._direction(model)
            decrement = -self._falls(self._gradient(model), direction)
            self.steps += 1
            if decrement > 0.0:
                model = yield from self._move(direction, decrement)
            elif has_kinks(self.problem):
                model = yield from self._sharpen()
            else:  # nothing left that float64 can tell
                yield from self.certify(Status.STALLED)
                self.status = self.status or Status.STALLED
                return

    def certify(self, found: Status) -> Generator[Question, Sums, bool]:
        """Evaluate where it is; ends the search if that is an optimum, or if the search has ended otherwise."""
        question = self.question()
        sums = yield question
        if self.problem.penalty is Penalty.L1 and question.shrink > (allowed := _allowed(self.problem, sums)):
            self._scaled = self._scaled._replace(shrink=allowed)  # sums that cancel are rounded otherwise than in the search
            question = self.question()
            sums = yield question
        self.answered(question, sums, found)
        return self.status is not None

    def question(self) -> Certify:
        """What its certificate asks."""
        dual = self._scaled
        return Certify(self.problem, self.at, dual.minus, dual.plus, dual.shrink)

    def answered(self, question: Certify, answer: Sums, found: Status) -> None:
        """Take what a certificate asked; one that is not optimal lets a search go on that believes to be."""
        sums = Certify.found(answer)
        self.active = sums.active
        self.evaluation = certify_blocks(self.problem, self.at.w, self.at.b, sums, question.shrink)
        status = self.evaluation.status(found, self._tol)
        if status.is_optimal or not found.is_optimal:
            self.status = status

    def _terms(self, at: Point) -> Generator[Question, Sums, Model]:
        return Model((yield Terms(self.problem, at, self._kind)))

    def _see(self, model: Model) -> None:
        self.primal = model.lost + self.problem.penalty_of(self.at.w, self.at.b)
        self._scaled = scaled_dual(self.problem, model)
        self.dual = self._scaled.value
        gap = self.primal - self.dual
        self.checkpoints.append(Checkpoint(0.0, self.steps, self.dual, self.relative_gap, 0, gap))

    def _gradient(self, model: Model) -> Vector:
        return model.slope(self.problem) + self._ridge * self._joined()

    def _joined(self) -> Vector:
        return self.at.w if self.problem.offset is Offset.NONE else np.append(self.at.w, self.at.b)

    def _split(self, joined: Vector) -> tuple[Vector, float]:
        if self.problem.offset is Offset.NONE:
            return joined, 0.0
        return np.ascontiguousarray(joined[:-1]), float(joined[-1])

    def _falls(self, gradient: Vector, direction: Vector) -> float:
        """By how much the objective changes along the direction, at first."""
        at = self._joined()
        return inner(gradient, direction) + inner(self._absolute, np.abs(at + direction) - np.abs(at))

    def _unsolved(self, model: Model, direction: Vector | None) -> float:
        """The gap of the smoothed problem, about: what the gap has beyond it is the smoothing's."""
        if direction is not None:
            return -self._falls(self._gradient(model), direction)
        gradient, curves = self._gradient(model), self._ridge > 0.0
        square = inner(gradient[curves] ** 2, 1.0 / self._ridge[curves])
        level = self.problem.spread * abs(float(gradient[-1])) if self.problem.offset is Offset.FREE else 0.0
        return 0.5 * square + level

    def _sharpen(self) -> Generator[Question, Sums, Model]:
        """The next smoothing: its centre are the multipliers here."""
        at = self.at
        sharper = at.sharpness * (_SHARPER if self.problem.spread * at.sharpness < _SHARPEST else 1.0)
        self.at = Point(at.w, at.b, sharper, (*at.history, (at.w, at.b, at.sharpness)))
        return (yield from self._terms(self.at))

    def _offset_floor(self) -> float:
        """Where no row curves, a free offset has no curvature. A millionth of what one row has lets it move."""
        if self.problem.offset is Offset.NONE:
            return 0.0
        mean = self.problem.total / max(self.problem.n, 1)
        return 1e-6 * mean * (self.at.sharpness if has_kinks(self.problem) else 1.0)

    def _direction(self, model: Model) -> Generator[Question, Sums, Vector]:
        gradient, penalty = self._gradient(model), self.problem.penalty is not Penalty.NONE
        if not self._plain:
            slope, at = model.slope(self.problem), self._joined()
            self._most = np.maximum(self._most, np.diagonal(model.curvature))
            least = _LEAST * self._most if has_kinks(self.problem) else 0.0 * self._most
            return penalised_step(self.problem, model.curvature, slope, at, self._ridge, least, self._offset_floor())
        if self._explicit:
            return newton_direction(model, self._ridge, gradient, self._offset_floor(), penalty=penalty)
        forcing = min(max(0.5 * math.sqrt(max(self.relative_gap, 0.0)), 1e-4), 0.1) if penalty else 1e-10
        floor = self._offset_floor()
        return (yield from conjugate_gradients(self.problem, self.at, model, self._ridge, gradient, floor, forcing))

    def _absolute_slope(self, there: Vector, direction: Vector) -> float:
        """Slope of the absolute values along the direction, where it comes from: a step that ends at 0 is not too long."""
        return inner(self._absolute, np.where(there != 0.0, np.sign(there) * direction, -np.abs(direction)))

    def _move(self, direction: Vector, decrement: float) -> Generator[Question, Sums, Model]:
        """A step along the direction: a whole one, unless its end shows that it was too long."""
        p, p_offset = self._split(direction)
        here, joined = self.at, self._joined()
        first, curve = inner(self._ridge * joined, direction), inner(self._ridge * direction, direction)
        there = here.moved(p, p_offset, 1.0)
        model = yield from self._terms(there)
        end = math.inf
        if model.is_finite():
            end = (
                inner(model.slope(self.problem), direction)
                + first
                + curve
                + self._absolute_slope(joined + direction, direction)
            )
        if not end <= STEEP * decrement:
            sums = yield Along(self.problem, here, p, p_offset, LENGTHS)
            of_absolute = [self._absolute_slope(joined + length * direction, direction) for length in LENGTHS.tolist()]
            slopes = sums.added[0][0] + first + LENGTHS * curve + np.array(of_absolute)
            there = here.moved(p, p_offset, root_of(slopes, decrement))
            model = yield from self._terms(there)
        self.at = there
        return model


def _allowed(problem: BlockProblem, sums: Sums) -> float:
    """What the multipliers of a certificate have to be multiplied by so that an L1 penalty allows their sums."""
    found = Certify.found(sums)
    scaled = problem.offset_scale * found.total if problem.offset is Offset.PENALISED else 0.0
    return 1.0 / max(1.0, float(np.abs(found.v).max(initial=0.0)), abs(scaled))


def root_of(slopes: Vector, decrement: float) -> float:
    """Where the slope, which rises from −decrement at 0, comes to 0."""
    low, below = 0.0, -decrement
    for length, slope in zip(LENGTHS.tolist(), slopes.tolist(), strict=True):
        if not slope <= 0.0:
            return float(low + (length - low) * (below / (below - slope) if math.isfinite(slope) else 0.5))
        low, below = length, slope
    return 1.0
