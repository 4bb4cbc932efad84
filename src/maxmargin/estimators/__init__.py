"""The living room: scikit-learn's interface to everything behind it."""

from __future__ import annotations

from maxmargin.estimators._linear_classifier import LinearClassifier
from maxmargin.estimators._linear_svc import LinearSVC
from maxmargin.estimators._linear_svr import LinearSVR
from maxmargin.estimators._logistic import LogisticRegression
from maxmargin.estimators._nu_svc import NuSVC
from maxmargin.estimators._one_class import SVDD, OneClassSVM
from maxmargin.estimators._perceptron import Perceptron
from maxmargin.estimators._stochastic import StochasticClassifier
from maxmargin.estimators._svc import SVC
from maxmargin.estimators._svr import SVR, NuSVR

__all__ = [
    "SVC",
    "SVDD",
    "SVR",
    "LinearClassifier",
    "LinearSVC",
    "LinearSVR",
    "LogisticRegression",
    "NuSVC",
    "NuSVR",
    "OneClassSVM",
    "Perceptron",
    "StochasticClassifier",
]
