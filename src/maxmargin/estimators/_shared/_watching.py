"""scikit-learn's callbacks, which it has since 1.9: who is told what of a running fit.

The task of a fit has a hundred subtasks, the hundredths of its way (`Course`), so that a progress bar moves. At each report of
a solver, callbacks with a method ``on_progress(estimator, context, progress)`` are told all of it, and may stop the fit.
"""

from __future__ import annotations

from abc import ABC
from contextlib import AbstractContextManager, nullcontext
from importlib import import_module
from types import TracebackType
from typing import Any, Final, Self, final

import sklearn
from sklearn.utils.metaestimators import available_if

from maxmargin.estimators._shared._course import Course
from maxmargin.solution import Progress, Stop
from maxmargin.solvers import Callback

__all__ = ["CallbackSupport", "Watching", "both", "watch_of", "watching"]

_HUNDREDTHS: Final = 100
_NOBODY: Final = nullcontext()


def _has_callbacks(_: Any) -> bool:
    """Whether scikit-learn has callbacks. It has them since 1.9."""
    return tuple(int(part) for part in sklearn.__version__.split(".")[:2]) >= (1, 9)


class CallbackSupport(ABC):  # noqa: B024  # it is only mixed in
    """``set_callbacks`` of scikit-learn 1.9, without its import: that of rich comes with it."""

    @available_if(_has_callbacks)  # type: ignore[untyped-decorator]  # scikit-learn has no types
    def set_callbacks(self, *callbacks: Any) -> Self:
        """Set the callbacks that the next fits tell of their progress; none removes them.

        Parameters
        ----------
        *callbacks : callback instances
            Those of ``sklearn.callback``, such as ``ProgressBar``, and of `maxmargin.callbacks`.

        Returns
        -------
        self : estimator
            The estimator itself.
        """
        import_module("sklearn.callback").CallbackSupportMixin.set_callbacks(self, *callbacks)
        return self


def watching(model: Any, X: Any, y: Any, sample_weight: Any = None, *, solves: int = 1) -> AbstractContextManager[Any]:
    """Around a fit that solves so often: tells the callbacks of the estimator when it begins and ends.

    Without callbacks it does nothing. It is not a decorator: warnings name the line that called ``fit``.
    """
    return Watching(model, X, y, sample_weight, solves) if vars(model).get("_skl_callbacks") else _NOBODY


def watch_of(model: Any) -> Watching | None:
    """Who watches the fit that is running; None if nobody does."""
    found: Watching | None = vars(model).get("_watch")
    return found


@final
class Watching:
    """A fit that callbacks watch.

    Parameters
    ----------
    model : estimator
        Whose fit it is.
    X, y, sample_weight
        What it is fitted to.
    solves : int
        How often it solves; each is the same part of the whole.

    Attributes
    ----------
    stopped : bool
        Whether a callback has stopped a subproblem, or all of them.
    """

    def __init__(self, model: Any, X: Any, y: Any, sample_weight: Any, solves: int) -> None:
        self._model = model
        self._data = {"X": X, "y": y, "metadata": None if sample_weight is None else {"sample_weight": sample_weight}}
        self._solves = solves
        self._solved = 0
        self._told = 0
        self.stopped = False

    def __enter__(self) -> Self:
        support = import_module("sklearn.callback._callback_support")
        self._teardown = support.callback_management_context(self._model)
        self._teardown.__enter__()
        try:
            self._context = support.CallbackSupportMixin._init_callback_context(self._model, max_subtasks=_HUNDREDTHS)
            self._context.call_on_fit_task_begin(estimator=self._model, **self._data)
        except BaseException as error:
            self._teardown.__exit__(type(error), error, error.__traceback__)
            raise
        self._model._watch = self
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        vars(self._model).pop("_watch", None)
        try:
            if error is None:
                self._context.call_on_fit_task_end(estimator=self._model, reconstruction_attributes=dict, **self._data)
        finally:
            self._teardown.__exit__(kind, error, trace)

    def follow(self, n_subproblems: int, tol: float) -> Callback:
        """The function that the next solve reports to."""
        course, begun = Course(n_subproblems, tol), self._solved
        self._solved += 1

        def told(progress: Progress) -> bool | Stop | None:
            course.tell(progress)
            answer = self._ask(progress) if self._advance((begun + course.fraction) / self._solves) is not True else True
            self.stopped |= bool(answer)
            return answer

        return told

    def _ask(self, progress: Progress) -> bool | Stop | None:
        """What the callbacks that hear of each report want; stopping all goes before stopping one."""
        wishes = [
            callback.on_progress(self._model, self._context, progress)
            for callback in self._model._skl_callbacks
            if hasattr(callback, "on_progress")
        ]
        if any(wish and wish is not Stop.SUBPROBLEM for wish in wishes):
            return True
        return Stop.SUBPROBLEM if any(wishes) else None

    def _advance(self, fraction: float) -> bool:
        """End the subtasks up to here; true if a callback stops the fit."""
        stop = False
        while self._told < int(fraction * _HUNDREDTHS) and not stop:
            self._told += 1
            task = self._context.subcontext(task_name="hundredth")
            task.call_on_fit_task_begin(estimator=self._model)
            stop = bool(task.call_on_fit_task_end(estimator=self._model))
        return stop


def both(report: Callback | None, watch: Watching | None, n_subproblems: int, tol: float) -> Callback | None:
    """What a solver reports to: a report, and who watches; only the latter may stop it."""
    if watch is None:
        return report
    follow = watch.follow(n_subproblems, tol)
    if report is None:
        return follow

    def told(progress: Progress) -> bool | Stop | None:
        report(progress)
        return follow(progress)

    return told
