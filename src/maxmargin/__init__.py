"""Support vector machines with a certificate of optimality.

The estimators have scikit-learn's interface: ``SVC``, ``NuSVC``, ``SVR``, ``NuSVR``, ``OneClassSVM``, ``SVDD``, ``KernelPCA``,
``KernelLogisticRegression`` and ``Perceptron`` take kernels; ``LinearSVC``, ``LinearSVR``, ``LinearOneClassSVM``,
``LogisticRegression``, ``LinearClassifier`` and ``StochasticClassifier`` are linear; ``ApproximateSVC``, ``ApproximateSVR`` and
``ApproximateOneClass`` are for many rows and a kernel.
``maxmargin.solve`` solves a problem of ``maxmargin.problems`` directly.
"""

from importlib import import_module as _import_module
from typing import TYPE_CHECKING as _TYPE_CHECKING
from typing import Any as _Any

from maxmargin import calibrators, errors, kernels, losses, problems, solution, solvers
from maxmargin._solve import solve
from maxmargin.estimators import (
    SVC,
    SVDD,
    SVR,
    KernelLogisticRegression,
    KernelPCA,
    LinearClassifier,
    LinearOneClassSVM,
    LinearSVC,
    LinearSVR,
    LogisticRegression,
    NuSVC,
    NuSVR,
    OneClassSVM,
    Perceptron,
    StochasticClassifier,
)
from maxmargin.solvers import get_threads, set_threads

if _TYPE_CHECKING:
    from maxmargin import bounds, calibration, callbacks, feature_maps, inspection, scales
    from maxmargin.estimators import ApproximateOneClass, ApproximateSVC, ApproximateSVR
    from maxmargin.model_selection import SVCCV, SVRCV, LinearSVCCV, LinearSVRCV, LogisticRegressionCV, NuSVCCV

    __version__: str

_ROOMS = ("bounds", "calibration", "callbacks", "feature_maps", "inspection", "model_selection", "plots", "scales")
_APPROXIMATE = ("ApproximateOneClass", "ApproximateSVC", "ApproximateSVR")
_SEARCHED = ("SVCCV", "SVRCV", "LinearSVCCV", "LinearSVRCV", "LogisticRegressionCV", "NuSVCCV")


def _version() -> str:
    metadata = _import_module("importlib.metadata")  # with Python's parser of mail
    try:
        return str(metadata.version("maxmargin"))
    except metadata.PackageNotFoundError:  # a source tree that is not installed
        return "0+unknown"


def __getattr__(name: str) -> _Any:
    """What not every program needs and takes its time to load: rooms, estimators that choose their parameters, the version."""
    if name == "__version__":
        return _version()
    if name in _ROOMS:
        return _import_module(f"maxmargin.{name}")
    if name in _APPROXIMATE:
        return getattr(_import_module("maxmargin.estimators"), name)
    if name in _SEARCHED:
        return getattr(_import_module("maxmargin.model_selection"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *_ROOMS, *_APPROXIMATE, *_SEARCHED, "__version__"})


__all__ = [
    "SVC",
    "SVCCV",
    "SVDD",
    "SVR",
    "SVRCV",
    "ApproximateOneClass",
    "ApproximateSVC",
    "ApproximateSVR",
    "KernelLogisticRegression",
    "KernelPCA",
    "LinearClassifier",
    "LinearOneClassSVM",
    "LinearSVC",
    "LinearSVCCV",
    "LinearSVR",
    "LinearSVRCV",
    "LogisticRegression",
    "LogisticRegressionCV",
    "NuSVC",
    "NuSVCCV",
    "NuSVR",
    "OneClassSVM",
    "Perceptron",
    "StochasticClassifier",
    "bounds",
    "calibration",
    "calibrators",
    "callbacks",
    "errors",
    "feature_maps",
    "get_threads",
    "inspection",
    "kernels",
    "losses",
    "problems",
    "scales",
    "set_threads",
    "solution",
    "solve",
    "solvers",
]
