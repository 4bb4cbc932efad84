"""Training of all machines of a scheme on one shared Gram source."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from maxmargin._solve import solve
from maxmargin.estimators._reporting import Report
from maxmargin.estimators._schemes import Machine, Scheme
from maxmargin.problems import SoftMargin
from maxmargin.solution import Solution

__all__ = ["Budget", "Deadline", "Trained", "finite_cost", "train"]

_VERY_LARGE_COST = 1e10  # of slack, where the mean of k(x, x) is 1


@final
class Deadline:
    """Wall time left of a whole fit.

    Parameters
    ----------
    seconds : float or None
        Time from now; None for no limit.
    """

    def __init__(self, seconds: float | None) -> None:
        self._end = time.perf_counter() + (math.inf if seconds is None else float(seconds))

    def left(self) -> float | None:
        """Seconds left, a little more than 0 when none are; None without a limit."""
        return max(self._end - time.perf_counter(), 1e-9) if math.isfinite(self._end) else None


@final
@dataclass(frozen=True)
class Budget:
    """When a machine may stop: precision, pair steps, and the time of the whole fit."""

    tol: float
    max_iter: int
    deadline: Deadline


@final
@dataclass(frozen=True, eq=False)
class Trained:
    """A machine with its solution; the solution counts the machine's own rows."""

    machine: Machine
    solution: Solution

    def rows(self, own: NDArray[Any]) -> NDArray[np.intp]:
        """Training rows that the machine's own rows are."""
        return np.asarray(own if self.machine.rows is None else self.machine.rows[own], dtype=np.intp)


def finite_cost(C: float, gram: Any) -> float:
    """C itself, or for infinity a very large number that scales as the kernel does."""
    if math.isfinite(C):
        return float(C)
    return _VERY_LARGE_COST / max(float(np.mean(gram.diagonal())), np.finfo(np.float64).tiny)


def train(
    scheme: Scheme,
    gram: Any,
    *,
    codes: NDArray[np.intp],
    upper: NDArray[np.float64],
    solver: Any,
    budget: Budget,
    report: Report,
    names: list[str],
) -> list[Trained]:
    """Solve every machine of the scheme.

    Parameters
    ----------
    scheme : Scheme
        Which machines.
    gram : Gram
        Kernel values of all training rows; the machines share it.
    codes : ndarray of intp
        Class index of each row.
    upper : ndarray of float64
        ``C_i`` of each row.
    solver : solver object
        What solves them.
    budget : Budget
        When to stop.
    report : Report
        Told about each machine.
    names : list of str
        Names of the machines, for the report.
    """
    trained = []
    for name, machine in zip(names, scheme.machines(codes), strict=True):
        if machine.rows is None:
            problem = SoftMargin.on(gram, machine.y, upper)
        else:
            problem = SoftMargin.on(gram.take(machine.rows), machine.y, upper[machine.rows])
        solution = solve(
            problem,
            solver=solver,
            tol=budget.tol,
            max_iter=budget.max_iter,
            max_time=budget.deadline.left(),
            callback=report.start(name),
        )
        report.done(solution)
        trained.append(Trained(machine, solution))
    return trained
