"""Strings compared position by position."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from maxmargin import _core
from maxmargin.kernels._base import BoundKernel
from maxmargin.kernels._objects._base import BoundObjectKernel, ObjectKernel, normalised_objects
from maxmargin.kernels._objects._symbols import require_symbols, symbols_of
from maxmargin.kernels._scale import Moments
from maxmargin.validation import check_integer

__all__ = ["WeightedDegree"]


@final
@dataclass(frozen=True)
class BoundWeightedDegree(BoundObjectKernel):
    degree: int
    normalise: bool

    def encode(self, objects: Sequence[Any], first_column: int) -> _core.Objects:
        D = self.degree
        weights = 2.0 * np.arange(D, 0, -1) / (D * (D + 1))
        encoded = _core.position_matches(symbols_of(objects, "WeightedDegree").runs(), weights)
        return normalised_objects(encoded, "WeightedDegree") if self.normalise else encoded


@final
@dataclass
class WeightedDegree(ObjectKernel):
    """Substrings that agree at the same place: ``k(s, t) = Σ_{d=1}^{D} β_d Σ_i [s_i…s_{i+d−1} = t_i…t_{i+d−1}]``.

    ``β_d = 2 (D − d + 1) / (D (D + 1))``. For strings that are aligned, such as windows around a splice site. Of strings of
    different length the positions that both have are compared. Empty strings have 1 with each other, and 0 with the rest; not
    normalised, 0 with all.

    Parameters
    ----------
    degree : int
        D, the longest run of symbols that counts.
    normalise : bool
        Whether ``k(s, s) = 1``.

    References
    ----------
    Rätsch and Sonnenburg, Accurate splice site prediction for Caenorhabditis elegans, 2004.

    Examples
    --------
    >>> from maxmargin.kernels import WeightedDegree
    >>> WeightedDegree(degree=2, normalise=False)(["ACGT", "ACTT"]).round(4)
    array([[3.6667, 2.3333],
           [2.3333, 3.6667]])
    """

    degree: int = 3
    normalise: bool = True

    def bind(self, X: Any, sample_weight: NDArray[np.float64] | None = None, *, moments: Moments | None = None) -> BoundKernel:
        """Check the degree. It may be longer than all strings: shorter runs count too."""
        degree = check_integer("degree", self.degree, "WeightedDegree", 1)
        require_symbols(X, "WeightedDegree")
        return BoundWeightedDegree(degree, self._normalises())
