"""Training of all machines of a scheme on one shared Gram source."""

from __future__ import annotations

import math
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, final

import numpy as np
from numpy.typing import NDArray

from maxmargin._solve import answer_columns, complaint
from maxmargin.errors import InvalidInput
from maxmargin.estimators._records import certificates_of
from maxmargin.estimators._reporting import Report
from maxmargin.kernels import Gram
from maxmargin.kernels._scale import Moments
from maxmargin.problems import Problem
from maxmargin.solution import Certificate, Status
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

    def is_over(self) -> bool:
        """Whether the time is used up."""
        return time.perf_counter() >= self._end


@final
@dataclass(frozen=True)
class Budget:
    """When a machine may stop: precision, pair steps, and the time of the whole fit."""

    tol: float
    max_iter: int
    deadline: Deadline


def require_finite(gram: Gram, moments: Moments) -> None:
    """Raise if the kernel overflows: by Cauchy and Schwarz it does so on the diagonal if anywhere.

    The diagonal need not be computed where all squared lengths together would not make it overflow.
    """
    if not gram.kernel.overflows_at(1.01 * gram.n * float((moments.variance + moments.mean**2).sum())):
        return
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
    starts: Sequence[Any] | None = None,
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
    starts : sequence, optional
        Where each machine begins.
    """
    # All at once, whether somebody listens or not: how machines share memory and kernel values decides about their last bits.
    alone = len(problems) == 1
    follow = None if report.silent else report.start(names()[0]) if alone else report.together(names())
    seconds = budget.deadline.left()
    found = answer_columns(problems, solver, budget.tol, budget.max_iter, seconds, callback=follow, starts=starts)
    if not report.silent:
        for name, ending in zip(names(), _endings(found), strict=True):
            if not alone:
                report.start(name)
            report.done(ending)
    if found.answers:
        _warn_of_the_worst(found.answers, names, stacklevel=stacklevel + 1)
    return found


@final
class _Ending(NamedTuple):
    """What is reported of a machine that is done."""

    status: Status
    steps: int
    support: range
    certificate: Certificate


def _endings(found: Columns) -> Iterator[_Ending]:
    certificates = certificates_of(found.numbers, [status.name for status in found.statuses])
    for certificate, steps, count in zip(certificates, found.steps.tolist(), found.n_support.tolist(), strict=True):
        yield _Ending(certificate.status, steps, range(count), certificate)


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
    empty = [answer.status.is_optimal and bool(answer.remark) for answer in answers]
    worst = max(range(len(answers)), key=lambda i: (endings[i].status.severity, empty[i], endings[i].kkt_violation))
    said = complaint(answers[worst])
    if said is None:
        return
    message, category = said
    if len(answers) > 1 and empty[worst]:
        message = f"{sum(empty)} of {len(answers)} machines separate nothing; one is {names()[worst]}. {message}"
    elif len(answers) > 1:
        count = sum(not ending.status.is_optimal for ending in endings)
        what = "have no certificate" if endings[worst].status is Status.INDEFINITE else "did not converge"
        message = f"{count} of {len(answers)} machines {what}; the worst is {names()[worst]}. {message}"
    warnings.warn(message, category, stacklevel=stacklevel + 1)
