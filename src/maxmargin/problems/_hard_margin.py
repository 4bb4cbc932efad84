"""The hard margin: no slack."""

from __future__ import annotations

from typing import Any, Self, final

import numpy as np
from numpy.typing import NDArray

from maxmargin._lazy import lazy
from maxmargin.kernels import Gram, Kernel
from maxmargin.problems._base import Evaluated, Model, Problem, gram_of, labelled, require_equally_many
from maxmargin.problems._coincidence import coincidence, equal_rows
from maxmargin.problems._dual import DualProblem
from maxmargin.problems._kkt_data import KKTData
from maxmargin.problems._proofs import Inseparable
from maxmargin.problems._slack_rule import Margin
from maxmargin.validation import check_boolean

__all__ = ["HardMargin"]

Vector = NDArray[np.float64]

_SUSPICIOUS = 1e-8  # squared distance, as a part of the largest k(x, x): below it may be 0
_BEYOND = 2.0  # a bound of β that is never met


@final
class HardMargin(Problem):
    """Minimise ``½|w|²`` subject to ``y_i f(x_i) ≥ 1``, with ``f(x) = <w, φ(x)> + b``.

    It is solved as the search for the nearest points of the two classes' convex hulls: minimise ``½|Σ β_i φ(x_i)|²`` where the
    positive β sum to 1 and the negative to −1. Their difference ``v`` has the direction of w, and their distance is the width
    of the margin: ``w = 2v/|v|²``. This problem always has a solution; if the distance is 0, the classes are inseparable, and
    the point that the hulls share proves it. Without an offset it searches instead for the convex combination of all ``y_i
    φ(x_i)`` that is nearest to 0.

    Parameters
    ----------
    X : array-like, CSR matrix or sequence of objects
        Training rows; a square Gram matrix for ``Precomputed``, any objects for a kernel function.
    y : array-like
        Labels of two classes; the one that sorts last is +1.
    kernel : Kernel, callable or str
        The kernel; ``RBF()`` by default.
    offset : bool
        Whether f has a free offset b.
    sample_weight : array-like, optional
        A row without positive weight is left out; other weights do not matter.

    Examples
    --------
    >>> from maxmargin import solve
    >>> from maxmargin.kernels import Linear
    >>> from maxmargin.problems import HardMargin
    >>> solution = solve(HardMargin([[0.0], [1.0], [3.0], [4.0]], [0, 0, 1, 1], kernel=Linear()))
    >>> solution.weights.round(9), round(solution.bias, 9), round(solution.margin, 9)
    (array([1.]), -2.0, 2.0)
    """

    can_be_zero = False

    def __init__(self, X: Any, y: Any, kernel: Kernel | Any = None, offset: bool = True, sample_weight: Any = None) -> None:
        chosen, data = labelled(X, y, kernel, sample_weight, "HardMargin")
        self._fill(gram_of(chosen, data), data.y, check_boolean("offset", offset, "HardMargin"))
        self.classes = data.classes

    @classmethod
    def on(cls, gram: Gram, y: Vector, offset: bool = True) -> Self:
        """The problem from a source of kernel values and labels −1 and +1."""
        problem = cls.__new__(cls)
        problem._fill(gram, y, offset)
        return problem

    def _fill(self, gram: Gram, y: Vector, offset: bool) -> None:
        require_equally_many(gram, labels=y)
        self.gram = gram
        self.y = y
        self.offset = offset

    @lazy
    def dual(self) -> DualProblem:
        """Nearest points: ``q = 0``, and sums of ±1 on both sides; without offset one sum of 1 over ``y_i y_j k``.

        The sums alone bound β: a bound of 1 would be met by a class whose nearest point is one of its rows, and leave the
        offset open that this row fixes.
        """
        zero, ends = np.zeros(len(self.y)), _BEYOND * self.y
        if not self.offset:
            return DualProblem(gram=self.gram.adjusted(self.y), q=zero, lower=zero, upper=np.abs(ends), offset=True, total=1.0)
        return DualProblem(
            gram=self.gram.centred(),
            q=zero,
            lower=np.minimum(ends, 0.0),
            upper=np.maximum(ends, 0.0),
            offset=True,
            abs_sum=2.0,
        )

    def start(self) -> Vector:
        """The first row of each class, or the first row."""
        beta = np.zeros(len(self.y))
        for sign in (1.0, -1.0) if self.offset else (self.y[0],):
            beta[np.flatnonzero(self.y == sign)[0]] = sign if self.offset else 1.0
        return beta

    def point(self, coefficients: Vector) -> Vector:
        """Without an offset the dual's variables have no signs."""
        return coefficients if self.offset else self.y * coefficients

    def slack_rule(self, evaluated: Evaluated) -> Margin:
        """A margin."""
        return Margin()

    @property
    def _hulls(self) -> float:
        return 2.0 if self.offset else 1.0

    def unit(self, evaluated: Evaluated) -> float:
        """``w = (2/|v|²) v``; without offset ``v/|v|²``."""
        return self._hulls / evaluated.square_norm if evaluated.square_norm > 0 else 1.0

    def proof(self, beta: Vector, evaluated: Evaluated) -> Inseparable | None:
        """The nearest points, if they are the same: exactly, since a margin may be as small as rounding."""
        if not self._may_be_inseparable(evaluated):
            return None
        pair = self._equal_pair()
        if pair is not None:
            weights = np.zeros(len(self.y))
            weights[list(pair)] = 0.5 * self._hulls
            return Inseparable(weights, 0.0)
        found = coincidence(self.gram, self.y * np.abs(beta), offset=self.offset, signs=self.y)
        if found is None:
            return None
        weights = np.abs(found[0]) * self._hulls / np.abs(found[0]).sum()
        between = self.y * weights if self.offset else weights
        return Inseparable(weights, max(0.0, float(between @ self.dual.gram.matvec(between))) ** 0.5)

    def _may_be_inseparable(self, evaluated: Evaluated) -> bool:
        return evaluated.square_norm <= _SUSPICIOUS * float(np.abs(self.dual.gram.diagonal()).max())

    def _equal_pair(self) -> tuple[int, int] | None:
        """Two rows that are the same, of different classes."""
        number = equal_rows(self.gram)
        shared = np.intersect1d(number[self.y > 0], number[self.y < 0])
        if not len(shared):
            return None
        first = number == shared[0]
        return int(np.flatnonzero(first & (self.y > 0))[0]), int(np.flatnonzero(first & (self.y < 0))[0])

    def undecided(self, evaluated: Evaluated) -> str:
        """That floating point cannot tell whether the classes are separable."""
        if not self._may_be_inseparable(evaluated) or float((self.y * self._values(evaluated)).min()) > 0.0:
            return ""
        distance = max(0.0, evaluated.square_norm) ** 0.5
        return (
            f"Floating point cannot decide whether a hyperplane separates the classes: the nearest points of their convex hulls"
            f" are at most {distance:.1g} apart, and no proof was found that they coincide."
        )

    def kkt_data(self, evaluated: Evaluated) -> KKTData:
        """No slack at any cost; in the scale of the answer ``Σ β = 0``, and ``Σ|β|`` is not fixed."""
        return KKTData(np.full(len(self.y), np.inf), free_offset=self.offset)

    def _values(self, evaluated: Evaluated) -> Vector:
        """``f(x_i)`` of the canonical hyperplane."""
        turned, bias = (1.0, evaluated.bias) if self.offset else (self.y, 0.0)
        return self.unit(evaluated) * (turned * evaluated.scores + bias)

    def objectives(self, evaluated: Evaluated) -> tuple[float, float]:
        """``½|w|²`` of w made long enough for all rows, and ``2/|v|²``, without offset ``½/|v|²``; apart by rounding."""
        scale = self.unit(evaluated)
        nearest = float((self.y * self._values(evaluated)).min()) - scale * evaluated.noise
        norm, noise = scale * (scale * evaluated.square_norm), scale * (scale * evaluated.norm_noise)  # scale² may overflow
        return 0.5 * (norm + noise) / nearest**2 if nearest > 0 else np.inf, max(0.0, self._hulls * scale - 0.5 * norm - noise)

    def model(self, beta: Vector, evaluated: Evaluated) -> Model:
        """From nearest points to the canonical hyperplane."""
        scale, (primal, dual) = self.unit(evaluated), self.objectives(evaluated)
        bias = scale * ((evaluated.bias if self.offset else 0.0) + evaluated.shift)
        return Model(
            beta=scale * beta if self.offset else scale * self.y * beta,
            scores=self._values(evaluated),
            bias=bias,
            bias_interval=(bias, bias),
            primal=primal,
            dual=dual,
            slack_rule=Margin(),
        )
