"""The judge: objectives, violation and offset of a point, from the problem and α alone, in float64."""

from __future__ import annotations

import time
from collections.abc import Sequence
from functools import cached_property
from typing import NamedTuple, final

import numpy as np
from numpy.typing import NDArray

from maxmargin import _core
from maxmargin.problems import DualProblem, Problem
from maxmargin.problems._dual import DualStack, stacked

__all__ = ["Judgement", "Judgements", "certify", "certify_all", "judge_all", "judged", "judging_seconds"]

Vector = NDArray[np.float64]


@final
class Judgement(NamedTuple):
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
        return self.infeasibility <= _INFEASIBLE and self.kkt_violation <= tol and self.gap <= small


_ROUNDING = 1e-9
_INFEASIBLE = 1e-9


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
    found = judge_all(DualStack.of([problem.dual for problem in problems]), stacked(betas))
    return [found.at(k) for k in range(len(problems))]


def judged(dual: DualProblem, beta: Vector, scores: Vector) -> Judgement:
    """Judge a point by scores ``K β`` that are known already: what a solver sees of itself on the way."""
    stack = DualStack.of([dual])
    return Judgements(stack, _core.judge(stack, beta, scores)).at(0)


def judge_all(stack: DualStack, beta: Vector) -> Judgements:
    """Judge the points of several problems, one after the other."""
    stack = stack.judged_at(beta)
    return Judgements(stack, _core.judge(stack, beta, None))


def judging_seconds(stack: DualStack) -> float:
    """What `judge_all` will take, by a small block of kernel values: as if a third of the rows were support vectors."""
    gram = stack.grams[0]
    rows, columns = (np.arange(min(most, gram.size), dtype=np.int32) for most in (16, 1024))
    gram.block(rows[:1], columns[:1])  # the first one looks through X
    begin = time.perf_counter()
    gram.block(rows, columns)
    a_value = (time.perf_counter() - begin) / (len(rows) * len(columns))
    return a_value * sum(size**2 for size in stack.sizes) / 3.0


@final
class Judgements:
    """What the judge says of several points, one after the other: a `Judgement` is made where somebody asks for one.

    Attributes
    ----------
    scores : ndarray
        ``K β`` of all problems.
    support, boundary : ndarray of int64
        Where the rows with ``β ≠ 0``, and the others on the margin or beyond it, of all problems stand among all their rows.
    counts : ndarray of shape (problems, 2)
        How many of both.
    sizes : list of int
        Rows of each problem.
    """

    def __init__(self, stack: DualStack, found: _core.Found) -> None:
        self.scores, self.support, self.boundary, self.counts, self._numbers = found
        self._grams = stack.grams
        self.sizes = stack.sizes

    @cached_property
    def _ends(self) -> NDArray[np.int64]:
        return np.cumsum(self.sizes)

    @cached_property
    def _last(self) -> NDArray[np.int64]:
        return np.cumsum(self.counts, axis=0)

    @property
    def bias(self) -> Vector:
        """Offset of each problem."""
        return self._numbers[:, 0]

    @property
    def summary(self) -> Vector:
        """Primal and dual objective, KKT violation, smallest and largest optimal offset of each problem."""
        return self._numbers.take([4, 5, 6, 1, 2], axis=1)

    def are_optimal(self, tol: float) -> bool:
        """Whether all are, where no optimum is 0: see `Judgement.is_optimal`."""
        small = max(tol, 1e-3)
        return all(  # numpy would take longer for the few there are
            primal - dual <= small * abs(primal) and violation <= tol and infeasibility <= _INFEASIBLE
            for _, _, _, _, primal, dual, violation, _, _, infeasibility in self._numbers.tolist()
        )

    def at(self, k: int) -> Judgement:
        """What it says of problem k."""
        bias, low, high, price, primal, dual, violation, square_norm, mass, infeasibility = self._numbers[k].tolist()
        large_gap = not primal - dual <= 1e-3 * abs(primal)
        last, end = self._last[k], self._ends[k]
        first, start = last - self.counts[k], end - self.sizes[k]
        return Judgement(
            scores=self.scores[start:end],
            support=(self.support[first[0] : last[0]] - start).astype(np.int32),
            boundary=(self.boundary[first[1] : last[1]] - start).astype(np.int32),
            bias=bias,
            bias_interval=(low, high),
            price=price,
            primal=primal,
            dual=dual,
            kkt_violation=violation,
            square_norm=square_norm,
            mass=mass,
            scale=mass * mass * float(np.abs(self._grams[k].diagonal()).max()) if large_gap else 0.0,
            infeasibility=infeasibility,
        )
