"""Fits to rows that are elsewhere: whoever has them makes the sums."""

from __future__ import annotations

from functools import partial
from typing import Any, Protocol, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from maxmargin._deadline import Deadline
from maxmargin._solve import Execute
from maxmargin.blocks import FirstLook
from maxmargin.errors import InvalidInput
from maxmargin.estimators._linear._block_problems import check_newton
from maxmargin.estimators._linear._blocks import plan_of_classes
from maxmargin.estimators._linear._classifier import LinearModel
from maxmargin.estimators._linear._svr import LinearSVR
from maxmargin.estimators._linear._target_blocks import plan_of_targets
from maxmargin.estimators._linear._totals import ClassCoding, ClassTotals, Coding, TargetCoding, TargetTotals, Totals
from maxmargin.estimators._shared._fitting import Fitting
from maxmargin.estimators._shared._parameters import offset_of
from maxmargin.kernels import warn_of_scales
from maxmargin.losses import Loss
from maxmargin.problems import Penalty

__all__ = ["RowsElsewhere", "check_classes", "fit_elsewhere"]

Vector = NDArray[np.float64]
Found = TypeVar("Found", bound=Totals)


class RowsElsewhere(Protocol):
    """Rows in numbered blocks, and who goes over them."""

    @property
    def names(self) -> list[str] | None:
        """Of the features."""

    @property
    def advice(self) -> str:
        """What scales features, for a warning."""

    def look(self, kind: type[Found], deadline: Deadline) -> tuple[FirstLook, Found]:
        """Make the first pass."""

    def some(self, step: int, deadline: Deadline) -> tuple[Any, NDArray[Any]]:
        """Every so many-th row, with its label or target."""

    def deviations(self, coding: TargetCoding, about: float, loss: Loss, deadline: Deadline) -> Vector:
        """The sums that `TargetCoding.deviations` makes of a block, over all of them."""

    def answers(self, coding: Coding) -> Execute:
        """What makes the sums of questions over all blocks."""

    def mapped(self, map: Any, dtype: Any) -> Self:
        """The same with the features of a map in place of the rows."""


def fit_elsewhere(model: Any, rows: RowsElsewhere, stacklevel: int = 3) -> None:
    """Fit a linear model to blocks of rows that it never sees.

    Parameters
    ----------
    model : LinearModel or LinearSVR
        Gets the fitted state.
    rows : RowsElsewhere
        The blocks.
    stacklevel : int
        Who called, for warnings.
    """
    with Fitting(model, None, None) as stages:
        model._check()
        deadline = Deadline(model.max_time)
        make = _targets if isinstance(model, LinearSVR) else _classes
        plan = make(model, rows, deadline, stacklevel + 1)
        stages.end("validation")
        found = plan.solve(stacklevel=stacklevel + 1)
        stages.end("solve", deadline.certifying)
        model._adopt(plan.rows, found)
        stages.end("assembly")


def _classes(model: LinearModel, rows: RowsElsewhere, deadline: Deadline, stacklevel: int) -> Any:
    terms = model._terms()
    check_newton(model, terms[0], terms[1])
    first, totals = rows.look(ClassTotals, deadline)
    check_classes(model, totals.classes)
    model._check_classes(totals.classes)
    _learn(model, first, rows, stacklevel + 1)

    def passes(by_class: Vector) -> Execute:
        return rows.answers(ClassCoding(totals.classes, by_class))

    together = model._class_loss(len(totals.classes))
    return plan_of_classes(
        model,
        first,
        totals,
        passes,
        terms,
        model._offset(),
        model._bound(),
        model._l1(),
        deadline,
        class_loss=together,
    )


def _targets(model: LinearSVR, rows: RowsElsewhere, deadline: Deadline, stacklevel: int) -> Any:
    if model.interval:
        raise InvalidInput("interval=True needs rows that can be left out one by one. Leave it out for blocks of rows.")
    loss, coding = model._loss(), TargetCoding(float(model.C))
    check_newton(model, loss, Penalty.L2)
    first, totals = rows.look(TargetTotals, deadline)
    _learn(model, first, rows, stacklevel + 1)
    deviations = partial(_deviations, rows, coding, loss, deadline)
    return plan_of_targets(model, first, totals, deviations, rows.answers(coding), loss, offset_of(model), deadline)


def _deviations(rows: RowsElsewhere, coding: TargetCoding, loss: Loss, deadline: Deadline, about: float) -> Vector:
    return rows.deviations(coding, about, loss, deadline)


def _learn(model: Any, first: FirstLook, rows: RowsElsewhere, stacklevel: int) -> None:
    """Take number and names of the features, and warn of their scales."""
    for stale in {"n_features_in_", "feature_names_in_"} & vars(model).keys():
        delattr(model, stale)
    model.n_features_in_ = first.columns
    if rows.names is not None:
        model.feature_names_in_ = np.asarray(rows.names, dtype=object)
    warn_of_scales(first.moments, rows.advice, stacklevel=stacklevel + 1)


def check_classes(model: Any, classes: NDArray[Any]) -> None:
    """Raise where there is nothing to tell apart."""
    if len(classes) < 2:
        raise InvalidInput(
            f"The number of classes has to be greater than one; got {len(classes)} class in all blocks. Add blocks with rows"
            " of another class."
        )
