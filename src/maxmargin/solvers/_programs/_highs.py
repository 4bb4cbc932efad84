"""Linear programs by HiGHS (Huangfu and Hall 2018), in a thread that nobody has to wait for."""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Callable, Iterable
from enum import Enum
from importlib import import_module
from typing import Any, Final, NamedTuple, final

import numpy as np
from numpy.typing import NDArray

__all__ = ["Columns", "Program", "ProgramAnswer", "ProgramEnd", "run_program"]

Vector = NDArray[np.float64]

_PRECISE: Final = 1e-10  # the least tolerance that HiGHS takes
_FIRST_LOOK: Final = 1e-3  # seconds until somebody looks whether to stop; each time twice as many,
_BETWEEN_LOOKS: Final = 0.05  # up to these
_LINE: Final = re.compile(r" *(\d+) +(\S+) Pr: ")  # of the log of the dual simplex method, in its second phase
_AT_ONCE: Final = 200_000  # values that are handed over: about 10 ms


@final
class Columns(NamedTuple):
    """Some variables: what a unit of each costs, its bounds, and its products with the rows as a CSC matrix."""

    cost: Vector
    lower: Vector
    upper: Vector
    A: Any


@final
class Program(NamedTuple):
    """Minimise ``cost·x`` with ``least ≤ A x ≤ most`` and ``lower ≤ x ≤ upper``; the columns come some at a time."""

    least: Vector
    most: Vector
    columns: Iterable[Columns]


@final
class ProgramEnd(Enum):
    """How a run ended."""

    OPTIMAL = "optimal"
    UNBOUNDED = "unbounded"
    PIVOTS = "most pivots"
    STOPPED = "stopped"
    FAILED = "failed"


@final
class ProgramAnswer(NamedTuple):
    """A corner, what its constraints are worth, and how many pivots it took.

    Attributes
    ----------
    end : ProgramEnd
        Unless it is OPTIMAL the vectors are empty.
    x : ndarray
        The corner.
    worth : ndarray
        How the least cost follows the bounds of each row of A.
    pivots : int
        Of the simplex method.
    passed : tuple of (float, int, float)
        Seconds, pivots and the value of the dual program, as HiGHS logs them: about every five seconds.
    """

    end: ProgramEnd
    x: Vector
    worth: Vector
    pivots: int
    passed: tuple[tuple[float, int, float], ...] = ()


