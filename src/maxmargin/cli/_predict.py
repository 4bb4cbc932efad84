"""``maxmargin predict``: labels of rows by a saved model."""

from __future__ import annotations

import argparse
import sys
from typing import Any, Final

import numpy as np

from maxmargin.cli._estimators import classifies, suited
from maxmargin.cli._models import read_model
from maxmargin.cli._rows import add_row_options, columns_as_trained, read_rows, whole_labels
from maxmargin.cli._terminal import print_json, say
from maxmargin.errors import InvalidInput

__all__ = ["add", "run"]

_TEXT: Final = """\
Predict rows by a saved model, or by one of LIBSVM: one prediction in a line.
Where the rows have labels, the accuracy goes to standard error.

examples:
  maxmargin predict heart.mm heart_scale > labels.txt
  maxmargin predict heart.mm new.csv --label none --scores
  maxmargin train heart_scale --save - -q | maxmargin predict - heart_scale

exit codes: 0 done, 1 it failed, 2 wrong options
"""


def add(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Tell the parser about this command."""
    parser = subparsers.add_parser(
        "predict",
        help="predict rows by a saved model",
        description=_TEXT,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("model", metavar="MODEL", help="saved model (.mm), LIBSVM's model, or -")
    parser.add_argument("rows", metavar="ROWS", help="file of rows, or -")
    parser.add_argument("output", metavar="OUTPUT", nargs="?", default="-", help="where to write (default: standard output)")
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--scores", action="store_true", help="decision values instead of labels")
    what.add_argument("-b", "--probability", type=int, choices=(0, 1), default=0, help="1: probabilities of all classes")
    parser.add_argument("-q", "--quiet", action="store_true", help="no accuracy")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    add_row_options(parser)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Predict and print."""
    if arguments.model == arguments.rows == "-":
        raise InvalidInput("Model and rows cannot both come from standard input. Give a file for one of them.")
    model = read_model(arguments.model)
    if not hasattr(model, "predict"):
        raise InvalidInput(f"A {type(model).__name__} predicts nothing: it transforms rows. Load it in Python.")
    rows = read_rows(arguments, arguments.rows, n_features=getattr(model, "n_features_in_", None), labels=None)
    X = suited(rows.X, model)
    X = columns_as_trained(model, X, rows.names)
    found, names = _asked(arguments, model, X)
    content: dict[str, Any] = {names: found}
    if names == "probabilities":
        content["classes"] = model.classes_
    content |= _quality(model, X, rows.y, found if names == "predictions" else None)
    if arguments.json:
        text = None
        print_json(content)
    else:
        text = "".join(" ".join(map(_word, np.atleast_1d(row).tolist())) + "\n" for row in found)
        if names == "probabilities":
            text = "labels " + " ".join(map(_word, model.classes_.tolist())) + "\n" + text
    if text is not None and arguments.output == "-":
        sys.stdout.write(text)
    elif text is not None:
        with open(arguments.output, "w", encoding="utf-8") as file:
            file.write(text)
    if not arguments.quiet and not arguments.json:
        _report(content, X.shape[0])
    return 0


def _asked(arguments: argparse.Namespace, model: Any, X: Any) -> tuple[Any, str]:
    if arguments.probability:
        if not hasattr(model, "predict_proba"):
            raise InvalidInput("The model has no probabilities. Train it with -b 1, or choose the model logistic.")
        return model.predict_proba(X), "probabilities"
    if arguments.scores and hasattr(model, "decision_function"):
        return model.decision_function(X), "scores"
    return model.predict(X), "predictions"


def _quality(model: Any, X: Any, y: Any, predicted: Any) -> dict[str, Any]:
    """Accuracy of a classifier, mean squared error of a regressor, where labels are known."""
    if y is None or hasattr(model, "offset_"):
        return {}
    predicted = model.predict(X) if predicted is None else predicted
    if hasattr(model, "classes_") or classifies(model):
        return {"accuracy": float(np.mean(_comparable(predicted) == _comparable(whole_labels(y))))}
    if np.asarray(y).dtype.kind not in "biuf" or np.ndim(predicted) != 1:
        return {}
    return {"mean_squared_error": float(np.mean((predicted - y) ** 2))}


def _comparable(labels: Any) -> Any:
    labels = whole_labels(labels)
    return labels if labels.dtype.kind in "iu" else labels.astype(str)


def _report(content: dict[str, Any], n: int) -> None:
    if "accuracy" in content:
        right = round(content["accuracy"] * n)
        say(f"accuracy = {content['accuracy']:.4%} ({right} of {n})")
    if "mean_squared_error" in content:
        say(f"mean squared error = {content['mean_squared_error']:.6g}")


def _word(value: Any) -> str:
    """A number with all its digits, whole ones without a point; a label as it is."""
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() and abs(value) < 1e15 else repr(value)
    return str(value)
