"""Support vector machines with a certificate of optimality.

``SVC``, ``NuSVC``, ``SVR``, ``NuSVR``, ``OneClassSVM``, ``SVDD``, ``LinearClassifier``, ``LinearSVC``, ``LinearSVR``,
``LogisticRegression``, ``StochasticClassifier``, ``Perceptron`` and ``KernelPCA`` have scikit-learn's interface;
``maxmargin.solve`` answers a problem of ``maxmargin.problems`` directly.
"""

from importlib import metadata as _metadata

from maxmargin import (
    bounds,
    calibration,
    calibrators,
    errors,
    feature_maps,
    kernels,
    losses,
    problems,
    scales,
    solution,
    solvers,
)
from maxmargin._solve import solve
from maxmargin.estimators import (
    SVC,
    SVDD,
    SVR,
    KernelPCA,
    LinearClassifier,
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

try:
    __version__ = _metadata.version("maxmargin")
except _metadata.PackageNotFoundError:  # a source tree that is not installed
    __version__ = "0+unknown"

__all__ = [
    "SVC",
    "SVDD",
    "SVR",
    "KernelPCA",
    "LinearClassifier",
    "LinearSVC",
    "LinearSVR",
    "LogisticRegression",
    "NuSVC",
    "NuSVR",
    "OneClassSVM",
    "Perceptron",
    "StochasticClassifier",
    "bounds",
    "calibration",
    "calibrators",
    "errors",
    "feature_maps",
    "get_threads",
    "kernels",
    "losses",
    "problems",
    "scales",
    "set_threads",
    "solution",
    "solve",
    "solvers",
]
