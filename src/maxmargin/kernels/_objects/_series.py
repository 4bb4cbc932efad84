"""Time series, aligned."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from maxmargin import _core
from maxmargin.errors import InvalidInput
from maxmargin.kernels._base import BoundKernel
from maxmargin.kernels._objects._base import BoundObjectKernel, ObjectKernel
from maxmargin.kernels._scale import Moments
from maxmargin.validation import check_positive

__all__ = ["GlobalAlignment"]

_SAMPLE = 500  # moments whose distances are looked at
_LARGEST_EXPONENT = 700.0


@final
@dataclass(frozen=True)
class _BoundAlignment(BoundObjectKernel):
    rate: float
    dimensions: int
    normalise: bool

    def encode(self, objects: Sequence[Any], first_column: int) -> _core.Objects:
        series = _series(objects, self.dimensions)
        starts = np.concatenate([[0], np.cumsum([len(each) for each in series], dtype=np.int64)])
        if not self.normalise and 2.2 * float(np.diff(starts).max()) > _LARGEST_EXPONENT:
            raise InvalidInput(
                f"GlobalAlignment(normalise=False) overflows: a series of {int(np.diff(starts).max())} moments has up to"
                " 3^(n + m) alignments with another. Use normalise=True, which is computed from logarithms."
            )
        moments = np.ascontiguousarray(np.concatenate(series))
        return _core.alignments(moments, starts, self.rate, self.normalise)


@final
@dataclass
class GlobalAlignment(ObjectKernel):
    """All alignments of two series: ``k(x, y) = Σ_π Π_{(i, j) in π} κ(x_i, y_j)``, ``κ = e / (2 − e)``.

    ``e = exp(−|x_i − y_j|² / (2σ²))``. An alignment π goes from the first moments to the last ones and moves on by one moment
    in x, in y or in both. With e itself in place of κ the kernel would not be positive definite. Computed in logarithms where
    doubles do not suffice.

    A row of X is a series: an array of numbers, or of shape (moments, dimensions). Lengths may differ. Values of series of very
    different length are small: the kernel is meant for lengths within a factor of two.

    Parameters
    ----------
    sigma : float or "median"
        σ, a distance of moments. ``"median"`` is the median distance of moments of the training rows times the root of their
        median length, as Cuturi proposes.
    normalise : bool
        Whether ``k(x, x) = 1``. Empty series have 1 with each other, and 0 with the rest.

    References
    ----------
    Cuturi, Fast global alignment kernels, ICML 2011.

    Examples
    --------
    >>> from maxmargin.kernels import GlobalAlignment
    >>> GlobalAlignment(sigma=1.0)([[0.0, 1.0, 2.0], [0.0, 0.0, 1.0, 2.0], [5.0, 5.0]]).round(3)
    array([[1.   , 0.711, 0.   ],
           [0.711, 1.   , 0.   ],
           [0.   , 0.   , 1.   ]])
    """

    sigma: float | str = "median"
    normalise: bool = True

    def bind(self, X: Any, sample_weight: NDArray[np.float64] | None = None, *, moments: Moments | None = None) -> BoundKernel:
        """Check the series, and fix σ."""
        series = _series(list(X), None)
        if isinstance(self.sigma, str):
            if self.sigma != "median":
                raise InvalidInput(
                    "The 'sigma' parameter of GlobalAlignment must be 'median' or a float in the range (0.0, inf). "
                    f"Got {self.sigma!r} instead."
                )
            sigma = _median_scale(series)
        else:
            sigma = check_positive("sigma", self.sigma, "GlobalAlignment")
        rate = 0.5 / sigma / sigma
        if not 0.0 < rate < math.inf:
            raise InvalidInput(f"σ = {sigma:.3g} of GlobalAlignment has no square in float64. Scale the series.")
        return _BoundAlignment(rate, series[0].shape[1], self._normalises())


def _median_scale(series: list[NDArray[np.float64]]) -> float:
    """The median distance of moments, evenly chosen, times the root of the median length; 1 where all are the same."""
    every = np.concatenate(series)
    some = every[np.unique(np.linspace(0, max(len(every) - 1, 0), _SAMPLE).astype(np.intp))] if len(every) else every
    squares = np.square(some[:, np.newaxis] - some).sum(axis=2)
    distances = np.sqrt(squares[np.triu_indices(len(some), 1)])
    lengths = [len(each) for each in series]
    found = float(np.median(distances)) * math.sqrt(float(np.median(lengths))) if len(distances) else 0.0
    if found == 0.0 and len(distances):  # most moments are the same: the others say how far apart moments are
        apart = distances[distances > 0.0]
        found = float(np.median(apart)) * math.sqrt(max(1.0, float(np.median(lengths)))) if len(apart) else 0.0
    return found if found > 0.0 else 1.0


def _series(objects: Sequence[Any], dimensions: int | None) -> list[NDArray[np.float64]]:
    """Series of shape (moments, dimensions), in float64."""
    found = []
    for row, each in enumerate(objects):
        if isinstance(each, str | bytes):
            raise InvalidInput(
                f"GlobalAlignment needs series of numbers. Got the {type(each).__name__} {each!r:.40} as row {row} of X. For"
                " strings use Spectrum or GappySubsequence."
            )
        try:
            values = np.asarray(each, dtype=np.float64)
        except (TypeError, ValueError):
            values = np.empty(())
        if values.ndim == 1:
            values = values[:, np.newaxis] if len(values) or dimensions is None else np.empty((0, dimensions))
        if values.ndim != 2:
            raise InvalidInput(
                f"GlobalAlignment needs series of numbers, of shape (moments,) or (moments, dimensions). Got a"
                f" {type(each).__name__} as row {row} of X."
            )
        if not np.isfinite(values).all():
            moment = int(np.flatnonzero(~np.isfinite(values).all(axis=1))[0])
            raise InvalidInput(
                f"Series {row} of X has the value {values[moment][~np.isfinite(values[moment])][0]} at moment {moment}."
                " GlobalAlignment needs numbers. Leave the moment out, since series may differ in length, or interpolate."
            )
        found.append(values)
    return _of_one_width(found, dimensions)


def _of_one_width(series: list[NDArray[np.float64]], dimensions: int | None) -> list[NDArray[np.float64]]:
    filled = [each.shape[1] for each in series if len(each)]
    wanted = dimensions if dimensions is not None else (filled[0] if filled else 1)
    for row, each in enumerate(series):
        if len(each) and each.shape[1] != wanted:
            raise InvalidInput(
                f"Series {row} of X has {each.shape[1]} dimensions, where {wanted} were expected. Give all the same ones."
            )
    return [each if len(each) else np.empty((0, wanted)) for each in series]
