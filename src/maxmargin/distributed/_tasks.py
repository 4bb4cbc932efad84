"""What workers run: pure functions of a block and of what the rounds so far have decided."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any, Final, NamedTuple, final

import numpy as np
from numpy.typing import NDArray
from sklearn.base import is_classifier

from maxmargin.blocks import Spread
from maxmargin.distributed._forest import Forest
from maxmargin.distributed._orders import (
    CodeOrder,
    DeviationOrder,
    Features,
    LookOrder,
    RoundOrder,
    Score,
    ScoreOrder,
    Some,
    SomeOrder,
)
from maxmargin.errors import InvalidInput
from maxmargin.problems import BlockRows
from maxmargin.solvers import Sums
from maxmargin.validation import feature_matrix, label_column, length, positive_weights, target_column

__all__ = [
    "FAN_IN",
    "Block",
    "Coded",
    "Seen",
    "answered",
    "coded",
    "deviated",
    "joined",
    "looked",
    "probed",
    "read",
    "scored",
    "some_of",
    "summed",
]

Vector = NDArray[np.float64]

FAN_IN = 4
"""Tasks whose sums another task adds."""

_SAME: Final = "Its blocks must be the same in each pass: persist it, or make it from what does not change."


@final
class Block(NamedTuple):
    """A block of a pass.

    Attributes
    ----------
    place : int
        Where it stands among those that the pass goes over.
    number : int
        Where it stands among all.
    rows : int
        How many it had in the first pass; −1 before.
    """

    place: int
    number: int
    rows: int = -1


@final
@dataclass(frozen=True, eq=False)
class Coded:
    """Labels and weights of a block as a solver has them: made once in a fit, where the block is.

    Attributes
    ----------
    label, cost : ndarray
        Of the rows that are kept.
    kept : ndarray of intp or None
        These rows; None for all.
    """

    label: NDArray[Any]
    cost: Vector
    kept: NDArray[np.intp] | None

    def __sizeof__(self) -> int:
        """What Dask counts where it decides what to keep."""
        return object.__sizeof__(self) + sum(each.nbytes for each in (self.label, self.cost, self.kept) if each is not None)


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
    totals : Totals or None
        What labels or targets are together; None as long as no block has rows.
    name : str
        What messages call X.
    """

    rows: tuple[tuple[int, int, int], ...]
    columns: int
    spread: Spread | None
    dtype: np.dtype[Any] | None
    sparse: bool
    totals: Any
    name: str

    def __add__(self, other: Seen) -> Seen:
        rows = self.rows + other.rows
        if self.spread is None or other.spread is None:
            return replace(other if self.spread is None else self, rows=rows)
        number = next(number for number, count, _ in other.rows if count > 0)
        if self.columns != other.columns:
            raise _wide(number, self.name, other.columns, self.columns)
        if self.sparse != other.sparse:
            raise InvalidInput(
                f"Block {number} of {self.name} is {'sparse' if other.sparse else 'dense'}, and those before it are not. All"
                " blocks must be of one kind."
            )
        try:
            totals = self.totals + other.totals
        except InvalidInput as error:
            raise InvalidInput(f"Block {number} of y has {error}") from error
        assert self.dtype is not None
        assert other.dtype is not None
        dtype = np.result_type(self.dtype, other.dtype)
        return Seen(rows, self.columns, self.spread + other.spread, dtype, self.sparse, totals, self.name)


def looked(block: Block, order: LookOrder, X: Any, y: Any, weight: Any) -> Seen:
    """The first look at a block."""
    count = length_of(X)
    if count == 0:
        return Seen(((block.number, 0, 0),), 0, None, None, False, None, order.name)
    X = _rows(block.number, order.name, X, order.columns)
    with _naming(block.number, order.name):
        weights, kept = _weights(weight, count)
        totals = order.kind.of(y, X, weights, kept)
    rows = ((block.number, count, count if kept is None else len(kept)),)
    return Seen(rows, X.shape[1], Spread.of(X), X.dtype, not isinstance(X, np.ndarray), totals, order.name)


def some_of(block: Block, order: SomeOrder, X: Any, y: Any, weight: Any) -> Some:
    """Some rows of a block."""
    if length_of(X) == 0:
        return Some(X, np.empty(0))
    X = _rows(block.number, order.name, X, order.columns)
    first = -order.begins[block.number] % order.step
    with _naming(block.number, order.name):
        return Some(X[first :: order.step].copy(), label_column(y, X)[first :: order.step].copy())


def deviated(block: Block, order: DeviationOrder, y: Any, weight: Any) -> Vector:
    """How far the targets of a block are from a number."""
    targets = np.asarray(y)
    if length_of(targets) == 0:
        return np.zeros(2)
    with _naming(block.number, order.name):
        found = order.coding.of(targets, targets, *_weights(weight, len(targets)))
        return order.coding.deviations(*found, order.about, order.loss)


def coded(block: Block, order: CodeOrder, y: Any, weight: Any) -> Coded:
    """Labels and weights of a block."""
    with _naming(block.number, order.name):
        if (count := length_of(y)) != block.rows:
            raise InvalidInput(f"y has {count} values now, and had {block.rows} in the first pass. {_SAME}")
        weights, kept = _weights(weight, count)
        label, cost = order.coding.of(y, y, weights, kept)
    return Coded(label, cost, kept)


def answered(block: Block, order: RoundOrder, X: Any, coded: Coded, features: Features | None = None) -> list[Sums]:
    """What a block adds to the answer to each question of a round."""
    if (count := length_of(X)) != block.rows:
        raise InvalidInput(
            f"Block {block.number} of {order.name} has {count} rows now, and had {block.rows} in the first pass. {_SAME}"
        )
    X = _rows(block.number, order.name, X, order.columns)
    X = X if coded.kept is None else X[coded.kept]
    rows = BlockRows(X if features is None else features.of(X), coded.label, coded.cost)
    return [question.on(rows)[0] for question in order.questions]


def scored(block: Block, order: ScoreOrder, X: Any, y: Any, weight: Any) -> Score:
    """What a block adds to a score."""
    count, labels = length_of(X), is_classifier(order.model)
    if count == 0:
        return Score()
    with _naming(block.number, order.name):
        column = label_column(y, X) if labels else target_column(y, X)
        weights = np.ones(count) if weight is None else np.asarray(weight, dtype=np.float64)
        if weights.shape != (count,):
            raise InvalidInput(f"it has {count} rows, and sample_weight of shape {weights.shape}. Give one value for each row.")
        return Score.of(column, order.model.predict(X), weights, labels=labels)


def summed(function: Callable[..., Any], leaves: int, blocks: Sequence[Block], order: Any, *values: Any) -> Forest:
    """What a function finds in each of some blocks, whose values follow each other; those after them are for all."""
    each = (len(values) - len(values) % len(blocks)) // len(blocks)
    common, found = values[each * len(blocks) :], {}
    for k, block in enumerate(blocks):
        term = function(block, order, *values[each * k : each * (k + 1)], *common)
        found[block.place] = term if isinstance(term, list) else [term]
    return Forest.of(leaves, found)


def joined(*some: Forest) -> Forest:
    """The sums of several tasks."""
    return Forest.joined(some)


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
