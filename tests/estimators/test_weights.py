"""A weight of 2 is the row twice, a weight of 0 or less the row absent: exactly, and everywhere."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse

from maxmargin import SVC

from ._sets import breast_cancer, iris

VARIANTS = [
    {},
    {"kernel": "linear"},
    {"kernel": "poly", "degree": 2},
    {"multi_class": "ovr"},
    {"class_weight": "balanced"},
    {"class_weight": {0: 2.0}},
    {"C": 50.0},
]


def weights(n):
    return np.random.default_rng(1).integers(-1, 4, n).astype(float)


@pytest.mark.parametrize("params", VARIANTS, ids=str)
@pytest.mark.parametrize("maker", [iris, breast_cancer])
@pytest.mark.parametrize("container", [np.asarray, sparse.csr_array])
def test_weights_are_copies(params, maker, container):
    X, y = maker()
    w = weights(len(y))
    copies = np.repeat(np.arange(len(y)), np.maximum(w, 0).astype(int))
    weighted = SVC(**params, tol=1e-6).fit(container(X), y, w)
    copied = SVC(**params, tol=1e-6).fit(container(X[copies]), y[copies])
    assert weighted._gamma == pytest.approx(copied._gamma, rel=1e-12)
    assert_allclose(weighted.class_weight_, copied.class_weight_)
    assert_allclose(weighted.decision_function(container(X)), copied.decision_function(container(X)), rtol=1e-7, atol=1e-7)


@pytest.mark.parametrize("params", VARIANTS, ids=str)
def test_rows_of_no_weight_are_absent(params):
    X, y = iris()
    w = weights(len(y))
    kept = w > 0
    masked, absent = SVC(**params).fit(X, y, w), SVC(**params).fit(X[kept], y[kept], w[kept])
    assert_array_equal(masked.dual_coef_, absent.dual_coef_)
    assert_array_equal(masked.support_, np.flatnonzero(kept)[absent.support_])
    assert masked.shape_fit_ == X.shape
    assert_array_equal(masked.decision_function(X), absent.decision_function(X))


def test_a_kernel_matrix_with_weights():
    X, y = iris()
    w = weights(len(y))
    direct = SVC(kernel="linear", tol=1e-8).fit(X, y, w)
    given = SVC(kernel="precomputed", tol=1e-8).fit(X @ X.T, y, w)
    assert_array_equal(direct.support_, given.support_)
    assert_allclose(direct.decision_function(X), given.decision_function(X @ X.T), atol=1e-6)


def test_a_class_without_weight_is_absent():
    X, y = iris()
    model = SVC().fit(X, y, (y != 1).astype(float))
    assert model.classes_.tolist() == [0, 2]
    assert_array_equal(model.decision_function(X), SVC().fit(X[y != 1], y[y != 1]).decision_function(X))


def test_equal_weights_rescale_the_cost():
    X, y = iris()
    assert_allclose(SVC(C=1.0).fit(X, y, np.full(len(y), 0.25)).dual_coef_, SVC(C=0.25).fit(X, y).dual_coef_, atol=1e-9)


@pytest.mark.parametrize(
    ("weight", "message"),
    [
        (np.ones(149), r"sample_weight and X have incompatible shapes: \(149,\) vs \(150, 4\)"),
        (np.ones((150, 2)), r"incompatible shapes: \(150, 2\) vs \(150, 4\)"),
        (np.zeros(150), "Invalid input - all samples have zero or negative weights"),
        (-np.ones(150), "Invalid input - all samples have zero or negative weights"),
        (np.full(150, np.nan), "Input sample_weight contains NaN"),
        ((iris()[1] == 2).astype(float), "all samples with positive weights belong to the same class"),
    ],
)
def test_bad_weights(weight, message):
    with pytest.raises(ValueError, match=message):
        SVC().fit(*iris(), sample_weight=weight)
