"""The χ² kernel."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from maxmargin.kernels._base import Kernel
from maxmargin.kernels._feature_kernel import FeatureKernel, gamma_value, require_non_negative
from maxmargin.kernels._scale import Moments

__all__ = ["ChiSquared"]


@final
@dataclass
class ChiSquared(Kernel):
    """``k(u, v) = exp(−γ Σ (u_i − v_i)²/(u_i + v_i))`` of features that are at least 0; terms with ``u_i = v_i = 0`` are 0.

    For histograms (Zhang, Marszałek, Lazebnik and Schmid 2007); scikit-learn's ``chi2_kernel``. Rows with values below 0 are an
    error.

    Parameters
    ----------
    gamma : float, "scale" or "auto"
        ``"scale"`` is 1/(d · variance of X), ``"auto"`` 1/d.

    Examples
    --------
    >>> from maxmargin.kernels import ChiSquared
    >>> ChiSquared(gamma=1.0)([[1.0, 0.0]], [[0.0, 1.0]]).round(4)
    array([[0.1353]])
    """

    gamma: float | str = 1.0

    def bind(
        self, X: Any, sample_weight: NDArray[np.float64] | None = None, *, moments: Moments | None = None
    ) -> FeatureKernel:
        """Fix γ."""
        gamma = gamma_value(self.gamma, X, sample_weight, "ChiSquared", moments)
        require_non_negative(X, "ChiSquared")
        degrees = range(1) if gamma == 0.0 else None
        return FeatureKernel("chi_squared", gamma, of_distances=True, degrees=degrees, non_negative="ChiSquared")
