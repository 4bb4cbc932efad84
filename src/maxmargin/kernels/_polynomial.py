"""The polynomial kernel."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from maxmargin.kernels._base import Kernel
from maxmargin.kernels._feature_kernel import FeatureKernel, gamma_value
from maxmargin.kernels._scale import Moments
from maxmargin.validation import check_integer, check_real

__all__ = ["Polynomial", "check_degree"]

_LARGEST_DEGREE = 2**31 - 1  # that the core can count


def check_degree(value: Any, owner: str) -> int:
    """Return a degree that the core can take."""
    return check_integer("degree", check_integer("degree", value, owner, 0), owner, 0, _LARGEST_DEGREE)


@final
@dataclass
class Polynomial(Kernel):
    """``k(u, v) = (γ <u, v> + ζ)^Q``.

    Parameters
    ----------
    degree : int
        ``Q ≥ 0``.
    gamma : float, "scale" or "auto"
        ``"scale"`` is 1/(d · variance of X), ``"auto"`` 1/d.
    coef0 : float
        ``ζ``. Below 0 the kernel is not positive semidefinite in general.

    Examples
    --------
    >>> from maxmargin.kernels import Polynomial
    >>> Polynomial(degree=2, gamma=1.0, coef0=1.0)([[1.0, 2.0]], [[3.0, 4.0]])
    array([[144.]])
    """

    degree: int = 3
    gamma: float | str = "scale"
    coef0: float = 0.0

    def bind(
        self, X: Any, sample_weight: NDArray[np.float64] | None = None, *, moments: Moments | None = None
    ) -> FeatureKernel:
        """Fix γ, ζ and Q."""
        check_degree(self.degree, "Polynomial")
        check_real("coef0", self.coef0, "Polynomial")
        gamma = gamma_value(self.gamma, X, sample_weight, "Polynomial", moments)
        zeta, Q = float(self.coef0), int(self.degree)
        return FeatureKernel("polynomial", gamma, zeta, Q, mercer=zeta >= 0.0, degrees=_degrees(gamma, zeta, Q))


def _degrees(gamma: float, zeta: float, Q: int) -> range | None:
    """Degrees of the monomials: up to Q, or Q alone for ζ = 0; 0 if γ = 0 makes it constant."""
    if gamma == 0.0:
        return range(1) if zeta > 0.0 else None
    return range(0 if zeta > 0.0 else Q, Q + 1) if zeta >= 0.0 else None
