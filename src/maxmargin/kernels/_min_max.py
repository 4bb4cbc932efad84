"""The min-max kernel."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from maxmargin.kernels._base import Kernel
from maxmargin.kernels._feature_kernel import FeatureKernel, require_non_negative
from maxmargin.kernels._scale import Moments

__all__ = ["MinMax"]


@final
@dataclass
class MinMax(Kernel):
    """``k(u, v) = Σ min(u_i, v_i) / Σ max(u_i, v_i)`` of features that are at least 0, with ``k(0, 0) = 1``.

    The weighted Jaccard similarity, or Ruzicka's (Ralaivola, Swamidass, Saigo and Baldi 2005). Rows with values below 0 are an
    error.

    Examples
    --------
    >>> from maxmargin.kernels import MinMax
    >>> MinMax()([[3.0, 0.0, 2.0]], [[1.0, 5.0, 4.0]])
    array([[0.25]])
    """

    def bind(
        self, X: Any, sample_weight: NDArray[np.float64] | None = None, *, moments: Moments | None = None
    ) -> FeatureKernel:
        """Fix the parameters: there are none."""
        require_non_negative(X, "MinMax")
        return FeatureKernel("min_max", bounded=True, non_negative="MinMax")
