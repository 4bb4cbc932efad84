"""What a fit may use."""

from __future__ import annotations

from typing import Any, Final, final

from maxmargin._deadline import Deadline
from maxmargin.problems import DualBatch
from maxmargin.solution import evaluation_seconds
from maxmargin.solvers import Limits
from maxmargin.validation import check_integer, check_positive

__all__ = ["Budget"]

_A_PROBLEM: Final = 1e-4  # seconds that a solution takes in Python
_OF_BOUNDS: Final = 3.0  # products that bounds of rounding errors take


@final
class Budget:
    """What is left of the steps and the time of a fit.

    Parameters
    ----------
    tol, max_iter, max_time
        As `maxmargin.solve` takes them; checked here. The time may be a `Deadline` that was set before.
    automatic : int
        The steps where ``max_iter`` is −1.
    """

    def __init__(self, tol: Any, max_iter: Any, max_time: Any, automatic: int) -> None:
        self.tol = check_positive("tol", tol, "solve")
        steps = check_integer("max_iter", max_iter, "solve", -1)
        if isinstance(max_time, Deadline):
            self.deadline = max_time
        else:
            self.deadline = Deadline(None if max_time is None else check_positive("max_time", max_time, "solve", infinite=True))
        self.is_automatic = steps < 0
        self._steps = automatic if self.is_automatic else min(steps, 2**62)

    def steps_after(self, taken: int) -> int:
        """Steps that are left after some."""
        return max(0, self._steps - taken)

    def limits(self, tol: float, steps_taken: int, evaluating: float) -> Limits:
        """Limits of a run that aims at ``tol``: the certificate, which takes so many seconds, comes out of the same time."""
        return Limits(tol, self.steps_after(steps_taken), self.deadline.before(evaluating))

    def dual_limits(self, tol: float, steps_taken: int, batch: DualBatch, evaluated: float) -> Limits | None:
        """The same for a batch of duals, whose certificate is a product with the matrix of kernel values.

        None if there is no time for a step: the time is used up, or less is left than the ``evaluated`` seconds that the scores
        of the starting point took. That point is as good as evaluated, and there is no time to evaluate another.
        """
        if not self.deadline.is_set:
            return Limits(tol, self.steps_after(steps_taken))
        evaluating = evaluation_seconds(batch, self.deadline.left())
        if self.deadline.is_over() or not self.deadline.has(evaluated):
            return None
        seconds = self.deadline.before(evaluating, for_sure=_A_PROBLEM * len(batch.sizes))
        return Limits(tol, self.steps_after(steps_taken), seconds)

    def allows_bounds(self, batch: DualBatch) -> bool:
        """Whether there is time to bound rounding errors row by row."""
        left = self.deadline.left()
        return not self.deadline.is_set or _OF_BOUNDS * evaluation_seconds(batch, left) <= left
