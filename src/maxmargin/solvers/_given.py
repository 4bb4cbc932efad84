"""A dual problem that stands for itself: what solvers hand to the solvers inside them."""

from __future__ import annotations

from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from maxmargin.problems import DualProblem, Level, Problem
from maxmargin.problems._base import Judged

__all__ = ["Given", "part"]

Vector = NDArray[np.float64]


@final
class Given(Problem):
    """A canonical dual without a formulation behind it."""

    def __init__(self, dual: DualProblem) -> None:
        self.gram = dual.gram
        self.y = np.ones(dual.n)
        self._dual = dual

    @property
    def dual(self) -> DualProblem:
        """The problem itself."""
        return self._dual

    def reading(self, judged: Judged) -> Level:
        """Nobody reads it."""
        return Level()


def part(dual: DualProblem, rows: Any, beta: Vector, scores: Vector) -> tuple[Given, Vector]:
    """The problem in some of the variables, the others fixed at β; and the scores within it.

    The fixed ones are in the linear term, ``q_B + K_BN β_N``, and in what is left of the sums:

        minimise ½ β_Bᵀ(K_BB + D_B) β_B + (q_B + K_BN β_N)ᵀ β_B + kink Σ|β_B|.
    """
    chosen = np.ascontiguousarray(rows, dtype=np.int32)
    gram, inside = dual.gram.take(chosen), beta[chosen]
    within = gram.matvec(inside)
    mass = dual.mass
    if mass is not None:
        # What is inside now, so that rounding elsewhere cannot make the part infeasible; what may fall has room besides.
        mass = float(np.abs(inside).sum()) + (max(0.0, mass - float(np.abs(beta).sum())) if dual.mass_may_fall else 0.0)
    given = DualProblem(
        gram=gram,
        q=dual.q[chosen] + scores[chosen] - within,
        lower=dual.lower[chosen],
        upper=dual.upper[chosen],
        offset=dual.offset,
        D=None if dual.D is None else dual.D[chosen],
        kink=dual.kink,
        total=float(inside.sum()) if dual.offset else 0.0,
        mass=mass,
        mass_may_fall=dual.mass_may_fall,
    )
    return Given(given), within
