"""How far a running fit is."""

from __future__ import annotations

import math
from typing import final

from maxmargin.solution import Progress

__all__ = ["Course"]


@final
class Course:
    """How far the subproblems of a fit are, from what their solvers report.

    A subproblem is as far as its violation has fallen, on a logarithmic scale, from the largest one seen to ``tol``; those that
    have ended count in full. It never goes back. The steps of the last stretch need not take as long as those of the first.

    Parameters
    ----------
    n_subproblems : int
        How many there are.
    tol : float
        Where they stop.

    Attributes
    ----------
    finished : int
        How many have ended.
    last : Progress or None
        The last report.

    Examples
    --------
    >>> from maxmargin.estimators._shared._course import Course
    >>> from maxmargin.solution import Progress
    >>> course = Course(2, tol=1e-3)
    >>> for violation in (1.0, 0.0316):
    ...     course.tell(Progress(seconds=1.0, steps=10, objective=1.0, violation=violation, n_support=3))
    >>> round(course.fraction, 2), course.finished
    (0.25, 0)
    >>> course.tell(Progress(seconds=2.0, steps=20, objective=1.0, violation=1e-4, n_support=3, done=True))
    >>> round(course.fraction, 2), course.finished
    (0.5, 1)
    """

    def __init__(self, n_subproblems: int, tol: float) -> None:
        self.n_subproblems = n_subproblems
        self.finished = 0
        self.last: Progress | None = None
        self._tol = tol
        self._sum = 0.0
        self._largest: dict[int, float] = {}
        self._reached: dict[int, float] = {}

    def tell(self, progress: Progress) -> None:
        """Take note of a report."""
        self.last = progress
        k, now = progress.subproblem, progress.violation
        before = self._reached.get(k, 0.0)
        if progress.done:
            self.finished += before < 1.0
            reached = 1.0
        else:
            largest = self._largest[k] = max(self._largest.get(k, 0.0), now if math.isfinite(now) else 0.0)
            far = largest > self._tol and 0.0 < now < largest
            share = math.log(largest / now) / math.log(largest / self._tol) if far else 0.0
            reached = max(before, min(share, 0.99))
        self._reached[k] = reached
        self._sum += reached - before

    @property
    def fraction(self) -> float:
        """Between 0 and 1, which it is once all have ended."""
        return 1.0 if self.finished >= self.n_subproblems else min(1.0, self._sum / self.n_subproblems)
