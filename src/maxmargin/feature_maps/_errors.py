"""How far an approximate kernel matrix is from the exact one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, final

import numpy as np
from numpy.typing import NDArray
from scipy import linalg

from maxmargin._blas import one_blas_thread
from maxmargin.feature_maps._landmarks import product
from maxmargin.validation import check_integer

__all__ = ["ApproximationError", "measured", "sample_of"]

Vector = NDArray[np.float64]


@final
@dataclass(frozen=True)
class ApproximationError:
    """``E = K − ΦΦᵀ`` on some rows, and what bounds it there.

    Attributes
    ----------
    rows : int
        How many rows.
    frobenius, spectral : float
        ``|E|_F``, and the largest ``|eigenvalue|`` of E.
    frobenius_bound, spectral_bound : float
        What these are at most, by the bound of the map.
    kernel_frobenius, kernel_spectral : float
        The same norms of K: what the error is to be compared with.

    Examples
    --------
    >>> import numpy as np
    >>> from maxmargin.feature_maps import Nystroem
    >>> X = np.random.default_rng(0).normal(size=(200, 2))
    >>> error = Nystroem(n_components=50, gamma=0.5, random_state=0).fit(X).approximation_error(X)
    >>> error.spectral < error.spectral_bound < 0.05 * error.kernel_spectral
    True
    """

    rows: int
    frobenius: float
    spectral: float
    frobenius_bound: float
    spectral_bound: float
    kernel_frobenius: float
    kernel_spectral: float


def measured(K: Vector, features: Vector, bounds: tuple[float, float]) -> ApproximationError:
    """The error of features on rows whose kernel values are K; bounds of the Frobenius and of the spectral norm."""
    error = K - product(features, features)
    with one_blas_thread():
        of_error, of_kernel = (float(np.abs(linalg.eigvalsh(each)).max()) for each in (error, K))
    return ApproximationError(
        rows=len(K),
        frobenius=float(np.sqrt(np.square(error).sum())),
        spectral=of_error,
        frobenius_bound=bounds[0],
        spectral_bound=bounds[1],
        kernel_frobenius=float(np.sqrt(np.square(K).sum())),
        kernel_spectral=of_kernel,
    )


def sample_of(n: int, rows: Any, random: np.random.RandomState, owner: str) -> NDArray[np.intp]:
    """Numbers of so many rows, ascending; None for all."""
    if rows is None:
        return np.arange(n)
    count = check_integer("rows", rows, owner, 1)
    return np.arange(n) if count >= n else np.sort(random.permutation(n)[:count])
