"""Linear models of ours and of the peers, by name: seconds, weights, offset, and whether a fit ran to its limit."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import sklearn.linear_model
import sklearn.svm
from numpy.typing import NDArray

import maxmargin

Vector = NDArray[np.float64]
Fitted = tuple[float, Vector, float, bool]
OURS, SKLEARN, MULTICORE, SNAPML = "maxmargin", "scikit-learn", "LIBLINEAR-multicore", "snapml"
TOLERANCES = (1e-1, 1e-2, 1e-3, 1e-4)
TIGHTER = (1e-5, 1e-6, 1e-7)  # tolerances mean other things elsewhere: at 1e-4 some are still 1e-2 above the optimum
FEW, MANY = 1_000, 100_000
WIDEST_CHOLESKY = 2_000
THREADS = 2


def contestants(loss: str, width: int) -> tuple[str, ...]:
    """Who takes part. The logistic loss has no intercept: scikit-learn's solvers do not agree on what it costs."""
    if loss != "logistic":
        return (OURS, SKLEARN, MULTICORE, SNAPML)
    solvers = ["lbfgs", "liblinear", "newton-cg"] + ["newton-cholesky"] * (width <= WIDEST_CHOLESKY)
    return (OURS, *(f"{SKLEARN} {name}" for name in solvers), MULTICORE, SNAPML)


def tries(who: str) -> Iterator[tuple[float, int]]:
    """Tolerance and limit of iterations, the fastest first."""
    for tol in TOLERANCES if who in (OURS, SKLEARN) else TOLERANCES + TIGHTER:
        yield tol, FEW
        if who != OURS:
            yield tol, MANY


def _timed(model: Any, X: Any, y: Vector) -> Fitted:
    start = time.perf_counter()
    model.fit(X, y)
    seconds = time.perf_counter() - start
    limit = getattr(model, "max_iter", 0)
    ran_out = bool(np.max(getattr(model, "n_iter_", 0)) >= limit)
    return seconds, np.asarray(model.coef_, dtype=np.float64).ravel(), float(np.ravel(model.intercept_)[0]), ran_out


def _ours(X: Any, y: Vector, C: float, loss: str, tol: float, _: int, cap: float) -> Fitted:
    if loss == "logistic":
        return _timed(maxmargin.LogisticRegression(C=C, fit_intercept=False, tol=tol, max_iter=FEW, max_time=cap), X, y)
    return _timed(maxmargin.LinearSVC(loss=loss, C=C, penalise_intercept=True, tol=tol, max_time=cap), X, y)


def _sklearn(solver: str) -> Callable[..., Fitted]:
    def fit(X: Any, y: Vector, C: float, loss: str, tol: float, most: int, _: float) -> Fitted:
        if loss != "logistic":
            return _timed(sklearn.svm.LinearSVC(loss=loss, C=C, tol=tol, max_iter=most, random_state=0), X, y)
        how = {"tol": tol, "max_iter": most, "random_state": 0}
        return _timed(sklearn.linear_model.LogisticRegression(C=C, solver=solver, fit_intercept=False, **how), X, y)

    return fit


def _multicore(X: Any, y: Vector, C: float, loss: str, tol: float, _: int, cap: float) -> Fitted:
    """Its own copy of the rows is made before the clock starts; its limit of iterations cannot be set.

    The intercept is asked for with -B: `train` overwrites the bias that a problem was made with.
    """
    from liblinear.liblinearutil import parameter, problem, train  # noqa: PLC0415  # a peer that need not be installed

    kind, bias = {"hinge": (3, 1), "squared_hinge": (2, 1), "logistic": (0, -1)}[loss]
    rows = problem(y, X)
    start = time.perf_counter()
    model = train(rows, parameter(f"-s {kind} -c {C!r} -e {tol} -B {bias} -m {THREADS} -q"))
    seconds = time.perf_counter() - start
    weights, offset = model.get_decfun()
    sign = 1.0 if model.get_labels()[0] > 0 else -1.0
    found = np.zeros(X.shape[1])
    found[: len(weights)] = weights
    return seconds, sign * found, sign * float(offset), False


def _snapml(X: Any, y: Vector, C: float, loss: str, tol: float, most: int, _: float) -> Fitted:
    import snapml  # noqa: PLC0415  # a peer that need not be installed

    how = {"regularizer": 1 / C, "tol": tol, "max_iter": most, "n_jobs": THREADS, "random_state": 0}
    if loss == "logistic":
        return _timed(snapml.LogisticRegression(fit_intercept=False, **how), X, y)
    return _timed(snapml.SupportVectorMachine(loss=loss, fit_intercept=True, **how), X, y)


def fit(who: str, X: Any, y: Vector, C: float, loss: str, tol: float, most: int, cap: float) -> Fitted:
    """One fit."""
    family, _, solver = who.partition(" ")
    one = {OURS: _ours, SKLEARN: _sklearn(solver), MULTICORE: _multicore, SNAPML: _snapml}[family]
    return one(X, y, C, loss, tol, most, cap)
