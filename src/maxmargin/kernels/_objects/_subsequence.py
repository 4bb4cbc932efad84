"""Subsequences with gaps."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from maxmargin import _core
from maxmargin.kernels._base import BoundKernel
from maxmargin.kernels._objects._base import BoundObjectKernel, ObjectKernel, normalised_objects
from maxmargin.kernels._objects._symbols import require_length, symbols_of
from maxmargin.kernels._scale import Moments
from maxmargin.validation import check_fraction, check_integer

__all__ = ["GappySubsequence"]

_ADVICE = "Choose a smaller k, or another decay: nearer to 1 where values are too small, smaller where they are too large."


@final
@dataclass(frozen=True)
class BoundSubsequence(BoundObjectKernel):
    k: int
    decay: float
    normalise: bool

    def encode(self, objects: Sequence[Any], first_column: int) -> _core.Objects:
        encoded = _core.subsequences(symbols_of(objects, "GappySubsequence").runs(), self.k, self.decay)
        return normalised_objects(encoded, "GappySubsequence", _ADVICE) if self.normalise else encoded


@final
@dataclass
class GappySubsequence(ObjectKernel):
    """Subsequences of k symbols, gaps allowed: ``k(s, t) = Σ_u Σ_{i: s[i] = u} Σ_{j: t[j] = u} λ^(span(i) + span(j))``.

    i are k ascending positions of s, and ``span(i) = i_k − i_1 + 1`` counts what lies between, too: λ below 1 makes gaps count
    less. Also known as the string subsequence kernel.

    Parameters
    ----------
    k : int
        Length of the subsequences.
    decay : float
        λ, above 0 and at most 1.
    normalise : bool
        Whether ``k(s, s) = 1``. A string shorter than k has 1 with others of that kind, 0 with the rest.

    References
    ----------
    Lodhi, Saunders, Shawe-Taylor, Cristianini and Watkins, Text classification using string kernels, JMLR 2002.

    Examples
    --------
    >>> from maxmargin.kernels import GappySubsequence
    >>> GappySubsequence(k=2, decay=0.5, normalise=False)(["cat", "car"])
    array([[0.140625, 0.0625  ],
           [0.0625  , 0.140625]])
    """

    k: int = 3
    decay: float = 0.5
    normalise: bool = True

    def bind(self, X: Any, sample_weight: NDArray[np.float64] | None = None, *, moments: Moments | None = None) -> BoundKernel:
        """Check the length against the strings, and the decay."""
        k = check_integer("k", self.k, "GappySubsequence", 1)
        decay = check_fraction("decay", self.decay, "GappySubsequence")
        require_length(X, k, "k", "GappySubsequence")
        return BoundSubsequence(k, decay, self._normalises())
