"""What both callbacks share."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

from maxmargin.solution import Progress, Stop

__all__ = ["ProgressCallback"]


class ProgressCallback(ABC):
    """A callback of scikit-learn's protocol that needs nothing of it but the way to the estimators inside of others."""

    max_propagation_depth: int | None = None
    """How many estimators deep it is handed on: to all."""

    def setup(self, estimator: Any, context: Any) -> None:
        """Nothing is to be done before a fit."""
        return None

    def teardown(self, estimator: Any, context: Any) -> None:
        """Nor after it."""
        return None

    def on_fit_task_begin(self, estimator: Any, context: Any) -> None:
        """Tasks are of no interest."""
        return None

    def on_fit_task_end(self, estimator: Any, context: Any) -> bool:
        """None of them stops anything."""
        return False

    @abstractmethod
    def on_progress(self, estimator: Any, context: Any, progress: Progress) -> bool | Stop | None:
        """Called at each report of a solver.

        Parameters
        ----------
        estimator : estimator
            Whose fit it is.
        context : sklearn.callback.CallbackContext
            The task of the fit.
        progress : Progress
            The report.
        """
