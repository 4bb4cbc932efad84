"""The answer to all classes at once."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from maxmargin.errors import InvalidInput
from maxmargin.kernels import BoundKernel, weights_of
from maxmargin.problems import InseparableClasses
from maxmargin.solution._certificate import Certificate
from maxmargin.solution._class_data import ClassData, required
from maxmargin.solution._class_rows import ClassRows
from maxmargin.solution._kkt import KKT
from maxmargin.solution._predictions import label_of_best
from maxmargin.solution._status import Status
from maxmargin.solution._table import html_table, kernel_row, margin_rows
from maxmargin.solution._taxonomy import Kind
from maxmargin.solution._trace import Trace
from maxmargin.validation import feature_matrix, rows_are_objects

__all__ = ["CrammerSingerSolution"]

Matrix = NDArray[np.float64]

_NAME = "CrammerSingerSolution"


@final
@dataclass(frozen=True, eq=False)
class CrammerSingerSolution:
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
    proof : InseparableClasses or None
        Why there is no answer, if the status is INFEASIBLE.
    note : str
        What floating point could not decide; empty for most.
    kkt_data : ClassData or None
        Scores, classes and costs of the training rows: what `kkt`, `slack`, `margin` and `taxonomy` need.
    solver : str
        Which solver found it: the name of its class.
    rows : ClassRows or None
        The same of the rows that count, which is what an estimator keeps.

    Examples
    --------
    >>> from maxmargin import solve
    >>> from maxmargin.kernels import Linear
    >>> from maxmargin.problems import CrammerSinger
    >>> solution = solve(CrammerSinger([[0.0], [2.0], [4.0]], [0, 1, 2], C=10.0, kernel=Linear()))
    >>> solution.status.name, solution.decision_function([[2.0]]).shape
    ('CONVERGED', (1, 3))
    >>> solution.taxonomy, round(solution.margin, 3), solution.kkt.largest < 1e-6
    (array([1, 1, 1], dtype=int8), 1.0, True)
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
    proof: InseparableClasses | None = None
    note: str = ""
    kkt_data: ClassData | None = None
    solver: str = ""
    rows: ClassRows | None = None

    def __repr__(self) -> str:
        count = f"{len(self.support)} support vectors of {self.n} rows"
        return f"<CrammerSingerSolution of {len(self.classes)} classes: {self.certificate.brief}; {count}>"

    def _repr_html_(self) -> str:
        rows = [
            *self.certificate.rows(),
            kernel_row(self.kernel),
            ("classes", str(len(self.classes))),
            ("support vectors", f"{len(self.support)} of {self.n} rows"),
            *([] if self.status is Status.INFEASIBLE else margin_rows(lambda: self.margin)),
            ("solver", f"{self.solver}, {self.steps} steps" if self.solver else f"{self.steps} steps"),
        ]
        return html_table(rows, "CrammerSingerSolution")

    def decision_function(self, X: Any) -> Matrix:
        """``f_k(x)`` of the rows of X, shape (m, K)."""
        rows = X if self.kernel.of_objects or rows_are_objects(X) else feature_matrix(X)
        if self.kernel.is_linear:  # by weights: a large constant in all rows costs no digits
            free = bool(self.bias.any())
            columns = [weights_of(column, self.support_vectors, offset=free) for column in self.coefficients.T]
            weights = np.stack(columns, axis=1)
            return np.asarray(rows @ weights + self.bias)
        sums = self.kernel.weighted_sums(rows, self.support_vectors, self.coefficients.T, (0, len(self.support)))
        return np.asarray(sums[0].T + self.bias)

    def predict(self, X: Any) -> NDArray[Any]:
        """The class with the highest score; the first of a tie."""
        return label_of_best(self.decision_function(X), self.classes)

    @property
    def alpha(self) -> Matrix:
        """``α_ik = −β_ik``, the multipliers of all rows, shape (n, K); 0 for the own class."""
        others = -2.0 * self.coefficients
        kept = self._kept
        codes = required(self.kkt_data, "multipliers", _NAME).codes[self.support] if kept is None else kept.codes
        others[np.arange(len(codes)), codes] = 0.0
        alpha = np.zeros((self.n, len(self.classes)))
        alpha[self.support] = others
        return alpha

    @property
    def slack(self) -> NDArray[np.float64]:
        """``ξ_i = max(0, 1 − f_y(x_i) + max_{k≠y} f_k(x_i))`` of all rows."""
        slack = np.zeros(self.n)
        slack[self._places] = self._terms("slack").slack()
        return slack

    @property
    def taxonomy(self) -> NDArray[np.int8]:
        """`Kind` of every row, by its lead ``f_y(x_i) − max_{k≠y} f_k(x_i)`` in place of ``y f``."""
        result = np.full(self.n, Kind.NON_INFORMATIVE, dtype=np.int8)
        result[self._places] = self._terms("kinds of rows").taxonomy(self.alpha[self._places])
        return result

    @property
    def margin(self) -> float:
        """``√2/|M|`` with ``|M|² = Σ_k |w_k|²`` (Crammer and Singer 2001).

        No street between two classes, ``2/|w_k − w_l|``, is narrower; for two classes it is that of `SoftMargin`.
        """
        return self._terms("a margin").margin()

    @property
    def kkt(self) -> KKT:
        """The optimality conditions, each as a number."""
        if self.status is Status.INFEASIBLE:
            raise InvalidInput(
                "There is no answer that could have optimality conditions: INFEASIBLE. Look at `proof`, or allow slack."
            )
        kkt_data = self._terms("optimality conditions")
        return replace(kkt_data, convex=self.status is not Status.INDEFINITE).kkt(self.alpha[self._places])

    @property
    def _kept(self) -> ClassRows | None:
        """What an estimator kept, where that is all there is."""
        return self.rows if self.kkt_data is None else None

    @property
    def _places(self) -> NDArray[np.intp]:
        """The rows that `_terms` is of; all others have neither slack nor multipliers."""
        kept = self._kept
        return np.arange(self.n) if kept is None else np.concatenate([self.support, kept.boundary]).astype(np.intp)

    def _terms(self, what: str) -> ClassData:
        kept = self._kept
        if kept is None:
            return required(self.kkt_data, what, _NAME)
        scores = self.decision_function(self.support_vectors) if kept.scores is None else kept.scores
        return kept.data(scores, self.coefficients, self.bias)
