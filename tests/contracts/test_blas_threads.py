"""Law 11 of the house: the number of threads that linear algebra has changes no bits."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from threadpoolctl import threadpool_info, threadpool_limits

from maxmargin import LinearClassifier, LogisticRegression, Perceptron, solve
from maxmargin.kernels import RBF, Linear
from maxmargin.problems import SoftMargin
from maxmargin.solvers import (
    Chunking,
    Decomposition,
    DualQP,
    KernelSubgradient,
    PrimalQP,
    ProjectedGradient,
    StochasticSubgradient,
)

RNG = np.random.default_rng(0)
X = RNG.normal(size=(1500, 200))
Y = np.where(X[:, 0] + 0.5 * RNG.normal(size=1500) > 0, 1, -1)
WIDE = RNG.normal(size=(60, 20_000))
HALF = np.where(WIDE[:, 0] > 0, 1, -1)


def linear(rows: Any = X, labels: Any = Y, **given: Any) -> Callable[[], Any]:
    return lambda: LinearClassifier(max_iter=60, **given).fit(rows, labels).coef_


def dual(solver: Any, n: int = 250, kernel: Any = None) -> Callable[[], Any]:
    problem = SoftMargin(X[:n, :20], Y[:n], C=1.0, kernel=kernel or RBF(gamma=0.02))
    return lambda: solve(problem, solver=solver, max_iter=60).alpha


CASES: dict[str, Callable[[], Any]] = {
    "gradient descent": linear(loss="logistic", solver="gradient_descent"),
    "gradient descent without penalty": linear(loss="logistic", penalty=None, solver="gradient_descent"),
    "gradient descent, wide": linear(WIDE, HALF, loss="logistic", solver="gradient_descent"),
    "stochastic steps": linear(loss="hinge", solver="stochastic_subgradient"),
    "stochastic steps, wide": linear(WIDE, HALF, loss="hinge", solver=StochasticSubgradient(seed=1)),
    "Newton": linear(loss="squared_hinge"),
    "a ball": linear(loss="logistic", penalty="ball", B=1.0),
    "L1": linear(loss="logistic", penalty="l1", C=0.01),
    "a linear program": linear(X[:300, :20], Y[:300], loss="hinge", penalty="l1", C=0.1),
    "all classes": lambda: LogisticRegression(max_iter=30).fit(X, np.digitize(X[:, 0], [-1.0, 1.0])).coef_,
    "projected gradient": dual(ProjectedGradient()),
    "projected gradient, many rows": dual(ProjectedGradient(accelerated=True), 900),
    "projected gradient, linear": dual(ProjectedGradient(), 900, Linear()),
    "dual quadratic program": dual(DualQP()),
    "primal quadratic program": dual(PrimalQP(), 200, Linear()),
    "chunking": dual(Chunking()),
    "decomposition": dual(Decomposition()),
    "kernel subgradient": dual(KernelSubgradient(), 900),
    "perceptron": lambda: Perceptron(kernel="rbf", gamma=0.02, max_iter=30).fit(X, Y).dual_coef_,
}


def blas_threads() -> list[int]:
    return [library["num_threads"] for library in threadpool_info() if library["user_api"] == "blas"]


@pytest.mark.parametrize("name", CASES)
def test_bits_do_not_depend_on_blas(name: str) -> None:
    found = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for threads in (1, 2, 4):
            with threadpool_limits(threads, user_api="blas"):
                found.append(np.asarray(CASES[name]()).tobytes())
                assert set(blas_threads()) == {threads}  # as it was before
    assert found[0] == found[1] == found[2]
