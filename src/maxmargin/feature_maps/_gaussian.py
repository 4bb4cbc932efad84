"""The beginning of the Gaussian's infinite map."""

from __future__ import annotations

from math import factorial, sqrt
from typing import Any, final

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammainc

from maxmargin.feature_maps._base import FeatureMap, Product, count_of_monomials, monomials
from maxmargin.feature_maps._polynomial import orders
from maxmargin.kernels import RBF, Kernel
from maxmargin.validation import check_integer, check_positive, feature_matrix

__all__ = ["GaussianSeries"]


@final
class GaussianSeries(FeatureMap):
    """The first features of the Gaussian kernel ``exp(−γ |u − v|²)``, whose map has infinitely many.

    For one feature

        φ_k(x) = exp(−γ x²) √((2γ)^k / k!) x^k,   k = 0, 1, …

    since ``exp(2γuv)`` is a power series. For d features

        φ_a(x) = exp(−γ |x|²) √((2γ)^{|a|} / (a_1! … a_d!))  x_1^{a_1} … x_d^{a_d},   |a| = a_1 + … + a_d < terms

    For rows in a ball of radius R about 0, inner products differ from the kernel by at most the probability that a Poisson
    variable of mean ``2γR²`` is ``terms`` or more (`truncation_error`): somewhat more terms than this mean are enough.

    Parameters
    ----------
    gamma : float, default=1.0
        ``γ > 0``.
    terms : int, default=10
        Degrees that are kept, from 0 on: ``C(d + terms − 1, d)`` features.

    Examples
    --------
    >>> from maxmargin.feature_maps import GaussianSeries
    >>> map = GaussianSeries(gamma=0.5, terms=12).fit([[1.0], [-0.5]])
    >>> Z = map.transform([[1.0], [-0.5]])
    >>> (Z @ Z.T).round(6)
    array([[1.      , 0.324652],
           [0.324652, 1.      ]])
    >>> map.kernel([[1.0], [-0.5]]).round(6)
    array([[1.      , 0.324652],
           [0.324652, 1.      ]])
    >>> map.truncation_error([[1.0], [-0.5]]) < 1e-9
    True
    """

    def __init__(self, gamma: float = 1.0, terms: int = 10) -> None:
        self.gamma = gamma
        self.terms = terms

    @property
    def kernel(self) -> Kernel:
        """``k(u, v) = exp(−γ |u − v|²)``, which inner products of all terms would be."""
        return RBF(gamma=self.gamma)

    def truncation_error(self, X: Any) -> float:
        """The largest ``|k(u, v) − <φ(u), φ(v)>|`` for rows that are not longer than the longest of X.

        The missing terms are ``exp(−γ(|u|² + |v|²)) Σ_{k ≥ terms} (2γ<u, v>)^k / k!``, in absolute value at most
        ``exp(−t) Σ_{k ≥ terms} t^k / k!`` with ``t = 2γR²``: a Poisson tail, reached at ``u = v`` with ``|u| = R``.

        Parameters
        ----------
        X : array-like of shape (n, d)
            Rows.

        Returns
        -------
        float
        """
        self._check()
        squares = np.square(np.asarray(feature_matrix(X), dtype=np.float64)).sum(axis=1)
        return float(gammainc(int(self.terms), 2.0 * float(self.gamma) * float(squares.max())))

    def _check(self) -> None:
        check_positive("gamma", self.gamma, "GaussianSeries")
        check_integer("terms", self.terms, "GaussianSeries", 1, 170)  # 170! is the last that a float holds

    def _dimension(self, d: int) -> int:
        return count_of_monomials(d, range(int(self.terms)))

    def _products(self, d: int) -> list[Product]:
        return monomials(d, range(int(self.terms)))

    def _weights(self, products: list[Product]) -> NDArray[np.float64]:
        twice = 2.0 * float(self.gamma)
        return np.array([sqrt(twice ** len(each) * orders(each) / factorial(len(each))) for each in products])

    def _factors(self, X: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.asarray(np.exp(-float(self.gamma) * np.square(X).sum(axis=1)))
