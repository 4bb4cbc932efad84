"""The Laplacian kernel."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from maxmargin.kernels._base import Kernel
from maxmargin.kernels._feature_kernel import FeatureKernel, gamma_value
from maxmargin.kernels._scale import Moments

__all__ = ["Laplacian"]


@final
@dataclass
class Laplacian(Kernel):
    """``k(u, v) = exp(−γ |u − v|₁)`` with the sum of absolute differences ``|u − v|₁``.

    Less smooth than the Gaussian, and less affected by a single large difference. Distinct rows have linearly independent φ
    for γ > 0: k is a product of kernels of one feature each, whose spectrum ``∝ 1/(1 + (ω/γ)²)`` is positive (Rahimi and
    Recht 2007, table 1).

    Parameters
    ----------
    gamma : float, "scale" or "auto"
        ``"scale"`` is 1/(d · variance of X), ``"auto"`` 1/d.

    Examples
    --------
    >>> from maxmargin.kernels import Laplacian
    >>> Laplacian(gamma=0.5)([[0.0, 0.0]], [[1.0, 1.0]]).round(4)
    array([[0.3679]])
    """

    gamma: float | str = "scale"

    def bind(
        self, X: Any, sample_weight: NDArray[np.float64] | None = None, *, moments: Moments | None = None
    ) -> FeatureKernel:
        """Fix γ."""
        gamma = gamma_value(self.gamma, X, sample_weight, "Laplacian", moments)
        degrees = range(1) if gamma == 0.0 else None
        return FeatureKernel("laplacian", gamma, strictly_positive=gamma > 0.0, of_distances=True, degrees=degrees)
