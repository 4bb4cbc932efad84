"""Several problems of one family, solved together."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from maxmargin._deadline import Deadline
from maxmargin._solve._budget import Budget
from maxmargin._solve._dual import DualRun, batch_of
from maxmargin._solve._primal import solve_others
from maxmargin._solve._warnings import AnySolution
from maxmargin.errors import InvalidInput
from maxmargin.problems import CrammerSinger, KernelLogistic, PrimalProblem, Problem, SoftMargins
from maxmargin.solvers import Callback, DualSolver, as_solver
from maxmargin.validation import check_boolean

__all__ = ["AnySolution", "solve_batch"]


def solve_batch(
    problems: Sequence[Any],
    solver: Any = "auto",
    tol: float = 1e-3,
    max_iter: int = -1,
    max_time: float | Deadline | None = None,
    throw: bool = True,
    *,
    callback: Callback | None = None,
    starts: Any = None,
    with_rows: bool = True,
    with_values: bool = False,
    settled: bool = True,
    certified: bool = True,
) -> Sequence[Any]:
    """Solve several problems of one family at once: like `solve`, but without its warnings.

    Parameters
    ----------
    problems : sequence
        Problems of one family; linear models have the same rows.
    solver, tol, max_iter, max_time, throw, callback
        As in `solve`; the time may be a `Deadline` that was set before.
    starts : sequence, optional
        A start for each problem, or None. Of problems with a canonical dual also an array of points inside the constraints, one
        problem after the other, which is not looked at any further.
    with_rows : bool
        Whether solutions keep their support vectors themselves; an estimator has them already.
    with_values : bool
        Whether the `SolutionBatch` of problems with a canonical dual keeps ``f(x)`` at all their rows.
    settled : bool
        Whether starts of such problems tell which variables are free at the optimum, but for some: then the search begins with
        Newton's method on these.
    certified : bool
        Whether such problems are continued until gap and violation are those of an optimum; else until the violation is near
        what the solver says of it, which then is the status.

    Returns
    -------
    SolutionBatch or list
        A sequence of solutions. Those of problems with a canonical dual are a `SolutionBatch`.
    """
    chosen = as_solver(solver, problems)
    if callback is not None and not callable(callback):
        raise InvalidInput(f"The 'callback' parameter of solve must be a callable or None. Got {callback!r} instead.")
    throws = check_boolean("throw", throw, "solve")
    budget = Budget(tol, max_iter, max_time, chosen.automatic_steps(*_extent(problems)))
    if isinstance(chosen, DualSolver):
        return DualRun(chosen, budget, throws, callback, with_rows, with_values, settled, certified).solutions(problems, starts)
    return solve_others(problems, chosen, budget, throws, callback, starts, with_rows=with_rows)


def _extent(problems: Sequence[Any]) -> tuple[int, int]:
    """Rows of the largest problem, and its classes."""
    if isinstance(problems, SoftMargins):  # of which none need be made
        return max(problems.sizes), 2
    first = problems[0]
    if isinstance(first, Problem):
        return max(batch_of(problems).sizes), 2
    if isinstance(first, PrimalProblem):
        return first.n, 2
    if isinstance(first, KernelLogistic):
        return first.n, len(first.classes)
    return first.gram.n if isinstance(first, CrammerSinger) else first.n, len(first.classes)
