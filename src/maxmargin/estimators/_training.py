"""Training of all machines of a scheme on one shared Gram source."""

from __future__ import annotations

import math
import time
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from maxmargin._solve import answer, answer_columns, complaint
from maxmargin.errors import InvalidInput
from maxmargin.estimators._reporting import Report
from maxmargin.problems import Problem
from maxmargin.solution import Status
from maxmargin.solution._answer import Answer
from maxmargin.solution._columns import Columns

__all__ = ["Budget", "Deadline", "require_finite", "train", "upper_bounds"]

_LEAST_COST = 1e-300


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


def require_finite(gram: Any) -> None:
    """Raise if the kernel overflows: by Cauchy and Schwarz it does so on the diagonal if anywhere."""
    finite = np.isfinite(gram.diagonal())
    if not finite.all():
        raise InvalidInput(
            f"The dual coefficients or intercepts are not finite: the kernel overflows at row {finite.argmin()}. The input data"
            " may contain large values and need to be preprocessed, for example by StandardScaler."
        )


def upper_bounds(C: float, factor: NDArray[np.float64]) -> NDArray[np.float64]:
    """``C_i = C · factor_i`` of each row, kept positive and finite where the product is not."""
    with np.errstate(over="ignore", under="ignore"):
        return np.minimum(np.maximum(float(C) * factor, _LEAST_COST), 1.0 / _LEAST_COST)


def train(
    problems: Sequence[Problem],
    *,
    solver: Any,
    budget: Budget,
    report: Report,
    names: Callable[[], list[str]],
    stacklevel: int = 2,
) -> Columns:
    """Solve the problem of every machine; warn once for all of them.

    Parameters
    ----------
    problems : sequence of Problem
        What the machines solve; they share a source of kernel values.
    solver : solver object
        What solves them.
    budget : Budget
        When to stop.
    report : Report
        Told about each machine.
    names : callable
        Gives the names of the machines, for the report and for a warning.
    stacklevel : int
        As in :func:`warnings.warn`, counted from the caller.
    """
    if report.silent:
        found = answer_columns(problems, solver, budget.tol, budget.max_iter, budget.deadline.left())
    else:  # one at a time, so that the report can follow
        answers = []
        for name, problem in zip(names(), problems, strict=True):
            follow = report.start(name)
            left = budget.deadline.left()
            answers += answer([problem], solver, budget.tol, budget.max_iter, left, callback=follow)
            report.done(answers[-1])
        found = Columns.of(answers)
    if found.answers:
        _warn_of_the_worst(found.answers, names, stacklevel=stacklevel + 1)
    return found


def _warn_of_the_worst(answers: list[Answer], names: Callable[[], list[str]], *, stacklevel: int) -> None:
    """Warn once for all machines: of the worst ending, the least precise among equals; or of one that separates nothing.

    Parameters
    ----------
    answers : list of Answer
        Of the machines.
    names : callable
        Gives their names: seldom asked for.
    stacklevel : int
        As in :func:`warnings.warn`, counted from the caller.
    """
    endings = [answer.certificate for answer in answers]
    empty = [bool(answer.remark) for answer in answers]
    worst = max(range(len(answers)), key=lambda i: (endings[i].status.severity, empty[i], endings[i].kkt_violation))
    said = complaint(answers[worst])
    if said is None:
        return
    message, category = said
    if len(answers) > 1 and empty[worst]:
        message = f"{sum(empty)} of {len(answers)} machines separate nothing; one is {names()[worst]}. {message}"
    elif len(answers) > 1:
        count = sum(ending.status is not Status.CONVERGED for ending in endings)
        what = "have no certificate" if endings[worst].status is Status.INDEFINITE else "did not converge"
        message = f"{count} of {len(answers)} machines {what}; the worst is {names()[worst]}. {message}"
    warnings.warn(message, category, stacklevel=stacklevel + 1)
