"""The one quadratic program that every formulation fills in."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, final

import numpy as np
from numpy.typing import NDArray

from maxmargin._core import DualBatch
from maxmargin.errors import InvalidInput
from maxmargin.kernels import Gram

__all__ = ["DualBatch", "DualProblem", "dual_batch", "stacked", "with_finite_bounds"]

Vector = NDArray[np.float64]


@final
class DualProblem(NamedTuple):
    """Minimise ``½ βᵀ(K + D) β + qᵀβ + l1_weight Σ|β|`` subject to ``lower ≤ β ≤ upper`` and at most two equalities.

    With an offset ``Σβ = total``, and with an abs_sum also ``Σ|β| = abs_sum`` (``≤ abs_sum`` where it may fall). ``D`` is
    diagonal, None for zero. The variables are signed, ``β_i = y_i α_i`` for a margin: so the scores are ``f = K β + b``,
    without labels. Fenchel's dual of this, the primal, is the same for all formulations: with the multipliers b of the total
    and r of Σ|β|

        minimise ½ βᵀK β + b total + r abs_sum + Σ max {−(f_i + q_i) t − (l1_weight + r) |t| − ½ D_i t² : lower_i ≤ t ≤
        upper_i},

    where the maximum is the loss of row i: for ``q = −y`` between 0 and ``y C`` it is ``C max(0, 1 − y f)``.

    A dual solver sees this problem and knows nothing of support vector machines.

    Examples
    --------
    >>> from maxmargin.kernels import Linear
    >>> from maxmargin.problems import SoftMargin
    >>> dual = SoftMargin([[-1.0], [1.0]], [-1, 1], C=10.0, kernel=Linear()).dual
    >>> dual.q, dual.lower, dual.upper
    (array([ 1., -1.]), array([-10.,   0.]), array([ 0., 10.]))
    """

    gram: Gram
    q: Vector
    lower: Vector
    upper: Vector
    offset: bool
    D: Vector | None = None
    l1_weight: float = 0.0
    total: float = 0.0
    abs_sum: float | None = None
    abs_sum_may_fall: bool = False

    @property
    def n(self) -> int:
        """Number of variables."""
        return len(self.q)

    def gradient(self, beta: Vector, scores: Vector) -> Vector:
        """Gradient in β of the smooth part, given the scores ``K β``."""
        found = scores + self.q
        return found if self.D is None else found + self.D * beta


def dual_batch(duals: Sequence[DualProblem]) -> DualBatch:
    """Several duals of one kind as the core takes them: their vectors stand one problem after the other.

    Examples
    --------
    >>> from maxmargin.problems import SoftMargin
    >>> from maxmargin.problems._dual import dual_batch
    >>> dual = SoftMargin([[-1.0], [1.0]], [-1, 1]).dual
    >>> dual_batch([dual, dual]).q
    array([ 1., -1.,  1., -1.])
    """
    first = duals[0]
    kind = _kind(first)
    if any(_kind(dual) != kind for dual in duals):
        raise InvalidInput("Problems that are solved together must be of one kind. Solve them one after the other.")
    return DualBatch(
        grams=[dual.gram.core for dual in duals],
        q=stacked([dual.q for dual in duals]),
        lower=stacked([dual.lower for dual in duals]),
        upper=stacked([dual.upper for dual in duals]),
        D=None if first.D is None else stacked([dual.D for dual in duals if dual.D is not None]),
        l1_weight=first.l1_weight,
        offset=first.offset,
        total=np.array([dual.total for dual in duals]),
        abs_sum=None if first.abs_sum is None else np.array([dual.abs_sum for dual in duals]),
        abs_sum_may_fall=first.abs_sum_may_fall,
    )


def with_finite_bounds(batch: DualBatch, beta: Vector) -> DualBatch:
    """The problems at finite costs, for the evaluation of a point: no bound, no ridge and any violation is an infinite loss.

    Twice the largest coefficient is then the bound. Where it is not met, the optimum is that of every larger bound.
    """
    if batch.D is not None or batch.bounded:
        return batch
    largest = np.maximum.reduceat(np.abs(beta), np.cumsum([0, *batch.sizes[:-1]]))
    bound = np.repeat(np.where(largest > 0.0, 2.0 * largest, 1.0), batch.sizes)
    return DualBatch(
        grams=batch.grams,
        q=batch.q,
        lower=np.maximum(batch.lower, -bound),
        upper=np.minimum(batch.upper, bound),
        D=None,
        l1_weight=batch.l1_weight,
        offset=batch.offset,
        total=batch.total,
        abs_sum=batch.abs_sum,
        abs_sum_may_fall=batch.abs_sum_may_fall,
    )


def stacked(vectors: Sequence[Vector]) -> Vector:
    """Vectors one after the other; a single one is not copied."""
    return np.concatenate(vectors) if len(vectors) > 1 else vectors[0]


def _kind(dual: DualProblem) -> tuple[Any, ...]:
    return dual.D is None, dual.l1_weight, dual.offset, dual.abs_sum is None, dual.abs_sum_may_fall
