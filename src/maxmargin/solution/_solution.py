"""The answer to a problem, as a frozen record."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from maxmargin.errors import InvalidInput
from maxmargin.kernels import BoundKernel
from maxmargin.problems import Inseparable, Margin, Reading
from maxmargin.solution._certificate import Certificate
from maxmargin.solution._status import Status
from maxmargin.solution._taxonomy import Kind, kinds
from maxmargin.solution._trace import Trace
from maxmargin.validation import feature_matrix, rows_are_objects, shape

__all__ = ["Solution"]

Vector = NDArray[np.float64]


@final
@dataclass(frozen=True, eq=False)
class Solution:
    """A support vector machine: ``f(x) = Σ β_i k(x_i, x) + b``, with the proof of its optimality.

    In data description ``k(x, x)/2`` is taken off f.

    Only the support vectors are kept; what concerns all rows is derived from them.

    Attributes
    ----------
    n : int
        Rows of the training set.
    support : ndarray of int32
        Rows with ``α > 0``, ascending.
    beta : ndarray
        ``y_i α_i`` at these rows; of a regression the difference of its two multipliers.
    support_scores, support_y : ndarray
        ``f(x_i)`` and ``y_i`` at these rows; of one class ``y = 1``.
    boundary : ndarray of int32
        Other rows that are on the margin or beyond it, within tolerance.
    boundary_excess : ndarray or None
        By how much they are beyond it; None means 0, as at an optimum.
    bias : float
        Offset b.
    bias_interval : tuple of float
        All optimal offsets.
    status : Status
        How the fit ended.
    certificate : Certificate
        Objectives, gap, violation.
    trace : Trace
        Checkpoints on the way.
    steps : int
        Pair steps.
    kernel : BoundKernel
        The kernel with its numbers.
    support_vectors : rows
        The rows themselves.
    reading : Reading
        What the scores mean: a margin, a tube with its ε, a level, a ball with its radius.
    proof : Inseparable or None
        Why there is no answer, if the status is INFEASIBLE.

    Examples
    --------
    >>> from maxmargin import problems, solve
    >>> from maxmargin.kernels import Linear
    >>> solution = solve(problems.SoftMargin([[0.0], [1.0], [3.0], [4.0]], [0, 0, 1, 1], C=10.0, kernel=Linear()))
    >>> solution.support, solution.weights, solution.bias, solution.margin
    (array([1, 2], dtype=int32), array([1.]), -2.0, 2.0)
    >>> solution.decision_function([[2.5]])
    array([0.5])
    """

    n: int
    support: NDArray[np.int32]
    beta: Vector
    support_scores: Vector
    support_y: Vector
    boundary: NDArray[np.int32]
    bias: float
    bias_interval: tuple[float, float]
    status: Status
    certificate: Certificate
    trace: Trace
    steps: int
    kernel: BoundKernel
    support_vectors: Any
    boundary_excess: Vector | None = None
    reading: Reading = field(default_factory=Margin)
    proof: Inseparable | None = None

    def __post_init__(self) -> None:
        for values in (self.support, self.beta, self.support_scores, self.support_y, self.boundary):
            values.flags.writeable = False

    @property
    def alpha(self) -> Vector:
        """Dual variables of all rows."""
        return self._spread(np.abs(self.beta))

    @property
    def slack(self) -> Vector:
        """``ξ_i`` of all rows: by how much they miss what they should have, ``max(0, 1 − y_i f(x_i))`` for a margin."""
        slack = self._spread(np.maximum(0.0, self.reading.excess(self.support_y, self.support_scores)))
        if self.boundary_excess is not None:
            slack[self.boundary] = np.maximum(0.0, self.boundary_excess)
        return slack

    @property
    def taxonomy(self) -> NDArray[np.int8]:
        """`Kind` of every row: non-informative, on the boundary, inside the street but right, wrong."""
        self._require_margin("kinds of rows")
        result = np.full(self.n, Kind.NON_INFORMATIVE, dtype=np.int8)
        tolerance = max(10.0 * self.certificate.kkt_violation, 1e-6)
        right = (self.support_scores >= 0) == (self.support_y > 0)
        result[self.support] = kinds(self.support_y * self.support_scores, right, tolerance)
        if self.boundary_excess is None:
            result[self.boundary] = Kind.BOUNDARY
        else:
            result[self.boundary] = kinds(1.0 - self.boundary_excess, self.boundary_excess < 1.0, tolerance)
        return result

    @property
    def margin(self) -> float:
        """Width of the street, ``2/|w|``."""
        self._require_margin("a street")
        square = float(self.beta @ (self.support_scores - self.bias))
        return 2.0 / math.sqrt(square) if square > 0 else math.inf

    @property
    def weights(self) -> Vector:
        """``w = Σ β_i x_i`` of a linear kernel."""
        if not self.kernel.is_linear:
            raise InvalidInput(
                "Only a linear kernel has weights in the space of the features. "
                "Use decision_function, or solve with kernels.Linear()."
            )
        return np.asarray(self.beta @ self.support_vectors).ravel()

    def decision_function(self, X: Any) -> Vector:
        """``f(x)`` of the rows of X: kernel values against the support vectors only."""
        rows = X if rows_are_objects(X) else feature_matrix(X)
        self._require_width(rows)
        sums = self.kernel.weighted_sums(rows, self.support_vectors, self.beta[np.newaxis], (0, len(self.beta)))
        f = np.asarray(sums[0, 0] + self.bias)
        return f - 0.5 * self.kernel.diagonal(rows) if self.reading.half_diagonal else f

    def _require_margin(self, what: str) -> None:
        if not isinstance(self.reading, Margin):
            raise InvalidInput(f"Only a problem of two classes has {what}. This one is read as {self.reading!r}.")

    def _require_width(self, rows: Any) -> None:
        wanted, got = shape(self.support_vectors)[1:], shape(rows)[1:]
        if len(wanted) == len(got) == 1 and wanted != got:
            raise InvalidInput(f"X has {got[0]} features, but the problem was solved with {wanted[0]}. Give the same features.")

    def _spread(self, values: Vector) -> Vector:
        full = np.zeros(self.n)
        full[self.support] = values
        return full
