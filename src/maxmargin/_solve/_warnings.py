"""Warnings about answers that are not optimal, or that tell nothing."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from maxmargin.errors import ConvergenceWarning, FitInterrupted, IndefiniteKernelWarning, InfeasibleError, NoMarginWarning
from maxmargin.solution import (
    BlockSolution,
    Certificate,
    CrammerSingerSolution,
    KernelLogisticSolution,
    LinearSolution,
    MulticlassSolution,
    Solution,
    SolutionBatch,
    Status,
)

__all__ = ["infeasible", "interrupted", "warning_of", "worst_warning"]

AnySolution = Solution | CrammerSingerSolution | KernelLogisticSolution | LinearSolution | MulticlassSolution | BlockSolution


def warning_of(solution: AnySolution) -> tuple[str, type[Warning]] | None:
    """The warning, as message and category; None if converged to something, or infeasible and not to be raised."""
    status, note = solution.status, _note_of(solution)
    if status.is_optimal and note:
        return note, NoMarginWarning
    if status.is_optimal or status is Status.INFEASIBLE:
        return None
    category = IndefiniteKernelWarning if status is Status.INDEFINITE else ConvergenceWarning
    said = f"{status.name}: {status.message} ({_distance(solution.certificate)}). "
    return f"{said}{note or status.advice}", category


def worst_warning(solutions: Sequence[AnySolution], names: Callable[[], list[str]]) -> tuple[str, type[Warning]] | None:
    """One warning for all subproblems of a fit: about the worst status, among equals the least precise, or about an optimum
    that separates nothing.

    Parameters
    ----------
    solutions : sequence
        Of the subproblems.
    names : callable
        Gives their names: seldom asked for.
    """
    if isinstance(solutions, SolutionBatch):  # no object for each of many problems
        statuses, notes = solutions.statuses, solutions.notes
        badness = solutions.certificates["violation"].tolist()
    else:
        statuses, notes = [each.status for each in solutions], [_note_of(each) for each in solutions]
        badness = [_badness(each) for each in solutions]
    if not any(notes) and all(status.is_optimal for status in statuses):
        return None
    empty = [bool(note) and status.is_optimal for status, note in zip(statuses, notes, strict=True)]
    worst = max(range(len(solutions)), key=lambda k: (statuses[k].severity, empty[k], badness[k]))
    said = warning_of(solutions[worst])
    if said is None or len(solutions) == 1:
        return said
    message, category = said
    if empty[worst]:
        return (
            f"{sum(empty)} of {len(solutions)} binary classifiers separate nothing; one is {names()[worst]}. {message}",
            category,
        )
    count = sum(not status.is_optimal for status in statuses)
    what = "have no certificate" if statuses[worst] is Status.INDEFINITE else "did not converge"
    return f"{count} of {len(solutions)} binary classifiers {what}; the worst is {names()[worst]}. {message}", category


def infeasible(solution: Solution | CrammerSingerSolution) -> InfeasibleError:
    """The error for a problem without an answer."""
    status = solution.status
    return InfeasibleError(
        f"{status.name}: {status.message}: {solution.proof} `solution.proof` of this exception has the weights."
        f" {status.advice}",
        solution,
    )


def interrupted(steps: int, solution: Callable[[], AnySolution]) -> FitInterrupted:
    """Answer Ctrl-C at once: the certificate, which may take a while, is made when it is asked for."""
    return FitInterrupted(
        f"Interrupted after {steps} steps. The exception's `solution` has the state at that moment.", solution
    )


def _note_of(solution: AnySolution) -> str:
    return solution.note if isinstance(solution, Solution | CrammerSingerSolution) else ""


def _badness(solution: AnySolution) -> float:
    certificate = solution.certificate
    return certificate.kkt_violation if isinstance(solution, Solution) else certificate.relative_gap


def _distance(certificate: Certificate) -> str:
    return f"relative gap {certificate.relative_gap:.2g}, KKT violation {certificate.kkt_violation:.2g}"
