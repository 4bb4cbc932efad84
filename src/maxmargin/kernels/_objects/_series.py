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
from maxmargin.kernels._objects._base import BoundObjectKernel, ObjectKernel, listed
from maxmargin.kernels._scale import Moments
from maxmargin.validation import check_positive

__all__ = ["GlobalAlignment"]

_MEDIAN = "median"
_SAMPLE = 500  # moments whose distances are looked at
_LARGEST_EXPONENT = 700.0
_ROUNDING = 1e-12  # of sums of weights


@final
@dataclass(frozen=True)
class BoundAlignment(BoundObjectKernel):
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
    sigma : float, "median" or a multiple of it such as "0.2*median"
        σ, a distance of moments. ``"median"`` is the median distance of moments of the training rows, of those that differ,
        times the root of their median length, as Cuturi proposes; of more than 500 different moments, of some chosen evenly.
        With all of it, shapes that differ in a short part are hardly told apart at C = 1; where the multiple matters, search
        over it: ``{"kernel__sigma": ["0.1*median", "0.2*median", "0.5*median", "median"]}``.
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

    sigma: float | str = "0.2*median"
    normalise: bool = True

    def bind(self, X: Any, sample_weight: NDArray[np.float64] | None = None, *, moments: Moments | None = None) -> BoundKernel:
        """Check the series, and fix σ."""
        series = _series(listed(X), None)
        if isinstance(self.sigma, str):
            sigma = _multiple(self.sigma) * _median_scale(series, sample_weight)
        else:
            sigma = check_positive("sigma", self.sigma, "GlobalAlignment")
        rate = 0.5 / sigma / sigma
        if not 0.0 < rate < math.inf:
            raise InvalidInput(f"σ = {sigma:.3g} of GlobalAlignment has no square in float64. Scale the series.")
        return BoundAlignment(rate, series[0].shape[1], self._normalises())


def _multiple(sigma: str) -> float:
    """The factor in "0.2*median"; 1 in "median"."""
    factor, star, word = sigma.rpartition("*")
    try:
        found = float(factor) if star else 1.0
    except ValueError:
        found = math.nan
    if word.strip() != _MEDIAN or not 0.0 < found < math.inf:
        raise InvalidInput(
            "The 'sigma' parameter of GlobalAlignment must be a float in the range (0.0, inf), 'median', or a multiple of it"
            f" such as '0.2*median'. Got {sigma!r} instead."
        )
    return found


def _median_scale(series: list[NDArray[np.float64]], weight: NDArray[np.float64] | None) -> float:
    """The median distance of different moments times the root of the median length; 1 where all moments are the same.

    A series of weight 2 is two series, and the order of rows does not matter.
    """
    lengths = np.array([len(each) for each in series])
    weight = np.ones(len(series)) if weight is None else weight
    moments, weights = _chosen_moments(np.concatenate(series), np.repeat(weight, lengths))
    squares = np.square(moments[:, np.newaxis] - moments).sum(axis=2)
    first, second = np.triu_indices(len(moments), 1)
    distances, counts = np.sqrt(squares[first, second]), weights[first] * weights[second]
    apart = (distances > 0.0) & (counts > 0.0)
    if not apart.any():
        return 1.0
    return _median(distances[apart], counts[apart]) * math.sqrt(max(1.0, _median(lengths.astype(np.float64), weight)))


def _chosen_moments(
    moments: NDArray[np.float64], weights: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Different moments in ascending order with their weights; of many some, chosen evenly by weight."""
    order = np.lexsort(moments.T[::-1])
    moments, weights = moments[order], weights[order]
    firsts = np.flatnonzero(np.r_[True, (moments[1:] != moments[:-1]).any(axis=1)]) if len(moments) else order
    moments, weights = moments[firsts], np.add.reduceat(weights, firsts) if len(firsts) else weights
    if len(moments) <= _SAMPLE:
        return moments, weights
    reached = np.cumsum(weights)
    places = np.searchsorted(reached, (np.arange(_SAMPLE) + 0.5) / _SAMPLE * reached[-1])
    places, counts = np.unique(places, return_counts=True)
    return moments[places], counts.astype(np.float64)


def _median(values: NDArray[np.float64], weights: NDArray[np.float64]) -> float:
    """The median of values that count by their weights; of two in the middle the mean."""
    order = np.argsort(values, kind="stable")
    values, reached = values[order], np.cumsum(weights[order])
    half = 0.5 * float(reached[-1])
    low, high = np.searchsorted(reached, [half * (1.0 - _ROUNDING), half * (1.0 + _ROUNDING)])
    return 0.5 * float(values[low] + values[min(int(high), len(values) - 1)])


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
