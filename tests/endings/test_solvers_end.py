"""Ctrl-C and time limits of every linear solver and of the solvers in Python, each in a process of its own."""

from __future__ import annotations

from typing import Any

import pytest

from .._data import FULL
from ._isolated import run
from .test_wide_rows import INTERRUPTED

pytestmark = pytest.mark.alone

CTRL_C_SECONDS = 0.3
OVERRUN_SECONDS = 0.5
"""Beyond ``max_time``: a certificate of these rows, and a busy machine."""

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
    "newton, hinge": "LinearSVC(loss='hinge', C=100, tol=1e-12{time}).fit(X, y)",
    "newton, squared hinge": "LinearSVC(C=100, tol=1e-12{time}).fit(X, y)",
    "newton, logistic": "LogisticRegression(C=100, tol=1e-12{time}).fit(X, y)",
    "newton, tube": "LinearSVR(C=100, tol=1e-12{time}).fit(X, 1.0 * y)",
    "coordinates": "LinearSVC(C=100, tol=1e-12, penalise_intercept=True, solver=solvers.CoordinateDescent(){time}).fit(X, y)",
    "proximal newton": "LogisticRegression(penalty='l1', C=100, tol=1e-12{time}).fit(X, y)",
    "one against the rest": "LinearSVC(C=100, tol=1e-12{time}).fit(X, rng.integers(0, 5, len(y)))",
    "gradient descent": "solve(problems.PrimalProblem(X, y, loss='logistic'), 'gradient_descent', tol=1e-12{time})",
    "subgradient": "solve(problems.PrimalProblem(X, y), 'stochastic_subgradient', tol=1e-12{time})",
    "ball": "solve(problems.PrimalProblem(X, y, loss='logistic', penalty='ball', B=1.0), tol=1e-12{time})",
    "no penalty": "solve(problems.PrimalProblem(X, y, loss='squared_hinge', penalty=None), tol=1e-12{time})",
    "stochastic": "StochasticClassifier(tol=1e-12{time}).fit(X, y)",
    "perceptron": "Perceptron({only}).fit(X, y)",
}

_ROWS = ("X, y = dense(60000, 300)", "X, y = dense(2000, 15000)", "X, y = csr(150000, 30000)")
_MARGIN = "problems.SoftMargin(X, y, C=10.0{more})"

OTHERS = {
    "one against the rest": (_ROWS[0], _MODELS["one against the rest"]),
    "gradient descent": (_ROWS[0], _MODELS["gradient descent"]),
    "linear program": (
        "X, y = dense(3000, 600)",
        "solve(problems.PrimalProblem(X, y, loss='hinge', penalty='l1'){time})",
    ),
    "dual qp": ("X, y = dense(3500, 20)", f"solve({_MARGIN.format(more='')}, 'dual_qp'{{time}})"),
    "primal qp": (
        "X, y = dense(15000, 60)",
        f"solve({_MARGIN.format(more=', kernel=kernels.Linear()')}, 'primal_qp'{{time}})",
    ),
    "projected gradient": ("X, y = dense(6000, 4000)", f"solve({_MARGIN.format(more='')}, 'projected_gradient'{{time}})"),
    "held matrix": ("X, y = dense(4000, 8000)", f"solve({_MARGIN.format(more='')}, 'projected_gradient'{{time}})"),
    "kernel subgradient": ("X, y = dense(6000, 4000)", f"solve({_MARGIN.format(more='')}, 'kernel_subgradient'{{time}})"),
    "chunking": ("X, y = dense(6000, 4000)", f"solve({_MARGIN.format(more='')}, 'chunking'{{time}})"),
    "decomposition": ("X, y = dense(6000, 4000)", f"solve({_MARGIN.format(more='')}, 'decomposition'{{time}})"),
    "precomputed": (
        "X, y = dense(6000, 20); K = X @ X.T; s = K.diagonal(); K = np.exp(-0.05 * (s[:, None] + s - 2 * K)); K += K.T",
        "SVC(kernel='precomputed', C=1e4, tol=1e-9{time}).fit(K, y)",
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
found = []
for after in (0.05, 0.4):
    for attempt in range(3):  # a busy machine may delay some of them
        seconds = signalled(after)
        if seconds <= {most}:
            break
    found.append(seconds)
report(found=found)
"""

IN_TIME = """
for attempt in range(3):
    begin = time.perf_counter()
    model = {call}
    overrun = time.perf_counter() - begin - 0.5
    if overrun <= {most}:
        break
report(overrun=overrun)
"""


def _called(call: str, limit: float | None) -> str:
    time = "" if limit is None else f"max_time={limit}"
    return call.format(time=time and ", " + time, only=time)


# Every kind with one sort of rows, in turn; MAXMARGIN_FULL=1 takes all pairs.
_PAIRS = [(kind, rows) for k, kind in enumerate(_MODELS) for r, rows in enumerate(_ROWS) if FULL or k % len(_ROWS) == r]


@pytest.mark.parametrize(("kind", "rows"), _PAIRS)
def test_ctrl_c_of_linear_models(kind: str, rows: str) -> None:
    _answers(rows, _MODELS[kind])


@pytest.mark.parametrize("kind", OTHERS | UNLIMITED)
def test_ctrl_c(kind: str) -> None:
    _answers(*(OTHERS | UNLIMITED)[kind])


def _answers(setup: str, call: str) -> None:
    interrupted = INTERRUPTED.format(call=_called(call, None)).split("# The better of two")[0]
    result: dict[str, Any] = run(f"{DATA}{setup}\n{interrupted}{LATENCIES.format(most=CTRL_C_SECONDS)}", timeout=120)
    assert max(result["found"]) <= CTRL_C_SECONDS


@pytest.mark.parametrize("kind", OTHERS)
def test_max_time(kind: str) -> None:
    setup, call = OTHERS[kind]
    timed = IN_TIME.format(call=_called(call, 0.5), most=OVERRUN_SECONDS)
    result: dict[str, Any] = run(f"{DATA}{setup}\n{timed}", timeout=120)
    assert result["overrun"] <= OVERRUN_SECONDS
