"""How many landmarks: twice as many again, until held-out rows are not scored better."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from maxmargin.estimators._shared._fitted import RowKind
from maxmargin.kernels import BoundKernel

if TYPE_CHECKING:
    from maxmargin.estimators._approximate._model import ApproximateModel, Fit

__all__ = ["AUTO", "chosen_number"]

AUTO: Final = "auto"

_FIRST: Final = 64
_MOST: Final = 8192
_HELD: Final = 0.2  # of the rows
_MOST_HELD: Final = 20_000
_NEXT: Final = 5.0  # times as long takes the fit with twice as many landmarks, about, and then comes that of all rows


def chosen_number(model: ApproximateModel, fit: Fit, random: Any) -> tuple[int, NDArray[np.float64]]:
    """The number of landmarks, and a row of number and mean score for each that was tried.

    A fifth of the rows, at most 20 000, are held out. More landmarks are better where the mean of the differences of the rows'
    scores is above its standard error.
    """
    n = fit.data.n
    order = random.permutation(n)
    count = max(1, min(int(_HELD * n), _MOST_HELD))
    held, rest = np.sort(order[:count]), np.sort(order[count:])
    if len(rest) < 2 or not _has_all(fit.target[rest], fit):
        return min(_FIRST, n), np.empty((0, 2))
    weight = fit.data.weight[held] / float(fit.data.weight[held].sum())
    best, tried, number, last = None, [], _FIRST, 0.0
    while True:
        begun = fit.deadline.elapsed()
        scores = _scored(model, fit, number, rest, held, random)
        tried.append((number, float((weight * scores).sum())))
        if best is not None and not _rises(scores - best, weight):
            return number // 2, np.array(tried)
        best, last = scores, fit.deadline.elapsed() - begun
        if 2 * number > min(len(rest), _MOST) or not fit.deadline.has(2.0 * _NEXT * last):
            return number, np.array(tried)
        number *= 2


def _rises(gain: NDArray[np.float64], weight: NDArray[np.float64]) -> bool:
    mean = float((weight * gain).sum())
    error = float(np.sqrt((weight**2 * (gain - mean) ** 2).sum()))
    return mean > error


def _has_all(target: NDArray[Any], fit: Fit) -> bool:
    return fit.factors is None or len(np.unique(target)) == len(fit.factors)


def _scored(
    model: ApproximateModel, fit: Fit, number: int, rest: NDArray[np.intp], held: NDArray[np.intp], random: Any
) -> NDArray[np.float64]:
    """The score of each held-out row by a fit of the others."""
    kernel: BoundKernel = fit.kernel
    rows = fit.rows(rest)
    own = np.ascontiguousarray(rows[:, rest]) if fit.kind is RowKind.PAIRWISE else rows
    map = model._landmarks(kernel, own, number, random, fit.deadline)
    Z = map.features(own, fit.dtype, fit.deadline)
    solutions = model._plan_of_some(Z, fit, rest).solve(warns=False)
    new = fit.rows(held)
    new = np.ascontiguousarray(new[:, rest]) if fit.kind is RowKind.PAIRWISE else new
    coefficients = map.coefficients(np.stack([each.weights for each in solutions]))
    values = map.values(new, coefficients) + np.array([float(each.bias) for each in solutions])
    return model._row_scores(values, fit.target[held], map, new)
