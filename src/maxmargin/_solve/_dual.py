"""Problems with a canonical dual: run, certify, continue from the exact scores while that helps."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, final

import numpy as np

from maxmargin._solve._budget import Budget
from maxmargin._solve._warnings import infeasible, interrupted
from maxmargin.errors import FitInterrupted
from maxmargin.problems import DualBatch, Problem, SoftMargins, dual_batch, inner
from maxmargin.solution import (
    DualIterate,
    DualIterates,
    Evaluation,
    Evaluations,
    Solution,
    SolutionBatch,
    Status,
    allowed_gap,
    certify,
    dual_solution,
    evaluate_all,
    is_indefinite,
    levelled,
    verdict,
    with_negative_part,
    with_rounding,
)
from maxmargin.solvers import Callback, DualSolver, Origin, beginning, numbered, resumed

__all__ = ["DualRun", "batch_of"]

_RESUMABLE = (Status.CONVERGED, Status.STALLED)
_DEEPEST = 1e-3  # of the violation: no round aims at less


def batch_of(problems: Sequence[Problem]) -> DualBatch:
    """The problems as the core takes them."""
    return problems.batch if isinstance(problems, SoftMargins) else dual_batch([problem.dual for problem in problems])


@final
@dataclass(frozen=True)
class DualRun:
    """From starts to certified solutions.

    Attributes
    ----------
    solver : DualSolver
        What searches.
    budget : Budget
        What it may use.
    throw : bool
        Whether to raise on Ctrl-C and on infeasible problems.
    callback : callable or None
        Is told of the progress.
    with_rows : bool
        Whether solutions keep their support vectors themselves.
    with_values : bool
        Whether to keep ``f(x)`` at all rows of each problem.
    settled : bool
        Whether starts tell which variables are free at the optimum, but for some.
    certified : bool
        Whether to continue until gap and violation are those of an optimum; else until the violation is near what the solver
        says of it.
    """

    solver: DualSolver
    budget: Budget
    throw: bool
    callback: Callback | None
    with_rows: bool
    with_values: bool = False
    settled: bool = True
    certified: bool = True

    def solutions(self, problems: Sequence[Problem], starts: Any) -> SolutionBatch:
        """Solve all problems; where no pair of classes needs a closer look, no object is made for any of them."""
        iterates, evaluations = self._first_points(problems, starts)
        if isinstance(problems, SoftMargins) and (ended := self._ended(problems, iterates, evaluations)) is not None:
            make = partial(self._made, problems, ended, evaluations)
            name = type(self.solver).__name__
            return SolutionBatch.of_margins(problems, ended, evaluations, make, name, with_values=self.with_values)
        own = list(problems)
        ends = [(iterates.at(k), evaluations.at(k)) for k in range(len(own))]
        goes_on = np.ones(len(own), dtype=np.bool_) if self.certified else evaluations.near(self.budget.tol) == 0
        with self._interruptible(own, iterates):
            for k in np.flatnonzero(goes_on).tolist():
                ends[k] = self._finished(k, own[k], *ends[k])
        solutions = [self._solution(problem, *end) for problem, end in zip(own, ends, strict=True)]
        if self.throw:
            for solution in solutions:
                if solution.status is Status.INFEASIBLE:
                    raise infeasible(solution)
        values = None
        if self.with_values:
            values = [
                problem.model(iterate.beta, evaluation).scores for problem, (iterate, evaluation) in zip(own, ends, strict=True)
            ]
        batch = SolutionBatch.of(solutions, values)
        if self.certified:
            return batch
        statuses = [batch.statuses[k] if goes_on[k] else iterates.statuses[k] for k in range(len(own))]
        return replace(batch, statuses=statuses)

    def _ended(self, problems: SoftMargins, iterates: DualIterates, evaluations: Evaluations) -> DualIterates | None:
        """The points with their final statuses, as `_finished` and `dual_solution` would set them.

        None where one could go on, or must be looked at more closely.
        """
        if not problems.gram.kernel.mercer:
            return None
        if not self.certified and bool(evaluations.near(self.budget.tol).all()):
            return iterates
        statuses, tol = iterates.statuses, self.budget.tol
        if statuses.count(Status.CONVERGED) == len(statuses) and evaluations.are_optimal(tol):
            return iterates
        optimal = evaluations.optimal(tol).tolist()
        goes_on = any(not well and status in _RESUMABLE for status, well in zip(statuses, optimal, strict=True))
        if not evaluations.are_settled(tol) or (goes_on and not self.budget.deadline.is_over()):
            return None
        out_of_time = dict.fromkeys(_RESUMABLE, Status.TIME_LIMIT)
        ended = zip(statuses, optimal, strict=True)
        return iterates.ended([Status.CONVERGED if well else out_of_time.get(status, status) for status, well in ended])

    def _made(self, problems: Sequence[Problem], iterates: DualIterates, evaluations: Evaluations, k: int) -> Solution:
        return self._solution(problems[k], iterates.at(k), evaluations.at(k))

    def _solution(self, problem: Problem, iterate: DualIterate, evaluation: Evaluation) -> Solution:
        tol, seconds = self.budget.tol, self.budget.deadline.elapsed()
        name = type(self.solver).__name__
        return dual_solution(problem, iterate, evaluation, tol, seconds, with_rows=self.with_rows, solver=name)

    def _first_points(self, problems: Sequence[Problem], starts: Any) -> tuple[DualIterates, Evaluations]:
        """The points where the solver stops, and their evaluation."""
        given = starts is not None and any(start is not None for start in starts)
        if given and not self.solver.takes_start:
            raise self.solver.refuse_start()
        before = self.budget.deadline.elapsed()
        begin = beginning(problems, starts)
        batch, evaluated = batch_of(begin.problems), self.budget.deadline.elapsed() - before
        limits = self.budget.dual_limits(self.budget.tol, 0, batch, evaluated)
        if limits is None:
            iterates = DualIterates.unmoved(begin.beta, batch.sizes, Status.TIME_LIMIT)
            exact = begin.scores if begin.origin is Origin.COLD else None  # those of a warm start may be off by rounding
            return iterates, evaluate_all(batch_of(problems), begin.beta, exact)
        origin = begin.origin if self.settled else Origin.COLD
        iterates = self.solver.run_batch(begin.problems, batch, begin.beta, begin.scores, limits, self.callback, origin)
        if iterates.interrupted:
            for k, problem in enumerate(problems):
                self._raise_if_interrupted(problem, iterates.at(k))
        if begin.problems is not problems:
            batch = batch_of(problems)
        with self._interruptible(problems, iterates):
            begun = self.budget.deadline.elapsed()
            evaluations = evaluate_all(batch, iterates.beta)
            self.budget.deadline.certified(begun)
            return iterates, evaluations

    @contextmanager
    def _interruptible(self, problems: Sequence[Problem], iterates: DualIterates) -> Iterator[None]:
        """Ctrl-C while points are evaluated: they are there, and their certificate is made when it is asked for."""
        try:
            yield
        except FitInterrupted:
            raise
        except KeyboardInterrupt as stop:
            if not self.throw:
                raise
            iterate = replace(iterates.at(0), status=Status.INTERRUPTED)
            raise interrupted(
                iterate.steps, lambda: self._solution(problems[0], iterate, certify(problems[0], iterate.beta))
            ) from stop

    def _raise_if_interrupted(self, problem: Problem, iterate: DualIterate) -> None:
        if self.throw and iterate.interrupted:
            raise interrupted(iterate.steps, lambda: self._solution(problem, iterate, certify(problem, iterate.beta)))

    def _finished(
        self, k: int, problem: Problem, iterate: DualIterate, evaluation: Evaluation
    ) -> tuple[DualIterate, Evaluation]:
        """Continue from the exact scores as long as that brings the answer nearer to the optimum."""
        tol = aim = self.budget.tol
        iterate, evaluation = self._levelled(problem, iterate, evaluation)
        while iterate.status in _RESUMABLE:
            tol = self.budget.tol / problem.unit(evaluation)
            if verdict(problem, evaluation, self.budget.tol) or is_indefinite(problem, iterate, evaluation):
                break
            limits = self.budget.dual_limits(tol, iterate.steps, batch_of([problem]), 0.0)
            if limits is None:  # another look at the same point would only take longer
                iterate = replace(iterate, status=Status.TIME_LIMIT)
                break
            if problem.proof(iterate.beta, evaluation) is not None:
                break
            aim = min(aim, tol)
            if evaluation.kkt_violation <= tol:  # the pairs agree, the gap does not, and falls about as they do
                allowed = allowed_gap(self.budget.tol) * abs(evaluation.primal)
                aim *= 0.1 if evaluation.gap <= allowed else max(_DEEPEST, min(0.1, 0.5 * allowed / evaluation.gap))
            limits = replace(limits, tol=min(aim, 0.5 * evaluation.kkt_violation))
            bounded, start = resumed(problem, iterate.beta, evaluation)
            (later,) = self.solver.run([bounded], [start], limits, numbered(self.callback, k))
            self._raise_if_interrupted(problem, iterate.then(later))
            begun = self.budget.deadline.elapsed()
            better = certify(problem, later.beta)
            self.budget.deadline.certified(begun)
            # Rounding can leave a gap below 0: it is less than half of itself for ever.
            nearer = evaluation.gap > 0.0 and better.gap < 0.5 * evaluation.gap
            endless = bounded is not problem and bool(np.isinf(problem.dual.upper).any())
            runs_away = endless and np.abs(later.beta).max() > 10.0 * np.abs(iterate.beta).max()
            progressed = better.kkt_violation < 0.5 * evaluation.kkt_violation or nearer or runs_away
            if better.dual < evaluation.dual and better.kkt_violation >= evaluation.kkt_violation:
                break  # a gap that is small since β fell back is no progress
            iterate, evaluation = iterate.then(later), better
            if not progressed:
                break
        if not self.budget.deadline.is_over():  # what it went on from may be off again
            iterate, evaluation = self._levelled(problem, iterate, evaluation)
        if evaluation.needs_bounds(self.budget.tol) and not self.budget.allows_bounds(batch_of([problem])):
            evaluation = evaluation.widened()
            if iterate.status in _RESUMABLE and verdict(problem, evaluation, self.budget.tol) is None:
                iterate = replace(iterate, status=Status.TIME_LIMIT)
        else:
            evaluation = with_rounding(problem, iterate.beta, evaluation, self.budget.tol)
        allowed = allowed_gap(self.budget.tol) * abs(evaluation.primal)
        return iterate, with_negative_part(problem.gram, 0.5 * inner(iterate.beta, iterate.beta), evaluation, allowed)

    def _levelled(self, problem: Problem, iterate: DualIterate, evaluation: Evaluation) -> tuple[DualIterate, Evaluation]:
        """The same point where β keeps its sum, or could not be moved; else one that does."""
        level = levelled(problem, iterate.beta, evaluation, self.budget.tol) if iterate.status in _RESUMABLE else None
        return (iterate, evaluation) if level is None else (replace(iterate, beta=level), certify(problem, level))
