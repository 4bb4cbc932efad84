"""The evaluation: objectives, violation and offset of a point, from the problem and α alone, in float64."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple, final

import numpy as np
from numpy.typing import NDArray

from maxmargin import _core
from maxmargin._deadline import Deadline
from maxmargin._lazy import lazy
from maxmargin.problems import DualBatch, DualProblem, Problem, dual_batch, stacked, with_finite_bounds

__all__ = [
    "Evaluation",
    "Evaluations",
    "allowances",
    "certify",
    "certify_all",
    "evaluate_all",
    "evaluated",
    "evaluation_seconds",
    "product_seconds",
]

Vector = NDArray[np.float64]


@final
class Evaluation(NamedTuple):
    """What can be said of a point without trusting its solver.

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
    cost : float
        Multiplier of ``Σ|β|``: ε of ν-regression, −ρ of ν-classification; 0 where ``Σ|β|`` is not fixed.
    primal, dual : float
        The two objectives.
    kkt_violation : float
        By how much the worst pair (without offset: the worst variable) violates the optimality conditions.
    square_norm : float
        ``|w|² = βᵀKβ``; negative only if the kernel is indefinite.
    abs_sum : float
        ``Σ|β|``.
    scale : float
        ``(Σ|β|)² max k(x, x)``: ``|w|²`` is not larger. It is 0 where it is not needed, as the gap is small relative to the
        objective.
    infeasibility : float
        How far the point is outside the box and off the equality, relative to ``Σ|β|``.
    rounding : float
        By how much rounding errors of the scores may change the gap.
    shift : float
        What is added to the offset for the rows as given: the problem may be evaluated on centred rows.
    score_scale : float
        The largest kernel value that a score sums up; of distances times what their rounding errors are multiplied by.
    noise, norm_noise : float
        How far scores and ``|w|²`` may be off by rounding, where `with_rounding` looked; else 0.

    Examples
    --------
    >>> import numpy as np
    >>> from maxmargin.kernels import Linear
    >>> from maxmargin.problems import SoftMargin
    >>> from maxmargin.solution import certify
    >>> problem = SoftMargin([[-1.0], [1.0]], [-1, 1], kernel=Linear())
    >>> evaluation = certify(problem, np.array([-0.5, 0.5]))
    >>> evaluation.primal, evaluation.dual, evaluation.kkt_violation
    (0.5, 0.5, 0.0)
    """

    scores: NDArray[np.float64]
    support: NDArray[np.int32]
    boundary: NDArray[np.int32]
    bias: float
    bias_interval: tuple[float, float]
    cost: float
    primal: float
    dual: float
    kkt_violation: float
    square_norm: float
    abs_sum: float
    scale: float
    infeasibility: float
    rounding: float = 0.0
    shift: float = 0.0
    score_scale: float = 1.0
    noise: float = 0.0
    norm_noise: float = 0.0

    @property
    def gap(self) -> float:
        """Primal minus dual objective."""
        return self.primal - self.dual

    def is_stationary(self, tol: float) -> bool:
        """Feasible, violation ≤ tol, and no gap below 0 by more than rounding, which would prove nothing."""
        return self.infeasibility <= _INFEASIBLE and self.kkt_violation <= tol and self.gap >= -self.rounding

    @property
    def is_zero(self) -> bool:
        """Whether the optimum cannot be told from 0: it is between the objectives, whose gap is 1e-9 of what they could be.

        No gap is small relative to an optimum of 0. With this ``Σ|β|`` the objective could be as large as `scale`.
        """
        rounding = self.rounding + _LAST_PLACES * self.scale
        between = self.dual - rounding <= 0.0 <= self.primal + rounding and self.gap <= _NOTHING * self.scale
        return between and math.isfinite(self.scale)

    def needs_bounds(self, tol: float) -> bool:
        """Whether rounding is so large beside the allowed gap, or the gap so negative, that it must be bounded row by row."""
        size = abs(self.primal)
        return self.rounding > _NOTICEABLE * allowed_gap(tol) * size or self.gap < -_NEGATIVE * size

    def widened(self) -> Evaluation:
        """Both objectives moved apart by all that rounding may do to them: what is known without another look at the rows."""
        noise = _OF_A_SUM * self.score_scale * self.abs_sum
        return self._replace(
            primal=self.primal + self.rounding,
            dual=self.dual - self.rounding,
            rounding=0.0,
            noise=noise,
            norm_noise=2.0 * noise * self.abs_sum,
        )


_NOTHING = 1e-9
_LAST_PLACES = 1e-15
_INFEASIBLE = 1e-9
_NOTICEABLE = 0.01
_NEGATIVE = 1e-9
_OF_A_SUM = 4.0 * float(np.finfo(np.float64).eps)  # its error, beside the sizes of all that is summed up
_LONG_ENOUGH = 2e-3  # seconds that can be told from the noise of a clock


def allowed_gap(tol: float) -> float:
    """The largest gap of a converged answer, as a part of its primal objective."""
    return max(tol, 1e-3)


def allowances(tol: float) -> _core.Allowed:
    """What counts as small for the core, at a tolerance."""
    small = allowed_gap(tol)
    return _core.Allowed(violation=tol, gap=small, rounding=_NOTICEABLE * small, infeasibility=_INFEASIBLE)


def certify(problem: Problem, beta: NDArray[np.float64]) -> Evaluation:
    """Evaluate a point from the problem and β alone.

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


