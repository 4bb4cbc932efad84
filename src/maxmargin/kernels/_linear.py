"""The linear kernel."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from maxmargin.kernels._base import Kernel
from maxmargin.kernels._feature_kernel import FeatureKernel
from maxmargin.kernels._scale import Moments

__all__ = ["Linear"]


@final
@dataclass
class Linear(Kernel):
    """``k(u, v) = <u, v>``.

    Examples
    --------
    >>> from maxmargin.kernels import Linear
    >>> Linear()([[1.0, 2.0]], [[3.0, 4.0]])
    array([[11.]])
    """

    def bind(
        self, X: Any, sample_weight: NDArray[np.float64] | None = None, *, moments: Moments | None = None
    ) -> FeatureKernel:
        """Fix the parameters: there are none."""
        return FeatureKernel("linear", degrees=range(1, 2))
