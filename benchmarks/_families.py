"""Regression, ν-forms and one class against the peers: interleaved, medians of ratios, one float64 evaluator."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import sklearn.svm
from numpy.typing import NDArray
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.preprocessing import StandardScaler

import maxmargin
from benchmarks._sets import read

try:
    import sklearnex.svm as intelex
except ImportError:  # not on every platform
    intelex = None

CACHE_MB = 2000
Vector = NDArray[np.float64]


def _of_regression(beta: Vector, scores: Vector, y: Vector, epsilon: float) -> float:
    return float(y @ beta - epsilon * np.abs(beta).sum() - 0.5 * beta @ scores)


def _of_nu(beta: Vector, scores: Vector, y: Vector, abs_sum: float) -> float:
    """Coefficients come divided by ρ: back to the mass that they had."""
    scale = abs_sum / np.abs(beta).sum()
    return float(-0.5 * scale**2 * beta @ scores)


@dataclass(frozen=True)
class Family:
    """An estimator with its parameters, what it is fitted to, and its dual objective from the public attributes."""

    estimator: str
    parameters: dict[str, float]
    target: Callable[[Vector], Any]
    dual: Callable[[Vector, Vector, Any], float]


FAMILIES = {
    "SVR": Family(
        "SVR", {"C": 10.0, "epsilon": 0.1}, lambda y: y, lambda beta, scores, y: _of_regression(beta, scores, y, 0.1)
    ),
    "NuSVR": Family("NuSVR", {"C": 10.0, "nu": 0.5}, lambda y: y, lambda beta, scores, y: _of_regression(beta, scores, y, 0.0)),
    "NuSVC": Family(
        "NuSVC", {"nu": 0.5}, lambda y: y > np.median(y), lambda beta, scores, y: _of_nu(beta, scores, y, 0.5 * len(y))
    ),
    "OneClassSVM": Family("OneClassSVM", {"nu": 0.1}, lambda y: None, lambda beta, scores, y: float(-0.5 * beta @ scores)),
}
SETS = {"abalone": None, "cpusmall": None, "kin8nm": None, "kin40k": 10_000}
SUITES = {"regression": ("SVR",), "nu": ("NuSVR", "NuSVC", "OneClassSVM")}


def _rows(name: str, folder: Path | None) -> tuple[Vector, Vector]:
    X, y = read(name, folder)
    if SETS[name] is not None:
        chosen = np.random.default_rng(0).permutation(len(y))[: SETS[name]]
        X, y = X[chosen], y[chosen]
    return StandardScaler().fit_transform(X), (y - y.mean()) / y.std()


def _contestants(family: Family) -> dict[str, Callable[..., Any]]:
    found: dict[str, Callable[..., Any]] = {
        "maxmargin": getattr(maxmargin, family.estimator),
        "scikit-learn": lambda **kw: getattr(sklearn.svm, family.estimator)(cache_size=CACHE_MB, **kw),
    }
    if hasattr(intelex, family.estimator):
        found["intelex"] = lambda **kw: getattr(intelex, family.estimator)(cache_size=CACHE_MB, **kw)
    return found


def _dual(model: Any, family: Family, X: Vector, y: Any, gamma: float) -> float:
    beta = np.zeros(len(X))
    beta[model.support_] = np.ravel(model.dual_coef_)
    scores = np.zeros(len(X))
    for start in range(0, len(model.support_), 1024):
        some = model.support_[start : start + 1024]
        scores += rbf_kernel(X, X[some], gamma=gamma) @ beta[some]
    return family.dual(beta, scores, y)


def timed(suite: str, folder: Path | None, repeats: int = 3) -> Iterator[dict[str, Any]]:
    """Times and verdicts of every estimator of the suite on every set."""
    for label in SUITES[suite]:
        family = FAMILIES[label]
        for name in SETS:
            X, t = _rows(name, folder)
            y, gamma, new = family.target(t), 1 / X.shape[1], X[:2000].copy()
            contestants = _contestants(family)
            fits: dict[str, list[float]] = {who: [] for who in contestants}
            predictions: dict[str, list[float]] = {who: [] for who in contestants}
            models = {}
            for _ in range(repeats):
                for who, make in contestants.items():
                    fresh = X.copy()
                    start = time.perf_counter()
                    models[who] = make(gamma=gamma, tol=1e-3, **family.parameters).fit(fresh, y)
                    fitted = time.perf_counter()
                    models[who].predict(new)
                    fits[who].append(fitted - start)
                    predictions[who].append(time.perf_counter() - fitted)
            duals = {who: _dual(model, family, X, y, gamma) for who, model in models.items()}
            best = max(duals.values())
            yield {
                "task": f"{label}, {name}",
                "rows": len(t),
                "stopped": [],
                "fits": fits,
                "predictions": predictions,
                "violation": {"maxmargin": models["maxmargin"].certificate_.kkt_violation},
                "below_best_dual": {who: (best - dual) / abs(best) for who, dual in duals.items()},
            }
