"""``to_sklearn`` of all estimators."""

from __future__ import annotations

from abc import ABC
from importlib import import_module
from typing import Any

__all__ = ["Exchanged"]


class Exchanged(ABC):  # noqa: B024  # it is only mixed in
    """The way to scikit-learn's own estimators."""

    def to_sklearn(self) -> Any:
        """The same model as a fitted estimator of scikit-learn: equal decision values, without a fit.

        SVC, NuSVC, SVR, NuSVR and OneClassSVM with the kernels linear, poly, rbf, sigmoid and precomputed, classes in pairs;
        LinearSVC, LinearSVR and LogisticRegression; LinearOneClassSVM becomes an SGDOneClassSVM, LinearClassifier and
        StochasticClassifier an SGDClassifier. Probabilities of kernel classifiers are not taken over.

        Returns
        -------
        estimator
            Of scikit-learn.

        Raises
        ------
        InvalidInput
            scikit-learn has no such model; the message says why.
        """
        return import_module("maxmargin.estimators._exchange._to_sklearn").to_sklearn(self)
