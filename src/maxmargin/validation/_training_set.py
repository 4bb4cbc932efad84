"""One frozen record of validated training data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from maxmargin.errors import InvalidInput
from maxmargin.validation._arrays import feature_matrix, length, object_rows, shape, take_rows
from maxmargin.validation._labels import encode, label_column
from maxmargin.validation._weights import positive_weights

__all__ = ["TrainingSet", "labelled_set", "training_set"]


@final
@dataclass(frozen=True, eq=False)
class TrainingSet:
    """Rows, labels and weights, ready for the rooms behind the porch.

    Attributes
    ----------
    X : ndarray, CSR matrix or sequence of objects
        The rows with a positive weight; of a precomputed kernel these rows and columns.
    codes : ndarray of intp, shape (n,)
        Class index of each row.
    classes : ndarray of shape (K,)
        The labels, sorted.
    weight : ndarray of float64, shape (n,)
        Positive sample weights.
    kept : ndarray of intp or None
        Which of the caller's rows these are; None if all.
    weighted : bool
        Whether the caller gave weights.
    """

    X: Any
    codes: NDArray[np.intp]
    classes: NDArray[Any]
    weight: NDArray[np.float64]
    kept: NDArray[np.intp] | None
    weighted: bool

    @property
    def n(self) -> int:
        """Number of rows."""
        return len(self.codes)

    @property
    def sample_weight(self) -> NDArray[np.float64] | None:
        """The weights, or None if all rows count the same."""
        return self.weight if self.weighted else None

    @property
    def y(self) -> NDArray[np.float64]:
        """Labels of two classes as −1 and +1; the class that sorts last is +1."""
        if len(self.classes) != 2:
            raise InvalidInput(f"Labels −1 and +1 need two classes. Got {len(self.classes)}.")
        return np.where(self.codes == 1, 1.0, -1.0)


def training_set(X: Any, y: Any, sample_weight: Any = None, *, pairwise: bool = False, objects: bool = False) -> TrainingSet:
    """Validate the data of a two-class problem.

    Parameters
    ----------
    X : array-like, sparse matrix or sequence of objects
        The rows; a square kernel matrix if ``pairwise``.
    y : array-like of shape (n,)
        Labels of two classes, of any type that sorts.
    sample_weight : array-like of shape (n,), optional
        Weight of each row; rows with a weight of zero or less are dropped.
    pairwise, objects : bool
        X is a kernel matrix; the rows of X are opaque.

    Raises
    ------
    InvalidInput
        What was wrong, what was got, and what to do; in scikit-learn's words where it has them.
    """
    rows = object_rows(X) if objects else feature_matrix(X, pairwise=pairwise)
    data = labelled_set(rows, label_column(y, rows), sample_weight, pairwise=pairwise)
    if len(data.classes) != 2:
        raise InvalidInput(
            f"Expected labels of two classes, got {len(data.classes)}: {data.classes[:5].tolist()}."
            " For more classes use maxmargin.SVC, which trains a machine for each pair."
        )
    return data


def labelled_set(X: Any, y: NDArray[Any], sample_weight: Any = None, *, pairwise: bool = False) -> TrainingSet:
    """Put validated rows and labels of two or more classes together, without the rows of no weight."""
    weight, kept = positive_weights(sample_weight, length(X), shape(X))
    if kept is not None:
        X, y_kept = take_rows(X, kept), y[kept]
        if pairwise:
            X = np.ascontiguousarray(X[:, kept])
    else:
        y_kept = y
    classes, codes = encode(y_kept)
    if len(classes) < 2:
        raise _one_class(y, kept)
    return TrainingSet(X, codes, classes, weight, kept, weighted=sample_weight is not None)


def _one_class(y: NDArray[Any], kept: NDArray[np.intp] | None) -> InvalidInput:
    if kept is not None and len(encode(y)[0]) > 1:
        return InvalidInput("Invalid input - all samples with positive weights belong to the same class.")
    return InvalidInput("The number of classes has to be greater than one; got 1 class. Add rows of another class to y.")
