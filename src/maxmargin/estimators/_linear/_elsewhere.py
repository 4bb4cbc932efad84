"""Fits to rows that are elsewhere: whoever has them makes the sums."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maxmargin._deadline import Deadline
from maxmargin._solve import Execute
from maxmargin.blocks import FirstLook
from maxmargin.errors import InvalidInput
from maxmargin.estimators._linear._blocks import ClassTotals, check_newton, plan_of_classes
from maxmargin.estimators._linear._classifier import LinearModel
from maxmargin.estimators._shared._fitting import Fitting
from maxmargin.kernels import warn_of_scales

__all__ = ["fit_elsewhere"]


def fit_elsewhere(
    model: LinearModel,
    look: Callable[[Deadline], tuple[FirstLook, ClassTotals]],
    passes: Callable[[NDArray[Any], NDArray[np.float64]], Execute],
    names: list[str] | None = None,
    advice: str = "StandardScaler",
    stacklevel: int = 4,
) -> None:
    """Fit a linear classifier to blocks of rows that it never sees.

    Parameters
    ----------
    model : LinearModel
        Gets the fitted state.
    look : callable
        Makes the first pass, before a deadline.
    passes : callable
        Is told the classes and what a row of each costs, and gives what makes the sums of all blocks.
    names : list of str, optional
        Of the features.
    advice : str
        What scales features, for a warning.
    stacklevel : int
        Who called, for warnings.
    """
    with Fitting(model, None, None) as stages:
        model._check()
        terms = model._terms()
        check_newton(model, terms[0], terms[1])
        deadline = Deadline(model.max_time)
        first, totals = look(deadline)
        _check_classes(model, totals.classes)
        for stale in {"n_features_in_", "feature_names_in_"} & vars(model).keys():
            delattr(model, stale)
        model.n_features_in_ = first.columns
        if names is not None:
            model.feature_names_in_ = np.asarray(names, dtype=object)
        warn_of_scales(first.moments, advice, stacklevel=stacklevel + 1)
        plan = plan_of_classes(
            model,
            first,
            totals,
            lambda by_class: passes(totals.classes, by_class),
            terms,
            model._offset(),
            model._bound(),
            model._l1(),
            deadline,
        )
        stages.end("validation")
        found = plan.solve(stacklevel=stacklevel + 1)
        stages.end("solve", deadline.certifying)
        model._adopt(plan.rows, found)
        stages.end("assembly")


def _check_classes(model: LinearModel, classes: NDArray[Any]) -> None:
    owner = type(model).__name__
    if len(classes) < 2:
        raise InvalidInput(
            f"The number of classes has to be greater than one; got {len(classes)} class in all blocks. Add blocks with rows"
            " of another class."
        )
    if model._class_loss(len(classes)) is not None:
        raise InvalidInput(
            f"{owner} fits blocks of rows with one binary classifier for each class. Got multi_class={model.multi_class!r} and"
            f" {len(classes)} classes. Set multi_class='ovr'."
        )
    if len(classes) > 2 and getattr(model, "threshold", 0.5) != 0.5:
        raise InvalidInput(
            f"threshold={model.threshold!r} chooses between two classes. Got {len(classes)} classes. Leave threshold at"
            " 0.5: then the most probable class is predicted."
        )
