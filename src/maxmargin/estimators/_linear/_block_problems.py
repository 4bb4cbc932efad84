"""The problems of a classifier whose rows come in blocks, and which of them blocks do not support."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from maxmargin.blocks import FirstLook
from maxmargin.errors import InvalidInput
from maxmargin.losses import Hinge, Loss, MarginLoss
from maxmargin.problems import BlockClasses, BlockProblem, ClassLoss, Offset, Penalty
from maxmargin.solvers import BLOCK_LOSSES

__all__ = ["binary_problems", "check_newton", "check_together"]

Vector = NDArray[np.float64]
_NEWTON: Final = ("auto", "newton")
_NAMES: Final = ("exponential", "hinge", "logistic", "squared", "squared_hinge")
_WIDEST: Final = 2048  # features, for penalties whose steps need the whole Hessian


def binary_problems(
    look: FirstLook,
    weight: Vector,
    n: int,
    terms: tuple[Loss, Penalty, float],
    by_class: Vector,
    offset: tuple[Offset, float],
    bound: float,
    l1: float,
) -> list[BlockProblem | BlockClasses]:
    """One for each class, or one for two."""
    (loss, penalty, _), (kind, scale), n_classes = terms, offset, len(weight)
    total = float((by_class * weight).sum())
    assert isinstance(loss, MarginLoss)
    return [
        BlockProblem(
            loss=loss,
            penalty=penalty,
            offset=kind,
            offset_scale=scale,
            B=bound,
            l1=l1,
            n=n,
            d=look.columns,
            total=total,
            at_zero=total * float(loss.value(0.0)),
            positive=k,
            mean=BlockProblem.mean_of(look, kind),
        )
        for k in ([1] if n_classes == 2 else range(n_classes))
    ]


def check_together(model: Any, loss: ClassLoss, penalty: Penalty, n_classes: int, columns: int) -> None:
    """Raise for what blocks do not support of all classes at once."""
    owner, unknowns = type(model).__name__, n_classes * (columns + 1)
    if loss is not ClassLoss.MULTINOMIAL:
        raise InvalidInput(
            f"{owner} fits all classes at once with multi_class={model.multi_class!r}, which RowBlocks have not. Choose"
            " multi_class='ovr', a binary classifier for each class."
        )
    if penalty is not Penalty.L2 and unknowns > _WIDEST:
        raise InvalidInput(
            f"{owner} has the penalty {penalty.value!r} of all classes at once for RowBlocks of at most {_WIDEST} weights. Got"
            f" {n_classes} classes of {columns} features: {unknowns}. Choose penalty='l2', or multi_class='ovr'."
        )


def check_newton(model: Any, loss: Loss, penalty: Penalty, columns: int = 0) -> None:
    """Raise for what blocks do not support."""
    owner, solver = type(model).__name__, getattr(model, "solver", "auto")
    if isinstance(solver, str) and solver in ("lbfgs", "newton-cg", "newton-cholesky", "sag", "saga"):
        solver = "auto"
    if solver not in _NEWTON:
        raise InvalidInput(
            f"The 'solver' parameter of {owner} must be one of {_NEWTON} for RowBlocks. Got {solver!r} instead. Other"
            " solvers take"
            " rows one by one."
        )
    if type(loss) not in BLOCK_LOSSES:
        raise InvalidInput(f"RowBlocks have no {loss!r}. Choose one of the losses {_NAMES}.")
    if penalty is Penalty.NONE:
        raise InvalidInput(
            f"{owner} needs a penalty for RowBlocks: without one only a look at all rows at once proves an optimum. Take"
            " penalty='l2' with a large C."
        )
    if penalty is not Penalty.L2 and isinstance(loss, Hinge):
        raise InvalidInput(
            f"{owner} has the hinge only with the penalty 'l2' for RowBlocks. Got {penalty.value!r}. Choose"
            " loss='squared_hinge', or pass the rows as one matrix."
        )
    if penalty is not Penalty.L2 and columns >= _WIDEST:
        raise InvalidInput(
            f"{owner} has the penalty {penalty.value!r} for RowBlocks of at most {_WIDEST - 1} features. Got {columns}. Choose"
            " penalty='l2', or pass the rows as one matrix."
        )
