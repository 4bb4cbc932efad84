"""What a solver hands back. It is believed in nothing: `certify` judges it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, final

import numpy as np
from numpy.typing import NDArray

from maxmargin._lazy import lazy
from maxmargin.solution._status import Status
from maxmargin.solution._trace import Trace

__all__ = ["Iterate", "Iterates", "Progress"]


@final
class Progress(NamedTuple):
    """Where a running fit is: handed to callbacks about every 50 ms.

    Examples
    --------
    A callback that stops a fit once the violation is below 0.01:

    >>> from maxmargin.solution import Progress
    >>> def good_enough(progress: Progress) -> bool:
    ...     return progress.violation < 0.01
    >>> good_enough(Progress(seconds=1.0, steps=1000, objective=5.0, violation=0.005, n_support=10))
    True
    """

    seconds: float
    steps: int
    objective: float
    violation: float
    n_support: int


@final
class Iterate(NamedTuple):
    """A point, and how the solver came to stop there.

    Attributes
    ----------
    beta : ndarray
        Signed dual variables ``s α``.
    status : Status
        CONVERGED if the solver believes so, otherwise what stopped it.
    steps : int
        Pair steps taken.
    rows_made : int
        Kernel rows computed.
    newton_rounds : int
        Newton systems solved.
    indefinite : bool
        Whether negative curvature was met.
    by_signal : bool
        Whether Ctrl-C stopped it.
    trace : Trace
        Checkpoints on the way.

    Examples
    --------
    >>> from maxmargin.problems import SoftMargin
    >>> from maxmargin.solvers import SMO, Limits, Start
    >>> problem = SoftMargin([[-1.0], [1.0]], [-1, 1])
    >>> start = Start.zero(problem.dual)
    >>> (iterate,) = SMO().run([problem], [start], Limits(tol=1e-3, max_steps=100, max_seconds=0.0), None)
    >>> iterate.status.name
    'CONVERGED'
    """

    beta: NDArray[np.float64]
    status: Status
    steps: int
    rows_made: int
    newton_rounds: int
    indefinite: bool
    by_signal: bool
    trace: Trace

    def then(self, later: Iterate) -> Iterate:
        """The point of a resumed run, with the work of both."""
        return Iterate(
            beta=later.beta,
            status=later.status,
            steps=self.steps + later.steps,
            rows_made=self.rows_made + later.rows_made,
            newton_rounds=self.newton_rounds + later.newton_rounds,
            indefinite=self.indefinite or later.indefinite,
            by_signal=later.by_signal,
            trace=self.trace.then(later.trace),
        )


@final
class Iterates:
    """The points of several problems, one after the other: an `Iterate` is made where somebody asks for one.

    Parameters
    ----------
    beta : ndarray
        Signed dual variables of all problems.
    sizes : sequence of int
        How many each has.
    statuses : list of Status
        How each ended.
    counts : ndarray of int64, shape (problems, 6)
        Steps, kernel rows, Newton rounds, whether negative curvature was met, whether Ctrl-C stopped it, checkpoints.
    table : ndarray
        Checkpoints of all.
    """

    def __init__(
        self,
        beta: NDArray[np.float64],
        sizes: Sequence[int],
        statuses: list[Status],
        counts: NDArray[np.int64],
        table: NDArray[np.floating],
    ) -> None:
        self.beta, self.statuses, self.counts, self.table = beta, statuses, counts, table
        self._sizes = sizes

    @lazy
    def _ends(self) -> NDArray[np.int64]:
        return np.cumsum(self._sizes)

    @lazy
    def _checkpoints(self) -> NDArray[np.int64]:
        return np.cumsum(self.counts[:, 5])

    @classmethod
    def of(cls, iterates: Sequence[Iterate]) -> Iterates:
        """Stack them."""
        counts = [(*each[2:7], len(each.trace)) for each in iterates]
        return cls(
            np.concatenate([each.beta for each in iterates]),
            [len(each.beta) for each in iterates],
            [each.status for each in iterates],
            np.array(counts, dtype=np.int64),
            np.concatenate([each.trace.table for each in iterates]),
        )

    @classmethod
    def unmoved(cls, beta: NDArray[np.float64], sizes: Sequence[int], status: Status) -> Iterates:
        """The points where they begin, if there was no time for a step."""
        counts = np.zeros((len(sizes), 6), dtype=np.int64)
        return cls(beta, sizes, [status] * len(sizes), counts, np.empty((0, 5)))

    @property
    def by_signal(self) -> bool:
        """Whether Ctrl-C stopped any."""
        return bool(self.counts[:, 4].any())

    def at(self, k: int) -> Iterate:
        """The point of problem k."""
        steps, rows_made, newton_rounds, indefinite, by_signal, checkpoints = self.counts[k].tolist()
        last = int(self._checkpoints[k])
        trace = Trace(self.table[last - checkpoints : last])
        beta = self.beta[self._ends[k - 1] if k else 0 : self._ends[k]]
        return Iterate(beta, self.statuses[k], steps, rows_made, newton_rounds, bool(indefinite), bool(by_signal), trace)
