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
from maxmargin._version import installed_version as _installed_version
from maxmargin.blocks import RowBlocks
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
    from maxmargin import bounds, calibration, callbacks, feature_maps, inspection, io, scales, tuning
    from maxmargin.estimators import ApproximateOneClass, ApproximateSVC, ApproximateSVR, from_sklearn
    from maxmargin.model_selection import SVCCV, SVRCV, LinearSVCCV, LinearSVRCV, LogisticRegressionCV, NuSVCCV
    from maxmargin.tuning import tune

    __version__: str

_ROOMS = (
    "bounds",
    "calibration",
    "callbacks",
    "distributed",
    "feature_maps",
    "inspection",
    "io",
    "model_selection",
    "onnx",
    "plots",
    "scales",
    "tuning",
)
_APPROXIMATE = ("ApproximateOneClass", "ApproximateSVC", "ApproximateSVR", "from_sklearn")
_TUNED = ("tune",)
_SEARCHED = ("SVCCV", "SVRCV", "LinearSVCCV", "LinearSVRCV", "LogisticRegressionCV", "NuSVCCV")


def __getattr__(name: str) -> _Any:
    """What not every program needs and takes its time to load: rooms, estimators that choose their parameters, the version."""
    if name == "__version__":
        return _installed_version()
    if name in _ROOMS:
        return _import_module(f"maxmargin.{name}")
    if name in _APPROXIMATE:
        return getattr(_import_module("maxmargin.estimators"), name)
    if name in _TUNED:
        return getattr(_import_module("maxmargin.tuning"), name)
    if name in _SEARCHED:
        return getattr(_import_module("maxmargin.model_selection"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *_ROOMS, *_APPROXIMATE, *_SEARCHED, *_TUNED, "__version__"})


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
    "RowBlocks",
    "StochasticClassifier",
    "bounds",
    "calibration",
    "calibrators",
    "callbacks",
    "errors",
    "feature_maps",
    "from_sklearn",
    "get_threads",
    "inspection",
    "io",
    "kernels",
    "losses",
    "problems",
    "scales",
    "set_threads",
    "solution",
    "solve",
    "solvers",
    "tune",
    "tuning",
]
