"""The judge: objectives, violation and offset of a point, from the problem and α alone, in float64."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import final

import numpy as np
from numpy.typing import NDArray

from maxmargin.kernels import Gram
from maxmargin.problems import DualProblem, Problem

__all__ = ["Judgement", "certify", "certify_all"]


@final
@dataclass(frozen=True, eq=False)
class Judgement:
    """What can be said of a point without believing its solver.

    Attributes
    ----------
    scores : ndarray
        ``K β``, without offset.
    bias : float
        Offset: the mean over free support vectors, else the middle of the interval.
    bias_interval : tuple of float
        All optimal offsets, if the point is optimal.
    primal, dual : float
        The two objectives.
    kkt_violation : float
        By how much the worst pair (without offset: the worst variable) violates the optimality conditions.
    square_norm : float
        ``|w|² = βᵀKβ``; negative only if the kernel is indefinite.
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
    bias: float
    bias_interval: tuple[float, float]
    primal: float
    dual: float
    kkt_violation: float
    square_norm: float
    infeasibility: float

    @property
    def gap(self) -> float:
        """Primal minus dual objective."""
        return self.primal - self.dual

    def is_optimal(self, tol: float) -> bool:
        """Converged: feasible, violation ≤ tol and gap ≤ max(tol, 1e-3) · |primal|."""
        feasible = self.infeasibility <= 1e-9
        return feasible and self.kkt_violation <= tol and self.gap <= max(tol, 1e-3) * abs(self.primal)


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
    all_scores = Gram.matvecs([problem.dual.gram for problem in problems], betas)
    return [_judge(*each) for each in zip(problems, betas, all_scores, strict=True)]


def _judge(problem: Problem, beta: NDArray[np.float64], scores: NDArray[np.float64]) -> Judgement:
    dual = problem.dual
    gradient = dual.gradient(beta, scores)
    can_rise, can_fall = beta < dual.upper, beta > dual.lower
    lowest = float(gradient[can_rise].min(initial=math.inf))
    highest = float(gradient[can_fall].max(initial=-math.inf))
    if dual.offset:
        violation = max(0.0, highest - lowest)
        interval = _ordered(-lowest, -highest)
        free = gradient[can_rise & can_fall]
        bias = -float(free.sum()) / free.size if free.size else _middle(*interval)
    else:
        violation = max(0.0, highest, -lowest)
        interval, bias = (0.0, 0.0), 0.0
    return Judgement(
        scores=scores,
        bias=bias,
        bias_interval=interval,
        primal=problem.primal_objective(beta, scores, bias),
        dual=0.0 - 0.5 * float(beta @ (gradient + dual.q)),
        kkt_violation=violation,
        square_norm=float(beta @ scores),
        infeasibility=_infeasibility(dual, beta),
    )


def _infeasibility(dual: DualProblem, beta: NDArray[np.float64]) -> float:
    outside = max(float((dual.lower - beta).max()), float((beta - dual.upper).max()), 0.0)
    off = abs(float(beta.sum())) if dual.offset else 0.0
    return max(outside, off) / max(float(np.abs(beta).sum()), 1e-300)


def _ordered(a: float, b: float) -> tuple[float, float]:
    """An interval; within tolerance its ends may cross."""
    return (a, b) if a <= b else (b, a)


def _middle(low: float, high: float) -> float:
    """The middle; of a half-line its end."""
    if math.isinf(low):
        return high
    return low if math.isinf(high) else 0.5 * (low + high)
