"""What tasks are asked, and some of what they answer: small frozen objects."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, final

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from maxmargin.estimators import Coding, TargetCoding, Totals
from maxmargin.losses import Loss
from maxmargin.solvers import Question

__all__ = [
    "CodeOrder",
    "DeviationOrder",
    "Features",
    "LookOrder",
    "RoundOrder",
    "Score",
    "ScoreOrder",
    "Some",
    "SomeOrder",
]

Vector = NDArray[np.float64]


@final
@dataclass(frozen=True, eq=False)
class LookOrder:
    """What a first look needs: names for messages, the width if it is known, and what is to be known of labels or targets."""

    name: str
    columns: int | None
    kind: type[Totals]


@final
@dataclass(frozen=True, eq=False)
class SomeOrder:
    """Every so many-th row of all; the first rows of blocks have these numbers."""

    name: str
    columns: int
    step: int
    begins: tuple[int, ...]


@final
@dataclass(frozen=True, eq=False)
class DeviationOrder:
    """What `TargetCoding.deviations` takes."""

    name: str
    coding: TargetCoding
    about: float
    loss: Loss


@final
@dataclass(frozen=True, eq=False)
class CodeOrder:
    """How labels and weights are read, and a name for messages."""

    name: str
    coding: Coding


@final
@dataclass(frozen=True, eq=False)
class RoundOrder:
    """What a round asks of every block.

    Attributes
    ----------
    name : str
        What messages call X.
    columns : int
        Columns of a block.
    questions : sequence of Question
        Each is answered by `Sums`.
    """

    name: str
    columns: int
    questions: Sequence[Question]


@final
@dataclass(frozen=True, eq=False)
class ScoreOrder:
    """What a score needs: a fitted model, and a name for messages."""

    name: str
    model: Any


@final
@dataclass(frozen=True, eq=False)
class Features:
    """A map of rows, which comes to a worker once.

    Attributes
    ----------
    map : LandmarkMap
        Makes them.
    dtype : dtype
        What they are stored as.
    """

    map: Any
    dtype: Any

    def of(self, X: Any) -> Any:
        """Of the rows of a block."""
        return self.map.features(X, self.dtype)


@final
@dataclass(frozen=True, eq=False)
class Some:
    """Some rows of some blocks, with their labels; those of two neighbours follow each other."""

    X: Any
    y: NDArray[Any]

    def __add__(self, other: Some) -> Some:
        if len(other.y) == 0 or len(self.y) == 0:
            return self if len(self.y) else other
        dense = isinstance(self.X, np.ndarray)
        X = np.concatenate([self.X, other.X]) if dense else sparse.vstack([self.X, other.X], format="csr")
        return Some(X, np.concatenate([self.y, other.y]))


@final
@dataclass(frozen=True, eq=False)
class Score:
    """What a score adds up from some blocks.

    Attributes
    ----------
    weight : float
        Sum of the weights of their rows.
    missed : float
        Of those whose labels are not predicted; of a regression ``Σ w (y − f)²``.
    mean, square : float
        Of a regression the mean of the targets, and ``Σ w (y − mean)²``.
    """

    weight: float = 0.0
    missed: float = 0.0
    mean: float = 0.0
    square: float = 0.0

    @classmethod
    def of(cls, y: NDArray[Any], found: NDArray[Any], weights: Vector, *, labels: bool) -> Score:
        """Of a block."""
        weight = float(weights.sum())
        if labels:
            return cls(weight, float(weights[y != found].sum()))
        mean = float((weights * y).sum()) / weight if weight != 0.0 else 0.0
        return cls(weight, float((weights * (y - found) ** 2).sum()), mean, float((weights * (y - mean) ** 2).sum()))

    def __add__(self, other: Score) -> Score:
        weight, apart = self.weight + other.weight, other.mean - self.mean
        part = other.weight / weight if weight != 0.0 else 0.0
        square = self.square + other.square + apart * apart * self.weight * part
        return Score(weight, self.missed + other.missed, self.mean + apart * part, square)
