"""Kernel values that stay from one fit to the next where ``warm_start=True``."""

from __future__ import annotations

from typing import Any, final

import numpy as np
from scipy import sparse

from maxmargin.kernels import Gram
from maxmargin.solvers import cache_bytes

__all__ = ["KeptValues", "with_kept_values"]

_KEPT = "_kept_values"
_SMALL = 1 << 22  # bytes of a copy of X that cost less than a fit


@final
class KeptValues:
    """A source of kernel values that keeps them, and a copy of the rows that they are of: the caller's may change.

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


def with_kept_values(model: Any, gram: Gram, X: Any, before: Any) -> Gram:
    """The source of a second fit with the same kernel, which keeps its values for the third; else as it is.

    Parameters
    ----------
    model : estimator
        With ``warm_start`` and ``cache_size``, which bounds the memory.
    gram : Gram
        The kernel values of this fit.
    X : rows
        Of which they are.
    before : BoundKernel or None
        The kernel of the last fit.
    """
    held: KeptValues | None = vars(model).pop(_KEPT, None)
    of_features = sparse.issparse(X) or isinstance(X, np.ndarray)
    if not model.warm_start or gram.kernel != before or gram.kernel.is_linear or not of_features:
        return gram
    if held is None or not held.is_of(X, gram.kernel):
        room = cache_bytes(model.cache_size, type(model).__name__)
        size = X.data.nbytes + X.indices.nbytes + X.indptr.nbytes if sparse.issparse(X) else X.nbytes
        if size > max(_SMALL, room // 8):  # the copy would be what takes the memory
            return gram
        copy = X.copy()
        held = KeptValues(gram.kernel.gram(copy).kept(room - size), copy)
    setattr(model, _KEPT, held)
    return held.gram
