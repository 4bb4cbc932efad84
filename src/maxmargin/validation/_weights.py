"""Sample weights and class weights.

A weight of 2 is the row twice, a weight of 0 or less is the row absent: wherever a row counts, its weight
counts.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import assert_all_finite

from maxmargin.errors import InvalidInput
from maxmargin.validation._parameters import reject
from maxmargin.validation._wording import as_invalid_input

__all__ = ["balanced_weights", "class_weights", "positive_weights"]


def positive_weights(sample_weight: Any, n: int, shape: tuple[int, ...]) -> tuple[NDArray[np.float64], NDArray[np.intp] | None]:
    """Return the positive weights and the rows they belong to.

    Parameters
    ----------
    sample_weight : array-like of shape (n,), number or None
        None is a weight of 1 for each row.
    n : int
        Number of rows.
    shape : tuple of int
        Shape of X, for the message.

    Returns
    -------
    weight : ndarray
        Weights of the rows that are kept.
    kept : ndarray of intp or None
        The rows with a positive weight; None if these are all.
    """
    if sample_weight is None:
        return np.ones(n), None
    try:
        weight = np.asarray(sample_weight, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        raise InvalidInput(
            f"sample_weight must hold one number for each row. Got a {type(sample_weight).__name__} that does not."
        ) from None
    if weight.ndim == 0:
        weight = np.full(n, float(weight))
    if weight.shape != (n,):
        raise InvalidInput(
            f"sample_weight and X have incompatible shapes: {weight.shape} vs {shape}."
            f" Pass one weight for each row: shape ({n},)."
        )
    with as_invalid_input():
        assert_all_finite(weight, input_name="sample_weight")
    positive = weight > 0.0
    if positive.all():
        return weight, None
    kept = np.flatnonzero(positive)
    if len(kept) == 0:
        raise InvalidInput("Invalid input - all samples have zero or negative weights. Give rows a positive sample_weight.")
    return weight[kept], kept


def class_weights(
    class_weight: Any, classes: NDArray[Any], codes: NDArray[np.intp], weight: NDArray[np.float64], owner: str
) -> NDArray[np.float64]:
    """Return one positive factor of C for each class.

    Parameters
    ----------
    class_weight : "balanced", mapping from label to number, or None
        As in scikit-learn; a class that the mapping leaves out has weight 1.
    classes, codes : ndarray
        The classes and the class index of each row.
    weight : ndarray
        Sample weights, which "balanced" counts.
    owner : str
        Name of the estimator, for the message.
    """
    if class_weight is None:
        return np.ones(len(classes))
    if isinstance(class_weight, str):
        if class_weight != "balanced":
            raise _not_class_weight(class_weight, owner)
        return balanced_weights(codes, weight)
    if not isinstance(class_weight, Mapping):
        raise _not_class_weight(class_weight, owner)
    factors = np.ones(len(classes))
    known = 0
    labels = list(classes) if classes.dtype.kind in "mM" else classes.tolist()  # which makes numbers of some dates
    for index, label in enumerate(labels):
        if label in class_weight:
            try:
                factors[index] = class_weight[label]
            except (TypeError, ValueError, OverflowError):
                raise _not_positive(class_weight, owner) from None
            known += 1
    if known < len(class_weight) and known < len(classes):
        missing = [label for label in labels if label not in class_weight]
        raise InvalidInput(f"The classes, {missing}, are not in class_weight. Got {class_weight!r}.")
    if not (np.isfinite(factors).all() and factors.min() > 0.0):
        raise _not_positive(class_weight, owner)
    return factors


def _not_positive(class_weight: Any, owner: str) -> InvalidInput:
    return reject(
        "class_weight", class_weight, owner, "a dict of positive, finite numbers (to leave a class out, drop its rows)"
    )


def balanced_weights(codes: NDArray[np.intp], weight: NDArray[np.float64]) -> NDArray[np.float64]:
    """``W / (K W_k)`` with ``W_k`` the total weight of class k: every class gets the same total.

    King and Zeng, Logistic regression in rare events data, 2001.
    """
    totals = np.bincount(codes, weights=weight)
    return np.asarray(totals.sum() / (len(totals) * totals))


def _not_class_weight(value: object, owner: str) -> InvalidInput:
    return reject("class_weight", value, owner, "a str among {'balanced'}, an instance of 'dict' or None")
