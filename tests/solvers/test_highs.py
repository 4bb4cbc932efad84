"""Linear programs: what HiGHS is asked, and that nobody waits for it."""

from __future__ import annotations

import os
import signal
import threading
import time
import warnings
from typing import Any

import numpy as np
import pytest
from scipy import sparse
from scipy.optimize import linprog

from maxmargin import LinearClassifier, solve
from maxmargin.errors import ConvergenceWarning, FitInterrupted
from maxmargin.problems import PrimalProblem
from maxmargin.solution import Status
from maxmargin.solvers._programs._highs import Columns, Program, ProgramEnd, run_program

SOON = 0.3
RNG = np.random.default_rng(0)


def program(n: int, d: int, most: float = np.inf) -> tuple[Program, Any]:
    """Maximise a sum under random constraints, with scipy's answer."""
    A, cost = RNG.normal(size=(d, n)), -RNG.uniform(0.5, 1.0, n)
    columns = [
        Columns(cost[k::2], np.zeros(len(cost[k::2])), np.full(len(cost[k::2]), most), sparse.csc_matrix(A[:, k::2]))
        for k in (0, 1)
    ]
    order = np.concatenate([np.arange(n)[0::2], np.arange(n)[1::2]])
    rows = np.vstack([A, -A])[:, order]
    reference = linprog(cost[order], A_ub=rows, b_ub=np.ones(2 * d), bounds=(0.0, most))
    return Program(-np.ones(d), np.ones(d), columns), reference


def never(pivots: int) -> bool:
    return False


@pytest.mark.parametrize(("n", "d"), [(1, 1), (7, 3), (60, 20), (20, 60)])
def test_the_optimum_is_scipys(n: int, d: int) -> None:
    asked, reference = program(n, d, 1.0)
    found = run_program(asked, 10_000, never)
    assert found.end is ProgramEnd.OPTIMAL
    cost = np.concatenate([columns.cost for columns in asked.columns])
    assert cost @ found.x == pytest.approx(reference.fun, rel=1e-9)
    marginals = reference.ineqlin.marginals
    np.testing.assert_allclose(found.worth, marginals[:d] - marginals[d:], atol=1e-8)


def test_other_endings() -> None:
    asked, _ = program(30, 10, 1.0)
    assert run_program(asked, 1, never).end is ProgramEnd.PIVOTS
    endless = Columns(-np.ones(1), np.zeros(1), np.full(1, np.inf), sparse.csc_matrix((1, 1)))
    assert run_program(Program(np.zeros(1), np.ones(1), [endless]), 100, never).end is ProgramEnd.UNBOUNDED
    impossible = Columns(np.ones(1), np.zeros(1), np.ones(1), sparse.csc_matrix([[1.0]]))
    assert run_program(Program(np.full(1, 2.0), np.full(1, 3.0), [impossible]), 100, never).end is ProgramEnd.FAILED
    huge = Columns(np.ones(1), np.zeros(1), np.ones(1), sparse.csc_matrix([[1e200]]))
    assert run_program(Program(np.zeros(1), np.ones(1), [huge]), 100, never).end is ProgramEnd.FAILED


def test_an_error_of_the_columns_is_raised() -> None:
    def broken() -> Any:
        raise ZeroDivisionError("no column")
        yield

    with pytest.raises(ZeroDivisionError, match="no column"):
        run_program(Program(np.zeros(1), np.ones(1), broken()), 100, never)


def long_program() -> PrimalProblem:
    rows = np.random.default_rng(1).normal(size=(2500, 700))
    return PrimalProblem(rows, rows[:, 0] + np.random.default_rng(2).normal(size=2500) > 0, penalty="l1", C=10.0)


def threads_end() -> None:
    for thread in threading.enumerate():
        if thread.name == "maxmargin-highs":
            thread.join(20.0)
            assert not thread.is_alive()


@pytest.mark.alone
def test_time_callback_and_ctrl_c() -> None:
    problem = long_program()
    begin = time.perf_counter()
    with pytest.warns(ConvergenceWarning, match="TIME_LIMIT"):
        limited = solve(problem, max_time=0.4)
    assert time.perf_counter() - begin < 0.4 + SOON
    assert limited.status is Status.TIME_LIMIT
    assert not limited.weights.any()
    calls: list[float] = []

    def enough(progress: Any) -> bool:
        calls.append(time.perf_counter())
        return len(calls) > 2

    with pytest.warns(ConvergenceWarning, match="INTERRUPTED"):
        solve(problem, callback=enough)
    assert time.perf_counter() - calls[-1] < SOON
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background job ignores it
    pressed: list[float] = []

    def press() -> None:
        pressed.append(time.perf_counter())
        os.kill(os.getpid(), signal.SIGINT)

    try:
        threading.Timer(0.5, press).start()
        with pytest.raises(FitInterrupted) as caught:
            solve(problem)
        assert time.perf_counter() - pressed[0] < SOON
    finally:
        signal.signal(signal.SIGINT, before)
    assert caught.value.solution.status is Status.INTERRUPTED
    threads_end()


@pytest.mark.parametrize("size", [1e-8, 1e-3, 1e3, 1e8])
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_matrix])
def test_features_of_any_size(form: Any, size: float) -> None:
    """HiGHS drops values below 1e-9; with weights that cost ``|w|/size`` the answer is the same."""
    rows = np.random.default_rng(3).normal(size=(40, 4))
    labels = np.where(rows[:, 0] + 0.5 * rows[:, 1] > 0.3, 1, 0)
    one = solve(PrimalProblem(form(rows), labels, penalty="l1", C=2.0), tol=1e-9)
    other = solve(PrimalProblem(form(size * rows), labels, penalty="l1", C=2.0 / size), tol=1e-6)
    assert other.status is Status.CONVERGED
    assert other.certificate.primal_objective * size == pytest.approx(one.certificate.primal_objective, rel=1e-5)


def test_margins_short_of_1_at_a_large_price() -> None:
    rows = np.random.default_rng(4).normal(size=(5, 30)) * 10.0 ** np.random.default_rng(4).integers(-3, 4, 30)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = LinearClassifier(penalty="l1", C=1e5, tol=1e-8).fit(rows, [0, 1, 1, 0, 1])
    assert model.status_ is Status.CONVERGED


def test_the_log_has_the_objective_on_the_way() -> None:
    given, _ = program(400, 20, 1.0)
    columns = list(given.columns)
    answer = run_program(given._replace(columns=columns), 100_000, never)
    seconds, pivots, value = answer.passed[-1]
    cost = np.concatenate([each.cost for each in columns])
    assert seconds >= 0.0
    assert pivots == answer.pivots
    assert value == pytest.approx(float(cost @ answer.x), rel=1e-6)
