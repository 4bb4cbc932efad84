"""Small data sets that scikit-learn bundles, ready to fit."""

from functools import cache

import numpy as np
from sklearn.datasets import load_breast_cancer, load_diabetes, load_digits, load_iris
from sklearn.preprocessing import StandardScaler


@cache
def iris():
    """150 rows, 4 features, 3 classes, shuffled so that classes are not in order."""
    return _shuffled(*load_iris(return_X_y=True))


@cache
def breast_cancer():
    """569 rows, 30 standardised features, 2 classes."""
    X, y = load_breast_cancer(return_X_y=True)
    return _shuffled(StandardScaler().fit_transform(X), y)


@cache
def digits():
    """800 rows, 64 features, 10 classes."""
    X, y = load_digits(return_X_y=True)
    X, y = _shuffled(X / 16.0, y)
    return X[:800], y[:800]


def _shuffled(X, y):
    order = np.random.default_rng(0).permutation(len(y))
    X, y = np.ascontiguousarray(X[order]), y[order]
    X.flags.writeable = y.flags.writeable = False
    return X, y


SETS = {"iris": iris, "breast cancer": breast_cancer, "digits": digits}


@cache
def diabetes():
    """442 rows, 10 standardised features, targets of mean 0 and deviation 1."""
    X, y = load_diabetes(return_X_y=True)
    return _shuffled(StandardScaler().fit_transform(X), (y - y.mean()) / y.std())


@cache
def sines():
    """300 rows, 24 features, noisy targets that no line fits."""
    rng = np.random.default_rng(1)
    X = rng.normal(size=(300, 24))
    return _shuffled(X, np.sin(X[:, 0]) + X[:, 1] * X[:, 2] + 0.2 * rng.normal(size=300))
