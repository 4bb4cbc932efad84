"""From options, ``svm-train``'s among them, to an estimator."""

from __future__ import annotations

import argparse
import re
from collections.abc import Sequence
from typing import Any, Final

from scipy import sparse

from maxmargin.errors import InvalidInput
from maxmargin.estimators import (
    SVC,
    SVDD,
    SVR,
    LinearOneClassSVM,
    LinearSVC,
    LinearSVR,
    LogisticRegression,
    NuSVC,
    NuSVR,
    OneClassSVM,
)

__all__ = ["MODELS", "add_model_options", "class_weights_apart", "classifies", "estimator_of", "has_labels", "suited"]

MODELS: Final[dict[str, type]] = {
    "svc": SVC,
    "nu-svc": NuSVC,
    "one-class": OneClassSVM,
    "svr": SVR,
    "nu-svr": NuSVR,
    "svdd": SVDD,
    "linear-svc": LinearSVC,
    "logistic": LogisticRegression,
    "linear-svr": LinearSVR,
    "linear-one-class": LinearOneClassSVM,
}
_BY_NUMBER: Final = dict(zip("01234", MODELS, strict=False))
_KERNELS: Final = ("linear", "poly", "rbf", "sigmoid")
_DENSE: Final = 0.5  # of the entries: beyond, an array is smaller and faster than a sparse matrix
_PARAMETERS: Final = {
    "cost": "C",
    "nu": "nu",
    "epsilon": "epsilon",
    "degree": "degree",
    "gamma": "gamma",
    "coef0": "coef0",
    "tol": "tol",
    "cache": "cache_size",
    "max_iter": "max_iter",
    "max_time": "max_time",
    "multi_class": "multi_class",
    "penalty": "penalty",
    "loss": "loss",
}
"""Options that are parameters of estimators."""


def class_weights_apart(argv: Sequence[str]) -> list[str]:
    """``-w1 2`` of svm-train as ``--class-weight 1=2``."""
    found, rest = [], list(argv)
    while rest:
        word = rest.pop(0)
        label = re.fullmatch(r"-w(-?\d+)", word)
        found += [f"--class-weight={label[1]}={rest.pop(0)}"] if label and rest else [word]
    return found


def add_model_options(parser: argparse.ArgumentParser) -> None:
    """Options that describe a model: svm-train's letters, and words."""
    group = parser.add_argument_group("model", "svm-train's options, and words for them")
    words = f"{', '.join(MODELS)}; or svm-train's number 0 to 4 (default: svc)"
    group.add_argument("-s", "--model", metavar="KIND", default="svc", help=words)
    words = "linear, poly, rbf, sigmoid, laplacian, chi2, …; or svm-train's number 0 to 3 (default: rbf)"
    group.add_argument("-t", "--kernel", metavar="KERNEL", help=words)
    group.add_argument("-c", "-C", "--cost", type=float, metavar="C", help="cost of slack (default: 1)")
    group.add_argument("-g", "--gamma", type=_number_or_word, metavar="GAMMA", help="number, scale or auto (default: scale)")
    group.add_argument("-d", "--degree", type=int, metavar="N", help="degree of the poly kernel (default: 3)")
    group.add_argument("-r", "--coef0", type=float, metavar="R", help="constant of poly and sigmoid (default: 0)")
    group.add_argument("-n", "--nu", type=float, metavar="NU", help="fraction of nu-svc, nu-svr, one-class (default: 0.5)")
    group.add_argument("-p", "--epsilon", type=float, metavar="EPS", help="half width of the tube of svr (default: 0.1)")
    group.add_argument("-e", "--tol", type=float, metavar="TOL", help="when to stop (default: 0.001)")
    group.add_argument("-m", "--cache", type=float, metavar="MB", help="memory for kernel values (default: automatic)")
    group.add_argument("-b", "--probability", type=int, choices=(0, 1), help="1: fit probabilities too (default: 0)")
    words = "weight of a class; -wLABEL W does the same; 'balanced' for equal totals"
    group.add_argument("--class-weight", action="append", metavar="LABEL=W", help=words)
    group.add_argument("--multi-class", metavar="HOW", help="ovo, ovr or joint (default: ovo)")
    group.add_argument("--penalty", metavar="KIND", help="l2 or l1, of linear-svc (default: l2)")
    group.add_argument("--loss", metavar="KIND", help="of linear-svc, linear-svr, svc (default: the model's)")
    group.add_argument("--max-iter", type=int, metavar="N", help="largest number of steps (default: automatic)")
    group.add_argument("--max-time", type=float, metavar="S", help="limit of the fit in seconds (default: none)")


