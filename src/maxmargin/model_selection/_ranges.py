"""Where to look for parameters: ranges from the number of rows and features and from the spread of the data."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any, Final, final

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from maxmargin.errors import InvalidInput
from maxmargin.kernels import Kernel, moments_of
from maxmargin.validation import length, reject, take_rows

__all__ = ["Given", "cost_range", "costs_of", "gamma_range", "interval_of", "kernel_scale", "nu_range", "values_of"]

_LEAST_COST: Final = 10.0  # of all rows together: below it, no row leaves the margin
_LARGEST_COST: Final = 1e3
_ROUNDING: Final = 1e-12
_SAMPLE: Final = 200  # rows whose kernel values give the scale
_WIDEST: Final = 5.0  # widths of a kernel, in units of the diameter, or of its share of the distance of neighbours


def values_of(given: Any, name: str, owner: str, automatic: Any) -> NDArray[np.float64]:
    """The values to try: those given, ascending, or as many as an integer asks for, from ``automatic(count)``."""
    if isinstance(given, Integral) and not isinstance(given, bool):
        if given < 1:
            raise InvalidInput(f"The '{name}' parameter of {owner} must be a positive int or a list of numbers. Got {given!r}.")
        return np.asarray(automatic(int(given)), dtype=np.float64)
    try:
        values = np.array([given] if isinstance(given, Real) else given, dtype=np.float64)
    except (TypeError, ValueError):
        values = np.empty(0)
    if values.ndim != 1 or len(values) == 0:
        raise InvalidInput(f"The '{name}' parameter of {owner} must be a positive int or a list of numbers. Got {given!r}.")
    return np.unique(values)


@final
@dataclass(frozen=True, eq=False)
class Given:
    """What ranges are made from: valid rows with labels or targets, and their weights; a weight of 2 is a copy.

    Attributes
    ----------
    rows : rows
        Those with weight.
    y : ndarray
        Their labels or targets.
    weight : ndarray or None
        Positive; None where all are 1.
    """

    rows: Any
    y: NDArray[Any]
    weight: NDArray[np.float64] | None = None

    @property
    def n(self) -> float:
        """How many rows, copies counted."""
        return float(length(self.rows)) if self.weight is None else float(self.weight.sum())

    @property
    def variance(self) -> NDArray[np.float64]:
        """Of each column."""
        if self.weight is None:
            return moments_of(self.rows).variance
        mean = self.mean
        if sparse.issparse(self.rows):
            square = np.asarray(self.rows.multiply(self.rows).T @ self.weight).ravel() / self.n
            return np.asarray(np.maximum(square - mean**2, 0.0))
        return np.asarray(self.weight @ np.square(self.rows - mean) / self.n)

    @property
    def mean(self) -> NDArray[np.float64]:
        """Of each column."""
        if self.weight is None:
            return np.asarray(self.rows.mean(axis=0), dtype=np.float64).ravel()
        return np.asarray(self.rows.T @ self.weight, dtype=np.float64).ravel() / self.n

    def spread_of_targets(self) -> float:
        """Their standard deviation."""
        y = np.asarray(self.y, dtype=np.float64)
        middle = np.average(y, axis=0, weights=self.weight)
        return math.sqrt(float(np.average(np.square(y - middle), axis=0, weights=self.weight).mean()))

    def counts(self) -> NDArray[np.float64]:
        """Rows of each class, copies counted, ascending."""
        codes = np.unique(self.y, return_inverse=True)[1].ravel()
        return np.sort(np.bincount(codes, weights=self.weight).astype(np.float64))

    def some(self, most: int) -> NDArray[np.intp]:
        """Rows at equal distances, copies counted: some twice where they have much weight."""
        size = int(min(max(self.n, 1.0), most))
        places = np.floor(np.linspace(0.0, max(self.n - 1.0, 0.0), size))
        if self.weight is None:
            return places.astype(np.intp)
        return np.minimum(np.searchsorted(np.cumsum(self.weight), places, side="right"), length(self.rows) - 1)


def cost_range(given: Given, count: int, *, kernel_scale: float, targets: bool = False) -> NDArray[np.float64]:
    """Costs from ``10 / n`` to 1000, divided by the kernel's scale and, for targets, multiplied by theirs.

    With ``C < 1 / (n k)`` the function hardly leaves 0, and with ``C > 1000 / k`` it seldom changes.

    Parameters
    ----------
    given : Given
        The rows.
    count : int
        How many.
    kernel_scale : float
        A typical ``k(x, x)`` about the centre.
    targets : bool
        Whether it is a regression.
    """
    spread = given.spread_of_targets() if targets else 1.0
    return costs_of(given.n, count, kernel_scale=kernel_scale, spread=spread)


def costs_of(n: float, count: int, *, kernel_scale: float, spread: float = 1.0) -> NDArray[np.float64]:
    """The same for so many rows, and targets of this standard deviation."""
    unit = _or_one(spread) / _or_one(kernel_scale)
    return _spread(unit * min(_LEAST_COST / n, 0.1 * _LARGEST_COST), unit * _LARGEST_COST, count)


def kernel_scale(kernel: Kernel, given: Given) -> float:
    """A typical ``k(x, x)``: of a kernel without parameters about the centre, ``mean k(x, x) − mean k(x, z)`` of a sample.

    What all rows have in common is the offset's part, so that costs need not pay for it.
    """
    chosen = given.some(_SAMPLE)
    sample = take_rows(given.rows, chosen)
    values = kernel.bind(given.rows, given.weight).cross(sample, chosen if kernel.input_kind == "precomputed" else sample)
    own = float(np.mean(np.abs(np.diagonal(values))))
    about = float(np.mean(np.diagonal(values)) - np.mean(values))
    return about if kernel.get_params() == {} and about > _ROUNDING * own else own


def gamma_range(given: Given, count: int) -> NDArray[np.float64]:
    """Factors ``1/s²`` of a Gaussian kernel, for widths s from 5 diameters to a fifth of the distance of neighbours.

    n rows that fill a body of diameter D in d dimensions have neighbours at about ``D n^(−1/d)`` (Steinwart and Thomann,
    liquidSVM, 2017).
    """
    n, d = given.n, given.rows.shape[1]
    diameter = _diameter(given)
    if diameter == 0.0:
        return np.ones(1)
    neighbours = diameter * n ** (-1.0 / d)
    return _spread((_WIDEST * diameter) ** -2, (neighbours / _WIDEST) ** -2, count)


def nu_range(shares: Sequence[float], count: int) -> NDArray[np.float64]:
    """Values of ν up to the largest that all pairs of classes allow: twice the share of the smaller one."""
    largest = 2.0 * min(shares)
    return largest * np.linspace(1.0, count, count) / (count + 1.0)


def _or_one(scale: float) -> float:
    """The scale, or 1 where all values are the same."""
    return scale if 1e-150 < scale < math.inf else 1.0


def _spread(low: float, high: float, count: int) -> NDArray[np.float64]:
    return np.geomspace(low, high, count) if count > 1 else np.array([math.sqrt(low * high)])


def _diameter(given: Given) -> float:
    """Two sweeps: from the mean to the farthest row, from there to the farthest again. At least half of the diameter."""
    rows: Any = given.rows if sparse.issparse(given.rows) else np.asarray(given.rows, dtype=np.float64)
    squares = _squares(rows)
    farthest: Any = given.mean
    largest = 0.0
    for _ in range(2):
        point = np.asarray(farthest, dtype=np.float64).ravel()
        distances = squares - 2.0 * np.asarray(rows @ point).ravel() + float(point @ point)
        place = int(np.argmax(distances))
        largest = math.sqrt(max(float(distances[place]), 0.0))
        farthest = rows[[place]].toarray() if sparse.issparse(rows) else rows[place]
    return largest


def _squares(rows: Any) -> NDArray[np.float64]:
    if sparse.issparse(rows):
        return np.asarray(rows.multiply(rows).sum(axis=1), dtype=np.float64).ravel()
    return np.asarray(np.einsum("ij,ij->i", rows, rows))


def interval_of(Cs: Any) -> tuple[float, float]:
    """The ends of an interval of C."""
    try:
        values = np.array(Cs, dtype=np.float64)
    except (TypeError, ValueError):
        values = np.empty(0)
    if values.shape != (2,) or not np.isfinite(values).all() or not 0.0 < values[0] < values[1]:
        raise reject("Cs", Cs, "certified_cost", "the two ends of an interval, positive and ascending")
    return float(values[0]), float(values[1])
