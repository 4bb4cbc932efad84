"""The answer to a problem, as a frozen record."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from maxmargin.errors import InvalidInput
from maxmargin.kernels import BoundKernel, weights_of
from maxmargin.problems import Ball, Inseparable, KKTData, Margin, NoTube, SlackRule, Tube
from maxmargin.solution._certificate import Certificate
from maxmargin.solution._conditions import Conditions
from maxmargin.solution._directions import Dependencies, dependencies, dependencies_of
from maxmargin.solution._geometry import Geometry
from maxmargin.solution._kkt import KKT
from maxmargin.solution._linear import linear_scores
from maxmargin.solution._predictions import label_of_side
from maxmargin.solution._status import Status
from maxmargin.solution._table import html_table, kernel_row, margin_rows
from maxmargin.solution._taxonomy import Kind, kinds
from maxmargin.solution._trace import Trace
from maxmargin.validation import feature_matrix, rows_are_objects, shape, take_rows

__all__ = ["Solution"]

Vector = NDArray[np.float64]


@final
@dataclass(frozen=True, eq=False)
class Solution:
    """A support vector machine: ``f(x) = Σ β_i k(x_i, x) + b``, with the proof of its optimality.

    In data description ``k(x, x)/2`` is subtracted from f.

    Only the support vectors are kept; what concerns all rows is derived from them.

    Attributes
    ----------
    n : int
        Number of rows of the training set; for an estimator those of X, even where a subproblem has only some of them.
    support : ndarray of int32
        Rows with ``α > 0``, ascending.
    beta : ndarray
        ``y_i α_i`` at these rows; for a regression the difference of its two multipliers.
    support_scores, support_y : ndarray
        ``f(x_i)`` and ``y_i`` at these rows; for one class ``y = 1``.
    boundary : ndarray of int32
        Other rows that are on the margin or beyond it, within tolerance.
    boundary_deficit : ndarray or None
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
    slack_rule : SlackRule
        What the scores mean: a margin, a tube with its ε, a level, a ball with its radius.
    proof : Inseparable, NoTube or None
        Why there is no answer, if the status is INFEASIBLE.
    n_trained : int or None
        Number of rows that the subproblem was trained on: for a pair of classes those of both, without rows that have no
        weight. None means all n.
    note : str
        A remark on an optimum that carries no information, such as a margin of 0; empty for all others.
    kkt_data : KKTData or None
        Costs at the support vectors and then at the boundary rows, and the equalities: what `kkt` needs.
    boundary_side : ndarray or None
        The sign that the coefficient of a boundary row could have, like y for a margin; 0 if both are possible.
    boundary_rows : rows or None
        The boundary rows themselves, by which `kkt` tells what is unique; None if there are too many, or if there is no
        optimum.
    products : ndarray or None
        Kernel values of support vectors and boundary rows, for the same purpose, where the kernel is precomputed.
    classes : ndarray of shape (2,) or None
        The labels of the negative and of the positive side; None stands for −1 and +1.
    solver : str
        Which solver found it: the name of its class.

    Examples
    --------
    >>> from maxmargin import problems, solve
    >>> from maxmargin.kernels import Linear
    >>> solution = solve(problems.SoftMargin([[0.0], [1.0], [3.0], [4.0]], [0, 0, 1, 1], C=10.0, kernel=Linear()))
    >>> solution.support, solution.weights, solution.bias, solution.margin
    (array([1, 2], dtype=int32), array([1.]), -2.0, 2.0)
    >>> solution.decision_function([[2.5]]), solution.predict([[2.5]])
    (array([0.5]), array([1]))
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
    boundary_deficit: Vector | None = None
    slack_rule: SlackRule = field(default_factory=Margin)
    proof: Inseparable | NoTube | None = None
    kkt_data: KKTData | None = None
    note: str = ""
    n_trained: int | None = None
    boundary_side: Vector | None = None
    boundary_rows: Any = None
    products: Vector | None = None
    classes: NDArray[Any] | None = None
    solver: str = ""

    def __post_init__(self) -> None:
        for values in (self.support, self.beta, self.support_scores, self.support_y, self.boundary):
            values.flags.writeable = False

    def __repr__(self) -> str:
        return f"<Solution: {self.certificate.brief}; {len(self.support)} support vectors of {self.n} rows>"

    def _repr_html_(self) -> str:
        trained = self.n if self.n_trained is None else self.n_trained
        rows = [
            *self.certificate.rows(),
            kernel_row(self.kernel),
            ("support vectors", f"{len(self.support)} of {trained} rows"),
            ("offset", f"{self.bias:.6g}"),
            *([] if self.status is Status.INFEASIBLE else margin_rows(lambda: self.margin)),
            ("solver", f"{self.solver}, {self.steps} steps" if self.solver else f"{self.steps} steps"),
        ]
        return html_table(rows, "Solution")

    @property
    def alpha(self) -> Vector:
        """Dual variables of all rows."""
        return self._spread(np.abs(self.beta))

    @property
    def slack(self) -> Vector:
        """``ξ_i`` of all rows: by how much they violate their constraint, ``max(0, 1 − y_i f(x_i))`` for a margin."""
        slack = self._spread(np.maximum(0.0, self.slack_rule.deficit(self.support_y, self.support_scores)))
        if self.boundary_deficit is not None:
            slack[self.boundary] = np.maximum(0.0, self.boundary_deficit)
        return slack

    @property
    def taxonomy(self) -> NDArray[np.int8]:
        """`Kind` of every row: non-informative (as are rows not trained on), on the boundary, inside but right, or wrong."""
        self._require_margin("kinds of rows")
        result = np.full(self.n, Kind.NON_INFORMATIVE, dtype=np.int8)
        tolerance = self._near
        right = (self.support_scores >= 0) == (self.support_y > 0)
        result[self.support] = kinds(self.support_y * self.support_scores, right, tolerance)
        if self.boundary_deficit is None:
            result[self.boundary] = Kind.BOUNDARY
        else:
            result[self.boundary] = kinds(1.0 - self.boundary_deficit, self.boundary_deficit < 1.0, tolerance)
        return result

    @property
    def margin(self) -> float:
        """Width of the street, ``2/|w|``."""
        self._require_margin("a street")
        return 2.0 / self._norm if self._norm > 0 else math.inf

    @property
    def geometry(self) -> Geometry:
        """Geometry of the hyperplane: ``|w|``, the width of the street, distances, whether it is canonical."""
        self._require_margin("a separating hyperplane")
        self._require_answer("a hyperplane")
        outside = np.zeros(0) if self.boundary_deficit is None else 1.0 - self.boundary_deficit
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
        """The residual of each optimality condition, and which parts of the solution are unique."""
        self._require_answer("optimality conditions")
        kkt_data = self.known_kkt_data
        conditions, optimal = self._conditions(kkt_data), self.status.is_optimal
        known = self.boundary_side is not None or len(self.boundary) == 0
        settled, convex = optimal and known and conditions.is_settled, self.status is not Status.INDEFINITE
        gradients = self._gradients(conditions) if optimal and not kkt_data.squared else None
        active = int(conditions.active.sum()) if optimal else None
        return KKT(
            conditions.stationarity(),
            *conditions.residuals(),
            w_unique=conditions.weights_are_unique(settled=settled) if convex else None,
            b_unique=conditions.offset_is_unique() if settled else None,
            alpha_unique=conditions.multipliers_are_unique(gradients) if settled else None,
            active=active,
            rank=active if kkt_data.squared else None if gradients is None else gradients.rank,
            slater=conditions.slater(gradients),
            convex=convex,
        )

    @property
    def known_kkt_data(self) -> KKTData:
        """Costs and equalities, which every solution of a solver or an estimator has."""
        if self.kkt_data is None:
            raise InvalidInput(
                "The optimality conditions need the costs C_i, which this Solution was made without. "
                "Get one from maxmargin.solve or from solutions_ of an estimator."
            )
        return self.kkt_data

    def _conditions(self, kkt_data: KKTData) -> Conditions:
        """The rows that count, support vectors first."""
        silent = np.zeros(len(self.boundary))
        sides = silent if self.boundary_side is None else self.boundary_side
        # Digits that are lost where scores or offset are much larger than what they are compared with.
        rounding = 1e-14 * max(abs(self.bias), float(np.abs(self.support_scores).max(initial=0.0)))
        unit, violation = self._unit, self.certificate.kkt_violation
        sure = max(1e-8 * unit, 10.0 * violation, rounding)
        return Conditions(
            alpha=np.concatenate([self.slack_rule.multiplier(self.support_y, self.beta), silent]),
            beta=np.concatenate([self.beta, silent]),
            deficit=np.concatenate(
                [
                    self.slack_rule.deficit_towards(self.support_y, self.support_scores, self.beta),
                    silent if self.boundary_deficit is None else self.boundary_deficit,
                ]
            ),
            side=np.concatenate([self.slack_rule.side(self.support_y, self.support_scores, self.beta), sides]),
            kkt_data=kkt_data,
            slack_rule=self.slack_rule,
            sure=sure if sure <= 1e-7 * unit else -1.0,
            near=max(1e-6 * unit, 10.0 * violation, 100.0 * rounding),
        )

    @property
    def _unit(self) -> float:
        """What a deficit is compared with: 1 for a margin, else the size of targets, of the level or of the ball."""
        if isinstance(self.slack_rule, Margin):
            return 1.0
        if isinstance(self.slack_rule, Ball):
            return self.slack_rule.radius**2 or 1.0
        sizes = self.support_y if isinstance(self.slack_rule, Tube) else self.support_scores - self.bias
        return float(np.abs(sizes).max(initial=0.0)) or 1.0

    def _gradients(self, conditions: Conditions) -> Dependencies | None:
        """Gradients of the active constraints; None where their rows are not known any more, or too many to look at."""
        chosen, borders = np.flatnonzero(conditions.active), conditions.borders
        if self.kernel.is_precomputed:
            return None if self.products is None else dependencies_of(self.products[np.ix_(chosen, chosen)], borders)
        supporting, others = chosen[chosen < len(self.support)], chosen[chosen >= len(self.support)]
        if self.support_vectors is None or (len(others) > 0 and self.boundary_rows is None):
            return None
        parts = [take_rows(self.support_vectors, supporting)]
        if len(others) > 0:
            parts.append(take_rows(self.boundary_rows, others - len(self.support)))
        return dependencies(self.kernel, parts, borders)

    @property
    def weights(self) -> Vector:
        """``w = Σ β_i x_i`` of a linear kernel."""
        if not self.kernel.is_linear:
            raise InvalidInput(
                "Only a linear kernel has weights in the space of the features. "
                "Use decision_function, or solve with kernels.Linear()."
            )
        penalised = self.kkt_data is not None and self.kkt_data.penalised_offset
        return weights_of(self.beta, self.support_vectors, offset=self.bias != 0.0 and not penalised)

    def decision_function(self, X: Any) -> Vector:
        """``f(x)`` of the rows of X: kernel values against the support vectors only."""
        rows = X if self.kernel.of_objects or rows_are_objects(X) else feature_matrix(X)
        self._require_width(rows)
        if self.kernel.is_linear:
            f = linear_scores(rows, self.weights, self.bias)
        else:
            sums = self.kernel.weighted_sums(rows, self.support_vectors, self.beta[np.newaxis], (0, len(self.beta)))
            f = np.asarray(sums[0, 0] + self.bias)
        return f - 0.5 * self.kernel.diagonal(rows) if self.slack_rule.half_diagonal else f

    def predict(self, X: Any) -> NDArray[Any]:
        """The label of the side that ``f(x)`` is on, the positive one for 0; for a regression ``f(x)``, for one class ±1."""
        f = self.decision_function(X)
        return f if isinstance(self.slack_rule, Tube) else label_of_side(f, self.classes)

    @property
    def _norm(self) -> float:
        """``|w|``."""
        return math.sqrt(max(0.0, float(self.beta @ (self.support_scores - self.bias))))

    @property
    def _near(self) -> float:
        """A deficit up to this is 0 within the tolerance of the answer."""
        return max(10.0 * self.certificate.kkt_violation, 1e-6)

    def _require_answer(self, what: str) -> None:
        if self.status is Status.INFEASIBLE:
            raise InvalidInput(f"There is no answer that could have {what}: INFEASIBLE. Look at `proof`, or allow slack.")

    def _require_margin(self, what: str) -> None:
        if not isinstance(self.slack_rule, Margin):
            raise InvalidInput(f"Only a problem of two classes has {what}. This one is read as {self.slack_rule!r}.")

    def _require_width(self, rows: Any) -> None:
        wanted, got = shape(self.support_vectors)[1:], shape(rows)[1:]
        if len(wanted) == len(got) == 1 and wanted != got:
            raise InvalidInput(f"X has {got[0]} features, but the problem was solved with {wanted[0]}. Give the same features.")

    def _spread(self, values: Vector) -> Vector:
        full = np.zeros(self.n)
        full[self.support] = values
        return full
