"""Probabilities of K classes from the scores of their pairs."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import combinations
from typing import Self, final

import numpy as np
from numpy.typing import NDArray

from maxmargin.calibrators._base import Calibrator, normalised, require_rows, weights_or_ones
from maxmargin.calibrators._platt import platt_lines
from maxmargin.calibrators._temperature import Temperature
from maxmargin.errors import InvalidInput

__all__ = ["Pairs"]

Vector = NDArray[np.float64]
Matrix = NDArray[np.float64]


@final
@dataclass(frozen=True, eq=False)
class Pairs(Calibrator):
    """Platt's sigmoid for each pair of classes, coupled, and a temperature for all.

    The sigmoid of the pair (i, j) estimates ``r_ij = P(i | i or j)`` from the rows of these two classes. If the ``r_ij`` agree
    with each other, ``P(k) = 1 / (Σ_j 1/r_kj − (K − 2)) = 1 / (1 + Σ_j exp(−l_kj))`` with the log-odds ``l_kj`` (Price, Knerr,
    Personnaz and Dreyfus, Pairwise neural network classifiers with probabilistic outputs, NIPS 1994). Each sigmoid sees few
    rows, and its prior makes it cautious, so `Temperature` then sets the scale of the logarithms of these ``P(k)`` by the
    rows of all classes.

    Attributes
    ----------
    slopes, offsets : ndarray of shape (K (K − 1) / 2,)
        The lines of the log-odds of i against j, in the order (0, 1), (0, 2), …, (1, 2), …
    scale : float
        One over the temperature.

    Examples
    --------
    >>> import numpy as np
    >>> from maxmargin.calibrators import Pairs
    >>> codes = np.repeat([0, 1, 2], 5)
    >>> scores = np.array([[1.0, 1.0, 0.0], [-1.0, 0.0, 1.0], [0.0, -1.0, -1.0]])[codes]
    >>> Pairs.fit(scores, codes).probabilities(scores)[::5].argmax(axis=1)
    array([0, 1, 2])
    """

    slopes: Vector
    offsets: Vector
    scale: float

    @classmethod
    def fit(cls, scores: NDArray[np.float64], codes: NDArray[np.intp], weight: Vector | None = None) -> Self:
        """Fit to scores of rows that were held out; see `Calibrator.fit`."""
        require_rows(scores, codes, "Pairs")
        classes = _classes(scores.shape[1]) if scores.ndim == 2 else 0
        if not classes or scores.shape[1] != classes * (classes - 1) // 2 or int(codes.max()) >= classes:
            classes = int(codes.max()) + 1
            raise InvalidInput(f"Pairs needs a score for each pair of {classes} classes. Got an array of shape {scores.shape}.")
        w = weights_or_ones(weight, len(scores))
        members = [np.flatnonzero(codes == k) for k in range(classes)]
        pairs = list(combinations(range(classes), 2))
        rows = np.concatenate([np.concatenate([members[i], members[j]]) for i, j in pairs])
        sizes = [len(members[i]) + len(members[j]) for i, j in pairs]
        place = np.repeat(np.arange(len(pairs)), sizes)
        first = codes[rows] == np.array(pairs)[place, 0]
        # of a pair without rows nothing is known
        slopes, offsets, known = np.ones(len(pairs)), np.zeros(len(pairs)), np.array(sizes) > 0
        slopes[known], offsets[known] = platt_lines(scores[rows, place], first, w[rows], [size for size in sizes if size])
        plain = cls(slopes, offsets, 1.0)
        return cls(slopes, offsets, Temperature.fit(plain._coupled(scores), codes, w).scale)

    def log_probabilities(self, scores: NDArray[np.float64]) -> Matrix:
        """See `Calibrator.log_probabilities`."""
        return normalised(self.scale * self._coupled(np.asarray(scores, dtype=np.float64)))

    def _coupled(self, scores: Matrix) -> Matrix:
        """``−log(1 + Σ_j exp(−l_kj))`` of each class k, shape (m, K)."""
        classes = _classes(len(self.slopes))
        # beyond e^±700 the sum of many is still a number
        odds = np.exp(np.clip(scores.T * self.slopes[:, np.newaxis] + self.offsets[:, np.newaxis], -700.0, 700.0))
        against, sums = 1.0 / odds, np.ones((classes, len(scores)))
        for place, (i, j) in enumerate(combinations(range(classes), 2)):
            sums[i] += against[place]
            sums[j] += odds[place]
        return np.ascontiguousarray(-np.log(sums).T)


def _classes(pairs: int) -> int:
    """K from K (K − 1) / 2."""
    return round(0.5 + math.sqrt(0.25 + 2.0 * pairs))
