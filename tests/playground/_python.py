"""The same requests, answered by Python."""

from __future__ import annotations

from functools import reduce
from operator import add, mul
from typing import Any

import numpy as np
from numpy.typing import NDArray

import maxmargin
from maxmargin.kernels import RBF, Kernel, Laplacian, Linear, Polynomial
from maxmargin.problems import (
    CrammerSinger,
    DataDescription,
    EpsilonRegression,
    HardMargin,
    NuClassification,
    OneClass,
    SoftMargin,
)

_COMBINED = {"sum": add, "product": mul}


def kernel_of(kernel: dict[str, Any]) -> Kernel:
    if "parts" in kernel:
        return reduce(_COMBINED[kernel["kind"]], map(kernel_of, kernel["parts"]))
    if kernel["kind"] == "linear":
        return Linear()
    if kernel["kind"] == "poly":
        return Polynomial(degree=kernel["degree"], gamma=kernel["gamma"], coef0=kernel["coef0"])
    return {"rbf": RBF, "laplacian": Laplacian}[kernel["kind"]](gamma=kernel["gamma"])


def problem_of(request: dict[str, Any], X: NDArray[np.float64], y: NDArray[np.float64]) -> Any:
    kernel, C = kernel_of(request["kernel"]), request["C"]
    match request["formulation"]:
        case "soft":
            slack = "squared" if request["squared"] else "linear"
            return SoftMargin(X, y, C=C, kernel=kernel, offset=request["offset"], slack=slack)
        case "hard":
            return HardMargin(X, y, kernel=kernel, offset=request["offset"])
        case "nu":
            return NuClassification(X, y, nu=request["nu"], kernel=kernel)
        case "regression":
            return EpsilonRegression(X, y, C=C, epsilon=request["epsilon"], kernel=kernel, offset=request["offset"])
        case "one_class":
            return OneClass(X, nu=request["nu"], kernel=kernel)
    return DataDescription(X, nu=request["nu"], kernel=kernel)


def parts_of(request: dict[str, Any]) -> list[tuple[NDArray[np.intp], Any]]:
    """The rows of each subproblem, and its problem; of the joint problem all rows and the problem."""
    X = np.array(request["x"]).reshape(-1, request["columns"])
    y = np.array(request["y"])
    every = np.arange(len(y))
    classes = np.unique(y) if request["formulation"] in ("soft", "hard", "nu") else np.zeros(1)
    if len(classes) <= 2:
        return [(every, problem_of(request, X, y))]
    if request["scheme"] == "joint":
        kernel = kernel_of(request["kernel"])
        return [(every, CrammerSinger(X, y, C=request["C"], kernel=kernel, offset=request["offset"]))]
    if request["scheme"] == "rest":
        return [(every, problem_of(request, X, np.where(y == k, 1.0, -1.0))) for k in classes]
    pairs = [(k, m) for k in classes for m in classes if k < m]
    chosen = [(np.flatnonzero((y == k) | (y == m)), k) for k, m in pairs]
    return [(rows, problem_of(request, X[rows], np.where(y[rows] == k, 1.0, -1.0))) for rows, k in chosen]


def solutions_of(request: dict[str, Any]) -> list[tuple[NDArray[np.intp], Any]]:
    return [(rows, maxmargin.solve(problem, tol=request["tol"], throw=False)) for rows, problem in parts_of(request)]
