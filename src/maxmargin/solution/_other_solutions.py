"""From a point of a linear model, or of all classes at once, to the solution: evaluated, with the status that supports."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import singledispatch
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from maxmargin._deadline import Deadline
from maxmargin.errors import InvalidInput
from maxmargin.problems import CrammerSinger, KernelLogistic, MulticlassLinear, Penalty, PrimalProblem
from maxmargin.solution._certificate import Certificate
from maxmargin.solution._certify import product_seconds
from maxmargin.solution._crammer_singer import CrammerSingerSolution
from maxmargin.solution._crammer_singer_evaluation import CrammerSingerEvaluation, certify_crammer_singer
from maxmargin.solution._crammer_singer_rounding import crammer_singer_with_rounding, offset_shifts
from maxmargin.solution._iterate import CrammerSingerIterate, PrimalIterate
from maxmargin.solution._kernel_logistic import (
    KernelLogisticIterate,
    KernelLogisticSolution,
    certify_kernel_logistic,
    lost_digits,
)
from maxmargin.solution._linear import LinearSolution
from maxmargin.solution._linear_evaluation import certify_linear, unsure
from maxmargin.solution._multiclass import MulticlassSolution, certify_multiclass
from maxmargin.solution._rounding import with_negative_part
from maxmargin.solution._status import Status
from maxmargin.solution._unpenalised import repair_seconds

__all__ = ["certificate_seconds", "in_float32", "solution_of"]

_FLOAT32: Final = float(np.finfo(np.float32).eps) / 2.0  # of a number, that rounding to float32 changes
_OF_BOUNDS: Final = 4.0  # products that bounds of rounding errors take
_A_VALUE: Final = 3e-9  # seconds that a certificate takes for each value of X and class


def certificate_seconds(
    problem: PrimalProblem | MulticlassLinear | CrammerSinger | KernelLogistic, deadline: Deadline
) -> float:
    """What `solution_of` will take, about: two passes over the rows for each class, or the kernel values of all rows."""
    if isinstance(problem, KernelLogistic):
        return 2.0 * problem.outputs * product_seconds(problem.gram.core, float(problem.n) ** 2, deadline.left())
    if isinstance(problem, CrammerSinger):
        return product_seconds(problem.source.core, float(problem.gram.n) ** 2, deadline.left())
    classes = len(problem.classes) if isinstance(problem, MulticlassLinear) else 1
    passes = _A_VALUE * classes * float(problem.X.nnz if sparse.issparse(problem.X) else problem.X.size)
    return passes + (classes * repair_seconds(problem.n, problem.d) if problem.penalty is Penalty.NONE else 0.0)


@singledispatch
def solution_of(
    problem: Any,
    iterate: Any,
    tol: float,
    deadline: Deadline | None = None,
    *,
    with_rows: bool = True,
    solver: str = "",
    scores: NDArray[np.float64] | None = None,
) -> Any:
    """The solution at a point of a problem, by the problem's family.

    Parameters
    ----------
    problem : PrimalProblem, MulticlassLinear or CrammerSinger
        The question.
    iterate : PrimalIterate or CrammerSingerIterate
        The solver's last point.
    tol : float
        Largest gap of a converged answer, relative to the primal objective.
    deadline : Deadline, optional
        When the fit shall end: what would take more than one pass of the certificate is left out then.
    with_rows : bool
        Whether to keep what only a solution of its own needs: support vectors, and what a linear solution knows of its rows.
    solver : str
        The name of the solver.
    scores : ndarray, optional
        For a PrimalProblem: the scores of its rows, where a model computes them in another way than the problem does.
    """
    raise TypeError(f"there is no solution of a {type(problem).__name__}")


@solution_of.register
def _(
    problem: PrimalProblem,
    iterate: PrimalIterate,
    tol: float,
    deadline: Deadline | None = None,
    *,
    with_rows: bool = True,
    solver: str = "",
    scores: NDArray[np.float64] | None = None,
) -> LinearSolution:
    evaluation = certify_linear(problem, iterate.w, iterate.b, iterate.alpha, scores=scores, with_rows=with_rows)
    status = iterate.status
    if status is not Status.SEPARABLE:  # its gap may well be small: the loss is near 0, and w without a limit
        status = evaluation.status(status, tol)
    primal = evaluation.primal
    if not status.is_optimal:
        primal += unsure(problem, iterate.w, iterate.b, primal)
    return LinearSolution(
        weights=iterate.w,
        bias=iterate.b,
        alpha=iterate.alpha,
        status=status,
        certificate=Certificate.of(primal, evaluation.dual, evaluation.stationarity, status, scale=evaluation.at_zero),
        trace=iterate.trace,
        steps=iterate.steps,
        classes=problem.classes,
        kkt_data=evaluation.kkt_data,
        solver=solver,
    )


@solution_of.register
def _(
    problem: MulticlassLinear,
    iterate: PrimalIterate,
    tol: float,
    deadline: Deadline | None = None,
    *,
    with_rows: bool = True,
    solver: str = "",
) -> MulticlassSolution:
    evaluation = certify_multiclass(problem, iterate.w, iterate.b, iterate.alpha)
    status = iterate.status
    if status is not Status.SEPARABLE:  # as of two classes
        status = evaluation.status(status, tol)
    others = iterate.alpha > 0.0
    others[np.arange(problem.n), problem.codes] = False
    return MulticlassSolution(
        classes=problem.classes,
        weights=iterate.w,
        bias=iterate.b,
        alpha=iterate.alpha,
        support=np.flatnonzero(others.any(axis=1)).astype(np.int32),
        status=status,
        certificate=Certificate.of(
            evaluation.primal, evaluation.dual, evaluation.stationarity, status, scale=evaluation.at_zero
        ),
        trace=iterate.trace,
        steps=iterate.steps,
        kkt_data=evaluation.class_data,
        solver=solver,
    )


@solution_of.register
def _(
    problem: CrammerSinger,
    iterate: CrammerSingerIterate,
    tol: float,
    deadline: Deadline | None = None,
    *,
    with_rows: bool = True,
    solver: str = "",
) -> CrammerSingerSolution:
    beta, bias = iterate.beta, iterate.bias
    deadline = deadline or Deadline()
    shift, begin = offset_shifts(problem, beta), deadline.elapsed()
    evaluation = certify_crammer_singer(problem, beta, bias)
    in_time = deadline.has(_OF_BOUNDS * (deadline.elapsed() - begin))
    if in_time:
        evaluation = crammer_singer_with_rounding(problem, beta, bias, shift, evaluation, tol)
    elif evaluation.needs_bounds(tol):
        evaluation = evaluation.widened()
    if math.isnan(evaluation.primal) or math.isnan(evaluation.dual):
        raise InvalidInput("The objective is not finite: kernel values or C are too large. Scale the features.")
    indefinite = evaluation.is_indefinite(problem)
    evaluation = with_negative_part(problem.gram, 0.25 * float(np.vdot(beta, beta)), evaluation, tol * abs(evaluation.primal))
    status = _crammer_singer_status(iterate.status, evaluation, tol, indefinite)
    if status is Status.STALLED and not in_time:
        status = Status.TIME_LIMIT
    ended = status.is_optimal or status in (Status.INTERRUPTED, Status.TIME_LIMIT)
    proof = None if ended or indefinite else problem.proof(deadline.left())
    if proof is not None:
        status = Status.INFEASIBLE
    support = np.flatnonzero((beta != 0.0).any(axis=1))
    return CrammerSingerSolution(
        n=problem.gram.n,
        classes=problem.classes,
        support=support.astype(np.int32),
        coefficients=0.5 * beta[support],
        bias=bias + shift,
        status=status,
        certificate=Certificate.of(
            evaluation.primal if proof is None else math.inf,
            evaluation.dual,
            evaluation.kkt_violation,
            status,
            indefinite=indefinite,
            scale=evaluation.scale,
        ),
        trace=iterate.trace,
        steps=iterate.steps,
        kernel=problem.gram.kernel,
        support_vectors=problem.gram.rows(support) if with_rows else None,
        proof=proof,
        note=_undecided(problem, evaluation) if status is Status.STALLED else "",
        kkt_data=evaluation.kkt_data,
        solver=solver,
    )


def in_float32(problem: PrimalProblem | MulticlassLinear, solution: Any, tol: float) -> Any | None:
    """The solution with weights and offsets that float32 has, evaluated there; None where rounding costs it its status.

    Two classes at once are stored as the difference of their scores: that is what is rounded.

    Parameters
    ----------
    problem : PrimalProblem or MulticlassLinear
        What was solved.
    solution : LinearSolution or MulticlassSolution
        Its solution.
    tol : float
        As in `solution_of`.
    """
    w, b = solution.weights, np.atleast_1d(solution.bias)
    pair = isinstance(problem, MulticlassLinear) and len(problem.classes) == 2
    with np.errstate(over="ignore"):
        w, b = ((np.diff(each, axis=0) if pair else each).astype(np.float32).astype(np.float64) for each in (w, b))
    if pair:
        w, b = (np.concatenate([-0.5 * each, 0.5 * each]) for each in (w, b))
    if not (np.isfinite(w).all() and np.isfinite(b).all()):
        return None
    offset = b if isinstance(problem, MulticlassLinear) else float(b[0])
    there = PrimalIterate(solution.status, solution.steps, False, solution.trace, w, offset, solution.alpha)
    rounded = solution_of(problem, there, tol, with_rows=solution.kkt_data is not None, solver=solution.solver)
    if rounded.status is not solution.status or not _survives_rounding(problem, rounded, tol):
        return None
    return replace(rounded, is_float32=True)


def _survives_rounding(problem: PrimalProblem | MulticlassLinear, solution: Any, tol: float) -> bool:
    """Whether scores that are rounded to float32, as the model gives them, keep the objective within what is promised.

    No logistic loss rises by more than a score does, or by more than twice the largest of a row.
    """
    scores = np.abs(solution.decision_function(problem.X))
    largest = scores if scores.ndim == 1 else 2.0 * scores.max(axis=1)
    off = _FLOAT32 * float((problem.cost * largest).sum())
    certificate = solution.certificate
    gap = max(0.0, certificate.gap) if solution.status.is_optimal else 0.0
    return bool(gap + off <= tol * certificate.primal_objective)


def _crammer_singer_status(reached: Status, evaluation: CrammerSingerEvaluation, tol: float, indefinite: bool) -> Status:
    """The status that the certificate supports."""
    if indefinite and evaluation.is_stationary(tol):
        return Status.INDEFINITE
    proven = None if indefinite else evaluation.verdict(tol)
    if proven is not None:
        return proven
    return Status.STALLED if reached in (Status.CONVERGED, Status.INFEASIBLE) else reached


def _undecided(problem: CrammerSinger, evaluation: CrammerSingerEvaluation) -> str:
    """That floating point cannot tell whether rows without slack can be put in their own classes."""
    if evaluation.least > 0.0 or not np.isinf(problem.upper).any():
        return ""
    return (
        "Floating point cannot decide whether any scores put every row in its own class: none were found, and no proof that"
        " there are none."
    )


@solution_of.register
def _(
    problem: KernelLogistic,
    iterate: KernelLogisticIterate,
    tol: float,
    deadline: Deadline | None = None,
    *,
    with_rows: bool = True,
    solver: str = "",
) -> KernelLogisticSolution:
    evaluation = certify_kernel_logistic(problem, iterate.beta, iterate.bias)
    status, gram = iterate.status, problem.gram
    if not gram.kernel.mercer and (status is Status.INDEFINITE or gram.is_indefinite()):
        if evaluation.violation <= tol:
            status = Status.INDEFINITE
        elif status in (Status.CONVERGED, Status.INDEFINITE):
            status = Status.STALLED
    elif evaluation.is_optimal(tol):
        status = Status.CONVERGED
    elif status.is_optimal:
        status = Status.STALLED
    late = deadline is not None and deadline.is_over()
    looked = status in (Status.STALLED, Status.ITERATION_LIMIT) and not late
    more = lost_digits(problem, iterate.beta, iterate.bias) if looked else 0.0
    every = np.arange(problem.n, dtype=np.int32)
    return KernelLogisticSolution(
        classes=problem.classes,
        coefficients=iterate.beta,
        bias=iterate.bias,
        status=status,
        certificate=Certificate.of(evaluation.primal + more, evaluation.dual - more, evaluation.violation, status),
        trace=iterate.trace,
        steps=iterate.steps,
        kernel=problem.gram.kernel,
        rows=problem.gram.rows(every) if with_rows else None,
        solver=solver,
    )
