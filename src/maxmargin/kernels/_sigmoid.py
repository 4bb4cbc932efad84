"""The sigmoid kernel."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from maxmargin.kernels._base import Kernel
from maxmargin.kernels._feature_kernel import FeatureKernel, gamma_value
from maxmargin.kernels._scale import Moments
from maxmargin.validation import check_real

__all__ = ["Sigmoid"]


@final
@dataclass
class Sigmoid(Kernel):
    """``k(u, v) = tanh(γ <u, v> + ζ)``. Not positive semidefinite in general: a fit may end at a local optimum.

    Parameters
    ----------
    gamma : float, "scale" or "auto"
        ``"scale"`` is 1/(d · variance of X), ``"auto"`` 1/d.
    coef0 : float
        ``ζ``.

    Examples
    --------
    >>> from maxmargin.kernels import Sigmoid
    >>> Sigmoid(gamma=1.0)([[0.5]], [[1.0]]).round(4)
    array([[0.4621]])
    """

    gamma: float | str = "scale"
    coef0: float = 0.0

    def bind(
        self, X: Any, sample_weight: NDArray[np.float64] | None = None, *, moments: Moments | None = None
    ) -> FeatureKernel:
        """Fix γ and ζ."""
        check_real("coef0", self.coef0, "Sigmoid")
        gamma = gamma_value(self.gamma, X, sample_weight, "Sigmoid", moments)
        return FeatureKernel("sigmoid", gamma, float(self.coef0), mercer=False, bounded=True)
