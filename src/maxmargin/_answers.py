"""The hallway's side doors: problems that have a judge of their own, all classes at once and linear models."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from maxmargin.errors import FitInterrupted, InfeasibleError, InvalidInput
from maxmargin.problems import JointMulticlass, LinearClasses, Penalty, PrimalProblem
from maxmargin.solution import (
    Certificate,
    ClassesSolution,
    JointJudgement,
    JointSolution,
    LinearSolution,
    Status,
    certify_classes,
    certify_joint,
    certify_linear,
)
from maxmargin.solution._joint_rounding import joint_with_rounding, offset_shifts
from maxmargin.solution._linear_judge import unsure
from maxmargin.solvers import ClassesIterate, JointIterate, JointRows, Limits, PrimalIterate, select_classes, select_linear
from maxmargin.solvers._base import Callback
from maxmargin.solvers._starts import classes_point, joint_point, linear_point
from maxmargin.validation import check_boolean, check_integer, check_positive

__all__ = ["answer_classes", "answer_joint", "answer_linear", "linear_solution"]


def _check_manners(callback: Any, throw: Any) -> None:
    if callback is not None and not callable(callback):
        raise InvalidInput(f"The 'callback' parameter of solve must be a callable or None. Got {callback!r} instead.")
    check_boolean("throw", throw, "solve")


def _limits(tol: float, max_iter: int, max_time: float | None, automatic: int) -> Limits:
    steps = check_integer("max_iter", max_iter, "solve", -1)
    seconds = math.inf if max_time is None else check_positive("max_time", max_time, "solve", infinite=True)
    return Limits(
        check_positive("tol", tol, "solve"),
        min(steps, 2**62) if steps >= 0 else automatic,
        seconds if math.isfinite(seconds) else 0.0,
    )


def _interrupted(steps: int, solution: Any) -> FitInterrupted:
    return FitInterrupted(
        f"Interrupted after {steps} steps. The exception's `solution` has the state at that moment.", solution
    )


def answer_joint(
    problem: JointMulticlass,
    solver: Any,
    tol: float,
    max_iter: int,
    max_time: float | None,
    throw: bool = True,
    *,
    callback: Callback | None = None,
    start: Any = None,
    with_rows: bool = True,
) -> JointSolution:
    """`solve` for all classes at once, without its warnings."""
    _check_manners(callback, throw)
    chosen = JointRows() if isinstance(solver, str) and solver == "auto" else solver
    if not isinstance(chosen, JointRows):
        raise InvalidInput(f"The 'solver' of JointMulticlass must be 'auto' or solvers.JointRows. Got {solver!r} instead.")
    limits = _limits(tol, max_iter, max_time, chosen.automatic_steps(problem))
    begin = time.perf_counter()
    iterate = chosen.run(problem, limits, callback, None if start is None else joint_point(problem, start))
    if iterate.status is Status.ITERATION_LIMIT and max_iter < 0 and np.isinf(problem.upper).any():
        iterate = replace(iterate, status=Status.STALLED)  # without bounds β may run away for ever
    if throw and iterate.by_signal:
        raise _interrupted(iterate.steps, lambda: _joint_solution(problem, iterate, limits.tol, with_rows=with_rows))
    found = _joint_solution(problem, iterate, limits.tol, with_rows=with_rows)
    if iterate.status is Status.CONVERGED and found.status is Status.STALLED and iterate.steps < limits.max_steps:
        spent = time.perf_counter() - begin
        seconds = max(1e-9, limits.max_seconds - spent) if limits.max_seconds > 0.0 else 0.0
        later = chosen.run(problem, replace(limits, max_seconds=seconds), callback, iterate, judged=True)  # in more digits
        if throw and later.by_signal:
            raise _interrupted(later.steps, lambda: _joint_solution(problem, later, limits.tol, with_rows=with_rows))
        found = _joint_solution(problem, later, limits.tol, with_rows=with_rows)
    if throw and found.proof is not None:
        status = found.status
        raise InfeasibleError(
            f"{status.name}: {status.message}: {found.proof} `solution.proof` of this exception has the weights."
            f" {status.advice}",
            found,
        )
    return found


def _joint_solution(problem: JointMulticlass, iterate: JointIterate, tol: float, *, with_rows: bool) -> JointSolution:
    beta, bias = iterate.beta, iterate.bias
    shift = offset_shifts(problem, beta)
    judgement = joint_with_rounding(problem, beta, bias, shift, certify_joint(problem, beta, bias), tol)
    if math.isnan(judgement.primal) or math.isnan(judgement.dual):
        raise InvalidInput("The objective is not finite: kernel values or C are too large. Scale the features.")
    indefinite = judgement.is_indefinite(problem)
    status = _joint_status(iterate.status, judgement, tol, indefinite)
    ended = status.is_optimal or status in (Status.INTERRUPTED, Status.TIME_LIMIT)
    proof = None if ended or indefinite else problem.proof()
    if proof is not None:
        status = Status.INFEASIBLE
    support = np.flatnonzero((beta != 0.0).any(axis=1))
    return JointSolution(
        n=problem.gram.n,
        classes=problem.classes,
        support=support.astype(np.int32),
        coefficients=0.5 * beta[support],
        bias=bias + shift,
        status=status,
        certificate=Certificate.of(
            judgement.primal if proof is None else math.inf,
            judgement.dual,
            judgement.kkt_violation,
            status,
            indefinite=indefinite,
            scale=judgement.scale,
        ),
        trace=iterate.trace,
        steps=iterate.steps,
        kernel=problem.gram.kernel,
        support_vectors=problem.gram.rows(support) if with_rows else None,
        proof=proof,
        remark=_undecided(problem, judgement) if status is Status.STALLED else "",
    )


def _joint_status(reached: Status, judgement: JointJudgement, tol: float, indefinite: bool) -> Status:
    """The status that the certificate supports."""
    if indefinite and judgement.is_stationary(tol):
        return Status.INDEFINITE
    proven = None if indefinite else judgement.verdict(tol)
    if proven is not None:
        return proven
    return Status.STALLED if reached in (Status.CONVERGED, Status.INFEASIBLE) else reached


def _undecided(problem: JointMulticlass, judgement: JointJudgement) -> str:
    """That floating point cannot tell whether rows without slack can be put in their own classes."""
    if judgement.least > 0.0 or not np.isinf(problem.upper).any():
        return ""
    return (
        "Floating point cannot decide whether any scores put every row in its own class: none were found, and no proof that"
        " there are none."
    )


def answer_linear(
    problems: Sequence[PrimalProblem],
    solver: Any,
    tol: float,
    max_iter: int,
    max_time: float | None,
    throw: bool = True,
    *,
    callback: Callback | None = None,
    starts: Sequence[Any] | None = None,
) -> list[LinearSolution]:
    """`solve` for linear models of the same rows, without its warnings."""
    _check_manners(callback, throw)
    chosen = select_linear(solver, problems[0])
    limits = _limits(tol, max_iter, max_time, chosen.automatic_steps(problems[0].n))
    points = [
        None if start is None else linear_point(problem, start)
        for problem, start in zip(problems, starts or [None] * len(problems), strict=True)
    ]
    if (answers := _answers_already(problems, points, limits.tol)) is not None:
        return answers
    iterates = chosen.run_batch(problems, points, limits, callback)
    for problem, iterate in zip(problems, iterates, strict=True):
        if throw and iterate.by_signal:
            raise _interrupted(iterate.steps, partial(linear_solution, problem, iterate, limits.tol))
    return [linear_solution(problem, iterate, limits.tol) for problem, iterate in zip(problems, iterates, strict=True)]


def _answers_already(
    problems: Sequence[PrimalProblem], points: Sequence[PrimalIterate | None], tol: float
) -> list[LinearSolution] | None:
    """The starts as solutions if there is nothing left to search for; without a penalty there may be no minimum at all."""
    found = []
    for problem, point in zip(problems, points, strict=True):
        if point is None or problem.penalty is Penalty.NONE:
            return None
        found.append(linear_solution(problem, point, tol))
        if not found[-1].status.is_optimal:
            return None
    return found


def linear_solution(problem: PrimalProblem, iterate: PrimalIterate, tol: float) -> LinearSolution:
    """Judge what a solver found."""
    judgement = certify_linear(problem, iterate.w, iterate.b, iterate.alpha)
    status = iterate.status
    if status is not Status.SEPARABLE:  # its gap may well be small: the loss is near 0, and w without a limit
        status = judgement.status(status, tol)
    primal = judgement.primal
    if not status.is_optimal:
        primal += unsure(problem, iterate.w, iterate.b, primal)
    return LinearSolution(
        weights=iterate.w,
        bias=iterate.b,
        alpha=iterate.alpha,
        status=status,
        certificate=Certificate.of(primal, judgement.dual, judgement.stationarity, status, scale=judgement.at_zero),
        trace=iterate.trace,
        steps=iterate.steps,
    )


def answer_classes(
    problem: LinearClasses,
    solver: Any,
    tol: float,
    max_iter: int,
    max_time: float | None,
    throw: bool = True,
    *,
    callback: Callback | None = None,
    start: Any = None,
) -> ClassesSolution:
    """`solve` for a linear model of all classes at once, without its warnings."""
    _check_manners(callback, throw)
    chosen = select_classes(solver, problem)
    limits = _limits(tol, max_iter, max_time, chosen.automatic_steps())
    point = None if start is None else classes_point(problem, start)
    if point is not None and problem.penalty is not Penalty.NONE:
        found = _classes_solution(problem, point, limits.tol)
        if found.status.is_optimal:
            return found
    iterate = chosen.run(problem, limits, callback, point)
    if throw and iterate.by_signal:
        raise _interrupted(iterate.steps, lambda: _classes_solution(problem, iterate, limits.tol))
    return _classes_solution(problem, iterate, limits.tol)


def _classes_solution(problem: LinearClasses, iterate: ClassesIterate, tol: float) -> ClassesSolution:
    judgement = certify_classes(problem, iterate.w, iterate.b, iterate.alpha)
    status = iterate.status
    if status is not Status.SEPARABLE:  # as of two classes
        status = judgement.status(status, tol)
    others = iterate.alpha > 0.0
    others[np.arange(problem.n), problem.codes] = False
    return ClassesSolution(
        classes=problem.classes,
        weights=iterate.w,
        bias=iterate.b,
        alpha=iterate.alpha,
        support=np.flatnonzero(others.any(axis=1)).astype(np.int32),
        status=status,
        certificate=Certificate.of(judgement.primal, judgement.dual, judgement.stationarity, status, scale=judgement.at_zero),
        trace=iterate.trace,
        steps=iterate.steps,
    )
