"""Regression in a tube: its width is given (ε), or found so that a given part of the rows is outside (ν)."""

from __future__ import annotations

from typing import Any, Self, final

import numpy as np
from numpy.typing import NDArray

from maxmargin._lazy import lazy
from maxmargin.kernels import Gram, Kernel
from maxmargin.problems._base import Evaluated, Problem, gram_of, require_equally_many, require_range, unlabelled
from maxmargin.problems._coincidence import coincidence, equal_rows
from maxmargin.problems._dual import DualProblem
from maxmargin.problems._feasible_start import filled
from maxmargin.problems._proofs import NoTube
from maxmargin.problems._slack_rule import Tube
from maxmargin.validation import check_boolean, check_fraction, check_non_negative, check_positive, target_column

__all__ = ["EpsilonRegression", "NuRegression"]

Vector = NDArray[np.float64]

_FURTHER = 1e4  # how far beyond a point a solver may go where nothing bounds β: on the way to infinity it finds no end
_FARTHEST = 1e12  # beyond, in the unit of β, scores are nothing but rounding
_LARGEST = 1e140  # of all bounds: denormal rows would ask for coefficients whose squares overflow
_STEEP = 1e5  # a function of such a norm, in units of target by |φ(x)|, does not exist but for rounding
_SAME_POINT = 1e-6  # a distance, as a part of the largest |φ(x)|: below it is rounding
_RUNS_AWAY = 10.0  # a β that gains by being so many times longer is not an answer
_ROUNDING = 1e-12  # of a mean of targets


