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
X = rng.normal(size=({n}, {d}))
score = X[:, 0] + X[:, 1] * X[:, 2] + rng.normal(size={n})
y = np.digitize(score, np.quantile(score, np.arange(1, {classes}) / {classes}))
warnings.simplefilter("ignore")
"""


@pytest.mark.parametrize(("n", "d", "classes", "after"), [(9000, 10, 2, 1.5), (9000, 10, 4, 1.5), (2500, 3000, 4, 0.7)])
def test_ctrl_c(n: int, d: int, classes: int, after: float) -> None:
    child = start(
        ROWS.format(n=n, d=d, classes=classes)
        + """
print("READY", flush=True)
try:
    KernelLogisticRegression(C=1e4, tol=1e-9).fit(X, y)
    print(json.dumps(dict(ended="finished")), flush=True)
except KeyboardInterrupt as stop:
    at = time.monotonic()
    print(json.dumps(dict(ended=type(stop).__name__, at=at)), flush=True)
    found = stop.solution
    print(json.dumps(dict(status=found.status.name, rows=len(found.coefficients))), flush=True)
"""
    )
    assert child.stdout is not None
    time.sleep(after)
    sent = time.monotonic()
    child.send_signal(signal.SIGINT)
    answer = json.loads(child.stdout.readline())
    solution = json.loads(child.stdout.readline()) if answer["ended"] == "FitInterrupted" else {}
    _, err = child.communicate(timeout=60)
    assert child.returncode == 0, err
    assert answer["ended"] == "FitInterrupted"
    assert solution == {"status": "INTERRUPTED", "rows": n}
    assert answer["at"] - sent < 0.3


def test_a_limit_of_time() -> None:
    found = run(
        ROWS.format(n=3000, d=10, classes=2)
        + """
begin = time.perf_counter()
model = KernelLogisticRegression(C=1e4, tol=1e-9, max_time=0.3).fit(X, y)
report(seconds=time.perf_counter() - begin, status=model.status_.name)
"""
    )
    assert found["status"] == "TIME_LIMIT"
    assert found["seconds"] < 3.0


def test_an_indefinite_kernel_of_several_classes_ends_within_seconds() -> None:
    """Of 300 rows and four classes 600 steps took 15 s; what is counted is steps, since seconds are the machine's."""
    found = run(
        """
from maxmargin import KernelLogisticRegression
rng = np.random.default_rng(1)
X, y = rng.normal(size=(80, 4)), rng.integers(0, 4, 80)
warnings.simplefilter("ignore")
begin = time.process_time()
model = KernelLogisticRegression(kernel="sigmoid", gamma=0.05, coef0=1.0, C=1e7, tol=0.01).fit(X, y)
report(seconds=time.process_time() - begin, steps=int(model.n_iter_[0]), status=model.status_.name)
"""
    )
    assert found["status"] == "ITERATION_LIMIT"
    assert found["steps"] <= 300
    assert found["seconds"] < 10.0
