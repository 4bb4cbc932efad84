"""Rows that a command reads: from a file or from standard input, LIBSVM's format or CSV."""

from __future__ import annotations

import argparse
import io
import sys
from pathlib import Path
from typing import Any, Final

import numpy as np

from maxmargin.errors import InvalidInput
from maxmargin.io import Rows, first_bytes, read_csv, read_svmlight

__all__ = ["add_row_options", "columns_as_trained", "format_of", "read_rows", "require_labels", "whole_labels"]

FORMATS: Final = {".csv": "csv", ".tsv": "csv", ".txt": "", ".libsvm": "svmlight", ".svmlight": "svmlight", ".svm": "svmlight"}
_COMPRESSED: Final = (".gz", ".bz2", ".xz")
_LOOKED_AT: Final = 4096
_MOST_COLUMNS: Final = 1 << 24


def add_row_options(parser: argparse.ArgumentParser, *, labels: bool = True) -> None:
    """Options that say how rows are to be read."""
    group = parser.add_argument_group("rows", "LIBSVM's text or CSV, plain or compressed; '-' is standard input")
    group.add_argument("--format", choices=("auto", "svmlight", "csv"), default="auto", help="auto: by name and first line")
    if labels:
        words = "CSV: column of the label, by name or number from 0 (default: the last; none: no labels)"
        group.add_argument("--label", metavar="COLUMN", default=None, help=words)
    group.add_argument("--header", action=argparse.BooleanOptionalAction, default=None, help="CSV: whether line 1 has names")
    group.add_argument("--delimiter", metavar="CHAR", help="CSV: what separates fields (default: automatic)")
    words = "largest size of a compressed file when decompressed (default: 200 times its own)"
    group.add_argument("--max-bytes", type=int, metavar="N", help=words)
    words = "LIBSVM's text: largest index (default: 16777216, or 10 times the numbers in the file if that is more)"
    group.add_argument("--max-columns", type=int, metavar="N", help=words)


def format_of(path: str, begin: bytes) -> str:
    """ "csv" or "svmlight", by the name of a file or by its first line."""
    name = Path(path)
    while name.suffix in _COMPRESSED:
        name = name.with_suffix("")
    if FORMATS.get(name.suffix.lower()):
        return FORMATS[name.suffix.lower()]
    line = next((each for each in begin.split(b"\n") if each.strip() and not each.startswith(b"#")), b"")
    words = line.partition(b"#")[0].split()
    entries = words[1:]
    looks = (
        all(b":" in word for word in entries) and not any(mark in words[0] for mark in (b",", b";", b":")) if words else False
    )
    return "svmlight" if looks else "csv"


def read_rows(arguments: argparse.Namespace, path: str, *, n_features: int | None = None, labels: bool | None = True) -> Rows:
    """Read the rows of a command; a CSV table may lack the column of labels where `labels` is None."""
    data = sys.stdin.buffer.read() if path == "-" else Path(path).read_bytes()
    source = io.BytesIO(data)
    source.name = "standard input" if path == "-" else path  # for messages
    kind = arguments.format
    if kind == "auto":
        kind = format_of(path, first_bytes(data, _LOOKED_AT))
    if kind == "svmlight":
        rows = read_svmlight(source, max_bytes=arguments.max_bytes)
        if n_features is None:
            _check_columns(rows.X, source.name, arguments.max_columns)
            return rows
        if rows.X.shape[1] > n_features:
            raise InvalidInput(
                f"{source.name} has the index {rows.X.shape[1]}, and the model was trained on {n_features} features. Give rows"
                " with the features of its training."
            )
        rows.X.resize(rows.X.shape[0], n_features)
        return rows
    label = _column(getattr(arguments, "label", None)) if labels is not False else None
    given = {"header": arguments.header, "delimiter": arguments.delimiter, "max_bytes": arguments.max_bytes}
    if labels is not None or n_features is None:
        return read_csv(source, label=label, **given)
    if getattr(arguments, "label", None) is None:  # to predict: with the label last, or without
        fault: InvalidInput | None = None
        try:
            found = read_csv(source, label=None, **given)
            if found.X.shape[1] <= n_features:
                return found
        except InvalidInput as error:  # labels are often words
            fault = error
        source.seek(0)
        try:
            return read_csv(source, label=label, **given)
        except InvalidInput as error:
            raise (fault or error) from None
    return read_csv(source, label=label, **given)


def _check_columns(X: Any, name: str, allowed: int | None) -> None:
    """Models keep numbers for each column: one wrong index in a small file must not ask for gigabytes."""
    most = max(_MOST_COLUMNS, 10 * X.nnz) if allowed is None else allowed
    if X.shape[1] > most:
        row = int(np.searchsorted(X.indptr, X.indices.argmax(), side="right"))
        raise InvalidInput(
            f"Row {row} of {name} has the index {X.shape[1]}, and the file {X.nnz} numbers in all. If that is no mistake, allow"
            f" it: --max-columns {X.shape[1]}."
        )


def _column(text: str | None) -> int | str | None:
    if text is None:
        return -1
    if text == "none":
        return None
    return int(text) if text.lstrip("-").isdecimal() else text


def columns_as_trained(model: Any, X: Any, names: list[str] | None) -> Any:
    """Rows with their columns in the order of the training, where both have names."""
    known = getattr(model, "feature_names_in_", None)
    if known is None:
        return X
    vars(model).pop("feature_names_in_")  # checked here
    if names is None:
        return X
    missing = [name for name in known if name not in names]
    if missing:
        raise InvalidInput(f"The rows lack the columns {', '.join(map(repr, missing[:8]))} that the model was trained on.")
    return np.ascontiguousarray(X[:, [names.index(name) for name in known]])


def whole_labels(y: Any) -> Any:
    """Labels of classes: whole numbers as integers, so that 1.0 is 1."""
    labels = np.asarray(y)
    is_whole = labels.dtype.kind == "f" and bool((labels == np.floor(labels)).all()) and np.abs(labels).max(initial=0.0) < 2**53
    return labels.astype(np.int64) if is_whole else labels


def require_labels(rows: Rows, path: str) -> Any:
    """The labels; raises where the file has none."""
    if rows.y is None:
        raise InvalidInput(f"{path} was read without labels. Name their column: --label COLUMN.")
    return rows.y
