"""Which estimators scikit-learn has too, and what they are called there."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from sklearn import linear_model, svm

from maxmargin.errors import InvalidInput
from maxmargin.estimators._kernel._nu_svc import NuSVC
from maxmargin.estimators._kernel._one_class import OneClassSVM
from maxmargin.estimators._kernel._svc import SVC
from maxmargin.estimators._kernel._svr import SVR, NuSVR
from maxmargin.estimators._linear._logistic import LogisticRegression
from maxmargin.estimators._linear._one_class import LinearOneClassSVM
from maxmargin.estimators._linear._regularised import LinearClassifier
from maxmargin.estimators._linear._stochastic import StochasticClassifier
from maxmargin.estimators._linear._svc import LinearSVC
from maxmargin.estimators._linear._svr import LinearSVR

__all__ = ["KERNELS", "KERNEL_MODELS", "LINEAR_MODELS", "SGD_LOSSES", "shared_parameters"]

KERNEL_MODELS: Final[dict[type, type]] = {
    SVC: svm.SVC,
    NuSVC: svm.NuSVC,
    SVR: svm.SVR,
    NuSVR: svm.NuSVR,
    OneClassSVM: svm.OneClassSVM,
}
LINEAR_MODELS: Final[dict[type, type]] = {
    LinearSVC: svm.LinearSVC,
    LinearSVR: svm.LinearSVR,
    LogisticRegression: linear_model.LogisticRegression,
    LinearOneClassSVM: linear_model.SGDOneClassSVM,
    LinearClassifier: linear_model.SGDClassifier,
    StochasticClassifier: linear_model.SGDClassifier,
}
KERNELS: Final = {"linear": "linear", "polynomial": "poly", "rbf": "rbf", "sigmoid": "sigmoid"}
"""The core's names of the kernels that scikit-learn's estimators have, and theirs."""
SGD_LOSSES: Final = {"hinge": "hinge", "squared_hinge": "squared_hinge", "logistic": "log_loss", "perceptron": "perceptron"}

_NOT_SHARED: Final = frozenset(
    {"kernel", "gamma", "coef0", "degree", "loss", "solver", "multi_class", "penalty", "dual", "verbose"}
)
"""Parameters that mean something else there, or take other values."""


def shared_parameters(model: Any, kind: type) -> dict[str, Any]:
    """Parameters of a model that another class has by the same name, as far as that takes their values."""
    known = set(kind().get_params()) if kind is not None else set()
    given = {name: value for name, value in model.get_params(deep=False).items() if name in known - _NOT_SHARED}
    if given.get("cache_size") == "auto":
        del given["cache_size"]
    if isinstance(given.get("C"), float) and np.isinf(given["C"]):
        raise InvalidInput("scikit-learn's estimators need a finite C. Got C=inf: choose a large number, and fit again.")
    if "max_iter" in given and given["max_iter"] == -1 and kind().max_iter != -1:
        del given["max_iter"]
    return given
