"""One evaluator for every model: objective and KKT violation in float64 from the public attributes alone."""

from __future__ import annotations

from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics.pairwise import rbf_kernel

Vector = NDArray[np.float64]


class Verdict(NamedTuple):
    """Dual objective summed over the pairs of classes, and the worst violation of a pair."""

    dual: float
    violation: float


def judge(model: Any, X: Vector, y: NDArray[Any], C: float, gamma: float) -> Verdict:
    """Evaluate a one-vs-one model with an RBF kernel."""
    classes, codes = np.unique(y, return_inverse=True)
    coefficients = np.asarray(model.dual_coef_, dtype=np.float64)
    ends = np.concatenate(([0], np.cumsum(model.n_support_)))
    duals, violations = [], []
    for i, j in combinations(range(len(classes)), 2):
        rows = np.flatnonzero((codes == i) | (codes == j))
        sign = np.where(codes[rows] == (j if len(classes) == 2 else i), 1.0, -1.0)  # scikit-learn flips two classes
        beta = np.zeros(len(y))
        for own, other in ((i, j), (j, i)):
            block = slice(ends[own], ends[own + 1])
            beta[model.support_[block]] = coefficients[other - (other > own), block]
        dual, violation = _judge_pair(X[rows], sign, beta[rows], C, gamma)
        duals.append(dual)
        violations.append(violation)
    return Verdict(sum(duals), max(violations))


def _judge_pair(X: Vector, y: Vector, beta: Vector, C: float, gamma: float) -> tuple[float, float]:
    support = np.flatnonzero(beta)
    scores = np.zeros(len(y))
    for start in range(0, len(support), 1024):
        some = support[start : start + 1024]
        scores += rbf_kernel(X, X[some], gamma=gamma) @ beta[some]
    alpha, gradient = beta * y, scores - y
    full, empty = alpha >= C * (1 - 1e-12), alpha <= 0
    can_rise, can_fall = np.where(y > 0, ~full, ~empty), np.where(y > 0, ~empty, ~full)
    violation = max(0.0, gradient[can_fall].max() - gradient[can_rise].min())
    return float(alpha.sum() - 0.5 * beta @ scores), float(violation)
