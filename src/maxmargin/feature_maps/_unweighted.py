"""Maps of plain products, without weights."""

from __future__ import annotations

from functools import partial
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from maxmargin.feature_maps._base import FeatureMap, Product, count_of_monomials, inner_products, monomials
from maxmargin.kernels import Kernel, Polynomial, UserFunction
from maxmargin.validation import check_integer, length

__all__ = ["Affine", "Monomials", "Powers", "Squares"]


@final
class Affine(FeatureMap):
    """``φ(x) = (1, x)``: with ``k(u, v) = 1 + <u, v>`` the offset is one more weight.

    Examples
    --------
    >>> from maxmargin.feature_maps import Affine
    >>> Affine().fit_transform([[2.0, 3.0]])
    array([[1., 2., 3.]])
    >>> Affine().kernel([[2.0, 3.0]])
    array([[14.]])
    """

    @property
    def kernel(self) -> Kernel:
        """``k(u, v) = 1 + <u, v>``."""
        return Polynomial(degree=1, gamma=1.0, coef0=1.0)

    def _check(self) -> None:
        pass

    def _dimension(self, d: int) -> int:
        return 1 + d

    def _products(self, d: int) -> list[Product]:
        return monomials(d, (0, 1))


@final
class Powers(FeatureMap):
    """``φ(x) = (1, x, …, x^k)``: powers of each feature, no products of several.

        k(u, v) = 1 + Σ_p Σ_i (u_i v_i)^p,   p = 1, …, k

    Parameters
    ----------
    degree : int, default=3
        ``k ≥ 1``.

    Examples
    --------
    >>> from maxmargin.feature_maps import Powers
    >>> map = Powers(degree=3)
    >>> map.fit_transform([[2.0], [3.0]])
    array([[ 1.,  2.,  4.,  8.],
           [ 1.,  3.,  9., 27.]])
    >>> map.kernel([[2.0]], [[3.0]])
    array([[259.]])
    """

    def __init__(self, degree: int = 3) -> None:
        self.degree = degree

    @property
    def kernel(self) -> Kernel:
        """``k(u, v) = 1 + Σ_p Σ_i (u_i v_i)^p``."""
        return UserFunction(partial(_power_values, degrees=range(1, int(self.degree) + 1), constant=1.0))

    def _check(self) -> None:
        check_integer("degree", self.degree, "Powers", 1)

    def _dimension(self, d: int) -> int:
        return 1 + d * int(self.degree)

    def _products(self, d: int) -> list[Product]:
        return [(), *((k,) * power for power in range(1, int(self.degree) + 1) for k in range(d))]


@final
class Squares(FeatureMap):
    """``φ(x) = (x_1², …, x_d²)`` with ``k(u, v) = Σ u_i² v_i²``: an ellipse about 0 along the axes becomes a line.

    Examples
    --------
    >>> from maxmargin.feature_maps import Squares
    >>> Squares().fit_transform([[2.0, 3.0]])
    array([[4., 9.]])
    >>> Squares().kernel([[2.0, 3.0]], [[1.0, 1.0]])
    array([[13.]])
    """

    @property
    def kernel(self) -> Kernel:
        """``k(u, v) = Σ u_i² v_i²``."""
        return UserFunction(partial(_power_values, degrees=(2,), constant=0.0))

    def _check(self) -> None:
        pass

    def _dimension(self, d: int) -> int:
        return d

    def _products(self, d: int) -> list[Product]:
        return [(k, k) for k in range(d)]


@final
class Monomials(FeatureMap):
    """``Φ_Q``: all products of at most Q features, each once and without a weight.

    For two features ``Φ2(x) = (1, x_1, x_2, x_1², x_1 x_2, x_2²)``. Its inner product is not a polynomial of ``<u, v>``: with
    ``p_k = Σ_i (u_i v_i)^k`` it is ``h_0 + … + h_Q``, where ``m h_m = Σ_{k ≤ m} p_k h_{m − k}`` (Newton's identities),
    so ``1 + p_1 + (p_1² + p_2)/2`` for Q = 2.

    Parameters
    ----------
    degree : int, default=2
        ``Q ≥ 1``. There are ``C(d + Q, Q)`` features.

    Examples
    --------
    >>> from maxmargin.feature_maps import Monomials
    >>> map = Monomials(degree=2).fit([[2.0, 3.0]])
    >>> map.transform([[2.0, 3.0]])
    array([[1., 2., 3., 4., 6., 9.]])
    >>> map.get_feature_names_out().tolist()
    ['1', 'x0', 'x1', 'x0^2', 'x0 x1', 'x1^2']
    >>> map.kernel([[2.0, 3.0]], [[1.0, 1.0]])
    array([[25.]])
    """

    def __init__(self, degree: int = 2) -> None:
        self.degree = degree

    @property
    def kernel(self) -> Kernel:
        """``k(u, v) = h_0 + … + h_Q``."""
        return UserFunction(partial(_monomial_values, degree=int(self.degree)))

    def _check(self) -> None:
        check_integer("degree", self.degree, "Monomials", 1)

    def _dimension(self, d: int) -> int:
        return count_of_monomials(d, range(int(self.degree) + 1))

    def _products(self, d: int) -> list[Product]:
        return monomials(d, range(int(self.degree) + 1))


def _power_values(A: Any, B: Any, degrees: Any, constant: float) -> NDArray[np.float64]:
    return constant + sum((inner_products(A, B, power) for power in degrees), np.zeros((length(A), length(B))))


def _monomial_values(A: Any, B: Any, degree: int) -> NDArray[np.float64]:
    sums = [inner_products(A, B, power) for power in range(1, degree + 1)]
    complete = [np.ones((length(A), length(B)))]
    for m in range(1, degree + 1):
        complete.append(sum((sums[k - 1] * complete[m - k] for k in range(1, m + 1)), np.zeros_like(complete[0])) / m)
    return np.asarray(sum(complete[1:], complete[0]))
