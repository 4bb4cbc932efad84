"""Fits of linear regressions to rows that come in blocks."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maxmargin._deadline import Deadline
from maxmargin._solve import BlockPasses, Execute
from maxmargin.blocks import FirstLook, RowBlocks, Standard
from maxmargin.estimators._linear._blocks import (
    BlockPlan,
    check_newton,
    learn,
    one_of,
    starts_of,
    tree_of,
    weights_of,
)
from maxmargin.estimators._linear._totals import TargetCoding, TargetTotals
from maxmargin.losses import Loss
from maxmargin.problems import BlockProblem, Offset, Penalty, level_from, require_range
from maxmargin.validation import target_column

__all__ = ["plan_of_targets", "regression_plan"]

Vector = NDArray[np.float64]


def regression_plan(
    model: Any, blocks: RowBlocks, y: Any, sample_weight: Any, loss: Loss, offset: tuple[Offset, float], deadline: Deadline
) -> BlockPlan:
    """The problem of a regression, and its passes."""
    look = blocks.look()
    check_newton(model, loss, Penalty.L2, look.columns)
    learn(model, look)
    target = target_column(one_of(y, blocks.y, "y"), blocks)
    weight, coding = weights_of(blocks, sample_weight), TargetCoding(float(model.C))
    totals = tree_of(look.rows_of, lambda rows: TargetTotals.of(target[rows], target[rows], *_positive(weight, rows)))

    def costs(rows: slice) -> Vector:
        if weight is None:
            return np.full(len(range(*rows.indices(len(target)))), coding.C)
        return np.asarray(coding.C * np.maximum(weight[rows], 0.0))

    def deviations(about: float) -> Vector:
        def of(rows: slice) -> Vector:
            weights, kept = _positive(weight, rows)
            return coding.deviations(*coding.of(target[rows], target[rows], weights, kept), about, loss)

        return tree_of(look.rows_of, of)

    passes = BlockPasses(blocks, target, costs)
    return plan_of_targets(model, look, totals, deviations, passes, loss, offset, deadline, blocks.standard)


def plan_of_targets(
    model: Any,
    look: FirstLook,
    totals: TargetTotals,
    deviations: Callable[[float], Vector],
    passes: Execute,
    loss: Loss,
    offset: tuple[Offset, float],
    deadline: Deadline,
    standard: Standard | None = None,
) -> BlockPlan:
    """The same from what all rows are together, wherever they are; ``deviations`` sums up what `TargetCoding` tells of them."""
    C, (kind, scale) = float(model.C), offset
    require_range(np.array([C * totals.weight]), "C", np.array([totals.low, totals.high]))
    model._require_squares(totals.size, C * totals.weight)
    level = level_from(totals.mean, totals.reach) if kind is Offset.FREE else 0.0
    median = totals.median - level if kind is not Offset.NONE else 0.0
    apart, zero = deviations(median + level).tolist()
    spread = apart / totals.n
    problem = BlockProblem(
        loss=loss,
        penalty=Penalty.L2,
        offset=kind,
        offset_scale=scale,
        B=math.inf,
        l1=1.0,
        n=totals.n,
        d=look.columns,
        total=C * totals.weight,
        at_zero=zero,
        mean=BlockProblem.mean_of(look, kind),
        level=level,
        start=median,
        spread=spread if spread > 0.0 else 1.0,
    )
    return BlockPlan(
        model=model,
        problems=[problem],
        names=lambda: ["regression"],
        deadline=deadline,
        standard=standard,
        passes=passes,
        rows=None,
        starts=starts_of(model, standard, [problem], None),
        classes=[None],
    )


def _positive(weight: Vector | None, rows: slice) -> tuple[Vector | None, NDArray[np.intp] | None]:
    """The positive weights of a block, and where they are if not all are positive."""
    if weight is None:
        return None, None
    own = weight[rows]
    kept = np.flatnonzero(own > 0.0)
    return (own, None) if len(kept) == len(own) else (own[kept], kept)
