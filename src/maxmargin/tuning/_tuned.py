"""The pipeline that tuning ends with, and what it tells of the way there."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, final

from sklearn.pipeline import Pipeline

from maxmargin.errors import InvalidInput
from maxmargin.plots import path, search_surface

__all__ = ["Stage", "TunedPipeline"]


@final
@dataclass(frozen=True, eq=False)
class Stage:
    """One search on the way.

    Attributes
    ----------
    family : str
        "rbf" or "linear".
    rows : int
        Rows that it searched on.
    params : dict
        The best parameters.
    score, error : float
        Their mean score on held-out folds, and its standard error.
    cells : int
        Settings that were evaluated on all folds.
    seconds : float
        How long it took.
    search : search
        The search itself, with ``cv_results_``.
    is_cut : bool
        Whether it came to its share of the time before it was done.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from maxmargin import tune
    >>> stage = tune(*load_iris(return_X_y=True), max_time=20).stages_[0]
    >>> stage.family, stage.rows
    ('rbf', 150)
    """

    family: str
    rows: int
    params: dict[str, Any]
    score: float
    error: float
    cells: int
    seconds: float
    search: Any
    is_cut: bool = False


@final
class TunedPipeline(Pipeline):  # type: ignore[misc]  # scikit-learn has no types
    """A pipeline that `tune` has chosen: a pipeline like any other, with a report.

    Parameters
    ----------
    steps : list of (str, estimator)
        As in ``sklearn.pipeline.Pipeline``.
    transform_input, memory, verbose
        As there.

    Attributes
    ----------
    stages_ : list of Stage
        The searches, in order.
    report_ : str
        What was chosen, and why, in words.
    score_ : float
        The mean score on held-out folds of the parameters that were chosen; NaN where there was no time for any.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from maxmargin import tune
    >>> X, y = load_iris(return_X_y=True)
    >>> model = tune(X, y, max_time=20)
    >>> model.score_ > 0.95, "kernel" in model.report_
    (True, True)
    """

    def draw(self, ax: Any = None) -> Any:
        """Draw the scores of the search that the parameters are from.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw.

        Returns
        -------
        matplotlib Axes
            Over C and gamma, or along C for a linear model.
        """
        if not self.stages_:
            raise InvalidInput("There is no search to draw: none had a score in time. Give tune more max_time.")
        chosen = self.steps[-1][1]
        family = "rbf" if hasattr(chosen, "support_") else "linear"
        widest = max((stage for stage in self.stages_ if stage.family == family), key=lambda stage: stage.cells)
        picture = search_surface if family == "rbf" else path
        return picture(widest.search, ax=ax)
