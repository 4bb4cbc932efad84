"""Which estimator can be written in which format; the page ``docs/files.md`` shows the same."""

from __future__ import annotations

import warnings
from functools import cache
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.datasets import make_classification

from maxmargin import (
    SVC,
    SVCCV,
    SVDD,
    SVR,
    SVRCV,
    ApproximateOneClass,
    ApproximateSVC,
    ApproximateSVR,
    KernelLogisticRegression,
    KernelPCA,
    LinearClassifier,
    LinearOneClassSVM,
    LinearSVC,
    LinearSVCCV,
    LinearSVR,
    LinearSVRCV,
    LogisticRegression,
    LogisticRegressionCV,
    NuSVC,
    NuSVCCV,
    NuSVR,
    OneClassSVM,
    Perceptron,
    StochasticClassifier,
)
from maxmargin.calibration import CalibratedClassifierCV
from maxmargin.feature_maps import (
    Affine,
    GaussianSeries,
    Monomials,
    Multinomial,
    Nystroem,
    Powers,
    QuadraticForm,
    RandomFourier,
    SecondOrder,
    Squares,
    WeightedSecondOrder,
)
from maxmargin.model_selection import GridSearchCV

FORMATS = ("save", "skops", "to_sklearn", "LIBSVM", "ONNX", "C", "verify")
TABLE: dict[str, tuple[Any, str]] = {
    "SVC": (SVC(), "+ + + + + + +"),
    "NuSVC": (NuSVC(nu=0.2), "+ + + + + + +"),
    "SVR": (SVR(), "+ + + + + + +"),
    "NuSVR": (NuSVR(), "+ + + + + + +"),
    "OneClassSVM": (OneClassSVM(nu=0.3), "+ + + + + + +"),
    "SVDD": (SVDD(nu=0.3), "+ + - - + + +"),
    "KernelLogisticRegression": (KernelLogisticRegression(), "+ + - - + + +"),
    "Perceptron": (Perceptron(kernel="rbf"), "+ + - - + + -"),
    "KernelPCA": (KernelPCA(n_components=2, kernel="rbf"), "+ + - - - - -"),
    "LinearSVC": (LinearSVC(), "+ + + - + + +"),
    "LinearSVR": (LinearSVR(), "+ + + - + + +"),
    "LinearOneClassSVM": (LinearOneClassSVM(nu=0.3), "+ + + - + + +"),
    "LogisticRegression": (LogisticRegression(), "+ + + - + + +"),
    "LinearClassifier": (LinearClassifier(loss="logistic"), "+ + + - + + +"),
    "StochasticClassifier": (StochasticClassifier(max_iter=30), "+ + + - + + -"),
    "ApproximateSVC": (ApproximateSVC(n_components=9), "+ + - - + + -"),
    "ApproximateSVR": (ApproximateSVR(n_components=9), "+ + - - + + -"),
    "ApproximateOneClass": (ApproximateOneClass(n_components=9), "+ + - - + + -"),
    "SVCCV": (SVCCV(Cs=[0.1, 1.0], gammas=[0.1], cv=2), "+ + + + - + +"),
    "NuSVCCV": (NuSVCCV(nus=[0.1, 0.2], gammas=[0.1], cv=2), "+ + + + - + +"),
    "SVRCV": (SVRCV(Cs=[0.1, 1.0], gammas=[0.1], cv=2), "+ + + + - + +"),
    "LinearSVCCV": (LinearSVCCV(Cs=[0.1, 1.0], cv=2), "+ + + - - + +"),
    "LinearSVRCV": (LinearSVRCV(Cs=[0.1, 1.0], cv=2), "+ + + - - + +"),
    "LogisticRegressionCV": (LogisticRegressionCV(Cs=[0.1, 1.0], cv=2), "+ + + - - + +"),
    "GridSearchCV": (GridSearchCV(SVC(), {"C": [0.1, 1.0]}, cv=2), "- + - + - + +"),
    "CalibratedClassifierCV": (CalibratedClassifierCV(SVC()), "+ + - - - - -"),
    "Nystroem": (Nystroem(n_components=5), "+ + - - - - -"),
    "RandomFourier": (RandomFourier(n_components=5), "+ + - - - - -"),
    "FeatureMap": (SecondOrder(), "+ + - - - - -"),
}
"""Each estimator with a + or a − for each format; "FeatureMap" stands for all maps that are written out."""
MAPS = (Affine, GaussianSeries, Monomials, Multinomial, Powers, QuadraticForm, SecondOrder, Squares, WeightedSecondOrder)


def claimed(name: str, form: str) -> bool:
    """Whether an estimator can be written in a format."""
    return TABLE[name][1].split()[FORMATS.index(form)] == "+"


def pairs(form: str, *, claims: bool) -> list[str]:
    """Estimators that can, or cannot, be written in a format."""
    return [name for name in TABLE if claimed(name, form) is claims]


@cache
def rows() -> tuple[Any, Any]:
    """Training rows whose float32 form is exact, and labels of three classes."""
    X, y = make_classification(90, 5, n_informative=4, n_redundant=0, n_classes=3, random_state=0)
    return X.astype(np.float32).astype(np.float64), y


@cache
def fitted(name: str) -> Any:
    """An estimator of the table, fitted."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return clone(TABLE[name][0]).fit(*rows())


def said(model: Any, X: Any) -> dict[str, Any]:
    """All that a model says of rows."""
    asked = ("predict", "decision_function", "predict_proba", "predict_interval", "transform")
    return {name: np.asarray(getattr(model, name)(X)) for name in asked if hasattr(model, name)}


def values(model: Any, X: Any) -> Any:
    """Decision values, or predictions of a number, in columns."""
    return np.asarray((getattr(model, "decision_function", None) or model.predict)(X), dtype=np.float64).reshape(len(X), -1)