@final
class EpsilonRegression(Problem):
    """Minimise ``½|w|² + Σ C_i max(0, |f(x_i) − y_i| − ε)`` with ``f(x) = <w, φ(x)> + b``.

    The dual has one variable for each row, between −C_i and C_i: the difference of the two multipliers of its tube (Smola and
    Schölkopf 2004). ``C = inf`` requires every row to be inside the tube; if no function achieves this, `NoTube` proves it.

    Parameters
    ----------
    X : array-like, CSR matrix or sequence of objects
        Training rows; a square Gram matrix for ``Precomputed``, any objects for a kernel function.
    y : array-like
        Targets.
    C : float
        Cost of leaving the tube.
    epsilon : float
        Half the width of the tube.
    kernel : Kernel, callable or str
        The kernel; ``RBF()`` by default.
    offset : bool
        Whether f has a free offset b.
    sample_weight : array-like, optional
        Weight w_i of each row: ``C_i = C w_i``. A weight of 2 counts the row twice, 0 leaves it out.

    Examples
    --------
    A line may miss the points (0, 0) and (2, 2) by ½ each, so the flattest line has slope ½.

    >>> from maxmargin import solve
    >>> from maxmargin.kernels import Linear
    >>> from maxmargin.problems import EpsilonRegression
    >>> solution = solve(EpsilonRegression([[0.0], [2.0]], [0.0, 2.0], C=10.0, epsilon=0.5, kernel=Linear()))
    >>> solution.weights, solution.bias
    (array([0.5]), 0.5)
    """

    def __init__(
        self,
        X: Any,
        y: Any,
        C: float = 1.0,
        epsilon: float = 0.1,
        kernel: Kernel | Any = None,
        offset: bool = True,
        sample_weight: Any = None,
    ) -> None:
        cost = check_positive("C", C, "EpsilonRegression", infinite=True)
        width = check_non_negative("epsilon", epsilon, "EpsilonRegression")
        chosen, rows, data = unlabelled(X, kernel, sample_weight, "EpsilonRegression")
        y = data.of_kept(target_column(y, rows))
        free = check_boolean("offset", offset, "EpsilonRegression")
        self._fill(gram_of(chosen, data), y, cost * data.weight, width, free)
        self.weight = data.weight

    @classmethod
    def on(cls, gram: Gram, y: Vector, upper: Vector, epsilon: float, offset: bool = True) -> Self:
        """The problem from a source of kernel values, targets and ``C_i > 0``."""
        problem = cls.__new__(cls)
        problem._fill(gram, y, upper, epsilon, offset)
        return problem

    def _fill(self, gram: Gram, y: Vector, upper: Vector, epsilon: float, offset: bool) -> None:
        require_equally_many(gram, targets=y, bounds=upper)
        require_range(upper, "C times sample_weight", y, endless=True)
        self.gram = gram
        self.y = y
        self.upper = self.weight = upper  # of parts nothing else is known: as if C were 1
        self.epsilon = epsilon
        self.offset = offset

    @lazy
    def dual(self) -> DualProblem:
        """``q = −y``, a kink of ε at 0, and β between −C_i and C_i."""
        return DualProblem(
            gram=self.gram.centred() if self.offset else self.gram,
            q=-self.y,
            lower=-self.upper,
            upper=self.upper,
            offset=self.offset,
            l1_weight=self.epsilon,
        )

    def slack_rule(self, evaluated: Evaluated) -> Tube:
        """A tube of the given width."""
        return Tube(self.epsilon)

    @lazy
    def _centred(self) -> Vector:
        """Targets, with an offset from the middle between the smallest and the largest: the same to the dual."""
        return self.y - 0.5 * (self.y.max() + self.y.min()) if self.offset else self.y

    @lazy
    def _sizes(self) -> tuple[float, float]:
        """The largest target and the largest ``|φ(x)|²``, or 1."""
        return float(np.abs(self._centred).max()) or 1.0, float(np.abs(self.dual.gram.diagonal()).max()) or 1.0

    def within(self, beta: Vector) -> Problem:
        """For ``C = inf`` bounds that β meets only where it runs away: far out, and farther the farther it is."""
        if np.isfinite(self.upper).all():
            return self
        target, square = self._sizes
        unit, size = target / square, float(np.abs(beta).max())
        reach = max(size, min(_FURTHER * max(size, unit), _FARTHEST * unit, _LARGEST))
        return EpsilonRegression.on(self.gram, self.y, np.minimum(self.upper, reach), self.epsilon, self.offset)

    def proof(self, beta: Vector, evaluated: Evaluated) -> NoTube | None:
        """The direction of a β that runs away, if every function in the tube would be too steep to exist.

        By weak duality ``|w| ≥ c/|Σ β_i φ(x_i)|`` for all of them, where ``c = yᵀβ − ε Σ|β|``. At an optimum c is ``|w|²``, and
        there is an answer, however steep.
        """
        if np.isfinite(self.upper).all() or not self._may_be_empty(beta, evaluated):
            return None
        pair = self._equal_pair()
        coefficients, error = pair if pair is not None else self._coincidence(beta) or (None, 0.0)
        if coefficients is None:
            return None
        above, below = np.maximum(coefficients, 0.0), np.maximum(-coefficients, 0.0)
        up, down = float(above.sum()), float(below.sum())
        if up + down == 0.0 or (self.offset and min(up, down) == 0.0):
            return None
        hulls = 2.0 if self.offset else 1.0
        above, below = (above / up, below / down) if self.offset else (above / (up + down), below / (up + down))
        apart, size = float((above - below) @ self._centred), float(np.abs(self._centred).max()) + self.epsilon
        rounding = size * (2.0 * error * float(np.count_nonzero(coefficients)) / (up + down) + _ROUNDING)
        if apart - hulls * self.epsilon <= hulls * rounding:
            return None
        distance = max(0.0, float((above - below) @ self.dual.gram.matvec(above - below))) ** 0.5
        return NoTube(above, below, distance, apart, (apart - rounding) / hulls)

    def _coincidence(self, beta: Vector) -> tuple[Vector, float] | None:
        gain = np.stack([self._centred - self.epsilon, -self._centred - self.epsilon])
        return coincidence(self.gram, beta, offset=self.offset, gain=gain)

    def _may_be_empty(self, beta: Vector, evaluated: Evaluated) -> bool:
        """Whether β looks like a ray: its rows cancel, and it gains by being longer."""
        abs_sum, hulls = float(np.abs(beta).sum()), 2.0 if self.offset else 1.0
        if abs_sum == 0.0:
            return False
        gain, (target, square) = float(beta @ self._centred) / abs_sum - self.epsilon, self._sizes
        distance = max(0.0, evaluated.square_norm) ** 0.5 / abs_sum
        if distance > _SAME_POINT * square**0.5 / hulls or gain < _ROUNDING * (target + self.epsilon):
            return False
        return gain * square**0.5 >= _STEEP * target * distance / hulls and gain * abs_sum >= _RUNS_AWAY * evaluated.square_norm

    def _equal_pair(self) -> tuple[Vector, float] | None:
        """Two rows that are the same, with targets too far apart, as coefficients 1 and −1."""
        number = equal_rows(self.gram)
        order = np.lexsort((self.y, number))
        first = np.flatnonzero(np.diff(number[order], prepend=-1))
        last = np.append(first[1:], len(order)) - 1
        apart = self.y[order[last]] - self.y[order[first]]
        widest = int(apart.argmax())
        if apart[widest] <= 2.0 * self.epsilon * (1.0 + _ROUNDING):
            return None
        coefficients = np.zeros(len(order))
        coefficients[order[last[widest]]], coefficients[order[first[widest]]] = 1.0, -1.0
        return coefficients, 0.0

    def undecided(self, evaluated: Evaluated) -> str:
        """That floating point cannot tell whether a function is in the tube."""
        if np.isfinite(self.upper).all():
            return ""
        return (
            "Floating point cannot decide whether a function of this kernel is within epsilon of all targets: the coefficients"
            " grow without end, and no proof was found that none is."
        )


