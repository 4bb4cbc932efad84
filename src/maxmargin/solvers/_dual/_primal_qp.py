"""The primal of a linear subproblem, handed to a general solver of quadratic programs as the lectures build it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, final

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from maxmargin.problems import EpsilonRegression, HardMargin, Offset, Problem, Slack, SoftMargin
from maxmargin.solution import DualIterate, Status
from maxmargin.solvers._dual._face_finish import finished
from maxmargin.solvers._dual._watch import Watch, run_each
from maxmargin.solvers._programs._process import Program, check_backend, minimised
from maxmargin.solvers._runtime._base import Callback, DualSolver, Limits, Origin, Start

__all__ = ["PrimalQP"]

Vector = NDArray[np.float64]

_MOST_VARIABLES = 20_000
_MOST_ENTRIES = 2_000_000
_MOST_FEATURES = 1_000  # they meet each other in the factor, which is dense there


@final
@dataclass(frozen=True)
class PrimalQP(DualSolver):
    """The primal program of a linear kernel in ``u = (b, w, ξ)``: ``min ½ uᵀQu + pᵀu`` subject to ``A u ≥ c``.

    This is the form of Abu-Mostafa, Magdon-Ismail and Lin (Learning from Data, 2012). A hard margin has ``Q = diag(0, I)``, ``p
    = 0``, and a row ``y_i (1, x_iᵀ)`` with ``c_i = 1`` for each example. Linear slack has ``p = C`` at ξ, an identity beside
    these rows, and the rows ``ξ ≥ 0``; squared slack has ``2C`` on the diagonal of Q instead. Regression has two slacks for
    each row, above and below the tube. Without an offset, b is left out; a penalised offset has a 1 in Q. The multipliers z of
    the rows are the dual variables: ``β_i = y_i z_i``, for a regression the difference of two. If a hard margin has no
    solution, they prove it.

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
    >>> from maxmargin.problems import HardMargin
    >>> from maxmargin.solvers import PrimalQP
    >>> solution = solve(HardMargin([[0.0], [1.0], [3.0]], [0, 0, 1], kernel=Linear()), solver=PrimalQP())
    >>> solution.weights.round(9), round(solution.bias, 9)
    (array([1.]), -2.0)
    """

    takes_start: ClassVar[bool] = False

    solver: str = "piqp"

    def supports(self, problem: Problem) -> str | None:
        """Soft margin, hard margin and ε-regression with a linear kernel, while they are not too large."""
        if not isinstance(problem, SoftMargin | HardMargin | EpsilonRegression):
            return "its primal is built for SoftMargin, HardMargin and EpsilonRegression only. Use DualQP() or SMO()."
        factor = problem.gram.factor()
        if factor is None:
            return "the primal has weights of features, so it needs kernels.Linear(). Use DualQP() or SMO()."
        n, d = factor.rows.shape
        count = 1 + d + n * _slacks(problem)
        if count > _MOST_VARIABLES or n * d > _MOST_ENTRIES or d > _MOST_FEATURES:
            return (
                f"it has {count} variables in {n} rows of {d} features; at most {_MOST_VARIABLES} variables, {_MOST_FEATURES}"
                f" features and {_MOST_ENTRIES} entries are taken. Use SMO()."
            )
        return None

    def run(
        self,
        problems: Sequence[Problem],
        starts: Sequence[Start],
        limits: Limits,
        callback: Callback | None,
    ) -> list[DualIterate]:
        """Solve each primal; a start that was evaluated is only finished, as interior points cannot begin at one."""
        name = check_backend(self.solver, "PrimalQP")
        return run_each(problems, starts, limits, callback, lambda problem, start, watch: _run(problem, start, watch, name))


def _run(problem: Problem, start: Start, watch: Watch, name: str) -> Status:
    watch.see(start.beta, start.scores, 0)
    if watch.status is not None:
        return watch.status
    near, rounds, word = start.beta, 1, Status.CONVERGED
    if start.origin is not Origin.RESUMED:
        outcome = minimised(_program(problem), name, watch.limits.max_steps, watch.is_late)
        if outcome is None:
            return Status.TIME_LIMIT
        watch.pass_rounds([(-bound, value) for value, bound in outcome.passed], outcome.seconds)
        rounds, word = max(1, outcome.rounds), outcome.status
        near = _beta(problem, np.maximum(outcome.multipliers, 0.0), start.beta)
    point, scores = finished(watch.dual, near, watch.limits.tol, watch)
    watch.see(point, scores, rounds)
    if watch.status is Status.CONVERGED or watch.status is Status.TIME_LIMIT or watch.status is Status.INTERRUPTED:
        return watch.status
    return Status.ITERATION_LIMIT if word is Status.ITERATION_LIMIT else Status.STALLED


def _slacks(problem: Problem) -> int:
    """How many each row has."""
    if isinstance(problem, EpsilonRegression):
        return 2 if np.isfinite(problem.upper).all() else 0
    return 0 if isinstance(problem, HardMargin) else 1


def _program(problem: Problem) -> Program:
    """Q, p, A and c in the variables (b, w, ξ)."""
    factor = problem.gram.factor()
    assert factor is not None  # supports() said so
    X = sparse.csr_matrix(factor.rows, dtype=np.float64)
    n, d = X.shape
    b_in_q, has_b = _offset(problem)
    ones = np.ones((n, int(has_b)))
    if isinstance(problem, EpsilonRegression):
        rows = sparse.hstack((ones, X))
        A, c = sparse.vstack((rows, -rows)), np.concatenate((problem.y, -problem.y)) - problem.epsilon
        cost = np.concatenate((problem.upper, problem.upper))
    else:
        A, c = sparse.hstack((problem.y[:, np.newaxis] * ones, sparse.diags(problem.y) @ X)), np.ones(n)
        cost = problem.upper if isinstance(problem, SoftMargin) else np.empty(0)
    squared = isinstance(problem, SoftMargin) and problem.slack is Slack.SQUARED
    slacks = len(cost) if _slacks(problem) else 0
    Q = np.concatenate((np.full(int(has_b), b_in_q), np.ones(d), 2.0 * cost if squared else np.zeros(slacks)))
    p = np.concatenate((np.zeros(int(has_b) + d), np.zeros(slacks) if squared else cost[:slacks]))
    if slacks:
        A = sparse.hstack((A, sparse.identity(slacks)))
    if slacks and not squared:
        positive: Any = sparse.hstack((sparse.csr_matrix((slacks, int(has_b) + d)), sparse.identity(slacks)))
        A, c = sparse.vstack((A, positive)), np.concatenate((c, np.zeros(slacks)))
    return Program(sparse.csc_matrix(sparse.diags(Q)), p, sparse.csc_matrix(A), c)


def _offset(problem: Problem) -> tuple[float, bool]:
    """What the offset has in Q, and whether there is one."""
    if isinstance(problem, SoftMargin):
        return (1.0 if problem.offset is Offset.PENALISED else 0.0), problem.offset is not Offset.NONE
    assert isinstance(problem, HardMargin | EpsilonRegression)  # supports() said so
    return 0.0, problem.offset


def _beta(problem: Problem, multipliers: Vector, start: Vector) -> Vector:
    """The dual point of the canonical problem from the multipliers of the examples' rows."""
    n = len(problem.y)
    if isinstance(problem, EpsilonRegression):
        return np.asarray(multipliers[:n] - multipliers[n : 2 * n])
    alpha = multipliers[:n]
    if isinstance(problem, SoftMargin):
        return np.asarray(problem.y * alpha)
    if not _offset(problem)[1]:
        return alpha / alpha.sum() if alpha.sum() > 0 else start
    # Nearest points: the weights of each class sum to 1. For an infeasible program the multipliers grow without end, and their
    # direction is the two equal points.
    sums = [float(alpha[problem.y == sign].sum()) for sign in (1.0, -1.0)]
    if min(sums) <= 0:
        return start
    return np.asarray(np.where(problem.y > 0, alpha / sums[0], -alpha / sums[1]))
