"""A dual problem that stands for itself: what solvers hand to the solvers inside them."""

from __future__ import annotations

from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from maxmargin.problems import DualProblem, Evaluated, Level, Problem

__all__ = ["BareDual", "hardest", "part"]

Vector = NDArray[np.float64]


@final
class BareDual(Problem):
    """A canonical dual without a formulation behind it."""

    def __init__(self, dual: DualProblem) -> None:
        self.gram = dual.gram
        self.y = np.ones(dual.n)
        self._dual = dual

    @property
    def dual(self) -> DualProblem:
        """The problem itself."""
        return self._dual

    def slack_rule(self, evaluated: Evaluated) -> Level:
        """It is never used."""
        return Level()


def part(dual: DualProblem, rows: Any, beta: Vector, scores: Vector) -> tuple[BareDual, Vector]:
    """The problem in some of the variables, the others fixed at β; and the scores within it.

    The fixed ones are in the linear term, ``q_B + K_BN β_N``, and in what is left of the sums:

        minimise ½ β_Bᵀ(K_BB + D_B) β_B + (q_B + K_BN β_N)ᵀ β_B + l1_weight Σ|β_B|.
    """
    chosen = np.ascontiguousarray(rows, dtype=np.int32)
    gram, inside = dual.gram.take(chosen), beta[chosen]
    within = gram.matvec(inside)
    abs_sum = dual.abs_sum
    if abs_sum is not None:
        # What is inside now, so that rounding elsewhere cannot make the part infeasible; what may fall has room besides.
        abs_sum = float(np.abs(inside).sum()) + (
            max(0.0, abs_sum - float(np.abs(beta).sum())) if dual.abs_sum_may_fall else 0.0
        )
    given = DualProblem(
        gram=gram,
        q=dual.q[chosen] + scores[chosen] - within,
        lower=dual.lower[chosen],
        upper=dual.upper[chosen],
        offset=dual.offset,
        D=None if dual.D is None else dual.D[chosen],
        l1_weight=dual.l1_weight,
        total=float(inside.sum()) if dual.offset else 0.0,
        abs_sum=abs_sum,
        abs_sum_may_fall=dual.abs_sum_may_fall,
    )
    return BareDual(given), within


def hardest(problem: Problem, q: int) -> NDArray[np.intp]:
    """q variables that decide for all: if the kernel matrix is indefinite, some whose part of it is.

    The pair with the least determinant is among them: a part with a pair whose determinant is negative is indefinite. The
    others have the largest components in the eigenvector of the lowest eigenvalue.
    """
    dual = problem.dual
    if problem.gram.kernel.mercer or not dual.gram.is_indefinite():
        return np.arange(q)
    every = np.arange(dual.n, dtype=np.int32)
    K = dual.gram.block(every, every)
    K = K / np.abs(K).max()
    determinants = np.outer(K.diagonal(), K.diagonal()) - K * K
    np.fill_diagonal(determinants, np.inf)
    pair = np.unravel_index(int(np.argmin(determinants)), K.shape)
    components = np.abs(np.linalg.eigh(K)[1][:, 0])
    components[list(pair)] = np.inf
    return np.sort(np.argsort(-components, kind="stable")[:q])
