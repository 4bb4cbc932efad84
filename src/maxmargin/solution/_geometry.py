"""Geometry of the hyperplane: norm, width of the street, distances."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from maxmargin.errors import InvalidInput
from maxmargin.solution._table import html_table, text_table
from maxmargin.validation import as_invalid_input, check_real, training_set

__all__ = ["Geometry", "margin_of"]

Vector = NDArray[np.float64]


@final
@dataclass(frozen=True, eq=False)
class Geometry:
    """A hyperplane ``f(x) = <w, φ(x)> + b = 0`` among the rows it was trained on, measured in the space of the kernel.

    Attributes
    ----------
    norm : float
        ``|w|``; with a kernel ``√(βᵀKβ)``. A penalised offset does not count.
    width : float
        Width of the street between ``f = −1`` and ``f = 1``: ``2/|w|``.
    smallest : float
        ``min y_i f(x_i)`` over the support vectors and the other rows on or inside the margin; all other rows exceed 1.
    canonical : bool
        Whether ``smallest`` is 1 within the tolerance of the solution: no row is inside the margin, and one is on its edge.
        A hard margin is always canonical.

    Examples
    --------
    >>> from maxmargin import solve
    >>> from maxmargin.kernels import Linear
    >>> from maxmargin.problems import HardMargin
    >>> geometry = solve(HardMargin([[0.0, 0.0], [3.0, 4.0]], [0, 1], kernel=Linear())).geometry
    >>> round(geometry.width, 9), geometry.canonical
    (5.0, True)
    >>> geometry.distance([[0.0, 0.0], [6.0, 8.0]]).round(9)
    array([-2.5,  7.5])
    >>> print(geometry)
    |w|                 0.4
    width of the street 5
    smallest y f        1
    tolerance           2.5
    canonical           yes
    """

    norm: float
    width: float
    smallest: float
    canonical: bool
    _score: Callable[[Any], Vector] = field(repr=False)

    @property
    def tolerance(self) -> float:
        """``min y f / |w|``: every shorter shift of a row keeps it on its side. Negative where a row is on the wrong one."""
        return self.smallest / self.norm if self.norm > 0.0 else np.copysign(np.inf, self.smallest)

    def rows(self) -> list[tuple[str, str]]:
        """The lines of the table: name and value."""
        return [
            ("|w|", f"{self.norm:.6g}"),
            ("width of the street", f"{self.width:.6g}"),
            ("smallest y f", f"{self.smallest:.6g}"),
            ("tolerance", f"{self.tolerance:.6g}"),
            ("canonical", "yes" if self.canonical else "no"),
        ]

    def __str__(self) -> str:
        return text_table(self.rows())

    def _repr_html_(self) -> str:
        return html_table(self.rows())

    def distance(self, X: Any) -> Vector:
        """Signed distance of rows from the hyperplane, ``f(x)/|w|``: positive on the side of the positive class."""
        if self.norm == 0.0:
            raise InvalidInput("There is no hyperplane to be distant from: w = 0. Train longer, or on rows that differ.")
        return self._score(X) / self.norm


def margin_of(w: ArrayLike, b: float, X: Any, y: Any) -> float:
    """Margin of any hyperplane ``<w, x> + b = 0`` on data, ``2 min y_i f(x_i) / |w|``; negative where it does not separate.

    Whatever found the hyperplane (a perceptron, logistic regression), this is the width of the widest street along it. It is
    the same for ``(w, b)`` and ``(s w, s b)`` with ``s > 0``. A row that is shifted by less than half of it keeps its side.

    Parameters
    ----------
    w : array-like of shape (d,)
        Normal of the hyperplane, not 0.
    b : float
        Offset.
    X : array-like or CSR matrix of shape (n, d)
        Rows.
    y : array-like
        Labels of two classes; the one that sorts last is +1.

    Returns
    -------
    float

    Notes
    -----
    Distance of a point from a hyperplane and its canonical form: Abu-Mostafa, Magdon-Ismail and Lin 2012, chapter 8.

    Examples
    --------
    >>> from maxmargin.solution import margin_of
    >>> margin_of([1.0, 0.0], -1.0, [[0.0, 0.0], [3.0, 1.0]], [0, 1])
    2.0
    >>> margin_of([-1.0, 0.0], 1.0, [[0.0, 0.0], [3.0, 1.0]], [0, 1])
    -4.0
    """
    data = training_set(X, y)
    with as_invalid_input():
        normal = np.asarray(w, dtype=np.float64)
    width = data.X.shape[1]
    if normal.shape != (width,) or not np.isfinite(normal).all() or not normal.any():
        raise InvalidInput(
            f"The 'w' parameter of margin_of must be a vector of {width} finite numbers, one a feature of X, and not 0. "
            f"Got {w!r} instead."
        )
    # A unit normal: no overflow in the norm of a huge w, no underflow of a tiny one.
    size = float(np.abs(normal).max())
    length = size * float(np.linalg.norm(normal / size))
    f = np.asarray(data.X @ (normal / length)).ravel() + check_real("b", b, "margin_of") / length
    return 2.0 * float((data.y * f).min())
