"""``maxmargin train``: fit a model to a file, certify it, save it."""

from __future__ import annotations

import argparse
import sys
import time
from io import BytesIO
from pathlib import Path
from typing import Any, Final

import numpy as np
from sklearn.model_selection import cross_val_score

from maxmargin.cli._estimators import add_model_options, classifies, estimator_of, has_labels, suited
from maxmargin.cli._rows import add_row_options, read_rows, require_labels, whole_labels
from maxmargin.cli._terminal import CERTIFIED, NOT_OPTIMAL, certificate_json, print_json, say, shows_progress
from maxmargin.errors import InvalidInput
from maxmargin.io import save

__all__ = ["add", "run"]

_TEXT: Final = """\
Fit a model to the rows of a file, print its certificate (a proof of how near it
is to the optimum), and save it. The options of svm-train mean the same.

examples:
  maxmargin train heart_scale -C 1 --save heart.mm
  maxmargin train iris.csv --label species --save iris.mm
  xz -dc a9a.xz | maxmargin train - -s linear-svc -c 0.1 --save a9a.mm
  maxmargin train heart_scale -v 5          cross-validate, save nothing

exit codes: 0 the model is optimal and saved, 1 it failed, 2 wrong options,
3 saved, but a limit came before the optimum
"""


def add(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Tell the parser about this command."""
    parser = subparsers.add_parser(
        "train",
        help="fit a model to a file of rows, certify and save it",
        description=_TEXT,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        add_help=False,
    )
    parser.add_argument("--help", action="help", help="show this help")
    parser.add_argument("rows", metavar="ROWS", help="file of rows, or -")
    parser.add_argument("old_name", metavar="MODEL", nargs="?", help="the same as --save, as svm-train has it")
    parser.add_argument("--save", metavar="MODEL", help="where to save (default: the name of the rows, with .mm)")
    parser.add_argument("-v", "--folds", type=int, metavar="N", help="cross-validate in N folds instead of saving")
    shrinks = ("0", "1", "help")
    parser.add_argument(
        "-h", "--shrinking", choices=shrinks, metavar="0|1", nargs="?", const="help", help="svm-train's shrinking"
    )
    parser.add_argument("-q", "--quiet", action="store_true", help="no progress, no certificate")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    add_model_options(parser)
    add_row_options(parser)
    parser.set_defaults(run=run, parser=parser)


def run(arguments: argparse.Namespace) -> int:
    """Train, report, save."""
    if arguments.shrinking == "help":  # -h alone, where people look for help
        arguments.parser.print_help()
        return 0
    place = _place(arguments)
    supervised = has_labels(arguments)
    rows = read_rows(arguments, arguments.rows, labels=True if supervised or arguments.label is not None else None)
    quiet = arguments.json or not shows_progress(arguments.quiet)
    X, y = suited(rows.X), require_labels(rows, arguments.rows) if supervised else None
    model = estimator_of(arguments, None if y is None else whole_labels(y), quiet=quiet)
    if y is not None and classifies(model):
        y = whole_labels(y)
    elif y is not None and y.dtype.kind not in "biuf":
        raise InvalidInput(f"A regression needs numbers as targets. Got {y[:3].tolist()} in {arguments.rows}.")
    if arguments.shrinking is not None and "shrinking" in model.get_params():
        model.set_params(shrinking=arguments.shrinking == "1")
    if arguments.folds is not None:
        return _cross_validate(arguments, model, X, y)
    begun = time.perf_counter()
    model.fit(X, y)
    seconds = time.perf_counter() - begun
    model.set_params(verbose=False)
    if rows.names is not None:
        model.feature_names_in_ = np.array(rows.names, dtype=object)
    _save(model, place)
    certificate = model.certificate_
    if arguments.json:
        content: dict[str, Any] = {"model": type(model).__name__, "file": place, "rows": X.shape[0], "features": X.shape[1]}
        content |= {"seconds": seconds, "certificate": certificate_json(certificate)}
        if hasattr(model, "support_"):
            content["support_vectors"] = len(model.support_)
        print_json(content)
    elif not arguments.quiet:
        say(f"{type(model).__name__} of {X.shape[0]} rows and {X.shape[1]} features, {seconds:.3g} s")
        if hasattr(model, "support_"):
            say(f"support vectors     {len(model.support_)}")
        say(f"{certificate}\nsaved               {'standard output' if place == '-' else place}")
    return CERTIFIED if certificate.status.is_optimal else NOT_OPTIMAL


def _place(arguments: argparse.Namespace) -> str:
    """Where the model goes, looked at before anything is computed."""
    if arguments.save is not None and arguments.old_name is not None:
        raise InvalidInput(f"The model has two names: {arguments.old_name!r} and --save {arguments.save!r}. Give one.")
    given = arguments.save or arguments.old_name
    if given is None and arguments.rows == "-" and arguments.folds is None:
        raise InvalidInput("Rows from standard input have no name that the model could have. Say --save MODEL.")
    place = str(given or Path(Path(arguments.rows).name.split(".")[0] + ".mm"))
    if place != "-" and not Path(place).parent.is_dir():
        raise InvalidInput(f"Cannot write {place}: there is no directory {Path(place).parent}. Create it, or choose another.")
    if place == "-" and arguments.json:
        raise InvalidInput("--save - writes the model to standard output, where --json prints. Save it to a file.")
    return place


def _save(model: Any, place: str) -> None:
    if place != "-":
        save(model, place)
        return
    buffer = BytesIO()  # a pipe cannot seek
    save(model, buffer)
    sys.stdout.buffer.write(buffer.getvalue())


def _cross_validate(arguments: argparse.Namespace, model: Any, X: Any, y: Any) -> int:
    if y is None:
        raise InvalidInput("Cross-validation needs labels: a model of one class has none to compare with.")
    scores = cross_val_score(model.set_params(verbose=False), X, y, cv=arguments.folds)
    kind = "accuracy" if classifies(model) else "r2"
    if arguments.json:
        print_json({"folds": scores, kind: scores.mean()})
    else:
        text, spread = (
            (f"{scores.mean():.4%}", f"{scores.std():.2%}")
            if kind == "accuracy"
            else (f"{scores.mean():.6g}", f"{scores.std():.2g}")
        )
        print(f"cross-validation {kind} = {text} (± {spread} over {len(scores)} folds)")
    return 0
