"""Blocks of tables: Parquet by pyarrow, and CSV."""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from importlib import import_module
from itertools import islice
from pathlib import Path
from typing import Any, Final, final

import numpy as np
from numpy.typing import NDArray

from maxmargin.blocks._npy import FileMark
from maxmargin.blocks._sources import Batch, Source, rows_at_once
from maxmargin.errors import InvalidInput, MissingExtra

__all__ = ["CsvSource", "ParquetSource"]

_ROWS: Final = 16_384  # of a block of text whose width nobody knows yet


@final
class ParquetSource(Source):
    """Record batches of one file or several, one after the other; columns by name."""

    def __init__(
        self,
        paths: Sequence[Path],
        label: str | None,
        weight: str | None,
        features: Sequence[str] | None,
        batch_size: int | None,
    ) -> None:
        self._parquet = _pyarrow()
        self._paths = list(paths)
        self.name = str(paths[0]) if len(paths) == 1 else f"{paths[0]} and {len(paths) - 1} more"
        self._marks = [FileMark(path) for path in paths]
        schema = [self._open(path).schema_arrow for path in paths]
        names = list(schema[0].names)
        for wanted, what in ((label, "label"), (weight, "weight")):
            if wanted is not None and wanted not in names:
                raise InvalidInput(f"The '{what}' column {wanted!r} is not in {paths[0]}. Its columns are {names}.")
        self._label, self._weight = label, weight
        self._features = [name for name in names if name not in (label, weight)] if features is None else list(features)
        missing = [name for name in self._features if name not in names]
        if missing or not self._features:
            raise InvalidInput(f"The columns {missing} are not in {paths[0]}. Its columns are {names}.")
        for path, each in zip(paths, schema, strict=True):
            for name in self._features:
                kind = each.field(name).type if name in each.names else None
                if kind is None or not _is_number(kind):
                    raise InvalidInput(
                        f"Column {name!r} of {path} must hold numbers. Got {kind}. Name the columns to take: features=[...]."
                    )
        kinds = {str(each.field(name).type) for each in schema for name in self._features}
        self._dtype = np.dtype(np.float32 if kinds <= {"float", "halffloat"} else np.float64)
        self.rows = sum(self._open(path).metadata.num_rows for path in paths)
        self.batch_size = batch_size or rows_at_once(len(self._features) * self._dtype.itemsize)

    def _open(self, path: Path) -> Any:
        try:
            return self._parquet.ParquetFile(path)
        except Exception as error:
            raise InvalidInput(f"{path} is no Parquet file that can be read: {error}") from error

    def batches(self, first: int) -> Iterator[Batch]:
        """Batches of the files; a block does not reach from one file into the next."""
        wanted = [name for name in (*self._features, self._label, self._weight) if name is not None]
        number = 0
        for path, mark in zip(self._paths, self._marks, strict=True):
            for batch in self._open(path).iter_batches(self.batch_size, columns=wanted):
                mark.check(f"Block {number}")
                if batch.num_rows and number >= first:
                    yield self._batch(batch, number)
                number += batch.num_rows > 0

    def _batch(self, batch: Any, number: int) -> Batch:
        X = np.empty((batch.num_rows, len(self._features)), self._dtype)
        for k, name in enumerate(self._features):
            column = batch.column(batch.schema.get_field_index(name))
            if column.null_count:
                raise InvalidInput(
                    f"Block {number} of {self.name}: column {name!r} has {column.null_count} missing values. Fill them,"
                    " or drop such"
                    " rows."
                )
            X[:, k] = column.to_numpy(zero_copy_only=False)
        own = [
            None if name is None else batch.column(batch.schema.get_field_index(name)).to_numpy(zero_copy_only=False)
            for name in (self._label, self._weight)
        ]
        return Batch(X, own[0], own[1])

    def check(self) -> None:
        """That they are the files that they were."""
        for mark in self._marks:
            mark.check("Before the pass")


def _is_number(kind: Any) -> bool:
    types = import_module("pyarrow").types
    return bool(types.is_floating(kind) or types.is_integer(kind) or types.is_boolean(kind))


def _pyarrow() -> Any:
    try:
        return import_module("pyarrow.parquet")
    except ImportError as error:
        raise MissingExtra("RowBlocks.from_parquet needs pyarrow: pip install 'maxmargin[parquet]'") from error


