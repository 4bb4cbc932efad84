"""Rows far from 0: where an offset is free, nothing forces a solver to carry that distance along."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Final, NamedTuple, final

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from maxmargin import _core
from maxmargin.kernels import Moments, as_features, moments_of

if TYPE_CHECKING:
    from maxmargin.problems._primal import PrimalProblem

__all__ = ["Centred", "Centring", "far_columns", "level_from", "level_of"]

Vector = NDArray[np.float64]

_FAR: Final = 100.0  # standard deviations; of a constant column, units: those of the offset's own feature, which is 1


@final
class Centring:
    """Rows less the means of those columns whose mean is a hundred standard deviations or more.

    A column of Unix times, or a constant one of 10⁶, makes sums of rows lose the digits that tell them apart. ``<w, x> + b`` is
    ``<w, x − m> + (b + <w, m>)``, and with a free offset the second form is the same problem. Such a difference is exact
    (Sterbenz 1974). Sparse columns are moved where they have a value in every row, as any of so small a spread nearly has.

    Parameters
    ----------
    X : ndarray or CSR matrix
        Valid rows.
    moments : Moments, optional
        Moments of its columns, if they are known.

    Examples
    --------
    >>> import numpy as np
    >>> from maxmargin.problems._centring import Centring
    >>> centring = Centring(np.array([[1e6, 1.0], [1e6, 2.0]]))
    >>> centring.mean, centring.X
    (array([1000000.,       0.]), array([[0., 1.],
           [0., 2.]]))
    """

    __slots__ = ("_features", "_known", "_mean", "_moments", "_near", "_original", "_rows")

    def __init__(self, X: Any, moments: Moments | None = None) -> None:
        self._original, self._moments = X, moments
        self._known = False
        self._mean: Vector | None = None
        self._rows: Any = None
        self._features: _core.Features | None = None
        self._near: _core.Features | None = None

    @property
    def mean(self) -> Vector | None:
        """What is taken away, 0 for columns that stay; None where all do."""
        if not self._known:
            self._mean = self._find()
            self._known = True
        return self._mean

    @property
    def X(self) -> Any:
        """The rows without it: a copy, made once; X itself where all columns stay."""
        if self._rows is None:
            self._rows = self._original if self.mean is None else self._moved(self.mean)
        return self._rows

    @property
    def features(self) -> _core.Features:
        """The rows as they are, for the core: wrapped once for all problems that share them."""
        if self._features is None:
            self._features = as_features(self._original)
        return self._features

    @property
    def near(self) -> _core.Features:
        """The same for the rows without the mean."""
        if self._near is None:
            self._near = self.features if self.mean is None else as_features(self.X)
        return self._near

    def know(self, moments: Moments) -> None:
        """Take moments that are already computed."""
        self._moments = moments

    def _find(self) -> Vector | None:
        X = self._original
        if X.shape[0] == 0:
            return None
        mean, variance = moments_of(X, self.features) if self._moments is None else self._moments
        far = far_columns(mean, variance)
        if far is None:
            return None
        if sparse.issparse(X):
            far &= np.bincount(X.indices, minlength=X.shape[1]) == X.shape[0]
        if not far.any() or not np.isfinite(mean[far]).all():
            return None
        return np.where(far, mean, 0.0).astype(X.dtype).astype(np.float64)

    def _moved(self, mean: Vector) -> Any:
        X, own = self._original, mean.astype(self._original.dtype)
        if sparse.issparse(X):
            return sparse.csr_matrix((X.data - own[X.indices], X.indices, X.indptr), shape=X.shape)
        return X - own


@final
class Centred(NamedTuple):
    """The same problem for rows, and targets, near 0.

    Attributes
    ----------
    problem : PrimalProblem
        Of the moved rows and targets; weights, multipliers and objectives are the same.
    mean : ndarray or None
        What was taken from the rows.
    level : float
        What was taken from the targets.
    """

    problem: PrimalProblem
    mean: Vector | None
    level: float

    def there(self, w: Vector, b: float) -> float:
        """The offset in the moved problem of one in the given problem."""
        return b + self._apart(w)

    def back(self, w: Vector, b: float) -> float:
        """The offset in the given problem of one in the moved problem."""
        return b - self._apart(w)

    def size(self, w: Vector) -> float:
        """The sizes of what is moved between offset and rows: what they are rounded by follows it."""
        return abs(self.level) + (0.0 if self.mean is None else float(np.abs(w * self.mean).sum()))

    def _apart(self, w: Vector) -> float:
        """``<w, m>`` less the level, rounded once: its terms are large."""
        products = () if self.mean is None else (w * self.mean)[self.mean != 0.0].tolist()
        return math.fsum((*products, -self.level))


def far_columns(mean: Vector, variance: Vector) -> NDArray[np.bool_] | None:
    """Which columns are far from 0 beside what they differ by; None if none is.

    Examples
    --------
    >>> import numpy as np
    >>> from maxmargin.problems._centring import far_columns
    >>> far_columns(np.array([1e6, 1.0]), np.array([1.0, 1.0]))
    array([ True, False])
    """
    square = mean * mean
    if bool((square <= _FAR * _FAR * variance).all()):
        return None
    far = square > _FAR * _FAR * np.where(variance == 0.0, 1.0, variance)
    return far if far.any() else None


def level_of(targets: Vector) -> float:
    """The mean of targets that is far from 0 beside what they differ by, else 0."""
    mean = float(targets.mean()) if len(targets) else 0.0
    return level_from(mean, float(np.abs(targets - mean).max(initial=0.0)))


def level_from(mean: float, reach: float) -> float:
    """The same from the mean and the largest distance of a target from it."""
    return mean if math.isfinite(mean) and abs(mean) > _FAR * reach else 0.0
