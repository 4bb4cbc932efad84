"""A linear model whose penalty and loss are made of lines: a linear program, handed to HiGHS."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar, Final, final

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from maxmargin.losses import EpsilonInsensitive, Hinge
from maxmargin.problems import Offset, Penalty, PrimalProblem
from maxmargin.solution import PrimalIterate, Status
from maxmargin.solvers._primal._base import PrimalSolver, on_centred
from maxmargin.solvers._primal._watch import PrimalWatch
from maxmargin.solvers._programs._highs import Columns, Program, ProgramEnd, run_program
from maxmargin.solvers._runtime._base import Callback, Limits

__all__ = ["LinearProgram"]

Vector = NDArray[np.float64]

_PIVOTS: Final = 1000  # of the simplex method in a step
_VALUES: Final = 200_000  # of X that are copied at a time
_MISSED: Final = 1e-7
_LIKE_ONE: Final = 1e4  # so large, and one over it: features of such values are handed over as they are


@final
@dataclass(frozen=True)
class LinearProgram(PrimalSolver):
    """``|w|₁ + Σ C_i ξ_i`` with the hinge or the ε-insensitive loss, as a linear program for HiGHS (Huangfu and Hall 2018).

    HiGHS gets the dual: maximise ``Σ α_i`` with ``|Σ α_i y_i x_ik| ≤ 1`` for each feature, ``0 ≤ α_i ≤ C_i`` and, for a free
    offset, ``Σ α_i y_i = 0``. Its multipliers are the weights, and that of the last equation is the offset. The simplex method
    ends at a corner: weights are exactly 0 or not. For the ε-insensitive loss α has a positive and a negative part, and what is
    maximised is ``Σ y_i β_i − ε|β_i|``. X is copied, as columns in float64.

    It suits tens of thousands of rows with some hundreds of features, or the reverse; with many of both it is slow: set
    ``max_time``. A run of HiGHS that reaches this limit, or is interrupted, yields no weights, and the answer is ``w = 0``. A
    step is a thousand pivots of the simplex method. HiGHS cannot be watched closely: the trace has the start, the end, and the
    primal objectives that it logs, about every five seconds.

    Examples
    --------
    >>> from maxmargin import solve
    >>> from maxmargin.problems import PrimalProblem
    >>> from maxmargin.solvers import LinearProgram
    >>> problem = PrimalProblem([[-2.0, 0.1], [2.0, 0.1], [3.0, -0.1]], [0, 1, 1], loss="hinge", penalty="l1")
    >>> solution = solve(problem, solver=LinearProgram())
    >>> solution.status.name, solution.weights, solution.certificate.primal_objective
    ('CONVERGED', array([0.5, 0. ]), 0.5)
    """

    takes_start: ClassVar[bool] = False

    def supports(self, problem: PrimalProblem) -> str | None:
        """L1 penalty; hinge and ε-insensitive loss."""
        if problem.penalty is not Penalty.L1:
            return "its objective is made of lines: penalty='l1' only."
        if not isinstance(problem.loss, Hinge | EpsilonInsensitive):
            return f"it needs the hinge or the ε-insensitive loss, and this one is {problem.loss!r}. Take ProximalNewton."
        return None

    def automatic_steps(self, n: int, n_classes: int = 2) -> int:
        """More than any program takes that HiGHS has the digits for: ten times the usual."""
        return 20 + n // 50

    def run_one(
        self, problem: PrimalProblem, start: PrimalIterate | None, limits: Limits, callback: Callback | None
    ) -> PrimalIterate:
        """Solve the program, unless a limit is reached before its end: then ``w = 0``."""
        return on_centred(problem, lambda near: _solved(near, limits, PrimalWatch(near, limits, callback, rows_a_step=near.n)))


def _solved(problem: PrimalProblem, limits: Limits, watch: PrimalWatch) -> PrimalIterate:
    """Hand the dual over, and read weights off its multipliers."""
    dual = _Dual(problem)

    def stop(pivots: int) -> bool:
        watch.poll(pivots // _PIVOTS)
        return watch.status is not None

    try:
        watch.see(np.zeros(problem.d), 0.0, [], 0)
        if watch.status is not None:
            return watch.iterate(watch.status)
        began = watch.elapsed()
        found = run_program(dual.program(), _PIVOTS * limits.max_steps, stop)
        for seconds, pivots, value in found.passed:
            watch.pass_by(-value, began + seconds, pivots // _PIVOTS)
        if found.end is ProgramEnd.OPTIMAL:
            w, b = dual.longer(*dual.weights(found.worth))
            watch.see(w, b, [dual.multipliers(found.x)], max(-(-found.pivots // _PIVOTS), 1))
    except KeyboardInterrupt:
        return watch.iterate(Status.INTERRUPTED, interrupted=True)
    if watch.status is None:
        watch.status = Status.ITERATION_LIMIT if found.end is ProgramEnd.PIVOTS else Status.STALLED
    return watch.iterate(watch.status)


@final
class _Dual:
    """Maximise what multipliers gain, with ``|Σ α_i s_i x_ik| ≤ 1`` for each feature, and 0 for a free offset.

    HiGHS takes values below 1e-9 for 0, and none above 1e15: features of another size are divided by a power of 2.
    """

    def __init__(self, problem: PrimalProblem) -> None:
        self._problem = problem
        self._constant = {Offset.NONE: 0.0, Offset.FREE: 1.0, Offset.PENALISED: problem.offset_scale}[problem.offset]
        self._unit = np.ones(problem.d + (problem.offset is not Offset.NONE))
        self._measure()

    def program(self) -> Program:
        most = 1.0 / self._unit
        if self._problem.offset is Offset.FREE:
            most[-1] = 0.0
        return Program(-most, most, self._columns())

    def _columns(self) -> Iterator[Columns]:
        """The rows of X some at a time; for residuals α has a positive part, and then a negative one."""
        problem, loss = self._problem, self._problem.loss
        step = max(1, _VALUES // len(self._unit))
        for sign in (1.0, -1.0) if isinstance(loss, EpsilonInsensitive) else (1.0,):
            for begin in range(0, problem.n, step):
                some = slice(begin, min(begin + step, problem.n))
                y, cost = problem.y[some], problem.cost[some]
                if isinstance(loss, EpsilonInsensitive):
                    yield Columns(loss.epsilon - sign * y, np.zeros(len(y)), cost, self._signed(some, np.full(len(y), sign)))
                else:
                    yield Columns(-np.ones(len(y)), np.zeros(len(y)), cost, self._signed(some, y))

    def _signed(self, some: slice, signs: Vector) -> Any:
        """Rows times their signs, with the constant feature, as columns."""
        rows, width = self._problem.X[some], len(self._unit)
        if sparse.issparse(rows):
            rows = sparse.csr_matrix(
                (rows.data * np.repeat(signs, np.diff(rows.indptr)), rows.indices, rows.indptr), rows.shape
            )
            if width > rows.shape[1]:
                rows = sparse.hstack([rows, self._constant * signs[:, np.newaxis]], format="csr")
            return sparse.csc_matrix((rows.data / self._unit[rows.indices], rows.indices, rows.indptr), rows.shape[::-1])
        # all values, also those that are 0: that is many times faster than to look for them
        (n, d), values = rows.shape, np.empty((len(rows), width))
        np.multiply(rows, signs[:, np.newaxis], out=values[:, :d])
        values[:, d:] = self._constant * signs[:, np.newaxis]
        values /= self._unit
        places = np.tile(np.arange(width, dtype=np.int32), n)
        return sparse.csc_matrix((values.ravel(), places, np.arange(n + 1, dtype=np.int64) * width), (width, n))

    def _measure(self) -> None:
        X, d = self._problem.X, self._problem.d
        if sparse.issparse(X):
            largest = np.zeros(d)
            for begin in range(0, X.nnz, _VALUES):  # some at a time: Ctrl-C is seen between them
                some = slice(begin, begin + _VALUES)
                np.maximum.at(largest, X.indices[some], np.abs(X.data[some]))
        else:
            largest = np.maximum(X.max(axis=0), -X.min(axis=0)).astype(np.float64)
        far = (largest > 0.0) & ((largest < 1.0 / _LIKE_ONE) | (largest > _LIKE_ONE))
        self._unit[:d][far] = np.exp2(np.round(np.log2(largest[far])))

    def weights(self, worth: Vector) -> tuple[Vector, float]:
        """w and b from what the constraints are worth."""
        w = np.where(worth == 0.0, 0.0, -worth) / self._unit  # no −0
        if self._problem.offset is Offset.NONE:
            return w, 0.0
        return w[:-1], self._constant * float(w[-1])

    def longer(self, w: Vector, b: float) -> tuple[Vector, float]:
        """The same, but longer by what HiGHS leaves margins short of 1, its tolerance: at large costs that pays."""
        problem = self._problem
        if isinstance(problem.loss, Hinge):
            margins = problem.y * problem.scores(w, b)
            least = float(margins[margins > 1.0 - _MISSED].min(initial=1.0))
            if problem.objective(w / least, b / least) < problem.objective(w, b):
                return w / least, b / least
        return w, b

    def multipliers(self, x: Vector) -> Vector:
        """α as the evaluation has it, inside of its bounds."""
        problem, n = self._problem, self._problem.n
        if isinstance(problem.loss, Hinge):
            return np.clip(x, 0.0, problem.cost)
        up, down = np.clip(x[:n], 0.0, problem.cost), np.clip(x[n:], 0.0, problem.cost)
        return (up - down) * problem.loss.slope(problem.y)
