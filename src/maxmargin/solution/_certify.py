"""The judge: objectives, violation and offset of a point, from the problem and α alone, in float64."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import final

import numpy as np
from numpy.typing import NDArray

from maxmargin import _core
from maxmargin.kernels import Gram
from maxmargin.problems import DualProblem, Problem

__all__ = ["Judgement", "certify", "certify_all", "judged"]


@final
@dataclass(frozen=True, eq=False)
class Judgement:
    """What can be said of a point without believing its solver.

    Attributes
    ----------
    scores : ndarray
        ``K β``, without offset.
    support, boundary : ndarray of int32
        Rows with ``β ≠ 0``, and the others that are on the margin or beyond it, within tolerance.
    bias : float
        Offset: the mean over free support vectors, else the middle of the interval.
    bias_interval : tuple of float
        All optimal offsets, if the point is optimal.
    price : float
        Multiplier of the mass ``Σ|β|``: ε of ν-regression, −ρ of ν-classification; 0 where there is no mass to keep.
    primal, dual : float
        The two objectives.
    kkt_violation : float
        By how much the worst pair (without offset: the worst variable) violates the optimality conditions.
    square_norm : float
        ``|w|² = βᵀKβ``; negative only if the kernel is indefinite.
    mass : float
        ``Σ|β|``.
    scale : float
        ``(Σ|β|)² max k(x, x)``: ``|w|²`` is not larger. 0 if it was not asked for, since the gap is small beside the objective.
    infeasibility : float
        How far the point is outside the box and off the equality, relative to ``Σ|β|``.

    Examples
    --------
    >>> import numpy as np
    >>> from maxmargin.kernels import Linear
    >>> from maxmargin.problems import SoftMargin
    >>> from maxmargin.solution import certify
    >>> problem = SoftMargin([[-1.0], [1.0]], [-1, 1], kernel=Linear())
    >>> judgement = certify(problem, np.array([-0.5, 0.5]))
    >>> judgement.primal, judgement.dual, judgement.kkt_violation
    (0.5, 0.5, 0.0)
    """

    scores: NDArray[np.float64]
    support: NDArray[np.int32]
    boundary: NDArray[np.int32]
    bias: float
    bias_interval: tuple[float, float]
    price: float
    primal: float
    dual: float
    kkt_violation: float
    square_norm: float
    mass: float
    scale: float
    infeasibility: float

    @property
    def gap(self) -> float:
        """Primal minus dual objective."""
        return self.primal - self.dual

    def is_optimal(self, tol: float) -> bool:
        """Converged: feasible, violation ≤ tol and gap ≤ max(tol, 1e-3) · |primal|.

        Where the optimum is 0 no gap is small beside it. There it must be tol² of what the objective could be with so much
        mass (vectors of that length cancel to tol), and below what a violation of tol makes.
        """
        nothing = min(tol * self.mass, max(tol * tol, _ROUNDING) * self.scale)
        small = max(max(tol, 1e-3) * abs(self.primal), nothing)
        return self.infeasibility <= 1e-9 and self.kkt_violation <= tol and self.gap <= small


_ROUNDING = 1e-9


def certify(problem: Problem, beta: NDArray[np.float64]) -> Judgement:
    """Judge a point from the problem and β alone.

    With the gradient ``g`` in β, a variable that can rise needs ``g_i + b ≥ 0`` and one that can fall ``g_i + b ≤ 0``. So b
    lies between ``−min g`` over the first and ``−max g`` over the second; the violation is by how much these cross.

    Parameters
    ----------
    problem : Problem
        The question.
    beta : ndarray
        The point, in signed variables.

    Examples
    --------
    >>> import numpy as np
    >>> from maxmargin.kernels import Linear
    >>> from maxmargin.problems import SoftMargin
    >>> from maxmargin.solution import certify
    >>> problem = SoftMargin([[-1.0], [1.0]], [-1, 1], kernel=Linear())
    >>> certify(problem, np.zeros(2)).gap
    2.0
    """
    return certify_all([problem], [beta])[0]


def certify_all(problems: Sequence[Problem], betas: Sequence[NDArray[np.float64]]) -> list[Judgement]:
    """Judge points of several problems; their scores are computed in parallel.

    Examples
    --------
    >>> import numpy as np
    >>> from maxmargin.problems import SoftMargin
    >>> from maxmargin.solution import certify_all
    >>> problem = SoftMargin([[-1.0], [1.0]], [-1, 1])
    >>> [judgement.dual for judgement in certify_all([problem, problem], [np.zeros(2), np.zeros(2)])]
    [0.0, 0.0]
    """
    duals = [problem.dual.judged_at(beta) for problem, beta in zip(problems, betas, strict=True)]
    all_scores = Gram.matvecs([dual.gram for dual in duals], betas)
    tasks = [dual.with_point(beta, scores) for dual, beta, scores in zip(duals, betas, all_scores, strict=True)]
    verdicts = zip(duals, all_scores, _core.judge(tasks), strict=True)
    return [_judgement(dual, scores, found) for dual, scores, found in verdicts]


def judged(dual: DualProblem, beta: NDArray[np.float64], scores: NDArray[np.float64]) -> Judgement:
    """Judge a point by scores ``K β`` that are known already: what a solver sees of itself on the way."""
    return _judgement(dual, scores, _core.judge([dual.with_point(beta, scores)])[0])


def _judgement(problem: DualProblem, scores: NDArray[np.float64], found: _core.Judgement) -> Judgement:
    support, boundary, bias, bias_low, bias_high, price, violation, primal, dual, square_norm, mass, infeasibility = found
    large_gap = not primal - dual <= 1e-3 * abs(primal)
    return Judgement(
        scores=scores,
        support=support,
        boundary=boundary,
        bias=bias,
        bias_interval=(bias_low, bias_high),
        price=price,
        primal=primal,
        dual=dual,
        kkt_violation=violation,
        square_norm=square_norm,
        mass=mass,
        scale=mass * mass * float(np.abs(problem.gram.diagonal()).max()) if large_gap else 0.0,
        infeasibility=infeasibility,
    )
