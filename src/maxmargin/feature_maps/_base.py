"""What every map is: weighted products of features, in a fixed order."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterable
from itertools import combinations_with_replacement
from math import comb
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from maxmargin._documented import Documented
from maxmargin._versioned import Versioned
from maxmargin._whole_or_nothing import WholeOrNothing
from maxmargin.errors import InvalidInput
from maxmargin.kernels import Kernel
from maxmargin.validation import as_invalid_input

__all__ = ["FeatureMap", "Product", "count_of_monomials", "inner_products", "monomials"]

Product = tuple[int, ...]
"""Numbers of the features that are multiplied: () is 1, (0, 0, 2) is x0² x2."""

_MOST_FEATURES = 10_000_000  # beyond, their list alone needs gigabytes


class FeatureMap(Documented, Versioned, TransformerMixin, BaseEstimator, ABC):  # type: ignore[misc]  # scikit-learn has no types
    """A feature map φ: each feature of ``φ(x)`` is a weighted product of features of the row x.

    ``kernel`` is the kernel with ``k(u, v) = <φ(u), φ(v)>``; ``get_feature_names_out`` says which product each feature is.
    """

    @property
    @abstractmethod
    def kernel(self) -> Kernel:
        """The kernel with ``k(u, v) = <φ(u), φ(v)>``."""

    @abstractmethod
    def _check(self) -> None:
        """Raise for a parameter that is not acceptable."""

    @abstractmethod
    def _dimension(self, d: int) -> int:
        """How many features a row of d has."""

    @abstractmethod
    def _products(self, d: int) -> list[Product]:
        """Which product each feature is."""

    def _weights(self, products: list[Product]) -> NDArray[np.float64]:
        """What each is multiplied by."""
        return np.ones(len(products))

    def _factors(self, X: NDArray[np.float64]) -> NDArray[np.float64] | None:
        """What all features of a row are multiplied by; None is 1."""
        return None

    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn the number of features, and their names if they have some.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows.
        y : ignored
            Present for scikit-learn's interface.

        Returns
        -------
        FeatureMap
            The map itself.
        """
        with WholeOrNothing(self):
            self._check()
            with as_invalid_input():
                validate_data(self, X, dtype=np.float64)
            dimension = self._dimension(self.n_features_in_)
            if dimension > _MOST_FEATURES:
                raise InvalidInput(
                    f"{type(self).__name__} would make {dimension:.3g} features of {self.n_features_in_}. Use its kernel"
                    f" instead: {self.kernel!r} has the same inner products."
                )
            self._n_features_out = dimension
        return self

    def transform(self, X: Any) -> NDArray[np.float64]:
        """``φ(x)`` of each row.

        Parameters
        ----------
        X : array-like of shape (m, n_features)
            Rows.

        Returns
        -------
        ndarray of shape (m, number of features of the map)
        """
        check_is_fitted(self)
        with as_invalid_input():
            X = validate_data(self, X, dtype=np.float64, reset=False)
        products = self._products(self.n_features_in_)
        columns = np.ascontiguousarray(X.T)
        known: dict[Product, NDArray[np.float64]] = {(): np.ones(len(X))}
        values = np.empty((len(products), len(X)))
        with np.errstate(over="ignore", invalid="ignore"):
            for place, product in enumerate(products):
                values[place] = _value(product, columns, known)
            values *= self._weights(products)[:, np.newaxis]
            factors = self._factors(X)
            if factors is not None:
                values *= factors
        if not np.isfinite(values).all():
            raise InvalidInput(
                f"Products of features overflow in {type(self).__name__}: the largest entry of X is {np.abs(X).max():.3g}."
                " Scale the features, for example by StandardScaler."
            )
        return np.ascontiguousarray(values.T)

    def get_feature_names_out(self, input_features: ArrayLike | None = None) -> NDArray[np.object_]:
        """Names of the features: "1", "x0", "x0^2", "x0 x1".

        Parameters
        ----------
        input_features : array-like of str, optional
            Names of the features of a row; by default those seen during fit, else x0, x1, …

        Returns
        -------
        ndarray of str
        """
        check_is_fitted(self)
        names = _input_names(self, input_features)
        return np.array([_name(product, names) for product in self._products(self.n_features_in_)], dtype=object)


def monomials(d: int, degrees: Iterable[int]) -> list[Product]:
    """All products of so many features, where their order does not matter: ``C(d + k − 1, k)`` of degree k."""
    return [product for degree in degrees for product in combinations_with_replacement(range(d), degree)]


def count_of_monomials(d: int, degrees: Iterable[int]) -> int:
    """How many these are."""
    return sum(comb(d + degree - 1, degree) for degree in degrees)


def inner_products(A: Any, B: Any, power: int = 1) -> NDArray[np.float64]:
    """``Σ_i (u_i v_i)^p`` of all pairs of rows, dense or sparse."""
    if sparse.issparse(A):
        return np.asarray((A.astype(np.float64).power(power) @ B.astype(np.float64).power(power).T).toarray())
    return np.asarray(np.power(np.asarray(A, dtype=np.float64), power) @ np.power(np.asarray(B, dtype=np.float64), power).T)


def _value(product: Product, columns: NDArray[np.float64], known: dict[Product, NDArray[np.float64]]) -> NDArray[np.float64]:
    """A product as one of fewer features times one more: every product that a longer one begins with stands before it."""
    if product not in known:
        known[product] = _value(product[:-1], columns, known) * columns[product[-1]]
    return known[product]


def _name(product: Product, names: NDArray[np.object_]) -> str:
    if not product:
        return "1"
    powers = Counter(product)
    return " ".join(str(names[k]) if power == 1 else f"{names[k]}^{power}" for k, power in powers.items())


def _input_names(model: FeatureMap, given: ArrayLike | None) -> NDArray[np.object_]:
    """Names of the input features, in scikit-learn's way."""
    known = vars(model).get("feature_names_in_")
    if given is None:
        return known if known is not None else np.array([f"x{k}" for k in range(model.n_features_in_)], dtype=object)
    names = np.asarray(given, dtype=object)
    if known is not None and not np.array_equal(known, names):
        raise InvalidInput("input_features is not equal to feature_names_in_. Leave it out, or fit with these names.")
    if names.shape != (model.n_features_in_,):
        raise InvalidInput(
            f"input_features should have length equal to number of features ({model.n_features_in_}), got {names.size}."
        )
    return names