def _number_or_word(text: str) -> float | str:
    try:
        return float(text)
    except ValueError:
        return text


def _kind(arguments: argparse.Namespace) -> str:
    kind = str(_BY_NUMBER.get(arguments.model, arguments.model))
    if kind not in MODELS:
        raise InvalidInput(f"-s, --model must be one of {', '.join(MODELS)}, or 0 to 4. Got {arguments.model!r}.")
    return kind


def has_labels(arguments: argparse.Namespace) -> bool:
    """Whether the model is fitted to labels or targets."""
    return _kind(arguments) not in ("one-class", "svdd", "linear-one-class")


def classifies(model: Any) -> bool:
    """Whether labels are classes."""
    return getattr(model, "_estimator_type", None) == "classifier" or hasattr(model, "class_weight")


def estimator_of(arguments: argparse.Namespace, labels: Any, *, quiet: bool) -> Any:
    """The estimator that the options describe."""
    kind = _kind(arguments)
    model = MODELS[kind]()
    known = model.get_params()
    for option, parameter in _PARAMETERS.items():
        value = getattr(arguments, option)
        if value is None:
            continue
        if parameter not in known:
            raise InvalidInput(f"The option for {parameter} ({value}) does not apply to the model {kind!r}. Leave it out.")
        model.set_params(**{parameter: value})
    if arguments.kernel is not None:
        kernel = _KERNELS[int(arguments.kernel)] if arguments.kernel in "0123" else arguments.kernel
        if kernel in ("4", "precomputed"):
            raise InvalidInput("Kernel matrices are not read from files here. Fit SVC(kernel='precomputed') in Python.")
        if "kernel" not in known:
            raise InvalidInput(f"The model {kind!r} is linear and takes no kernel. Leave out -t, or choose svc.")
        model.set_params(kernel=kernel)
    if arguments.probability:
        if "probability" not in known:
            raise InvalidInput(f"-b 1 is for svc and nu-svc. Got the model {kind!r}; logistic always has probabilities.")
        model.set_params(probability=True)
    if arguments.class_weight:
        if "class_weight" not in known:
            raise InvalidInput(f"Weights of classes do not apply to the model {kind!r}. Leave them out.")
        model.set_params(class_weight=_weights(arguments.class_weight, labels))
    if "verbose" in known:
        model.set_params(verbose=not quiet)
    return model


def _weights(given: Sequence[str], labels: Any) -> Any:
    """Weights by label, with labels as the rows have them."""
    if list(given) == ["balanced"]:
        return "balanced"
    weights = {}
    known = {str(label): label for label in sorted(set(labels.tolist()))}
    for each in given:
        label, _, weight = each.rpartition("=")
        if label not in known:
            raise InvalidInput(f"--class-weight {each}: the rows have the labels {', '.join(list(known)[:8])}.")
        try:
            weights[known[label]] = float(weight)
        except ValueError:
            raise InvalidInput(f"--class-weight {each}: {weight!r} is no number.") from None
    return weights


def suited(X: Any, model: Any = None) -> Any:
    """Rows in the form that takes less room, or in the one that a fitted model has its own in."""
    if not sparse.issparse(X):
        return X
    if model is not None and hasattr(model, "support_vectors_"):
        return X if sparse.issparse(model.support_vectors_) else X.toarray()
    height, width = X.shape
    return X.toarray() if X.nnz > _DENSE * height * width else X
