"""What stands around the fit of an estimator."""

from __future__ import annotations

from types import TracebackType
from typing import Any, final

from maxmargin._whole_or_nothing import WholeOrNothing
from maxmargin.estimators._shared._stages import Stages
from maxmargin.estimators._shared._watching import watching

__all__ = ["Fitting"]


@final
class Fitting:
    """Around a fit: callbacks hear of it, its stages are timed, and one that fails leaves the estimator as it was.

    It is not a decorator: warnings name the line that called ``fit``.

    Parameters
    ----------
    model : estimator
        Whose fit it is.
    X, y, sample_weight
        What it is fitted to, for callbacks.
    solves : int
        How often it solves.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> from maxmargin.estimators._shared._fitting import Fitting
    >>> model = SimpleNamespace()
    >>> with Fitting(model, [[0.0]], [1.0]) as stages:
    ...     model.coef_ = 1.0
    ...     stages.end("solve")
    >>> model.coef_, list(model._seconds)
    (1.0, ['solve'])
    """

    __slots__ = ("_model", "_stages", "_watching", "_whole")

    def __init__(self, model: Any, X: Any, y: Any, sample_weight: Any = None, *, solves: int = 1) -> None:
        self._model = model
        self._whole = WholeOrNothing(model)
        self._watching = watching(model, X, y, sample_weight, solves=solves)

    def __enter__(self) -> Stages:
        try:
            self._watching.__enter__()
        except BaseException as error:
            self._whole.__exit__(type(error), error, error.__traceback__)
            raise
        self._stages = Stages()
        return self._stages

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if kind is None:
            self._model._seconds = self._stages.seconds
        try:
            self._watching.__exit__(kind, error, trace)
        except BaseException as raised:
            self._whole.__exit__(type(raised), raised, raised.__traceback__)
            raise
        self._whole.__exit__(kind, error, trace)
