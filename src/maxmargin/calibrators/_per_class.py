"""A calibrator for each class against the rest, made to sum to 1: scikit-learn's way."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import Self, final

import numpy as np
from numpy.typing import NDArray

from maxmargin.calibrators._base import Calibrator, log_of, normalised, require_rows, weights_or_ones
from maxmargin.calibrators._platt import platt_lines

__all__ = ["Isotonic", "Sigmoids"]

Vector = NDArray[np.float64]
Matrix = NDArray[np.float64]


@final
@dataclass(frozen=True, eq=False)
class Sigmoids(Calibrator):
    """Platt's sigmoid for each class against the rest, divided by their sum (Zadrozny and Elkan, KDD 2002).

    Attributes
    ----------
    slopes, offsets : ndarray of shape (K,)
        The line of the log-odds of each class.

    Examples
    --------
    >>> import numpy as np
    >>> from maxmargin.calibrators import Sigmoids
    >>> codes = np.repeat([0, 1, 2], 4)
    >>> Sigmoids.fit(np.eye(3)[codes], codes).probabilities(np.eye(3)).argmax(axis=1)
    array([0, 1, 2])
    """

    slopes: Vector
    offsets: Vector

    @classmethod
    def fit(cls, scores: NDArray[np.float64], codes: NDArray[np.intp], weight: Vector | None = None) -> Self:
        """Fit to scores of rows that were held out; see `Calibrator.fit`."""
        require_rows(scores, codes, "Sigmoids")
        n, classes = scores.shape
        own = np.arange(classes)[:, np.newaxis] == codes
        w = np.tile(weights_or_ones(weight, n), classes)
        return cls(*platt_lines(scores.T.ravel(), own.ravel(), w, [n] * classes))

    def log_probabilities(self, scores: NDArray[np.float64]) -> Matrix:
        """See `Calibrator.log_probabilities`."""
        return normalised(-np.logaddexp(0.0, -(np.asarray(scores, dtype=np.float64) * self.slopes + self.offsets)))


@final
@dataclass(frozen=True, eq=False)
class Isotonic(Calibrator):
    """A non-decreasing, piecewise linear function of the score for each class against the rest, divided by their sum.

    Each is scikit-learn's ``IsotonicRegression`` with values in [0, 1], constant beyond the scores it has seen (Zadrozny and
    Elkan, KDD 2002). Where all of them are 0, the probabilities are equal. For two classes there is one function, of the
    second.

    Attributes
    ----------
    knots, heights : tuple of ndarray
        Where each function bends, and its values there.

    Examples
    --------
    >>> import numpy as np
    >>> from maxmargin.calibrators import Isotonic
    >>> isotonic = Isotonic.fit(np.array([-2.0, -1.0, 1.0, 2.0]), np.array([0, 1, 0, 1]))
    >>> isotonic.probabilities(np.array([0.0, 2.0]))[:, 1]
    array([0.5, 1. ])
    """

    knots: tuple[Vector, ...]
    heights: tuple[Vector, ...]

    @classmethod
    def fit(cls, scores: NDArray[np.float64], codes: NDArray[np.intp], weight: Vector | None = None) -> Self:
        """Fit to scores of rows that were held out; see `Calibrator.fit`."""
        require_rows(scores, codes, "Isotonic")
        columns = scores[:, np.newaxis] if scores.ndim == 1 else scores
        positive = [1] if columns.shape[1] == 1 else list(range(columns.shape[1]))
        regression = import_module("sklearn.isotonic").IsotonicRegression  # half a percent of the import of all
        knots, heights = [], []
        for place, of_class in enumerate(positive):
            rising = regression(y_min=0.0, y_max=1.0, out_of_bounds="clip")
            rising.fit(columns[:, place], (codes == of_class).astype(np.float64), sample_weight=weight)
            knots.append(np.asarray(rising.X_thresholds_, dtype=np.float64))
            heights.append(np.asarray(rising.y_thresholds_, dtype=np.float64))
        return cls(tuple(knots), tuple(heights))

    def probabilities(self, scores: NDArray[np.float64]) -> Matrix:
        """See `Calibrator.probabilities`."""
        columns = scores[:, np.newaxis] if scores.ndim == 1 else scores
        each = [np.interp(columns[:, place], *line) for place, line in enumerate(zip(self.knots, self.heights, strict=True))]
        if len(each) == 1:
            return np.stack([1.0 - each[0], each[0]], axis=1)
        found = np.stack(each, axis=1)
        total = found.sum(axis=1, keepdims=True)
        return np.asarray(np.where(total > 0.0, found, 1.0) / np.where(total > 0.0, total, found.shape[1]))

    def log_probabilities(self, scores: NDArray[np.float64]) -> Matrix:
        """See `Calibrator.log_probabilities`."""
        return log_of(self.probabilities(scores))
