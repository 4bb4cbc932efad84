"""Blocks of a file in the text format of SVMlight and LIBSVM, which is parsed once: later passes read numbers."""

from __future__ import annotations

import bz2
import gzip
import json
import lzma
import os
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final, Literal, final

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from maxmargin import _core
from maxmargin.blocks._npy import FileMark
from maxmargin.blocks._sources import Batch, Source
from maxmargin.blocks._svmlight_faults import svmlight_fault
from maxmargin.errors import InvalidInput

__all__ = ["SvmlightSource"]

_PIECE: Final = 1 << 23  # bytes of text that are parsed at once
_MAGIC: Final = b"maxmargin blocks 1"
_OPENERS: Final = {b"\x1f\x8b": gzip.open, b"BZh": bz2.open, b"\xfd7zXZ\x00": lzma.open}
ZeroBased = bool | Literal["auto"]


@final
class SvmlightSource(Source):
    """The blocks of the binary file beside a text file, which is made where it is missing or of another text."""

    caches = False

    def __init__(self, path: Path, n_features: int | None, zero_based: ZeroBased, batch_size: int | None, cache: Path) -> None:
        self._path, self._cache, self.name = path, cache, str(path)
        self._mark = FileMark(path)
        wanted = {"size": self._mark.size, "written": os.stat(path).st_mtime_ns, "batch_size": batch_size}
        found = _footer(cache)
        if found is None or any(found.get(key) != value for key, value in wanted.items()):
            found = self._make(wanted, batch_size)
        self._blocks: list[dict[str, int]] = found["blocks"]
        self._cache_mark = FileMark(cache)
        least, most = int(found["least"]), int(found["most"])
        self._first = 0 if zero_based is True or (zero_based == "auto" and least == 0) else 1
        if most >= 0 and least < self._first:
            raise InvalidInput(f"{path} has the index 0, but zero_based=False. Say zero_based=True.")
        needed = max(most + 1 - self._first, 1)
        if n_features is not None and needed > n_features:
            raise InvalidInput(
                f"{path} has the index {most}, which is beyond n_features={n_features}. Raise n_features to {needed}."
            )
        self._columns = needed if n_features is None else n_features
        self.rows = sum(block["rows"] for block in self._blocks)

    def batches(self, first: int) -> Iterator[Batch]:
        """Reads numbers."""
        with open(self._cache, "rb", buffering=0) as file:
            for number in range(first, len(self._blocks)):
                self._mark.check(f"Block {number}")
                self._cache_mark.check(f"Block {number}")
                yield self._batch(file, number)

    def _batch(self, file: Any, number: int) -> Batch:
        block = self._blocks[number]
        rows, stored = block["rows"], block["stored"]
        file.seek(block["begin"])
        data = file.read(8 * rows + 8 * (rows + 1) + 12 * stored)
        if zlib.crc32(data) != block["check"]:
            raise InvalidInput(
                f"Block {number} of {self._cache} is damaged. Delete the file: it is made again from {self._path}."
            )
        at = np.cumsum([0, 8 * rows, 8 * (rows + 1), 8 * stored])
        y = np.frombuffer(data, np.float64, rows, at[0])
        starts = np.frombuffer(data, np.int64, rows + 1, at[1]).astype(np.int32)
        values = np.frombuffer(data, np.float64, stored, at[2])
        columns = np.frombuffer(data, np.int32, stored, at[3]) - np.int32(self._first)
        X = sparse.csr_matrix((values, columns, starts), shape=(rows, self._columns))
        X.has_sorted_indices = X.has_canonical_format = True  # the reader has seen that they are
        return Batch(X, y)

    def check(self) -> None:
        """That both are the files that they were."""
        self._mark.check("Before the pass")
        self._cache_mark.check("Before the pass")

    def _make(self, wanted: dict[str, Any], batch_size: int | None) -> dict[str, Any]:
        """Parse the text and write the numbers, to a file of another name, which takes the place of the old one when whole."""
        place = self._cache.with_name(f".{self._cache.name}.{os.getpid()}")
        blocks: list[dict[str, int]] = []
        least, most = np.iinfo(np.int32).max, -1
        try:
            with open(place, "wb") as out:
                for y, columns, values, starts in _cut(self._parsed(), batch_size):
                    if len(columns):
                        least, most = min(least, int(columns.min())), max(most, int(columns.max()))
                    data = b"".join(each.tobytes() for each in (y, starts, values, columns))
                    block = {"begin": out.tell(), "rows": len(y), "stored": len(values), "check": zlib.crc32(data)}
                    blocks.append(block)
                    out.write(data)
                if not blocks:
                    raise InvalidInput(f"{self._path} has no row. Pass a file with at least one.")
                found = {**wanted, "least": int(least), "most": int(most), "blocks": blocks}
                footer = json.dumps(found).encode()
                out.write(footer + len(footer).to_bytes(8, "little") + _MAGIC)
            self._mark.check("After it was read")
            os.replace(place, self._cache)
        except OSError as error:
            raise InvalidInput(
                f"{self._cache}, the numbers of {self._path}, cannot be written: {error.strerror}. Pass cache='a path'"
                " that can."
            ) from error
        finally:
            place.unlink(missing_ok=True)
        return found

    def _parsed(self) -> Iterator[tuple[NDArray[Any], ...]]:
        """Labels, columns, values and where rows start, of pieces of whole lines."""
        with open(self._path, "rb") as file:
            start = file.read(8)
        opener = next((each for magic, each in _OPENERS.items() if start.startswith(magic)), open)
        lines = 0
        with opener(self._path, "rb") as text:  # type: ignore[operator]  # four functions of one form
            while piece := text.read(_PIECE) + text.readline():
                bytes_of = np.frombuffer(piece, np.uint8)
                found = _core.read_svmlight(bytes_of)
                if found.fault:
                    raise InvalidInput(svmlight_fault(found, bytes_of, self.name, lines))
                lines += piece.count(b"\n")
                yield found.labels, found.columns, found.values, found.starts


