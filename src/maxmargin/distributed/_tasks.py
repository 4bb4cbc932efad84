"""What workers run: pure functions of a block and of what the rounds so far have decided."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from maxmargin.blocks import Spread, TreeSum
from maxmargin.errors import InvalidInput
from maxmargin.estimators import weight_sums
from maxmargin.problems import BlockRows
from maxmargin.solvers import Question, Sums
from maxmargin.validation import encode, feature_matrix, label_column, length, positive_weights

__all__ = ["FAN_IN", "LookOrder", "RoundOrder", "ScoreOrder", "Seen", "added", "answered", "looked", "probed", "read", "scored"]

Vector = NDArray[np.float64]

FAN_IN = 4
"""Terms that a task adds: two levels of the binary tree over block numbers."""


@final
@dataclass(frozen=True, eq=False)
class LookOrder:
    """What a first look needs: names for messages, and the width if it is known."""

    name: str
    columns: int | None


@final
@dataclass(frozen=True, eq=False)
class RoundOrder:
    """What a round asks of every block; sent once, to each worker that needs it.

    Attributes
    ----------
    name : str
        What messages call X.
    columns : int
        Features.
    rows_of : tuple of int
        Rows of each block in the first pass.
    classes : ndarray
        The labels, sorted.
    by_class : ndarray
        What a row of each class costs.
    questions : sequence of Question
        Each is answered by `Sums`.
    """

    name: str
    columns: int
    rows_of: tuple[int, ...]
    classes: NDArray[Any]
    by_class: Vector
    questions: Sequence[Question]


@final
@dataclass(frozen=True, eq=False)
class ScoreOrder:
    """What accuracy needs: a fitted model, and a name for messages."""

    name: str
    model: Any


@final
@dataclass(frozen=True, eq=False)
class Seen:
    """What a first look finds in some blocks; that of two neighbours adds up.

    Attributes
    ----------
    rows : tuple of (number, rows, rows with a positive weight)
        Of each block.
    columns : int
        Features; 0 as long as no block has rows.
    spread : Spread or None
        Moments; None as long as no block has rows.
    dtype : dtype or None
        Of the values.
    sparse : bool
        Whether blocks are CSR matrices.
    classes, weight : ndarray
        Labels of rows with a positive weight, sorted, and the sums of their weights.
    name : str
        What messages call X.
    """

    rows: tuple[tuple[int, int, int], ...]
    columns: int
    spread: Spread | None
    dtype: np.dtype[Any] | None
    sparse: bool
    classes: NDArray[Any]
    weight: Vector
    name: str

    def __add__(self, other: Seen) -> Seen:
        rows = self.rows + other.rows
        if self.spread is None or other.spread is None:
            one = other if self.spread is None else self
            return Seen(rows, one.columns, one.spread, one.dtype, one.sparse, one.classes, one.weight, one.name)
        number = next(number for number, count, _ in other.rows if count > 0)
        if self.columns != other.columns:
            raise _wide(number, self.name, other.columns, self.columns)
        if self.sparse != other.sparse:
            raise InvalidInput(
                f"Block {number} of {self.name} is {'sparse' if other.sparse else 'dense'}, and those before it are not. All"
                " blocks must be of one kind."
            )
        if _is_text(self.classes) != _is_text(other.classes) and len(self.classes) and len(other.classes):
            raise InvalidInput(
                f"Block {number} of y has labels of dtype {other.classes.dtype}, and those before it {self.classes.dtype}."
                " Labels must be of one type."
            )
        classes = np.union1d(self.classes, other.classes) if len(self.classes) else other.classes
        classes = classes if len(other.classes) else self.classes
        weight = np.zeros(len(classes))
        for each in (self, other):
            weight[np.searchsorted(classes, each.classes)] += each.weight
        assert self.dtype is not None
        assert other.dtype is not None
        dtype = np.result_type(self.dtype, other.dtype)
        return Seen(rows, self.columns, self.spread + other.spread, dtype, self.sparse, classes, weight, self.name)


def _is_text(labels: NDArray[Any]) -> bool:
    return labels.dtype.kind in "OSU"


def looked(number: int, order: LookOrder, X: Any, y: Any, weight: Any) -> Seen:
    """The first look at a block."""
    count = length_of(X)
    if count == 0:
        return Seen(((number, 0, 0),), 0, None, None, False, np.empty(0), np.empty(0), order.name)
    X = _rows(number, order.name, X, order.columns)
    with _naming(number, order.name):
        labels = label_column(y, X)
        weights, kept = _weights(weight, count)
        classes, codes = encode(labels if kept is None else labels[kept])
    sums = weight_sums(codes, weights, len(classes))
    rows = ((number, count, count if kept is None else len(kept)),)
    is_sparse = not isinstance(X, np.ndarray)
    return Seen(rows, X.shape[1], Spread.of(X), X.dtype, is_sparse, classes, sums, order.name)


def answered(number: int, order: RoundOrder, X: Any, y: Any, weight: Any) -> list[Sums]:
    """What a block adds to the answer to each question of a round."""
    before, count = order.rows_of[number], length_of(X)
    if count != before:
        raise InvalidInput(
            f"Block {number} of {order.name} has {count} rows now, and had {before} in the first pass. Its blocks must be the"
            " same in each pass: persist it, or make it from what does not change."
        )
    X = _rows(number, order.name, X, order.columns)
    with _naming(number, order.name):
        labels = label_column(y, X)
        weights, kept = _weights(weight, count)
        if kept is not None:
            X, labels = X[kept], labels[kept]
        codes = np.minimum(np.searchsorted(order.classes, labels), len(order.classes) - 1)
        if not bool((order.classes[codes] == labels).all()):
            raise InvalidInput("it has labels now that it had not in the first pass. Its blocks must be the same in each pass.")
        cost = order.by_class[codes] if weights is None else order.by_class[codes] * weights
    rows = BlockRows(X, codes, np.ascontiguousarray(cost))
    return [question.on(rows)[0] for question in order.questions]


def scored(number: int, order: ScoreOrder, X: Any, y: Any, weight: Any) -> Vector:
    """The weight of the rows whose labels the model predicts, and that of all."""
    count = length_of(X)
    if count == 0:
        return np.zeros(2)
    with _naming(number, order.name):
        labels = label_column(y, X)
        right = order.model.predict(X) == labels
        weights = np.ones(count) if weight is None else np.asarray(weight, dtype=np.float64)
        if weights.shape != (count,):
            raise InvalidInput(f"it has {count} rows, and sample_weight of shape {weights.shape}. Give one value for each row.")
    return np.array([float(weights[right].sum()), float(weights.sum())])


def added(*terms: Any) -> Any:
    """The sum of neighbours, or of lists of them place by place, along the binary tree."""
    if isinstance(terms[0], list):
        return [added(*each) for each in zip(*terms, strict=True)]
    tree: TreeSum[Any] = TreeSum()
    for term in terms:
        tree.add(term)
    return tree.total()


def probed(*values: Any) -> None:
    """Nothing: that it can be computed is what is asked."""


def read(value: Any) -> Any:
    """What is sent to workers once, as a task of its own: whoever loses it makes it anew."""
    return value


def length_of(X: Any) -> int:
    """Rows of a block."""
    return int(X.shape[0]) if getattr(X, "shape", ()) else len(X)


def _weights(weight: Any, count: int) -> tuple[Vector | None, NDArray[np.intp] | None]:
    """The positive ones, and where they are; None where all are 1, or all are kept. A block may have none."""
    if weight is None:
        return None, None
    values = np.asarray(weight)
    if values.shape == (count,) and values.dtype.kind in "biuf" and not (values > 0.0).any() and np.isfinite(values).all():
        return np.empty(0), np.empty(0, dtype=np.intp)
    return positive_weights(weight, count, (count,))


def _rows(number: int, name: str, X: Any, columns: int | None) -> Any:
    with _naming(number, name):
        X = feature_matrix(X)
    if columns is not None and X.shape[1] != columns:
        raise _wide(number, name, X.shape[1], columns)
    assert length(X) > 0
    return X


def _wide(number: int, name: str, columns: int, expected: int) -> InvalidInput:
    return InvalidInput(
        f"Block {number} of {name} has {columns} features, and {expected} are expected. All blocks must be equally wide."
    )


@contextmanager
def _naming(number: int, name: str) -> Iterator[None]:
    """Errors about a block say which one it is."""
    try:
        yield
    except (InvalidInput, TypeError) as error:
        raise InvalidInput(f"Block {number} of {name}: {error}") from error
