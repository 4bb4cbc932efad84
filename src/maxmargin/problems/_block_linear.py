"""Linear models whose rows come in blocks."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, final

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from maxmargin import _core
from maxmargin.blocks import FirstLook
from maxmargin.kernels import as_features
from maxmargin.losses import Loss
from maxmargin.problems._centring import far_columns
from maxmargin.problems._linear_objective import LinearObjective
from maxmargin.problems._primal_terms import Penalty
from maxmargin.problems._soft_margin import Offset

__all__ = ["BlockProblem", "BlockRows"]

Vector = NDArray[np.float64]
_IN_CACHE = 1 << 19  # values of a part: as many as several threads are worth
_HEIGHT = 8  # rows of a part for each row of its Hessian


@final
class BlockRows:
    """The rows of a block as linear models see them.

    Parameters
    ----------
    X : ndarray or CSR matrix
        Valid rows.
    label : ndarray
        Number of the class of each, or its target.
    cost : ndarray
        ``C_i > 0``.
    """

    __slots__ = ("X", "_features", "_mean", "_near", "_parts", "cost", "label")

    def __init__(self, X: Any, label: NDArray[Any], cost: Vector) -> None:
        self.X, self.label, self.cost = X, label, cost
        self._features: _core.Features | None = None
        self._near: _core.Features | None = None
        self._mean: Vector | None = None
        self._parts: list[tuple[slice, BlockRows]] | None = None

    @property
    def parts(self) -> list[tuple[slice, BlockRows]]:
        """The rows in parts that stay in a processor's cache from one look at them to the next, and where these stand.

        How many there are depends on the rows alone. Sparse rows are one part, and so are rows whose outer products take far
        longer than to read them.
        """
        if self._parts is None:
            n, columns = self.X.shape
            height = max(_IN_CACHE // max(columns, 1), _HEIGHT * (columns + 1))
            if not isinstance(self.X, np.ndarray) or n < 2 * height:
                return [(slice(0, n), self)]  # not kept: rows that hold themselves stay until somebody looks for cycles
            cuts = [n * k // (n // height) for k in range(n // height + 1)]
            some = [slice(begin, end) for begin, end in pairwise(cuts)]
            self._parts = [(part, BlockRows(self.X[part], self.label[part], self.cost[part])) for part in some]
        return self._parts

    @property
    def features(self) -> _core.Features:
        """The rows as they are, for the core."""
        if self._features is None:
            self._features = as_features(self.X)
        return self._features

    def near(self, mean: Vector | None) -> _core.Features:
        """The rows less a mean: exact for columns that are far from 0 beside what they differ by (Sterbenz 1974)."""
        if mean is None:
            return self.features
        if self._near is None or self._mean is not mean:
            own = mean.astype(self.X.dtype)
            moved = self.X - own if isinstance(self.X, np.ndarray) else _moved(self.X, own)
            self._near, self._mean = as_features(moved), mean
        return self._near


def _moved(X: Any, mean: NDArray[Any]) -> Any:
    return sparse.csr_matrix((X.data - mean[X.indices], X.indices, X.indptr), shape=X.shape)


@final
@dataclass(frozen=True, eq=False)
class BlockProblem(LinearObjective):
    """Minimise a penalty and ``Σ C_i ℓ`` over w and b, without the rows: they are handed to it, a block at a time.

    It is small, and can be sent to whoever has a block.

    Attributes
    ----------
    loss, penalty, offset, offset_scale, B, l1
        As of a `PrimalProblem`.
    n, d : int
        Rows of all blocks that have a positive weight, and features.
    total : float
        ``Σ C_i``.
    positive : int or None
        The class whose label is +1; the others have −1. None for a regression.
    mean : ndarray or None
        What is taken from the columns that are far from 0 where the offset is free.
    level : float
        What is taken from targets that are far from 0.
    start : float
        Where the offset begins: the median of the targets.
    spread : float
        How far targets are apart from it, on average; 1 for margins.
    at_zero : float
        The objective where all scores are 0.
    """

    loss: Loss
    penalty: Penalty
    offset: Offset
    offset_scale: float
    B: float
    l1: float
    n: int
    d: int
    total: float
    at_zero: float
    positive: int | None = None
    mean: Vector | None = None
    level: float = 0.0
    start: float = 0.0
    spread: float = 1.0
    pull: float = 0.0

    @property
    def size(self) -> int:
        """Weights and offset."""
        return self.d + (self.offset is not Offset.NONE)

    def labels(self, rows: BlockRows) -> Vector:
        """−1 and +1, or targets near 0."""
        if self.positive is None:
            return np.asarray(rows.label - self.level, dtype=np.float64)
        return np.where(rows.label == self.positive, 1.0, -1.0)

    def back(self, w: Vector, b: float) -> float:
        """The offset for rows and targets as they are."""
        products = () if self.mean is None else (w * self.mean)[self.mean != 0.0].tolist()
        return b - math.fsum((*products, -self.level))

    def there(self, w: Vector, b: float) -> float:
        """The offset for rows and targets near 0, from that for those as they are."""
        return b + (b - self.back(w, b))

    def moved(self, w: Vector) -> float:
        """The sizes of what is moved between offset and rows: what they are rounded by follows it."""
        return abs(self.level) + (0.0 if self.mean is None else float(np.abs(w * self.mean).sum()))

    @staticmethod
    def mean_of(look: FirstLook, offset: Offset) -> Vector | None:
        """What is taken from the columns; None where all stay."""
        if offset is not Offset.FREE:
            return None
        far = far_columns(*look.moments)
        if far is None:
            return None
        far &= look.filled == look.n
        mean = look.moments.mean
        if not far.any() or not np.isfinite(mean[far]).all():
            return None
        return np.where(far, mean, 0.0).astype(look.dtype).astype(np.float64)
