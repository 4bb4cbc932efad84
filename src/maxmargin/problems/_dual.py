"""The one quadratic program that every formulation fills in."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, final

import numpy as np
from numpy.typing import NDArray

from maxmargin.kernels import Gram

if TYPE_CHECKING:
    from maxmargin import _core

__all__ = ["DualProblem"]

Vector = NDArray[np.float64]


@final
@dataclass(frozen=True, eq=False)
class DualProblem:
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

    def judged_at(self, beta: Vector) -> DualProblem:
        """The problem at finite prices, for the judge of a point: no bound, no ridge and any violation is an infinite loss.

        Twice the largest coefficient is then the bound. Where it is not met, the optimum is that of every larger bound.
        """
        if self.D is not None or np.isfinite(self.upper).all():
            return self
        bound = 2.0 * float(np.abs(beta).max(initial=0.0)) or 1.0
        return replace(self, lower=np.maximum(self.lower, -bound), upper=np.minimum(self.upper, bound))

    def with_point(self, beta: Vector, vector: Vector) -> _core.Task:
        """The problem and a point of it, as the core takes them; with the gradient for the engine, ``K β`` for the judge."""
        return (
            self.gram.core,
            self.q,
            self.lower,
            self.upper,
            self.D,
            self.kink,
            self.offset,
            self.total,
            self.mass,
            self.mass_may_fall,
            beta,
            vector,
        )
