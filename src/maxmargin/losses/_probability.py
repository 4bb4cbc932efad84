"""From scores to probabilities and back: what logistic regression models."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from maxmargin.errors import InvalidInput

__all__ = ["cross_entropy", "logit", "odds", "sigmoid"]

Vector = NDArray[np.float64]


def sigmoid(f: ArrayLike) -> Vector:
    """``h = 1 / (1 + e^−f)``: the probability whose log-odds are f.

    Examples
    --------
    >>> from maxmargin.losses import sigmoid
    >>> sigmoid([-1000.0, 0.0, 1000.0])
    array([0. , 0.5, 1. ])
    """
    f = np.asarray(f, dtype=np.float64)
    small = np.exp(-np.abs(f))  # never overflows
    return np.asarray(np.where(f >= 0.0, 1.0, small) / (1.0 + small))


def odds(h: ArrayLike) -> Vector:
    """``h / (1 − h)``: how many times likelier than not; infinite at 1.

    Examples
    --------
    >>> from maxmargin.losses import odds
    >>> odds([0.0, 0.5, 0.75])
    array([0., 1., 3.])
    """
    h = _probability(h, "odds")
    with np.errstate(divide="ignore"):
        return np.asarray(h / (1.0 - h))


def logit(h: ArrayLike) -> Vector:
    """``log(h / (1 − h))``, the log-odds: what a linear function models, and the inverse of `sigmoid`.

    Examples
    --------
    >>> from maxmargin.losses import logit, sigmoid
    >>> logit([0.0, 0.5, 1.0]), logit(sigmoid(2.0)).round(12)
    (array([-inf,   0.,  inf]), np.float64(2.0))
    """
    h = _probability(h, "logit")
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(h) - np.log1p(-h))


def cross_entropy(c: ArrayLike, h: ArrayLike) -> float:
    """``−Σ c_k log h_k + (1 − c_k) log(1 − h_k)`` of classes c, 0 or 1, and probabilities h of class 1.

    That is minus the logarithm of the likelihood, the probability that independent trials with these h come out as c: what
    minimises the one maximises the other. With ``h = sigmoid(f)`` it is the sum of the logistic loss of the margins,
    ``log(1 + e^−yf)`` with ``y = 2c − 1``.

    Examples
    --------
    >>> from maxmargin.losses import cross_entropy
    >>> round(cross_entropy([1, 0], [0.5, 0.25]), 6), cross_entropy([1, 0], [1.0, 0.0])
    (0.980829, 0.0)
    """
    h = _probability(h, "cross_entropy")
    given = np.asarray(c, dtype=np.float64)
    if given.shape != h.shape or not np.isin(given, (0.0, 1.0)).all():
        raise InvalidInput(
            f"cross_entropy needs one class, 0 or 1, for each of {h.size} probabilities. Got {given.size} of"
            f" {np.unique(given)[:5].tolist()}."
        )
    with np.errstate(divide="ignore"):
        return 0.0 - float(np.sum(np.where(given == 1.0, np.log(h), np.log1p(-h))))


def _probability(h: ArrayLike, owner: str) -> Vector:
    h = np.asarray(h, dtype=np.float64)
    outside = h[~((h >= 0.0) & (h <= 1.0))]
    if outside.size:
        raise InvalidInput(f"{owner} is of probabilities, between 0 and 1. Got {outside.flat[0]}.")
    return h
