"""The hallway: choose a solver, run it, certify its answer, resume if the certificate says so, warn or raise."""

from __future__ import annotations

import math
import time
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, final, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from maxmargin._answers import answer_classes, answer_joint, answer_linear
from maxmargin.errors import (
    ConvergenceWarning,
    FitInterrupted,
    IndefiniteKernelWarning,
    InfeasibleError,
    InvalidInput,
    NoMarginWarning,
)
from maxmargin.problems import JointMulticlass, LinearClasses, PrimalProblem, Problem
from maxmargin.problems._dual import DualBatch, dual_batch
from maxmargin.problems._soft_margin import SoftMargins
from maxmargin.solution import (
    Certificate,
    ClassesSolution,
    Iterate,
    JointSolution,
    Judgement,
    LinearSolution,
    Solution,
    Status,
    certify,
)
from maxmargin.solution._answer import Answer, is_indefinite, verdict
from maxmargin.solution._certify import Judgements, judge_all, judging_seconds
from maxmargin.solution._columns import Columns
from maxmargin.solution._iterate import Iterates
from maxmargin.solution._rounding import with_rounding
from maxmargin.solvers import SMO, Limits, Solver
from maxmargin.solvers._base import Callback, numbered, resumed
from maxmargin.solvers._select import as_solver, require_support
from maxmargin.solvers._starts import beginning
from maxmargin.validation import check_boolean, check_integer, check_positive

__all__ = ["answer", "answer_columns", "complaint", "solve"]

Vector = NDArray[np.float64]


@overload
def solve(
    problem: Problem,
    solver: Any = "auto",
    tol: float = 1e-3,
    max_iter: int = -1,
    max_time: float | None = None,
    throw: bool = True,
    *,
    callback: Callback | None = None,
    start: Solution | ArrayLike | None = None,
) -> Solution: ...


@overload
def solve(
    problem: PrimalProblem,
    solver: Any = "auto",
    tol: float = 1e-3,
    max_iter: int = -1,
    max_time: float | None = None,
    throw: bool = True,
    *,
    callback: Callback | None = None,
    start: LinearSolution | ArrayLike | None = None,
) -> LinearSolution: ...


@overload
def solve(
    problem: LinearClasses,
    solver: Any = "auto",
    tol: float = 1e-3,
    max_iter: int = -1,
    max_time: float | None = None,
    throw: bool = True,
    *,
    callback: Callback | None = None,
    start: ClassesSolution | ArrayLike | None = None,
) -> ClassesSolution: ...


@overload
def solve(
    problem: JointMulticlass,
    solver: Any = "auto",
    tol: float = 1e-3,
    max_iter: int = -1,
    max_time: float | None = None,
    throw: bool = True,
    *,
    callback: Callback | None = None,
    start: JointSolution | None = None,
) -> JointSolution: ...


def solve(
    problem: Problem | JointMulticlass | PrimalProblem | LinearClasses,
    solver: Any = "auto",
    tol: float = 1e-3,
    max_iter: int = -1,
    max_time: float | None = None,
    throw: bool = True,
    *,
    callback: Callback | None = None,
    start: Any = None,
) -> Solution | JointSolution | LinearSolution | ClassesSolution:
    """Solve a problem and certify the answer.

    Parameters
    ----------
    problem : Problem, JointMulticlass, PrimalProblem or LinearClasses
        The question.
    solver : str or Solver
        The algorithm: "auto", "smo", "primal_qp", "dual_qp", "projected_gradient", "chunking", "decomposition",
        "kernel_subgradient", or an object of `maxmargin.solvers` with its settings; for the joint problem "auto" or
        ``JointRows``; for linear classes "auto", "newton", "coordinate_descent", ``ClassesNewton`` or
        ``ClassesDescent``; for a primal problem "auto", "newton", "coordinate_descent", "gradient_descent",
        "stochastic_subgradient" or an object.
    tol : float
        Largest KKT violation of a converged answer; its gap is at most ``max(tol, 1e-3)`` of the primal objective. Of a joint
        problem, a primal one or linear classes the largest gap, relative to the primal objective.
    max_iter : int
        Limit of steps: pair steps of the engine, rounds of other solvers; −1 for a finite automatic one.
    max_time : float, optional
        Limit in wall seconds, certification included.
    throw : bool
        Whether to raise on Ctrl-C and on infeasible problems; otherwise the solution says so in its status.
    callback : callable, optional
        Called with a `Progress` about every 50 ms; returning true stops the fit.
    start : Solution or array-like, optional
        Where to begin: the answer to a problem like this one (of the same rows, with another C, ε, ν or kernel parameter), or a
        point. Of a dual problem that is one signed coefficient ``y_i α_i`` a row, which is moved to the nearest point inside
        the constraints; of a primal problem the weights; of linear classes their weights, one row a class. The joint problem
        takes a `JointSolution` only. The certificate is that of any other answer.

    Returns
    -------
    Solution, JointSolution, LinearSolution or ClassesSolution
        With status and certificate. A spent budget or a stall warns, and the solution is kept.

    Examples
    --------
    >>> from maxmargin import problems, solve
    >>> solution = solve(problems.SoftMargin([[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1]))
    >>> solution.certificate.gap <= 1e-3
    True
    """
    solution: Solution | JointSolution | LinearSolution | ClassesSolution
    if isinstance(problem, JointMulticlass):
        solution = answer_joint(problem, solver, tol, max_iter, max_time, throw, callback=callback, start=start)
    elif isinstance(problem, LinearClasses):
        solution = answer_classes(problem, solver, tol, max_iter, max_time, throw, callback=callback, start=start)
    elif isinstance(problem, PrimalProblem):
        (solution,) = answer_linear([problem], solver, tol, max_iter, max_time, throw, callback=callback, starts=[start])
    else:
        (found,) = answer([problem], solver, tol, max_iter, max_time, throw, callback=callback, starts=[start])
        solution = found.solution()
    if (said := complaint(solution)) is not None:
        message, category = said
        warnings.warn(message, category, stacklevel=2)
    return solution