def certify_all(problems: Sequence[Problem], betas: Sequence[NDArray[np.float64]]) -> list[Evaluation]:
    """Evaluate points of several problems; their scores are computed in parallel.

    Examples
    --------
    >>> import numpy as np
    >>> from maxmargin.problems import SoftMargin
    >>> from maxmargin.solution import certify_all
    >>> problem = SoftMargin([[-1.0], [1.0]], [-1, 1])
    >>> [evaluation.dual for evaluation in certify_all([problem, problem], [np.zeros(2), np.zeros(2)])]
    [0.0, 0.0]
    """
    found = evaluate_all(dual_batch([problem.dual for problem in problems]), stacked(betas))
    return [found.at(k) for k in range(len(problems))]


def evaluated(dual: DualProblem, beta: Vector, scores: Vector) -> Evaluation:
    """Evaluate a point by scores ``K β`` that are already known, as a solver does on the way."""
    batch = with_finite_bounds(dual_batch([dual]), beta)
    return Evaluations(batch, _core.evaluate(batch, beta, scores)).at(0)


def evaluate_all(batch: DualBatch, beta: Vector, scores: Vector | None = None) -> Evaluations:
    """Evaluate the points of several problems, one after the other; by scores ``K β`` in float64 if they are known already."""
    batch = with_finite_bounds(batch, beta)
    return Evaluations(batch, _core.evaluate(batch, beta, scores))


def evaluation_seconds(batch: DualBatch, at_most: float = math.inf) -> float:
    """What `evaluate_all` will take, by a small block of kernel values: as if a third of the rows were support vectors.

    Infinity if that is not known after ``at_most`` seconds.
    """
    return product_seconds(batch.grams[0], sum(size**2 for size in batch.sizes) / 3.0, at_most)


def product_seconds(gram: _core.Gram, values: float, at_most: float = math.inf) -> float:
    """What products take that need so many kernel values, by a small block of them; infinity if not known in time."""
    deadline, seconds, seen = Deadline(at_most), 0.0, 1
    for height, width in ((1, 64), (16, 1024)):
        rows, columns = (np.arange(min(most, gram.size), dtype=np.int32) for most in (height, width))
        seconds, seen = gram.seconds_of_block(rows, columns, deadline.left()), len(rows) * len(columns)
        if seconds > _LONG_ENOUGH:  # rows of a million features need not be looked at twice
            break
    return seconds / seen * values


