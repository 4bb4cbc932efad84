"""``maxmargin verify``: the certificate, computed anew from a model and its rows."""

from __future__ import annotations

import argparse
from typing import Any, Final

from maxmargin.cli._estimators import suited
from maxmargin.cli._models import read_model
from maxmargin.cli._rows import add_row_options, columns_as_trained, read_rows, whole_labels
from maxmargin.cli._terminal import CERTIFIED, NOT_OPTIMAL, certificate_json, print_json
from maxmargin.errors import InvalidInput
from maxmargin.inspection import verify

__all__ = ["add", "run"]

_TEXT: Final = """\
Compute the certificate of a model anew, from its file and the rows it was
trained on, and nothing else: what the fit said of itself is not believed.
Models that svm-train wrote are verified too; their files lack C, so say -C.

examples:
  maxmargin verify heart.mm heart_scale
  maxmargin verify heart_scale.model heart_scale -C 1

exit codes: 0 the model is optimal, 1 it failed (as for other rows than those of
training), 2 wrong options, 3 the model is not optimal
"""


def add(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Tell the parser about this command."""
    parser = subparsers.add_parser(
        "verify",
        help="compute the certificate of a saved model anew",
        description=_TEXT,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("model", metavar="MODEL", help="saved model (.mm), LIBSVM's model, or -")
    parser.add_argument("rows", metavar="ROWS", help="the rows it was trained on, or -")
    parser.add_argument("-c", "-C", "--cost", type=float, metavar="C", help="for LIBSVM's models (default: 1)")
    parser.add_argument("-n", "--nu", type=float, metavar="NU", help="for LIBSVM's models (default: 0.5)")
    parser.add_argument("-p", "--epsilon", type=float, metavar="EPS", help="for LIBSVM's models (default: 0.1)")
    parser.add_argument("-e", "--tol", type=float, metavar="TOL", help="largest violation (default: the model's)")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    add_row_options(parser)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Verify and print."""
    if arguments.model == arguments.rows == "-":
        raise InvalidInput("Model and rows cannot both come from standard input. Give a file for one of them.")
    model = read_model(arguments.model)
    _set(model, arguments)
    unlabelled = hasattr(model, "offset_")
    rows = read_rows(arguments, arguments.rows, n_features=_width(model), labels=None if unlabelled else True)
    y = rows.y if rows.y is None or not hasattr(model, "classes_") else whole_labels(rows.y)
    X = columns_as_trained(model, suited(rows.X, model), rows.names)
    certificate = verify(model, X, None if unlabelled else y)
    optimal = certificate.status.is_optimal
    if arguments.json:
        content = {**certificate_json(certificate), "status": certificate.status.name if optimal else "NOT_OPTIMAL"}
        content["message"] = _verdict(optimal, model)
        print_json({"model": type(model).__name__, "rows": rows.X.shape[0], "certificate": content})
    else:
        print(f"{type(model).__name__} on {rows.X.shape[0]} rows, from {arguments.model} and {arguments.rows} alone")
        for name, value in certificate.rows()[:-1]:
            print(f"{name:<20}{value}")
        print(f"{'verdict':<20}{_verdict(optimal, model)}")
    return CERTIFIED if optimal else NOT_OPTIMAL


def _verdict(optimal: bool, model: Any) -> str:
    tol = f"within the tolerance {model.tol:g}"
    return f"proven optimal {tol}" if optimal else f"not proven optimal {tol}: the optimum is in between the two objectives"


def _width(model: Any) -> int | None:
    """Columns of the rows; a model of LIBSVM knows those of its support vectors only."""
    foreign = hasattr(model, "support_vectors_") and not hasattr(model, "certificate_")
    return None if foreign else getattr(model, "n_features_in_", None)


def _set(model: Any, arguments: argparse.Namespace) -> None:
    """Parameters that the file does not have."""
    for option, parameter in (("cost", "C"), ("nu", "nu"), ("epsilon", "epsilon"), ("tol", "tol")):
        value = getattr(arguments, option)
        if value is None:
            continue
        if parameter not in model.get_params():
            raise InvalidInput(f"A {type(model).__name__} has no parameter {parameter}. Leave the option out.")
        model.set_params(**{parameter: value})
