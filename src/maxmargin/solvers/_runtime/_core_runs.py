"""What the solvers that run in the core share: its terminations as statuses, its limits, and its reports as progress."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from maxmargin import _core
from maxmargin.problems import Offset
from maxmargin.solution import Progress, Status, Stop
from maxmargin.solvers._runtime._base import Callback, Limits

__all__ = ["OFFSETS", "STATUSES", "core_limits", "listener"]

STATUSES: Final = {
    _core.Termination.converged: Status.CONVERGED,
    _core.Termination.step_limit: Status.ITERATION_LIMIT,
    _core.Termination.time_limit: Status.TIME_LIMIT,
    _core.Termination.stopped: Status.INTERRUPTED,
    _core.Termination.stalled: Status.STALLED,
}
"""The statuses of the core's terminations."""
OFFSETS: Final = {
    Offset.NONE: _core.LinearOffset.none,
    Offset.FREE: _core.LinearOffset.free,
    Offset.PENALISED: _core.LinearOffset.penalised,
}
"""What the core calls the offsets of linear models."""
_THIS_ONE: Final = 2  # the answer to a report that ends its subproblem; 1 ends all


def core_limits(limits: Limits) -> _core.Limits:
    """Limits as the core takes them."""
    return _core.Limits(limits.tol, limits.max_steps, limits.max_seconds)


def listener(callback: Callback | None) -> Callable[[_core.Report], int] | None:
    """What the core calls for a callback: the dual objective is minus what the core minimises."""
    if callback is None:
        return None

    def told(at: _core.Report) -> int:
        gap, where = at.gap, at.problem
        answer = callback(Progress(at.seconds, at.steps, -at.objective, at.violation, at.n_support, gap, where, at.done))
        return _THIS_ONE if answer is Stop.SUBPROBLEM else int(bool(answer))

    return told
