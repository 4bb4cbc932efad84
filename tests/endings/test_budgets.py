"""Spent budgets, callbacks and Ctrl-C: the fit ends, says why, and keeps what it has."""

from __future__ import annotations

import json
import signal
import statistics
import time
from typing import Any

import numpy as np
import pytest
from sklearn.datasets import make_classification
from sklearn.exceptions import ConvergenceWarning

import maxmargin
from maxmargin import SVC, solve
from maxmargin.kernels import RBF
from maxmargin.problems import SoftMargin
from maxmargin.problems._dual import dual_batch
from maxmargin.solution import Status
from maxmargin.solution._certify import evaluate_all, evaluation_seconds
from maxmargin.solvers import SMO

from ._isolated import start

pytestmark = pytest.mark.alone

CTRL_C_SECONDS = 0.2
"""Ctrl-C must be answered within this time."""

OVERRUN_SECONDS = 1.0
"""What a fit may take beyond max_time: one checkpoint, certification, and a busy machine."""

LONG = """
from maxmargin import SVC
from sklearn.datasets import make_classification
X, y = make_classification({n}, {d}, n_informative=8, flip_y=0.4, random_state=0)
"""


@pytest.fixture(scope="module")
def noisy() -> tuple[np.ndarray, np.ndarray]:
    """Rows that no classifier separates: a fit at large C is long."""
    return make_classification(4000, 10, n_informative=8, flip_y=0.4, random_state=0)


def test_iteration_limit(noisy: tuple[np.ndarray, np.ndarray]) -> None:
    X, y = noisy
    with pytest.warns(ConvergenceWarning, match=r"gap.*max_iter"):
        model = SVC(max_iter=20).fit(X, y)
    assert model.status_ is Status.ITERATION_LIMIT
    assert model.fit_status_ == 1
    assert np.all(model.n_iter_ <= 20)
    assert model.certificate_.gap > 0
    assert np.isfinite(model.decision_function(X)).all()


def test_warning_of_a_spent_budget_has_gap_and_advice(noisy: tuple[np.ndarray, np.ndarray]) -> None:
    with pytest.warns(ConvergenceWarning) as caught:
        solution = solve(SoftMargin(*noisy), max_iter=20)
    messages = [str(w.message) for w in caught if issubclass(w.category, ConvergenceWarning)]
    assert len(messages) == 1
    assert "gap" in messages[0]
    assert Status.ITERATION_LIMIT.advice in messages[0]
    assert solution.status is Status.ITERATION_LIMIT
    assert solution.steps <= 20


def test_time_limit_covers_the_whole_fit(noisy: tuple[np.ndarray, np.ndarray]) -> None:
    X, y = noisy
    begin = time.perf_counter()
    with pytest.warns(ConvergenceWarning, match=r"max_time"):
        model = SVC(C=1e6, tol=1e-9, max_time=0.3).fit(X, y)
    assert time.perf_counter() - begin <= 0.3 + OVERRUN_SECONDS
    assert model.status_ is Status.TIME_LIMIT
    assert model.fit_status_ == 1
    assert np.isfinite(model.certificate_.gap)


def test_time_limit_covers_all_pairs(noisy: tuple[np.ndarray, np.ndarray]) -> None:
    X, _ = noisy
    y = np.random.default_rng(0).integers(0, 6, len(X))
    begin = time.perf_counter()
    with pytest.warns(ConvergenceWarning):
        model = SVC(C=1e6, tol=1e-9, max_time=0.3).fit(X, y)
    assert time.perf_counter() - begin <= 0.3 + OVERRUN_SECONDS
    assert len(model.solutions_) == 15
    assert model.status_ is Status.TIME_LIMIT


