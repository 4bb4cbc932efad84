"""One class: apart from the origin, or in the smallest ball."""

from __future__ import annotations

import math
from abc import ABC
from typing import Any, Self, final

import numpy as np
from numpy.typing import NDArray

from maxmargin._lazy import lazy
from maxmargin.kernels import Gram, Kernel
from maxmargin.problems._base import (
    Evaluated,
    Model,
    Problem,
    gram_of,
    require_equally_many,
    require_range,
    unlabelled,
)
from maxmargin.problems._dual import DualProblem
from maxmargin.problems._feasible_start import filled
from maxmargin.problems._slack_rule import Ball, Level, SlackRule
from maxmargin.validation import check_fraction

__all__ = ["DataDescription", "OneClass"]

Vector = NDArray[np.float64]

_BEYOND = 2.0  # times the sum of all β: a bound that is never met
_HARD = 1e6  # times that sum: a row of such a weight may not be outside at all, and what rounding puts there has no cost


class _Unlabelled(Problem, ABC):
    """Rows without labels: weights ``w_i``, the fraction ν, and multipliers of at least 0 that sum to a constant."""

    def __init__(self, X: Any, nu: float = 0.5, kernel: Kernel | Any = None, sample_weight: Any = None) -> None:
        owner = type(self).__name__
        share = check_fraction("nu", nu, owner)
        chosen, _, data = unlabelled(X, kernel, sample_weight, owner)
        self._fill(gram_of(chosen, data), data.weight, share)

    @classmethod
    def on(cls, gram: Gram, weight: Vector, nu: float) -> Self:
        """The problem from a source of kernel values and positive weights."""
        problem = cls.__new__(cls)
        problem._fill(gram, weight, nu)
        return problem

    def _fill(self, gram: Gram, weight: Vector, nu: float) -> None:
        require_equally_many(gram, weights=weight)
        require_range(weight, "sample_weight")
        self.gram = gram
        self.y = np.ones(len(weight))
        self.weight = weight
        self.nu = nu

    def within(self, beta: Vector) -> Problem:
        """With bounds not far beyond the sum of β, which no β reaches: larger ones only lose digits."""
        most = _BEYOND * self.dual.total
        return self if self.dual.upper.max() <= most else _Bounded(self, np.minimum(self.dual.upper, most))

    def start(self) -> Vector:
        """The first rows, as far as the sum of β reaches."""
        return filled(self.dual.upper, self.dual.total)


@final
class OneClass(_Unlabelled):
    """Minimise ``½|w|² − ν W ρ + Σ w_i max(0, ρ − <w, φ(x_i)>)`` over w and ρ; ``f(x) = <w, φ(x)> − ρ``.

    ν bounds the fraction of outliers, rows with f < 0, from above and the fraction of support vectors from below (Schölkopf,
    Platt, Shawe-Taylor, Smola and Williamson 2001). ``W`` is the sum of the weights ``w_i``. A row with ``w_i > 10⁶ ν W`` has
    no slack: it may not be outside, and an excess due to rounding is not counted.

    Parameters
    ----------
    X : array-like, CSR matrix or sequence of objects
        Training rows; a square Gram matrix for ``Precomputed``, any objects for a kernel function.
    nu : float
        In (0, 1].
    kernel : Kernel, callable or str
        The kernel; ``RBF()`` by default.
    sample_weight : array-like, optional
        Weight w_i of each row. A weight of 2 counts the row twice, 0 leaves it out.

    Examples
    --------
    >>> from maxmargin import solve
    >>> from maxmargin.kernels import Linear
    >>> from maxmargin.problems import OneClass
    >>> solution = solve(OneClass([[1.0], [2.0], [3.0], [4.0]], nu=0.2, kernel=Linear()))
    >>> solution.weights, solution.decision_function([[1.0], [3.0]]).round(9)
    (array([0.8]), array([0. , 1.6]))
    """

    @lazy
    def dual(self) -> DualProblem:
        """``q = 0``, β between 0 and w_i, and ``Σβ = ν W``."""
        zero = np.zeros(len(self.weight))
        total = self.nu * float(self.weight.sum())
        return DualProblem(gram=self.gram, q=zero, lower=zero, upper=_upper(self.weight, total), offset=True, total=total)

    def note(self, evaluated: Evaluated) -> str:
        """That nothing is separated from the origin."""
        if not evaluated.is_zero:
            return ""
        return (
            f"The margin is 0: at nu = {self.nu:g} the origin is inside the reduced convex hull of the rows, w = 0 is optimal,"
            " and the scores tell nothing. Choose a kernel without negative values, such as RBF, or raise nu, which shrinks it."
        )

    def slack_rule(self, evaluated: Evaluated) -> Level:
        """A level."""
        return Level()


