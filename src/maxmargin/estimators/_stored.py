"""The estimators that files may hold, and what they are made of."""

from __future__ import annotations

from typing import Final

from maxmargin._stored_types import StoredTypes

__all__ = ["STORED"]

STORED: Final = StoredTypes(
    "maxmargin.estimators",
    {
        "_kernel._fold_outputs": "FoldOutputs",
        "_kernel._logistic": "KernelLogisticRegression",
        "_kernel._nu_svc": "NuSVC",
        "_kernel._one_class": "OneClassSVM SVDD",
        "_kernel._pca": "KernelPCA",
        "_kernel._perceptron": "Perceptron",
        "_kernel._records": "Records",
        "_kernel._svc": "SVC",
        "_kernel._svr": "NuSVR SVR",
        "_linear._logistic": "LogisticRegression",
        "_linear._one_class": "LinearOneClassSVM",
        "_linear._regularised": "LinearClassifier",
        "_linear._stochastic": "StochasticClassifier",
        "_linear._svc": "LinearSVC",
        "_linear._svr": "LinearSVR",
        "_approximate._one_class": "ApproximateOneClass",
        "_approximate._svc": "ApproximateSVC",
        "_approximate._svr": "ApproximateSVR",
        "_shared._intervals": "Residuals",
    },
)
