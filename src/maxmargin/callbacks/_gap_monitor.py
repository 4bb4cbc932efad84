"""The duality gap of a running fit."""

from __future__ import annotations

import time
from typing import Any, NamedTuple, final

from maxmargin.callbacks._base import ProgressCallback
from maxmargin.estimators import say
from maxmargin.solution import Progress
from maxmargin.validation import check_positive

__all__ = ["GapMonitor", "GapRecord"]


@final
class GapRecord(NamedTuple):
    """One report of a running fit.

    Attributes
    ----------
    estimator : str
        The class of the estimator.
    subproblem : int
        Number of the binary subproblem.
    seconds : float
        Time since the subproblem began.
    steps : int
        Its steps.
    relative_gap : float
        Gap between the objectives as a part of the primal one; nan where the solver does not know it. While a search uses
        float32 kernel values it is at least what their rounding may hide.
    violation : float
        KKT violation; for linear models the relative gap. Of float32 kernel values too it is at least their rounding.
    done : bool
        Whether it is the last report of a search: it tells where that ended. The solution is evaluated anew, and another search
        follows if it is not within ``tol``.

    Examples
    --------
    >>> from maxmargin.callbacks import GapRecord
    >>> GapRecord("SVC", 0, 1.5, 900, 0.02, 0.1).relative_gap
    0.02
    """

    estimator: str
    subproblem: int
    seconds: float
    steps: int
    relative_gap: float
    violation: float
    done: bool = False


@final
class GapMonitor(ProgressCallback):
    """Keep the gap at each report of a fit, and tell it live.

    A line goes to the logger "maxmargin" where its INFO is handled, else to stdout. In the searches of
    `maxmargin.model_selection` fits that are shared do not report: it hears of the refit only.

    Parameters
    ----------
    every : float, default=1.0
        Seconds between two lines; ``inf`` for none.

    Attributes
    ----------
    records : list of GapRecord
        All reports of fits in this process, in order.

    Examples
    --------
    ``SVC().set_callbacks(monitor).fit(X, y)`` tells it of the reports of the solver:

    >>> from maxmargin import SVC
    >>> from maxmargin.callbacks import GapMonitor
    >>> from maxmargin.solution import Progress
    >>> monitor = GapMonitor(every=float("inf"))
    >>> monitor.on_progress(SVC(), None, Progress(1.0, steps=9, objective=96.0, violation=0.01, n_support=10, gap=4.0))
    >>> monitor.records[-1]
    GapRecord(estimator='SVC', subproblem=0, seconds=1.0, steps=9, relative_gap=0.04, violation=0.01, done=False)
    """

    def __init__(self, every: float = 1.0) -> None:
        self.every = check_positive("every", every, "GapMonitor", infinite=True)
        self.records: list[GapRecord] = []
        self._said = time.perf_counter()

    def on_progress(self, estimator: Any, context: Any, progress: Progress) -> None:
        """Keeps a report.

        Parameters
        ----------
        estimator : estimator
            Whose fit it is.
        context
            Not looked at.
        progress : Progress
            The report.
        """
        at = progress
        self.records.append(
            GapRecord(type(estimator).__name__, at.subproblem, at.seconds, at.steps, at.relative_gap, at.violation, at.done)
        )
        now = time.perf_counter()
        if now - self._said >= self.every:
            self._said = now
            where = f"subproblem {at.subproblem + 1}, {at.seconds:.1f} s, {at.steps} steps"
            say(f"{type(estimator).__name__}, {where}: gap {at.relative_gap:.1e}")
