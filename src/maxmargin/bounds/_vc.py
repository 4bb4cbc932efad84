"""The dimension of fat hyperplanes."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal, final

import numpy as np

from maxmargin.bounds._ball import EnclosingBall
from maxmargin.kernels import Kernel
from maxmargin.solution import Solution
from maxmargin.validation import check_integer, check_non_negative, check_positive, reject, shape

__all__ = ["VCDimension", "feature_dimension", "vc_dimension"]

_ROUNDING = 1e-9  # a ratio this little above a whole number is that number: R and ρ come from a solver
_NOTE = (
    "An indication, no guarantee: the bound is for a margin and a ball that are fixed before the data is seen; "
    "these were read from the data."
)


@final
@dataclass(frozen=True)
class VCDimension:
    """Upper bound on the VC dimension of hyperplanes with a margin of given half-width, for rows in a ball.

    Attributes
    ----------
    value : float
        ``min(⌈R²/ρ²⌉, d) + 1``: a whole number.
    half_width : float
        ρ.
    radius : float
        R.
    dimension : int or None
        d; None for an infinite one.
    note : str
        How far it may be trusted.

    Examples
    --------
    >>> from maxmargin.bounds import vc_dimension
    >>> bound = vc_dimension(0.5, 1.0)
    >>> print(bound)
    VC dimension <= 5 (rho = 0.5, R = 1, d = inf)
    >>> bound.note.partition(":")[0]
    'An indication, no guarantee'
    """

    value: float
    half_width: float
    radius: float
    dimension: int | None
    note: str = _NOTE

    def __str__(self) -> str:
        d = "inf" if self.dimension is None else str(self.dimension)
        return f"VC dimension <= {self.value:.0f} (rho = {self.half_width:g}, R = {self.radius:g}, d = {d})"


def feature_dimension(kernel: Kernel, n_features: int) -> int | None:
    """Dimension of the span of a kernel's feature map, without its constant feature; None if it is infinite or unknown.

    Linear: d. Polynomial ``(γ<u, v> + ζ)^Q``: ``C(d + Q, Q) − 1``, or ``C(d + Q − 1, Q)`` without ζ. Gaussian: infinite. The
    constant feature does not count: it is the same for all rows, and the offset plays its role.

    Parameters
    ----------
    kernel : Kernel
        An object of `maxmargin.kernels`.
    n_features : int
        d of the rows.

    Returns
    -------
    int or None

    Examples
    --------
    >>> from maxmargin.bounds import feature_dimension
    >>> from maxmargin.kernels import RBF, Linear, Polynomial
    >>> feature_dimension(Linear(), 2), feature_dimension(Polynomial(degree=2, coef0=1.0), 2)
    (2, 5)
    >>> feature_dimension(RBF(), 2) is None
    True
    """
    if not isinstance(kernel, Kernel):
        raise reject("kernel", kernel, "feature_dimension", "a kernel object of maxmargin.kernels")
    d = check_integer("n_features", n_features, "feature_dimension", 1)
    return kernel.bind(np.zeros((1, d))).dimension(d)


def vc_dimension(
    half_width: Solution | float, radius: EnclosingBall | float, dimension: int | Literal["auto"] | None = "auto"
) -> VCDimension:
    """Bound the VC dimension of fat hyperplanes: ``min(⌈R²/ρ²⌉, d) + 1``.

    Hyperplanes that keep a distance of at least ρ to every row can shatter fewer rows than all hyperplanes can. ρ is **half**
    the width of the street, ``1/|w|`` of a canonical hyperplane (Vapnik 1982; Abu-Mostafa, Magdon-Ismail and Lin 2012,
    theorem 8.5).

    Parameters
    ----------
    half_width : Solution or float
        ρ, or a solution of a two-class problem, whose ``1/|w|`` is taken.
    radius : EnclosingBall or float
        R of a ball around the rows, in the same space: the smallest one, or one about the origin if there is no offset.
    dimension : "auto", int or None
        d of the space, None for an infinite one. "auto" is that of the solution's kernel (`feature_dimension`): finite for
        linear and polynomial kernels, infinite for the Gaussian; and infinite where the half-width is a number.

    Returns
    -------
    VCDimension
        With a note: where ρ and R are computed from the data, as here, the bound is an indication, not a guarantee.

    Examples
    --------
    >>> from maxmargin import solve
    >>> from maxmargin.bounds import enclosing_ball, vc_dimension
    >>> from maxmargin.kernels import Linear
    >>> from maxmargin.problems import HardMargin
    >>> X, y = [[-2.0, 0.0], [-1.0, 0.0], [1.0, 0.0], [2.0, 0.0]], [0, 0, 1, 1]
    >>> solution = solve(HardMargin(X, y, kernel=Linear()))
    >>> vc_dimension(solution, enclosing_ball(X), dimension=None).value
    5.0
    >>> print(vc_dimension(solution, enclosing_ball(X)))
    VC dimension <= 3 (rho = 1, R = 2, d = 2)
    """
    rho = _half_width(half_width)
    R = radius.radius if isinstance(radius, EnclosingBall) else check_non_negative("radius", radius, "vc_dimension")
    d = _dimension(dimension, half_width)
    ratio = (R / rho) ** 2 if R / rho < 1e150 else math.inf
    fat = float(math.ceil(ratio * (1.0 - _ROUNDING))) if math.isfinite(ratio) else math.inf
    return VCDimension(min(fat, math.inf if d is None else d) + 1.0, rho, R, d)


def _half_width(given: Any) -> float:
    if isinstance(given, Solution):
        return 0.5 * given.geometry.width
    return check_positive("half_width", given, "vc_dimension", infinite=True)


def _dimension(given: Any, half_width: Any) -> int | None:
    if isinstance(given, str) and given == "auto":
        rows = shape(half_width.support_vectors) if isinstance(half_width, Solution) else ()
        return half_width.kernel.dimension(rows[1]) if len(rows) == 2 and not half_width.kernel.is_precomputed else None
    if isinstance(given, str):
        raise reject("dimension", given, "vc_dimension", "'auto', an int in the range [1, inf) or None")
    return None if given is None else check_integer("dimension", given, "vc_dimension", 1)
