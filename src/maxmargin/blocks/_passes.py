"""Passes over the blocks of a source: each is checked, and the first tells what all of them have."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, final

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from maxmargin.blocks._look import FirstLook, Spread
from maxmargin.blocks._reading import ReadingAhead
from maxmargin.blocks._sources import Batch, Source
from maxmargin.blocks._standard import Mapped, Standard
from maxmargin.blocks._tree import TreeSum
from maxmargin.errors import InvalidInput
from maxmargin.validation import feature_matrix, length

__all__ = ["Block", "Passes"]


@final
@dataclass(frozen=True, eq=False)
class Block:
    """A block of a pass: valid rows, and where they stand among all.

    Attributes
    ----------
    number, begin : int
        Number of the block, and of its first row.
    X : ndarray or CSR matrix
        Its rows.
    y, weight : ndarray or None
        Labels and weights, where they come with the blocks.
    """

    number: int
    begin: int
    X: Any
    y: NDArray[Any] | None
    weight: NDArray[Any] | None

    @property
    def rows(self) -> slice:
        """Where its rows stand."""
        return slice(self.begin, self.begin + length(self.X))


@final
class Passes:
    """Goes over the blocks of a source as often as it is asked, and keeps some of them in memory.

    Parameters
    ----------
    source : Source
        Where they come from.
    room : int
        Bytes of blocks that are kept, from the first on.

    Attributes
    ----------
    source : Source
        Where they come from.
    n_passes : int
        How often all of them were gone over.
    """

    def __init__(self, source: Source, room: int) -> None:
        self.source = source
        self.name = source.name
        self.n_passes = 0
        self._room = room if source.caches else 0
        self._kept: list[Batch] = []
        self._look: FirstLook | None = None

    @property
    def look(self) -> FirstLook:
        """What all rows have: one pass, made once."""
        if self._look is None:
            self._look = self._first_look()
        return self._look

    @contextmanager
    def reading(self, standard: Standard | Mapped | None) -> Iterator[Iterator[Block]]:
        """A pass, read ahead by a thread; its end leaves none behind, however it is left."""
        with ReadingAhead(self._valid(standard)) as blocks:
            yield iter(blocks)

    def _valid(self, standard: Standard | Mapped | None) -> Iterator[Block]:
        self.source.check()
        begin, number, known = 0, 0, None if self._look is None else self._look.rows_of
        for batch in self._batches():
            X = self._rows(batch.X, number)
            rows = length(X)
            if known is not None and (number >= len(known) or known[number] != rows):
                raise self._another(number, rows, known)
            y, weight = (
                self._of_block(each, what, rows, number) for each, what in ((batch.y, "y"), (batch.weight, "sample_weight"))
            )
            yield Block(number, begin, X if standard is None else standard.on(X), y, weight)
            begin, number = begin + rows, number + 1
        if known is not None and number < len(known):
            raise self._another(number, 0, known)
        if number == 0:
            raise InvalidInput(f"{self.name}: there is no block at all. Give at least one, with at least one row.")
        self.n_passes += 1

    def _batches(self) -> Iterator[Batch]:
        yield from self._kept
        room = self._room - sum(_size(batch) for batch in self._kept)
        number = len(self._kept)
        source = self.source.batches(number)
        while True:
            try:
                batch = next(source)
            except StopIteration:
                return
            except (InvalidInput, MemoryError):
                raise
            except Exception as error:
                raise InvalidInput(
                    f"Block {number} of {self.name} could not be read: {type(error).__name__}: {error}"
                ) from error
            if room > 0 and number == len(self._kept):
                room -= _size(batch)
                if room >= 0:
                    self._kept.append(batch)
            yield batch
            number += 1

    def _rows(self, X: Any, number: int) -> Any:
        if getattr(X, "ndim", 2) == 2 and getattr(X, "shape", (1,))[0] == 0:
            raise InvalidInput(f"Block {number} of {self.name} is empty. Leave such blocks out.")
        try:
            X = feature_matrix(X)
        except (InvalidInput, TypeError) as error:
            raise InvalidInput(f"Block {number} of {self.name}: {error}") from error
        look = self._look
        if look is not None and X.shape[1] != look.columns:
            raise self._wide(number, X.shape[1], look.columns)
        return X

    def _of_block(self, values: Any, what: str, rows: int, number: int) -> NDArray[Any] | None:
        if values is None:
            return None
        column = np.asarray(values)
        if column.shape != (rows,):
            raise InvalidInput(
                f"Block {number} of {self.name} has {rows} rows, and {what} of shape {column.shape}. Give one value for"
                " each row."
            )
        return column

    def _wide(self, number: int, columns: int, before: int) -> InvalidInput:
        return InvalidInput(
            f"Block {number} of {self.name} has {columns} features, and those before it have {before}. All blocks must be"
            " equally"
            " wide."
        )

    def _another(self, number: int, rows: int, known: tuple[int, ...]) -> InvalidInput:
        if number == 0 and rows == 0:
            return InvalidInput(
                f"{self.name}: block 0 of {len(known)} is missing in pass {self.n_passes + 1}. Its blocks do not begin"
                " again: pass a"
                " function that makes a new iterator each time it is called."
            )
        before = f"{known[number]} rows" if number < len(known) else "was not there"
        now = f"{rows} rows" if rows else "is missing"
        return InvalidInput(
            f"Block {number} of {self.name} is not what it was: in the first pass it had {before}, and in pass"
            f" {self.n_passes + 1} {'it has ' if rows else 'it '}{now}. All passes must give the same blocks."
        )

    def _first_look(self) -> FirstLook:
        spread: TreeSum[Spread] = TreeSum()
        rows, kinds = [], []
        labels: list[NDArray[Any]] = []
        weights: list[NDArray[Any]] = []
        columns, is_sparse = 0, False
        with self.reading(None) as blocks:
            for block in blocks:
                if block.number == 0:
                    columns, is_sparse = block.X.shape[1], sparse.issparse(block.X)
                if block.X.shape[1] != columns:
                    raise self._wide(block.number, block.X.shape[1], columns)
                if sparse.issparse(block.X) != is_sparse:
                    raise InvalidInput(
                        f"Block {block.number} of {self.name} is {'dense' if is_sparse else 'sparse'}, and those before"
                        " it are not."
                        " All blocks must be of one kind."
                    )
                spread.add(Spread.of(block.X))
                rows.append(length(block.X))
                kinds.append(block.X.dtype)
                for of_block, found, what in ((block.y, labels, "y"), (block.weight, weights, "sample_weight")):
                    if block.number > 0 and (of_block is None) != (not found):
                        raise self._some_have(block.number, what)
                    if of_block is not None:
                        found.append(of_block)
        total = spread.total()
        return FirstLook(
            rows_of=tuple(rows),
            columns=columns,
            dtype=np.result_type(*kinds),
            sparse=is_sparse,
            moments=total.moments,
            filled=total.filled,
            stored=total.stored,
            y=np.concatenate(labels) if labels else None,
            weight=np.concatenate(weights) if weights else None,
        )

    def _some_have(self, number: int, what: str) -> InvalidInput:
        return InvalidInput(
            f"Block {number} of {self.name}: some blocks have {what}, and others do not. Give it with all or none."
        )


def _size(batch: Batch) -> int:
    X = batch.X
    if sparse.issparse(X):
        return int(sum(each.nbytes for each in (X.data, getattr(X, "indices", X.data), getattr(X, "indptr", X.data))))
    return int(getattr(X, "nbytes", 1 << 20))
