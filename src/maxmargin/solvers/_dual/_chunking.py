"""Chunking: solve a part, keep its support vectors, add what violates most."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import final

import numpy as np
from numpy.typing import NDArray

from maxmargin.problems import DualProblem, Problem
from maxmargin.solution import DualIterate, Evaluation, Status
from maxmargin.solvers._dual._bare_dual import hardest, part
from maxmargin.solvers._dual._smo import SMO
from maxmargin.solvers._dual._watch import Watch, run_each
from maxmargin.solvers._runtime._base import Callback, DualSolver, Limits, Start
from maxmargin.validation import check_integer, reject

__all__ = ["Chunking", "check_inner", "gains"]

Vector = NDArray[np.float64]


@final
@dataclass(frozen=True)
class Chunking(DualSolver):
    """Solve a chunk of the rows with any solver, keep its support vectors, and add the worst violators of the rest.

    Rows outside the chunk have ``β = 0``. When none of them violates the optimality conditions, the chunk's optimum is that of
    all rows (Vapnik 1982; Boser, Guyon and Vapnik 1992). Every chunk holds the support vectors of the last, so the dual
    objective never falls. Chunking pays off if support vectors are few. Its steps are those of the inner solver.

    Parameters
    ----------
    inner : DualSolver
        Solves the chunks; `SMO` by default.
    size : int
        Rows of the first chunk, and the largest number added at once.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from maxmargin import solve
    >>> from maxmargin.problems import SoftMargin
    >>> from maxmargin.solvers import Chunking, DualQP
    >>> X, y = load_iris(return_X_y=True)
    >>> solve(SoftMargin(X, y > 1), solver=Chunking(inner=DualQP(), size=20)).status.name
    'CONVERGED'
    """

    inner: DualSolver = field(default_factory=SMO)
    size: int = 100

    def supports(self, problem: Problem) -> str | None:
        """Every problem of which the inner solver can solve a chunk."""
        inner, dual = check_inner(self.inner, "Chunking"), problem.dual
        rows = hardest(problem, min(check_integer("size", self.size, "Chunking", 2), dual.n))
        reason = inner.supports(part(dual, rows, np.zeros(dual.n), np.zeros(dual.n))[0])
        return None if reason is None else f"{type(inner).__name__} inside it cannot solve a chunk: {reason}"

    def automatic_steps(self, n: int, n_classes: int = 2) -> int:
        """Those of the inner solver."""
        return self.inner.automatic_steps(n)

    def run(
        self,
        problems: Sequence[Problem],
        starts: Sequence[Start],
        limits: Limits,
        callback: Callback | None,
    ) -> list[DualIterate]:
        """Solve chunks until no row violates the optimality conditions by more than ``tol``, or a limit is reached."""
        inner, size = check_inner(self.inner, "Chunking"), check_integer("size", self.size, "Chunking", 2)
        return run_each(problems, starts, limits, callback, lambda problem, start, watch: _run(start, watch, inner, size))


def check_inner(inner: object, owner: str) -> DualSolver:
    """The solver inside another."""
    if not isinstance(inner, DualSolver):
        raise reject("inner", inner, owner, "a solver of maxmargin.solvers")
    return inner


def _run(start: Start, watch: Watch, inner: DualSolver, size: int) -> Status:
    dual = watch.dual
    beta, scores = start.beta, start.scores
    evaluation = watch.see(beta, scores, 0)
    aim = 0.5 * watch.limits.tol
    chunk = np.union1d(np.flatnonzero(beta), _spread(dual, size))
    while watch.status is None:
        problem, within = part(dual, chunk, beta, scores)
        if inner.supports(problem) is not None:
            return Status.STALLED  # the chunk has become too large for it
        began = watch.elapsed()
        (found,) = inner.run([problem], [Start(beta[chunk], within)], watch.left(aim), None)
        if found.interrupted:
            raise KeyboardInterrupt
        watch.pass_by(found.trace, began)  # outside of the chunk β = 0: its objective is that of all rows
        later = beta.copy()
        later[chunk] = found.beta
        later_scores = dual.gram.matvec(later)
        seen = watch.see(later, later_scores, watch.steps + max(1, found.steps))
        if _is_better(seen, evaluation):
            beta, scores, evaluation = later, later_scores, seen
        else:
            # The chunk was solved, and no row outside of it helps: a sharper aim is all that is left.
            watch.see(beta, scores, watch.steps)
            if watch.status is None and aim < 1e-4 * watch.limits.tol:
                return Status.STALLED
            aim *= 0.1
        chunk = np.union1d(np.flatnonzero(beta), _worst(dual, beta, evaluation, size))
    return watch.status


def _is_better(later: Evaluation, before: Evaluation) -> bool:
    """Whether the objective rises; or stays but for rounding, while the violation falls."""
    if later.infeasibility > max(1e-11, before.infeasibility):
        return False
    as_good = later.dual >= before.dual - 1e-14 * abs(before.dual)
    return later.dual > before.dual or (as_good and later.kkt_violation < 0.5 * before.kkt_violation)


def _spread(dual: DualProblem, size: int) -> NDArray[np.intp]:
    """Rows to begin with: evenly over all that may rise, and over all that may fall."""
    groups = [np.flatnonzero(dual.upper > 0), np.flatnonzero(dual.lower < 0)]
    chosen = [group[np.linspace(0, len(group) - 1, min(len(group), max(1, size // 2))).astype(np.intp)] for group in groups]
    return np.unique(np.concatenate(chosen))


def gains(dual: DualProblem, beta: Vector, evaluation: Evaluation) -> tuple[Vector, Vector]:
    """By how much each variable would gain by rising and by falling, at the multipliers of the evaluation; −∞ if it cannot."""
    gradient = dual.gradient(beta, evaluation.scores) + evaluation.bias
    bend = dual.l1_weight + evaluation.cost
    rise = -np.where(beta >= 0, gradient + bend, gradient - bend)
    fall = np.where(beta <= 0, gradient - bend, gradient + bend)
    return np.where(beta < dual.upper, rise, -np.inf), np.where(beta > dual.lower, fall, -np.inf)


def _worst(dual: DualProblem, beta: Vector, evaluation: Evaluation, size: int) -> NDArray[np.intp]:
    """The rows outside the chunk, β = 0, that violate most."""
    chosen = np.zeros(dual.n, dtype=np.bool_)
    for gain in gains(dual, beta, evaluation):  # as many of those that rise as of those that fall: a sum needs both
        outside = np.where(beta == 0, gain, -np.inf)
        order = np.argsort(-outside, kind="stable")[: max(1, size // 2)]
        chosen[order[outside[order] > 0]] = True
    return np.flatnonzero(chosen)
