"""Newton's method for all classes at once, whose every look at the rows is a pass over blocks; see `_search`."""

from __future__ import annotations

import math
from collections.abc import Generator
from typing import Any, TypeAlias, final

import numpy as np
from numpy.typing import NDArray

from maxmargin import _core
from maxmargin.problems import BlockClasses, Offset, Penalty, inner
from maxmargin.solution import Checkpoint, LinearEvaluation, Status, allowed_part, certify_block_classes
from maxmargin.solvers._blocks._class_requests import ClassAlong, ClassCertify, ClassTerms
from maxmargin.solvers._blocks._class_system import (
    ClassModel,
    class_gradients,
    factored_direction,
    penalised_direction,
)
from maxmargin.solvers._blocks._requests import Question, Sums
from maxmargin.solvers._blocks._search import LENGTHS, STEEP, TRIES, WIDEST, root_of

__all__ = ["ClassBlockSearch"]

Matrix = NDArray[np.float64]
Vector = NDArray[np.float64]
Asks: TypeAlias = Generator[Question, Sums, Any]


@final
class ClassBlockSearch:
    """The search for the optimum of one multinomial problem.

    Up to 1 024 weights and offsets of all classes Newton's matrix is made in the same pass as the gradient, and a round is
    one pass. Beyond, each product of conjugate gradients is one; the pass of the gradient then makes a matrix that
    preconditions them for all classes, or, beyond 1 024 features, the diagonal.

    Attributes
    ----------
    problem : BlockClasses
        What is minimised.
    at : ndarray of shape (size, K)
        Where it is, for rows near 0.
    primal, dual, steps, status, evaluation, active, checkpoints
        As of a `BlockSearch`.

    Examples
    --------
    Three points in a block each:

    >>> import numpy as np
    >>> from maxmargin.blocks import TreeSum
    >>> from maxmargin.problems import BlockClasses, BlockRows, Offset, Penalty
    >>> from maxmargin.solvers import ClassBlockSearch
    >>> problem = BlockClasses(Penalty.L2, Offset.FREE, 1.0, 1.0, 3, 1, np.ones(3))
    >>> blocks = [BlockRows(np.array([[x]]), np.array([k]), np.ones(1)) for k, x in enumerate((-1.0, 0.0, 1.0))]
    >>> search = ClassBlockSearch(problem, tol=1e-9, max_steps=20)
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
    >>> search.solved[0].ravel()[[0, 2]].round(3), search.status.name
    (array([-0.623,  0.623]), 'CONVERGED')
    """

    def __init__(self, problem: BlockClasses, tol: float, max_steps: int, start: tuple[Matrix, Vector] | None = None) -> None:
        self.problem = problem
        self._tol, self._aim, self._max_steps = tol, tol, max_steps
        K = problem.classes
        self._ridge, self._absolute = np.full(problem.size, problem.ridge), np.full((problem.size, K), 0.0)
        if problem.has_l1:
            self._absolute[:] = problem.l1
        if problem.offset is Offset.FREE:
            self._ridge[-1], self._absolute[-1] = 0.0, 0.0
        elif problem.offset is Offset.PENALISED:
            self._ridge[-1] /= problem.offset_scale**2
            self._absolute[-1] /= problem.offset_scale
        self.at = np.zeros((problem.size, K)) if start is None else self._centred(problem.joined(*start))
        if problem.has_l1 or problem.size * K <= WIDEST:
            self._kind = _core.ClassCurvature.matrix
        else:
            self._kind = _core.ClassCurvature.shared if problem.size <= WIDEST else _core.ClassCurvature.diagonal
        self._totals, self._shrink = np.zeros(K), 1.0
        self.primal, self.dual = math.inf, -math.inf
        self.steps = self.active = 0
        self.status: Status | None = None
        self.evaluation: LinearEvaluation | None = None
        self.checkpoints: list[Checkpoint] = []

    @property
    def solved(self) -> tuple[Matrix, Vector]:
        """Weights of shape (K, d) and offsets of shape (K,) for rows as they are."""
        back = self.problem.back(self.at)
        free = self.problem.offset is Offset.FREE
        return np.ascontiguousarray(self.problem.parts(self.at)[0]), back - back.mean() if free else back

    @property
    def relative_gap(self) -> float:
        """What is left, as the search sees it."""
        return (self.primal - self.dual) / max(abs(self.primal), 1e-300)

    def run(self) -> Asks:
        """Search; ends with a status and an evaluation."""
        model, tries = (yield from self._terms(self.at)), 0
        while self.status is None:
            self._see(model)
            if abs(self.primal - self.dual) <= self._aim * self.primal:  # an estimate above the primal one is none
                if (yield from self.certify(Status.CONVERGED)):
                    return
                self._aim, tries = 0.25 * self._aim, tries + 1
            if tries == TRIES:
                self.status = Status.STALLED
                return
            if self.steps >= self._max_steps:
                yield from self.certify(Status.ITERATION_LIMIT)
                self.status = self.status or Status.ITERATION_LIMIT
                return
            direction = yield from self._direction(model)
            decrement = -self._falls(self._gradient(model), direction)
            self.steps += 1
            if not decrement > 0.0:  # nothing left that float64 can tell
                yield from self.certify(Status.STALLED)
                self.status = self.status or Status.STALLED
                return
            model = yield from self._move(direction, decrement)

    def certify(self, found: Status) -> Generator[Question, Sums, bool]:
        """Evaluate where it is; ends the search if that is an optimum, or if the search has ended otherwise."""
        question = self.question()
        sums = yield question
        if self.problem.penalty is Penalty.L1:
            named = ClassCertify.found(sums)
            allowed = allowed_part(self.problem, named.v, named.totals)
            if question.shrink > allowed:  # levelled offsets have other sums than the search has seen
                self._shrink = allowed
                question = self.question()
                sums = yield question
        self.answered(question, sums, found)
        return self.status is not None

    def question(self) -> ClassCertify:
        """What its certificate asks."""
        problem, totals = self.problem, self._totals
        give = take = np.zeros(problem.classes)
        if problem.offset is Offset.FREE and (moved := float(np.maximum(-totals, 0.0).sum())) > 0.0:
            give = np.maximum(-totals, 0.0) / (problem.by_class - totals)
            take = np.maximum(totals, 0.0) / moved
        return ClassCertify(problem, self.at, give, take, self._shrink)

    def answered(self, question: ClassCertify, answer: Sums, found: Status) -> None:
        """Take what a certificate asked; one that is not optimal lets a search go on that believes to be."""
        sums = ClassCertify.found(answer)
        self.active = sums.active
        self.evaluation = certify_block_classes(self.problem, self.at, sums, question.shrink)
        status = self.evaluation.status(found, self._tol)
        if status.is_optimal or not found.is_optimal:
            self.status = status

    def _terms(self, at: Matrix) -> Generator[Question, Sums, ClassModel]:
        return ClassModel((yield ClassTerms(self.problem, at, self._kind)))

    def _see(self, model: ClassModel) -> None:
        self.primal = model.lost + self.problem.penalty_of(*self.problem.parts(self.at))
        self.dual, self._shrink = model.dual(self.problem)
        if self.problem.offset is Offset.FREE:
            self._totals = model.slopes[-1]
        gap = self.primal - self.dual
        self.checkpoints.append(Checkpoint(0.0, self.steps, self.dual, self.relative_gap, 0, gap))

    def _gradient(self, model: ClassModel) -> Matrix:
        return self._ridge[:, np.newaxis] * self.at - model.slopes

    def _falls(self, gradient: Matrix, direction: Matrix) -> float:
        """By how much the objective changes along the direction, at first."""
        return inner(gradient, direction) + inner(self._absolute, np.abs(self.at + direction) - np.abs(self.at))

    def _direction(self, model: ClassModel) -> Generator[Question, Sums, Matrix]:
        problem, gradient = self.problem, self._gradient(model)
        if problem.has_l1:
            return penalised_direction(problem, model, self._ridge, self._absolute, self.at)
        if self._kind is _core.ClassCurvature.matrix:
            return factored_direction(problem, model, self._ridge, gradient)
        forcing = min(max(0.5 * math.sqrt(max(self.relative_gap, 0.0)), 1e-4), 0.2)
        goal = 0.1 * self._aim * self.primal
        return (yield from class_gradients(problem, self.at, model, self._kind, self._ridge, gradient, forcing, goal))

    def _centred(self, W: Matrix) -> Matrix:
        """Offsets, and with ``½ Σ|w_k|²`` weights, that sum to 0 over the classes: no score's difference changes."""
        if self.problem.penalty is Penalty.L2:
            return np.ascontiguousarray(W - W.mean(axis=1, keepdims=True))
        if self.problem.offset is Offset.FREE:
            W[-1] -= W[-1].mean()
        return W

    def _absolute_slope(self, there: Matrix, direction: Matrix) -> float:
        return inner(self._absolute, np.where(there != 0.0, np.sign(there) * direction, -np.abs(direction)))

    def _move(self, direction: Matrix, decrement: float) -> Generator[Question, Sums, ClassModel]:
        """A step along the direction: a whole one, unless its end shows that it was too long."""
        here, bent = self.at, self._ridge[:, np.newaxis] * direction
        first, curve = inner(bent, here), inner(bent, direction)
        there = self._centred(here + direction)
        model = yield from self._terms(there)
        end = math.inf
        if model.is_finite():
            end = first + curve - inner(model.slopes, direction) + self._absolute_slope(here + direction, direction)
        if not end <= STEEP * decrement:
            sums = yield ClassAlong(self.problem, here, direction, LENGTHS)
            of_absolute = [self._absolute_slope(here + length * direction, direction) for length in LENGTHS.tolist()]
            slopes = sums.added[0][0] + first + LENGTHS * curve + np.array(of_absolute)
            there = self._centred(here + root_of(slopes, decrement) * direction)
            model = yield from self._terms(there)
        self.at = there
        return model