@final
class Evaluations:
    """The evaluations of several points, one after the other; an `Evaluation` is made only where one is asked for.

    Attributes
    ----------
    scores : ndarray
        ``K β`` of all problems.
    support, boundary : ndarray of int64
        Where the rows with ``β ≠ 0``, and the others on the margin or beyond it, of all problems stand among all their rows.
    sizes : list of int
        Rows of each problem.
    """

    def __init__(self, batch: DualBatch, found: _core.Evaluations) -> None:
        self._found = found
        self.scores, self.support, self.boundary = found.scores, found.support, found.boundary
        self._grams = batch.grams
        self.sizes = batch.sizes

    @lazy
    def n_support(self) -> NDArray[np.int64]:
        """How many rows of support each problem has."""
        return self._found.n_support

    @lazy
    def n_boundary(self) -> NDArray[np.int64]:
        """How many of boundary."""
        return self._found.n_boundary

    @lazy
    def _ends(self) -> NDArray[np.int64]:
        return np.cumsum(self.sizes)

    @lazy
    def _support_ends(self) -> NDArray[np.int64]:
        return np.cumsum(self.n_support)

    @lazy
    def _boundary_ends(self) -> NDArray[np.int64]:
        return np.cumsum(self.n_boundary)

    def with_offsets(self) -> Vector:
        """``K β + b`` of all problems: what a margin is about."""
        return np.asarray(self.scores + np.repeat([self._found[k].bias for k in range(len(self.sizes))], self.sizes))

    def margins(self, batch: DualBatch, beta: Vector) -> _core.Margins:
        """What is kept of soft margins with a free offset and linear slack, if all are optimal."""
        return self._found.margins(batch, beta)

    def are_optimal(self, tol: float) -> bool:
        """Whether all are converged, with rounding far below what is allowed: see `solution._dual_solution.verdict`."""
        return self._found.are_optimal(allowances(tol))

    def optimal(self, tol: float) -> NDArray[np.uint8]:
        """The same of each, as 1 or 0."""
        return self._found.optimal(allowances(tol))

    def near(self, tol: float) -> NDArray[np.uint8]:
        """Whether each is as good as the solver believes, which does not compute the gap: violation ≤ 2 tol, as 1 or 0."""
        return self._found.optimal(_core.Allowed(violation=2.0 * tol, gap=0.1, rounding=0.1, infeasibility=_INFEASIBLE))

    def are_settled(self, tol: float) -> bool:
        """Whether each is optimal, or not even stationary, with rounding far below what is allowed."""
        return self._found.are_settled(allowances(tol))

    def at(self, k: int) -> Evaluation:
        """What it says of problem k."""
        found = self._found[k]
        large_gap = found.abs_sum > 0.0 and not found.primal - found.dual <= 1e-3 * abs(found.primal)
        start, end = self._ends[k] - self.sizes[k], self._ends[k]
        support = self.support[self._support_ends[k] - self.n_support[k] : self._support_ends[k]]
        boundary = self.boundary[self._boundary_ends[k] - self.n_boundary[k] : self._boundary_ends[k]]
        return Evaluation(
            scores=self.scores[start:end],
            support=(support - start).astype(np.int32),
            boundary=(boundary - start).astype(np.int32),
            bias=found.bias,
            bias_interval=(found.bias_low, found.bias_high),
            cost=found.cost,
            primal=found.primal,
            dual=found.dual,
            kkt_violation=found.violation,
            square_norm=found.square_norm,
            abs_sum=found.abs_sum,
            scale=found.abs_sum * found.abs_sum * float(np.abs(self._grams[k].diagonal()).max()) if large_gap else 0.0,
            infeasibility=found.infeasibility,
            rounding=found.rounding,
            shift=found.shift,
            score_scale=found.score_scale,
        )
