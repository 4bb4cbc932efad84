"""A linear model whose penalty and loss are made of lines: a linear program, handed to HiGHS."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any, Final, final

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.optimize import linprog

from maxmargin.losses import EpsilonInsensitive, Hinge
from maxmargin.problems import Offset, Penalty, PrimalProblem
from maxmargin.solution import Status
from maxmargin.solvers._base import Callback, Limits
from maxmargin.solvers._primal_base import PrimalIterate, PrimalSolver
from maxmargin.solvers._primal_watch import PrimalWatch

__all__ = ["LinearProgram"]

Vector = NDArray[np.float64]

_PRECISE: Final = 1e-10  # the least tolerance that HiGHS takes
_PIVOTS: Final = 1000  # of the simplex method in a step


@final
@dataclass(frozen=True)
class LinearProgram(PrimalSolver):
    """``|w|₁ + Σ C_i ξ_i`` with the hinge or the ε-insensitive loss, as a linear program for HiGHS (Huangfu and Hall 2018).

    What is handed over is the dual: maximise ``Σ α_i`` with ``|Σ α_i y_i x_ik| ≤ 1`` for each feature, ``0 ≤ α_i ≤ C_i`` and,
    for a free offset, ``Σ α_i y_i = 0``. Its multipliers are the weights, and that of the last equation is the offset. The
    simplex method ends at a corner: weights are exactly 0 or not. For the ε-insensitive loss α has a positive and a negative
    part, and what is maximised is ``Σ y_i β_i − ε|β_i|``. X is copied, as columns in float64.

    For ten thousands of rows with some hundred features, or the other way round; with many of both it is slow: set
    ``max_time``. A run of HiGHS that meets it has no weights to show, and the answer is ``w = 0``. Callback and Ctrl-C are
    looked at before the run and after it. A step is a thousand pivots of the simplex method.

    Examples
    --------
    >>> from maxmargin import solve
    >>> from maxmargin.problems import PrimalProblem
    >>> from maxmargin.solvers import LinearProgram
    >>> problem = PrimalProblem([[-2.0, 0.1], [2.0, 0.1], [3.0, -0.1]], [0, 1, 1], loss="hinge", penalty="l1")
    >>> solution = solve(problem, solver=LinearProgram())
    >>> solution.status.name, solution.weights, solution.certificate.primal_objective
    ('CONVERGED', array([0.5, 0. ]), 0.5)
    """

    def supports(self, problem: PrimalProblem) -> str | None:
        """L1 penalty; hinge and ε-insensitive loss."""
        if problem.penalty is not Penalty.L1:
            return "its objective is made of lines: penalty='l1' only."
        if not isinstance(problem.loss, Hinge | EpsilonInsensitive):
            return f"it needs the hinge or the ε-insensitive loss, and this one is {problem.loss!r}. Take ProximalNewton."
        return None

    def automatic_steps(self, n: int) -> int:
        """More than any program of a size that ends takes."""
        return 1_000 + n

    def run(self, problem: PrimalProblem, limits: Limits, callback: Callback | None) -> PrimalIterate:
        """Solve the program, unless a limit is reached before its end: then ``w = 0``."""
        begin = time.perf_counter()
        watch = PrimalWatch(problem, limits, callback, rows_a_step=problem.n)
        try:
            watch.see(np.zeros(problem.d), 0.0, [], 0)
            if watch.status is not None:
                return watch.iterate(watch.status)
            return _solved(problem, limits, watch, begin)
        except KeyboardInterrupt:
            return watch.iterate(Status.INTERRUPTED, by_signal=True)


def _solved(problem: PrimalProblem, limits: Limits, watch: PrimalWatch, begin: float) -> PrimalIterate:
    """Hand the dual over, and read weights off its multipliers."""
    gain, columns, price = _columns(problem)
    # |Σ| ≤ 1 as two inequalities, and an equation for a free offset.
    free = problem.offset is Offset.FREE
    bounded, even = (columns[:-1], columns[-1:]) if free else (columns, None)
    options: dict[str, Any] = {"primal_feasibility_tolerance": _PRECISE, "dual_feasibility_tolerance": _PRECISE}
    if limits.max_seconds > 0:
        options["time_limit"] = max(1e-3, limits.max_seconds - (time.perf_counter() - begin))
    found = linprog(
        -gain,
        A_ub=sparse.vstack([bounded, -bounded], format="csc"),
        b_ub=np.ones(2 * bounded.shape[0]),
        A_eq=even,
        b_eq=np.zeros(1) if free else None,
        bounds=np.column_stack([np.zeros(len(price)), price]),
        method="highs-ds",
        options={**options, "maxiter": min(_PIVOTS * limits.max_steps, 2**31 - 1)},
    )
    steps = -(-int(found.nit) // _PIVOTS)
    if found.status == 0:
        w, b = _weights(problem, found, bounded.shape[0])
        watch.see(w, b, [_multipliers(problem, found.x, price)], max(steps, 1))
        return watch.iterate(watch.status or Status.STALLED)
    watch.see(np.zeros(problem.d), 0.0, [], steps)
    if watch.status is Status.CONVERGED or watch.status is Status.INTERRUPTED:
        return watch.iterate(watch.status)
    out_of_time = 0.0 < limits.max_seconds <= time.perf_counter() - begin + 1e-3
    out_of_steps = steps >= limits.max_steps
    return watch.iterate(Status.TIME_LIMIT if out_of_time else Status.ITERATION_LIMIT if out_of_steps else Status.STALLED)


def _columns(problem: PrimalProblem) -> tuple[Vector, Any, Vector]:
    """What a unit of each variable gains, its products with the features and the offset's constant one, and its bound."""
    rows = sparse.csr_matrix(problem.X, dtype=np.float64)
    if problem.offset is not Offset.NONE:
        constant = problem.offset_scale if problem.offset is Offset.PENALISED else 1.0
        rows = sparse.hstack([rows, np.full((problem.n, 1), constant)], format="csr")
    if isinstance(problem.loss, Hinge):
        return np.ones(problem.n), (sparse.diags(problem.y) @ rows).T.tocsr(), problem.price
    assert isinstance(problem.loss, EpsilonInsensitive)  # supports() said so
    gain = np.concatenate([problem.y, -problem.y]) - problem.loss.epsilon
    return gain, sparse.vstack([rows, -rows]).T.tocsr(), np.concatenate([problem.price, problem.price])


def _weights(problem: PrimalProblem, found: Any, features: int) -> tuple[Vector, float]:
    """w and b from the multipliers of the constraints."""
    upper = found.ineqlin.marginals
    w = upper[features:] - upper[:features]
    w = np.where(w == 0.0, 0.0, w)  # no −0
    if problem.offset is Offset.FREE:
        return w, -float(found.eqlin.marginals[0])
    if problem.offset is Offset.PENALISED:
        return w[:-1], problem.offset_scale * float(w[-1])
    return w, 0.0


def _multipliers(problem: PrimalProblem, x: Vector, price: Vector) -> Vector:
    """α as the judge has it, inside of its bounds."""
    inside = np.clip(x, 0.0, price)
    if isinstance(problem.loss, Hinge):
        return inside
    return (inside[: problem.n] - inside[problem.n :]) * problem.loss.slope(problem.y)
