"""Rows of X, whatever X is."""

from __future__ import annotations

from typing import Any, final

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from maxmargin import _core
from maxmargin.validation import take_rows

__all__ = ["RowNumbers", "as_features", "take"]


@final
class RowNumbers:
    """Stands for the rows of a precomputed matrix: a row is known by its number only."""

    __slots__ = ()


def take(X: Any, indices: NDArray[Any]) -> Any:
    """Some rows of X in the container that X is."""
    if isinstance(X, RowNumbers):
        return np.asarray(indices, dtype=np.int32)
    return take_rows(X, indices)


def as_features(X: Any) -> _core.Features:
    """The core's view of dense or CSR rows; nothing is copied."""
    if sparse.issparse(X):
        return _core.csr_features(X.indptr, X.indices, X.data, X.shape[1])
    return _core.dense_features(X)
