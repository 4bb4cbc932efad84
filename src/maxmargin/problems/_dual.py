"""The one quadratic program that every formulation fills in."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np
from numpy.typing import NDArray

from maxmargin.kernels import Gram

__all__ = ["DualProblem"]

Vector = NDArray[np.float64]


@final
@dataclass(frozen=True, eq=False)
class DualProblem:
    """Minimise ``½ βᵀ(K + D) β + qᵀβ`` subject to ``lower ≤ β ≤ upper`` and, with an offset, ``Σβ = 0``.

    The variables are signed, ``β_i = y_i α_i`` for a margin: so the scores are ``f = K β + b``, and no label is left. ``D`` is
    diagonal, None for zero. Fenchel's dual of this, the primal, is the same for all formulations,

        minimise ½ βᵀK β + Σ max {−(f_i + q_i) t − ½ D_i t² : lower_i ≤ t ≤ upper_i},

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

    @property
    def n(self) -> int:
        """Number of variables."""
        return len(self.q)

    def gradient(self, beta: Vector, scores: Vector) -> Vector:
        """Gradient in β, given the scores ``K β``."""
        gradient = scores + self.q
        return gradient if self.D is None else gradient + self.D * beta
