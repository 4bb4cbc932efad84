"""What a solver returns. None of it is trusted: `certify` evaluates it."""

from __future__ import annotations

from abc import ABC
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any, NamedTuple, final

import numpy as np
from numpy.typing import NDArray

from maxmargin import _core
from maxmargin._lazy import lazy
from maxmargin.solution._status import Status
from maxmargin.solution._trace import Checkpoint, Trace

__all__ = ["CrammerSingerIterate", "DualIterate", "DualIterates", "Iterate", "PrimalIterate", "Progress", "Stop", "progress_at"]


@final
class Progress(NamedTuple):
    """State of a running fit, passed to callbacks about every 50 ms.

    Attributes
    ----------
    seconds : float
        Time since the subproblem began.
    steps : int
        Its steps.
    objective : float
        Dual objective.
    violation : float
        KKT violation; for linear models the relative gap.
    n_support : int
        Rows with a coefficient that is not 0.
    gap : float
        Primal minus dual objective, as the solver sees it; nan where it is not known.
    subproblem : int
        Number of the binary subproblem of the fit it belongs to.
    done : bool
        Whether that subproblem has ended with it.

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
    gap: float = float("nan")
    subproblem: int = 0
    done: bool = False

    @property
    def relative_gap(self) -> float:
        """The gap as a part of the primal objective; nan where it is not known."""
        return self.gap / max(abs(self.objective + self.gap), 1e-300)


@final
class Stop(Enum):
    """What a callback may return instead of True, which stops all subproblems of a fit.

    Examples
    --------
    A callback that ends each binary classifier of a fit at a gap of its own:

    >>> from maxmargin.solution import Progress, Stop
    >>> def good_enough(progress: Progress) -> Stop | None:
    ...     return Stop.SUBPROBLEM if progress.relative_gap < 0.01 else None
    >>> good_enough(Progress(seconds=1.0, steps=1000, objective=5.0, violation=0.005, n_support=10, gap=0.02))
    <Stop.SUBPROBLEM: 'subproblem'>
    """

    SUBPROBLEM = "subproblem"
    """Only the subproblem that reported."""


def progress_at(checkpoint: Checkpoint, subproblem: int = 0) -> Progress:
    """What a callback is told at a checkpoint of a solver in Python."""
    at = checkpoint
    return Progress(at.seconds, at.steps, at.dual, at.violation, at.n_support, at.gap, subproblem)


@dataclass(frozen=True, eq=False)
class Iterate(ABC):
    """How a solver stopped. The point itself is in the fields of each family's own class.

    Attributes
    ----------
    status : Status
        CONVERGED if the solver believes so, otherwise what stopped it.
    steps : int
        Its own: pair steps, rounds, sweeps, gradient steps.
    interrupted : bool
        Whether Ctrl-C stopped it.
    trace : Trace
        Checkpoints on the way.
    """

    status: Status
    steps: int
    interrupted: bool
    trace: Trace


@final
@dataclass(frozen=True, eq=False)
class DualIterate(Iterate):
    """A point of a canonical dual, and how the solver stopped there.

    Attributes
    ----------
    beta : ndarray
        Signed dual variables ``s α``.
    rows_made : int
        Kernel rows computed.
    newton_rounds : int
        Newton systems solved.
    indefinite : bool
        Whether negative curvature was met.
    status, steps, interrupted, trace
        As in every `Iterate`.

    Examples
    --------
    >>> from maxmargin.problems import SoftMargin
    >>> from maxmargin.solvers import SMO, Limits, Start
    >>> problem = SoftMargin([[-1.0], [1.0]], [-1, 1])
    >>> start = Start.zero(problem.dual)
    >>> (iterate,) = SMO().run([problem], [start], Limits(tol=1e-3, max_steps=100), None)
    >>> iterate.status.name
    'CONVERGED'
    """

    beta: NDArray[np.float64]
    rows_made: int = 0
    newton_rounds: int = 0
    indefinite: bool = False

    def then(self, later: DualIterate) -> DualIterate:
        """The point of a resumed run, with the work of both."""
        return DualIterate(
            status=later.status,
            steps=self.steps + later.steps,
            interrupted=later.interrupted,
            trace=self.trace.then(later.trace),
            beta=later.beta,
            rows_made=self.rows_made + later.rows_made,
            newton_rounds=self.newton_rounds + later.newton_rounds,
            indefinite=self.indefinite or later.indefinite,
        )


@final
@dataclass(frozen=True, eq=False)
class PrimalIterate(Iterate):
    """Weights, multipliers to evaluate them with, and how the solver stopped there.

    Attributes
    ----------
    w : ndarray of shape (d,), or (K, d) for all classes at once
        Weights.
    b : float, or ndarray of shape (K,)
        Offset.
    alpha : ndarray of shape (n,), or (n, K)
        Multipliers; the nearer to the optimal ones, the tighter the certificate.
    status, steps, interrupted, trace
        As in every `Iterate`.

    Examples
    --------
    >>> from maxmargin.problems import PrimalProblem
    >>> from maxmargin.solvers import LinearNewton, Limits
    >>> problem = PrimalProblem([[-1.0], [1.0]], [-1, 1])
    >>> (found,) = LinearNewton().run([problem], [None], Limits(tol=1e-3, max_steps=100), None)
    >>> found.w.round(6)
    array([1.])
    """

    w: NDArray[np.float64]
    b: Any
    alpha: NDArray[np.float64]

    @classmethod
    def at(cls, w: NDArray[np.float64], b: Any, alpha: NDArray[np.float64], status: Status = Status.STALLED) -> PrimalIterate:
        """A point before any step."""
        return cls(status, 0, False, Trace.of(), w, b, alpha)


@final
@dataclass(frozen=True, eq=False)
class CrammerSingerIterate(Iterate):
    """A point of the joint problem of all classes, and how the solver stopped there.

    Attributes
    ----------
    beta : ndarray of shape (n, K)
        Coefficients.
    bias : ndarray of shape (K,)
        Offsets.
    status, steps, interrupted, trace
        As in every `Iterate`.

    Examples
    --------
    >>> from maxmargin.problems import CrammerSinger
    >>> from maxmargin.solvers import CrammerSingerDescent, Limits
    >>> problem = CrammerSinger([[0.0], [1.0], [2.0]], [0, 1, 2])
    >>> (found,) = CrammerSingerDescent().run([problem], [None], Limits(tol=1e-3, max_steps=1000), None)
    >>> found.beta.shape
    (3, 3)
    """

    beta: NDArray[np.float64]
    bias: NDArray[np.float64]

    @classmethod
    def at(cls, beta: NDArray[np.float64], bias: NDArray[np.float64]) -> CrammerSingerIterate:
        """A point before any step."""
        return cls(Status.STALLED, 0, False, Trace.of(), beta, bias)


@final
class DualIterates:
    """The points of several problems, one after the other: a `DualIterate` is made where somebody asks for one.

    Attributes
    ----------
    beta : ndarray
        Signed dual variables of all problems.
    sizes : sequence of int
        How many each has.
    statuses : list of Status
        How each ended.
    steps, rows_made, newton_rounds, n_checkpoints : ndarray of int64
        Counts of each.
    indefinite : ndarray
        Whether negative curvature was met.
    interrupted : bool
        Whether Ctrl-C stopped those that were stopped.
    checkpoints : structured ndarray
        Of all, as a `Trace` has them.
    """

    def __init__(
        self,
        beta: NDArray[np.float64],
        sizes: Sequence[int],
        statuses: list[Status],
        found: Counts | _core.SearchResult,
        interrupted: bool,
        checkpoints: NDArray[Any],
    ) -> None:
        self.beta, self.sizes, self.statuses, self.checkpoints = beta, sizes, statuses, checkpoints
        self.interrupted = interrupted
        self._found = found

    @lazy
    def steps(self) -> NDArray[np.int64]:
        """Steps of each."""
        return self._found.steps

    @lazy
    def n_checkpoints(self) -> NDArray[np.int64]:
        """Checkpoints of each."""
        return self._found.checkpoints

    @lazy
    def _ends(self) -> NDArray[np.int64]:
        return np.cumsum(self.sizes)

    @lazy
    def _checkpoint_ends(self) -> NDArray[np.int64]:
        return np.cumsum(self.n_checkpoints)

    @classmethod
    def of(cls, iterates: Sequence[DualIterate]) -> DualIterates:
        """Stack them."""
        return cls(
            np.concatenate([each.beta for each in iterates]),
            [len(each.beta) for each in iterates],
            [each.status for each in iterates],
            Counts(
                steps=np.array([each.steps for each in iterates], dtype=np.int64),
                rows_made=np.array([each.rows_made for each in iterates], dtype=np.int64),
                newton_rounds=np.array([each.newton_rounds for each in iterates], dtype=np.int64),
                negative_curvature=np.array([each.indefinite for each in iterates], dtype=np.int64),
                checkpoints=np.array([len(each.trace) for each in iterates], dtype=np.int64),
            ),
            any(each.interrupted for each in iterates),
            np.concatenate([each.trace.checkpoints for each in iterates]),
        )

    @classmethod
    def unmoved(cls, beta: NDArray[np.float64], sizes: Sequence[int], status: Status) -> DualIterates:
        """The points where they begin, if there was no time for a step."""
        none = np.zeros(len(sizes), dtype=np.int64)
        return cls(beta, sizes, [status] * len(sizes), Counts(none, none, none, none, none), False, Trace.of().checkpoints)

    def ended(self, statuses: list[Status]) -> DualIterates:
        """The same with other statuses."""
        return DualIterates(self.beta, self.sizes, statuses, self._found, self.interrupted, self.checkpoints)

    def at(self, k: int) -> DualIterate:
        """The point of problem k."""
        found, last = self._found, int(self._checkpoint_ends[k])
        return DualIterate(
            beta=self.beta[self._ends[k - 1] if k else 0 : self._ends[k]],
            status=self.statuses[k],
            steps=int(self.steps[k]),
            rows_made=int(found.rows_made[k]),
            newton_rounds=int(found.newton_rounds[k]),
            indefinite=bool(found.negative_curvature[k]),
            interrupted=self.interrupted and self.statuses[k] is Status.INTERRUPTED,
            trace=Trace(self.checkpoints[last - int(self.n_checkpoints[k]) : last]),
        )


@final
class Counts(NamedTuple):
    """What a solver in Python counted of several problems; the names are those of the core's `SearchResult`."""

    steps: NDArray[np.int64]
    rows_made: NDArray[np.int64]
    newton_rounds: NDArray[np.int64]
    negative_curvature: NDArray[np.int64]
    checkpoints: NDArray[np.int64]
