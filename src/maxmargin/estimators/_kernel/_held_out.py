"""The rows of a fold that are held out, among all rows."""

from __future__ import annotations

from typing import Any, NamedTuple, final

import numpy as np
from numpy.typing import NDArray

__all__ = ["HeldOut"]


@final
class HeldOut(NamedTuple):
    """Rows whose decision values come with the search.

    Attributes
    ----------
    rows : rows
        As they are predicted.
    places : ndarray of intp
        Their places among all rows that are held out.
    n_problems : int
        How many problems have a value for each of them.
    """

    rows: Any
    places: NDArray[np.intp]
    n_problems: int

    @classmethod
    def among(cls, n: int, trained: NDArray[np.intp], asked: NDArray[np.intp], rows: Any, n_problems: int) -> HeldOut | None:
        """Rows of a fold; None if some of them are trained on, or stand there twice."""
        is_other = np.ones(n, dtype=np.bool_)
        is_other[trained] = False
        if not is_other[asked].all():
            return None
        return cls(rows, (np.cumsum(is_other) - 1)[asked], n_problems)

    def of(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Of values of shape (stages, problems · rows held out) those of the rows, in shape (stages, rows, problems)."""
        by_problem = values.reshape(len(values), self.n_problems, -1)
        return np.ascontiguousarray(by_problem[:, :, self.places].transpose(0, 2, 1))
