"""The way to the answer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np
from numpy.typing import NDArray

__all__ = ["Trace"]


@final
@dataclass(frozen=True, eq=False)
class Trace:
    """Checkpoints of a fit.

    Attributes
    ----------
    table : ndarray of shape (checkpoints, 5)
        Seconds, pair steps, minus the dual objective, KKT violation and number of support vectors: what the core reports.
        Solvers of linear models in Python have a sixth column, the primal objective.

    Examples
    --------
    >>> from maxmargin import problems, solve
    >>> trace = solve(problems.SoftMargin([[-1.0], [1.0]], [-1, 1])).trace
    >>> bool((trace.steps >= 0).all()), len(trace) >= 1
    (True, True)
    """

    table: NDArray[np.floating]

    @property
    def seconds(self) -> NDArray[np.float64]:
        """Time since the start."""
        return self.table[:, 0].astype(np.float64)

    @property
    def steps(self) -> NDArray[np.int64]:
        """Pair steps."""
        return self.table[:, 1].astype(np.int64)

    @property
    def objective(self) -> NDArray[np.float64]:
        """Dual objective; it never falls."""
        return -self.table[:, 2].astype(np.float64)

    @property
    def violation(self) -> NDArray[np.float64]:
        """KKT violation, as the solver sees it."""
        return self.table[:, 3].astype(np.float64)

    @property
    def n_support(self) -> NDArray[np.int64]:
        """Number of support vectors."""
        return self.table[:, 4].astype(np.int64)

    def then(self, later: Trace) -> Trace:
        """This trace with a resumed run after it; the later run counts its own time and steps."""
        if not len(self):
            return later
        shift = np.zeros(self.table.shape[1])
        shift[:2] = self.table[-1, :2]
        return Trace(np.concatenate((self.table, later.table + shift)))

    def __len__(self) -> int:
        return len(self.table)
