"""What a second fit takes over from the first if ``warm_start=True``."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from maxmargin.errors import WarmStartWarning
from maxmargin.estimators._shared._fitted import RowKind
from maxmargin.problems import LabelledParts
from maxmargin.solution import BlockSolution, LinearSolution, MulticlassSolution
from maxmargin.solvers import Coefficients
from maxmargin.validation import TrainingSet, WeightedRows, length, same_rows, take_rows

if TYPE_CHECKING:
    from maxmargin.estimators._kernel._classifier import KernelClassifier
    from maxmargin.estimators._kernel._model import KernelModel
    from maxmargin.estimators._kernel._perceptron import Perceptron

__all__ = [
    "held_coefficients",
    "hold",
    "linear_starts",
    "multiclass_start",
    "on_parts",
    "starts_anew",
    "why_moved",
    "why_relabelled",
]


def starts_anew(model: Any, why: str, *, stacklevel: int = 4) -> None:
    """Warn that the last solution is of no use, and why."""
    warnings.warn(
        f"warm_start=True, but this fit of {type(model).__name__} starts from scratch: {why}.", WarmStartWarning, stacklevel
    )


def held_coefficients(model: KernelModel, X: Any, kind: RowKind) -> list[Coefficients] | None:
    """The solution of the last fit, one set of coefficients for each subproblem, with row numbers of X; None to start anew.

    It is of use if the rows of its support vectors are where they were; other rows may be gone or new.
    """
    if not model.warm_start or not hasattr(model, "dual_coef_"):
        return None
    if (why := why_moved(model, X, kind)) is not None:
        starts_anew(model, why, stacklevel=5)
        return None
    return model._coefficients()


def why_moved(model: KernelModel | Perceptron, X: Any, kind: RowKind) -> str | None:
    """Why the rows of the support vectors are not where they were; None if they are."""
    if model._rows is not kind:
        return "the rows are of another kind than before"
    if kind is RowKind.PAIRWISE:
        same = model.shape_fit_[0] == length(X)
        return None if same else "a precomputed matrix of another size tells nothing about the rows"
    support = model.support_
    if len(support) and int(support.max()) >= length(X):
        return "rows of support vectors are gone"
    same = _same_rows(X, support, model.support_vectors_, kind)
    return None if same else "X[support_] is no longer support_vectors_"


def why_relabelled(model: KernelClassifier, data: TrainingSet) -> str | None:
    """Why the labels of the rows that support the model are not as they were; None if they are."""
    if not np.array_equal(model.classes_, data.classes):
        return "the classes are others than before"
    before = np.repeat(np.arange(len(data.classes)), model._n_support)
    if data.kept is None:
        same = bool((data.codes[model.support_] == before).all())
    else:
        places = _places(data, int(model.support_.max(initial=-1)) + 1)[model.support_]
        same = bool((data.codes[places[places >= 0]] == before[places >= 0]).all())
    return None if same else "support vectors have other labels than before"


def on_parts(held: Sequence[Coefficients], data: TrainingSet | WeightedRows, parts: LabelledParts | None) -> list[Coefficients]:
    """The same with the row numbers of each subproblem, which may have only some of the rows."""
    if data.kept is None and (parts is None or parts.rows is None):
        return list(held)
    most = max((int(each.support.max(initial=-1)) for each in held), default=-1) + 1
    everywhere = _places(data, most)
    found, begin = [], 0
    for k, each in enumerate(held):
        places = everywhere
        if parts is not None:
            if parts.rows is not None:
                own = parts.rows[begin : begin + parts.sizes[k]]
                inside = np.full(data.n + 1, -1, dtype=np.intp)  # the last place is for rows that are nowhere
                inside[own] = np.arange(len(own))
                places = inside[everywhere]
            begin += parts.sizes[k]
        there = places[each.support]
        kept = there >= 0
        found.append(Coefficients(there[kept].astype(np.int32), each.beta[kept], each.cost[kept]))
    return found


def _places(data: TrainingSet | WeightedRows, most: int) -> NDArray[np.intp]:
    """Where the rows of X stand among those with a weight; −1 for those that have none."""
    if data.kept is None:
        return np.arange(max(most, data.n), dtype=np.intp)
    places = np.full(max(most, int(data.kept.max(initial=-1)) + 1), -1, dtype=np.intp)
    places[data.kept] = np.arange(len(data.kept))
    return places


def _same_rows(X: Any, support: NDArray[np.int32], before: Any, kind: RowKind) -> bool:
    """Whether these rows of X are what they were."""
    if kind is RowKind.DENSE:
        return same_rows(X, support, before)
    rows = take_rows(X, support)
    if kind is RowKind.OBJECTS:
        return len(rows) == len(before) and all(a is b or bool(np.all(a == b)) for a, b in zip(rows, before, strict=True))
    if rows.shape != before.shape:
        return False
    return bool((rows != before).nnz == 0)


def hold(model: Any, solutions: Sequence[LinearSolution] | Sequence[MulticlassSolution] | Sequence[BlockSolution]) -> None:
    """Keep the solutions of a linear model, with their multipliers, for the next fit if it has a warm start."""
    vars(model).pop("_held", None)
    if model.warm_start:  # of blocks the weights of the model are all that there is
        # without what they know of the training rows, which no start needs and a pickle would carry
        model._held = [replace(each, kkt_data=None) for each in solutions if not isinstance(each, BlockSolution)]


def linear_starts(model: Any, count: int, width: int, classes: NDArray[Any] | None = None) -> Sequence[Any] | None:
    """The solutions of the last fit of a linear model, one for each subproblem; None to start anew."""
    return _held(model, LinearSolution, count, width, classes)


def multiclass_start(model: Any, data: TrainingSet, width: int) -> Sequence[Any] | None:
    """The same for all classes at once."""
    return _held(model, MulticlassSolution, 1, width, data.classes)


def _held(model: Any, family: Any, count: int, width: int, classes: NDArray[Any] | None) -> Sequence[Any] | None:
    held = vars(model).get("_held") if model.warm_start else None
    if not held:
        return None
    if classes is not None and not np.array_equal(model.classes_, classes):
        starts_anew(model, "the classes are others than before", stacklevel=6)
    elif not isinstance(held[0], family):
        starts_anew(model, "multi_class is another than before", stacklevel=6)
    elif len(held) != count or held[0].weights.shape[-1] != width:
        starts_anew(model, "there are not as many weights as before", stacklevel=6)
    else:
        return list(held)
    return None
