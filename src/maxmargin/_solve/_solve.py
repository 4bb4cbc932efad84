"""One problem, solved."""

from __future__ import annotations

import warnings
from typing import Any, overload

from numpy.typing import ArrayLike

from maxmargin._solve._batch import AnySolution, solve_batch
from maxmargin._solve._warnings import warning_of
from maxmargin.problems import CrammerSinger, MulticlassLinear, PrimalProblem, Problem
from maxmargin.solution import CrammerSingerSolution, LinearSolution, MulticlassSolution, Solution
from maxmargin.solvers import Callback

__all__ = ["solve"]


@overload
def solve(
    problem: Problem,
    solver: Any = "auto",
    tol: float = 1e-3,
    max_iter: int = -1,
    max_time: float | None = None,
    throw: bool = True,
    *,
    callback: Callback | None = None,
    start: Solution | ArrayLike | None = None,
) -> Solution: ...


@overload
def solve(
    problem: PrimalProblem,
    solver: Any = "auto",
    tol: float = 1e-3,
    max_iter: int = -1,
    max_time: float | None = None,
    throw: bool = True,
    *,
    callback: Callback | None = None,
    start: LinearSolution | ArrayLike | None = None,
) -> LinearSolution: ...


@overload
def solve(
    problem: MulticlassLinear,
    solver: Any = "auto",
    tol: float = 1e-3,
    max_iter: int = -1,
    max_time: float | None = None,
    throw: bool = True,
    *,
    callback: Callback | None = None,
    start: MulticlassSolution | ArrayLike | None = None,
) -> MulticlassSolution: ...


@overload
def solve(
    problem: CrammerSinger,
    solver: Any = "auto",
    tol: float = 1e-3,
    max_iter: int = -1,
    max_time: float | None = None,
    throw: bool = True,
    *,
    callback: Callback | None = None,
    start: CrammerSingerSolution | ArrayLike | None = None,
) -> CrammerSingerSolution: ...


def solve(
    problem: Problem | CrammerSinger | PrimalProblem | MulticlassLinear,
    solver: Any = "auto",
    tol: float = 1e-3,
    max_iter: int = -1,
    max_time: float | None = None,
    throw: bool = True,
    *,
    callback: Callback | None = None,
    start: Any = None,
) -> AnySolution:
    """Solve a problem and certify the answer.

    Parameters
    ----------
    problem : Problem, CrammerSinger, PrimalProblem or MulticlassLinear
        The problem.
    solver : str or Solver
        The algorithm: "auto", a name, or an object of `maxmargin.solvers` with its settings. The names for a `Problem` are
        "smo", "primal_qp", "dual_qp", "projected_gradient", "chunking", "decomposition" and "kernel_subgradient"; for a
        `PrimalProblem` "newton", "coordinate_descent", "ball", "proximal_newton", "linear_program", "gradient_descent" and
        "stochastic_subgradient"; for `MulticlassLinear` "newton" and "coordinate_descent". `CrammerSinger` has only "auto" or
        a ``CrammerSingerDescent``.
    tol : float
        Largest KKT violation of a converged solution; its gap is at most ``max(tol, 1e-3)`` of the primal objective. For
        `CrammerSinger`, `PrimalProblem` and `MulticlassLinear`, tol is the largest gap, relative to the primal objective.
    max_iter : int
        Largest number of steps: pair steps of the engine, rounds of other solvers; −1 for an automatic, finite limit.
    max_time : float, optional
        Limit in wall seconds, certification included.
    throw : bool
        Whether to raise on Ctrl-C and on infeasible problems; otherwise the solution says so in its status.
    callback : callable, optional
        Called with a `Progress` about every 50 ms; returning true stops the fit.
    start : Solution or array-like, optional
        Where to start: the solution of a similar problem (on the same rows, with another C, ε, ν or kernel parameter), or a
        point. For a `Problem`, a point has one signed coefficient ``y_i α_i`` for each row; it is projected onto the
        constraints. For a `PrimalProblem` it is the weight vector, for `MulticlassLinear` the weights with one row per class.
        For `CrammerSinger` it is ``β_ik`` of shape (n, K), twice the ``coefficients`` of a solution; each row is projected onto
        its constraints, and the class sums are made 0. The solution is certified like any other. A solver that cannot start
        from a point, such as a linear program, refuses it.

    Returns
    -------
    Solution, CrammerSingerSolution, LinearSolution or MulticlassSolution
        The solution, with status and certificate. If a limit is reached or the search stalls, it is returned with a warning.

    Examples
    --------
    >>> from maxmargin import problems, solve
    >>> solution = solve(problems.SoftMargin([[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1]))
    >>> solution.certificate.gap <= 1e-3
    True
    """
    solution: AnySolution
    (solution,) = solve_batch([problem], solver, tol, max_iter, max_time, throw, callback=callback, starts=[start])
    if (said := warning_of(solution)) is not None:
        message, category = said
        warnings.warn(message, category, stacklevel=2)
    return solution
