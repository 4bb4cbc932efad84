"""Kernel logistic regression ends when it is told to: Ctrl-C, and a limit of time."""

from __future__ import annotations

import json
import signal
import time

import pytest

from ._isolated import run, start

pytestmark = pytest.mark.alone

ROWS = """
from maxmargin import KernelLogisticRegression
rng = np.random.default_rng(0)
X = rng.normal(size=({n}, 10))
y = np.where(X[:, 0] + X[:, 1] * X[:, 2] + rng.normal(size={n}) > 0, 1, -1)
warnings.simplefilter("ignore")
"""


def test_ctrl_c() -> None:
    child = start(
        ROWS.format(n=9000)
        + """
print("READY", flush=True)
try:
    KernelLogisticRegression(C=1e4, tol=1e-9).fit(X, y)
    print(json.dumps(dict(ended="finished")), flush=True)
except KeyboardInterrupt as stop:
    at = time.monotonic()
    found = stop.solution
    answer = dict(ended=type(stop).__name__, at=at, status=found.status.name, rows=len(found.coefficients))
    print(json.dumps(answer), flush=True)
"""
    )
    assert child.stdout is not None
    time.sleep(1.5)
    sent = time.monotonic()
    child.send_signal(signal.SIGINT)
    answer = json.loads(child.stdout.readline())
    _, err = child.communicate(timeout=60)
    assert child.returncode == 0, err
    assert (answer["ended"], answer["status"], answer["rows"]) == ("FitInterrupted", "INTERRUPTED", 9000)
    assert answer["at"] - sent < 3.0  # one product of kernel values computed anew is not interrupted


def test_a_limit_of_time() -> None:
    found = run(
        ROWS.format(n=3000)
        + """
begin = time.perf_counter()
model = KernelLogisticRegression(C=1e4, tol=1e-9, max_time=0.3).fit(X, y)
report(seconds=time.perf_counter() - begin, status=model.status_.name)
"""
    )
    assert found["status"] == "TIME_LIMIT"
    assert found["seconds"] < 3.0
