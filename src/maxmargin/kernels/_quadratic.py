"""The quadratic kernel of the lectures."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from maxmargin.kernels._base import Kernel
from maxmargin.kernels._feature_kernel import FeatureKernel
from maxmargin.kernels._scale import Moments

__all__ = ["Quadratic"]


@final
@dataclass
class Quadratic(Kernel):
    """``k(u, v) = 1 + <u, v> + <u, v>²``: φ has a constant, every feature, and every product of two.

    The plain map of degree 2, without the weights of ``(1 + <u, v>)²`` (Abu-Mostafa, Magdon-Ismail and Lin 2012, chapter 8).
    Use `Polynomial` for other degrees and weights.

    Examples
    --------
    >>> from maxmargin.kernels import Quadratic
    >>> Quadratic()([[1.0, 2.0]], [[3.0, 4.0]])
    array([[133.]])
    """

    def bind(
        self, X: Any, sample_weight: NDArray[np.float64] | None = None, *, moments: Moments | None = None
    ) -> FeatureKernel:
        """Fix the parameters: there are none."""
        return FeatureKernel("quadratic", coef0=1.0, degree=2, degrees=range(3))
