"""Kernel values that are kept from one fit to the next if ``warm_start=True``."""

from __future__ import annotations

from typing import Any, final

import numpy as np
from scipy import sparse

from maxmargin.kernels import Gram
from maxmargin.solvers import cache_bytes

__all__ = ["KeptValues", "kept_values"]


@final
class KeptValues:
    """A source that keeps its kernel values, and a copy of the rows they belong to: the caller's rows may change.

    It belongs to a model in memory; it is neither pickled nor copied.

    Parameters
    ----------
    gram : Gram
        The values.
    X : ndarray or CSR matrix
        The rows.
    """

    def __init__(self, gram: Gram, X: Any) -> None:
        self.gram = gram
        self._x = X

    def is_of(self, X: Any, kernel: Any) -> bool:
        """Whether these are the values of this kernel on these rows."""
        mine = self._x
        if self.gram.kernel != kernel or type(mine) is not type(X) or mine.shape != X.shape or mine.dtype != X.dtype:
            return False
        if not sparse.issparse(X):
            return bool(np.array_equal(mine, X))
        pairs = ((mine.indptr, X.indptr), (mine.indices, X.indices), (mine.data, X.data))
        return all(np.array_equal(a, b) for a, b in pairs)


def kept_values(model: Any, gram: Gram, X: Any, held: KeptValues | None) -> KeptValues | None:
    """The keeper of kernel values for the next fit: the one held if it is of these rows; None if there is no room.

    Parameters
    ----------
    model : estimator
        With ``cache_size``, which bounds the memory.
    gram : Gram
        The kernel values of this fit.
    X : ndarray or CSR matrix
        The rows they belong to.
    held : KeptValues or None
        Those of the last fit.
    """
    if gram.kernel.is_linear:  # its products need no kernel values
        return None
    if held is not None and held.is_of(X, gram.kernel):
        return held
    room = cache_bytes(model.cache_size, type(model).__name__)
    size = X.data.nbytes + X.indices.nbytes + X.indptr.nbytes if sparse.issparse(X) else X.nbytes
    if size > room // 8:  # the copy would be what takes the memory
        return None
    copy = X.copy()
    return KeptValues(gram.kernel.gram(copy).kept(room - size), copy)
