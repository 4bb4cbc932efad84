"""What a calibrator is: a map from scores to probabilities, fitted to scores of rows that their model did not see."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Self

import numpy as np
from numpy.typing import NDArray

from maxmargin.errors import InvalidInput

__all__ = ["Calibrator", "log_of", "normalised"]

Vector = NDArray[np.float64]
Matrix = NDArray[np.float64]


class Calibrator(ABC):
    """Probabilities of K classes from scores; a frozen record of its numbers."""

    @classmethod
    @abstractmethod
    def fit(cls, scores: NDArray[np.float64], codes: NDArray[np.intp], weight: Vector | None = None) -> Self:
        """Fit to scores of rows that were held out.

        Parameters
        ----------
        scores : ndarray of shape (n,), (n, K) or (n, pairs)
            Scores: for two classes one for each row.
        codes : ndarray of intp, shape (n,)
            Class of each row, from 0.
        weight : ndarray of shape (n,), optional
            Weight of each row: 2 counts it twice.
        """

    @abstractmethod
    def log_probabilities(self, scores: NDArray[np.float64]) -> Matrix:
        """Logarithms of the probabilities, shape (m, K): finite or −∞, and exact also where a probability underflows."""

    def probabilities(self, scores: NDArray[np.float64]) -> Matrix:
        """Probabilities of each class, shape (m, K); each row sums to 1 but for rounding."""
        return np.asarray(np.exp(self.log_probabilities(scores)))


def weights_or_ones(weight: Vector | None, n: int) -> Vector:
    """Weights of n rows."""
    return np.ones(n) if weight is None else np.asarray(weight, dtype=np.float64)


def require_rows(scores: NDArray[np.float64], codes: NDArray[np.intp], owner: str) -> None:
    """Raise unless there is one finite score, or one row of them, for each class code."""
    if len(scores) != len(codes) or not len(codes):
        raise InvalidInput(f"{owner} needs scores of some rows, and the class of each. Got {len(scores)} and {len(codes)}.")
    if not np.isfinite(scores).all():
        raise InvalidInput(f"{owner} needs finite scores. Got NaN or infinity: scale the features of the model.")


def log_sums(values: NDArray[np.float64], axis: int) -> NDArray[np.float64]:
    """``log Σ e^v`` along an axis, without overflow."""
    largest = values.max(axis=axis, keepdims=True)
    largest = np.where(np.isfinite(largest), largest, 0.0)
    with np.errstate(divide="ignore"):
        return np.asarray(np.squeeze(largest, axis) + np.log(np.exp(values - largest).sum(axis=axis)))


def normalised(values: Matrix) -> Matrix:
    """``v − log Σ e^v`` of each row: the logarithms of probabilities that sum to 1."""
    return np.asarray(values - log_sums(values, 1)[:, np.newaxis])


def log_of(probabilities: Matrix) -> Matrix:
    """Logarithms; −∞ of 0."""
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(probabilities))
