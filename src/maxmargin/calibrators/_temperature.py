"""One scale for the scores of all classes, and their softmax."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Self, final

import numpy as np
from numpy.typing import NDArray

from maxmargin.calibrators._base import Calibrator, normalised, require_rows, weights_or_ones
from maxmargin.errors import InvalidInput

__all__ = ["Temperature"]

Vector = NDArray[np.float64]
Matrix = NDArray[np.float64]

_MOST_ROUNDS: Final = 100
_LAST: Final = 1e-10


@final
@dataclass(frozen=True)
class Temperature(Calibrator):
    """``P(k | f) ∝ exp(scale · f_k)``: softmax at the temperature ``1 / scale``.

    The scale maximises the likelihood of the rows and of one row more, whose classes are equally likely and whose scores are
    as far apart as those of the others are on average: where the scores tell all classes apart, it stays finite. The likelihood
    is concave in the scale; Newton's method inside a bracket finds it (Guo, Pleiss, Sun and Weinberger, On calibration of
    modern neural networks, ICML 2017).

    Attributes
    ----------
    scale : float
        One over the temperature; not negative.

    Examples
    --------
    >>> import numpy as np
    >>> from maxmargin.calibrators import Temperature
    >>> scores = np.array([[2.0, 0.0, 0.0], [0.0, 2.0, 0.0], [0.0, 0.0, 2.0], [0.0, 1.0, 0.0]])
    >>> temperature = Temperature.fit(scores, np.array([0, 1, 2, 0]))
    >>> bool(temperature.probabilities(scores)[0].argmax() == 0)
    True
    """

    scale: float

    @classmethod
    def fit(cls, scores: NDArray[np.float64], codes: NDArray[np.intp], weight: Vector | None = None) -> Self:
        """Fit to scores of rows that were held out; see `Calibrator.fit`."""
        require_rows(scores, codes, "Temperature")
        if scores.ndim != 2 or scores.shape[1] < 2:
            raise InvalidInput(f"Temperature needs a score for each class of each row. Got an array of shape {scores.shape}.")
        w = weights_or_ones(weight, len(scores))
        # Only differences to the score of the own class count.
        apart = scores - scores[np.arange(len(codes)), codes][:, np.newaxis]
        typical = float(np.average(np.abs(apart).sum(axis=1), weights=w)) / (scores.shape[1] - 1)
        if not typical > 0.0:
            return cls(0.0)
        return cls(_scale(apart / typical, w) / typical)

    def log_probabilities(self, scores: NDArray[np.float64]) -> Matrix:
        """See `Calibrator.log_probabilities`."""
        return normalised(self.scale * np.asarray(scores, dtype=np.float64))


def _scale(apart: Matrix, weight: Vector) -> float:
    """The minimum over ``t ≥ 0`` of ``Σ w log Σ exp(t apart)`` and of the row that keeps it finite."""
    classes, across = apart.shape[1], np.ascontiguousarray(apart.T)  # sums over few classes are quick down the columns

    def slopes(t: float) -> tuple[float, float]:
        raised = t * across
        p = np.exp(raised - raised.max(axis=0))
        p /= p.sum(axis=0)
        p *= across
        first = p.sum(axis=0)
        second = (p * across).sum(axis=0) - first * first
        # the added row: one class a unit above the others, all equally likely
        own = 1.0 / (1.0 + (classes - 1) * np.exp(-t))
        return float(weight @ first) + own - 1.0 / classes, float(weight @ second) + own * (1.0 - own)

    low, high, t = 0.0, 1.0, 1.0
    if slopes(0.0)[0] >= 0.0:  # the scores speak against their classes
        return 0.0
    while slopes(high)[0] < 0.0 and high < 1e12:
        low, high = high, 4.0 * high
    t = min(max(t, low), high)
    for _ in range(_MOST_ROUNDS):
        first, second = slopes(t)
        low, high = (low, t) if first > 0.0 else (t, high)
        newton = t - first / second if second > 0.0 else np.inf
        if abs(newton - t) <= _LAST * max(t, 1.0):  # near the end rounding may put it outside of the bracket
            return float(newton)
        after = newton if low < newton < high else 0.5 * (low + high)
        if abs(after - t) <= _LAST * max(t, 1.0):
            return float(after)
        t = after
    return float(t)
