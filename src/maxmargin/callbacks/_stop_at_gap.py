"""Early stopping by the duality gap."""

from __future__ import annotations

from typing import Any, final

from maxmargin.callbacks._base import ProgressCallback
from maxmargin.solution import Progress, Stop
from maxmargin.validation import check_positive

__all__ = ["StopAtGap"]


@final
class StopAtGap(ProgressCallback):
    """Stop each binary subproblem of a fit once its objective is proven to be this near to the optimum.

    The relative gap is ``(P − D) / |P|`` of primal and dual objective: the optimum lies between them. ``tol`` of an estimator
    asks for more, the optimality of every row. A fit that was stopped has the status INTERRUPTED and does not warn; its
    ``certificate_`` has the gap that it reached, evaluated anew. Solvers report every 50 ms or so: a short fit converges first.
    They report the gap as they see it: where a search has left rows out for a while, that of the certificate can be
    larger. ``SVC(multi_class="joint")`` and `Perceptron` report none, and are not stopped.
    In the searches of `maxmargin.model_selection` fits that are shared do not report: only the refit is stopped.

    Parameters
    ----------
    gap : float, default=0.01
        The relative gap, positive.

    Examples
    --------
    ``SVC().set_callbacks(StopAtGap(0.05)).fit(X, y)`` stops where a solver reports a gap of 5 %:

    >>> from maxmargin.callbacks import StopAtGap
    >>> from maxmargin.solution import Progress
    >>> report = Progress(seconds=1.0, steps=1000, objective=96.0, violation=0.01, n_support=10, gap=4.0)
    >>> StopAtGap(0.05).on_progress(None, None, report)
    <Stop.SUBPROBLEM: 'subproblem'>
    >>> StopAtGap(0.01).on_progress(None, None, report) is None
    True
    """

    def __init__(self, gap: float = 0.01) -> None:
        self.gap = check_positive("gap", gap, "StopAtGap")

    def on_progress(self, estimator: Any, context: Any, progress: Progress) -> Stop | None:
        """Ends the subproblem that reported if its gap is small enough.

        Parameters
        ----------
        estimator, context
            Not looked at.
        progress : Progress
            The report.
        """
        return Stop.SUBPROBLEM if not progress.done and 0.0 <= progress.relative_gap <= self.gap else None
