"""Newton's system by conjugate gradients, a pass over the blocks for each product."""

from __future__ import annotations

from collections.abc import Generator
from typing import Final

import numpy as np
from numpy.typing import NDArray

from maxmargin.problems import BlockProblem, Offset, inner
from maxmargin.solvers._blocks._model import Model
from maxmargin.solvers._blocks._requests import Point, Product, Question, Sums

__all__ = ["conjugate_gradients"]

Vector = NDArray[np.float64]
_MOST: Final = 500


def conjugate_gradients(
    problem: BlockProblem, at: Point, model: Model, ridge: Vector, gradient: Vector, offset_floor: float, forcing: float
) -> Generator[Question, Sums, Vector]:
    """Solve ``(ridge + H) p = −gradient`` to a residual of ``forcing`` of the gradient, preconditioned by the diagonal."""
    curvature = ridge.copy()
    if problem.offset is not Offset.NONE:
        curvature[-1] += max(0.0, offset_floor - float(model.curvature[-1]))
    inverse = 1.0 / (model.curvature + curvature + 1e-300)
    direction, residual = np.zeros(problem.size), -gradient
    fitted = inverse * residual
    search, rho = fitted.copy(), inner(residual, fitted)
    enough = forcing * forcing * rho
    for _ in range(_MOST):
        if not rho > enough:
            break
        p, p_offset = (search, 0.0) if problem.offset is Offset.NONE else (np.ascontiguousarray(search[:-1]), float(search[-1]))
        image = (yield Product(problem, at, p, p_offset)).added[0] + curvature * search
        curve = inner(search, image)
        if not curve > 0.0:
            break
        length = rho / curve
        direction += length * search
        residual -= length * image
        fitted = inverse * residual
        before, rho = rho, inner(residual, fitted)
        search = fitted + rho / before * search
    return direction