@final
class NuRegression(Problem):
    """Minimise ``½|w|² + C ν W ε + Σ C_i max(0, |f(x_i) − y_i| − ε)`` over w, b and the tube's half-width ``ε ≥ 0``.

    ν bounds the fraction of rows outside the tube from above and the fraction of support vectors from below (Schölkopf, Smola,
    Williamson and Bartlett 2000). ``W`` is the sum of the weights ``w_i``, ``C_i = C w_i``. The ε found is
    ``solution.slack_rule.epsilon``.

    Parameters
    ----------
    X : array-like, CSR matrix or sequence of objects
        Training rows; a square Gram matrix for ``Precomputed``, any objects for a kernel function.
    y : array-like
        Targets.
    C : float
        Cost of leaving the tube.
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
    >>> from maxmargin.problems import NuRegression
    >>> solution = solve(NuRegression([[0.0], [1.0], [2.0], [3.0]], [0.0, 1.0, 2.0, 3.0], C=0.1, nu=0.4, kernel=Linear()))
    >>> round(solution.slack_rule.epsilon, 6), solution.weights.round(6)
    (1.14, array([0.24]))
    """

    def __init__(
        self, X: Any, y: Any, C: float = 1.0, nu: float = 0.5, kernel: Kernel | Any = None, sample_weight: Any = None
    ) -> None:
        cost = check_positive("C", C, "NuRegression")
        share = check_fraction("nu", nu, "NuRegression")
        chosen, rows, data = unlabelled(X, kernel, sample_weight, "NuRegression")
        self._fill(gram_of(chosen, data), data.of_kept(target_column(y, rows)), cost * data.weight, share)

    @classmethod
    def on(cls, gram: Gram, y: Vector, upper: Vector, nu: float) -> Self:
        """The problem from a source of kernel values, targets and ``C_i > 0``."""
        problem = cls.__new__(cls)
        problem._fill(gram, y, upper, nu)
        return problem

    def _fill(self, gram: Gram, y: Vector, upper: Vector, nu: float) -> None:
        require_equally_many(gram, targets=y, bounds=upper)
        require_range(upper, "C times sample_weight", y)
        self.gram = gram
        self.y = y
        self.upper = upper
        self.nu = nu
        self._mass = nu * float(upper.sum())

    @lazy
    def dual(self) -> DualProblem:
        """``q = −y``, β between −C_i and C_i, and ``Σ|β| ≤ ν Σ C_i``."""
        return DualProblem(
            gram=self.gram.centred(),
            q=-self.y,
            lower=-self.upper,
            upper=self.upper,
            offset=True,
            abs_sum=self._mass,
            abs_sum_may_fall=True,
        )

    def start(self) -> Vector:
        """The largest targets pull up, the smallest down, as far as ``Σ|β|`` may grow; equal ones not at all."""
        if np.ptp(self.y) == 0.0:
            return np.zeros(len(self.y))
        order = np.argsort(self.y, kind="stable")
        beta = np.zeros(len(self.y))
        low = filled(self.upper[order], 0.5 * self._mass)
        high = filled(self.upper[order[::-1]], 0.5 * self._mass)
        beta[order] -= low
        beta[order[::-1]] += high
        return beta

    def slack_rule(self, evaluated: Evaluated) -> Tube:
        """A tube whose ε is the multiplier of ``Σ|β|``."""
        return Tube(max(0.0, evaluated.cost))
