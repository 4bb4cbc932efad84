"""What all rows of some blocks are together, and what labels and weights of a block are to a solver."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, Final, Self, final

import numpy as np
from numpy.typing import NDArray

from maxmargin.errors import InvalidInput
from maxmargin.losses import Loss
from maxmargin.validation import encode, label_column, target_column

__all__ = ["ClassCoding", "ClassTotals", "Coding", "TargetCoding", "TargetTotals", "Totals", "weight_sums"]

Vector = NDArray[np.float64]
Kept = NDArray[np.intp] | None
_SOME: Final = 128  # targets of a block, of which the median is taken


class Totals(ABC):
    """What all rows of some blocks are together; those of two neighbours add up."""

    @classmethod
    @abstractmethod
    def of(cls, y: Any, X: Any, weights: Vector | None, kept: Kept) -> Self:
        """Of a block.

        Parameters
        ----------
        y : array-like
            Labels or targets of all its rows.
        X : rows
            All of them.
        weights : ndarray or None
            Of the rows that are kept; None where all are 1.
        kept : ndarray of intp or None
            Rows with a positive weight; None where these are all.
        """

    @abstractmethod
    def __add__(self, other: Self) -> Self: ...


@final
@dataclass(frozen=True, eq=False)
class ClassTotals(Totals):
    """Class by class.

    Attributes
    ----------
    classes : ndarray
        The labels, sorted.
    weight : ndarray
        Sum of the sample weights of each; made by `weight_sums` of each block, along the tree over block numbers.
    n : int
        Rows with a positive weight.
    """

    classes: NDArray[Any]
    weight: Vector
    n: int

    @classmethod
    def of(cls, y: Any, X: Any, weights: Vector | None, kept: Kept) -> Self:
        labels = label_column(y, X)
        classes, codes = encode(labels if kept is None else labels[kept])
        return cls(classes, weight_sums(codes, weights, len(classes)), len(codes))

    def __add__(self, other: Self) -> Self:
        if not len(self.classes) or not len(other.classes):
            return self if len(self.classes) else other
        if _is_text(self.classes) != _is_text(other.classes):
            raise InvalidInput(
                f"labels of dtype {other.classes.dtype}, and those before it {self.classes.dtype}. Labels must be of one type."
            )
        classes = np.union1d(self.classes, other.classes)
        weight = np.zeros(len(classes))
        for each in (self, other):
            weight[np.searchsorted(classes, each.classes)] += each.weight
        return type(self)(classes, weight, self.n + other.n)


@final
@dataclass(frozen=True, eq=False)
class TargetTotals(Totals):
    """Of a regression.

    Attributes
    ----------
    n : int
        Rows with a positive weight.
    weight, least, most : float
        Sum of their weights, and the smallest and the largest.
    low, high, total : float
        The smallest and the largest target, and their sum.
    some : ndarray
        Targets of evenly spaced rows of each block.
    """

    n: int
    weight: float
    least: float
    most: float
    low: float
    high: float
    total: float
    some: Vector

    @classmethod
    def of(cls, y: Any, X: Any, weights: Vector | None, kept: Kept) -> Self:
        targets = target_column(y, X)
        targets = targets if kept is None else targets[kept]
        n = len(targets)
        if n == 0:
            return cls(0, 0.0, math.inf, -math.inf, math.inf, -math.inf, 0.0, targets)
        weight = (float(n), 1.0, 1.0) if weights is None else (float(weights.sum()), float(weights.min()), float(weights.max()))
        some = targets[:: -(-n // _SOME)].copy()
        with np.errstate(over="ignore"):
            return cls(n, *weight, float(targets.min()), float(targets.max()), float(targets.sum()), some)

    def __add__(self, other: Self) -> Self:
        return type(self)(
            self.n + other.n,
            self.weight + other.weight,
            min(self.least, other.least),
            max(self.most, other.most),
            min(self.low, other.low),
            max(self.high, other.high),
            self.total + other.total,
            np.concatenate([self.some, other.some]),
        )

    @property
    def mean(self) -> float:
        """The mean of the targets."""
        return self.total / self.n

    @property
    def reach(self) -> float:
        """The largest distance of a target from their mean."""
        return max(self.high - self.mean, self.mean - self.low)

    @property
    def size(self) -> float:
        """The largest ``|y_i|``."""
        return max(abs(self.low), abs(self.high))

    @property
    def median(self) -> float:
        """The median of some of them."""
        return float(np.median(self.some))


class Coding(ABC):
    """What labels and weights of a block are to a solver; small, so that it can be sent to whoever has the block."""

    @abstractmethod
    def of(self, y: Any, X: Any, weights: Vector | None, kept: Kept) -> tuple[NDArray[Any], Vector]:
        """Numbers of classes, or targets, and ``C_i`` of the rows that are kept; see `Totals.of`."""


@final
@dataclass(frozen=True, eq=False)
class ClassCoding(Coding):
    """Numbers of classes.

    Attributes
    ----------
    classes : ndarray
        The labels, sorted.
    by_class : ndarray
        What a row of each class costs.
    """

    classes: NDArray[Any]
    by_class: Vector

    def of(self, y: Any, X: Any, weights: Vector | None, kept: Kept) -> tuple[NDArray[Any], Vector]:
        labels = label_column(y, X)
        labels = labels if kept is None else labels[kept]
        codes = np.minimum(np.searchsorted(self.classes, labels), len(self.classes) - 1)
        if not bool((self.classes[codes] == labels).all()):
            raise InvalidInput("it has labels now that it had not in the first pass. Its blocks must be the same in each pass.")
        cost = self.by_class[codes]
        return codes.astype(np.min_scalar_type(len(self.classes) - 1)), np.ascontiguousarray(
            cost if weights is None else cost * weights
        )


@final
@dataclass(frozen=True, eq=False)
class TargetCoding(Coding):
    """Targets as they are.

    Attributes
    ----------
    C : float
        What a row of weight 1 costs.
    """

    C: float

    def of(self, y: Any, X: Any, weights: Vector | None, kept: Kept) -> tuple[NDArray[Any], Vector]:
        targets = target_column(y, X)
        targets = targets if kept is None else targets[kept]
        return targets, np.full(len(targets), self.C) if weights is None else self.C * weights

    def deviations(self, targets: Vector, cost: Vector, about: float, loss: Loss) -> Vector:
        """``Σ |y_i − about|``, and what all scores 0 cost."""
        return np.array([float(np.abs(targets - about).sum()), float((cost * loss.value(targets)).sum())])


def weight_sums(codes: NDArray[Any], weights: Vector | None, n_classes: int) -> Vector:
    """The weights of some rows, summed by class."""
    own = None if weights is None else np.maximum(weights, 0.0)
    return np.bincount(codes, weights=own, minlength=n_classes).astype(np.float64)


def _is_text(labels: NDArray[Any]) -> bool:
    return labels.dtype.kind in "OSU"
