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

Matrix = NDArray[np.float64]
Vector = NDArray[np.float64]

_COARSE = 1e-3  # from a relative gap like this the exact finish is near
_ROUNDS = 1000


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

    beta: Matrix
    bias: Vector
    status: Status
    steps: int
    by_signal: bool
    trace: Trace


@final
@dataclass(frozen=True)
class JointRows:
    """Steps in all coefficients of one row at a time, which have a closed solution (Crammer and Singer 2001).

    Rows that violate most make a block; inside it steps cost little. Offsets are found by the method of multipliers, which lets
    class totals differ from 0 by less and less; they are made exactly 0 before the gap is judged. Where at most some hundred
    coefficients are between their bounds, Newton's method on their face leads to the optimum itself.

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
        until = time.perf_counter() + limits.max_seconds if limits.max_seconds > 0 else math.inf
        size = (problem.gram.n, len(problem.classes))
        first_steps = min(5000 + 20 * size[0] * size[1], (limits.max_steps + 1) // 2)
        first = Limits(max(limits.tol, _COARSE), first_steps, limits.max_seconds)
        found = self._search(problem, np.zeros(size), np.zeros(size[1]), first, callback)
        if found.status in (Status.INTERRUPTED, Status.TIME_LIMIT) or found.steps >= limits.max_steps:
            return found
        if is_small(problem, found.beta):
            exact = finished_joint(problem, found.beta, min(_ROUNDS, limits.max_steps - found.steps), until)
            proven = certify_joint(problem, exact.beta, exact.bias).is_optimal(limits.tol)
            status = Status.CONVERGED if proven else Status.STALLED
            found = replace(found, beta=exact.beta, bias=exact.bias, status=status, steps=found.steps + exact.rounds)
            if proven or exact.at_optimum:
                return found
        elif found.status is Status.CONVERGED and limits.tol >= _COARSE:
            return found
        seconds = 0.0 if math.isinf(until) else max(1e-9, until - time.perf_counter())
        rest = Limits(limits.tol, max(0, limits.max_steps - found.steps), seconds)
        later = self._search(problem, found.beta, found.bias, rest, callback)
        return replace(later, steps=found.steps + later.steps, trace=found.trace.then(later.trace))

    def _search(
        self, problem: JointMulticlass, beta: Matrix, bias: Vector, limits: Limits, callback: Callback | None
    ) -> JointIterate:
        def monitor(seconds: float, steps: int, objective: float, violation: float, n_support: int) -> bool:
            return callback is not None and bool(callback(Progress(seconds, steps, -objective, violation, n_support)))

        beta, bias, ending, by_signal, steps, _, table = _core.minimise_joint(
            problem.gram.core,
            problem.codes.astype(np.int32),
            problem.upper,
            beta,
            bias,
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
