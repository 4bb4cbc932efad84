"""The cosine of the angle between rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from maxmargin.kernels._base import Kernel
from maxmargin.kernels._feature_kernel import FeatureKernel
from maxmargin.kernels._scale import Moments

__all__ = ["Cosine"]


@final
@dataclass
class Cosine(Kernel):
    """``k(u, v) = <u, v> / (|u| |v|)``, with ``k(0, 0) = 1``.

    The linear kernel of rows scaled to length 1 (Salton, Wong and Yang 1975). A row of zeros has a direction of its own: 0 with
    all other rows, and 1 with itself.

    Examples
    --------
    >>> from maxmargin.kernels import Cosine
    >>> Cosine()([[3.0, 4.0]], [[1.0, 0.0], [0.0, 2.0]])
    array([[0.6, 0.8]])
    """

    def bind(
        self, X: Any, sample_weight: NDArray[np.float64] | None = None, *, moments: Moments | None = None
    ) -> FeatureKernel:
        """Fix the parameters: there are none."""
        bound = FeatureKernel("cosine", bounded=True)
        bound.check(X)
        return bound
