"""The answer to a linear model in the primal."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from maxmargin import _core
from maxmargin.errors import InvalidInput
from maxmargin.kernels import as_features
from maxmargin.solution._certificate import Certificate
from maxmargin.solution._kkt import KKT
from maxmargin.solution._linear_data import LinearData
from maxmargin.solution._named_status import NamedStatus
from maxmargin.solution._predictions import label_of_side
from maxmargin.solution._status import Status
from maxmargin.solution._table import html_table, margin_rows
from maxmargin.solution._trace import Trace
from maxmargin.validation import feature_matrix

__all__ = ["LinearSolution", "linear_scores"]

Vector = NDArray[np.float64]


def linear_scores(X: Any, w: Vector, b: float) -> Vector:
    """``<w, x> + b`` of valid rows, in float64; float32 rows are not copied."""
    return _core.row_products(as_features(X), np.ascontiguousarray(w, dtype=np.float64)) + b


@final
@dataclass(frozen=True, eq=False)
class LinearSolution(NamedStatus):
    """``f(x) = <w, x> + b`` with the proof of its optimality.

    Attributes
    ----------
    weights : ndarray of shape (d,)
        w.
    bias : float
        b.
    alpha : ndarray of shape (n,)
        The multipliers behind the certificate's dual objective; ``w = Σ α_i y_i x_i`` at the optimum (L2 penalty).
    status : Status
        How the fit ended.
    certificate : Certificate
        Objectives and gap; its violation is `LinearEvaluation.stationarity`, ``|w − Σ α_i y_i x_i|`` in the largest coordinate.
    trace : Trace
        Checkpoints on the way; violations are relative gaps.
    steps : int
        Newton rounds or sweeps.
    classes : ndarray of shape (2,) or None
        The labels of the negative and of the positive side; None for a regression.
    kkt_data : LinearData or None
        Scores, labels and costs of the training rows: what `kkt`, `slack` and `taxonomy` need.
    solver : str
        Which solver found it: the name of its class.
    is_float32 : bool
        Whether weights and bias are numbers that float32 has: the certificate is theirs.

    Examples
    --------
    >>> from maxmargin import solve
    >>> from maxmargin.problems import PrimalProblem
    >>> solution = solve(PrimalProblem([[-1.0], [1.0]], [-1, 1], loss="squared_hinge", C=10.0))
    >>> solution.status.name, solution.weights.round(3), solution.decision_function([[3.0]]).round(3)
    ('CONVERGED', array([0.976]), array([2.927]))
    >>> solution.predict([[3.0]]), round(solution.margin, 3), solution.slack.round(3)
    (array([1]), 2.05, array([0.024, 0.024]))

    The conditions of an optimum, each as a number:

    >>> print(solve(PrimalProblem([[-1.0], [1.0]], [-1, 1], C=10.0), tol=1e-9).kkt)
    stationarity        0
    primal feasibility  0
    dual feasibility    0
    complementarity     0
    slack complement.   0
    unique              w yes, b yes, alpha unknown
    active              2 rows on the boundary, rank not looked at
    Slater              yes: the conditions are necessary and sufficient
    """

    weights: Vector
    bias: float
    alpha: Vector
    status: Status
    certificate: Certificate
    trace: Trace
    steps: int
    classes: NDArray[Any] | None = None
    kkt_data: LinearData | None = None
    solver: str = ""
    is_float32: bool = False

    def __repr__(self) -> str:
        return f"<LinearSolution: {self.certificate.brief}; {len(self.weights)} weights from {len(self.alpha)} rows>"

    def _repr_html_(self) -> str:
        rows = [
            *self.certificate.rows(),
            ("weights", f"{int((self.weights != 0.0).sum())} of {len(self.weights)} are not 0"),
            ("rows", f"{len(self.support)} of {len(self.alpha)} have a multiplier that is not 0"),
            ("offset", f"{self.bias:.6g}"),
            *margin_rows(lambda: self.margin),
            ("solver", f"{self.solver}, {self.steps} steps" if self.solver else f"{self.steps} steps"),
        ]
        return html_table(rows, "LinearSolution")

    @property
    def support(self) -> NDArray[np.int32]:
        """Rows with a multiplier that is not 0."""
        return np.flatnonzero(self.alpha).astype(np.int32)

    @property
    def objectives(self) -> Vector:
        """The primal objective at each checkpoint of the trace."""
        return self.trace.primal

    @property
    def slack(self) -> Vector:
        """``ξ_i`` of all rows: ``max(0, 1 − y_i f(x_i))`` for hinges, ``max(0, |y_i − f(x_i)| − ε)`` for tubes, or squared."""
        return self._terms("slack").slack()

    @property
    def taxonomy(self) -> NDArray[np.int8]:
        """`Kind` of every row, for the hinge and its square."""
        return self._terms("kinds of rows").taxonomy(self.alpha)

    @property
    def margin(self) -> float:
        """Width of the street, ``2/|w|``, for the hinge and its square."""
        self._terms("a street").require_street("a street")
        norm = float(np.linalg.norm(self.weights))
        return 2.0 / norm if norm > 0.0 else math.inf

    @property
    def kkt(self) -> KKT:
        """The optimality conditions, each as a number."""
        return self._terms("optimality conditions").kkt(self.alpha, optimal=self.status.is_optimal)

    def _terms(self, what: str) -> LinearData:
        if self.kkt_data is None:
            raise InvalidInput(
                f"To tell {what}, the scores of the training rows are needed, which this LinearSolution was made without. "
                "Get one from maxmargin.solve."
            )
        return self.kkt_data

    def decision_function(self, X: Any) -> Vector:
        """``f(x)`` of the rows of X."""
        rows = feature_matrix(X)
        if rows.shape[1] != len(self.weights):
            raise InvalidInput(f"X has {rows.shape[1]} features, but the model has {len(self.weights)}.")
        return linear_scores(rows, self.weights, self.bias)

    def predict(self, X: Any) -> NDArray[Any]:
        """The label of the side that ``f(x)`` is on, the positive one for 0; for a regression ``f(x)``."""
        f = self.decision_function(X)
        return f if self.classes is None else label_of_side(f, self.classes)
