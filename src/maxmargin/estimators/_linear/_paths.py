"""Fits of one linear estimator on the same rows with one C after the other, each from the one before."""

from __future__ import annotations

import copy
import math
import warnings
from collections.abc import Sequence
from functools import partial
from typing import Any, Final, final

from maxmargin.errors import MaxmarginError, WarmStartWarning
from maxmargin.estimators._linear._logistic import LogisticRegression
from maxmargin.estimators._linear._svc import LinearSVC
from maxmargin.estimators._linear._svr import LinearSVR
from maxmargin.estimators._shared._paths import Answers, FitPath

__all__ = ["LINEAR_PATHS", "LinearPath", "linear_path_refusal"]

LINEAR_PATHS: Final[dict[Any, str]] = {LinearSVC: "C", LinearSVR: "C", LogisticRegression: "C"}
"""The parameter that grows along a path."""


def linear_path_refusal(model: Any) -> str | None:
    """Why fits of this estimator do not go together; None if they do."""
    if model.max_time is not None:
        return "max_time limits each fit"
    if model.verbose:
        return "verbose reports on each fit"
    solver = getattr(model, "solver", "auto")
    if not isinstance(solver, str) or solver not in ("auto", "newton"):
        return f"the solver is {solver!r}"
    return None


@final
class LinearPath(FitPath):
    """Fits that differ in C.

    Parameters
    ----------
    models : sequence of estimators
        Unfitted; alike but for C.
    X, y, sample_weight
        What each is fitted to.
    """

    def __init__(self, models: Sequence[Any], X: Any, y: Any, sample_weight: Any) -> None:
        super().__init__(models)
        self._fitted: list[Any] = [None] * len(models)
        before: Any = None
        for k in sorted(range(len(models)), key=lambda k: float(models[k].C)):
            model = copy.copy(models[k])
            model.warm_start = True
            if before is not None:
                vars(model).update({name: value for name, value in vars(before).items() if name not in model.get_params()})
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore", WarmStartWarning)
                    model.fit(X, y, sample_weight=sample_weight)
            except MaxmarginError:  # the fit by itself says what is wrong
                continue
            if model.fit_status_ == 0:
                self._fitted[k] = before = model

    def gaps(self) -> list[float]:
        """The relative duality gap of each model; NaN where it must be fitted by itself."""
        return [math.nan if model is None else float(model.certificate_.relative_gap) for model in self._fitted]

    def answers(self, X: Any) -> list[Answers | None]:
        """What each model says of rows; None where it must be fitted by itself."""
        return [None if model is None else _answer(model, X) for model in self._fitted]


def _answer(model: Any, X: Any) -> Answers:
    if isinstance(model, LinearSVR):
        return Answers(model.predict(X))
    probabilities = partial(model.predict_proba, X) if isinstance(model, LogisticRegression) else None
    return Answers(model.predict(X), partial(model.decision_function, X), model.classes_, probabilities)
