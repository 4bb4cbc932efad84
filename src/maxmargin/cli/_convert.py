"""``maxmargin convert``: models and rows in another format."""

from __future__ import annotations

import argparse
import csv
from importlib import import_module
from io import StringIO
from pathlib import Path
from typing import Any, Final

import numpy as np
from scipy import sparse

from maxmargin.cli._models import is_model, read_model
from maxmargin.cli._rows import add_row_options, read_rows, require_labels, whole_labels
from maxmargin.cli._terminal import say
from maxmargin.errors import InvalidInput, MissingExtra
from maxmargin.io import save, to_c, write_libsvm, write_svmlight

__all__ = ["add", "run"]

_TEXT: Final = """\
Write a model or rows in another format, told by the suffix or by --to.

  models   .mm (maxmargin), .model (LIBSVM), .onnx, .c
  rows     .csv, .libsvm or .svmlight (LIBSVM's text)

examples:
  maxmargin convert heart.mm heart.model          for svm-predict
  maxmargin convert heart_scale.model heart.mm    from svm-train
  maxmargin convert heart.mm heart.onnx
  maxmargin convert heart.mm heart.c              one function in C
  maxmargin convert iris.csv iris.libsvm --label species

exit codes: 0 done, 1 it failed, 2 wrong options
"""
_MOST_FIELDS: Final = 100_000_000
_MODELS: Final = {".mm": "mm", ".model": "libsvm", ".onnx": "onnx", ".c": "c"}
_ROWS: Final = {".csv": "csv", ".libsvm": "svmlight", ".svmlight": "svmlight", ".svm": "svmlight", ".txt": "svmlight"}


def add(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Tell the parser about this command."""
    parser = subparsers.add_parser(
        "convert",
        help="write a model or rows in another format",
        description=_TEXT,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("input", metavar="INPUT", help="a model or rows; rows also from -")
    parser.add_argument("output", metavar="OUTPUT", help="where to write")
    kinds = tuple(dict.fromkeys([*_MODELS.values(), *_ROWS.values()]))
    parser.add_argument("--to", choices=kinds, help="the format (default: by the suffix of OUTPUT)")
    add_row_options(parser)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Read one format, write the other."""
    model = is_model(arguments.input)
    known = _MODELS if model else _ROWS
    kind = str(arguments.to or known.get(Path(arguments.output).suffix.lower(), ""))
    if kind not in known.values():
        what = "a model" if model else "rows"
        raise InvalidInput(
            f"{arguments.input} holds {what}, which cannot be written as {kind or Path(arguments.output).suffix!r}. Name the"
            f" file with {', '.join(known)}, or say --to."
        )
    if model:
        _write_model(read_model(arguments.input), kind, arguments.output)
    else:
        _write_rows(arguments, kind)
    say(f"{arguments.input} → {arguments.output} ({kind})")
    return 0


def _write_model(model: Any, kind: str, path: str) -> None:
    if kind == "mm":
        save(model, path)
    elif kind == "libsvm":
        write_libsvm(model, path)
    elif kind == "c":
        source = to_c(model, "predict")
        Path(path).write_text(source, encoding="ascii")
    else:
        import_module("maxmargin.onnx").register()
        try:
            write = import_module("skl2onnx").to_onnx
        except ImportError:
            raise MissingExtra('ONNX needs skl2onnx. Install it with: pip install "maxmargin[onnx]"') from None
        data = write(model, np.zeros((1, model.n_features_in_), dtype=np.float32)).SerializeToString()
        Path(path).write_bytes(data)


def _write_rows(arguments: argparse.Namespace, kind: str) -> None:
    rows = read_rows(arguments, arguments.input)
    y = whole_labels(require_labels(rows, arguments.input))
    if kind == "svmlight":
        if y.dtype.kind == "U":  # LIBSVM's labels are numbers
            names, y = np.unique(y, return_inverse=True)
            say("labels: " + ", ".join(f"{code} = {name}" for code, name in enumerate(names)))
        write_svmlight(arguments.output, rows.X, y)
        return
    fields = rows.X.shape[0] * rows.X.shape[1]
    if fields > _MOST_FIELDS:
        raise InvalidInput(
            f"As a table {arguments.input} has {fields} fields; at most {_MOST_FIELDS} are written. Keep LIBSVM's text, which"
            " leaves out zeros: name the output with .libsvm."
        )
    table = rows.X.toarray() if sparse.issparse(rows.X) else rows.X
    buffer = StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow([*(rows.names or [f"x{k}" for k in range(table.shape[1])]), "label"])
    writer.writerows([*map(repr, row), label] for row, label in zip(table.tolist(), y.tolist(), strict=True))
    Path(arguments.output).write_text(buffer.getvalue(), encoding="utf-8")