@final
class DataDescription(_Unlabelled):
    """The smallest ball around most rows: minimise ``R² + Σ w_i max(0, |φ(x_i) − c|² − R²) / (ν W)`` over c and R.

    Support vector data description (Tax and Duin 2004). ν bounds the fraction of rows outside from above. The score is
    ``f(x) = (R² − |φ(x) − c|²) / 2``, the centre ``c = Σ β_i φ(x_i)``; R is ``solution.slack_rule.radius``. The objectives are
    half of those above. Where ``k(x, x)`` is the same for all x, as for an RBF, it is equivalent to `OneClass`.

    Parameters
    ----------
    X : array-like, CSR matrix or sequence of objects
        Training rows; a square Gram matrix for ``Precomputed``, any objects for a kernel function.
    nu : float
        In (0, 1]; if it is so small that no row may be outside, the answer is the smallest enclosing ball.
    kernel : Kernel, callable or str
        The kernel; ``RBF()`` by default.
    sample_weight : array-like, optional
        Weight w_i of each row. A weight of 2 counts the row twice, 0 leaves it out.

    Examples
    --------
    >>> from maxmargin import solve
    >>> from maxmargin.kernels import Linear
    >>> from maxmargin.problems import DataDescription
    >>> solution = solve(DataDescription([[0.0], [1.0], [4.0]], nu=0.1, kernel=Linear()))
    >>> solution.weights, round(solution.slack_rule.radius, 6), solution.decision_function([[2.0], [5.0]]).round(6)
    (array([2.]), 2.0, array([ 2. , -2.5]))
    """

    @lazy
    def dual(self) -> DualProblem:
        """``q = −k(x_i, x_i)/2``, β between 0 and ``w_i/(ν W)``, and ``Σβ = 1``."""
        upper = _upper(self.weight / (self.nu * float(self.weight.sum())), 1.0)
        zero = np.zeros(len(upper))
        return DualProblem(gram=self.gram, q=-0.5 * self.gram.diagonal(), lower=zero, upper=upper, offset=True, total=1.0)

    def unit(self, evaluated: Evaluated) -> float:
        """Beside R², where that is below 1: a ball of small features must not converge before it is looked for."""
        return max(1.0, 0.5 / evaluated.primal) if evaluated.primal > 1e-300 else 1.0

    def slack_rule(self, evaluated: Evaluated) -> Ball:
        """A ball: ``b = (R² − |c|²) / 2``."""
        return Ball(math.sqrt(max(0.0, evaluated.square_norm + 2.0 * evaluated.bias)))

    def model(self, beta: Vector, evaluated: Evaluated) -> Model:
        """The answer; the scores of the training rows have ``k(x_i, x_i)/2`` taken off as all others."""
        model = super().model(beta, evaluated)
        return model._replace(scores=model.scores - 0.5 * self.gram.diagonal())


@final
class _Bounded(Problem):
    """A problem as a solver gets it: with bounds that no point of it meets, so that the losses of its rows are too small."""

    def __init__(self, whole: _Unlabelled, upper: Vector) -> None:
        self.gram, self.y = whole.gram, whole.y
        self._whole, self._upper = whole, upper

    @lazy
    def dual(self) -> DualProblem:
        """That of the whole problem, with smaller bounds."""
        return self._whole.dual._replace(upper=self._upper)

    def slack_rule(self, evaluated: Evaluated) -> SlackRule:
        """That of the whole problem."""
        return self._whole.slack_rule(evaluated)


def _upper(weight: Vector, total: float) -> Vector:
    """Bounds of β: the weights, but of rows that may not be outside, as without slack, one that is not met."""
    return np.where(weight > _HARD * total, _BEYOND * total, weight)
