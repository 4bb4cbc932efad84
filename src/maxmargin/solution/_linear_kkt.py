"""The optimality conditions of any point of a linear model in the primal."""

from __future__ import annotations

from maxmargin.errors import InvalidInput
from maxmargin.problems import PrimalProblem
from maxmargin.solution._kkt import KKT
from maxmargin.solution._linear import LinearSolution
from maxmargin.solution._linear_evaluation import certify_linear

__all__ = ["linear_kkt"]


def linear_kkt(problem: PrimalProblem, solution: LinearSolution) -> KKT:
    """The report on weights and multipliers, computed anew from the problem: `LinearSolution.kkt` for any point.

    Examples
    --------
    >>> from dataclasses import replace
    >>> from maxmargin import solve
    >>> from maxmargin.problems import PrimalProblem
    >>> from maxmargin.solution import linear_kkt
    >>> problem = PrimalProblem([[-1.0], [0.5], [1.0]], [-1, 1, 1], loss="logistic")
    >>> solution = solve(problem, tol=1e-9)
    >>> linear_kkt(problem, solution).largest < 1e-6
    True
    >>> linear_kkt(problem, replace(solution, weights=2.0 * solution.weights)).largest > 0.1
    True
    """
    w, b, alpha = solution.weights, solution.bias, solution.alpha
    if (problem.d, problem.n) != (len(w), len(alpha)):
        raise InvalidInput(
            f"The problem has {problem.n} rows of {problem.d} features, but the solution {len(alpha)} multipliers and {len(w)}"
            " weights. Give the problem that it is the solution of."
        )
    evaluation = certify_linear(problem, w, b, alpha, stationarity=False, proven=False)
    assert evaluation.kkt_data is not None
    return evaluation.kkt_data.kkt(alpha, optimal=solution.status.is_optimal)
