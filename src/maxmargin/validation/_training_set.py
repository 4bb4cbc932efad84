"""One frozen record of validated training data."""

from __future__ import annotations

from abc import ABC
from dataclasses import dataclass
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from maxmargin.errors import InvalidInput
from maxmargin.validation._arrays import feature_matrix, length, object_rows, shape, take_rows
from maxmargin.validation._labels import encode, label_column
from maxmargin.validation._weights import positive_weights

__all__ = ["TrainingSet", "WeightedRows", "labelled_set", "training_set", "weighted_rows"]


@dataclass(frozen=True, eq=False)
class _Rows(ABC):
    """Rows and weights, ready for the rooms behind the porch.

    Attributes
    ----------
    X : ndarray, CSR matrix or sequence of objects
        The rows with a positive weight; for a precomputed kernel these rows and columns.
    weight : ndarray of float64, shape (n,)
        Positive sample weights.
    kept : ndarray of intp or None
        Which of the caller's rows these are; None if all.
    weighted : bool
        Whether the caller gave weights.
    """

    X: Any
    weight: NDArray[np.float64]
    kept: NDArray[np.intp] | None
    weighted: bool

    @property
    def n(self) -> int:
        """Number of rows."""
        return len(self.weight)

    @property
    def sample_weight(self) -> NDArray[np.float64] | None:
        """The weights, or None if all rows count the same."""
        return self.weight if self.weighted else None

    def of_kept_rows(self, rows: NDArray[np.intp]) -> NDArray[np.intp]:
        """The caller's numbers of rows that are kept."""
        return rows if self.kept is None else self.kept[rows]

    def of_kept(self, values: NDArray[Any]) -> NDArray[Any]:
        """Values of the rows that are kept, from those of all rows."""
        return values if self.kept is None else values[self.kept]


@final
@dataclass(frozen=True, eq=False)
class WeightedRows(_Rows):
    """Rows and weights alone."""


@final
@dataclass(frozen=True, eq=False)
class TrainingSet(_Rows):
    """Rows, weights and labels.

    Attributes
    ----------
    codes : ndarray of intp, shape (n,)
        Class index of each row.
    classes : ndarray of shape (K,)
        The labels, sorted.
    """

    codes: NDArray[np.intp]
    classes: NDArray[Any]

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
            " For more classes use maxmargin.SVC, which trains a subproblem for each pair."
        )
    return data


def weighted_rows(X: Any, sample_weight: Any = None, *, pairwise: bool = False) -> WeightedRows:
    """Put validated rows and their weights together, without the rows of no weight."""
    weight, kept = positive_weights(sample_weight, length(X), shape(X))
    if kept is not None:
        X = take_rows(X, kept)
        if pairwise:
            X = np.ascontiguousarray(X[:, kept])
    return WeightedRows(X, weight, kept, sample_weight is not None)


def labelled_set(
    X: Any, y: NDArray[Any], sample_weight: Any = None, *, pairwise: bool = False, one_class: str = "Invalid input - "
) -> TrainingSet:
    """Put validated rows and labels of two or more classes together, without the rows of no weight.

    ``one_class`` is how the message begins where weights leave rows of one class only.
    """
    rows = weighted_rows(X, sample_weight, pairwise=pairwise)
    classes, codes = encode(rows.of_kept(y))
    if len(classes) < 2:
        raise _one_class(y, rows.kept, one_class)
    return TrainingSet(rows.X, rows.weight, rows.kept, rows.weighted, codes, classes)


def _one_class(y: NDArray[Any], kept: NDArray[np.intp] | None, begin: str) -> InvalidInput:
    if kept is not None and len(encode(y)[0]) > 1:
        return InvalidInput(
            f"{begin}all samples with positive weights belong to the same class. Give rows of another class a positive"
            " sample_weight."
        )
    return InvalidInput("The number of classes has to be greater than one; got 1 class. Add rows of another class to y.")
