"""Matérn's kernels."""

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

__all__ = ["Matern"]


@final
@dataclass
class Matern(Kernel):
    """Matérn's kernel of smoothness ν = ½, 3/2 or 5/2, with ``r = √(2ν) |u − v| / l``:

        exp(−r)   (ν = ½),     (1 + r) exp(−r)   (ν = 3/2),     (1 + r + r²/3) exp(−r)   (ν = 5/2)

    Its functions have fewer derivatives than those of the Gaussian, which is the limit of large ν. Its spectrum is positive
    everywhere, so that distinct rows have independent φ (Rasmussen and Williams 2006, section 4.2). The same as
    ``sklearn.gaussian_process.kernels.Matern``.

    Parameters
    ----------
    length_scale : float
        l > 0.
    nu : {0.5, 1.5, 2.5}
        ν.

    Examples
    --------
    >>> from maxmargin.kernels import Matern
    >>> Matern(length_scale=2.0, nu=0.5)([[0.0, 0.0]], [[0.0, 2.0]]).round(4)
    array([[0.3679]])
    """

    length_scale: float = 1.0
    nu: float = 1.5

    def bind(
        self, X: Any, sample_weight: NDArray[np.float64] | None = None, *, moments: Moments | None = None
    ) -> FeatureKernel:
        """Fix l and ν."""
        scale = check_positive("length_scale", self.length_scale, "Matern")
        if self.nu not in (0.5, 1.5, 2.5):
            raise InvalidInput(
                f"The 'nu' parameter of Matern must be 0.5, 1.5 or 2.5. Got {self.nu!r} instead. For a smoother kernel take"
                " RBF, with sigma in place of length_scale."
            )
        rate = float(np.sqrt(2.0 * self.nu)) / scale
        return FeatureKernel("matern", rate, degree=int(self.nu), strictly_positive=True, of_distances=True)