def _cut(pieces: Iterator[tuple[NDArray[Any], ...]], batch_size: int | None) -> Iterator[tuple[NDArray[Any], ...]]:
    """Pieces as they are, or cut and joined to so many rows."""
    y, columns, values = np.empty(0), np.empty(0, np.int32), np.empty(0)
    starts = np.zeros(1, np.int64)
    for more_y, more_columns, more_values, more_starts in pieces:
        y, columns, values = (np.concatenate(pair) for pair in ((y, more_y), (columns, more_columns), (values, more_values)))
        starts = np.concatenate((starts, starts[-1] + more_starts[1:]))
        while len(y) >= (batch_size or max(len(y), 1)):
            rows = batch_size or len(y)
            end = int(starts[rows])
            yield y[:rows], columns[:end], values[:end], starts[: rows + 1]
            y, columns, values, starts = y[rows:], columns[end:], values[end:], starts[rows:] - end
            if not len(y):
                break
    if len(y):
        yield y, columns, values, starts


def _footer(cache: Path) -> dict[str, Any] | None:
    """What the file says of itself; None where it is missing, or not whole."""
    try:
        with open(cache, "rb") as file:
            end = file.seek(0, os.SEEK_END)
            file.seek(max(end - len(_MAGIC) - 8, 0))
            last = file.read()
            size = int.from_bytes(last[:8], "little")
            if last[8:] != _MAGIC or size > end:
                return None
            file.seek(end - len(_MAGIC) - 8 - size)
            found = json.loads(file.read(size))
    except (OSError, ValueError):
        return None
    keys = {"size", "written", "batch_size", "least", "most", "blocks"}
    return found if isinstance(found, dict) and keys <= found.keys() else None
