"""The answer to logistic regression with a kernel, and what certifies it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Final, NamedTuple, final

import numpy as np
from numpy.typing import NDArray
from scipy import special

from maxmargin.kernels import BoundKernel
from maxmargin.problems import KernelLogistic
from maxmargin.solution._certificate import Certificate
from maxmargin.solution._iterate import Iterate
from maxmargin.solution._named_status import NamedStatus
from maxmargin.solution._predictions import label_of_best
from maxmargin.solution._status import Status
from maxmargin.solution._table import html_table, kernel_row
from maxmargin.solution._trace import Trace
from maxmargin.validation import feature_matrix, rows_are_objects

__all__ = ["KernelLogisticEvaluation", "KernelLogisticIterate", "KernelLogisticSolution", "certify_kernel_logistic"]

Matrix = NDArray[np.float64]

_EPSILON: Final = float(np.finfo(np.float64).eps)


@final
@dataclass(frozen=True, eq=False)
class KernelLogisticIterate(Iterate):
    """A point of logistic regression with a kernel, and how the solver stopped there.

    Attributes
    ----------
    beta : ndarray of shape (n, m)
        Coefficients, m = 1 for two classes.
    bias : ndarray of shape (m,)
        Offsets.

    Examples
    --------
    >>> import numpy as np
    >>> from maxmargin.solution import KernelLogisticIterate
    >>> KernelLogisticIterate.at(np.zeros((3, 1)), np.zeros(1)).steps
    0
    """

    beta: Matrix
    bias: NDArray[np.float64]

    @classmethod
    def at(cls, beta: Matrix, bias: NDArray[np.float64], status: Status = Status.STALLED) -> KernelLogisticIterate:
        """A point before any step."""
        return cls(status, 0, False, Trace.of(), beta, bias)


@final
class KernelLogisticEvaluation(NamedTuple):
    """What is known of a point: both objectives, and how far β is from the slopes of the losses.

    Attributes
    ----------
    primal, dual : float
        The objective, and the lower bound that the slopes of the losses give.
    violation : float
        The largest ``|β_ik − C_i (t_ik − p_ik)| / C_i``, and ``|Σ_i C_i (t_ik − p_ik)| / Σ_i C_i`` where offsets are free.
    rounding : float
        What sums of this size may be wrong by.

    Examples
    --------
    >>> import numpy as np
    >>> from maxmargin.problems import KernelLogistic
    >>> from maxmargin.solution import certify_kernel_logistic
    >>> problem = KernelLogistic([[0.0], [1.0]], [0, 1])
    >>> at_zero = certify_kernel_logistic(problem, np.zeros((2, 1)), np.zeros(1))
    >>> round(at_zero.primal, 6), at_zero.violation
    (1.386294, 0.5)
    """

    primal: float
    dual: float
    violation: float
    rounding: float

    @property
    def gap(self) -> float:
        """Primal minus dual objective."""
        return self.primal - self.dual

    def is_optimal(self, tol: float) -> bool:
        """Converged: gap ≤ tol · primal, not below 0 but for rounding, which must not hide it."""
        room = tol * abs(self.primal)
        return math.isfinite(self.primal) and -self.rounding <= self.gap <= room and self.rounding <= max(room, 1e-300)


def certify_kernel_logistic(problem: KernelLogistic, beta: Matrix, bias: NDArray[np.float64]) -> KernelLogisticEvaluation:
    """Evaluate coefficients and offsets, in float64, from kernel values computed anew.

    The bound is the dual objective of the slopes ``g_ik = C_i (t_ik − p_ik)``. Sums over rows that should vanish for free
    offsets do so up to rounding, or up to what a solver has left: the bound is made ``2 |Σ_i g_ik| (1 + max |f_ik| + |b_k|)``
    lower, and holds for all offsets that are not far beyond the scores. Where eigenvalues of K may be below 0 by τ, it is that
    of K + τ; and gᵀKg, which no inner product makes negative, is then at least 0.

    Parameters
    ----------
    problem : KernelLogistic
        What was minimised.
    beta, bias : ndarray of shapes (n, m) and (m,)
        The point.

    Examples
    --------
    >>> import numpy as np
    >>> from maxmargin.problems import KernelLogistic
    >>> from maxmargin.solution import certify_kernel_logistic
    >>> problem = KernelLogistic([[0.0], [1.0]], [0, 1])
    >>> certify_kernel_logistic(problem, np.array([[-0.4], [0.4]]), np.zeros(1)).gap < 0.1
    True
    """
    values = problem.product(beta)
    return evaluation_of(problem, beta, values, bias, problem.product)


def evaluation_of(
    problem: KernelLogistic, beta: Matrix, values: Matrix, bias: NDArray[np.float64], product: Any
) -> KernelLogisticEvaluation:
    """The same where ``K β`` is known, and what multiplies by K."""
    scores = values + bias
    losses = problem.losses(scores)
    slopes = losses.slopes
    square = float((beta * values).sum())
    own = float((slopes * product(slopes)).sum()) + _raised(problem) * float((slopes * slopes).sum())
    own = own if math.isnan(own) else max(0.0, own)  # max(0.0, nan) is 0
    missed, unlevel = 0.0, 0.0
    if problem.offset:
        reach = 1.0 + np.abs(scores).max(axis=0) + np.abs(bias)
        pull = np.abs(slopes.sum(axis=0))
        missed = float((2.0 * pull * reach).sum())
        unlevel = float(pull.max()) / float(problem.cost.sum())
    primal, gain = 0.5 * square + losses.value, problem.entropy(losses)
    dual = gain - 0.5 * own - missed
    rounding = _EPSILON * (8.0 + math.sqrt(problem.n)) * (abs(square) + losses.value + gain + abs(own) + missed)
    violation = float((np.abs(beta - slopes) / problem.cost[:, np.newaxis]).max(initial=unlevel))
    dual = -math.inf if math.isnan(dual) else dual  # squares that overflow bound nothing
    return KernelLogisticEvaluation(primal, dual, violation, rounding)


def lost_digits(problem: KernelLogistic, beta: Matrix, bias: NDArray[np.float64]) -> float:
    """What the losses may be more because sums ``Σ_j β_j k(x_i, x_j)`` that cancel lose digits.

    A model that sums up in another order has another objective. Of an optimum that is little beside what the gap may be. Where
    errors are larger than the bend of a loss, its slope here tells nothing: every row is taken at the worse end of its error.
    """
    sizes = np.sqrt(np.abs(problem.gram.diagonal()))[:, np.newaxis]
    error = 2.0 * _EPSILON * (sizes * (np.abs(beta) * sizes).sum(axis=0) + np.abs(bias))
    scores = problem.product(beta) + bias
    own = problem.codes[:, np.newaxis] == (1 if problem.outputs == 1 else np.arange(problem.outputs))
    return max(0.0, problem.losses(scores - np.where(own, error, -error)).value - problem.losses(scores).value)


def _raised(problem: KernelLogistic) -> float:
    part = problem.gram.negative_part(closely=True)
    return part if math.isfinite(part) else 0.0


@final
@dataclass(frozen=True, eq=False)
class KernelLogisticSolution(NamedStatus):
    """``f_k(x) = Σ_i β_ik k(x_i, x) + b_k`` with the proof of its optimality.

    Attributes
    ----------
    classes : ndarray
        The labels, sorted.
    coefficients : ndarray of shape (n, m)
        β; m = 1 for two classes.
    bias : ndarray of shape (m,)
        Offsets.
    status : Status
        How the fit ended.
    certificate : Certificate
        Objectives and gap; its violation is `KernelLogisticEvaluation.violation`.
    trace : Trace
        Checkpoints on the way; violations are relative gaps.
    steps : int
        Newton rounds.
    kernel : BoundKernel
        The kernel with its numbers.
    rows : rows
        The training rows.
    solver : str
        Which solver found it: the name of its class.

    Examples
    --------
    >>> from maxmargin import solve
    >>> from maxmargin.problems import KernelLogistic
    >>> solution = solve(KernelLogistic([[0.0], [2.0], [4.0]], ["a", "b", "c"], C=100.0))
    >>> solution.predict([[0.1], [4.2]]), solution.predict_proba([[2.0]]).shape
    (array(['a', 'c'], dtype='<U1'), (1, 3))
    """

    classes: NDArray[Any]
    coefficients: Matrix
    bias: NDArray[np.float64]
    status: Status
    certificate: Certificate
    trace: Trace
    steps: int
    kernel: BoundKernel
    rows: Any
    solver: str = ""

    def __repr__(self) -> str:
        return (
            f"<KernelLogisticSolution of {len(self.classes)} classes: {self.certificate.brief}; {len(self.coefficients)} rows>"
        )

    def _repr_html_(self) -> str:
        rows = [
            *self.certificate.rows(),
            kernel_row(self.kernel),
            ("classes", str(len(self.classes))),
            ("rows", str(len(self.coefficients))),
            ("solver", f"{self.solver}, {self.steps} steps" if self.solver else f"{self.steps} steps"),
        ]
        return html_table(rows, "KernelLogisticSolution")

    def decision_function(self, X: Any) -> Matrix:
        """``f(x)`` of the rows of X: shape (k,) for two classes, else (k, K)."""
        rows = X if self.kernel.of_objects or rows_are_objects(X) else feature_matrix(X)
        sums = self.kernel.weighted_sums(
            rows, self.rows, np.ascontiguousarray(self.coefficients.T), (0, len(self.coefficients))
        )
        scores = np.asarray(sums[0].T + self.bias)
        return scores[:, 0] if len(self.classes) == 2 else scores

    def predict_proba(self, X: Any) -> Matrix:
        """Probabilities of the classes, shape (k, K)."""
        return probabilities_of(self.decision_function(X))

    def predict(self, X: Any) -> NDArray[Any]:
        """The class of the highest probability; the last of two, the first of more that tie."""
        scores = self.decision_function(X)
        if len(self.classes) == 2:
            return np.asarray(self.classes[(scores >= 0.0).astype(np.intp)])
        return label_of_best(scores, self.classes)


def probabilities_of(scores: Matrix) -> Matrix:
    """``σ(−f), σ(f)`` of scores of two classes, the softmax of those of more.

    Examples
    --------
    >>> import numpy as np
    >>> from maxmargin.solution._kernel_logistic import probabilities_of
    >>> probabilities_of(np.array([0.0]))
    array([[0.5, 0.5]])
    """
    if scores.ndim == 1:
        return np.stack([special.expit(-scores), special.expit(scores)], axis=1)
    return np.asarray(special.softmax(scores, axis=1))
