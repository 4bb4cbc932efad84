"""The answer to a linear model of all classes at once, and its evaluation."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from maxmargin import _core
from maxmargin.errors import InvalidInput
from maxmargin.kernels import as_features
from maxmargin.problems import ClassLoss, MulticlassLinear, Offset, Penalty
from maxmargin.solution._certificate import Certificate
from maxmargin.solution._class_data import ClassData, multinomial_gains, required
from maxmargin.solution._class_sums import BELOW_ZERO, away_of_classes, paid_by_classes, scaled_totals
from maxmargin.solution._kkt import KKT
from maxmargin.solution._linear_evaluation import FEASIBLE, LinearEvaluation, rounding_of
from maxmargin.solution._named_status import NamedStatus
from maxmargin.solution._predictions import label_of_best
from maxmargin.solution._status import Status
from maxmargin.solution._table import html_table, margin_rows
from maxmargin.solution._trace import Trace
from maxmargin.solution._unpenalised import class_repair_cost
from maxmargin.validation import feature_matrix

__all__ = ["MulticlassSolution", "certify_multiclass", "class_scores"]

Matrix = NDArray[np.float64]
Vector = NDArray[np.float64]


def certify_multiclass(
    problem: MulticlassLinear, w: Matrix, b: Vector, alpha: Matrix, *, proven: bool = True
) -> LinearEvaluation:
    """Evaluate the point with weights w of shape (K, d), offsets b and multipliers α of shape (n, K), in float64.

    Any ``α_i ≥ 0`` with ``Σ_k α_ik = C_i`` gives the bound ``−½ Σ_k |v_k|² + gain`` on the optimum (Fenchel), with
    ``v_k = Σ_i (C_i [k = y_i] − α_ik) x_i`` and the gain ``−Σ α_ik log(α_ik/C_i)`` of the multinomial loss, ``Σ_{k≠y} α_ik`` of
    the joint one; if the sums ``Σ_i (C_i [k = y_i] − α_ik)`` are 0 for free offsets; without a penalty ``v_k`` must vanish
    instead of being penalised: see `class_repair_cost`. With an L1 penalty no ``|v_kj|`` may be above 1, and v costs nothing:
    the multipliers of other classes are first divided by the largest of these if that is above 1. For an elastic net v costs
    ``Σ max(0, |v_kj| − ρ)² / (2 − 2ρ)``. The multiplier of a row's own class is what the others leave of C_i, and is not
    read. Where the bound need not be ``proven`` for all weights, it holds for those not far beyond w, as for two classes.

    Examples
    --------
    Two points at −1 and +1 and the joint loss: ``w = ∓½``, and the multipliers of the wrong classes are ¼.

    >>> import numpy as np
    >>> from maxmargin.problems import MulticlassLinear
    >>> from maxmargin.solution import certify_multiclass
    >>> problem = MulticlassLinear([[-1.0], [1.0]], [0, 1], loss="joint")
    >>> found = certify_multiclass(problem, np.array([[-0.5], [0.5]]), np.zeros(2), np.array([[0.75, 0.25], [0.25, 0.75]]))
    >>> found.primal, found.dual, found.stationarity
    (0.25, 0.25, 0.0)
    """
    every, own, cost = np.arange(problem.n), problem.codes, problem.cost
    others = alpha.copy()
    others[every, own] = 0.0
    lost = others.sum(axis=1)
    taken = lost / cost
    outside = max(-float((others / cost[:, np.newaxis]).min()), float(taken.max()) - 1.0)
    change = -others
    change[every, own] = lost
    v, totals = problem.combinations(change), change.sum(axis=0)
    shrink, inexact = _shrink(problem, v, totals, lost)
    if shrink < 1.0:  # towards the multipliers of the labels alone, whose sums are 0
        others, lost, change, v, totals = (shrink * each for each in (others, lost, change, v, totals))
    gains = lost if problem.loss is ClassLoss.JOINT else multinomial_gains(others, cost)
    gain, abs_sum = float(gains.sum()), 2.0 * float(np.abs(lost).sum())
    scores = _scores(problem, w, b)
    losses = problem.losses(scores)
    primal = problem.penalty_of(w, b) + float((cost * losses).sum())
    reach = 1.0 + float(np.abs(scores).max(initial=0.0)) + float(np.abs(b).max(initial=0.0))
    paid, missed, infeasibility = 0.0, 0.0, 0.0
    if problem.offset is Offset.FREE or (problem.penalty is Penalty.NONE and problem.offset is not Offset.NONE):
        missed = 2.0 * float(np.abs(totals).sum()) * reach
        infeasibility = float(np.abs(totals).max()) / max(abs_sum, 1e-300)
    if problem.penalty is not Penalty.NONE:
        paid = paid_by_classes(problem, v, totals)
    else:
        # As for two classes; the multipliers of a row are as large as what it loses to others.
        like = np.sqrt(_core.column_squares(problem.features, lost * lost)) / max(math.sqrt(float((lost * lost).sum())), 1e-300)
        some = (like > 0.0) & np.isfinite(like)
        infeasibility = math.inf if v[:, ~some].any() else infeasibility  # values whose squares float64 does not have
        off, like = np.abs(v[:, some]), like[some]
        infeasibility = max(infeasibility, float((off / like).max(initial=0.0)) / max(abs_sum, 1e-300))
        missed += 2.0 * float((off * (np.abs(w[:, some]) + reach / like)).sum())
    infeasibility = infeasibility if outside <= BELOW_ZERO and math.isfinite(gain) else math.inf
    if proven and infeasibility <= FEASIBLE and problem.penalty is Penalty.NONE:
        missed = class_repair_cost(problem, np.maximum(others, 0.0))
        infeasibility = infeasibility if math.isfinite(missed) else math.inf
    dual = gain - paid - missed if infeasibility <= FEASIBLE else 0.0  # no loss is below 0
    summed = paid + gain + abs_sum * reach if infeasibility <= FEASIBLE else 0.0
    rounding = rounding_of(problem.n, problem.d, primal + summed) + inexact * primal
    away = away_of_classes(problem, w, b, v / shrink, totals / shrink)
    if problem.loss is ClassLoss.MULTINOMIAL:
        slopes = -cost[:, np.newaxis] * problem.probabilities(scores)
        slopes[every, own] += cost
        worst = away_of_classes(problem, w, b, problem.combinations(slopes), slopes.sum(axis=0))
    else:
        # Fenchel and Young of each row: 0 where its multipliers are slopes of its loss
        of_rows = losses - (gains - (change * scores).sum(axis=1)) / cost
        worst = max(away, float(of_rows.max(initial=0.0)))
    at_zero = float((cost * problem.losses(np.zeros_like(alpha))).sum()) if dual <= rounding else math.nan
    known = ClassData(
        codes=own,
        cost=cost,
        scores=scores,
        stationarity=away,
        square_norm=float((w * w).sum()),
        loss=problem.loss,
        w_unique=True if problem.ridge > 0.0 else None,
    )
    return LinearEvaluation(primal, dual, worst, infeasibility, rounding, at_zero=at_zero, class_data=known)


def _scores(problem: MulticlassLinear, w: Matrix, b: Vector) -> Matrix:
    """As a model computes them: of two classes, whose losses depend on the difference of the scores only, by that."""
    if len(problem.classes) > 2:
        return problem.scores(w, b)
    halves = 0.5 * (_core.row_products(problem.features, w[1] - w[0]) + (b[1] - b[0]))
    return np.column_stack([-halves, halves])


def _shrink(problem: MulticlassLinear, v: Matrix, totals: Vector, lost: Vector) -> tuple[float, float]:
    """What makes multipliers feasible for an L1 penalty, and how unsure that is."""
    if problem.penalty is not Penalty.L1:
        return 1.0, 0.0
    largest = max(float(np.abs(v).max(initial=0.0)), float(np.abs(scaled_totals(problem, totals)).max()))
    shrink = 1.0 / max(1.0, largest)
    norms = np.sqrt(_core.column_squares(problem.features, lost * lost))
    return shrink, 4.0 * float(np.finfo(np.float64).eps) * shrink * float(norms.max(initial=0.0))


def class_scores(X: Any, w: Matrix, b: Vector) -> Matrix:
    """``<w_k, x> + b_k`` of valid rows for each class, in float64; float32 rows are not copied."""
    return _core.class_products(as_features(X), np.ascontiguousarray(w.T, dtype=np.float64)) + b


@final
@dataclass(frozen=True, eq=False)
class MulticlassSolution(NamedStatus):
    """``f_k(x) = <w_k, x> + b_k`` for each class, with the proof of their optimality.

    Attributes
    ----------
    classes : ndarray
        The labels, sorted.
    weights : ndarray of shape (K, d)
        w_k.
    bias : ndarray of shape (K,)
        b_k.
    alpha : ndarray of shape (n, K)
        The multipliers behind the certificate's dual objective; for the multinomial loss ``C_i`` times the probabilities.
    support : ndarray of int32
        Rows with a multiplier for another class that is not 0.
    status : Status
        How the fit ended.
    certificate : Certificate
        Objectives and gap; its violation is that of stationarity, ``|w − v|`` in the largest coordinate.
    trace : Trace
        Checkpoints on the way; violations are relative gaps.
    steps : int
        Newton rounds.
    kkt_data : ClassData or None
        Scores, classes and costs of the training rows: what `kkt`, `slack`, `margin` and `taxonomy` need.
    solver : str
        Which solver found it: the name of its class.
    is_float32 : bool
        Whether weights and offsets are numbers that float32 has: the certificate is theirs.

    Examples
    --------
    >>> from maxmargin import solve
    >>> from maxmargin.problems import MulticlassLinear
    >>> solution = solve(MulticlassLinear([[0.0], [2.0], [4.0]], ["a", "b", "c"], loss="joint", C=10.0))
    >>> solution.status.name, solution.predict([[0.5], [2.2], [5.0]])
    ('CONVERGED', array(['a', 'b', 'c'], dtype='<U1'))
    >>> solution.taxonomy, solution.kkt.largest < 0.01
    (array([1, 1, 1], dtype=int8), True)
    """

    classes: NDArray[Any]
    weights: Matrix
    bias: Vector
    alpha: Matrix
    support: NDArray[np.int32]
    status: Status
    certificate: Certificate
    trace: Trace
    steps: int
    kkt_data: ClassData | None = None
    solver: str = ""
    is_float32: bool = False

    def __repr__(self) -> str:
        classes, d = self.weights.shape
        size = f"{classes} classes with {d} weights each from {len(self.alpha)} rows"
        return f"<MulticlassSolution: {self.certificate.brief}; {size}>"

    def _repr_html_(self) -> str:
        rows = [
            *self.certificate.rows(),
            ("classes", str(len(self.classes))),
            ("weights", f"{int((self.weights != 0.0).sum())} of {self.weights.size} are not 0"),
            ("rows", f"{len(self.support)} of {len(self.alpha)} have a multiplier for another class"),
            *margin_rows(lambda: self.margin),
            ("solver", f"{self.solver}, {self.steps} steps" if self.solver else f"{self.steps} steps"),
        ]
        return html_table(rows, "MulticlassSolution")

    def decision_function(self, X: Any) -> Matrix:
        """``f_k(x)`` of the rows of X, shape (m, K)."""
        rows = feature_matrix(X)
        if rows.shape[1] != self.weights.shape[1]:
            raise InvalidInput(f"X has {rows.shape[1]} features, but the model has {self.weights.shape[1]}.")
        return class_scores(rows, self.weights, self.bias)

    def predict(self, X: Any) -> NDArray[Any]:
        """The class with the highest score; the first of a tie."""
        return label_of_best(self.decision_function(X), self.classes)

    @property
    def slack(self) -> Vector:
        """``ξ_i = max(0, 1 − f_y(x_i) + max_{k≠y} f_k(x_i))`` of all rows, of the joint loss."""
        return self._terms("slack").slack()

    @property
    def taxonomy(self) -> NDArray[np.int8]:
        """`Kind` of every row of the joint loss, by its lead ``f_y(x_i) − max_{k≠y} f_k(x_i)`` in place of ``y f``."""
        return self._terms("kinds of rows").taxonomy(self._others)

    @property
    def margin(self) -> float:
        """``√2/|M|`` with ``|M|² = Σ_k |w_k|²`` (Crammer and Singer 2001), of the joint loss.

        No street between two classes, ``2/|w_k − w_l|``, is narrower; for two classes it is that of a soft margin.
        """
        return self._terms("a margin").margin()

    @property
    def kkt(self) -> KKT:
        """The optimality conditions, each as a number."""
        return self._terms("optimality conditions").kkt(self._others)

    @property
    def _others(self) -> Matrix:
        """The multipliers of other classes than a row's own, which has what they leave of C_i."""
        others = self.alpha.copy()
        others[np.arange(len(others)), self._terms("multipliers").codes] = 0.0
        return others

    def _terms(self, what: str) -> ClassData:
        return required(self.kkt_data, what, "MulticlassSolution")
