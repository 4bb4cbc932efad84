"""Problems with a canonical dual: run, certify, go on from the exact scores while that helps."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, final

import numpy as np

from maxmargin._solve._budget import Budget
from maxmargin._solve._warnings import infeasible, interrupted
from maxmargin.problems import Problem
from maxmargin.problems._dual import DualBatch, dual_batch
from maxmargin.problems._soft_margin import SoftMargins
from maxmargin.solution import DualIterate, Judgement, Solution, SolutionBatch, Status, certify
from maxmargin.solution._certify import Judgements, judge_all
from maxmargin.solution._dual_solution import dual_solution, is_indefinite, verdict
from maxmargin.solution._iterate import DualIterates
from maxmargin.solution._rounding import with_rounding
from maxmargin.solvers import Callback, DualSolver, Origin
from maxmargin.solvers._base import numbered, resumed
from maxmargin.solvers._starts import beginning

__all__ = ["DualRun", "batch_of"]

_RESUMABLE = (Status.CONVERGED, Status.STALLED)


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
        Told of the progress.
    with_rows : bool
        Whether solutions keep their support vectors themselves.
    """

    solver: DualSolver
    budget: Budget
    throw: bool
    callback: Callback | None
    with_rows: bool

    def solutions(self, problems: Sequence[Problem], starts: Sequence[Any] | None) -> SolutionBatch:
        """Solve all; where all pairs of classes are optimal at once, no object is made for any of them."""
        iterates, judgements = self._first_points(problems, starts)
        if isinstance(problems, SoftMargins):
            make = partial(self._made, problems, iterates, judgements)
            found = SolutionBatch.of_margins(problems, iterates, judgements, self.budget.tol, make)
            if found is not None:
                return found
        solutions = [self._finished(k, problem, iterates.at(k), judgements.at(k)) for k, problem in enumerate(problems)]
        if self.throw:
            for solution in solutions:
                if solution.status is Status.INFEASIBLE:
                    raise infeasible(solution)
        return SolutionBatch.of(solutions)

    def _made(self, problems: Sequence[Problem], iterates: DualIterates, judgements: Judgements, k: int) -> Solution:
        return self._solution(problems[k], iterates.at(k), judgements.at(k))

    def _solution(self, problem: Problem, iterate: DualIterate, judgement: Judgement) -> Solution:
        tol, seconds = self.budget.tol, self.budget.deadline.elapsed()
        return dual_solution(problem, iterate, judgement, tol, seconds, with_rows=self.with_rows)

    def _first_points(self, problems: Sequence[Problem], starts: Sequence[Any] | None) -> tuple[DualIterates, Judgements]:
        """Where the solver comes to stop, and the evaluation of these points."""
        if not self.solver.takes_start and any(start is not None for start in starts or ()):
            raise self.solver.refuse_start()
        before = self.budget.deadline.elapsed()
        begin = beginning(problems, starts)
        batch, judged = batch_of(begin.problems), self.budget.deadline.elapsed() - before
        limits = self.budget.dual_limits(self.budget.tol, 0, batch, judged)
        if limits is None:
            iterates = DualIterates.unmoved(begin.beta, batch.sizes, Status.TIME_LIMIT)
            exact = begin.scores if begin.origin is Origin.COLD else None  # those of a warm start may be off by rounding
            return iterates, judge_all(batch_of(problems), begin.beta, exact)
        iterates = self.solver.run_batch(begin.problems, batch, begin.beta, begin.scores, limits, self.callback, begin.origin)
        if iterates.by_signal:
            for k, problem in enumerate(problems):
                self._raise_if_interrupted(problem, iterates.at(k))
        if begin.problems is not problems:
            batch = batch_of(problems)
        return iterates, judge_all(batch, iterates.beta)

    def _raise_if_interrupted(self, problem: Problem, iterate: DualIterate) -> None:
        if self.throw and iterate.by_signal:
            raise interrupted(iterate.steps, lambda: self._solution(problem, iterate, certify(problem, iterate.beta)))

    def _finished(self, k: int, problem: Problem, iterate: DualIterate, judgement: Judgement) -> Solution:
        """Go on from the exact scores for as long as that brings the answer nearer to the optimum."""
        tol = aim = self.budget.tol
        while iterate.status in _RESUMABLE:
            tol = self.budget.tol / problem.unit(judgement)
            if verdict(problem, judgement, self.budget.tol) or is_indefinite(problem, iterate, judgement):
                break
            limits = self.budget.dual_limits(tol, iterate.steps, batch_of([problem]), 0.0)
            if limits is None:  # another look at the same point would only take longer
                iterate = replace(iterate, status=Status.TIME_LIMIT)
                break
            if problem.proof(iterate.beta, judgement) is not None:
                break
            aim = min(aim, tol)
            if judgement.kkt_violation <= tol:
                aim *= 0.1  # the pairs agree, the gap does not
            limits = replace(limits, tol=min(aim, 0.5 * judgement.kkt_violation))
            bounded, start = resumed(problem, iterate.beta, judgement)
            (later,) = self.solver.run([bounded], [start], limits, numbered(self.callback, k))
            self._raise_if_interrupted(problem, iterate.then(later))
            better = certify(problem, later.beta)
            # Rounding can leave a gap below 0: it is less than half of itself for ever.
            nearer = judgement.gap > 0.0 and better.gap < 0.5 * judgement.gap
            runs_away = bounded is not problem and np.abs(later.beta).max() > 10.0 * np.abs(iterate.beta).max()
            progressed = better.kkt_violation < 0.5 * judgement.kkt_violation or nearer or runs_away
            if better.dual < judgement.dual and better.kkt_violation >= judgement.kkt_violation:
                break  # a gap that is small since β fell back is no progress
            iterate, judgement = iterate.then(later), better
            if not progressed:
                break
        if judgement.needs_bounds(self.budget.tol) and not self.budget.allows_bounds(batch_of([problem])):
            judgement = judgement.widened()
            if iterate.status in _RESUMABLE and verdict(problem, judgement, self.budget.tol) is None:
                iterate = replace(iterate, status=Status.TIME_LIMIT)
        else:
            judgement = with_rounding(problem, iterate.beta, judgement, self.budget.tol)
        return self._solution(problem, iterate, judgement)
