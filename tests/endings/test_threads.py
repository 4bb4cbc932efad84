"""Fits in threads of the user's: a kernel that waits for another fit, and an interpreter that ends in the middle of one."""

from __future__ import annotations

import subprocess
import sys

import pytest

from .._data import FULL
from ._isolated import environment, run, script

WAITING_KERNEL = """
import threading
from maxmargin import SVC, SVR, OneClassSVM, SVDD, NuSVC
from sklearn.datasets import make_classification
X, y = make_classification(60, 4, random_state=0)
inside = []
def plain(A, B):
    return np.dot(A, B.T)
def waiting(A, B):
    if not inside:
        inside.append(True)
        thread = threading.Thread(target=lambda: inside.append({kind}(kernel=plain, **{params}).fit(X, y)), daemon=True)
        thread.start()
        thread.join(20)
    return np.dot(A, B.T)
{kind}(kernel=waiting, **{params}).fit(X, y)
report(inner=len(inside) == 2)
"""


@pytest.mark.parametrize(
    ("kind", "params"),
    [("SVC", {}), ("NuSVC", {"nu": 0.2}), ("SVR", {}), ("OneClassSVM", {}), ("SVDD", {})],
)
def test_a_kernel_may_wait_for_a_fit_in_another_thread(kind: str, params: dict[str, float]) -> None:
    """Two fits of one class share no lock while user code runs inside."""
    result = run(WAITING_KERNEL.format(kind=kind, params=params), timeout=60)
    assert result["inner"], "the fit in the other thread did not end while the kernel waited for it"


SETS = """
import threading
import maxmargin
from maxmargin import *
from sklearn.datasets import make_classification
X, y = make_classification({n}, {d}, n_informative=8, flip_y=0.4, random_state=0)
Y3 = np.random.default_rng(0).integers(0, 3, len(y))
def slow(A, B):
    time.sleep(1e-6 * len(A) * len(B))
    return np.dot(A, B.T)
def seen(progress):
    time.sleep(1e-3)
    return False
def endless():
    while True:
        {call}
{before}
threading.Thread(target=endless, daemon=True).start()
time.sleep({after})
"""

ENDLESS = {
    "kernel": ("", "SVC(C=1e6, tol=1e-9).fit(X, y)"),
    "many binary classifiers": ("", "SVC(C=1e3, tol=1e-9).fit(X, Y3)"),
    "linear kernel": ("", "SVC(kernel='linear', C=1e4).fit(X, y)"),
    "python kernel": ("", "SVC(kernel=slow, C=1e6, tol=1e-9).fit(X, y)"),
    "joint": ("", "SVC(C=1e3, multi_class='joint', tol=1e-9).fit(X, Y3)"),
    "watched": ("", "solve(problems.SoftMargin(X, y, C=1e6), tol=1e-9, callback=seen)"),
    "linear": ("", "LinearSVC(C=1e4, loss='hinge', tol=1e-12).fit(X, y)"),
    "coordinates": ("", "LinearSVC(C=1e4, tol=1e-12, penalise_intercept=True, solver=solvers.CoordinateDescent()).fit(X, y)"),
    "multinomial": ("", "LogisticRegression(C=1e4, tol=1e-12).fit(X, Y3)"),
    "l1": ("", "LogisticRegression(penalty='l1', C=1e4, tol=1e-12).fit(X, y)"),
    "multinomial l1": ("", "LogisticRegression(penalty='l1', C=1e4, tol=1e-12).fit(X, Y3)"),
    "predict": ("model = SVC(C=10.0).fit(X, y)", "model.predict(X)"),
    "linear predict": ("model = LinearSVC(C=10.0).fit(X, y)", "model.predict(X)"),
    "kernel values": ("", "kernels.RBF(gamma=0.1)(X)"),
}


@pytest.mark.parametrize("kind", ENDLESS)
def test_an_interpreter_that_ends_takes_daemon_threads_with_it(kind: str) -> None:
    """No abort, no message and no hang: as scikit-learn's fits in daemon threads do."""
    before, call = ENDLESS[kind]
    children = [
        subprocess.Popen(
            [sys.executable, "-W", "ignore", "-c", script(SETS.format(n=3000, d=20, before=before, call=call, after=after))],
            env=environment(MAXMARGIN_NUM_THREADS="2"),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )
        for after in (0.3, 0.55) * (2 if FULL else 1)
    ]
    try:
        for child in children:
            _, message = child.communicate(timeout=60)
            assert child.returncode == 0, f"exit code {child.returncode}\n{message}"
            assert message == ""
    finally:
        for child in children:
            child.kill()
            child.communicate()
