"""The stochastic subgradient walk, step by step."""

from __future__ import annotations

import math
from typing import Self, final

import numpy as np
from numpy.typing import NDArray

from maxmargin.errors import InvalidInput
from maxmargin.kernels import Gram
from maxmargin.losses import Loss
from maxmargin.problems import Offset, PrimalProblem
from maxmargin.solvers._rows import KernelRows, NoRows, Rows, feature_rows
from maxmargin.validation import check_integer

__all__ = ["SubgradientWalk"]

Vector = NDArray[np.float64]


@final
class SubgradientWalk:
    """Single steps of `StochasticSubgradient`, which can be continued on the same rows or on others (`move_to`).

    With ``λ = 1/ΣC_i`` the problem is ``λ/2 |w|² + mean loss`` (for equal ``C_i = C`` it is ``λ = 1/(nC)``), and step t is

        η = 1/(λ (delay + t)),  w = η θ,  draw i,  θ ← θ − ℓ'(z_i) ∂z_i/∂f_i x_i.

    ``z_i = y_i <w, x_i>`` for a margin, so that the hinge adds ``y_i x_i`` where ``z_i < 1``. Rows are drawn uniformly, or in
    proportion to their weights. An offset without a penalty takes plain steps, ``b ← b − η ℓ'(z_i) ∂z_i/∂f_i``.

    Attributes
    ----------
    steps : int
        Steps taken, T.
    lam : float
        λ.
    diverged : bool
        Whether a score was not finite; such a walk does not continue.

    Examples
    --------
    >>> from maxmargin.problems import PrimalProblem
    >>> from maxmargin.solvers import StochasticSubgradient
    >>> walk = StochasticSubgradient(seed=0).walk(PrimalProblem([[-1.0], [1.0]], [-1, 1], C=2.0, offset=None))
    >>> walk.advance(1000)
    >>> walk.steps, walk.mean[0].round(2)
    (1000, array([1.]))
    """

    def __init__(self, problem: PrimalProblem, seed: int, delay: int) -> None:
        self._begin(feature_rows(problem.X), problem.y, problem.cost, problem.loss, problem.offset, seed, delay)
        self._scale = problem.offset_scale if problem.offset is Offset.PENALISED else 0.0
        self._d = problem.d

    @classmethod
    def on_kernel(
        cls, gram: Gram, y: Vector, cost: Vector, loss: Loss, *, free_offset: bool, seed: int, delay: int = 0
    ) -> Self:
        """The walk in the space of a kernel: θ is ``Σ c_i φ(x_i)``, and only c is kept.

        Examples
        --------
        >>> import numpy as np
        >>> from maxmargin.kernels import RBF
        >>> from maxmargin.losses import Logistic
        >>> from maxmargin.solvers import SubgradientWalk
        >>> X, y = np.array([[0.0], [1.0], [2.0]]), np.array([-1.0, 1.0, -1.0])
        >>> gram = RBF(gamma=1.0).bind(X).gram(X)
        >>> walk = SubgradientWalk.on_kernel(gram, y, np.full(3, 100.0), Logistic(), free_offset=True, seed=0)
        >>> walk.advance(3000)
        >>> coefficients, b = walk.mean
        >>> np.sign(gram.matvec(coefficients) + b)
        array([-1.,  1., -1.])
        """
        walk = cls.__new__(cls)
        walk._begin(KernelRows(gram), y, cost, loss, Offset.FREE if free_offset else Offset.NONE, seed, delay)
        walk._scale = 0.0
        walk._d = gram.n
        return walk

    def _begin(self, rows: Rows, y: Vector, cost: Vector, loss: Loss, offset: Offset, seed: int, delay: int) -> None:
        self._rng = np.random.default_rng(seed)
        self._loss, self._offset, self._delay = loss, offset, min(delay, 2**62)  # of which a float is made
        self.steps, self.lam, self.diverged = 0, 1.0 / float(cost.sum()), False
        self._rates = 0.0  # Σ η over the steps taken
        self._constant = self._constant_moment = 0.0  # θ of a constant feature
        self._b = self._b_sum = 0.0
        self._stand_on(rows, y, cost)

    def _stand_on(self, rows: Rows, y: Vector, cost: Vector) -> None:
        self._rows, self._y, self._cost = rows, y, cost
        self._argument: list[tuple[float, float]] = []  # made with the first step
        self._shares = None if cost.min() == cost.max() else np.cumsum(cost) / cost.sum()
        self._drawn, self._slopes = np.zeros(len(y)), np.zeros(len(y))  # how often, and the sum of −ℓ'

    def move_to(self, problem: PrimalProblem) -> None:
        """Continue with other rows of the same kind: the walk keeps θ, its mean and its count of steps."""
        if isinstance(self._rows, KernelRows):
            raise InvalidInput("A walk in the space of a kernel cannot move to other rows: its coefficients are of these.")
        if problem.d != self._d:
            raise InvalidInput(f"The walk is in {self._d} features. Got a problem with {problem.d}.")
        if problem.loss != self._loss or problem.offset is not self._offset:
            raise InvalidInput(
                f"The walk is for {self._loss!r} and a {self._offset.value!r} offset."
                f" Got {problem.loss!r} and {problem.offset.value!r}."
            )
        lam = 1.0 / float(problem.cost.sum())
        if not math.isclose(lam, self.lam, rel_tol=1e-9):
            raise InvalidInput(
                f"The walk has λ = {self.lam:.6g}. Got a problem with 1/ΣC_i = {lam:.6g}; choose C = 1/(λ n) of its n rows."
            )
        self._stand_on(feature_rows(problem.X, before=self._rows), problem.y, problem.cost)

    def leave(self) -> None:
        """Drop the rows until `move_to`, to keep the walk without them; a walk in the space of a kernel has nothing else."""
        if isinstance(self._rows, KernelRows):
            raise InvalidInput("A walk in the space of a kernel cannot leave its rows: its coefficients are of these.")
        self._rows = NoRows(self._rows)
        self._y = self._cost = self._drawn = self._slopes = np.zeros(0)
        self._argument, self._shares = [], None

    def advance(self, steps: int) -> None:
        """Take so many steps; fewer if a score is not finite."""
        count = check_integer("steps", steps, "advance", 0)
        with np.errstate(over="ignore", invalid="ignore"):
            for i in self._draw(count):
                if not self._step(i):
                    return

    def _draw(self, count: int) -> list[int]:
        n = len(self._y)
        if n == 0:
            return [0] * min(count, 1)  # the rows say that there are none
        if not self._argument:  # z = slope f + its value at 0: y f for a margin, −f + y for a residual
            slopes, at_zero = self._loss.slope(self._y), self._loss.argument(self._y, np.zeros(n))
            self._argument = list(zip(slopes.tolist(), at_zero.tolist(), strict=True))
        if self._shares is None:
            drawn: list[int] = self._rng.integers(n, size=count).tolist()
        else:
            drawn = np.minimum(np.searchsorted(self._shares, self._rng.random(count), side="right"), n - 1).tolist()
        return drawn

    def _step(self, i: int) -> bool:
        eta = self._rate(self.steps + 1)
        score = eta * (self._rows.product(i) + self._scale * self._constant) + self._b
        slope, at_zero = self._argument[i]
        fall = -float(self._loss.derivative(slope * score + at_zero))
        if not (math.isfinite(score) and math.isfinite(fall)):
            self.diverged = True
            return False
        self.steps += 1
        self._rates += eta
        self._b_sum += self._b
        self._drawn[i] += 1.0
        if fall != 0.0:
            self._slopes[i] += fall
            amount = fall * slope
            self._rows.add(i, amount, self._rates)
            self._constant += self._scale * amount
            self._constant_moment += self._rates * self._scale * amount
            if self._offset is Offset.FREE:
                self._b += eta * amount
        return True

    def _rate(self, t: int) -> float:
        return 1.0 / (self.lam * (self._delay + t))

    @property
    def last(self) -> tuple[Vector, float]:
        """w (for a kernel its coefficients) and b that the next step will use."""
        eta = self._rate(self.steps + 1)
        return eta * self._rows.theta, eta * self._scale * self._constant + self._b

    @property
    def mean(self) -> tuple[Vector, float]:
        """``(1/T) Σ w^(t)`` over the steps taken, and the same of b; 0 before the first.

        A term that came into θ in step s is in ``Σ η_t θ_t`` with ``Σ_{t>s} η_t``: so no step has to touch all of θ.
        """
        if self.steps == 0:
            return np.zeros_like(self._rows.theta), 0.0
        w = (self._rates * self._rows.theta - self._rows.moment) / self.steps
        constant = (self._rates * self._constant - self._constant_moment) / self.steps
        return w, self._scale * constant + self._b_sum / self.steps

    def multipliers(self, scores: Vector) -> list[Vector]:
        """Two guesses at the dual variables: from slopes at the given scores, and from the mean of the slopes on the way.

        The first is right for a smooth loss; at a kink the mean settles where the slope jumps.
        """
        at_end = -self._loss.derivative(self._loss.argument(self._y, scores))
        seen = self._drawn > 0.0
        on_the_way = np.where(seen, self._slopes / np.where(seen, self._drawn, 1.0), at_end)
        return [self._cost * at_end, self._cost * on_the_way]