@final
class CsvSource(Source):
    """Some lines of a file at a time."""

    def __init__(
        self, path: Path, label: str | int | None, weight: str | int | None, delimiter: str, batch_size: int | None
    ) -> None:
        self._path, self._delimiter = path, delimiter
        self.name = str(path)
        self._mark = FileMark(path)
        with self._opened() as file:
            first = next((line for line in file if line.strip()), "")
        if not first:
            raise InvalidInput(f"{path} has no row. Pass a file with at least one.")
        fields = [field.strip().strip('"') for field in first.rstrip("\r\n").split(delimiter)]
        self._names = fields if any(_as_number(field) is None for field in self._without_text(fields, label)) else None
        self._width = len(fields)
        self._label, self._weight = self._place(label, "label"), self._place(weight, "weight")
        self._columns = [k for k in range(self._width) if k not in (self._label, self._weight)]
        if not self._columns:
            raise InvalidInput(f"{path} has no column of features: {fields}. Is {delimiter!r} what separates them?")
        self._text_labels: bool | None = None
        self.batch_size = batch_size or _ROWS

    @staticmethod
    def _without_text(fields: list[str], label: str | int | None) -> list[str]:
        """The fields of the first line that tell whether it is a header: a label may be text in any line."""
        if isinstance(label, int) and -len(fields) <= label < len(fields):
            return [field for k, field in enumerate(fields) if k != label % len(fields)]
        return fields

    def _place(self, column: str | int | None, what: str) -> int | None:
        if column is None:
            return None
        if isinstance(column, str):
            if self._names is None or column not in self._names:
                raise InvalidInput(f"The '{what}' column {column!r} is not in {self.name}. Its header is {self._names}.")
            return self._names.index(column)
        if not -self._width <= column < self._width:
            raise InvalidInput(f"The '{what}' column {column} is not in {self.name}, which has {self._width} columns.")
        return column % self._width

    def _opened(self) -> Any:
        return open(self._path, encoding="utf-8", newline="")

    def batches(self, first: int) -> Iterator[Batch]:
        """Reads lines; those of blocks that are known already are counted only."""
        with self._opened() as file:
            lines = (line for line in file if line.strip())
            if self._names is not None:
                next(lines)
            number = 0
            while taken := list(islice(lines, self.batch_size)):
                self._mark.check(f"Block {number}")
                if number >= first:
                    yield self._batch(taken, number)
                number += 1

    def _batch(self, lines: list[str], number: int) -> Batch:
        begin = number * self.batch_size + 1
        where = f"Block {number} of {self.name} (rows {begin} to {begin + len(lines) - 1})"
        short = next((k for k, line in enumerate(lines) if line.count(self._delimiter) + 1 != self._width), None)
        if short is not None:
            raise InvalidInput(
                f"{where}: row {begin + short} has {lines[short].count(self._delimiter) + 1} fields, and the first line has"
                f" {self._width}."
            )
        X = self._numbers(lines, self._columns, where)
        weight = None if self._weight is None else self._numbers(lines, [self._weight], where)[:, 0]
        return Batch(X, None if self._label is None else self._labels(lines, where), weight)

    def _numbers(self, lines: list[str], columns: list[int], where: str) -> NDArray[np.float64]:
        text = io.StringIO("".join(line if line.endswith("\n") else line + "\n" for line in lines))
        try:
            return np.loadtxt(text, delimiter=self._delimiter, usecols=columns, ndmin=2, comments=None, quotechar='"')
        except ValueError as error:
            raise InvalidInput(f"{where}: {error} Columns of features hold numbers, none missing.") from error

    def _labels(self, lines: list[str], where: str) -> NDArray[Any]:
        assert self._label is not None
        fields = [line.rstrip("\r\n").split(self._delimiter)[self._label].strip().strip('"') for line in lines]
        if self._text_labels is None:
            self._text_labels = any(_as_number(field) is None for field in fields)
        if self._text_labels:
            return np.asarray(fields)
        numbers = [_as_number(field) for field in fields]
        if None in numbers:
            raise InvalidInput(f"{where}: the label {fields[numbers.index(None)]!r} is no number, and those before it are.")
        return np.asarray(numbers, dtype=np.float64)

    def check(self) -> None:
        """That it is the file that it was."""
        self._mark.check("Before the pass")


def _as_number(field: str) -> float | None:
    try:
        return float(field)
    except ValueError:
        return None
