"""The solver of the joint problem of all classes."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, replace
from typing import final

import numpy as np
from numpy.typing import NDArray

from maxmargin import _core
from maxmargin.problems import JointMulticlass
from maxmargin.solution import Progress, Status, Trace, certify_joint
from maxmargin.solvers._base import Callback, Limits
from maxmargin.solvers._joint_finish import finished_joint, is_small
from maxmargin.solvers._memory import cache_bytes
from maxmargin.solvers._smo import ENDINGS

__all__ = ["JointIterate", "JointRows"]

_COARSE = 1e-3  # from a gap like this the exact finish is near
_MOST_ROUNDS = 1000


def _first_steps(problem: JointMulticlass) -> int:
    """Steps after which the finish is tried: where coefficients are few, its systems are cheaper than a long search."""
    return 5000 + 20 * problem.gram.n * len(problem.classes)


@final
@dataclass(frozen=True, eq=False)
class JointIterate:
    """A point of the joint problem, and how the solver came to stop there.

    Examples
    --------
    >>> from maxmargin.problems import JointMulticlass
    >>> from maxmargin.solvers import JointRows, Limits
    >>> problem = JointMulticlass([[0.0], [1.0], [2.0]], [0, 1, 2])
    >>> JointRows().run(problem, Limits(tol=1e-3, max_steps=1000, max_seconds=0.0), None).beta.shape
    (3, 3)
    """

    beta: NDArray[np.float64]
    bias: NDArray[np.float64]
    status: Status
    steps: int
    by_signal: bool
    trace: Trace


@final
@dataclass(frozen=True)
class JointRows:
    """Steps in all coefficients of one row at a time, which have a closed solution (Crammer and Singer 2001).

    Rows that violate most make a block; inside it steps cost little. Offsets are found by the method of multipliers.

    Parameters
    ----------
    cache_size : float or "auto"
        Megabytes for computed kernel rows; ``"auto"`` is a quarter of the memory.

    Examples
    --------
    >>> from maxmargin import solve
    >>> from maxmargin.problems import JointMulticlass
    >>> from maxmargin.solvers import JointRows
    >>> solve(JointMulticlass([[0.0], [1.0], [2.0]], [0, 1, 2]), solver=JointRows(cache_size=100)).status.name
    'CONVERGED'
    """

    cache_size: float | str = "auto"

    def run(self, problem: JointMulticlass, limits: Limits, callback: Callback | None) -> JointIterate:
        """From 0 until converged or a limit is reached."""
        begin = time.perf_counter()
        coarse = replace(limits, tol=max(limits.tol, _COARSE), max_steps=min(limits.max_steps, _first_steps(problem)))
        found = self._search(problem, coarse, callback)
        if found.status is Status.INTERRUPTED or found.status is Status.TIME_LIMIT or found.steps >= limits.max_steps:
            return found
        if is_small(problem, found.beta):
            until = begin + limits.max_seconds if limits.max_seconds > 0 else math.inf
            rounds = min(_MOST_ROUNDS, limits.max_steps - found.steps)
            exact = finished_joint(problem, found.beta, rounds, until)
            if certify_joint(problem, exact.beta, exact.bias).is_optimal(limits.tol):
                return replace(
                    found, beta=exact.beta, bias=exact.bias, status=Status.CONVERGED, steps=found.steps + exact.rounds
                )
        if found.status is Status.CONVERGED and limits.tol >= _COARSE:
            return found
        seconds = max(1e-9, begin + limits.max_seconds - time.perf_counter()) if limits.max_seconds > 0 else 0.0
        later = self._search(problem, Limits(limits.tol, limits.max_steps - found.steps, seconds), callback)
        return replace(later, steps=found.steps + later.steps, trace=found.trace.then(later.trace))

    def _search(self, problem: JointMulticlass, limits: Limits, callback: Callback | None) -> JointIterate:
        def monitor(seconds: float, steps: int, objective: float, violation: float, n_support: int) -> bool:
            return callback is not None and bool(callback(Progress(seconds, steps, -objective, violation, n_support)))

        beta, bias, ending, by_signal, steps, _, table = _core.minimise_joint(
            problem.gram.core,
            problem.codes.astype(np.int32),
            problem.upper,
            len(problem.classes),
            problem.offset,
            limits.tol,
            limits.max_steps,
            limits.max_seconds,
            cache_bytes(self.cache_size, "JointRows"),
            None if callback is None else monitor,
        )
        if problem.offset:
            bias -= bias.mean()
        return JointIterate(beta, bias, ENDINGS[ending], steps, by_signal, Trace(table))
