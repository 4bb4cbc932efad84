"""What a solution of all classes at once keeps of its training rows: enough for conditions, slacks and kinds, without X."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import final

import numpy as np
from numpy.typing import NDArray
from scipy.special import xlog1py, xlogy

from maxmargin.errors import InvalidInput
from maxmargin.problems import ClassLoss
from maxmargin.solution._kkt import KKT
from maxmargin.solution._residuals import Residuals, boundary_width, slack_residuals
from maxmargin.solution._taxonomy import kinds

__all__ = ["ClassData", "class_margin", "leads", "multinomial_gains", "required"]

Matrix = NDArray[np.float64]
Vector = NDArray[np.float64]


def leads(scores: Matrix, codes: NDArray[np.intp]) -> Vector:
    """``f_y(x_i) − max_{k≠y} f_k(x_i)``: by how much the own class of each row is ahead of all others."""
    every, rivals = np.arange(len(codes)), scores.copy()
    rivals[every, codes] = -np.inf
    return np.asarray(scores[every, codes] - rivals.max(axis=1))


def class_margin(square_norm: float) -> float:
    """``√2/|M|`` with ``|M|² = Σ_k |w_k|²``, what Crammer and Singer (2001) make small.

    The street between two classes, where neither is ahead of the other by 1, is ``2/|w_k − w_l|`` wide, and
    ``|w_k − w_l|² ≤ 2 |M|²``: none is narrower than this. For two classes, where ``w_1 = −w_0``, it is ``2/|w_1 − w_0|``, the
    street of a soft margin.

    Examples
    --------
    >>> from maxmargin.solution._class_data import class_margin
    >>> class_margin(0.5)  # w_0 = −½ and w_1 = ½: f_1 − f_0 = x
    2.0
    """
    return math.sqrt(2.0 / square_norm) if square_norm > 0.0 else math.inf


def multinomial_gains(others: Matrix, cost: Vector) -> Vector:
    """``−Σ_k α_ik log(α_ik/C_i)`` of each row, where the own class has what the others leave of C_i."""
    inside, share = np.maximum(others, 0.0), np.clip(others.sum(axis=1) / cost, 0.0, 1.0)
    return np.asarray(-xlogy(inside, inside / cost[:, np.newaxis]).sum(axis=1) - cost * xlog1py(1.0 - share, -share))


@final
@dataclass(frozen=True, eq=False)
class ClassData:
    """The rows of a model of all classes at once, as its loss sees them.

    Attributes
    ----------
    codes : ndarray of intp, shape (n,)
        The number of each row's class.
    cost : ndarray of shape (n,)
        ``C_i``; infinite where no slack is allowed.
    scores : ndarray of shape (n, K)
        ``f_k(x_i)``.
    stationarity : float
        How far weights and sums of multipliers are off what the penalty and the offsets ask for, in the largest coordinate.
    square_norm : float
        ``Σ_k |w_k|²``.
    loss : ClassLoss
        The loss of a row.
    w_unique : bool or None
        Whether no other weights are optimal.
    convex : bool
        Whether the problem is convex; it is not with an indefinite kernel.

    Examples
    --------
    >>> import numpy as np
    >>> from maxmargin.problems import ClassLoss
    >>> from maxmargin.solution._class_data import ClassData
    >>> kkt_data = ClassData(np.array([0, 1]), np.ones(2), np.array([[0.75, 0.0], [1.0, 0.0]]), 0.0, 0.5, ClassLoss.JOINT)
    >>> kkt_data.slack(), kkt_data.taxonomy(np.array([[0.0, 1.0], [1.0, 0.0]]))
    (array([0.25, 2.  ]), array([2, 3], dtype=int8))
    """

    codes: NDArray[np.intp]
    cost: Vector
    scores: Matrix
    stationarity: float
    square_norm: float
    loss: ClassLoss
    w_unique: bool | None = True
    convex: bool = True

    def _require_street(self, what: str) -> None:
        if self.loss is not ClassLoss.JOINT:
            raise InvalidInput(f"Only the joint loss has {what}. This solution is of {self.loss.value!r}.")

    def slack(self) -> Vector:
        """``ξ_i = max(0, 1 − lead)`` of all rows, of the lead of the own class over all others."""
        self._require_street("slack")
        return np.maximum(0.0, 1.0 - leads(self.scores, self.codes))

    def margin(self) -> float:
        """``√2/|M|``, see `class_margin`."""
        self._require_street("a margin")
        return class_margin(self.square_norm)

    def taxonomy(self, others: Matrix) -> NDArray[np.int8]:
        """`Kind` of every row, by its lead; α of other classes than its own, and 0 of that."""
        self._require_street("kinds of rows")
        ahead = leads(self.scores, self.codes)
        width = boundary_width(others.sum(axis=1), 1.0 - ahead, self.cost)
        return kinds(ahead, self.scores.argmax(axis=1) == self.codes, width)

    def kkt(self, others: Matrix) -> KKT:
        """The report on multipliers of other classes than the own, and 0 of that."""
        found = self._slack_residuals(others) if self.loss is ClassLoss.JOINT else self._smooth_residuals(others)
        return KKT(
            self.stationarity,
            *found,
            w_unique=self.w_unique if self.convex else None,
            b_unique=None,
            alpha_unique=None,
            active=None,
            rank=None,
            slater=self._slater(),
            convex=self.convex,
        )

    def _slater(self) -> bool | None:
        """Whether some point fulfils all strictly: with slack always, else if all rows are ahead (double the scores)."""
        hard = np.isinf(self.cost)
        return True if not hard.any() or float(leads(self.scores[hard], self.codes[hard]).min()) > 0.0 else None

    def _slack_residuals(self, others: Matrix) -> Residuals:
        every = np.arange(len(self.codes))
        deficit = 1.0 - (self.scores[every, self.codes][:, np.newaxis] - self.scores)
        deficit[every, self.codes] = 0.0
        return slack_residuals(others, deficit, self.cost)

    def _smooth_residuals(self, others: Matrix) -> Residuals:
        """The multinomial loss ``log Σ_k exp(f_k − f_y)`` has one slope: what multipliers miss of it (Fenchel and Young)."""
        every, taken = np.arange(len(self.codes)), others.sum(axis=1)
        apart = self.scores - self.scores[every, self.codes][:, np.newaxis]
        top = apart.max(axis=1)
        lost = self.cost * (top + np.log(np.exp(apart - top[:, np.newaxis]).sum(axis=1)))
        missed = lost - multinomial_gains(others, self.cost) - (others * apart).sum(axis=1)
        outside = np.maximum(-others.min(initial=0.0), (taken - self.cost).max(initial=0.0))
        return Residuals(0.0, float(outside), float(missed.max(initial=0.0)), None)


def required(kkt_data: ClassData | None, what: str, owner: str) -> ClassData:
    """What a solution keeps of its rows, or an error that says what it is needed for."""
    if kkt_data is None:
        raise InvalidInput(
            f"To tell {what}, the scores of the training rows are needed, which this {owner} was made without. "
            "Get one from maxmargin.solve."
        )
    return kkt_data
