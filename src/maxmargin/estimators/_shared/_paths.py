"""Fits of one estimator on the same rows that differ in one parameter, and what they say of other rows."""

from __future__ import annotations

import copy
import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, final

import numpy as np
from numpy.typing import NDArray

__all__ = ["Answers", "FitPath", "NotThere", "answering"]


@final
class Answers(NamedTuple):
    """What a model says of some rows.

    Attributes
    ----------
    predictions : ndarray or None
        Labels or targets.
    values : callable or None
        Gives ``decision_function``; None for a regression.
    classes : ndarray or None
        The labels of a classifier.
    probabilities : callable or None
        Gives ``predict_proba``, where the model has it.
    """

    predictions: NDArray[Any] | None
    values: Callable[[], NDArray[np.float64]] | None = None
    classes: NDArray[Any] | None = None
    probabilities: Callable[[], NDArray[np.float64]] | None = None


@final
class NotThere(Exception):
    """More is asked than was computed, or nothing can be shared: the model must be fitted by itself. The text says why."""


class FitPath(ABC):
    """Fits that go together.

    Parameters
    ----------
    models : sequence of estimators
        Unfitted, alike but for one parameter.
    """

    has_room: bool = True
    """Whether what the fits share fits into memory."""

    python_bytes: int = 0
    """What kernel values take that a Python function computes before the search, all of them."""

    cache_bytes: float = math.inf
    """What all paths together may keep of them."""

    def __init__(self, models: Sequence[Any]) -> None:
        self.models = list(models)

    def prepare(self) -> None:
        """Make ready to be solved; raises `NotThere` if nothing can be shared."""
        return

    @abstractmethod
    def gaps(self) -> list[float]:
        """The relative duality gap of each model; NaN where it must be fitted by itself."""

    @abstractmethod
    def answers(self, X: Any) -> list[Answers | None]:
        """What each model says of rows; None where it must be fitted by itself."""


def answering(model: Any, X: Any, said: Answers) -> Any:
    """A copy of an unfitted model, or of a pipeline with one at its end, that says of X what is known.

    It has no other fitted state: who asks for more gets `NotThere`, or scikit-learn's word that it is not fitted.
    """
    stand_in = copy.copy(model)
    last = stand_in
    if hasattr(model, "steps"):
        last = copy.copy(model.steps[-1][1])
        stand_in.steps = [*model.steps[:-1], (model.steps[-1][0], last)]
        if _scores_what_it_predicts(last):
            stand_in.score = last.score  # a pipeline's own would transform X, by steps that are not fitted
    given: dict[str, Any] = {"predict": said.predictions, "decision_function": said.values, "predict_proba": said.probabilities}
    for name, values in given.items():
        if values is not None:
            for each in {id(stand_in): stand_in, id(last): last}.values():
                setattr(each, name, _Saying(name, X, values))
    if said.classes is not None:
        last.classes_ = said.classes
    return stand_in


def _scores_what_it_predicts(model: Any) -> bool:
    """Whether `score` is one of ours or of scikit-learn's, which read X by `predict` alone."""
    score = getattr(type(model), "score", None)
    return getattr(score, "__module__", "").partition(".")[0] in ("maxmargin", "sklearn")


@final
class _Saying:
    """Returns known values for known rows."""

    def __init__(self, name: str, X: Any, values: NDArray[Any] | Callable[[], NDArray[Any]]) -> None:
        self.__name__ = name  # which scikit-learn's scorers read
        self._x = X
        self._values = values

    def __call__(self, X: Any) -> NDArray[Any]:
        if X is not self._x:
            raise NotThere
        if callable(self._values):
            self._values = self._values()
        return self._values
