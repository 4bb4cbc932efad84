"""Ctrl-C of every linear solver and of the solvers in Python, each in a process of its own; limits of time: `test_max_time`."""

from __future__ import annotations

from typing import Any

import pytest

from .._data import FULL
from ._isolated import run
from .test_wide_rows import INTERRUPTED

pytestmark = pytest.mark.alone

CTRL_C_SECONDS = 0.3

DATA = """
import os, threading
from scipy import sparse
import maxmargin
from maxmargin import *
from maxmargin import bounds, kernels, problems, solvers
rng = np.random.default_rng(0)
def dense(n, d):
    X = rng.normal(size=(n, d))
    return X, np.where(X[:, 0] + X[:, 1] * X[:, 2] + rng.normal(size=n) > 0, 1, -1)
def csr(n, d, each=60):
    columns = np.sort(rng.integers(0, d, (n, each)), axis=1)
    X = sparse.csr_array((rng.normal(size=columns.size), columns.ravel(), np.arange(0, columns.size + 1, each)), (n, d))
    X.sum_duplicates()
    return X, rng.choice([-1, 1], n)
warnings.simplefilter("ignore")
"""

_MODELS = {
    "newton, hinge": "LinearSVC(loss='hinge', C=100, tol=1e-12).fit(X, y)",
    "newton, squared hinge": "LinearSVC(C=100, tol=1e-12).fit(X, y)",
    "newton, logistic": "LogisticRegression(C=100, tol=1e-12).fit(X, y)",
    "newton, tube": "LinearSVR(C=100, tol=1e-12).fit(X, 1.0 * y)",
    "coordinates": "LinearSVC(C=100, tol=1e-12, penalise_intercept=True, solver=solvers.CoordinateDescent()).fit(X, y)",
    "proximal newton": "LogisticRegression(penalty='l1', C=100, tol=1e-12).fit(X, y)",
    "one against the rest": "LinearSVC(C=100, tol=1e-12).fit(X, rng.integers(0, 5, len(y)))",
    "multinomial, proximal newton": "LogisticRegression(penalty='l1', C=100, tol=1e-12).fit(X, rng.integers(0, 5, len(y)))",
    "gradient descent": "solve(problems.PrimalProblem(X, y, loss='logistic'), 'gradient_descent', tol=1e-12)",
    "subgradient": "solve(problems.PrimalProblem(X, y), 'stochastic_subgradient', tol=1e-12)",
    "ball": "solve(problems.PrimalProblem(X, y, loss='logistic', penalty='ball', B=1.0), tol=1e-12)",
    "no penalty": "solve(problems.PrimalProblem(X, y, loss='squared_hinge', penalty=None), tol=1e-12)",
    "stochastic": "StochasticClassifier(tol=1e-12).fit(X, y)",
    "perceptron": "Perceptron().fit(X, y)",
}

_ROWS = ("X, y = dense(60000, 300)", "X, y = dense(2000, 15000)", "X, y = csr(150000, 30000)")
_MARGIN = "problems.SoftMargin(X, y, C=10.0{more})"

OTHERS = {
    "one against the rest": (_ROWS[0], _MODELS["one against the rest"]),
    "multinomial, proximal newton": (_ROWS[0], _MODELS["multinomial, proximal newton"]),
    "gradient descent": (_ROWS[0], _MODELS["gradient descent"]),
    "linear program": (
        "X, y = dense(3000, 600)",
        "solve(problems.PrimalProblem(X, y, loss='hinge', penalty='l1'))",
    ),
    "dual qp": ("X, y = dense(3500, 20)", f"solve({_MARGIN.format(more='')}, 'dual_qp')"),
    "primal qp": (
        "X, y = dense(15000, 60)",
        f"solve({_MARGIN.format(more=', kernel=kernels.Linear()')}, 'primal_qp')",
    ),
    "projected gradient": ("X, y = dense(6000, 4000)", f"solve({_MARGIN.format(more='')}, 'projected_gradient')"),
    "held matrix": ("X, y = dense(4000, 8000)", f"solve({_MARGIN.format(more='')}, 'projected_gradient')"),
    "kernel subgradient": ("X, y = dense(6000, 4000)", f"solve({_MARGIN.format(more='')}, 'kernel_subgradient')"),
    "chunking": ("X, y = dense(6000, 4000)", f"solve({_MARGIN.format(more='')}, 'chunking')"),
    "decomposition": ("X, y = dense(6000, 4000)", f"solve({_MARGIN.format(more='')}, 'decomposition')"),
    "precomputed": (
        "X, y = dense(6000, 20); K = X @ X.T; s = K.diagonal(); K = np.exp(-0.05 * (s[:, None] + s - 2 * K)); K += K.T",
        "SVC(kernel='precomputed', C=1e4, tol=1e-9).fit(K, y)",
    ),
}

UNLIMITED = {
    "qp": (
        "X, y = dense(2500, 2500); Q = X @ X.T / 2500; Q += Q.T",
        "solvers.qp(Q, -np.ones(len(Q)), np.eye(len(Q)), np.zeros(len(Q)))",
    ),
    "ball around rows": ("X, y = dense(6000, 4000)", "bounds.enclosing_ball(X)"),
    "leaving one out": ("X, y = dense(2000, 300)", "bounds.leave_one_out_error(problems.SoftMargin(X, y))"),
}
"""What has no ``max_time``."""

LATENCIES = """
found[{kind!r}] = []
for after in (0.05, 0.4):
    for attempt in range(3):  # a busy machine may delay some of them
        seconds = signalled(after)
        if seconds <= {most}:
            break
    found[{kind!r}].append(seconds)
"""

# Every kind with one sort of rows, in turn; MAXMARGIN_FULL=1 takes all pairs. Those of the same rows share a process.
_OF_ROWS = {
    rows: {kind: call for k, (kind, call) in enumerate(_MODELS.items()) if FULL or k % len(_ROWS) == r}
    for r, rows in enumerate(_ROWS)
}


@pytest.mark.parametrize("rows", _ROWS)
def test_ctrl_c_of_linear_models(rows: str) -> None:
    _answers(rows, _OF_ROWS[rows])


@pytest.mark.parametrize("kind", OTHERS | UNLIMITED)
def test_ctrl_c(kind: str) -> None:
    setup, call = (OTHERS | UNLIMITED)[kind]
    _answers(setup, {kind: call})


def _answers(setup: str, calls: dict[str, str]) -> None:
    source = f"{DATA}{setup}\nfound = {{}}\n"
    for kind, call in calls.items():
        interrupted = INTERRUPTED.format(call=call, most=CTRL_C_SECONDS).split("# The better of two")[0]
        source += interrupted + LATENCIES.format(kind=kind, most=CTRL_C_SECONDS)
    # OpenBLAS with threads of its own may hang at the end of a process that has started another one.
    result: dict[str, Any] = run(source + "report(found=found)", timeout=120, OPENBLAS_NUM_THREADS="1")
    assert result["found"].keys() == calls.keys()
    assert {kind: times for kind, times in result["found"].items() if max(times) > CTRL_C_SECONDS} == {}
