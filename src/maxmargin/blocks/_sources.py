"""Where blocks come from: what a pass over them gives, as it is given."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple, final

import numpy as np
from numpy.typing import NDArray

from maxmargin.errors import InvalidInput
from maxmargin.validation import length

__all__ = ["ArraySource", "Batch", "CallableSource", "Source", "rows_at_once"]

_BYTES = 1 << 23  # of a block whose size nobody has chosen
_FEWEST, _MOST = 1024, 1 << 18


@final
class Batch(NamedTuple):
    """A block: rows, and their labels and weights where they come with it.

    Attributes
    ----------
    X : ndarray or CSR matrix
        Rows.
    y, weight : ndarray or None
        Labels or targets, and sample weights.
    """

    X: Any
    y: NDArray[Any] | None = None
    weight: NDArray[Any] | None = None


def rows_at_once(bytes_of_a_row: int) -> int:
    """Rows of a block of about 8 MB: it depends on the data alone, and so do bits."""
    return int(min(max(_BYTES // max(bytes_of_a_row, 1), _FEWEST), _MOST))


class Source(ABC):
    """Gives the same blocks again whenever it is asked.

    Attributes
    ----------
    name : str
        What it is called in messages.
    rows : int or None
        Number of rows, where it is known before they are read.
    caches : bool
        Whether its blocks are worth keeping in memory: those that take work to make.
    """

    name: str
    rows: int | None = None
    caches: bool = True

    @abstractmethod
    def batches(self, first: int) -> Iterator[Batch]:
        """The blocks from number ``first`` on; raises `InvalidInput` where one cannot be read."""

    def check(self) -> None:  # noqa: B027  # most have nothing to check
        """Raise if what the blocks are made of is no longer what it was."""


@final
class ArraySource(Source):
    """Slices of arrays: of memory, or of a file that is mapped."""

    caches = False

    def __init__(self, X: Any, batch_size: int | None) -> None:
        self.name = "the arrays"
        self._X = X
        self.rows = length(X)
        row_bytes = X.dtype.itemsize * X.shape[1] if isinstance(X, np.ndarray) else 12 * X.nnz // max(self.rows, 1)
        self.batch_size = batch_size or rows_at_once(row_bytes)

    def batches(self, first: int) -> Iterator[Batch]:
        """Slices."""
        assert self.rows is not None
        for begin in range(first * self.batch_size, self.rows, self.batch_size):
            yield Batch(self._X[begin : begin + self.batch_size])


@final
class CallableSource(Source):
    """What a function gives when it is called: an iterator over blocks, a new one each time."""

    def __init__(self, function: Callable[[], Any]) -> None:
        self.name = f"the blocks of {getattr(function, '__name__', type(function).__name__)}"
        self._function = function

    def batches(self, first: int) -> Iterator[Batch]:
        """Goes through the iterator."""
        try:
            items = iter(self._function())
        except TypeError as error:
            raise InvalidInput(
                f"The function of RowBlocks.from_callable must return an iterator over blocks: {error}. Write it with yield."
            ) from error
        for number, item in enumerate(items):
            if number >= first:
                yield _batch_of(item, number, self.name)


def _batch_of(item: Any, number: int, name: str) -> Batch:
    if isinstance(item, tuple):
        if not 1 <= len(item) <= 3:
            raise InvalidInput(
                f"Block {number} of {name} must be X, (X, y) or (X, y, sample_weight). Got a tuple of {len(item)}."
            )
        return Batch(*item)
    if isinstance(item, Sequence):
        raise InvalidInput(f"Block {number} of {name} must be an array, or a tuple (X, y). Got a {type(item).__name__}.")
    return Batch(item)
