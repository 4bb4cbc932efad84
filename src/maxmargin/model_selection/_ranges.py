"""Where to look for parameters: ranges from the number of rows and features and from the spread of the data."""

from __future__ import annotations

import math
from collections.abc import Sequence
from numbers import Integral, Real
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from maxmargin.errors import InvalidInput
from maxmargin.kernels import Kernel
from maxmargin.validation import length, take_rows

__all__ = ["cost_range", "gamma_range", "kernel_scale", "nu_range", "values_of"]

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


def cost_range(X: Any, y: Any, count: int, *, kernel_scale: float) -> NDArray[np.float64]:
    """Costs from ``10 / n`` to 1000, divided by the kernel's scale and, for targets, multiplied by theirs.

    With ``C < 1 / (n k)`` the function hardly leaves 0, and with ``C > 1000 / k`` it seldom changes.

    Parameters
    ----------
    X, y : array-like
        Rows; targets of a regression, or None.
    count : int
        How many.
    kernel_scale : float
        A typical ``k(x, x)`` about the centre.
    """
    unit = 1.0 if y is None else _or_one(float(np.std(np.asarray(y, dtype=np.float64))))
    unit /= _or_one(kernel_scale)
    n = int(X.shape[0]) if hasattr(X, "shape") else len(X)
    return _spread(unit * min(_LEAST_COST / n, 0.1 * _LARGEST_COST), unit * _LARGEST_COST, count)


def kernel_scale(kernel: Kernel, rows: Any) -> float:
    """A typical ``k(x, x)``: of a kernel without parameters about the centre, ``mean k(x, x) − mean k(x, z)`` of a sample.

    What all rows have in common is the offset's part, so that costs need not pay for it.
    """
    n = length(rows)
    chosen = np.unique(np.linspace(0.0, n - 1.0, min(n, _SAMPLE)).astype(np.intp))
    sample = take_rows(rows, chosen)
    values = kernel.bind(rows).cross(sample, chosen if kernel.input_kind == "precomputed" else sample)
    own = float(np.mean(np.abs(np.diagonal(values))))
    about = float(np.mean(np.diagonal(values)) - np.mean(values))
    return about if kernel.get_params() == {} and about > _ROUNDING * own else own


def gamma_range(X: Any, count: int) -> NDArray[np.float64]:
    """Factors ``1/s²`` of a Gaussian kernel, for widths s from 5 diameters to a fifth of the distance of neighbours.

    n rows that fill a body of diameter D in d dimensions have neighbours at about ``D n^(−1/d)`` (Steinwart and Thomann,
    liquidSVM, 2017).
    """
    n, d = X.shape
    diameter = _diameter(X)
    if diameter == 0.0:
        return np.ones(1)
    neighbours = diameter * float(n) ** (-1.0 / d)
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


def _diameter(X: Any) -> float:
    """Two sweeps: from the mean to the farthest row, from there to the farthest again. At least half of the diameter."""
    rows: Any = X if sparse.issparse(X) else np.asarray(X, dtype=np.float64)
    squares = _squares(rows)
    farthest = rows.mean(axis=0)
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
