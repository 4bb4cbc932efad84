"""The answer to all classes at once, and its judge."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from maxmargin.kernels import BoundKernel, Gram
from maxmargin.problems import JointMulticlass
from maxmargin.solution._certificate import Certificate
from maxmargin.solution._status import Status
from maxmargin.solution._trace import Trace
from maxmargin.validation import feature_matrix, rows_are_objects

__all__ = ["JointJudgement", "JointSolution", "certify_joint"]

Matrix = NDArray[np.float64]


@final
@dataclass(frozen=True, eq=False)
class JointJudgement:
    """What can be said of a point of the joint problem without believing its solver.

    Attributes
    ----------
    primal, dual : float
        The two objectives.
    kkt_violation : float
        By how much the worst row violates the optimality conditions, at the given offsets.
    infeasibility : float
        How far the point is outside its bounds and off its sums, relative to ``Σ|β|``.

    Examples
    --------
    >>> from maxmargin.solution import JointJudgement
    >>> JointJudgement(primal=2.0, dual=1.9999, kkt_violation=1e-4, infeasibility=0.0).is_optimal(1e-3)
    True
    """

    primal: float
    dual: float
    kkt_violation: float
    infeasibility: float

    def is_optimal(self, tol: float) -> bool:
        """Converged: feasible, and gap ≤ tol · |primal|."""
        small = self.primal - self.dual <= tol * abs(self.primal)
        return self.infeasibility <= 1e-9 and small


def certify_joint(problem: JointMulticlass, beta: Matrix, bias: NDArray[np.float64]) -> JointJudgement:
    """Judge coefficients β of shape (n, K) with offsets b, in float64.

    Any offsets make a valid primal value. With slopes ``g_ik = f_ik − [k = y_i]`` a row violates by the highest of them minus
    the lowest whose coefficient can rise. Where ``C = inf`` slack is counted at twice the largest coefficient: a larger price
    would not change the answer.

    Examples
    --------
    >>> import numpy as np
    >>> from maxmargin.kernels import Linear
    >>> from maxmargin.problems import JointMulticlass
    >>> from maxmargin.solution import certify_joint
    >>> problem = JointMulticlass([[0.0], [2.0]], [0, 1], kernel=Linear())
    >>> certify_joint(problem, np.zeros((2, 2)), np.zeros(2)).primal
    2.0
    """
    n, classes = beta.shape
    columns = [np.ascontiguousarray(column) for column in beta.T]
    scores = 0.5 * Gram.matvecs([problem.gram] * classes, np.concatenate(columns)).reshape(classes, -1).T
    every, own = np.arange(n), problem.codes
    slopes = scores + bias
    slopes[every, own] -= 1.0
    room = np.zeros((n, classes))
    room[every, own] = problem.upper
    lowest = np.where(beta < room, slopes, np.inf).min(axis=1)
    highest = slopes.max(axis=1)
    square = 0.5 * float(np.vdot(beta, scores))
    mass = float(np.abs(beta).sum())
    price = np.where(np.isinf(problem.upper), 2.0 * float(np.abs(beta).max(initial=0.5)), problem.upper)
    outside = max(float((beta - room).max()), float(np.abs(beta.sum(axis=1)).max()), 0.0)
    if problem.offset:
        outside = max(outside, float(np.abs(beta.sum(axis=0)).max()))
    return JointJudgement(
        primal=square + float(price @ (highest - slopes[every, own])),
        dual=float(beta[every, own].sum()) - square,
        kkt_violation=float(np.maximum(highest - lowest, 0.0).max()),
        infeasibility=outside / max(mass, 1e-300),
    )


@final
@dataclass(frozen=True, eq=False)
class JointSolution:
    """Scores of all classes, ``f_k(x) = Σ_i a_ik k(x_i, x) + b_k``, with the proof of their optimality.

    Attributes
    ----------
    n : int
        Rows of the training set.
    classes : ndarray
        The labels, sorted.
    support : ndarray of int32
        Rows with a coefficient that is not 0, ascending.
    coefficients : ndarray of shape (n_SV, K)
        ``a_ik = β_ik/2``.
    bias : ndarray of shape (K,)
        Offsets; they sum to 0.
    status : Status
        How the fit ended.
    certificate : Certificate
        Objectives, gap, violation.
    trace : Trace
        Checkpoints on the way.
    steps : int
        Steps in single rows.
    kernel : BoundKernel
        The kernel with its numbers.
    support_vectors : rows
        The rows themselves.

    Examples
    --------
    >>> from maxmargin import solve
    >>> from maxmargin.kernels import Linear
    >>> from maxmargin.problems import JointMulticlass
    >>> solution = solve(JointMulticlass([[0.0], [2.0], [4.0]], [0, 1, 2], C=10.0, kernel=Linear()))
    >>> solution.status.name, solution.decision_function([[2.0]]).shape
    ('CONVERGED', (1, 3))
    """

    n: int
    classes: NDArray[Any]
    support: NDArray[np.int32]
    coefficients: Matrix
    bias: NDArray[np.float64]
    status: Status
    certificate: Certificate
    trace: Trace
    steps: int
    kernel: BoundKernel
    support_vectors: Any

    def __repr__(self) -> str:
        count = f"{len(self.support)} support vectors of {self.n} rows"
        return f"<JointSolution of {len(self.classes)} classes: {self.certificate.brief}; {count}>"

    def decision_function(self, X: Any) -> Matrix:
        """``f_k(x)`` of the rows of X, shape (m, K)."""
        rows = X if rows_are_objects(X) else feature_matrix(X)
        sums = self.kernel.weighted_sums(rows, self.support_vectors, self.coefficients.T, (0, len(self.support)))
        return np.asarray(sums[0].T + self.bias)

    def predict(self, X: Any) -> NDArray[Any]:
        """The class with the highest score; the first of a tie."""
        return np.asarray(self.classes[self.decision_function(X).argmax(axis=1)])
