"""scikit-learn's callbacks in searches whose fits are shared: the same tasks as in its own searches."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from types import TracebackType
from typing import Any, Self, final

from maxmargin.model_selection._candidates import last_step

__all__ = ["SearchWatch", "refuse_inner_callbacks"]


def refuse_inner_callbacks(search: Any) -> None:
    """Raise, as scikit-learn does, for callbacks of the estimator inside a search that would be handed on to it."""
    inside = last_step(search.estimator)
    for each in (search.estimator, inside):
        bad = [type(one).__name__ for one in getattr(each, "_skl_callbacks", ()) if hasattr(one, "max_propagation_depth")]
        if bad:
            raise TypeError(
                f"The estimator {type(each).__name__} inside {type(search).__name__} cannot have the callbacks"
                f" {', '.join(bad)}. Set them on the search: set_callbacks of {type(search).__name__}."
            )


@final
class SearchWatch:
    """Tells the callbacks of a search of its tasks: the search with one for each candidate and fold, and the refit.

    Fits that are shared are told of when they have a score; the estimator of the refit has its own tasks. Without callbacks it
    does nothing.

    Parameters
    ----------
    search : GridSearchCV or RandomizedSearchCV
        What may have callbacks.
    X, y, params
        What it is fitted to.
    """

    def __init__(self, search: Any, X: Any, y: Any, params: dict[str, Any]) -> None:
        self._search = search
        weight = params.get("sample_weight")
        self._data = {"X": X, "y": y, "metadata": None if weight is None else {"sample_weight": weight}}
        self.is_watched = bool(vars(search).get("_skl_callbacks"))

    def __enter__(self) -> Self:
        if not self.is_watched:
            return self
        support = import_module("sklearn.callback._callback_support")
        self._teardown = support.callback_management_context(self._search)
        self._teardown.__enter__()
        try:
            self._root = self._search._init_callback_context(max_subtasks=1 + (self._search.refit is not False))
            self._root.call_on_fit_task_begin(estimator=self._search, **self._data)
        except BaseException as error:
            self._teardown.__exit__(type(error), error, error.__traceback__)
            raise
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if not self.is_watched:
            return
        try:
            if error is None:
                self._root.call_on_fit_task_end(estimator=self._search, **self._data)
        finally:
            self._teardown.__exit__(kind, error, trace)

    @contextmanager
    def search(self, n_cells: int) -> Iterator[Callable[[int], None]]:
        """Around the search; gives what is to be told of each cell that is filled."""
        if not self.is_watched:
            yield lambda place: None
            return
        cells = self._root.subcontext(task_name="search", max_subtasks=n_cells, sequential_subtasks=False)
        cells.call_on_fit_task_begin(estimator=self._search)

        def tell(place: int) -> None:
            task = cells.subcontext(task_name="candidate-split-evaluation", task_id=place)
            task.call_on_fit_task_begin(estimator=self._search)
            task.call_on_fit_task_end(estimator=self._search)

        yield tell
        cells.call_on_fit_task_end(estimator=self._search)

    @contextmanager
    def refit(self, estimator: Any) -> Iterator[None]:
        """Around the fit of the best candidate."""
        if not self.is_watched:
            yield
            return
        task = self._root.subcontext(task_name="refit-with-best-params")
        with task.propagate_callback_context(estimator):
            task.call_on_fit_task_begin(estimator=self._search, **self._data)
            yield
        task.call_on_fit_task_end(estimator=self._search, **self._data)
