"""Callbacks for ``set_callbacks`` of estimators, with scikit-learn 1.9 or later: what its own do not tell of a fit.

Every estimator takes scikit-learn's callbacks, such as ``sklearn.callback.ProgressBar``: alone, in a pipeline and in a search.
A callback with a method ``on_progress(estimator, context, progress)`` is called at each report of a solver, about every 50 ms,
with a `maxmargin.solution.Progress`. It returns None to go on, True to stop the fit, or
`Stop.SUBPROBLEM <maxmargin.solution.Stop>` to stop only the binary subproblem that reported. Watching alone never changes a
result.
"""

from maxmargin.callbacks._gap_monitor import GapMonitor, GapRecord
from maxmargin.callbacks._stop_at_gap import StopAtGap

__all__ = ["GapMonitor", "GapRecord", "StopAtGap"]
