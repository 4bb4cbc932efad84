"""Maps whose kernels are polynomials of the inner product."""

from __future__ import annotations

from collections import Counter
from math import comb, factorial, prod, sqrt
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from maxmargin.feature_maps._base import FeatureMap, Product, count_of_monomials, inner_products, monomials
from maxmargin.kernels import Kernel, Polynomial, Quadratic, UserFunction
from maxmargin.validation import check_boolean, check_integer, check_non_negative, check_positive

__all__ = ["Multinomial", "QuadraticForm", "SecondOrder", "WeightedSecondOrder", "orders"]


@final
class Multinomial(FeatureMap):
    """The map of ``k(u, v) = (γ <u, v> + ζ)^Q``: each product of features once, with its multinomial weight.

        φ_a(x) = √( Q! / (a_0! a_1! … a_d!) ζ^{a_0} γ^{a_1 + … + a_d} )  x_1^{a_1} … x_d^{a_d},   a_0 + a_1 + … + a_d = Q

    There are ``C(d + Q, Q)`` features; for ``ζ = 0`` only the ``C(d + Q − 1, Q)`` features of degree Q remain.

    Parameters
    ----------
    degree : int, default=2
        ``Q ≥ 1``.
    gamma : float, default=1.0
        ``γ > 0``.
    coef0 : float, default=1.0
        ``ζ ≥ 0``.

    Examples
    --------
    >>> from maxmargin.feature_maps import Multinomial
    >>> map = Multinomial(degree=2).fit([[2.0, 3.0]])
    >>> map.transform([[2.0, 3.0]]).round(3)
    array([[1.   , 2.828, 4.243, 4.   , 8.485, 9.   ]])
    >>> float((map.transform([[2.0, 3.0]]) ** 2).sum().round(9)), map.kernel([[2.0, 3.0]])
    (196.0, array([[196.]]))
    """

    def __init__(self, degree: int = 2, gamma: float = 1.0, coef0: float = 1.0) -> None:
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0

    @property
    def kernel(self) -> Kernel:
        """``k(u, v) = (γ <u, v> + ζ)^Q``."""
        return Polynomial(degree=self.degree, gamma=self.gamma, coef0=self.coef0)

    def _check(self) -> None:
        check_integer("degree", self.degree, "Multinomial", 1)
        check_positive("gamma", self.gamma, "Multinomial")
        check_non_negative("coef0", self.coef0, "Multinomial")

    def _degrees(self) -> range:
        return range(0 if self.coef0 > 0.0 else int(self.degree), int(self.degree) + 1)

    def _dimension(self, d: int) -> int:
        return count_of_monomials(d, self._degrees())

    def _products(self, d: int) -> list[Product]:
        return monomials(d, self._degrees())

    def _weights(self, products: list[Product]) -> NDArray[np.float64]:
        Q, gamma, zeta = int(self.degree), float(self.gamma), float(self.coef0)
        return np.array(
            [sqrt(comb(Q, len(each)) * orders(each) * zeta ** (Q - len(each)) * gamma ** len(each)) for each in products]
        )


@final
class QuadraticForm(FeatureMap):
    """``φ(x) = (x_i², √2 x_i x_j)``, i < j, with ``k(u, v) = <u, v>²``; or with a leading 1 and ``1 + <u, v>²``.

    For two features ``(x_1², √2 x_1 x_2, x_2²)``: a circle about the origin is mapped into a plane.

    Parameters
    ----------
    constant : bool, default=False
        Whether there is a leading 1.

    Examples
    --------
    >>> from maxmargin.feature_maps import QuadraticForm
    >>> QuadraticForm(constant=True).fit_transform([[2.0, 3.0]]).round(3)
    array([[1.   , 4.   , 8.485, 9.   ]])
    >>> QuadraticForm().kernel([[2.0, 3.0]], [[1.0, 1.0]])
    array([[25.]])
    """

    def __init__(self, constant: bool = False) -> None:
        self.constant = constant

    @property
    def kernel(self) -> Kernel:
        """``k(u, v) = <u, v>²``, or one more."""
        return UserFunction(_one_and_square) if self.constant else Polynomial(degree=2, gamma=1.0, coef0=0.0)

    def _check(self) -> None:
        check_boolean("constant", self.constant, "QuadraticForm")

    def _dimension(self, d: int) -> int:
        return int(self.constant) + comb(d + 1, 2)

    def _products(self, d: int) -> list[Product]:
        return monomials(d, (0, 2) if self.constant else (2,))

    def _weights(self, products: list[Product]) -> NDArray[np.float64]:
        return np.sqrt([orders(each) for each in products])


