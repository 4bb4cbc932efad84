"""ν-classification."""

from __future__ import annotations

from typing import Any, Self, final

import numpy as np
from numpy.typing import NDArray

from maxmargin._lazy import lazy
from maxmargin.errors import InvalidInput
from maxmargin.kernels import Gram, Kernel
from maxmargin.problems._base import Evaluated, Model, Problem, gram_of, labelled, require_equally_many, require_range
from maxmargin.problems._dual import DualProblem
from maxmargin.problems._feasible_start import filled
from maxmargin.problems._kkt_data import KKTData
from maxmargin.problems._slack_rule import Margin
from maxmargin.validation import check_fraction

__all__ = ["NuClassification"]

Vector = NDArray[np.float64]


@final
class NuClassification(Problem):
    """Minimise ``½|w|² − ν W ρ + Σ w_i max(0, ρ − y_i f(x_i))`` over w, b and the margin ``ρ ≥ 0``.

    ν bounds the fraction of rows inside the margin from above and the fraction of support vectors from below (Schölkopf, Smola,
    Williamson and Bartlett 2000). ``W`` is the sum of the weights ``w_i``. The answer is scaled to a margin of 1, as usual:
    with ``C = 1/ρ`` it is that of `SoftMargin`. The objectives stay those of this problem.

    The dual finds the nearest points of the reduced convex hulls of the two classes, in which the coefficient of row i is at
    most ``2 w_i/(νW)`` (Crisp and Burges 2000). The larger ν, the smaller the hulls. Where they overlap, the margin is 0:
    w = 0 is optimal, nothing is scaled, and a `NoMarginWarning` says so.

    Parameters
    ----------
    X : array-like, CSR matrix or sequence of objects
        Training rows; a square Gram matrix for ``Precomputed``, any objects for a kernel function.
    y : array-like
        Labels of two classes; the one that sorts last is +1.
    nu : float
        In (0, 1], and at most ``2 min(W₊, W₋)/W``: the coefficients of each class sum to ``νW/2``, and each is at most ``w_i``.
    kernel : Kernel, callable or str
        The kernel; ``RBF()`` by default.
    sample_weight : array-like, optional
        Weight w_i of each row. A weight of 2 counts the row twice, 0 leaves it out.

    Examples
    --------
    >>> from maxmargin import solve
    >>> from maxmargin.kernels import Linear
    >>> from maxmargin.problems import NuClassification
    >>> solution = solve(NuClassification([[0.0], [1.0], [3.0], [4.0]], [0, 0, 1, 1], nu=0.4, kernel=Linear()))
    >>> solution.weights.round(9), round(solution.bias, 9)
    (array([1.]), -2.0)
    """

    def __init__(self, X: Any, y: Any, nu: float = 0.5, kernel: Kernel | Any = None, sample_weight: Any = None) -> None:
        share = check_fraction("nu", nu, "NuClassification")
        chosen, data = labelled(X, y, kernel, sample_weight, "NuClassification")
        self._fill(gram_of(chosen, data), data.y, data.weight, share)
        self.classes = data.classes

    @classmethod
    def on(cls, gram: Gram, y: Vector, weight: Vector, nu: float) -> Self:
        """The problem from a source of kernel values, labels −1 and +1, and positive weights."""
        problem = cls.__new__(cls)
        problem._fill(gram, y, weight, nu)
        return problem

    def _fill(self, gram: Gram, y: Vector, weight: Vector, nu: float) -> None:
        require_equally_many(gram, labels=y, weights=weight)
        require_range(weight, "sample_weight")
        self.gram = gram
        self.y = y
        self.weight = weight
        self.nu = nu
        total = float(weight.sum())
        largest = 2.0 * min(float(weight[y > 0].sum()), float(weight[y < 0].sum())) / total
        if nu > largest * (1.0 + 1e-12):
            raise InvalidInput(
                f"specified nu is infeasible: nu = {nu:g} is more than {largest:.6g}, twice the share of the smaller class."
                f" Choose nu in (0, {largest:.6g}]."
            )
        self._largest = largest
        self._mass = min(nu, largest) * total

    @lazy
    def dual(self) -> DualProblem:
        """``q = 0``, β between 0 and ``y w_i``, and half of ``ν W`` on each side."""
        ends = self.y * self.weight
        return DualProblem(
            gram=self.gram.centred(),
            q=np.zeros(len(self.y)),
            lower=np.minimum(ends, 0.0),
            upper=np.maximum(ends, 0.0),
            offset=True,
            abs_sum=self._mass,
        )

    def start(self) -> Vector:
        """The first rows of each class, as far as half of ``ν W`` reaches."""
        beta = np.zeros(len(self.y))
        for sign in (1.0, -1.0):
            members = np.flatnonzero(self.y == sign)
            beta[members] = sign * filled(self.weight[members], 0.5 * self._mass)
        return beta

    def slack_rule(self, evaluated: Evaluated) -> Margin:
        """A margin."""
        return Margin()

    def kkt_data(self, evaluated: Evaluated) -> KKTData:
        """Costs ``w_i / ρ``."""
        return KKTData(self._scale(evaluated) * self.weight, by_side=True)

    def _scale(self, evaluated: Evaluated) -> float:
        """``1 / ρ``, where ρ is minus the multiplier of ``Σ|β|``; 1 where there is no margin, or only rounding."""
        rho = -evaluated.cost
        return 1.0 / rho if rho > 1e-300 and not evaluated.is_zero else 1.0

    def note(self, evaluated: Evaluated) -> str:
        """At an optimum of 0: that there is no margin, and which ν may have one."""
        if not evaluated.is_zero:
            return ""
        higher = f"Raise nu, which shrinks them, up to {self._largest:.6g}, or choose" if self.nu < self._largest else "Choose"
        return (
            f"The margin is 0: at nu = {self.nu:g} the reduced convex hulls of the two classes overlap, w = 0 is optimal, and"
            f" the scores tell nothing. {higher} a kernel that tells the classes apart."
        )

    def model(self, beta: Vector, evaluated: Evaluated) -> Model:
        """The answer divided by ρ."""
        scale = self._scale(evaluated)
        bias = scale * (evaluated.bias + evaluated.shift)
        return Model(
            beta=scale * beta,
            scores=scale * (evaluated.scores + evaluated.bias),
            bias=bias,
            bias_interval=(bias, bias),
            primal=evaluated.primal,
            dual=evaluated.dual,
            slack_rule=Margin(),
        )
