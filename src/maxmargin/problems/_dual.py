"""The one quadratic program that every formulation fills in."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import final

import numpy as np
from numpy.typing import NDArray

from maxmargin.kernels import Gram

__all__ = ["DualProblem"]

Vector = NDArray[np.float64]


@final
@dataclass(frozen=True, eq=False)
class DualProblem:
    """Minimise ``½ αᵀ(S K S + D) α + pᵀα`` subject to ``0 ≤ α ≤ u`` and, with an offset, ``sᵀα = 0``.

    ``S = diag(s)``, ``s = ±1``; ``D`` is diagonal, None for zero. In the signed variables ``β = s α`` the scores are
    ``f = K β + b`` and the gradient is ``K β + s (D α + p)``; `q`, `lower` and `upper` are the problem in these variables.

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
    s: Vector
    p: Vector
    u: Vector
    offset: bool
    D: Vector | None = None

    @property
    def n(self) -> int:
        """Number of variables."""
        return len(self.s)

    @cached_property
    def q(self) -> Vector:
        """Linear term in β."""
        return self.s * self.p

    @cached_property
    def lower(self) -> Vector:
        """Lower bounds of β."""
        return np.where(self.s > 0, 0.0, -self.u)

    @cached_property
    def upper(self) -> Vector:
        """Upper bounds of β."""
        return np.where(self.s > 0, self.u, 0.0)

    def gradient(self, beta: Vector, scores: Vector) -> Vector:
        """Gradient in β, given the scores ``K β``."""
        gradient = scores + self.q
        return gradient if self.D is None else gradient + self.D * beta