def answer(
    problems: Sequence[Problem],
    solver: Any,
    tol: float,
    max_iter: int,
    max_time: float | None,
    throw: bool = True,
    *,
    callback: Callback | None = None,
    starts: Sequence[Any] | None = None,
) -> list[Answer]:
    """`solve` for several problems at once, and without its warnings."""
    chosen = _checked(problems, solver, throw, callback)
    if starts is not None and not chosen.takes_start and any(start is not None for start in starts):
        name = type(chosen).__name__
        raise InvalidInput(f"{name} cannot begin at a given point. Leave out start, or take solver='auto'.")
    hallway = _Hallway(chosen, _budget(problems, chosen, tol, max_iter, max_time), throw, callback)
    return hallway.answers(problems, *hallway.first_points(problems, starts))


def answer_columns(
    problems: Sequence[Problem],
    solver: Any,
    tol: float,
    max_iter: int,
    max_time: float | None,
    *,
    callback: Callback | None = None,
    starts: Sequence[Any] | None = None,
) -> Columns:
    """The same for an estimator of many machines: an object for each would take longer than to train a small one."""
    chosen = _checked(problems, solver, True, callback)
    hallway = _Hallway(chosen, _budget(problems, chosen, tol, max_iter, max_time), True, callback)
    iterates, judgements = hallway.first_points(problems, starts)
    if isinstance(problems, SoftMargins):
        found = Columns.of_margins(problems, iterates, judgements, hallway.budget.tol)
        if found is not None:
            return found
    return Columns.of(hallway.answers(problems, iterates, judgements))


def _checked(problems: Sequence[Problem], solver: Any, throw: bool, callback: Callback | None) -> Solver:
    first = problems[0]
    if not isinstance(first, Problem):
        kind = type(first).__name__
        raise InvalidInput(
            f"solve needs a problem of maxmargin.problems. Got an object of type {kind!r}; try SoftMargin(X, y)."
        )
    if callback is not None and not callable(callback):
        raise InvalidInput(f"The 'callback' parameter of solve must be a callable or None. Got {callback!r} instead.")
    chosen = as_solver(solver, first)
    if not isinstance(chosen, SMO):  # which supports every problem
        for problem in problems[1:]:  # the machines of one model differ in their numbers of rows
            require_support(chosen, problem)
    check_boolean("throw", throw, "solve")
    return chosen


def _budget(problems: Sequence[Problem], solver: Solver, tol: float, max_iter: int, max_time: float | None) -> _Budget:
    return _Budget(
        check_positive("tol", tol, "solve"),
        check_integer("max_iter", max_iter, "solve", -1),
        None if max_time is None else check_positive("max_time", max_time, "solve", infinite=True),
        solver.automatic_steps(max(_batch(problems).sizes)),
    )


def _batch(problems: Sequence[Problem]) -> DualBatch:
    return problems.batch if isinstance(problems, SoftMargins) else dual_batch([problem.dual for problem in problems])


def _raise_if_infeasible(found: Answer) -> None:
    status = found.status
    if status is Status.INFEASIBLE:
        raise InfeasibleError(
            f"{status.name}: {status.message}: {found.proof} `solution.proof` of this exception has the weights."
            f" {status.advice}",
            found.solution(),
        )


def _raise_if_interrupted(problem: Problem, iterate: Iterate, budget: _Budget) -> None:
    """Answer Ctrl-C at once: the certificate, which may take a while, is made when it is asked for."""
    if iterate.by_signal:
        raise FitInterrupted(
            f"Interrupted after {iterate.steps} steps. The exception's `solution` has the state at that moment.",
            lambda: Answer.of(problem, iterate, certify(problem, iterate.beta), budget.tol, budget.elapsed()).solution(),
        )


