"""Platt's sigmoid: the log-odds of two classes are a straight line in the score."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Self, final

import numpy as np
from numpy.typing import NDArray

from maxmargin.calibrators._base import Calibrator, require_rows, weights_or_ones
from maxmargin.errors import InvalidInput

__all__ = ["Platt", "platt_lines"]

Vector = NDArray[np.float64]
Matrix = NDArray[np.float64]

_MOST_ROUNDS: Final = 100
_FIRST_SLOPE: Final = 2.0  # for scores whose mean square is 1
_SMALL: Final = 1e-7  # of the gradient, for each unit of weight; the last step squares it
_ROUNDING: Final = 1e-14  # of a sum, for each unit of weight
_RIDGE: Final = 1e-12  # keeps the 2 × 2 system regular, as in Lin, Lin and Weng
_ENOUGH: Final = 1e-4  # of the decrease that the slope promises
_MOST_HALVINGS: Final = 30


@final
@dataclass(frozen=True)
class Platt(Calibrator):
    """``P(second class | f) = 1 / (1 + exp(−(slope · f + offset)))``.

    Slope and offset minimise the cross-entropy with the targets ``t = (N₊ + 1)/(N₊ + 2)`` and ``1/(N₋ + 2)`` in place of 1 and
    0, where N are the weights of the two classes: the answer of Bayes' rule under a uniform prior, which keeps the slope
    finite where the scores separate the classes (Platt 1999). Newton's method with backtracking finds them (Lin, Lin and Weng,
    A note on Platt's probabilistic outputs for support vector machines, Machine Learning 68, 2007).

    Attributes
    ----------
    slope, offset : float
        The line of the log-odds. LIBSVM's ``A`` and ``B`` are their negatives.

    Examples
    --------
    >>> import numpy as np
    >>> from maxmargin.calibrators import Platt
    >>> platt = Platt.fit(np.array([-2.0, -1.0, 1.0, 2.0]), np.array([0, 0, 1, 1]))
    >>> platt.probabilities(np.array([0.0])).round(6)
    array([[0.5, 0.5]])
    """

    slope: float
    offset: float

    @classmethod
    def fit(cls, scores: NDArray[np.float64], codes: NDArray[np.intp], weight: Vector | None = None) -> Self:
        """Fit to scores of rows that were held out; see `Calibrator.fit`."""
        require_rows(scores, codes, "Platt")
        if scores.ndim != 1:
            raise InvalidInput(f"Platt needs one score for each row. Got an array of shape {scores.shape}.")
        w = weights_or_ones(weight, len(scores))
        slopes, offsets = platt_lines(scores, codes == 1, w, [len(scores)])
        return cls(float(slopes[0]), float(offsets[0]))

    def log_probabilities(self, scores: NDArray[np.float64]) -> Matrix:
        """See `Calibrator.log_probabilities`."""
        line = self.slope * np.asarray(scores, dtype=np.float64) + self.offset
        return np.stack([-np.logaddexp(0.0, line), -np.logaddexp(0.0, -line)], axis=1)


def platt_lines(scores: Vector, is_second: NDArray[np.bool_], weight: Vector, sizes: Sequence[int]) -> tuple[Vector, Vector]:
    """Slopes and offsets of several sigmoids at once: their rows stand one problem after the other.

    Parameters
    ----------
    scores : ndarray of shape (rows of all problems,)
        The scores.
    is_second : ndarray of bool
        Whether a row is of the class whose probability rises with the score.
    weight : ndarray
        Weight of each row.
    sizes : sequence of int
        How many rows each problem has; at least one.
    """
    begins = np.cumsum([0, *sizes[:-1]])

    def summed(values: Vector) -> Vector:
        return np.asarray(np.add.reduceat(values, begins))

    def spread(values: Vector) -> Vector:
        return np.repeat(values, sizes) if len(sizes) > 1 else values

    mass, many = summed(weight), summed(np.where(is_second, weight, 0.0))
    few = np.maximum(mass - many, 0.0)
    wanted = weight * np.where(is_second, spread((many + 1.0) / (many + 2.0)), spread(1.0 / (few + 2.0)))
    # The scale of the scores is taken out: a slope of 1 is then near what is sought, whatever their unit.
    unit = np.sqrt(summed(weight * scores * scores) / mass)
    unit = np.where((unit > 0.0) & np.isfinite(unit), unit, 1.0)
    z = scores / spread(unit)
    a, b = np.full(len(sizes), _FIRST_SLOPE), np.log((many + 1.0) / (few + 1.0))
    line = spread(a) * z + spread(b)
    small = np.exp(-np.abs(line))
    value = summed(weight * (np.maximum(line, 0.0) + np.log(1.0 + small)) - wanted * line)
    for _ in range(_MOST_ROUNDS):
        p = np.where(line >= 0.0, 1.0, small) / (1.0 + small)
        weighted = weight * p
        slack, curve = weighted - wanted, weighted * (1.0 - p)
        ga, gb = summed(slack * z), summed(slack)
        if bool((np.maximum(np.abs(ga), np.abs(gb)) <= _SMALL * mass).all()):
            break
        bent = curve * z
        haa, hab, hbb = summed(bent * z) + _RIDGE * mass, summed(bent), summed(curve) + _RIDGE * mass
        determinant = haa * hbb - hab * hab
        da, db = (hab * gb - hbb * ga) / determinant, (hab * ga - haa * gb) / determinant
        promised, step = ga * da + gb * db, np.ones(len(sizes))
        for _ in range(_MOST_HALVINGS):
            line = spread(a + step * da) * z + spread(b + step * db)
            small = np.exp(-np.abs(line))
            found = summed(weight * (np.maximum(line, 0.0) + np.log(1.0 + small)) - wanted * line)
            short = ~(found <= value + _ENOUGH * step * promised + _ROUNDING * mass)
            if not short.any():
                break
            step = np.where(short, 0.5 * step, step)
        a, b, value = a + step * da, b + step * db, found
    return a / unit, b
