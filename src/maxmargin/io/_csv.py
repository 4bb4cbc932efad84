"""Tables of comma-separated values."""

from __future__ import annotations

import csv
import math
from collections import Counter
from collections.abc import Iterator
from typing import Any, Final

import numpy as np

from maxmargin.errors import InvalidInput
from maxmargin.io._bytes import Source, name_of_source, read_bytes
from maxmargin.io._svmlight import Rows

__all__ = ["read_csv"]

_DELIMITERS: Final = (",", ";", "\t", "|")
_SHOWN: Final = 40


def read_csv(
    path: Source,
    *,
    label: int | str | None = -1,
    header: bool | None = None,
    delimiter: str | None = None,
    max_bytes: int | None = None,
) -> Rows:
    """Read a table of comma-separated values whose columns are numbers, one of them the label.

    Parameters
    ----------
    path : str, path or binary file
        The file: UTF-8 text, plain or compressed by gzip, bzip2 or xz.
    label : int, str or None, default=-1
        The column of labels: its number from 0, or from the end if negative, or its name. None for a table without labels.
    header : bool or None, default=None
        Whether the first line has names; None if it has a field, other than the label, that is no number.
    delimiter : str or None, default=None
        What separates fields; None for the one of comma, semicolon, tab and "|" that the first line has most often, or blanks
        if it has none of them.
    max_bytes : int, default=None
        Largest number of decompressed bytes; None for 200 times the compressed ones, at least 64 MiB.

    Returns
    -------
    Rows
        The features as float64, labels as float64 if all are numbers and as strings otherwise, and the names of the features.

    Raises
    ------
    InvalidInput
        A field is no number, or a line has other fields than the first; the message has the line and the column.

    Examples
    --------
    >>> from io import BytesIO
    >>> from maxmargin.io import read_csv
    >>> rows = read_csv(BytesIO(b"width,height,kind\\n1,2.5,cat\\n3,4,dog\\n"), label="kind")
    >>> rows.X
    array([[1. , 2.5],
           [3. , 4. ]])
    >>> rows.y, rows.names
    (array(['cat', 'dog'], dtype='<U3'), ['width', 'height'])
    """
    name = name_of_source(path, "CSV file")
    if delimiter is not None and (not isinstance(delimiter, str) or len(delimiter) != 1 or delimiter in '"\r\n'):
        raise InvalidInput(f"The 'delimiter' parameter of read_csv must be one character. Got {delimiter!r}.")
    try:
        text = read_bytes(path, "CSV file", max_bytes).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InvalidInput(f"{name} is no UTF-8 text: {error}. Save it as UTF-8.") from None
    lines = _fields(text, delimiter, name)
    first = next(lines, None)
    if first is None:
        raise InvalidInput(f"{name} is empty. Give a table with a line for each row.")
    number, fields = first
    place = _place(label, fields, name)
    others = [field for column, field in enumerate(fields) if column != place]
    has_names = header if header is not None else isinstance(label, str) or any(_number(field) is None for field in others)
    if isinstance(label, str) and not has_names:
        raise InvalidInput(f"The label of {name} is named {label!r}, but header=False. Give its number.")
    body = lines if has_names else _with(number, fields, lines)
    width = len(fields) - (place is not None)
    if width == 0:
        raise InvalidInput(f"{name} has one column, the label. Give features too, or label=None.")
    names = [field.strip() for column, field in enumerate(fields) if column != place] if has_names else None
    rows, labels = _columns(body, len(fields), place, name, names)
    if not rows:
        raise InvalidInput(f"{name} has no rows after its header.")
    return Rows(
        np.array(rows, dtype=np.float64).reshape(len(rows), width), None if place is None else _labels(labels), None, names
    )


def _fields(text: str, delimiter: str | None, name: str) -> Iterator[tuple[int, list[str]]]:
    """The lines that are not empty, with their numbers."""
    lines = text.splitlines(keepends=True)
    begin = next((line for line in lines if line.strip()), "")
    counts = Counter(begin)
    often = max(_DELIMITERS, key=lambda each: (counts[each], -_DELIMITERS.index(each)))
    chosen = delimiter or (often if counts[often] else " ")  # names may have blanks
    reader = csv.reader(lines, delimiter=chosen, skipinitialspace=True, strict=True)
    while True:
        try:
            fields = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            raise InvalidInput(f"Line {reader.line_num} of {name} is no CSV: {error}. Check its quotes.") from None
        if any(field.strip() for field in fields):
            yield reader.line_num, fields


def _with(number: int, fields: list[str], rest: Iterator[tuple[int, list[str]]]) -> Iterator[tuple[int, list[str]]]:
    yield number, fields
    yield from rest


def _place(label: Any, fields: list[str], name: str) -> int | None:
    """The number of the label's column."""
    count = len(fields)
    if label is None:
        return None
    if isinstance(label, str):
        names = [field.strip() for field in fields]
        if names.count(label) != 1:
            found = "twice or more among" if label in names else "not among"
            known = ", ".join(map(repr, names[:8])) + (", …" if len(names) > 8 else "")
            raise InvalidInput(
                f"The label {label!r} is {found} the columns of {name}: {known}. Give the name of one column, or its number."
            )
        return names.index(label)
    if isinstance(label, bool) or not isinstance(label, int) or not -count <= label < count:
        raise InvalidInput(
            f"The 'label' of {name} must be a name, None or a number from {-count} to {count - 1}. Got {label!r}."
        )
    return label % count


def _columns(
    lines: Iterator[tuple[int, list[str]]], width: int, place: int | None, name: str, names: list[str] | None
) -> tuple[list[list[float]], list[str]]:
    rows, labels = [], []
    for number, fields in lines:
        if len(fields) != width:
            raise InvalidInput(f"Line {number} of {name} has {len(fields)} fields, the first line has {width}.")
        if place is not None:
            labels.append(fields[place].strip())
        kept = fields if place is None else fields[:place] + fields[place + 1 :]
        try:
            row = list(map(float, kept))
        except ValueError:
            row = [math.nan]
        if not all(map(math.isfinite, row)):
            raise InvalidInput(_fault(kept, number, place, name, names))
        rows.append(row)
    return rows, labels


def _fault(fields: list[str], number: int, place: int | None, name: str, names: list[str] | None) -> str:
    column = next(at for at, field in enumerate(fields) if _number(field) is None)
    shown = column + (place is not None and column >= place) if names is None else repr(names[column])
    advice = "Fill what is missing, code words as numbers, and say which column is the label if it is this one."
    return f"Line {number} of {name} has {fields[column][:_SHOWN]!r} in column {shown}, which is no finite number. {advice}"


def _number(field: str) -> float | None:
    try:
        value = float(field)
    except ValueError:
        return None
    return value if math.isfinite(value) else None


def _labels(labels: list[str]) -> Any:
    numbers = [_number(each) for each in labels]
    return np.array(labels) if any(each is None for each in numbers) else np.array(numbers, dtype=np.float64)