@final
class _Budget:
    """What is left of the steps and the time of a fit."""

    def __init__(self, tol: float, max_iter: int, max_time: float | None, automatic: int) -> None:
        self.tol = tol
        self._steps = min(max_iter, 2**62) if max_iter >= 0 else automatic
        self._begin = time.perf_counter()
        self._end = None if max_time is None or math.isinf(max_time) else time.perf_counter() + max_time

    def elapsed(self) -> float:
        """Seconds since the fit began."""
        return time.perf_counter() - self._begin

    def seconds_left(self) -> float:
        """Seconds left, a little more than 0 when none are; 0 without a limit."""
        return 0.0 if self._end is None else max(self._end - time.perf_counter(), 1e-9)

    def is_over(self) -> bool:
        """Whether the time is used up."""
        return self._end is not None and time.perf_counter() >= self._end

    def limits(self, tol: float, steps_taken: int, batch: DualBatch) -> Limits:
        """What a run that aims at ``tol`` may use: the certificate comes out of the same time."""
        seconds = self.seconds_left()
        if seconds > 0.0:
            judging = judging_seconds(batch, seconds)
            seconds = self.seconds_left()
            seconds = max(1e-9, seconds - min(judging, 0.5 * seconds))
        return Limits(tol, max(0, self._steps - steps_taken), seconds)


@final
@dataclass(frozen=True)
class _Hallway:
    """From a first point and its judgement to an answer."""

    solver: Solver
    budget: _Budget
    throw: bool
    callback: Callback | None

    def first_points(self, problems: Sequence[Problem], starts: Sequence[Any] | None) -> tuple[Iterates, Judgements]:
        """Where the solver comes to stop, and what the judge says of it."""
        begin = beginning(problems, starts, self.budget.seconds_left())
        batch = _batch(begin.problems)
        if begin.scores is None:
            iterates = Iterates.unmoved(begin.beta, batch.sizes, Status.TIME_LIMIT)
        else:
            limits = self.budget.limits(self.budget.tol, 0, batch)
            iterates = self.solver.run_batch(
                begin.problems, batch, begin.beta, begin.scores, limits, self.callback, begin.origin
            )
        if self.throw and iterates.by_signal:
            for k, problem in enumerate(problems):
                _raise_if_interrupted(problem, iterates.at(k), self.budget)
        if begin.problems is not problems:
            batch = _batch(problems)
        return iterates, judge_all(batch, iterates.beta)

    def answers(self, problems: Sequence[Problem], iterates: Iterates, judgements: Judgements) -> list[Answer]:
        """Finish each."""
        found = [self.finished(k, problem, iterates.at(k), judgements.at(k)) for k, problem in enumerate(problems)]
        if self.throw:
            for each in found:
                _raise_if_infeasible(each)
        return found

    def finished(self, k: int, problem: Problem, iterate: Iterate, judgement: Judgement) -> Answer:
        """Go on from the exact scores for as long as that brings the answer nearer to the optimum."""
        tol = aim = self.budget.tol
        while iterate.status in _RESUMABLE:
            tol = self.budget.tol / problem.unit(judgement)
            if verdict(problem, judgement, self.budget.tol) or is_indefinite(problem, iterate, judgement):
                break
            if problem.proof(iterate.beta, judgement) is not None:
                break
            if self.budget.is_over():  # another look at the same point would only take longer
                iterate = iterate._replace(status=Status.TIME_LIMIT)
                break
            aim = min(aim, tol)
            if judgement.kkt_violation <= tol:
                aim *= 0.1  # the pairs agree, the gap does not
            limits = self.budget.limits(min(aim, 0.5 * judgement.kkt_violation), iterate.steps, _batch([problem]))
            bounded, start = resumed(problem, iterate.beta, judgement)
            (later,) = self.solver.run([bounded], [start], limits, numbered(self.callback, k))
            if self.throw:
                _raise_if_interrupted(problem, iterate.then(later), self.budget)
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
        judgement = with_rounding(problem, iterate.beta, judgement, self.budget.tol)
        return Answer.of(problem, iterate, judgement, self.budget.tol, self.budget.elapsed())


_RESUMABLE = (Status.CONVERGED, Status.STALLED)


def _distance(certificate: Certificate) -> str:
    return f"relative gap {certificate.relative_gap:.2g}, KKT violation {certificate.kkt_violation:.2g}"


def complaint(
    solution: Answer | Solution | JointSolution | LinearSolution | ClassesSolution,
) -> tuple[str, type[Warning]] | None:
    """What to warn of: message and category; None if converged to something, or infeasible and not to be thrown."""
    status = solution.status
    remark = solution.remark if isinstance(solution, Answer | Solution | JointSolution) else ""
    if status.is_optimal and remark:
        return remark, NoMarginWarning
    if status.is_optimal or status is Status.INFEASIBLE:
        return None
    category = IndefiniteKernelWarning if status is Status.INDEFINITE else ConvergenceWarning
    said = f"{status.name}: {status.message} ({_distance(solution.certificate)}). "
    return f"{said}{remark or status.advice}", category
