"""The rational quadratic kernel."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from maxmargin.errors import InvalidInput
from maxmargin.kernels._base import Kernel
from maxmargin.kernels._feature_kernel import FeatureKernel
from maxmargin.kernels._scale import Moments
from maxmargin.validation import check_positive

__all__ = ["RationalQuadratic"]


@final
@dataclass
class RationalQuadratic(Kernel):
    """``k(u, v) = (1 + |u − v|² / (2 α l²))^(−α)``, a mixture of Gaussians of many widths.

    The Gaussian with ``σ = l`` is the limit of large α. As a mixture of Gaussians it tells distinct rows apart as they do
    (Rasmussen and Williams 2006, section 4.2). The same as ``sklearn.gaussian_process.kernels.RationalQuadratic``.

    Parameters
    ----------
    length_scale : float
        l > 0.
    alpha : float
        α > 0: the smaller, the heavier the tails.

    Examples
    --------
    >>> from maxmargin.kernels import RationalQuadratic
    >>> RationalQuadratic(length_scale=2.0, alpha=1.0)([[0.0, 0.0]], [[2.0, 2.0]])
    array([[0.5]])
    """

    length_scale: float = 1.0
    alpha: float = 1.0

    def bind(
        self, X: Any, sample_weight: NDArray[np.float64] | None = None, *, moments: Moments | None = None
    ) -> FeatureKernel:
        """Fix l and α."""
        scale = check_positive("length_scale", self.length_scale, "RationalQuadratic")
        alpha = check_positive("alpha", self.alpha, "RationalQuadratic")
        below = 2.0 * alpha * scale * scale
        if not 1e-300 < below < 1e300:
            raise InvalidInput(
                f"RationalQuadratic divides by 2 alpha length_scale², which is {below:.3g}. Got length_scale={scale:g} and"
                f" alpha={alpha:g}. Scale the features, or take values nearer to 1."
            )
        return FeatureKernel("rational_quadratic", 1.0 / below, alpha, strictly_positive=True, of_distances=True)