@final
class SecondOrder(FeatureMap):
    """``φ(x) = (1, x_i, x_i x_j)`` of all ordered pairs: ``1 + d + d²`` features, ``k(u, v) = 1 + <u, v> + <u, v>²``.

    Products of two different features appear twice, which gives ``Σ_ij u_i u_j v_i v_j = <u, v>²`` without weights.

    Examples
    --------
    >>> from maxmargin.feature_maps import SecondOrder
    >>> SecondOrder().fit_transform([[2.0, 3.0]])
    array([[1., 2., 3., 4., 6., 6., 9.]])
    >>> SecondOrder().kernel([[2.0, 3.0]], [[1.0, 1.0]])
    array([[31.]])
    """

    @property
    def kernel(self) -> Kernel:
        """``k(u, v) = 1 + <u, v> + <u, v>²``."""
        return Quadratic()

    def _check(self) -> None:
        pass

    def _dimension(self, d: int) -> int:
        return 1 + d + d * d

    def _products(self, d: int) -> list[Product]:
        return _ordered_pairs(d)


@final
class WeightedSecondOrder(FeatureMap):
    """``φ(x) = (ζ, √(2γζ) x_i, γ x_i x_j)`` of all ordered pairs, with ``k(u, v) = (ζ + γ <u, v>)²``.

    The features are those of `SecondOrder`; the weights say how much the degrees count against each other: with a large γ
    squares decide, with a small one the linear part.

    Parameters
    ----------
    gamma : float, default=1.0
        ``γ > 0``.
    coef0 : float, default=1.0
        ``ζ > 0``.

    Examples
    --------
    >>> from maxmargin.feature_maps import WeightedSecondOrder
    >>> WeightedSecondOrder(gamma=2.0).fit_transform([[3.0]])
    array([[ 1.,  6., 18.]])
    >>> WeightedSecondOrder(gamma=2.0).kernel([[3.0]])
    array([[361.]])
    """

    def __init__(self, gamma: float = 1.0, coef0: float = 1.0) -> None:
        self.gamma = gamma
        self.coef0 = coef0

    @property
    def kernel(self) -> Kernel:
        """``k(u, v) = (ζ + γ <u, v>)²``."""
        return Polynomial(degree=2, gamma=self.gamma, coef0=self.coef0)

    def _check(self) -> None:
        check_positive("gamma", self.gamma, "WeightedSecondOrder")
        check_positive("coef0", self.coef0, "WeightedSecondOrder")

    def _dimension(self, d: int) -> int:
        return 1 + d + d * d

    def _products(self, d: int) -> list[Product]:
        return _ordered_pairs(d)

    def _weights(self, products: list[Product]) -> NDArray[np.float64]:
        gamma, zeta = float(self.gamma), float(self.coef0)
        of_degree = np.array([zeta, sqrt(2.0 * gamma * zeta), gamma])
        return of_degree[[len(each) for each in products]]


def orders(product: Product) -> int:
    """In how many orders its factors can stand."""
    return factorial(len(product)) // prod(factorial(power) for power in Counter(product).values())


def _ordered_pairs(d: int) -> list[Product]:
    return [*monomials(d, (0, 1)), *((i, j) for i in range(d) for j in range(d))]


def _one_and_square(A: Any, B: Any) -> NDArray[np.float64]:
    return 1.0 + np.square(inner_products(A, B))
