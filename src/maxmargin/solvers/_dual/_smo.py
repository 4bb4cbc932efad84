"""Sequential minimal optimisation: the engine."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, final

import numpy as np
from numpy.typing import NDArray

from maxmargin import _core
from maxmargin.problems import DualBatch, Problem, dual_batch, stacked
from maxmargin.solution import DualIterate, DualIterates, Status, Trace
from maxmargin.solvers._runtime._base import Callback, DualSolver, Limits, Origin, Start
from maxmargin.solvers._runtime._core_runs import STATUSES, core_limits, listener
from maxmargin.validation import cache_bytes, check_boolean

__all__ = ["SMO"]

Vector = NDArray[np.float64]

_ORIGINS: Final = {
    Origin.COLD: _core.Origin.cold,
    Origin.WARM: _core.Origin.warm,
    Origin.RESUMED: _core.Origin.resumed,
}


@final
@dataclass(frozen=True)
class SMO(DualSolver):
    """SMO with second-order working set selection, shrinking, and an exact finish by Newton on the free support vectors.

    Each step moves the two variables that gain most (Platt 1998; Fan, Chen and Lin 2005). Kernel rows are float32 where that
    suffices; with few variables, a small tolerance or a large C they are float64, and the finish then reaches rounding
    accuracy.

    Parameters
    ----------
    cache_size : float or "auto"
        Megabytes for computed kernel rows; ``"auto"`` is a quarter of the memory. Objects and functions keep up to 537 besides.
    shrinking : bool
        Whether to leave out variables that stay at a bound.

    Examples
    --------
    >>> from maxmargin import solve
    >>> from maxmargin.problems import SoftMargin
    >>> from maxmargin.solvers import SMO
    >>> problem = SoftMargin([[-1.0], [1.0]], [-1, 1])
    >>> solve(problem, solver=SMO(cache_size=100)).status.name
    'CONVERGED'
    """

    cache_size: float | str = "auto"
    shrinking: bool = True

    def supports(self, problem: Problem) -> str | None:
        """All problems with a canonical dual (`DualProblem`)."""
        return None

    def run(
        self,
        problems: Sequence[Problem],
        starts: Sequence[Start],
        limits: Limits,
        callback: Callback | None,
    ) -> list[DualIterate]:
        """Continue from a point of each problem until converged or a limit is reached; several problems run in parallel."""
        beta, scores = stacked([start.beta for start in starts]), stacked([start.scores for start in starts])
        origins = {start.origin for start in starts}
        origin = origins.pop() if len(origins) == 1 else Origin.COLD
        batch = dual_batch([problem.dual for problem in problems])
        found = self.run_batch(problems, batch, beta, scores, limits, callback, origin)
        return [found.at(k) for k in range(len(problems))]

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
        """The same without an object for each problem."""
        slope = scores + batch.q
        found = _core.search(
            batch,
            beta,
            slope if batch.D is None else slope + batch.D * beta,
            core_limits(limits),
            cache_bytes=cache_bytes(self.cache_size, "SMO"),
            shrinking=check_boolean("shrinking", self.shrinking, "SMO"),
            origin=_ORIGINS[origin],
            monitor=listener(callback),
        )
        n = len(batch.sizes)  # which may be many: an enum of each would take longer than to look at them in the core
        statuses = [Status.CONVERGED] * n if found.converged else [STATUSES[termination] for termination in found.terminations]
        return DualIterates(found.beta, batch.sizes, statuses, found, found.interrupted, Trace.written(found.trace).checkpoints)
