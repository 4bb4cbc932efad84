"""What every solver is."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import ClassVar, Generic, NamedTuple, TypeVar, final

import numpy as np
from numpy.typing import NDArray

from maxmargin.errors import InvalidInput
from maxmargin.problems import DualBatch, DualProblem, Problem
from maxmargin.solution import DualIterate, DualIterates, Evaluation, Iterate, Progress, Stop

__all__ = ["Callback", "DualSolver", "Limits", "Origin", "Solver", "Start", "numbered", "resumed"]

Vector = NDArray[np.float64]
Callback = Callable[[Progress], bool | Stop | None]
"""Gets the progress of a running fit about every 50 ms; returning true stops it, `Stop.SUBPROBLEM` only that subproblem."""


@final
class Origin(Enum):
    """What is known of the point where a search begins."""

    COLD = "cold"
    """Nothing."""
    WARM = "warm"
    """It is the answer to a similar problem: which variables are free is known, except for some."""
    RESUMED = "resumed"
    """It was evaluated: what is left to gain is small, and needs precision."""


@final
class Start(NamedTuple):
    """A point to start from, with its exact scores ``K β``, and what is known of it.

    Examples
    --------
    >>> from maxmargin.problems import SoftMargin
    >>> from maxmargin.solvers import Start
    >>> Start.zero(SoftMargin([[-1.0], [1.0]], [-1, 1]).dual).beta
    array([0., 0.])
    """

    beta: NDArray[np.float64]
    scores: NDArray[np.float64]
    origin: Origin = Origin.COLD

    @classmethod
    def zero(cls, problem: DualProblem) -> Start:
        """``α = 0``."""
        return cls(np.zeros(problem.n), np.zeros(problem.n))


def numbered(callback: Callback | None, subproblem: int) -> Callback | None:
    """The callback, told of which subproblem the progress is."""
    if callback is None or subproblem == 0:
        return callback

    def told(progress: Progress) -> bool | Stop | None:
        return callback(progress._replace(subproblem=subproblem))

    return told


def resumed(problem: Problem, beta: NDArray[np.float64], evaluation: Evaluation) -> tuple[Problem, Start]:
    """The problem and start from an evaluated point. A β without bounds that runs away first gets the length that is best."""
    bounded = problem.within(beta)
    if bounded is problem or np.isfinite(problem.dual.upper).all():
        return bounded, Start(beta, evaluation.scores, Origin.RESUMED)
    room = float(bounded.dual.upper.max()) / max(float(np.abs(beta).max()), 1e-300)
    norm = evaluation.square_norm
    longer = min(room, max(1.0, evaluation.dual / norm + 0.5)) if norm > 0.0 else room
    return bounded, Start(longer * beta, longer * evaluation.scores)


@final
@dataclass(frozen=True)
class Limits:
    """When to stop: violation, steps of the solver, and seconds from when it begins (infinity for no limit).

    Examples
    --------
    >>> from maxmargin.solvers import Limits
    >>> Limits(tol=1e-3, max_steps=1000).max_seconds
    inf
    """

    tol: float
    max_steps: int
    max_seconds: float = math.inf


AnyProblem = TypeVar("AnyProblem")
AnyStart = TypeVar("AnyStart")
AnyIterate = TypeVar("AnyIterate", bound=Iterate)


class Solver(ABC, Generic[AnyProblem, AnyStart, AnyIterate]):
    """A frozen object of settings that turns problems of one family into points near their optimum.

    It does not evaluate itself: `maxmargin.solve` certifies what it returns. A solver belongs to one family of problems: those
    with a canonical dual (`DualSolver`), linear models (`PrimalSolver`), linear models of all classes at once
    (`MulticlassSolver`), and, with one solver each, all classes with a kernel and logistic regression with a kernel.
    """

    takes_start: ClassVar[bool] = True
    """Whether it can begin at a given point."""

    @abstractmethod
    def supports(self, problem: AnyProblem) -> str | None:
        """None if the problem can be solved, else the reason why not, in words."""

    @abstractmethod
    def automatic_steps(self, n: int, n_classes: int = 2) -> int:
        """How many steps ``max_iter=-1`` allows for n rows: finite, and more than any problem but the hardest needs."""

    @abstractmethod
    def run(
        self, problems: Sequence[AnyProblem], starts: Sequence[AnyStart], limits: Limits, callback: Callback | None
    ) -> Sequence[AnyIterate]:
        """Continue from a point of each problem until converged or at a limit; a ``callback`` that returns true stops it."""

    def refuse_start(self) -> InvalidInput:
        """The error for a start that cannot be used."""
        return InvalidInput(f"{type(self).__name__} cannot begin at a given point. Leave out start, or take another solver.")


class DualSolver(Solver[Problem, Start, DualIterate], ABC):
    """A solver of problems with a canonical dual (`DualProblem`)."""

    def automatic_steps(self, n: int, n_classes: int = 2) -> int:
        """A million and 4 000 for each row, which take seconds, up to ten million; beyond, a hundred for each row."""
        return min(10_000_000, 1_000_000 + 4_000 * n) + 100 * n

    @abstractmethod
    def run(
        self, problems: Sequence[Problem], starts: Sequence[Start], limits: Limits, callback: Callback | None
    ) -> list[DualIterate]:
        """Continue from a point of each problem's dual until converged or at a limit; a true ``callback`` stops it.

        The result is a point of the dual, whatever was solved to find it.
        """

    def run_batch(
        self,
        problems: Sequence[Problem],
        batch: DualBatch,
        beta: Vector,
        scores: Vector,
        limits: Limits,
        callback: Callback | None,
        origin: Origin = Origin.COLD,
    ) -> DualIterates:
        """`run` with vectors that stand one problem after the other; ``batch`` has the problems' duals."""
        cuts = np.cumsum(batch.sizes[:-1])
        points = zip(np.split(beta, cuts), np.split(scores, cuts), strict=True)
        return DualIterates.of(self.run(problems, [Start(*point, origin) for point in points], limits, callback))
