"""The Gaussian kernel."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from maxmargin.errors import InvalidInput
from maxmargin.kernels._base import Kernel
from maxmargin.kernels._feature_kernel import FeatureKernel, gamma_value
from maxmargin.kernels._scale import Moments
from maxmargin.validation import check_positive

__all__ = ["RBF"]


@final
@dataclass
class RBF(Kernel):
    """``k(u, v) = exp(−γ |u − v|²)``, the Gaussian kernel, with ``γ = 1/(2σ²)``.

    Distinct rows have linearly independent φ for γ > 0 (Micchelli 1986).

    Parameters
    ----------
    gamma : float, "scale" or "auto"
        ``"scale"`` is 1/(d · variance of X), ``"auto"`` 1/d.
    sigma : float, optional
        σ > 0, in place of γ.

    Examples
    --------
    >>> from maxmargin.kernels import RBF
    >>> RBF(gamma=0.5)([[0.0, 0.0]], [[1.0, 1.0]]).round(4)
    array([[0.3679]])
    >>> RBF(sigma=1.0)([[0.0, 0.0]], [[1.0, 1.0]]).round(4)
    array([[0.3679]])
    """

    gamma: float | str = "scale"
    sigma: float | None = None

    def __repr__(self) -> str:
        if self.sigma is None:
            return f"RBF(gamma={self.gamma!r})"
        return f"RBF(sigma={self.sigma!r})" if self.gamma == "scale" else f"RBF(gamma={self.gamma!r}, sigma={self.sigma!r})"

    def bind(
        self, X: Any, sample_weight: NDArray[np.float64] | None = None, *, moments: Moments | None = None
    ) -> FeatureKernel:
        """Fix γ."""
        gamma = self._gamma(X, sample_weight, moments)
        degrees = range(1) if gamma == 0.0 else None
        return FeatureKernel("rbf", gamma, strictly_positive=gamma > 0.0, of_distances=True, degrees=degrees)

    def _gamma(self, X: Any, sample_weight: NDArray[np.float64] | None, moments: Moments | None) -> float:
        if self.sigma is None:
            return gamma_value(self.gamma, X, sample_weight, "RBF", moments)
        if not (isinstance(self.gamma, str) and self.gamma == "scale"):
            raise InvalidInput(
                f"RBF takes gamma or sigma, with gamma = 1/(2 sigma²). Got gamma={self.gamma!r} and sigma={self.sigma!r}."
                " Give one."
            )
        sigma = check_positive("sigma", self.sigma, "RBF")
        with np.errstate(over="ignore"):
            gamma = float(0.5 / np.square(np.float64(sigma))) if sigma * sigma > 0.0 else np.inf
        if not np.isfinite(gamma):
            raise InvalidInput(f"The 'sigma' parameter of RBF is so small that 1/(2 sigma²) overflows. Got {self.sigma!r}.")
        return gamma
