"""From a point of a dual problem and its evaluation to the solution: its status, its certificate, what is kept of the rows."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from maxmargin.errors import InvalidInput
from maxmargin.problems import Problem, inner
from maxmargin.solution._certificate import Certificate
from maxmargin.solution._certify import Evaluation, allowed_gap
from maxmargin.solution._iterate import DualIterate
from maxmargin.solution._solution import Solution
from maxmargin.solution._status import Status
from maxmargin.solution._trace import Checkpoint

__all__ = ["dual_solution", "is_indefinite", "verdict", "worth_keeping"]

_FEW = 1000


def dual_solution(
    problem: Problem,
    iterate: DualIterate,
    evaluation: Evaluation,
    tol: float,
    seconds: float,
    *,
    with_rows: bool = True,
    solver: str = "",
) -> Solution:
    """The solution at a point, with the status that its evaluation supports.

    Parameters
    ----------
    problem : Problem
        The question.
    iterate : DualIterate
        The solver's last point.
    evaluation : Evaluation
        Its evaluation.
    tol : float
        Largest KKT violation of a converged answer.
    seconds : float
        How long it took, for the end of the trace.
    with_rows : bool
        Whether to keep the support vectors themselves; an estimator has them already.
    solver : str
        The name of the solver.

    Examples
    --------
    >>> from maxmargin.kernels import Linear
    >>> from maxmargin.problems import SoftMargin
    >>> from maxmargin.solution import certify
    >>> from maxmargin.solution._dual_solution import dual_solution
    >>> from maxmargin.solvers import SMO, Limits, Start
    >>> problem = SoftMargin([[-1.0], [1.0]], [-1, 1], kernel=Linear())
    >>> limits = Limits(tol=1e-3, max_steps=100)
    >>> (iterate,) = SMO().run([problem], [Start.zero(problem.dual)], limits, None)
    >>> dual_solution(problem, iterate, certify(problem, iterate.beta), tol=1e-3, seconds=0.1).weights
    array([1.])
    """
    model, gram = problem.model(iterate.beta, evaluation), problem.gram
    if math.isnan(model.primal) or math.isnan(model.dual):
        raise InvalidInput(_why_not_finite(problem, iterate))
    # To look for a proof may take long.
    proof = None if iterate.status is Status.TIME_LIMIT else problem.proof(iterate.beta, evaluation)
    indefinite = is_indefinite(problem, iterate, evaluation)
    status = Status.INFEASIBLE if proof is not None else _status(problem, iterate, evaluation, tol, indefinite)
    violation = problem.unit(evaluation) * evaluation.kkt_violation
    certificate = Certificate.of(
        model.primal if proof is None else math.inf,
        model.dual,
        violation,
        status,
        indefinite=indefinite,
        scale=evaluation.scale,
    )
    support, boundary = evaluation.support.astype(np.intp), evaluation.boundary.astype(np.intp)  # numpy takes others slowly
    counting = np.concatenate([evaluation.support, evaluation.boundary])
    y, scores = problem.y.take(boundary), model.scores.take(boundary)
    deficit = model.slack_rule.deficit(y, scores)
    kept = with_rows and status.is_optimal and worth_keeping(deficit, len(support), violation)
    few = with_rows and gram.kernel.is_precomputed and status.is_optimal and len(counting) <= _FEW
    # The engine's own last checkpoint is before its finish: the point that was evaluated ends the trace.
    last = Checkpoint(
        seconds, iterate.steps, evaluation.dual, evaluation.kkt_violation, len(evaluation.support), evaluation.gap
    )
    return Solution(
        n=len(evaluation.scores),
        support=evaluation.support,
        beta=model.beta.take(support),
        support_scores=model.scores.take(support),
        support_y=problem.y.take(support),
        boundary=evaluation.boundary,
        boundary_deficit=deficit,
        bias=model.bias,
        bias_interval=model.bias_interval,
        status=status,
        certificate=certificate,
        trace=iterate.trace.closed_by(last) if with_rows else iterate.trace,  # beside an estimator's stands the certificate
        steps=iterate.steps,
        kernel=gram.kernel,
        support_vectors=gram.rows(evaluation.support) if with_rows else None,
        slack_rule=model.slack_rule,
        proof=proof,
        kkt_data=problem.kkt_data(evaluation).at(counting),
        note=_note_of(problem, evaluation, status),
        boundary_side=model.slack_rule.side(y, scores, np.zeros(len(y))),
        boundary_rows=gram.rows(evaluation.boundary) if kept else None,
        products=gram.block(counting, counting) if few else None,
        classes=problem.classes,
        solver=solver,
    )


def _why_not_finite(problem: Problem, iterate: DualIterate) -> str:
    """What a search ran into that has no objective at its end: a dual without end, or numbers beyond float64."""
    dual = problem.dual
    endless = not (np.isfinite(dual.lower).all() and np.isfinite(dual.upper).all())
    if endless and not problem.gram.kernel.mercer and (iterate.indefinite or problem.gram.is_indefinite()):
        return (
            f"The dual of {type(problem).__name__} rises without end: its kernel matrix is not positive semidefinite, and its"
            " variables have no bounds. Use linear slack, whose C is a bound, a smaller C, or another kernel."
        )
    return "The objective is not finite: kernel values, targets or C are too large. Scale the features and y."


def _note_of(problem: Problem, evaluation: Evaluation, status: Status) -> str:
    """What to say about an optimum that tells nothing, or of what could not be decided; empty for all others."""
    if status is Status.STALLED:
        return problem.undecided(evaluation)
    return problem.note(evaluation) if status.is_optimal else ""


def worth_keeping(deficit: NDArray[np.float64], n_support: int, violation: float) -> bool:
    """Whether rows near the boundary are on it, and not too many: without a margin they could be all."""
    return len(deficit) <= max(n_support, _FEW) and float(deficit.max(initial=0.0)) <= 10.0 * violation + 1e-3


def is_indefinite(problem: Problem, iterate: DualIterate, evaluation: Evaluation) -> bool:
    """Whether the kernel has negative curvature. What is known to be a Mercer kernel shows only rounding.

    Other kernels are checked as a whole where they are small: at a stationary point the gap is 0 for any matrix.
    """
    if problem.gram.kernel.mercer:
        return False
    gram = problem.gram
    rounding = gram.value_rounding * inner(np.square(iterate.beta), np.abs(gram.diagonal()))
    if iterate.indefinite or evaluation.square_norm < -max(rounding, 1e-9 * max(abs(evaluation.primal), abs(evaluation.dual))):
        return True
    return gram.is_indefinite()


def verdict(problem: Problem, evaluation: Evaluation, tol: float) -> Status | None:
    """CONVERGED or ZERO_OPTIMUM if the evaluation proves it, else None.

    Converged is a point that is stationary within ``tol``, with a gap of at most ``max(tol, 1e-3)`` of its primal objective.
    """
    if not evaluation.is_stationary(tol / problem.unit(evaluation)):
        return None
    primal, dual = problem.objectives(evaluation)
    if math.isfinite(primal) and primal - dual <= allowed_gap(tol) * abs(primal):
        return Status.CONVERGED
    return Status.ZERO_OPTIMUM if problem.can_be_zero and evaluation.is_zero else None


def _status(problem: Problem, iterate: DualIterate, evaluation: Evaluation, tol: float, indefinite: bool) -> Status:
    """The status that the certificate supports."""
    if indefinite and evaluation.kkt_violation <= tol / problem.unit(evaluation):
        return Status.INDEFINITE
    proven = None if indefinite else verdict(problem, evaluation, tol)
    if proven is not None:
        return proven
    return Status.STALLED if iterate.status is Status.CONVERGED else iterate.status
