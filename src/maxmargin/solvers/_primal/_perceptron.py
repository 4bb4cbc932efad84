"""The batch perceptron, linear and in the space of a kernel."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import final

import numpy as np
from numpy.typing import NDArray

from maxmargin import _core
from maxmargin._deadline import Deadline
from maxmargin.errors import FitInterrupted, InvalidInput
from maxmargin.kernels import Gram
from maxmargin.problems import Offset, PrimalProblem
from maxmargin.solution import Progress, Status
from maxmargin.solvers._runtime._base import Callback, Limits

__all__ = ["KernelSide", "LinearSide", "PerceptronRun", "Side", "train_perceptron"]

Vector = NDArray[np.float64]

_HELD = 4000  # rows up to which the kernel matrix is kept
_AT_ONCE = 64  # of them are computed between two looks at the clock


@final
@dataclass(frozen=True, eq=False)
class PerceptronRun:
    """The weights with the fewest wrong rows, and how many were wrong on the way.

    Attributes
    ----------
    coefficients : ndarray
        w, or the coefficients of a kernel's rows.
    bias : float
        b, the weight of a constant feature 1.
    status : Status
        CONVERGED if no row is wrong, else what stopped it.
    mistakes : ndarray of int
        Rows that were wrong before each round, and at the end.
    """

    coefficients: Vector
    bias: float
    status: Status
    mistakes: NDArray[np.int64]


class Side(ABC):
    """Weights that can be evaluated at all rows, and to which multiples of rows can be added."""

    coefficients: Vector
    bias: float = 0.0

    @abstractmethod
    def scores(self, *, exact: bool) -> Vector:
        """``f`` of all rows; not from what was kept along, if ``exact``."""

    @abstractmethod
    def begin_at(self, coefficients: Vector, bias: float, deadline: Deadline) -> None:
        """Take these weights; those of a kernel stay 0 if their products would last longer than until then."""

    @abstractmethod
    def add(self, amounts: Vector, deadline: Deadline) -> bool:
        """``w ← w + Σ a_i x̃_i``; false, and nothing is added, if that would last longer than until then."""


@final
class LinearSide(Side):
    """w itself."""

    def __init__(self, problem: PrimalProblem) -> None:
        self._problem = problem
        self.coefficients = np.zeros(problem.d)

    def scores(self, *, exact: bool) -> Vector:
        return self._problem.scores(self.coefficients, self.bias)

    def begin_at(self, coefficients: Vector, bias: float, deadline: Deadline) -> None:
        self.coefficients, self.bias = coefficients, bias

    def add(self, amounts: Vector, deadline: Deadline) -> bool:
        self.coefficients = self.coefficients + self._problem.combination(amounts)
        if self._problem.offset is not Offset.NONE:
            self.bias += float(amounts.sum())
        return True


@final
class KernelSide(Side):
    """``w = Σ c_i φ(x_i)``: the coefficients c, with the products ``K c`` kept along."""

    def __init__(self, gram: Gram, *, offset: bool) -> None:
        self._gram, self._offset = gram, offset
        self._matrix: _core.Features | None = None
        self._products = np.zeros(gram.n)
        self.coefficients = np.zeros(gram.n)

    def scores(self, *, exact: bool) -> Vector:
        if exact:
            self._products = self._gram.matvec(self.coefficients)
        return self._products + self.bias

    def begin_at(self, coefficients: Vector, bias: float, deadline: Deadline) -> None:
        if self.add(coefficients, deadline):
            self.bias = bias

    def add(self, amounts: Vector, deadline: Deadline) -> bool:
        change = self._product(amounts, deadline)
        if change is None:
            return False
        self._products = self._products + change
        self.coefficients = self.coefficients + amounts
        if self._offset:
            self.bias += float(amounts.sum())
        return True

    def _product(self, amounts: Vector, deadline: Deadline) -> Vector | None:
        """``K a``, from the matrix that is made at the first step if it is small; None if time is over before."""
        if self._gram.n > _HELD:
            return Gram.matvecs_within(deadline.left(), [self._gram], amounts)
        if self._matrix is None:
            every = np.arange(self._gram.n, dtype=np.int32)
            parts = []
            for start in range(0, self._gram.n, _AT_ONCE):
                if deadline.is_over():
                    return None
                parts.append(self._gram.block(every[start : start + _AT_ONCE], every))
            self._matrix = _core.dense_features(np.concatenate(parts))
        return _core.row_products(self._matrix, amounts)


def train_perceptron(
    side: Side, y: Vector, weight: Vector, step: float, limits: Limits, callback: Callback | None = None
) -> PerceptronRun:
    """``w ← w − ε Σ (step(<w, x̃_k>) − c_k) x̃_k`` until no row is wrong, with classes c of 0 and 1 and ``step(0) = 1``.

    A row counts as often as its weight says. The weights with the fewest wrong rows are kept (Gallant 1990): where rows cannot
    be separated, the last ones are as good as any. A callback hears of each round; its violation is the number of wrong rows.
    """
    deadline = Deadline(limits.max_seconds)
    positive = y > 0.0
    mistakes: list[int] = []
    fewest, best = np.inf, (side.coefficients, side.bias)
    try:
        while True:
            scores = side.scores(exact=False)
            if not np.isfinite(scores).all():
                raise InvalidInput(
                    f"The scores of the training rows are not finite after {len(mistakes)} rounds: weights of rows times their"
                    f" features overflow; the largest sample_weight is {weight.max():.3g}. Scale the features, for example with"
                    " StandardScaler, or choose smaller weights."
                )
            wrong = (scores >= 0.0) != positive
            if not wrong.any():  # what was kept along has rounding in it: look again before it is said
                wrong = (side.scores(exact=True) >= 0.0) != positive
            mistakes.append(int(wrong.sum()))
            if (lost := float(weight[wrong].sum())) < fewest:
                fewest, best = lost, (side.coefficients, side.bias)
            status = _ending(mistakes, limits, deadline)
            if callback is not None and callback(_progress(mistakes, deadline, done=status is not None)) and status is None:
                status = Status.INTERRUPTED
            if status is None and not side.add(np.where(wrong, step * weight * y, 0.0), deadline):
                status = Status.TIME_LIMIT
            if status is not None:
                return PerceptronRun(*best, status, np.array(mistakes))
    except KeyboardInterrupt:
        raise FitInterrupted(
            f"Interrupted after {len(mistakes)} rounds. The exception's `solution` has the best weights up to there.",
            lambda: PerceptronRun(*best, Status.INTERRUPTED, np.array(mistakes)),
        ) from None


def _ending(mistakes: list[int], limits: Limits, deadline: Deadline) -> Status | None:
    if mistakes[-1] == 0:
        return Status.CONVERGED
    if len(mistakes) > limits.max_steps:
        return Status.ITERATION_LIMIT
    return Status.TIME_LIMIT if deadline.is_over() else None


def _progress(mistakes: list[int], deadline: Deadline, *, done: bool) -> Progress:
    nothing = float("nan")
    return Progress(deadline.elapsed(), len(mistakes) - 1, nothing, float(mistakes[-1]), 0, nothing, 0, done)