@pytest.mark.parametrize(("evaluating", "left_for_the_search"), [(3.0, 7.0), (100.0, 5.0)])
def test_the_certificate_comes_out_of_the_same_time(
    noisy: tuple[np.ndarray, np.ndarray], monkeypatch: pytest.MonkeyPatch, evaluating: float, left_for_the_search: float
) -> None:
    given = []
    run_batch = SMO.run_batch

    def watched(self: SMO, problems: Any, batch: Any, beta: Any, scores: Any, limits: Any, *more: Any) -> Any:
        given.append(limits.max_seconds)
        return run_batch(self, problems, batch, beta, scores, limits, *more)

    monkeypatch.setattr(SMO, "run_batch", watched)
    monkeypatch.setattr("maxmargin._solve._budget.evaluation_seconds", lambda batch, at_most: evaluating)
    SVC(max_time=10.0).fit(*noisy)
    assert given[0] == pytest.approx(left_for_the_search, abs=0.5)


def test_what_judging_takes_is_known_within_a_factor(noisy: tuple[np.ndarray, np.ndarray]) -> None:
    batch = dual_batch([SoftMargin(*noisy, C=1.0).dual])
    beta = np.zeros(len(noisy[1]))
    beta[::3] = 1.0
    times = []
    for _ in range(5):
        begin = time.perf_counter()
        evaluate_all(batch, beta)
        times.append(time.perf_counter() - begin)
    expected = np.median([evaluation_seconds(batch) for _ in range(5)])
    assert 0.1 * np.median(times) <= expected <= 30.0 * np.median(times)


def test_callback_sees_progress_and_stops(noisy: tuple[np.ndarray, np.ndarray]) -> None:
    seen: list[Any] = []

    def stop_at_third(progress: Any) -> bool:
        seen.append(progress)
        return len(seen) == 3

    solution = solve(SoftMargin(*noisy, C=1e5, kernel=RBF()), tol=1e-9, callback=stop_at_third)
    assert solution.status is Status.INTERRUPTED
    assert len(seen) == 3
    steps, seconds = [p.steps for p in seen], [p.seconds for p in seen]
    assert steps == sorted(steps)
    assert seconds == sorted(seconds)
    change = np.diff([p.objective for p in seen])
    assert np.all(change >= 0) or np.all(change <= 0), "the dual objective is monotone"
    assert all(p.n_support > 0 for p in seen[1:])


def test_callback_that_raises_ends_the_fit(noisy: tuple[np.ndarray, np.ndarray]) -> None:
    class Mine(Exception):
        pass

    def broken(progress: Any) -> bool:
        raise Mine

    with pytest.raises(Mine):
        solve(SoftMargin(*noisy, C=1e5), tol=1e-9, callback=broken)
    assert SVC().fit(*noisy).status_ is Status.CONVERGED


def test_trace_has_the_checkpoints(noisy: tuple[np.ndarray, np.ndarray]) -> None:
    trace = solve(SoftMargin(*noisy, C=10.0)).trace
    lengths = {len(a) for a in (trace.seconds, trace.steps, trace.objective, trace.violation, trace.n_support)}
    assert len(lengths) == 1
    assert lengths.pop() >= 1
    assert np.all(np.diff(trace.seconds) >= 0)
    assert np.all(np.diff(trace.steps) >= 0)


WAITS = """
import maxmargin
for _ in range({times}):
    print("READY", flush=True)
    try:
        {call}
        print(json.dumps(dict(ended="finished")), flush=True)
    except KeyboardInterrupt as stop:
        at = time.monotonic()
        solution = getattr(stop, "solution", None)
        known = isinstance(stop, maxmargin.errors.FitInterrupted)
        print(json.dumps(dict(ended=type(stop).__name__, at=at, known=known,
            support=None if solution is None else len(solution.support),
            gap=None if solution is None else solution.certificate.relative_gap)), flush=True)
"""

SLOW_KERNEL = """
def slow(A, B):
    time.sleep(1e-5 * len(A) * len(B))
    return np.dot(A, B.T)
"""

