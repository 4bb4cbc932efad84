"""The stochastic subgradient walk, step by step."""

from __future__ import annotations

import math
from copy import deepcopy
from typing import Any, Final, Self, final

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from maxmargin import _core
from maxmargin.errors import InvalidInput
from maxmargin.kernels import Gram, as_features
from maxmargin.losses import Loss
from maxmargin.problems import Offset, PrimalProblem
from maxmargin.solution import ROW_LOSSES
from maxmargin.solvers._kernel_rows import KernelRows
from maxmargin.solvers._primal._row_order import RowOrder
from maxmargin.validation import check_integer

__all__ = ["SubgradientWalk"]

Vector = NDArray[np.float64]

_VALUES: Final = 1 << 21  # values that the core reads before Python looks around: some milliseconds


@final
class SubgradientWalk:
    """Single steps of `StochasticSubgradient`, which can be continued on the same rows or on others (`move_to`).

    With ``λ = 1/ΣC_i`` the problem is ``λ/2 |w|² + mean loss`` (for equal ``C_i = C`` it is ``λ = 1/(nC)``), and step t is

        η = 1/(λ (delay + t)),  w = η θ,  draw i,  θ ← θ − ℓ'(z_i) ∂z_i/∂f_i x_i.

    ``z_i = y_i <w, x_i>`` for a margin, so that the hinge adds ``y_i x_i`` where ``z_i < 1``. Rows are drawn uniformly, or in
    proportion to their weights. Shuffled, the steps go through all rows in random order, again and again (`RowOrder`), and
    ``w^(t)`` has weight t in the mean. An offset without a penalty takes plain steps, ``b ← b − η ℓ'(z_i) ∂z_i/∂f_i``.

    Attributes
    ----------
    steps : int
        Steps taken, T.
    lam : float
        λ.
    diverged : bool
        Whether a score was not finite; such a walk does not continue.
    stretch : int
        Steps that take some milliseconds at most: `advance` looks for signals after so many.

    Examples
    --------
    >>> from maxmargin.problems import PrimalProblem
    >>> from maxmargin.solvers import StochasticSubgradient
    >>> walk = StochasticSubgradient(seed=0).walk(PrimalProblem([[-1.0], [1.0]], [-1, 1], C=2.0, offset=None))
    >>> walk.advance(1000)
    >>> walk.steps, walk.mean[0].round(2)
    (1000, array([1.]))
    """

    _kernel: KernelRows | None
    _X: Any
    _features: _core.Features | None
    _shares: Vector | None

    def __init__(self, problem: PrimalProblem, seed: int, delay: int, order: RowOrder | None = None) -> None:
        scale = problem.offset_scale if problem.offset is Offset.PENALISED else 0.0
        self._begin(problem.d, problem.cost, problem.loss, problem.offset, scale, seed, delay)
        self._growing = order is not None
        self._stand_on(problem.y, problem.cost, problem.X, problem.features, order)

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
        walk._begin(gram.n, cost, loss, Offset.FREE if free_offset else Offset.NONE, 0.0, seed, delay)
        walk._kernel = KernelRows(gram)
        walk._stand_on(y, cost, None, None, None)
        return walk

    def _begin(self, size: int, cost: Vector, loss: Loss, offset: Offset, scale: float, seed: int, delay: int) -> None:
        self._rng = np.random.default_rng(seed)
        self._loss, self._offset, self._delay = loss, offset, min(delay, 2**62)  # of which a float is made
        self._scale, self._d, self._kernel = scale, size, None
        self.steps, self.lam, self.diverged = 0, 1.0 / float(cost.sum()), False
        self._theta, self._moment = np.zeros(size + 1), np.zeros(size + 1)  # the last are of a constant feature
        self.stretch = 1
        self._growing = False
        self._weights = self._rates = 0.0  # of the steps taken; times η
        self._b = self._b_sum = 0.0

    def _stand_on(self, y: Vector, cost: Vector, X: Any, features: _core.Features | None, order: RowOrder | None) -> None:
        self._order, self._ahead = order, np.zeros(0, dtype=np.int64)
        self._y, self._cost, self._X, self._features = y, cost, X, features
        self.stretch = max(1, _VALUES // max(len(y) if X is None else _values_of(X), 1))
        self._shares = None if cost.min() == cost.max() else np.cumsum(cost) / cost.sum()
        self._drawn, self._slopes = np.zeros(len(y)), np.zeros(len(y))  # weights of its steps, and the sum of weight · −ℓ'

    def move_to(
        self, problem: PrimalProblem, order: RowOrder | None = None, tally: tuple[Vector, Vector] | None = None
    ) -> None:
        """Continue with other rows of the same kind: the walk keeps θ, its mean and its count of steps.

        Parameters
        ----------
        problem : PrimalProblem
            The other rows.
        order : RowOrder or None
            What shuffled steps go through; they need one.
        tally : tuple of ndarray, optional
            What the walk knew of these rows when it stood on them before: its `tally` then.
        """
        if self._growing != (order is not None):
            raise InvalidInput(f"The walk {'is' if self._growing else 'is not'} shuffled, and must stay so.")
        if self._kernel is not None:
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
        self._stand_on(problem.y, problem.cost, problem.X, problem.features, order)
        if tally is not None:
            self._drawn, self._slopes = tally

    @property
    def tally(self) -> tuple[Vector, Vector]:
        """Of each row the weights of the steps that drew it, and the sum of weight times ``−ℓ'`` then."""
        return self._drawn, self._slopes

    def leave(self) -> None:
        """Drop the rows until `move_to`, to keep the walk without them; a walk in the space of a kernel has nothing else."""
        if self._kernel is not None:
            raise InvalidInput("A walk in the space of a kernel cannot leave its rows: its coefficients are of these.")
        self._y = self._cost = self._drawn = self._slopes = np.zeros(0)
        self._X = self._features = self._shares = self._order = None
        self._ahead = np.zeros(0, dtype=np.int64)

    def advance(self, steps: int) -> None:
        """Take so many steps; fewer if a score is not finite."""
        count = check_integer("steps", steps, "advance", 0)
        if count and not len(self._y):
            raise InvalidInput("The walk has no rows to draw from. Move it to some: move_to(problem).")
        if not count:
            return
        rule, ground = self._rule(), self._ground()
        while count > 0 and not self.diverged:
            stretch = min(count, self.stretch)
            count -= stretch
            self._take(rule, ground, self._draw(stretch))

    def __copy__(self) -> Self:
        """A walk of its own from here: steps of one do not move the other."""
        made = type(self).__new__(type(self))
        own = {name: vars(self)[name].copy() for name in ("_theta", "_moment", "_drawn", "_slopes")}
        vars(made).update({**vars(self), **own, "_rng": deepcopy(self._rng)})
        return made

    def __getstate__(self) -> dict[str, Any]:
        """Arrays and numbers only: the core's view of the rows is made anew."""
        return {**vars(self), "_features": None, "_offset": self._offset.name}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Take a state; the offset stands in it by name."""
        vars(self).update({**state, "_offset": Offset[state["_offset"]]})

    def _draw(self, count: int) -> NDArray[np.int64]:
        n = len(self._y)
        if self._order is not None:
            while len(self._ahead) < count:
                self._ahead = np.append(self._ahead, self._order.epoch(self._rng))
            draws, self._ahead = self._ahead[:count], self._ahead[count:]
            return draws
        if self._shares is None:
            return self._rng.integers(n, size=count)
        return np.minimum(np.searchsorted(self._shares, self._rng.random(count), side="right"), n - 1).astype(np.int64)

    def _rule(self) -> _core.WalkRule:
        loss = self._loss
        kind = ROW_LOSSES.get(type(loss))
        return _core.WalkRule(
            loss=kind,
            epsilon=float(getattr(loss, "epsilon", 0.0)),
            derivative=None if kind is not None else lambda z: float(loss.derivative(z)),
            lam=self.lam,
            delay=float(self._delay),
            scale=self._scale,
            free_offset=self._offset is Offset.FREE,
            growing=self._growing,
        )

    def _ground(self) -> _core.WalkGround:
        """What the core walks on: z = slope f + its value at 0, which is y f for a margin, −f + y for a residual."""
        return _core.WalkGround(
            slope=np.ascontiguousarray(self._loss.slope(self._y), dtype=np.float64),
            at_zero=np.ascontiguousarray(self._loss.argument(self._y, np.zeros(len(self._y))), dtype=np.float64),
            theta=self._theta,
            moment=self._moment,
            drawn=self._drawn,
            slopes=self._slopes,
        )

    def _take(self, rule: _core.WalkRule, ground: _core.WalkGround, draws: NDArray[np.int64]) -> None:
        point = _core.WalkPoint()
        point.steps, point.weights, point.rates = self.steps, self._weights, self._rates
        point.b, point.b_sum = self._b, self._b_sum
        try:
            if self._kernel is None:
                if self._features is None:  # after a pickle
                    self._features = as_features(self._X)
                goes_on = _core.walk_on_features(rule, ground, self._features, point, draws)
            else:
                kernel = self._kernel
                goes_on = _core.walk_on_kernel(rule, ground, kernel.matrix, kernel.row, kernel.products, point, draws)
            self.diverged = not goes_on
        finally:  # also after Ctrl-C, between two steps
            self.steps, self._weights, self._rates = point.steps, point.weights, point.rates
            self._b, self._b_sum = point.b, point.b_sum

    def _rate(self, t: int) -> float:
        return 1.0 / (self.lam * (self._delay + t))

    @property
    def last(self) -> tuple[Vector, float]:
        """w (for a kernel its coefficients) and b that the next step will use."""
        eta = self._rate(self.steps + 1)
        return eta * self._theta[:-1], eta * self._scale * float(self._theta[-1]) + self._b

    @property
    def mean(self) -> tuple[Vector, float]:
        """``(1/T) Σ w^(t)`` over the steps taken, shuffled ``Σ t w^(t) / Σ t``, and the same of b; 0 before the first.

        A term that came into θ in step s is in ``Σ η_t θ_t`` with ``Σ_{t>s} η_t``: so no step has to touch all of θ.
        """
        if self.steps == 0:
            return np.zeros(self._d), 0.0
        mean = (self._rates * self._theta - self._moment) / self._weights
        return mean[:-1].copy(), self._scale * float(mean[-1]) + self._b_sum / self._weights

    def multipliers(self, scores: Vector) -> list[Vector]:
        """Two guesses at the dual variables: from slopes at the given scores, and from the mean of the slopes on the way.

        The first is right for a smooth loss; at a kink the mean settles where the slope jumps.
        """
        at_end = -self._loss.derivative(self._loss.argument(self._y, scores))
        return [self._cost * at_end, self._cost * np.where(self._drawn > 0.0, self._mean_slopes(), at_end)]

    def on_the_way(self) -> Vector:
        """The second of `multipliers`, without scores; 0 for rows that were never drawn."""
        return self._cost * self._mean_slopes()

    def _mean_slopes(self) -> Vector:
        means = np.divide(self._slopes, self._drawn, out=np.zeros(len(self._drawn)), where=self._drawn > 0.0)
        return means if self._order is None else self._order.shared(means)

    @property
    def epoch(self) -> int:
        """Steps of a pass over the rows, if they are shuffled; else 0."""
        return 0 if self._order is None else self._order.steps


def _values_of(X: Any) -> int:
    """Stored values of a row, on average."""
    return int(X.nnz // max(X.shape[0], 1)) if sparse.issparse(X) else int(X.shape[1])
