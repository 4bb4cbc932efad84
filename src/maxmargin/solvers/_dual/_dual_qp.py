"""The dual of any formulation, handed to a general solver of quadratic programs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, final

import numpy as np
from numpy.typing import NDArray

from maxmargin.problems import DualProblem, Problem
from maxmargin.solution import DualIterate, Status
from maxmargin.solvers._dual._face_finish import finished
from maxmargin.solvers._dual._watch import Watch, run_each
from maxmargin.solvers._programs._process import Program, check_backend, minimised
from maxmargin.solvers._runtime._base import Callback, DualSolver, Limits, Origin, Start

__all__ = ["DualQP"]

Vector = NDArray[np.float64]

_MOST_VARIABLES = 4000
_NO_CURVATURE = "its kernel matrix is not positive semidefinite, and a general QP solver needs a convex program. Use SMO()."


@final
@dataclass(frozen=True)
class DualQP(DualSolver):
    """The canonical dual by a general QP solver: ``min ½ βᵀ(K + D) β + qᵀβ + l1_weight Σ|β|`` within its bounds and sums.

    The whole matrix is formed, as in ``QP(Q_D, −1, A_D, 0)`` of Abu-Mostafa, Magdon-Ismail and Lin (2012). Where ``|β|``
    appears in the program, a variable that may have either sign is split into the difference of two. Interior-point methods
    leave every variable slightly inside its bounds; an active-set finish puts them on the bounds, so that support vectors can
    be counted.

    A long run of the general solver takes place in a separate process; a time limit or Ctrl-C ends it, and the result is the
    starting point. The callback is called before and after the run. The steps are those of the general solver. For a long run
    of PIQP the trace has one checkpoint per round, about twenty, with the objectives that PIQP prints. Other solvers and short
    runs cannot be observed: their trace has only the start and the end.

    Parameters
    ----------
    solver : str
        ``"piqp"``, or another by its name in the package qpsolvers.

    Examples
    --------
    >>> from maxmargin import solve
    >>> from maxmargin.kernels import Linear
    >>> from maxmargin.problems import SoftMargin
    >>> from maxmargin.solvers import DualQP
    >>> solution = solve(SoftMargin([[-1.0], [1.0]], [-1, 1], C=10.0, kernel=Linear()), solver=DualQP())
    >>> solution.alpha.round(9), solution.status.name
    (array([0.5, 0.5]), 'CONVERGED')
    """

    takes_start: ClassVar[bool] = False

    solver: str = "piqp"

    def supports(self, problem: Problem) -> str | None:
        """All formulations, while the matrix is small enough to be held and factored, and not indefinite."""
        dual = problem.dual
        count = dual.n + len(_doubled(dual))
        if count > _MOST_VARIABLES:
            size = 8.0 * count * count / 2.0**20
            return (
                f"it has {count} variables, and the matrix of a general QP solver would take {size:.0f} MB several times over;"
                f" at most {_MOST_VARIABLES} are taken. Use SMO(), or this one inside Chunking or Decomposition."
            )
        if not problem.gram.kernel.mercer and dual.gram.is_indefinite():
            return _NO_CURVATURE
        return None

    def run(
        self,
        problems: Sequence[Problem],
        starts: Sequence[Start],
        limits: Limits,
        callback: Callback | None,
    ) -> list[DualIterate]:
        """Solve each problem's dual; a start that was evaluated is only finished, as interior points cannot begin at one."""
        name = check_backend(self.solver, "DualQP")
        return run_each(problems, starts, limits, callback, lambda problem, start, watch: _run(start, watch, name))


def _run(start: Start, watch: Watch, name: str) -> Status:
    dual = watch.dual
    watch.see(start.beta, start.scores, 0)
    if watch.status is not None:
        return watch.status
    near, rounds, word = start.beta, 1, Status.CONVERGED
    if start.origin is not Origin.RESUMED:
        outcome = minimised(_program(dual, watch.matrix()), name, watch.limits.max_steps, watch.is_late)
        if outcome is None:
            return Status.TIME_LIMIT
        watch.pass_rounds([(value, -bound) for value, bound in outcome.passed], outcome.seconds)
        near, rounds, word = _joined(dual, outcome.u), max(1, outcome.rounds), outcome.status
    point, scores = finished(dual, near, watch.limits.tol, watch)
    watch.see(point, scores, rounds)
    if watch.status is Status.CONVERGED or watch.status is Status.TIME_LIMIT or watch.status is Status.INTERRUPTED:
        return watch.status
    return Status.ITERATION_LIMIT if word is Status.ITERATION_LIMIT else Status.STALLED


def _doubled(dual: DualProblem) -> NDArray[np.intp]:
    """Variables of both signs, where the program has their size in it."""
    if dual.l1_weight == 0 and dual.abs_sum is None:
        return np.empty(0, dtype=np.intp)
    return np.flatnonzero((dual.lower < 0) & (dual.upper > 0))


def _program(dual: DualProblem, K: NDArray[np.float64]) -> Program:
    """The variables as they are; those that are doubled as positive parts, and their negative parts behind."""
    n, twice = dual.n, _doubled(dual)
    every = np.arange(n, dtype=np.int32)
    Q = 0.5 * (K + K.T)
    if dual.D is not None:
        Q[every, every] += dual.D
    sign = np.where(dual.upper > 0, 1.0, -1.0)
    sign[twice] = 1.0
    size = np.concatenate((sign, np.ones(len(twice))))  # |β| is this times the variables
    lower, upper = dual.lower.copy(), np.concatenate((dual.upper, -dual.lower[twice]))
    lower[twice] = 0.0
    lower = np.concatenate((lower, np.zeros(len(twice))))
    linear = np.concatenate((dual.q, -dual.q[twice])) + dual.l1_weight * size
    if len(twice):
        Q = np.block([[Q, -Q[:, twice]], [-Q[twice], Q[np.ix_(twice, twice)]]])
    sums, amounts = [], []
    if dual.offset:
        sums.append(np.concatenate((np.ones(n), -np.ones(len(twice)))))
        amounts.append(dual.total)
    if dual.abs_sum is not None and not dual.abs_sum_may_fall:
        sums.append(size)
        amounts.append(dual.abs_sum)
    falls = dual.abs_sum is not None and dual.abs_sum_may_fall
    return Program(
        Q=Q,
        p=linear,
        G=-size[np.newaxis] if falls else None,
        h=np.array([-float(dual.abs_sum or 0.0)]) if falls else None,
        E=np.array(sums) if sums else None,
        e=np.array(amounts) if sums else None,
        lower=lower,
        upper=upper,
    )


def _joined(dual: DualProblem, u: Vector) -> Vector:
    """β from the variables of the program."""
    twice = _doubled(dual)
    beta = u[: dual.n].copy()
    beta[twice] -= u[dual.n :]
    return beta