LONG_FITS = {
    "dense rbf": (LONG.format(n=20000, d=10), "SVC(C=1e6, tol=1e-9).fit(X, y)"),
    "kernel rows of many features": (LONG.format(n=12000, d=800), "SVC(C=1e6, tol=1e-9).fit(X, y)"),
    "sparse": (
        LONG.format(n=12000, d=300) + "import scipy.sparse as sp\nX = sp.csr_array(X)\n",
        "SVC(C=1e6, tol=1e-9).fit(X, y)",
    ),
    "linear": (LONG.format(n=20000, d=10), 'SVC(kernel="linear", C=1e6, tol=1e-9).fit(X, y)'),
    "python callable": (
        LONG.format(n=4000, d=10) + SLOW_KERNEL,
        "SVC(kernel=slow, C=1e6, tol=1e-9).fit(X, y)",
    ),
    "many pairs": (
        LONG.format(n=20000, d=10) + "y = np.random.default_rng(0).integers(0, 8, 20000)\n",
        "SVC(C=1e6, tol=1e-9).fit(X, y)",
    ),
}


def _interrupted(setup: str, call: str, *after: float) -> list[tuple[float, dict[str, Any]]]:
    """Seconds from each Ctrl-C until Python had the exception, and what the child says of it: one fit after the other."""
    child = start(setup + WAITS.format(call=call, times=len(after)))
    found = []
    assert child.stdout is not None
    for k, seconds in enumerate(after):
        if k > 0:
            assert child.stdout.readline().strip() == "READY"
        time.sleep(seconds)
        assert child.poll() is None, "the fit ended before it could be interrupted: make it longer"
        sent = time.monotonic()
        child.send_signal(signal.SIGINT)
        said = child.stdout.readline()
        assert said, "the child has died of it"
        answer: dict[str, Any] = json.loads(said)
        assert answer["ended"] != "finished"
        found.append((answer["at"] - sent, answer))
    _, err = child.communicate(timeout=60)
    assert child.returncode == 0, err
    return found


@pytest.mark.parametrize("kind", LONG_FITS)
def test_ctrl_c_is_answered_within_200_ms(kind: str) -> None:
    setup, call = LONG_FITS[kind]
    runs = _interrupted(setup, call, 0.4, 1.0, 1.6)
    # Inside a Python kernel the interpreter itself raises KeyboardInterrupt, before the engine can.
    if kind != "python callable":
        assert all(answer["known"] for _, answer in runs), [answer["ended"] for _, answer in runs]
    # The median of three: a busy machine may delay one of them.
    assert statistics.median(seconds for seconds, _ in runs) <= CTRL_C_SECONDS


def test_ctrl_c_hands_over_the_best_so_far() -> None:
    setup, _ = LONG_FITS["dense rbf"]
    setup += "from maxmargin import solve\nfrom maxmargin.problems import SoftMargin\n"
    ((_, answer),) = _interrupted(setup, "solve(SoftMargin(X, y, C=1e6), tol=1e-9)", 1.5)
    assert answer["support"] > 0
    assert answer["gap"] > 0


def test_ctrl_c_without_throwing_returns_the_solution() -> None:
    setup, _ = LONG_FITS["dense rbf"]
    setup += "from maxmargin import solve\nfrom maxmargin.problems import SoftMargin\n"
    call = "s = solve(SoftMargin(X, y, C=1e6), tol=1e-9, throw=False); "
    call += "print(json.dumps(dict(ended='returned', at=time.monotonic(), status=s.status.name))); sys.exit()"
    ((_, answer),) = _interrupted(setup, call, 1.5)
    assert answer["status"] == "INTERRUPTED"


def test_fit_interrupted_is_a_keyboard_interrupt() -> None:
    assert issubclass(maxmargin.errors.FitInterrupted, KeyboardInterrupt)
    assert not issubclass(maxmargin.errors.FitInterrupted, Exception), "`except Exception` must not swallow Ctrl-C"
