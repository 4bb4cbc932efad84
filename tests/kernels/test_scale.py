"""The warning about scales."""

import warnings

import numpy as np
import pytest
from scipy import sparse

from maxmargin.errors import FeatureScaleWarning, InvalidInput
from maxmargin.kernels._scale import feature_scale_warning, moments_of

RNG = np.random.default_rng(0)


def standard_deviations(X):
    return np.sqrt(moments_of(X).variance)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_standard_deviations_are_numpys(dtype):
    X = (RNG.normal(size=(5000, 7)) * 10.0 ** np.arange(-3, 4) + 100.0).astype(dtype)
    np.testing.assert_allclose(standard_deviations(X), X.astype(float).std(axis=0), rtol=1e-9)


def test_sparse_standard_deviations_are_numpys():
    X = sparse.csr_array(RNG.normal(size=(300, 9)) * (RNG.random((300, 9)) < 0.2))
    np.testing.assert_allclose(standard_deviations(X), X.toarray().std(axis=0), rtol=1e-9)


def test_a_large_mean_costs_no_digits():
    X = RNG.normal(size=(100, 2)) * 1e-3 + 1e8
    np.testing.assert_allclose(standard_deviations(X), X.std(axis=0), rtol=1e-3)


def warned(X):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        feature_scale_warning(X, "SVC")
    return [str(w.message) for w in caught if w.category is FeatureScaleWarning]


@pytest.mark.parametrize("container", [np.asarray, sparse.csr_array])
def test_it_warns_once_and_names_the_features(container):
    X = RNG.normal(size=(50, 4)) * [1.0, 1e5, 2.0, 1e3]
    (message,) = warned(container(X))
    assert "standard deviation of feature 1 is" in message
    assert "that of feature 0 is" in message
    assert ("MaxAbsScaler" if sparse.issparse(container(X)) else "StandardScaler") in message


@pytest.mark.parametrize(
    "X",
    [
        RNG.normal(size=(50, 2)) * [1.0, 5e3],
        np.column_stack((RNG.normal(size=50) * 1e6, np.full(50, 0.1))),
        RNG.normal(size=(50, 1)),
        np.ones((5, 3)),
        np.array([[1.0, 2.0]]),
    ],
    ids=["factor below 1e4", "constant feature", "one feature", "all constant", "one row"],
)
def test_it_is_silent(X):
    assert warned(X) == []


@pytest.mark.parametrize("columns", [1, 2])
def test_squares_that_overflow_raise(columns):
    with pytest.raises(InvalidInput, match=r"not finite: the squares of feature 0 overflow\. .*StandardScaler"):
        feature_scale_warning(RNG.normal(size=(5, columns)) * 1e300, "SVC")


@pytest.mark.parametrize("container", [np.asarray, sparse.csr_array])
def test_the_variance_of_all_entries_is_numpys(container):
    X = RNG.normal(size=(300, 9)) * (RNG.random((300, 9)) < 0.4) * np.arange(9) + 3.0 * (np.arange(9) > 5)
    np.testing.assert_allclose(moments_of(container(X)).of_all_entries, X.var(), rtol=1e-12)