@final
class _Run:
    """One run of HiGHS: shared by the thread that runs it and the one that waits."""

    def __init__(self, program: Program, most_pivots: int) -> None:
        self._program, self._most = program, most_pivots
        self._begin = time.perf_counter()
        self._passed: list[tuple[float, int, float]] = []
        self.pivots = 0
        self.stop = False
        self.done = threading.Event()
        self.answer: ProgramAnswer | None = None
        self.error: BaseException | None = None

    def __call__(self) -> None:
        try:
            self.answer = self._solve()
        except BaseException as error:  # whoever waits raises it
            self.error = error
        finally:
            self.done.set()

    def _solve(self) -> ProgramAnswer:
        highspy: Any = import_module("highspy")  # 12 MB that most models never need
        highs = highspy.Highs()
        settings: dict[str, bool | int | float | str] = {
            "output_flag": True,  # for the log alone
            "log_to_console": False,
            "solver": "simplex",
            # Rows of real numbers leave nothing to it, and it does not look at whether to stop.
            "presolve": "off",
            "primal_feasibility_tolerance": _PRECISE,
            "dual_feasibility_tolerance": _PRECISE,
            "simplex_iteration_limit": self._most,
        }
        for name, value in settings.items():
            highs.setOptionValue(name, value)
        highs.cbSimplexInterrupt.subscribe(self._look)
        highs.cbLogging.subscribe(self._read)
        failed = highspy.HighsStatus.kError
        if not self._hand_over(highs, failed) or self.stop:
            return self._ended(ProgramEnd.STOPPED if self.stop else ProgramEnd.FAILED)
        highs.run()
        kind = highspy.HighsModelStatus
        self.pivots = int(highs.getInfo().simplex_iteration_count)
        end = {
            kind.kOptimal: ProgramEnd.OPTIMAL,
            kind.kUnbounded: ProgramEnd.UNBOUNDED,
            kind.kUnboundedOrInfeasible: ProgramEnd.UNBOUNDED,
            kind.kIterationLimit: ProgramEnd.PIVOTS,
            kind.kInterrupt: ProgramEnd.STOPPED,
        }.get(highs.getModelStatus(), ProgramEnd.FAILED)
        if end is not ProgramEnd.OPTIMAL:
            return self._ended(end)
        solution = highs.getSolution()
        passed = tuple(self._passed)
        return ProgramAnswer(end, np.array(solution.col_value), np.array(solution.row_dual), self.pivots, passed)

    def _hand_over(self, highs: Any, failed: Any) -> bool:
        """The rows, then the columns piece by piece: other threads wait while HiGHS takes one."""
        nothing, rows = np.zeros(0), len(self._program.least)
        starts, places = np.zeros(rows, dtype=np.int32), np.zeros(0, dtype=np.int32)
        if highs.addRows(rows, self._program.least, self._program.most, 0, starts, places, nothing) == failed:
            return False
        for cost, lower, upper, A in self._program.columns:
            begin, pointers = 0, A.indptr
            while begin < len(cost) and not self.stop:
                end = int(np.searchsorted(pointers, pointers[begin] + _AT_ONCE, side="right")) - 1
                some = slice(begin, min(max(end, begin + 1), len(cost)))
                first, last = int(pointers[some.start]), int(pointers[some.stop])
                values = (A.indices[first:last].astype(np.int32, copy=False), A.data[first:last])
                starts = (pointers[some] - first).astype(np.int32)
                count = some.stop - some.start
                if highs.addCols(count, cost[some], lower[some], upper[some], last - first, starts, *values) == failed:
                    return False
                begin = some.stop
            if self.stop:
                return False
        return True

    def _ended(self, end: ProgramEnd) -> ProgramAnswer:
        return ProgramAnswer(end, np.zeros(0), np.zeros(0), self.pivots, tuple(self._passed))

    def _read(self, event: Any) -> None:
        line = _LINE.match(event.message)
        if line is not None:
            self._passed.append((time.perf_counter() - self._begin, int(line[1]), float(line[2])))

    def _look(self, event: Any) -> None:
        self.pivots = int(event.data_out.simplex_iteration_count)
        if self.stop:
            event.interrupt()


def run_program(program: Program, most_pivots: int, stop: Callable[[int], bool]) -> ProgramAnswer:
    """Solve a program by the dual simplex method.

    HiGHS looks at whether to stop after every pivot, but not while it prepares the first or factors a basis anew, which takes
    seconds for large programs. So it runs in a thread of its own: when it is told to stop, whoever waits goes on at once, and
    the thread ends by itself at its next pivot.

    Parameters
    ----------
    program : Program
        Its columns are made in that thread too.
    most_pivots : int
        When to give up.
    stop : callable
        Gets the number of pivots so far, at first often and then about every 50 ms; true ends the run.

    Examples
    --------
    >>> import numpy as np
    >>> from scipy import sparse
    >>> from maxmargin.solvers._programs._highs import Columns, Program, run_program
    >>> columns = Columns(-np.ones(2), np.zeros(2), np.full(2, 3.0), sparse.csc_matrix([[1.0, 2.0]]))
    >>> answer = run_program(Program(np.array([-1.0]), np.array([4.0]), [columns]), 100, lambda pivots: False)
    >>> answer.end.name, answer.x, answer.worth
    ('OPTIMAL', array([3. , 0.5]), array([-0.5]))
    """
    run = _Run(program, min(most_pivots, 2**31 - 1))
    thread = threading.Thread(target=run, name="maxmargin-highs")
    thread.start()
    seconds = _FIRST_LOOK
    try:
        while not run.done.wait(seconds):
            seconds = min(2.0 * seconds, _BETWEEN_LOOKS)
            if stop(run.pivots):
                run.stop = True
                return ProgramAnswer(ProgramEnd.STOPPED, np.zeros(0), np.zeros(0), run.pivots)
    except BaseException:
        run.stop = True
        raise
    if run.error is not None:
        raise run.error
    assert run.answer is not None
    return run.answer
