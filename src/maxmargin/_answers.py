"""The hallway's side doors: problems that have a judge of their own, all classes at once and linear models."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from maxmargin.errors import FitInterrupted, InvalidInput
from maxmargin.problems import JointMulticlass, LinearClasses, PrimalProblem
from maxmargin.solution import (
    Certificate,
    ClassesSolution,
    JointSolution,
    LinearSolution,
    Status,
    certify_classes,
    certify_joint,
    certify_linear,
)
from maxmargin.solvers import ClassesIterate, ClassesNewton, JointIterate, JointRows, Limits, PrimalIterate, select_linear
from maxmargin.solvers._base import Callback
from maxmargin.validation import check_boolean, check_integer, check_positive

__all__ = ["answer_classes", "answer_joint", "answer_linear", "linear_solution"]

_NO_TIME = 1e-6  # seconds


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
    with_rows: bool = True,
) -> JointSolution:
    """`solve` for all classes at once, without its warnings."""
    chosen = JointRows() if isinstance(solver, str) and solver == "auto" else solver
    if not isinstance(chosen, JointRows):
        raise InvalidInput(f"The 'solver' of JointMulticlass must be 'auto' or solvers.JointRows. Got {solver!r} instead.")
    limits = _limits(tol, max_iter, max_time, 1_000_000 + 50 * problem.gram.n * len(problem.classes))
    iterate = chosen.run(problem, limits, callback)
    if throw and iterate.by_signal:
        raise _interrupted(iterate.steps, lambda: _joint_solution(problem, iterate, limits.tol, with_rows=with_rows))
    return _joint_solution(problem, iterate, limits.tol, with_rows=with_rows)


def _joint_solution(problem: JointMulticlass, iterate: JointIterate, tol: float, *, with_rows: bool) -> JointSolution:
    judgement = certify_joint(problem, iterate.beta, iterate.bias)
    status = _supported(iterate.status, judgement.is_optimal(tol))
    support = np.flatnonzero((iterate.beta != 0.0).any(axis=1))
    return JointSolution(
        n=problem.gram.n,
        classes=problem.classes,
        support=support.astype(np.int32),
        coefficients=0.5 * iterate.beta[support],
        bias=iterate.bias,
        status=status,
        certificate=Certificate.of(judgement.primal, judgement.dual, judgement.kkt_violation, status),
        trace=iterate.trace,
        steps=iterate.steps,
        kernel=problem.gram.kernel,
        support_vectors=problem.gram.rows(support) if with_rows else None,
    )


def _supported(status: Status, optimal: bool) -> Status:
    """The status that the certificate supports."""
    if optimal:
        return Status.CONVERGED
    return Status.STALLED if status is Status.CONVERGED else status


def answer_linear(
    problem: PrimalProblem,
    solver: Any,
    tol: float,
    max_iter: int,
    max_time: float | None,
    throw: bool = True,
    *,
    callback: Callback | None = None,
) -> LinearSolution:
    """`solve` for a linear model, without its warnings."""
    _check_manners(callback, throw)
    chosen = select_linear(solver, problem)
    limits = _limits(tol, max_iter, max_time, chosen.automatic_steps(problem.n))
    # Of many machines the later ones may find no time left: not even a pass over the rows is theirs.
    late = 0.0 < limits.max_seconds <= _NO_TIME
    iterate = PrimalIterate.unmoved(problem, Status.TIME_LIMIT) if late else chosen.run(problem, limits, callback)
    if throw and iterate.by_signal:
        raise _interrupted(iterate.steps, lambda: linear_solution(problem, iterate, limits.tol))
    return linear_solution(problem, iterate, limits.tol)


def linear_solution(problem: PrimalProblem, iterate: PrimalIterate, tol: float) -> LinearSolution:
    """Judge what a solver found."""
    judgement = certify_linear(problem, iterate.w, iterate.b, iterate.alpha)
    status = iterate.status
    if status is not Status.SEPARABLE:  # its gap may well be small: the loss is near 0, and w without a limit
        status = judgement.status(status, tol)
    return LinearSolution(
        weights=iterate.w,
        bias=iterate.b,
        alpha=iterate.alpha,
        status=status,
        certificate=Certificate.of(judgement.primal, judgement.dual, judgement.stationarity, status, scale=judgement.at_zero),
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
) -> ClassesSolution:
    """`solve` for a linear model of all classes at once, without its warnings."""
    _check_manners(callback, throw)
    chosen = ClassesNewton() if isinstance(solver, str) and solver in ("auto", "newton") else solver
    if not isinstance(chosen, ClassesNewton):
        raise InvalidInput(
            f"The 'solver' of linear classes must be 'auto', 'newton' or solvers.ClassesNewton. Got {solver!r} instead."
        )
    limits = _limits(tol, max_iter, max_time, chosen.automatic_steps())
    iterate = chosen.run(problem, limits, callback)
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
