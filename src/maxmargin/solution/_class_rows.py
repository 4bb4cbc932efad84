"""What an estimator keeps of the rows that count in a model of all classes at once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np
from numpy.typing import NDArray

from maxmargin.problems import ClassLoss
from maxmargin.solution._class_data import ClassData, leads
from maxmargin.solution._residuals import boundary_width

__all__ = ["ClassRows", "counting_rows"]

Matrix = NDArray[np.float64]
Vector = NDArray[np.float64]


@final
@dataclass(frozen=True, eq=False)
class ClassRows:
    """Support vectors, and the other rows on the boundary or beyond it: all others have neither slack nor multipliers.

    Attributes
    ----------
    codes : ndarray of intp, shape (n_SV,)
        The number of each support vector's class.
    boundary : ndarray of int32
        The other rows, ascending.
    deficit : ndarray
        ``1 − (f_y − max_{k≠y} f_k)`` of these.
    cost : ndarray
        ``C_i`` of the support vectors, and then of the rows in boundary.
    scores : ndarray of shape (n_SV, K) or None
        At the support vectors, where they cannot be computed again: of a precomputed kernel.
    """

    codes: NDArray[np.intp]
    boundary: NDArray[np.int32]
    deficit: Vector
    cost: Vector
    scores: Matrix | None = None

    def data(self, scores: Matrix, coefficients: Matrix, bias: Vector) -> ClassData:
        """The same as `ClassData`, support vectors first, with their scores and their coefficients ``β_ik/2``."""
        outside = np.zeros((len(self.boundary), len(bias)))
        outside[:, 0] = 1.0 - self.deficit  # of other classes than 0 too: the lead is all that counts where there is no β
        return ClassData(
            codes=np.concatenate([self.codes, np.zeros(len(self.boundary), dtype=np.intp)]),
            cost=self.cost,
            scores=np.concatenate([scores, outside]),
            stationarity=2.0 * max(float(np.abs(coefficients.sum(axis=axis)).max(initial=0.0)) for axis in (0, 1)),
            square_norm=float(np.vdot(coefficients, scores - bias)),
            loss=ClassLoss.JOINT,
        )


def counting_rows(known: ClassData, support: NDArray[np.int32], others: Matrix) -> NDArray[np.int32]:
    """Rows without multipliers that are on the boundary, within the tolerance of the answer, or beyond it."""
    deficit = 1.0 - leads(known.scores, known.codes)
    near = deficit > -boundary_width(others.sum(axis=1), deficit, known.cost)
    near[support] = False
    return np.flatnonzero(near).astype(np.int32)
