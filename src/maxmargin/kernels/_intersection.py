"""The histogram intersection kernel."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from maxmargin.kernels._base import Kernel
from maxmargin.kernels._feature_kernel import FeatureKernel, require_non_negative
from maxmargin.kernels._scale import Moments

__all__ = ["Intersection"]


@final
@dataclass
class Intersection(Kernel):
    """``k(u, v) = Σ min(u_i, v_i)`` of features that are at least 0.

    What two histograms have in common (Swain and Ballard 1991; a kernel: Barla, Odone and Verri 2003). Below 0 it is not an
    inner product: such rows are an error.

    Examples
    --------
    >>> from maxmargin.kernels import Intersection
    >>> Intersection()([[3.0, 0.0, 2.0]], [[1.0, 5.0, 4.0]])
    array([[3.]])
    """

    def bind(
        self, X: Any, sample_weight: NDArray[np.float64] | None = None, *, moments: Moments | None = None
    ) -> FeatureKernel:
        """Fix the parameters: there are none."""
        require_non_negative(X, "Intersection")
        return FeatureKernel("intersection", non_negative="Intersection")
