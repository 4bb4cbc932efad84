"""The optimality conditions of a linear model in the primal, each as a number."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np
from numpy.typing import NDArray

from maxmargin.errors import InvalidInput
from maxmargin.losses import ConvexLoss
from maxmargin.problems import Offset, Penalty, PrimalProblem
from maxmargin.problems._primal import inner
from maxmargin.solution._linear import LinearSolution
from maxmargin.solution._linear_judge import certify_linear, multiplier_stationarity

__all__ = ["LinearKKT", "linear_kkt"]

Vector = NDArray[np.float64]


@final
@dataclass(frozen=True)
class LinearKKT:
    """How far a linear model and its multipliers are from fulfilling each optimality condition. All are 0 at the optimum.

    With the loss ℓ of ``z_i`` (the margin ``y_i f(x_i)`` or the residual ``y_i − f(x_i)``) they are those of
    ``penalty(w) + Σ C_i ℓ(z_i)``, every ``z_i`` being a variable of its own that is tied to w and b by an equality, whose
    multiplier is ``α_i``. The problem is convex, and its constraints are affine, or the ball has an inside: they are necessary
    and sufficient.

    Attributes
    ----------
    stationarity : float
        In w and b: the largest ``|w_k − Σ α_i s_i x_ik|`` and ``|Σ α_i s_i|``, with ``s_i = ∂z_i/∂f_i``. Of other penalties see
        `LinearJudgement`.
    primal_feasibility : float
        In a ball ``max(0, |w|² − B)``, a penalised offset counting as a weight; otherwise there is nothing to violate.
    dual_feasibility : float
        0 if every ``−α_i/C_i`` is a slope that the loss has (``0 ≤ α_i ≤ C_i`` for a hinge), infinite if not.
    complementarity : float
        ``max_i C_i ℓ(z_i) + C_i ℓ*(−α_i/C_i) + α_i z_i``, which is never negative, and 0 where ``−α_i/C_i`` is a slope of ℓ at
        ``z_i`` (Fenchel and Young). For a hinge it is ``α_i (ξ_i − e_i) + (C_i − α_i) ξ_i``, both of `KKT`.
    w_unique : bool or None
        Whether no other w is optimal. So it is with an L2 penalty, which is strictly convex, and on the surface of a ball that
        binds; None for other penalties.

    Examples
    --------
    >>> from maxmargin import solve
    >>> from maxmargin.problems import PrimalProblem
    >>> from maxmargin.solution import linear_kkt
    >>> problem = PrimalProblem([[-1.0], [1.0]], [-1, 1], C=10.0)
    >>> print(linear_kkt(problem, solve(problem, tol=1e-9)))
    stationarity        0
    primal feasibility  0
    dual feasibility    0
    complementarity     0
    unique              w yes
    """

    stationarity: float
    primal_feasibility: float
    dual_feasibility: float
    complementarity: float
    w_unique: bool | None

    @property
    def largest(self) -> float:
        """The worst of the four numbers."""
        return max(self.stationarity, self.primal_feasibility, self.dual_feasibility, self.complementarity)

    def __str__(self) -> str:
        numbers = {
            "stationarity": self.stationarity,
            "primal feasibility": self.primal_feasibility,
            "dual feasibility": self.dual_feasibility,
            "complementarity": self.complementarity,
        }
        lines = [f"{name:<20}{number:.3g}" for name, number in numbers.items()]
        return "\n".join([*lines, f"{'unique':<20}w {'yes' if self.w_unique else 'unknown'}"])


def linear_kkt(problem: PrimalProblem, solution: LinearSolution) -> LinearKKT:
    """The report on a solution, from the problem it is of: a linear solution keeps no rows.

    Examples
    --------
    >>> from maxmargin import solve
    >>> from maxmargin.problems import PrimalProblem
    >>> from maxmargin.solution import linear_kkt
    >>> problem = PrimalProblem([[-1.0], [0.5], [1.0]], [-1, 1, 1], loss="logistic")
    >>> linear_kkt(problem, solve(problem, tol=1e-9)).largest < 1e-6
    True
    """
    w, b, alpha = solution.weights, solution.bias, solution.alpha
    if (problem.d, problem.n) != (len(w), len(alpha)):
        raise InvalidInput(
            f"The problem has {problem.n} rows of {problem.d} features, but the solution {len(alpha)} multipliers and {len(w)}"
            " weights. Give the problem that it is the solution of."
        )
    certify_linear(problem, w, b, alpha, stationarity=False)  # refuses a loss that has no conjugate
    stationarity = multiplier_stationarity(problem, w, b, alpha)
    loss = problem.loss
    assert isinstance(loss, ConvexLoss)
    z, conjugate = loss.argument(problem.y, problem.scores(w, b)), loss.conjugate(-alpha / problem.price)
    feasible = bool(np.isfinite(conjugate).all())
    rows = problem.price * (loss.value(z) + np.where(np.isfinite(conjugate), conjugate, 0.0)) + alpha * z
    outside, unique = 0.0, True if problem.penalty is Penalty.L2 else None
    if problem.penalty is Penalty.BALL:
        square = inner(w, w) + ((b / problem.offset_scale) ** 2 if problem.offset is Offset.PENALISED else 0.0)
        pull = problem.combination(alpha * loss.slope(problem.y))
        outside = max(0.0, square - problem.B)
        binds = float(np.linalg.norm(pull)) > 1e3 * stationarity and square > (1.0 - 1e-6) * problem.B
        unique = True if binds else None
    return LinearKKT(
        stationarity=stationarity,
        primal_feasibility=outside,
        dual_feasibility=0.0 if feasible else np.inf,
        complementarity=max(0.0, float(rows.max(initial=0.0))),
        w_unique=unique,
    )
