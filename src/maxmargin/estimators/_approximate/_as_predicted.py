"""The certificate of a model on landmarks, by the scores with which it predicts."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from maxmargin._deadline import Deadline
from maxmargin.feature_maps import LandmarkMap
from maxmargin.problems import PrimalProblem
from maxmargin.solution import LinearSolution, PrimalIterate, solution_of

__all__ = ["as_predicted"]

_LITTLE: Final = 0.1  # of the allowed gap
_EPSILON: Final = float(np.finfo(np.float64).eps)


def as_predicted(
    map: LandmarkMap,
    X: Any,
    problems: Sequence[PrimalProblem],
    solutions: list[LinearSolution],
    tol: float,
    deadline: Deadline,
) -> list[LinearSolution]:
    """The solutions; where rounding could matter, certified by the scores ``Σ a_j k(z_j, x) + b`` instead of ``<w, φ(x)> + b``.

    Both are the same but for rounding. But ``a = Pᵀ w`` is far larger than w where landmarks are alike, and a score is then a
    small difference of large terms. It is off by about ``ε |a|₁ max k``, and by ``|w| max |φ|`` in units of the last place of
    the stored features.
    """
    coefficients = map.coefficients(np.stack([each.weights for each in solutions]))
    if not _may_matter(map, X, problems, solutions, coefficients, tol) or deadline.is_over():
        return solutions
    values = map.values(X, coefficients)
    found = []
    for k, (problem, solution) in enumerate(zip(problems, solutions, strict=True)):
        there = PrimalIterate(
            solution.status, solution.steps, False, solution.trace, solution.weights, solution.bias, solution.alpha
        )
        scores = values[:, k] + solution.bias
        known = solution.kkt_data is not None
        found.append(solution_of(problem, there, tol, with_rows=known, solver=solution.solver, scores=scores))
    return found


def _may_matter(
    map: LandmarkMap,
    X: Any,
    problems: Sequence[PrimalProblem],
    solutions: list[LinearSolution],
    coefficients: NDArray[np.float64],
    tol: float,
) -> bool:
    """Whether the losses of all rows could change by a part of the allowed gap."""
    if not map.kernel.mercer:  # without a bound of the kernel values
        return True
    with np.errstate(over="ignore", invalid="ignore"):
        rows = math.sqrt(float(np.abs(map.kernel.gram(X).diagonal()).max()))
        landmarks = math.sqrt(float(np.abs(map.inner(X).diagonal()).max()))
        stored = float(np.finfo(problems[0].X.dtype).eps) * rows
        for problem, solution, held in zip(problems, solutions, coefficients, strict=True):
            off = _EPSILON * rows * landmarks * float(np.abs(held).sum()) + stored * float(np.linalg.norm(solution.weights))
            if not float(problem.cost.sum()) * off <= _LITTLE * tol * abs(solution.certificate.primal_objective):
                return True
    return False
