"""What a fit may use."""

from __future__ import annotations

import math
import time
from typing import Any, final

from maxmargin.problems._dual import DualBatch
from maxmargin.solution._certify import judging_seconds
from maxmargin.solvers import Limits
from maxmargin.validation import check_integer, check_positive

__all__ = ["Budget"]


@final
class Budget:
    """What is left of the steps and the time of a fit.

    Parameters
    ----------
    tol, max_iter, max_time
        As `maxmargin.solve` takes them; checked here.
    automatic : int
        The steps where ``max_iter`` is −1.
    """

    def __init__(self, tol: Any, max_iter: Any, max_time: Any, automatic: int) -> None:
        self.tol = check_positive("tol", tol, "solve")
        steps = check_integer("max_iter", max_iter, "solve", -1)
        seconds = None if max_time is None else check_positive("max_time", max_time, "solve", infinite=True)
        self.is_automatic = steps < 0
        self._steps = automatic if self.is_automatic else min(steps, 2**62)
        self._begin = time.perf_counter()
        self._end = None if seconds is None or math.isinf(seconds) else self._begin + seconds

    def elapsed(self) -> float:
        """Seconds since the fit began."""
        return time.perf_counter() - self._begin

    def seconds_left(self) -> float:
        """Seconds left, a little more than 0 when none are; 0 without a limit."""
        return 0.0 if self._end is None else max(self._end - time.perf_counter(), 1e-9)

    def is_over(self) -> bool:
        """Whether the time is used up."""
        return self._end is not None and time.perf_counter() >= self._end

    def limits(self, tol: float, steps_taken: int = 0, batch: DualBatch | None = None) -> Limits:
        """What a run that aims at ``tol`` may use: the certificate of a batch of duals comes out of the same time."""
        seconds = self.seconds_left()
        if seconds > 0.0 and batch is not None:
            judging = judging_seconds(batch, seconds)
            seconds = self.seconds_left()
            seconds = max(1e-9, seconds - min(judging, 0.5 * seconds))
        return Limits(tol, max(0, self._steps - steps_taken), seconds)
