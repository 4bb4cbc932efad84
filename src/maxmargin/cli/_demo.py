"""``maxmargin demo``: real data, the certificate, scikit-learn beside it, and a picture."""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import numpy as np
from sklearn.datasets import load_breast_cancer, load_digits
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from maxmargin._version import installed_version
from maxmargin.cli._comparison import Comparison, compare
from maxmargin.errors import MaxmarginError
from maxmargin.estimators import SVC
from maxmargin.plots import canvas, decision_boundary
from maxmargin.solution import Kind

_PICTURE: Final = "maxmargin-demo.png"
_PICTURE_FEATURES: Final = ("worst texture", "worst concave points")
_KINDS: Final = {
    Kind.NON_INFORMATIVE: (
        "non-informative",
        "right, outside the margin band; the model would be the same without them",
    ),
    Kind.BOUNDARY: ("on the margin", "right, exactly on the edge of the band"),
    Kind.INSIDE_RIGHT: ("inside the band", "right, but closer to the boundary than the margin"),
    Kind.WRONG: ("misclassified", "on the wrong side of the boundary"),
}


def add(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Tell the parser about this command."""
    words = "train on real data, print the certificate beside scikit-learn's result, draw a picture"
    parser = subparsers.add_parser("demo", help=words, description=f"{words[0].upper()}{words[1:]}.")
    parser.add_argument(
        "--output",
        type=Path,
        metavar="PATH",
        help=f"where to write the picture: a file (png, svg, pdf) or a directory (default: ./{_PICTURE})",
    )
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Run the demonstration and return the exit code."""
    save = _saver(arguments.output)
    print(f"maxmargin {installed_version()}: support vector machines that prove their answer\n")
    cancer = load_breast_cancer()
    result = compare("Breast cancer", cancer.data, cancer.target, repeats=9)
    _print_comparison(result)
    _print_certificate(result)
    _print_kinds(result)
    digits = load_digits()
    _print_comparison(compare("Digits", digits.data, digits.target, repeats=5))
    figure = _draw(cancer)
    path = save(figure)
    print(f"Picture: {_PICTURE_FEATURES[0]} and {_PICTURE_FEATURES[1]} of the breast cancer data,")
    print(f"         with decision boundary, margin band and the four kinds of training object\n         {path}")
    return 0


def _print_comparison(result: Comparison) -> None:
    n, d = result.rows, result.features
    print(f"{result.name}: {n} training rows, {d} features, {result.classes} classes; standardised, RBF kernel, C = 1\n")
    pairs = result.classes * (result.classes - 1) // 2
    width = 20
    print(f"  {'':<20}{'maxmargin':>{width}}{f'scikit-learn {result.peer_version}':>{width}}")
    ours, theirs = result.ours, result.theirs
    lines = [
        (
            f"fit, median of {result.repeats}",
            f"{1e3 * ours.seconds:.3g} ms",
            f"{1e3 * theirs.seconds:.3g} ms",
        ),
        ("dual objective", f"{ours.dual:.9f}", f"{theirs.dual:.9f}"),
        ("primal objective", f"{ours.primal:.9f}", f"{theirs.primal:.9f}"),
        ("relative gap", f"{ours.relative_gap:.1e}", f"{theirs.relative_gap:.1e}"),
        ("support vectors", f"{ours.support_vectors}", f"{theirs.support_vectors}"),
        ("test accuracy", f"{ours.accuracy:.1%}", f"{theirs.accuracy:.1%}"),
    ]
    for words, mine, other in lines:
        print(f"  {words:<20}{mine:>{width}}{other:>{width}}")
    print(f"  {result.same} of {result.test_rows} test rows are predicted the same.", end="")
    print(f" Objectives are summed over the {pairs} pairs of classes.\n" if pairs > 1 else "\n")


def _print_certificate(result: Comparison) -> None:
    print("  Certificate (recomputed in float64 from the coefficients, not taken from the solver)\n")
    for line in str(result.model.certificate_).splitlines():
        print(f"    {line}")
    print()


def _print_kinds(result: Comparison) -> None:
    taxonomy = np.asarray(result.model.solutions_[0].taxonomy)
    print("  The training rows\n")
    for kind, (words, meaning) in _KINDS.items():
        print(f"    {int(np.sum(taxonomy == kind)):>5}  {words:<17}{meaning}")
    print()


def _draw(cancer: Any) -> Any:
    names = [str(name) for name in cancer.feature_names]
    columns = [names.index(feature) for feature in _PICTURE_FEATURES]
    X, y = cancer.data[:, columns], cancer.target_names[cancer.target]
    model = make_pipeline(StandardScaler(), SVC()).fit(X, y)
    figure, ax = canvas(9.0, 6.0)
    decision_boundary(model, X, y, ax=ax, feature_names=_PICTURE_FEATURES, resolution=300)
    ax.set_title("Breast cancer: SVC with RBF kernel, C = 1", loc="left")
    return figure


def _saver(output: Path | None) -> Callable[[Any], Path]:
    """Where the picture goes, checked before anything is computed."""
    if output is None:
        places = [Path.cwd() / _PICTURE, Path(tempfile.gettempdir()) / _PICTURE]
    else:
        path = output / _PICTURE if output.is_dir() else output
        if not path.parent.is_dir():
            raise MaxmarginError(
                f"Cannot write {path}: there is no directory {path.parent}. Create it, or choose another --output."
            )
        places = [path.absolute()]

    def save(figure: Any) -> Path:
        for place in places:
            try:
                figure.savefig(place, dpi=150)
            except (OSError, ValueError) as error:  # ValueError: a file ending that matplotlib does not know
                reason = error
            else:
                return place
        raise MaxmarginError(f"Cannot write {places[-1]}: {reason}. Choose another --output.")

    return save
