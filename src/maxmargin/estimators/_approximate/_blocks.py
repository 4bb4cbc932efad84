"""Fits on landmarks to rows that come in blocks: landmarks of some rows, features of one block at a time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np
from sklearn.utils.validation import check_random_state

from maxmargin._deadline import Deadline
from maxmargin._solve import Execute
from maxmargin.blocks import Mapped, RowBlocks
from maxmargin.errors import InvalidInput
from maxmargin.estimators._approximate._number import AUTO
from maxmargin.estimators._linear._blocks import BlockRowsOf, block_labels, block_plan, plan_of_classes
from maxmargin.estimators._linear._elsewhere import RowsElsewhere, check_classes
from maxmargin.estimators._linear._totals import ClassCoding, ClassTotals
from maxmargin.estimators._shared._fitted import RowKind
from maxmargin.estimators._shared._fitting import Fitting
from maxmargin.estimators._shared._stages import Stages
from maxmargin.estimators._shared._warm_start import starts_anew
from maxmargin.losses import Loss
from maxmargin.problems import Offset, Penalty
from maxmargin.solution import BlockSolution

if TYPE_CHECKING:
    from maxmargin.estimators._approximate._svc import ApproximateSVC
    from maxmargin.feature_maps import LandmarkMap

__all__ = ["fit_approximate_elsewhere", "fit_blocks"]

_SOME: Final = 20_000  # rows that landmarks are chosen among


def fit_blocks(
    model: ApproximateSVC, blocks: RowBlocks, y: Any, sample_weight: Any, random: Any, stages: Stages
) -> tuple[BlockRowsOf, LandmarkMap, list[BlockSolution]]:
    """Labels, map and solutions."""
    _require_number(model)
    if blocks.standard is not None:
        raise InvalidInput("ApproximateSVC reads rows as they are. Pass the RowBlocks without standardised().")
    if model.warm_start and "_map" in vars(model):
        starts_anew(model, "landmarks of RowBlocks are chosen anew in each fit", stacklevel=4)
    deadline = Deadline(model.max_time)
    label, _ = block_labels(blocks, y, sample_weight)
    step = _step(len(blocks))
    map, dtype = _landmarks(model, blocks[::step], np.asarray(label)[::step], random, deadline, stages)
    features = model.n_features_in_
    mapped = blocks.mapped(lambda X: map.features(X, dtype), map.rank, np.dtype(dtype))
    plan = block_plan(model, mapped, y, sample_weight, _terms(model), _offset(model), np.inf, 1.0, deadline)
    model.n_features_in_ = features
    found = plan.solve(stacklevel=5)
    stages.end("solve", deadline.certifying)
    return plan.rows, map, found


def fit_approximate_elsewhere(model: ApproximateSVC, rows: RowsElsewhere, stacklevel: int = 3) -> None:
    """The same for rows that the model never sees, but for those that landmarks are chosen among.

    Parameters
    ----------
    model : ApproximateSVC
        Gets the fitted state.
    rows : RowsElsewhere
        The blocks.
    stacklevel : int
        Who called, for warnings.
    """
    with Fitting(model, None, None) as stages:
        _require_number(model)
        model._check()
        deadline, random = Deadline(model.max_time), check_random_state(model.random_state)
        first, totals = rows.look(ClassTotals, deadline)
        check_classes(model, totals.classes)
        some, label = rows.some(_step(first.n), deadline)
        map, dtype = _landmarks(model, some, label, random, deadline, stages)
        if rows.names is not None:
            model.feature_names_in_ = np.asarray(rows.names, dtype=object)
        mapped = rows.mapped(map, dtype)

        def passes(by_class: Any) -> Execute:
            return mapped.answers(ClassCoding(totals.classes, by_class))

        look = Mapped(map.features, map.rank, np.dtype(dtype)).of_look(first)
        plan = plan_of_classes(model, look, totals, passes, _terms(model), _offset(model), np.inf, 1.0, deadline)
        found = plan.solve(stacklevel=stacklevel + 1)
        stages.end("solve", deadline.certifying)
        model._adopt_blocks(plan.rows, map, found)
        stages.end("assembly")


def _require_number(model: ApproximateSVC) -> None:
    if model.n_components == AUTO:
        raise InvalidInput("n_components='auto' needs all rows at once. Give a number for RowBlocks, or rows on a cluster.")


def _step(n: int) -> int:
    return max(1, n // _SOME)


def _landmarks(
    model: ApproximateSVC, X: Any, y: Any, random: Any, deadline: Deadline, stages: Stages
) -> tuple[LandmarkMap, Any]:
    """The map, of some rows, and what its features are stored as."""
    some = model._begin(X, y, None)
    if some.kind is RowKind.PAIRWISE:
        raise InvalidInput("A precomputed kernel needs all rows at once. Choose another kernel for blocks of rows.")
    stages.end("validation")
    map = model._landmarks(some.kernel, some.data.X, int(model.n_components), random, deadline)
    stages.end("landmarks")
    return map, some.dtype


def _terms(model: ApproximateSVC) -> tuple[Loss, Penalty, float]:
    return model._loss(), Penalty.L2, float(model.C)


def _offset(model: ApproximateSVC) -> tuple[Offset, float]:
    return (Offset.FREE if model.fit_intercept else Offset.NONE), 1.0
