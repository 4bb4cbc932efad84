"""One model beside scikit-learn's: same data and settings, fitted in turns, evaluated by the same arithmetic."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from statistics import median
from time import perf_counter
from typing import Any, final

import numpy as np
import sklearn
import sklearn.svm
from numpy.typing import NDArray
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler

from maxmargin.estimators import SVC

Floats = NDArray[np.float64]


@final
@dataclass(frozen=True)
class Outcome:
    """What one library made of the data; objectives and gap are summed over the pairs of classes."""

    seconds: float
    primal: float
    dual: float
    support_vectors: int
    accuracy: float

    @property
    def relative_gap(self) -> float:
        """(primal - dual) / primal: how far the model can be from the optimum; rounding below 0 counts as 0."""
        return max(0.0, self.primal - self.dual) / self.primal


@final
@dataclass(frozen=True)
class Comparison:
    """Two outcomes on one data set."""

    name: str
    rows: int
    features: int
    classes: int
    repeats: int
    test_rows: int
    same: int
    ours: Outcome
    theirs: Outcome
    model: SVC
    peer_version: str


def compare(name: str, X: Floats, y: NDArray[np.int64], *, repeats: int) -> Comparison:
    """Standardise, hold out a quarter for testing, and fit both libraries in turns with default settings."""
    train, test, y_train, y_test = train_test_split(X, y, test_size=0.25, stratify=y, random_state=0)
    scaler = StandardScaler().fit(train)
    train, test = scaler.transform(train), scaler.transform(test)
    models: tuple[Any, Any] = (SVC(), sklearn.svm.SVC())
    for model in models:
        model.fit(train, y_train)  # the first fit also pays for loading code
    seconds: tuple[list[float], list[float]] = ([], [])
    for _ in range(repeats):
        for model, times in zip(models, seconds, strict=True):
            start = perf_counter()
            model.fit(train, y_train)
            times.append(perf_counter() - start)
    K = rbf_kernel(train, gamma=1.0 / (train.shape[1] * train.var()))
    predictions = [model.predict(test) for model in models]
    outcomes = []
    for model, times, predicted in zip(models, seconds, predictions, strict=True):
        primal, dual = objectives(model, K, y_train, C=1.0)
        accuracy = float(np.mean(predicted == y_test))
        outcomes.append(Outcome(median(times), primal, dual, len(model.support_), accuracy))
    return Comparison(
        name=name,
        rows=train.shape[0],
        features=train.shape[1],
        classes=len(models[0].classes_),
        repeats=repeats,
        test_rows=len(y_test),
        same=int(np.sum(predictions[0] == predictions[1])),
        ours=outcomes[0],
        theirs=outcomes[1],
        model=models[0],
        peer_version=sklearn.__version__,
    )


def objectives(model: Any, K: Floats, y: NDArray[Any], C: float) -> tuple[float, float]:
    r"""Primal and dual objective of a fitted one-vs-one SVC, from its public attributes alone, in float64.

    For each pair of classes, with :math:`\beta_i = y_i\alpha_i` and :math:`f = K\beta + b`: the primal
    objective :math:`\tfrac12\beta^\top K\beta + C\sum_i\max(0, 1 - y_i f_i)` and the dual objective
    :math:`\sum_i|\beta_i| - \tfrac12\beta^\top K\beta`; summed over the pairs.

    Parameters
    ----------
    model : estimator
        maxmargin's or scikit-learn's SVC; reads ``support_ dual_coef_ intercept_ classes_``.
    K : ndarray of shape (n, n)
        Kernel matrix of the training rows.
    y : ndarray of shape (n,)
        Their labels.
    C : float
        The penalty of slack.

    Returns
    -------
    (primal, dual) : (float, float)
    """
    labels = np.searchsorted(model.classes_, y)
    owner = labels[model.support_]
    count = len(model.classes_)
    primal = dual = 0.0
    for pair, (first, second) in enumerate(combinations(range(count), 2)):
        beta = np.zeros(len(y))
        # A support vector of class c has one coefficient a rival r: in row r - 1 if r > c, else in row r.
        for own, row in ((first, second - 1), (second, first)):
            mine = owner == own
            beta[model.support_[mine]] = np.asarray(model.dual_coef_)[row, mine]
        rows = np.flatnonzero((labels == first) | (labels == second))
        positive = second if count == 2 else first
        sign = np.where(labels[rows] == positive, 1.0, -1.0)
        f = K[np.ix_(rows, rows)] @ beta[rows]
        norm = float(beta[rows] @ f)
        slack = np.maximum(0.0, 1.0 - sign * (f + model.intercept_[pair]))
        primal += 0.5 * norm + C * float(slack.sum())
        dual += float(np.abs(beta).sum()) - 0.5 * norm
    return primal, dual
