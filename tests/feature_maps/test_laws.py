"""<φ(u), φ(v)> = k(u, v) for every map, and scikit-learn's contract for transformers."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from math import comb, factorial
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_allclose
from scipy import sparse
from sklearn.base import clone
from sklearn.utils.estimator_checks import parametrize_with_checks

from maxmargin import SVC
from maxmargin.feature_maps import (
    Affine,
    GaussianSeries,
    Monomials,
    Multinomial,
    Powers,
    QuadraticForm,
    SecondOrder,
    Squares,
    WeightedSecondOrder,
)
from maxmargin.kernels import mercer

EXACT: dict[str, tuple[Any, Callable[[int], int]]] = {
    "(1, x)": (Affine(), lambda d: 1 + d),
    "powers": (Powers(degree=4), lambda d: 1 + 4 * d),
    "squares": (Squares(), lambda d: d),
    "plain 2": (Monomials(degree=2), lambda d: comb(d + 2, 2)),
    "plain 3": (Monomials(degree=3), lambda d: comb(d + 3, 3)),
    "plain 5": (Monomials(degree=5), lambda d: comb(d + 5, 5)),
    "quadratic form": (QuadraticForm(), lambda d: comb(d + 1, 2)),
    "quadratic form, leading 1": (QuadraticForm(constant=True), lambda d: 1 + comb(d + 1, 2)),
    "1 + d + d²": (SecondOrder(), lambda d: 1 + d + d * d),
    "1 + d + d² with weights": (WeightedSecondOrder(gamma=0.3, coef0=2.0), lambda d: 1 + d + d * d),
    "multinomial 2": (Multinomial(degree=2), lambda d: comb(d + 2, 2)),
    "multinomial 5": (Multinomial(degree=5, gamma=0.2, coef0=0.7), lambda d: comb(d + 5, 5)),
    "multinomial without constant": (Multinomial(degree=3, gamma=2.0, coef0=0.0), lambda d: comb(d + 2, 3)),
}
SERIES = GaussianSeries(gamma=0.3, terms=8)
MAPS = [map for map, _ in EXACT.values()] + [SERIES]

PAIRS = st.integers(1, 4).flatmap(
    lambda d: arrays(np.float64, (2, d), elements=st.floats(-3.0, 3.0, allow_subnormal=False, width=32))
)


def between(map: Any, rows: Any) -> Any:
    Z = map.fit(rows).transform(rows)
    return Z @ Z.T


@pytest.mark.parametrize("name", EXACT)
@settings(max_examples=60, deadline=None)
@given(rows=PAIRS)
def test_inner_products_are_kernel_values(name: str, rows: Any) -> None:
    map, dimension = EXACT[name]
    K = map.kernel(rows)
    size = np.sqrt(np.outer(np.diag(K), np.diag(K)))
    assert (np.abs(between(map, rows) - K) <= 1e-12 * (size + 1.0)).all()
    assert map.transform(rows).shape == (2, dimension(rows.shape[1]))
    assert len(map.get_feature_names_out()) == dimension(rows.shape[1])


@settings(max_examples=100, deadline=None)
@given(rows=PAIRS, terms=st.integers(1, 15), gamma=st.floats(0.01, 2.0))
def test_the_gaussian_series_is_as_near_as_it_says(rows: Any, terms: int, gamma: float) -> None:
    map = GaussianSeries(gamma=gamma, terms=terms)
    apart = np.abs(between(map, rows) - map.kernel(rows))
    bound = map.truncation_error(rows)
    assert (apart <= bound + 1e-13).all()
    # reached at u = v, of the longest row
    longest = np.square(rows).sum(axis=1).argmax()
    assert apart[longest, longest] == pytest.approx(bound, abs=1e-12)


def test_more_terms_come_nearer() -> None:
    rows = np.array([[1.0, -2.0], [0.5, 1.5]])
    bounds = [GaussianSeries(gamma=0.5, terms=terms).truncation_error(rows) for terms in range(1, 40)]
    assert bounds == sorted(bounds, reverse=True)
    assert bounds[-1] < 1e-15


def test_one_feature_by_hand() -> None:
    """φ_k(x) = e^{−γx²} √((2γ)^k / k!) x^k."""
    x, gamma = 1.5, 0.4
    by_hand = [np.exp(-gamma * x * x) * np.sqrt((2 * gamma) ** k / factorial(k)) * x**k for k in range(4)]
    assert_allclose(GaussianSeries(gamma=gamma, terms=4).fit_transform([[x]])[0], by_hand, rtol=1e-14)


@pytest.mark.parametrize("map", MAPS, ids=str)
def test_kernels_of_maps_are_mercer_kernels_and_pickle(map: Any) -> None:
    rows = np.random.default_rng(0).normal(size=(40, 2))
    assert not mercer(map.kernel, rows).violated
    again = pickle.loads(pickle.dumps(map.fit(rows)))
    assert_allclose(again.transform(rows), map.transform(rows))
    assert_allclose(pickle.loads(pickle.dumps(map.kernel))(rows), map.kernel(rows))
    assert clone(map).get_params() == map.get_params()


@pytest.mark.parametrize("map", [map for map, _ in EXACT.values()], ids=str)
def test_the_same_classifier_by_map_and_by_kernel(map: Any) -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 2))
    y = np.square(X).sum(axis=1) > 1.2
    new = rng.normal(size=(20, 2))
    by_map = SVC(kernel="linear", C=5.0, tol=1e-7).fit(map.fit_transform(X), y).decision_function(map.transform(new))
    by_kernel = SVC(kernel=map.kernel, C=5.0, tol=1e-7).fit(X, y).decision_function(new)
    assert_allclose(by_map, by_kernel, atol=1e-4 * np.abs(by_kernel).max())


@pytest.mark.parametrize("map", MAPS, ids=str)
def test_kernels_take_sparse_rows(map: Any) -> None:
    rows = np.random.default_rng(0).normal(size=(6, 3))
    assert_allclose(map.kernel(sparse.csr_array(rows)), map.kernel(rows), rtol=1e-12)


@parametrize_with_checks(MAPS)
def test_estimator_check(estimator: Any, check: Callable[[Any], None]) -> None:
    check(estimator)
