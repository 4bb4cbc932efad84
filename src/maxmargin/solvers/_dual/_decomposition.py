"""Decomposition: q variables at a time, the others fixed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import final

import numpy as np
from numpy.typing import NDArray

from maxmargin.problems import DualProblem, Problem, inner
from maxmargin.solution import DualIterate, Evaluation, Status, evaluated
from maxmargin.solvers._dual._bare_dual import hardest, part
from maxmargin.solvers._dual._chunking import check_inner, gains
from maxmargin.solvers._dual._dual_qp import DualQP
from maxmargin.solvers._dual._watch import Watch, run_each
from maxmargin.solvers._runtime._base import Callback, DualSolver, Limits, Start
from maxmargin.validation import check_integer

__all__ = ["Decomposition"]

Vector = NDArray[np.float64]

_REFRESH = 100  # rounds after which the scores are computed anew


@final
@dataclass(frozen=True)
class Decomposition(DualSolver):
    """Minimise over q variables at a time, the others fixed: ``½ β_Bᵀ(K_BB + D_B) β_B + (q_B + K_BN β_N)ᵀ β_B``.

    The working set B has the variables along which the objective rises steepest, half of them rising and half falling (Osuna,
    Freund and Girosi 1997; Joachims 1999). The gradient is kept up to date by ``K_NB`` alone, so no more than q columns of K
    are held. The dual objective never falls. With ``q = 2`` it is sequential minimal optimisation. Its steps are rounds.

    Parameters
    ----------
    q : int
        Variables at a time, at least 2; where sums of both sides are kept, at least 4.
    inner : DualSolver
        Solves the small problems; `DualQP` by default.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from maxmargin import solve
    >>> from maxmargin.problems import SoftMargin
    >>> from maxmargin.solvers import Decomposition
    >>> X, y = load_iris(return_X_y=True)
    >>> solve(SoftMargin(X, y > 1), solver=Decomposition(q=20)).status.name
    'CONVERGED'
    """

    q: int = 40
    inner: DualSolver = field(default_factory=DualQP)

    def supports(self, problem: Problem) -> str | None:
        """Every problem that the inner solver can solve in q variables."""
        inner, dual = check_inner(self.inner, "Decomposition"), problem.dual
        q = check_integer("q", self.q, "Decomposition", 2)
        if dual.abs_sum is not None and q < 4:
            return f"it keeps a sum on each side, so a step needs two variables of each, and q is {q}. Set q to 4 or more."
        rows = hardest(problem, min(q, dual.n))
        reason = inner.supports(part(dual, rows, np.zeros(dual.n), np.zeros(dual.n))[0])
        return None if reason is None else f"{type(inner).__name__} inside it cannot solve the small problems: {reason}"

    def automatic_steps(self, n: int, n_classes: int = 2) -> int:
        """Rounds are expensive compared with pair steps."""
        return 100_000 + 10 * n

    def run(
        self,
        problems: Sequence[Problem],
        starts: Sequence[Start],
        limits: Limits,
        callback: Callback | None,
    ) -> list[DualIterate]:
        """Solve small problems until the KKT violation is at most ``tol``, or a limit is reached."""
        inner, q = check_inner(self.inner, "Decomposition"), check_integer("q", self.q, "Decomposition", 2)
        return run_each(problems, starts, limits, callback, lambda problem, start, watch: _run(start, watch, inner, q))


def _run(start: Start, watch: Watch, inner: DualSolver, q: int) -> Status:
    dual = watch.dual
    beta, scores = start.beta, start.scores
    evaluation = watch.see(beta, scores, 0)
    every = np.arange(dual.n, dtype=np.int32)
    aim, fresh = 0.1, True
    while watch.status is None or (watch.status is Status.CONVERGED and not fresh):
        rounds = watch.steps + 1
        if watch.status is Status.CONVERGED or rounds % _REFRESH == 0:
            scores, fresh = dual.gram.matvec(beta), True
            evaluation = watch.see(beta, scores, rounds)
            continue
        chosen = _working_set(dual, beta, evaluation, q)
        problem, within = part(dual, chosen, beta, scores)
        small = Limits(aim * evaluation.kkt_violation, 1_000_000, watch.left(0.0).max_seconds)
        (found,) = inner.run([problem], [Start(beta[chosen], within)], small, None)
        if found.interrupted:
            raise KeyboardInterrupt
        change = found.beta - beta[chosen]
        if not _is_better(problem.dual, beta[chosen], found.beta, within, evaluation.dual):
            if aim < 1e-6:
                return Status.STALLED
            aim, fresh = 0.1 * aim, True
            scores = dual.gram.matvec(beta)
            evaluation = watch.see(beta, scores, rounds)
            continue
        aim, fresh = 0.1, False
        moved = change != 0
        beta = beta.copy()
        beta[chosen] = found.beta
        # not by BLAS, whose sums have an order that depends on its threads
        scores = scores + np.einsum("ij,j->i", dual.gram.block(every, chosen[moved]), change[moved])
        evaluation = watch.see(beta, scores, rounds)
    return watch.status


def _working_set(dual: DualProblem, beta: Vector, evaluation: Evaluation, q: int) -> NDArray[np.intp]:
    """The variables that gain most by rising and by falling; where each side keeps its sum, of each side."""
    rise, fall = gains(dual, beta, evaluation)
    sides = dual.abs_sum is not None
    groups = [rise, fall]  # both also without an offset: what all rows have in common changes only if some rise and some fall
    if sides:
        groups = [np.where(beta >= 0, rise, -np.inf), np.where(beta > 0, fall, -np.inf)]
        groups += [np.where(beta < 0, rise, -np.inf), np.where(beta <= 0, fall, -np.inf)]
    share = max(1, min(q, dual.n) // len(groups))
    chosen = np.zeros(dual.n, dtype=np.bool_)
    for gain in groups:
        order = np.argsort(-gain, kind="stable")[:share]
        chosen[order[np.isfinite(gain[order])]] = True
    return np.flatnonzero(chosen)


def _is_better(dual: DualProblem, before: Vector, after: Vector, scores: Vector, objective: float) -> bool:
    """Whether the objective rises; or stays but for rounding, while the violation falls: a variable put on its bound."""
    rise = _rise(dual, before, after, scores)
    if rise > 0 or rise < -1e-14 * abs(objective):
        return rise > 0
    later = evaluated(dual, after, dual.gram.matvec(after))
    return later.kkt_violation < 0.5 * evaluated(dual, before, scores).kkt_violation


def _rise(dual: DualProblem, before: Vector, after: Vector, scores: Vector) -> float:
    """By how much the dual objective rises, from the difference alone, so that it is exact also when it is small.

    −∞ for a point that does not keep the sum: whatever an inner solver brings, the outer point stays feasible.
    """
    change = after - before
    if dual.offset and abs(float(change.sum())) > 1e-11 * float(np.abs(after).sum() + np.abs(before).sum()):
        return -np.inf
    curved = dual.gram.matvec(change) + (0.0 if dual.D is None else dual.D * change)
    bent = dual.l1_weight * float((np.abs(after) - np.abs(before)).sum())
    return -inner(change, dual.gradient(before, scores) + 0.5 * curved) - bent
