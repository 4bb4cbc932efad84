"""The Gaussian kernel."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from maxmargin.kernels._base import Kernel
from maxmargin.kernels._feature_kernel import FeatureKernel, Formula, gamma_value
from maxmargin.kernels._scale import Moments

__all__ = ["RBF"]


@final
@dataclass
class RBF(Kernel):
    """``k(u, v) = exp(−γ |u − v|²)``, the Gaussian kernel with ``γ = 1/(2σ²)``.

    Parameters
    ----------
    gamma : float, "scale" or "auto"
        ``"scale"`` is 1/(d · variance of X), ``"auto"`` 1/d.

    Examples
    --------
    >>> from maxmargin.kernels import RBF
    >>> RBF(gamma=0.5)([[0.0, 0.0]], [[1.0, 1.0]]).round(4)
    array([[0.3679]])
    """

    gamma: float | str = "scale"

    def bind(
        self, X: Any, sample_weight: NDArray[np.float64] | None = None, *, moments: Moments | None = None
    ) -> FeatureKernel:
        """Fix γ."""
        return FeatureKernel(Formula.RBF, gamma_value(self.gamma, X, sample_weight, "RBF", moments))
