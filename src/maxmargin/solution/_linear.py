"""The answer to a linear model in the primal."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from maxmargin import _core
from maxmargin.errors import InvalidInput
from maxmargin.kernels._rows import as_features
from maxmargin.solution._certificate import Certificate
from maxmargin.solution._status import Status
from maxmargin.solution._trace import Trace
from maxmargin.validation import feature_matrix

__all__ = ["LinearSolution", "linear_scores"]

Vector = NDArray[np.float64]


def linear_scores(X: Any, w: Vector, b: float) -> Vector:
    """``<w, x> + b`` of valid rows, in float64; float32 rows are not copied."""
    return _core.row_products(as_features(X), np.ascontiguousarray(w, dtype=np.float64)) + b


@final
@dataclass(frozen=True, eq=False)
class LinearSolution:
    """``f(x) = <w, x> + b`` with the proof of its optimality.

    Attributes
    ----------
    weights : ndarray of shape (d,)
        w.
    bias : float
        b.
    alpha : ndarray of shape (n,)
        The multipliers that the certificate's dual objective is of; ``w = Σ α_i y_i x_i`` at the optimum (L2 penalty).
    status : Status
        How the fit ended.
    certificate : Certificate
        Objectives and gap; its violation is `LinearJudgement.stationarity`, ``|w − Σ α_i y_i x_i|`` in the largest coordinate.
    trace : Trace
        Checkpoints on the way; violations are relative gaps.
    steps : int
        Newton rounds or sweeps.

    Examples
    --------
    >>> from maxmargin import solve
    >>> from maxmargin.problems import PrimalProblem
    >>> solution = solve(PrimalProblem([[-1.0], [1.0]], [-1, 1], loss="squared_hinge", C=10.0))
    >>> solution.status.name, solution.weights.round(3), solution.decision_function([[3.0]]).round(3)
    ('CONVERGED', array([0.976]), array([2.927]))
    """

    weights: Vector
    bias: float
    alpha: Vector
    status: Status
    certificate: Certificate
    trace: Trace
    steps: int

    def __repr__(self) -> str:
        return f"<LinearSolution: {self.certificate.brief}; {len(self.weights)} weights from {len(self.alpha)} rows>"

    @property
    def support(self) -> NDArray[np.int32]:
        """Rows with a multiplier that is not 0."""
        return np.flatnonzero(self.alpha).astype(np.int32)

    @property
    def objectives(self) -> Vector:
        """The primal objective at each checkpoint of the trace."""
        return self.trace.primal

    def decision_function(self, X: Any) -> Vector:
        """``f(x)`` of the rows of X."""
        rows = feature_matrix(X)
        if rows.shape[1] != len(self.weights):
            raise InvalidInput(f"X has {rows.shape[1]} features, but the model has {len(self.weights)}.")
        return linear_scores(rows, self.weights, self.bias)
