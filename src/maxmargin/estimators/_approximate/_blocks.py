"""Fits on landmarks to rows that come in blocks: landmarks of some rows, features of one block at a time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from maxmargin._deadline import Deadline
from maxmargin.blocks import RowBlocks
from maxmargin.errors import InvalidInput
from maxmargin.estimators._approximate._number import AUTO
from maxmargin.estimators._linear._blocks import BlockRowsOf, block_labels, block_plan
from maxmargin.estimators._shared._fitted import RowKind
from maxmargin.estimators._shared._stages import Stages
from maxmargin.problems import Offset, Penalty
from maxmargin.solution import BlockSolution

if TYPE_CHECKING:
    from maxmargin.estimators._approximate._svc import ApproximateSVC
    from maxmargin.feature_maps import LandmarkMap

__all__ = ["fit_blocks"]

_SOME: Final = 20_000  # rows that landmarks are chosen among


def fit_blocks(
    model: ApproximateSVC, blocks: RowBlocks, y: Any, sample_weight: Any, random: Any, stages: Stages
) -> tuple[BlockRowsOf, LandmarkMap, list[BlockSolution]]:
    """Labels, map and solutions."""
    if model.n_components == AUTO:
        raise InvalidInput("n_components='auto' needs all rows at once. Give a number for RowBlocks.")
    if blocks.standard is not None:
        raise InvalidInput("ApproximateSVC reads rows as they are. Pass the RowBlocks without standardised().")
    deadline = Deadline(model.max_time)
    label, _ = block_labels(blocks, y, sample_weight)
    step = max(1, len(blocks) // _SOME)
    some = model._begin(blocks[::step], np.asarray(label)[::step], None)
    if some.kind is RowKind.PAIRWISE:
        raise InvalidInput("A precomputed kernel needs all rows at once. Choose another kernel for RowBlocks.")
    stages.end("validation")
    map = model._landmarks(some.kernel, some.data.X, int(model.n_components), random, deadline)
    stages.end("landmarks")
    features = model.n_features_in_
    dtype = some.dtype
    mapped = blocks.mapped(lambda X: map.features(X, dtype), map.rank, np.dtype(dtype))
    offset = Offset.FREE if model.fit_intercept else Offset.NONE
    terms = model._loss(), Penalty.L2, float(model.C)
    plan = block_plan(model, mapped, y, sample_weight, terms, (offset, 1.0), np.inf, 1.0, deadline)
    model.n_features_in_ = features
    found = plan.solve(stacklevel=5)
    stages.end("solve", deadline.certifying)
    return plan.rows, map, found
