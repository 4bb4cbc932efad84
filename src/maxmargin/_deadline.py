"""The one clock of a fit: how much of its wall time is left."""

from __future__ import annotations

import math
import time
from typing import final

__all__ = ["Deadline"]


@final
class Deadline:
    """A moment at which a fit shall end. Without a limit there are infinitely many seconds left.

    Parameters
    ----------
    seconds : float or None
        Wall time from now; None and infinity for no limit.

    Attributes
    ----------
    certifying : float
        Seconds that went into certificates so far.

    Examples
    --------
    >>> from maxmargin._deadline import Deadline
    >>> Deadline(None).left()
    inf
    >>> Deadline(0.0).is_over()
    True
    """

    __slots__ = ("_begin", "_end", "certifying")

    def __init__(self, seconds: float | None = None) -> None:
        self._begin = time.perf_counter()
        self.certifying = 0.0
        self._end = self._begin + (math.inf if seconds is None else seconds)

    def elapsed(self) -> float:
        """Seconds since it was set."""
        return time.perf_counter() - self._begin

    def certified(self, since: float) -> None:
        """Count the time from ``since``, an earlier `elapsed`, as that of a certificate."""
        self.certifying += self.elapsed() - since

    def left(self) -> float:
        """Seconds left: 0 when it is over, infinity without a limit."""
        return max(self._end - time.perf_counter(), 0.0)

    @property
    def is_set(self) -> bool:
        """Whether there is a limit at all."""
        return self._end < math.inf

    def share(self, part: float) -> Deadline:
        """One that comes when this part of what is left is used up."""
        return Deadline(part * self.left())

    def is_over(self) -> bool:
        """Whether the time is used up."""
        return time.perf_counter() >= self._end

    def has(self, seconds: float) -> bool:
        """Whether so many are left."""
        return self.left() >= seconds

    def before(self, seconds: float, *, for_sure: float = 0.0) -> float:
        """Seconds left for a search that is followed by what takes about so many, and some for sure.

        What is only guessed gets no more than half of what there is.
        """
        left = max(self.left() - for_sure, 0.0)
        return left - min(seconds, 0.5 * left) if self.is_set else left
