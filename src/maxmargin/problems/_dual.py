"""The one quadratic program that every formulation fills in."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, final

import numpy as np
from numpy.typing import NDArray

from maxmargin.errors import InvalidInput
from maxmargin.kernels import Gram

if TYPE_CHECKING:
    from maxmargin import _core

__all__ = ["DualProblem", "DualStack", "stacked"]

Vector = NDArray[np.float64]


@final
class DualProblem(NamedTuple):
    """Minimise ``½ βᵀ(K + D) β + qᵀβ + kink Σ|β|`` subject to ``lower ≤ β ≤ upper`` and at most two equalities.

    With an offset ``Σβ = total``, and with a mass also ``Σ|β| = mass`` (``≤ mass`` where it may fall). ``D`` is diagonal, None
    for zero. The variables are signed, ``β_i = y_i α_i`` for a margin: so the scores are ``f = K β + b``, and no label is left.
    Fenchel's dual of this, the primal, is the same for all formulations: with the multipliers b of the total and r of the mass

        minimise ½ βᵀK β + b total + r mass + Σ max {−(f_i + q_i) t − (kink + r) |t| − ½ D_i t² : lower_i ≤ t ≤ upper_i},

    where the maximum is the loss of row i: for ``q = −y`` between 0 and ``y C`` it is ``C max(0, 1 − y f)``.

    A dual solver sees this and nothing of support vector machines.

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
    kink: float = 0.0
    total: float = 0.0
    mass: float | None = None
    mass_may_fall: bool = False

    @property
    def n(self) -> int:
        """Number of variables."""
        return len(self.q)

    def gradient(self, beta: Vector, scores: Vector) -> Vector:
        """Gradient in β of the smooth part, given the scores ``K β``."""
        gradient = scores + self.q
        return gradient if self.D is None else gradient + self.D * beta


@final
class DualStack(NamedTuple):
    """Several duals of one kind as the core takes them: their vectors stand one problem after the other.

    The sizes are those of the Grams, for Python: to ask each of many takes its time.

    Examples
    --------
    >>> from maxmargin.problems import SoftMargin
    >>> from maxmargin.problems._dual import DualStack
    >>> dual = SoftMargin([[-1.0], [1.0]], [-1, 1]).dual
    >>> DualStack.of([dual, dual]).q
    array([ 1., -1.,  1., -1.])
    """

    grams: list[_core.Gram]
    q: Vector
    lower: Vector
    upper: Vector
    D: Vector | None
    kink: float
    offset: bool
    total: Vector
    mass: Vector | None
    mass_may_fall: bool
    sizes: list[int]

    @classmethod
    def of(cls, duals: Sequence[DualProblem]) -> DualStack:
        """Stack them."""
        first = duals[0]
        kind = _kind(first)
        if any(_kind(dual) != kind for dual in duals):
            raise InvalidInput("Problems that are solved together must be of one kind. Solve them one after the other.")
        return cls(
            [dual.gram.core for dual in duals],
            stacked([dual.q for dual in duals]),
            stacked([dual.lower for dual in duals]),
            stacked([dual.upper for dual in duals]),
            None if first.D is None else stacked([dual.D for dual in duals if dual.D is not None]),
            first.kink,
            first.offset,
            np.array([dual.total for dual in duals]),
            None if first.mass is None else np.array([dual.mass for dual in duals]),
            first.mass_may_fall,
            [dual.n for dual in duals],
        )

    def gradient(self, beta: Vector, scores: Vector) -> Vector:
        """Gradient in β of the smooth part, given the scores ``K β``."""
        gradient = scores + self.q
        return gradient if self.D is None else gradient + self.D * beta

    def judged_at(self, beta: Vector) -> DualStack:
        """The problems at finite prices, for the judge of a point: no bound, no ridge and any violation is an infinite loss.

        Twice the largest coefficient is then the bound. Where it is not met, the optimum is that of every larger bound.
        """
        if self.D is not None or np.isfinite(self.upper).all():
            return self
        largest = np.maximum.reduceat(np.abs(beta), np.cumsum([0, *self.sizes[:-1]]))
        bound = np.repeat(np.where(largest > 0.0, 2.0 * largest, 1.0), self.sizes)
        return self._replace(lower=np.maximum(self.lower, -bound), upper=np.minimum(self.upper, bound))


def stacked(vectors: Sequence[Vector]) -> Vector:
    """Vectors one after the other; a single one is not copied."""
    return np.concatenate(vectors) if len(vectors) > 1 else vectors[0]


def _kind(dual: DualProblem) -> tuple[Any, ...]:
    return dual.D is None, dual.kink, dual.offset, dual.mass is None, dual.mass_may_fall
