"""The answer to a problem, as a frozen record."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from maxmargin.errors import InvalidInput
from maxmargin.kernels import BoundKernel
from maxmargin.problems import Inseparable, Margin, NoTube, Reading, Terms, Tube
from maxmargin.solution._certificate import Certificate
from maxmargin.solution._geometry import Geometry
from maxmargin.solution._kkt import KKT, Conditions
from maxmargin.solution._status import Status
from maxmargin.solution._taxonomy import Kind, kinds
from maxmargin.solution._trace import Trace
from maxmargin.validation import feature_matrix, rows_are_objects, shape, take_rows

__all__ = ["Solution"]

Vector = NDArray[np.float64]

_MOST_LOOKED_AT = 3000  # support vectors on the boundary whose Gram matrix is taken apart: some seconds


@final
@dataclass(frozen=True, eq=False)
class Solution:
    """A support vector machine: ``f(x) = Σ β_i k(x_i, x) + b``, with the proof of its optimality.

    In data description ``k(x, x)/2`` is taken off f.

    Only the support vectors are kept; what concerns all rows is derived from them.

    Attributes
    ----------
    n : int
        Rows of the training set; those of an estimator's X, also where a machine has a part of them only.
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
    proof : Inseparable, NoTube or None
        Why there is no answer, if the status is INFEASIBLE.
    n_trained : int or None
        Rows that the machine was trained on: of a pair of classes those of both, without rows of no weight. None means all n.
    remark : str
        What must be said of an optimum that tells nothing; empty for all others.
    terms : Terms or None
        Prices at the support vectors and then at the boundary rows, and the equalities: what `kkt` needs.

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
    proof: Inseparable | NoTube | None = None
    terms: Terms | None = None
    remark: str = ""
    n_trained: int | None = None

    def __post_init__(self) -> None:
        for values in (self.support, self.beta, self.support_scores, self.support_y, self.boundary):
            values.flags.writeable = False

    def __repr__(self) -> str:
        return f"<Solution: {self.certificate.brief}; {len(self.support)} support vectors of {self.n} rows>"

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
        """`Kind` of every row: non-informative (as all that took no part), on the boundary, in the street but right, wrong."""
        self._require_margin("kinds of rows")
        result = np.full(self.n, Kind.NON_INFORMATIVE, dtype=np.int8)
        tolerance = self._near
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
        return 2.0 / self._norm if self._norm > 0 else math.inf

    @property
    def geometry(self) -> Geometry:
        """The hyperplane as a figure: ``|w|``, the width of the street, distances, whether it is canonical."""
        self._require_margin("a separating hyperplane")
        self._require_answer("a hyperplane")
        outside = np.zeros(0) if self.boundary_excess is None else 1.0 - self.boundary_excess
        inside = self.support_y * self.support_scores
        smallest = min(inside.min(initial=math.inf), outside.min(initial=math.inf))
        return Geometry(
            norm=self._norm,
            width=self.margin,
            smallest=float(smallest),
            canonical=bool(abs(smallest - 1.0) <= self._near),
            _score=self.decision_function,
        )

    @property
    def kkt(self) -> KKT:
        """The optimality conditions, each as a number, and what of the answer is unique."""
        self._require_answer("optimality conditions")
        if self.terms is None:
            raise InvalidInput(
                "The optimality conditions need the prices C_i, which this Solution was made without. "
                "Get one from maxmargin.solve or from solutions_ of an estimator."
            )
        excess = self.reading.excess_towards(self.support_y, self.support_scores, self.beta)
        silent = np.zeros(len(self.boundary)) if self.boundary_excess is None else self.boundary_excess
        conditions = Conditions(
            alpha=np.concatenate([self.reading.multiplier(self.support_y, self.beta), np.zeros(len(silent))]),
            excess=np.concatenate([excess, silent]),
            beta=self.beta,
            terms=self.terms,
            near=self._near,
        )
        convex, done = self.status is not Status.INDEFINITE, self.status is Status.CONVERGED
        # ν-regression keeps Σ|β|, too; of two classes that follows from the rest, and a tube without width leaves it open.
        sided = self.terms.by_side and isinstance(self.reading, Tube) and self.reading.epsilon > 0.0
        unique, rank = conditions.multipliers_are_unique(self._gram_of(conditions.active), sided) if done else (None, None)
        return KKT(
            *conditions.residuals(),
            w_unique=True if convex else None,
            b_unique=conditions.offset_is_unique(self.bias_interval) if done else None,
            alpha_unique=unique,
            active=int(conditions.active.sum()) if done else None,
            rank=rank,
        )

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

    @property
    def _norm(self) -> float:
        """``|w|``."""
        return math.sqrt(max(0.0, float(self.beta @ (self.support_scores - self.bias))))

    @property
    def _near(self) -> float:
        """An excess up to this is 0 within the tolerance of the answer."""
        return max(10.0 * self.certificate.kkt_violation, 1e-6)

    def _gram_of(self, chosen: NDArray[np.bool_]) -> Vector | None:
        """Kernel values of some support vectors; None if they are not known any more, or too many to look at."""
        if self.support_vectors is None or int(chosen.sum()) > _MOST_LOOKED_AT or self.kernel.is_precomputed:
            return None
        rows = take_rows(self.support_vectors, np.flatnonzero(chosen))
        return self.kernel.cross(rows, rows)

    def _require_answer(self, what: str) -> None:
        if self.status is Status.INFEASIBLE:
            raise InvalidInput(f"There is no answer that could have {what}: INFEASIBLE. Look at `proof`, or allow slack.")

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
