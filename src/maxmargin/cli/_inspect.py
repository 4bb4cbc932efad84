"""``maxmargin inspect``: what a saved model is."""

from __future__ import annotations

import argparse
from typing import Any, Final

from maxmargin.cli._models import read_model
from maxmargin.cli._terminal import certificate_json, print_json

__all__ = ["add", "run"]

_TEXT: Final = """\
Show what a saved model is: formulation, kernel, certificate, support vectors.

examples:
  maxmargin inspect heart.mm
  maxmargin inspect heart.mm --json | jq .certificate.gap

exit codes: 0 done, 1 it failed, 2 wrong options
"""


def add(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Tell the parser about this command."""
    parser = subparsers.add_parser(
        "inspect",
        help="show what a saved model is",
        description=_TEXT,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("model", metavar="MODEL", help="saved model (.mm), LIBSVM's model, or -")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Print what the model is."""
    model = read_model(arguments.model)
    certificate = getattr(model, "certificate_", None)
    if arguments.json:
        print_json(_content(model, certificate))
        return 0
    if hasattr(model, "summary") and certificate is not None:
        print(model.summary())
        return 0
    for name, value in _content(model, None).items():
        print(f"{name:<20}{value if not isinstance(value, dict) else ', '.join(f'{k}={v}' for k, v in value.items())}")
    if certificate is None:
        print(f"{'certificate':<20}none in the file: maxmargin verify computes one from the training rows")
    return 0


def _content(model: Any, certificate: Any) -> dict[str, Any]:
    content: dict[str, Any] = {"model": type(model).__name__, "parameters": dict(model.get_params(deep=False))}
    for name, key in (("features", "n_features_in_"), ("classes", "classes_")):
        if hasattr(model, key):
            content[name] = getattr(model, key)
    if hasattr(model, "support_"):
        content["support_vectors"] = len(model.support_)
    if certificate is not None:
        content["certificate"] = certificate_json(certificate)
    return content
