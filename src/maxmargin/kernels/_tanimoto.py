"""The kernel of Tanimoto."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from maxmargin.kernels._base import Kernel
from maxmargin.kernels._feature_kernel import FeatureKernel
from maxmargin.kernels._scale import Moments

__all__ = ["Tanimoto"]


@final
@dataclass
class Tanimoto(Kernel):
    """``k(u, v) = <u, v> / (|u|² + |v|² − <u, v>)``, with ``k(0, 0) = 1``.

    For rows of zeros and ones, such as molecular fingerprints, this is the size of the intersection divided by that of the
    union (Ralaivola, Swamidass, Saigo and Baldi 2005). Features may have any sign: ``1/(s − t) = ∫ e^{−x(s − t)} dx`` makes it
    a mixture of products of kernels.

    Examples
    --------
    >>> from maxmargin.kernels import Tanimoto
    >>> Tanimoto()([[1.0, 1.0, 0.0]], [[0.0, 1.0, 1.0]]).round(4)
    array([[0.3333]])
    """

    def bind(
        self, X: Any, sample_weight: NDArray[np.float64] | None = None, *, moments: Moments | None = None
    ) -> FeatureKernel:
        """Fix the parameters: there are none."""
        bound = FeatureKernel("tanimoto", bounded=True)
        bound.check(X)
        return bound
