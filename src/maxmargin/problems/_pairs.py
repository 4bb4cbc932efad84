"""The rows of problems for pairs of classes."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple, final

import numpy as np
from numpy.typing import NDArray

from maxmargin import _core

__all__ = ["LabelledParts", "class_pairs"]


@final
class LabelledParts(NamedTuple):
    """Rows and labels of several problems of two classes, one problem after the other.

    Attributes
    ----------
    rows : ndarray of int32 or None
        Which rows; None if each problem has all of them.
    y : ndarray of float64
        +1 and −1.
    sizes : list of int
        How many rows each problem has.
    """

    rows: NDArray[np.int32] | None
    y: NDArray[np.float64]
    sizes: list[int]

    def each(self) -> Iterator[tuple[NDArray[np.int32] | None, NDArray[np.float64]]]:
        """Rows and labels of one problem after the other."""
        begin = 0
        for size in self.sizes:
            own = slice(begin, begin + size)
            yield None if self.rows is None else self.rows[own], self.y[own]
            begin += size


def class_pairs(codes: NDArray[np.intp], n_classes: int) -> LabelledParts:
    """For each pair i < j of classes the rows of class i, with +1, and then those of class j, with −1.

    Parameters
    ----------
    codes : ndarray of intp
        Class of each row, from 0 to ``n_classes − 1``.
    n_classes : int
        Number of classes.

    Returns
    -------
    LabelledParts
        Of the pairs (0, 1), (0, 2), …, (1, 2), …

    Examples
    --------
    >>> import numpy as np
    >>> from maxmargin.problems._pairs import class_pairs
    >>> pairs = class_pairs(np.array([0, 2, 1, 0]), 3)
    >>> pairs.rows, pairs.sizes
    (array([0, 3, 2, 0, 3, 1, 2, 1], dtype=int32), [3, 3, 2])
    """
    pairs = _core.class_pairs(np.ascontiguousarray(codes, dtype=np.int64), n_classes)
    return LabelledParts(pairs.rows, pairs.signs, [end - begin for begin, end in pairwise(pairs.starts.tolist())])
