"""Blocks of a file that numpy.save wrote."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final, final

import numpy as np
from numpy.typing import NDArray

from maxmargin.blocks._room import Rooms
from maxmargin.blocks._sources import Batch, Source, rows_at_once
from maxmargin.errors import InvalidInput

__all__ = ["FileMark", "NpySource"]

_COLUMN_BYTES: Final = 1 << 16


@final
class FileMark:
    """What a file was when it was first looked at: its size, and when it was last written."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._mark = self._now()

    @property
    def size(self) -> int:
        """Bytes."""
        return self._mark[0]

    def _now(self) -> tuple[int, int, int]:
        try:
            found = os.stat(self._path)
        except OSError as error:
            raise InvalidInput(f"{self._path} cannot be read: {error.strerror}.") from error
        return found.st_size, found.st_mtime_ns, found.st_ino

    def check(self, where: str) -> None:
        """Raise if the file is another one now."""
        size, written, number = self._now()
        if (size, written, number) != self._mark:
            how = f"it had {self.size} bytes, and has {size}" if size != self.size else "it has been written to"
            raise InvalidInput(
                f"{where}: {self._path} has changed since RowBlocks first looked at it ({how}). Make RowBlocks of it anew."
            )


@final
class NpySource(Source):
    """Some rows of the file at a time, read where they stand.

    They are read, not mapped: a mapped file that somebody truncates ends the process. The system keeps what it has read as
    long as there is memory for it, in both cases.
    """

    caches = False

    def __init__(self, path: Any, batch_size: int | None) -> None:
        self._path = Path(path)
        self.name = str(self._path)
        self._mark = FileMark(self._path)
        self._shape, self._by_columns, self._dtype, self._start = _header(self._path)
        self.rows, columns = self._shape
        needed = self._start + self.rows * columns * self._dtype.itemsize
        if self._mark.size < needed:
            row = (self._mark.size - self._start) // max(columns * self._dtype.itemsize, 1)
            raise InvalidInput(
                f"{self.name} is truncated: {needed} bytes are needed for {self.rows} rows, and it has {self._mark.size},"
                " which end"
                f" in row {max(row, 0)}, of block {max(row, 0) // self._rows_of(batch_size)}."
            )
        self.batch_size = self._rows_of(batch_size)
        self._rooms = Rooms()

    def _rows_of(self, batch_size: int | None) -> int:
        return batch_size or rows_at_once(self._shape[1] * self._dtype.itemsize)

    def batches(self, first: int) -> Iterator[Batch]:
        """Reads them."""
        assert self.rows is not None
        with open(self._path, "rb", buffering=0) as file:
            for number in range(first, -(-self.rows // self.batch_size)):
                self._mark.check(f"Block {number}")
                begin = number * self.batch_size
                end = min(begin + self.batch_size, self.rows)
                yield Batch((self._columns if self._by_columns else self._rows)(file, begin, end, number))

    def _rows(self, file: Any, begin: int, end: int, number: int) -> NDArray[Any]:
        X = self._rooms.array((end - begin, self._shape[1]), self._dtype)
        self._fill(file, X, self._start + begin * self._shape[1] * self._dtype.itemsize, number)
        return X

    def _columns(self, file: Any, begin: int, end: int, number: int) -> NDArray[Any]:
        """Of a file in Fortran's order: some of each column, turned at once."""
        X = self._rooms.array((end - begin, self._shape[1]), self._dtype)
        column = np.empty(end - begin, self._dtype)
        for k in range(self._shape[1]):
            self._fill(file, column, self._start + (k * self._shape[0] + begin) * self._dtype.itemsize, number)
            X[:, k] = column
        return X

    def _fill(self, file: Any, room: NDArray[Any], at: int, number: int) -> None:
        view = memoryview(room.reshape(-1).view(np.uint8).data)
        while view:
            got = os.preadv(file.fileno(), [view], at)
            if got == 0:
                raise InvalidInput(f"Block {number} of {self.name} ends too early: the file was truncated. Write it again.")
            view, at = view[got:], at + got

    def check(self) -> None:
        """That it is the file that it was."""
        self._mark.check("Before the pass")


def _header(path: Path) -> tuple[tuple[int, int], bool, np.dtype[Any], int]:
    """Shape, order, type of the numbers, and where they begin."""
    try:
        with open(path, "rb") as file:
            version = np.lib.format.read_magic(file)
            read = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
            shape, by_columns, dtype = read(file)
            start = file.tell()
    except OSError as error:
        raise InvalidInput(f"{path} cannot be read: {error.strerror}.") from error
    except ValueError as error:
        raise InvalidInput(f"{path} is no file that numpy.save wrote: {error}") from error
    if len(shape) != 2 or shape[1] < 1:
        raise InvalidInput(f"{path} must hold a matrix, one row a sample. Got an array of shape {shape}.")
    if dtype.kind not in "biuf" or dtype.hasobject:
        raise InvalidInput(f"{path} must hold numbers. Got dtype {dtype}.")
    return (int(shape[0]), int(shape[1])), bool(by_columns) and shape[0] > 1, dtype, start
