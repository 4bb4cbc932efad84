"""A stationary point of logistic regression with a matrix that is no kernel's."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from maxmargin._deadline import Deadline
from maxmargin.errors import InvalidInput
from maxmargin.kernels import Precomputed
from maxmargin.problems import KernelLogistic
from maxmargin.solution import Checkpoint, KernelLogisticIterate, Status, Trace, evaluation_of, progress_at
from maxmargin.solvers._runtime._base import Callback, Limits

__all__ = ["stationary_point"]

Matrix = NDArray[np.float64]
Search = Callable[[KernelLogistic, Limits, KernelLogisticIterate | None], KernelLogisticIterate]

_MOST_ROWS = 5_000
_CLOSER = 1e-2  # the gap of a round, where a larger one was there already
_LEAST = 1e-14


def stationary_point(
    problem: KernelLogistic, limits: Limits, callback: Callback | None, start: KernelLogisticIterate | None, search: Search
) -> KernelLogisticIterate:
    """β with ``β = C (t − p)``, although nothing bounds the objective, by rounds with the positive part of the matrix.

    With ``K = K⁺ − K⁻`` the dual objective ``−½ βᵀKβ + Σ C_i H`` is a concave function and a convex one, ``½ βᵀK⁻β``. A round
    replaces the latter by its tangent: that is logistic regression with K⁺, whose scores are shifted by ``−K⁻β``. The dual
    objective rises with each, and is bounded, for β is in a box (the concave-convex procedure).

    Parameters
    ----------
    problem : KernelLogistic
        With an indefinite matrix.
    limits : Limits
        Steps of Newton's method count, and a round without any as one.
    callback : callable or None
        Called after each round.
    start : KernelLogisticIterate or None
        Where to start; 0 if None.
    search : callable
        Solves a problem whose matrix is positive semidefinite.

    Raises
    ------
    InvalidInput
        Of more rows than can be decomposed.
    """
    n = problem.n
    if n > _MOST_ROWS:
        raise InvalidInput(
            "The kernel is not positive semidefinite: a search met negative curvature, and of more than"
            f" {_MOST_ROWS} rows (got {n}) no stationary point is searched. Take a Mercer kernel, or maxmargin.kernels.repair"
            " for a matrix."
        )
    deadline, every, seen = Deadline(limits.max_seconds), np.arange(n, dtype=np.int32), list[Checkpoint]()
    values, vectors = np.linalg.eigh(problem.gram.block(every, every))
    positive = _product(vectors, np.maximum(values, 0.0))
    negative = _product(vectors, np.maximum(-values, 0.0))
    gram = Precomputed().bind(positive).gram(positive)
    within = limits.tol
    point = start or KernelLogisticIterate.at(np.zeros((n, problem.outputs)), np.zeros(problem.outputs))
    status, steps, warm = Status.ITERATION_LIMIT, 0, start
    while steps < limits.max_steps:
        part = KernelLogistic.on(
            gram, problem.codes, problem.classes, problem.cost, problem.offset, shift=-(negative @ point.beta)
        )
        left = replace(limits, tol=within, max_seconds=deadline.left(), max_steps=limits.max_steps - steps)
        point = warm = search(part, left, warm)
        steps += max(1, point.steps)
        found = evaluation_of(
            problem, point.beta, (positive - negative) @ point.beta, point.bias, lambda g: (positive - negative) @ g
        )
        seen.append(Checkpoint(deadline.elapsed(), steps, found.dual, found.violation, n, found.gap))
        if point.interrupted or point.status in (Status.TIME_LIMIT, Status.INTERRUPTED):
            status = point.status
            break
        if found.violation <= 0.5 * limits.tol:
            status = Status.INDEFINITE
            break
        if callback is not None and callback(progress_at(seen[-1])):
            status = Status.INTERRUPTED
            break
        if point.steps == 0 and within <= _LEAST:
            status = Status.STALLED
            break
        within = max(_CLOSER * within, _LEAST) if point.steps == 0 else within
    return KernelLogisticIterate(status, steps, point.interrupted, Trace.of(seen), point.beta, point.bias)


def _product(vectors: Matrix, values: Matrix) -> Matrix:
    found = (vectors * values) @ vectors.T
    return np.asarray(0.5 * (found + found.T))
