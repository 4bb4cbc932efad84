"""Linear models of ours and of the peers, by name: seconds, weights, offset, and whether a fit ran to its limit."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
import sklearn.linear_model
import sklearn.svm
from numpy.typing import NDArray

import maxmargin

Vector = NDArray[np.float64]
Started = Callable[[], None]  # called when the clock starts
OURS, SKLEARN, MULTICORE, SNAPML = "maxmargin", "scikit-learn", "LIBLINEAR-multicore", "snapml"
BY_SWEEPS = f"{SKLEARN} dual=True"  # its default until 1.5; with the hinge there is no other
TOLERANCES = (1e-1, 1e-2, 1e-3, 1e-4)
TIGHTER = (1e-5, 1e-6, 1e-7)  # tolerances mean other things elsewhere: at 1e-4 some are still 1e-2 above the optimum
FEW, MANY = 1_000, 100_000
WIDEST_CHOLESKY = 2_000
THREADS = 2


def rivals(loss: str, width: int) -> tuple[str, ...]:
    """Who takes part beside ours. The logistic loss has no intercept: scikit-learn's solvers do not agree on what it costs."""
    if loss != "logistic":
        return (SKLEARN, *((BY_SWEEPS,) if loss == "squared_hinge" else ()), MULTICORE, SNAPML)
    solvers = ["lbfgs", "liblinear", "newton-cg"] + ["newton-cholesky"] * (width <= WIDEST_CHOLESKY)
    return (*(f"{SKLEARN} {name}" for name in solvers), MULTICORE, SNAPML)


def tries(who: str) -> Iterator[tuple[float, int]]:
    """Tolerance and limit of iterations, the fastest first. Only who is not close with the usual ones is asked for more."""
    for tol in TOLERANCES if who == OURS else TOLERANCES + TIGHTER:
        yield tol, FEW
        if who != OURS:
            yield tol, MANY


class Asked(NamedTuple):
    """One fit. Ours ends by itself a little before the cap, and says how far it came."""

    who: str
    C: float
    loss: str
    tol: float
    max_iter: int
    cap: float


class Fitted(NamedTuple):
    """Its result. Only ours has a status and a gap."""

    seconds: float
    w: Vector
    b: float
    iterations: int = 0
    ran_out: bool = False
    status: str = ""
    relative_gap: float = math.nan


def _timed(model: Any, X: Any, y: Vector, started: Started) -> Fitted:
    started()
    start = time.perf_counter()
    model.fit(X, y)
    seconds = time.perf_counter() - start
    iterations = int(np.max(getattr(model, "n_iter_", 0)))
    w, b = np.asarray(model.coef_, dtype=np.float64).ravel(), float(np.ravel(model.intercept_)[0])
    ran_out = iterations >= getattr(model, "max_iter", 0)
    if not hasattr(model, "certificate_"):
        return Fitted(seconds, w, b, iterations, ran_out)
    return Fitted(seconds, w, b, iterations, ran_out, model.status_.name, model.certificate_.relative_gap)


def _ours(asked: Asked, X: Any, y: Vector, started: Started) -> Fitted:
    how = {"C": asked.C, "tol": asked.tol, "max_time": 0.95 * asked.cap}
    if asked.loss == "logistic":
        return _timed(maxmargin.LogisticRegression(fit_intercept=False, max_iter=FEW, **how), X, y, started)
    return _timed(maxmargin.LinearSVC(loss=asked.loss, penalise_intercept=True, **how), X, y, started)


def _sklearn(asked: Asked, X: Any, y: Vector, started: Started) -> Fitted:
    how = {"C": asked.C, "tol": asked.tol, "max_iter": asked.max_iter, "random_state": 0}
    if asked.loss != "logistic":
        dual = True if asked.who == BY_SWEEPS else "auto"
        return _timed(sklearn.svm.LinearSVC(loss=asked.loss, dual=dual, **how), X, y, started)
    solver = asked.who.partition(" ")[2]
    return _timed(sklearn.linear_model.LogisticRegression(solver=solver, fit_intercept=False, **how), X, y, started)


def _multicore(asked: Asked, X: Any, y: Vector, started: Started) -> Fitted:
    """Its own copy of the rows is made before the clock starts; its limit of iterations cannot be set.

    The intercept is asked for with -B: `train` overwrites the bias that a problem was made with.
    """
    from liblinear.liblinearutil import parameter, problem, train  # noqa: PLC0415  # a peer that need not be installed

    kind, bias = {"hinge": (3, 1), "squared_hinge": (2, 1), "logistic": (0, -1)}[asked.loss]
    rows = problem(y, X)
    started()
    start = time.perf_counter()
    model = train(rows, parameter(f"-s {kind} -c {asked.C!r} -e {asked.tol} -B {bias} -m {THREADS} -q"))
    seconds = time.perf_counter() - start
    weights, offset = model.get_decfun()
    sign = 1.0 if model.get_labels()[0] > 0 else -1.0
    found = np.zeros(X.shape[1])
    found[: len(weights)] = weights
    return Fitted(seconds, sign * found, sign * float(offset))


def _snapml(asked: Asked, X: Any, y: Vector, started: Started) -> Fitted:
    import snapml  # noqa: PLC0415  # a peer that need not be installed

    how = {"regularizer": 1 / asked.C, "tol": asked.tol, "max_iter": asked.max_iter, "n_jobs": THREADS, "random_state": 0}
    if asked.loss == "logistic":
        return _timed(snapml.LogisticRegression(fit_intercept=False, **how), X, y, started)
    return _timed(snapml.SupportVectorMachine(loss=asked.loss, fit_intercept=True, **how), X, y, started)


def fit(asked: Asked, X: Any, y: Vector, started: Started) -> Fitted:
    """One fit."""
    family = asked.who.partition(" ")[0]
    return {OURS: _ours, SKLEARN: _sklearn, MULTICORE: _multicore, SNAPML: _snapml}[family](asked, X, y, started)
