"""``maxmargin tune``: choose parameters by cross-validation."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any, Final

import numpy as np

from maxmargin.cli._estimators import suited
from maxmargin.cli._rows import add_row_options, read_rows, require_labels, whole_labels
from maxmargin.cli._terminal import print_json, say, shows_progress
from maxmargin.errors import InvalidInput
from maxmargin.io import save
from maxmargin.model_selection import SVCCV, SVRCV, LinearSVCCV, LinearSVRCV, LogisticRegressionCV, NuSVCCV

__all__ = ["add", "run"]

_TEXT: Final = """\
Choose C and gamma by cross-validation, at the cost of a few fits, and save the
model with the best. The ranges are made from the rows unless they are given.

examples:
  maxmargin tune heart_scale --save heart.mm
  maxmargin tune iris.csv --label species --cs 0.1,1,10 --gammas 0.01,0.1,1
  maxmargin tune housing_scale -s svr --json

exit codes: 0 done, 1 it failed, 2 wrong options
"""
_MODELS: Final = {
    "svc": SVCCV,
    "nu-svc": NuSVCCV,
    "svr": SVRCV,
    "linear-svc": LinearSVCCV,
    "linear-svr": LinearSVRCV,
    "logistic": LogisticRegressionCV,
}
_REGRESSIONS: Final = ("svr", "linear-svr")


def add(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Tell the parser about this command."""
    parser = subparsers.add_parser(
        "tune",
        help="choose C and gamma by cross-validation",
        description=_TEXT,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("rows", metavar="ROWS", help="file of rows, or -")
    parser.add_argument("--save", metavar="MODEL", help="where to save the best model")
    parser.add_argument(
        "-s", "--model", choices=tuple(_MODELS), metavar="KIND", default="svc", help=f"{', '.join(_MODELS)} (default: svc)"
    )
    parser.add_argument("-t", "--kernel", metavar="KERNEL", help="of svc, nu-svc and svr (default: rbf)")
    parser.add_argument("--cs", type=_values, metavar="LIST", help="values of C (of nu for nu-svc), or their number")
    parser.add_argument("--gammas", type=_values, metavar="LIST", help="values of gamma, or their number")
    parser.add_argument("-v", "--folds", type=int, metavar="N", help="folds (default: 5)")
    parser.add_argument("-q", "--quiet", action="store_true", help="no progress")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    add_row_options(parser)
    parser.set_defaults(run=run)


def _values(text: str) -> int | list[float]:
    try:
        return int(text) if text.isdecimal() else [float(each) for each in text.split(",")]
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is no number and no list such as 0.1,1,10") from None


def run(arguments: argparse.Namespace) -> int:
    """Search, report, save."""
    if arguments.save is not None and not Path(arguments.save).parent.is_dir():
        raise InvalidInput(f"Cannot write {arguments.save}: there is no directory {Path(arguments.save).parent}.")
    search: Any = _MODELS[arguments.model]()
    known = search.get_params()
    costs = "nus" if "nus" in known else "Cs"
    for parameter, value in ((costs, arguments.cs), ("gammas", arguments.gammas), ("kernel", arguments.kernel)):
        if value is not None and parameter not in known:
            raise InvalidInput(f"The model {arguments.model!r} has no {parameter}. Leave the option out.")
        if value is not None:
            search.set_params(**{parameter: value})
    if arguments.folds is not None:
        search.set_params(cv=arguments.folds)
    search.set_params(verbose=int(shows_progress(arguments.quiet or arguments.json)))
    rows = read_rows(arguments, arguments.rows)
    y = require_labels(rows, arguments.rows)
    search.fit(suited(rows.X), y if arguments.model in _REGRESSIONS else whole_labels(y))
    if rows.names is not None:
        search.best_estimator_.feature_names_in_ = np.array(rows.names, dtype=object)
    if arguments.save is not None:
        save(search.best_estimator_, arguments.save)
    scores = search.cv_results_["mean_test_score"]
    if arguments.json:
        results = [
            {**dict(each), "score": float(score)} for each, score in zip(search.cv_results_["params"], scores, strict=True)
        ]
        print_json({"best": dict(search.best_params_), "score": search.best_score_, "file": arguments.save, "all": results})
        return 0
    print(", ".join(f"{name} = {_short(value)}" for name, value in search.best_params_.items()))
    print(f"score of held-out rows = {search.best_score_:.6g}, the best of {len(scores)} candidates")
    if arguments.save is not None:
        say(f"saved               {arguments.save}")
    return 0


def _short(value: Any) -> str:
    return f"{value:.6g}" if isinstance(value, float) else str(value)
