"""Budgets, endings and interrupts of a fit."""

import time
import warnings

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from maxmargin import SVC
from maxmargin.estimators._shared._bounds import upper_bounds
from maxmargin.solution import Status

from ._sets import digits, iris


def test_bounds_are_positive_and_finite():
    bounds = upper_bounds(1e-200, np.array([1e-200, 1.0, 2.0]))
    assert (bounds > 0).all()
    np.testing.assert_array_equal(bounds[1:], [1e-200, 2e-200])
    assert np.isfinite(upper_bounds(1e200, np.full(3, 1e200))).all()


@pytest.mark.parametrize("params", [{"max_iter": 1}, {"max_time": 1e-9}], ids=str)
@pytest.mark.parametrize("multi_class", ["ovo", "ovr"])
def test_a_spent_budget_warns_once_and_keeps_the_model(params, multi_class):
    X, y = digits()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model = SVC(multi_class=multi_class, **params).fit(X, y)
    spent = [w for w in caught if issubclass(w.category, ConvergenceWarning)]
    assert len(spent) == 1
    assert spent[0].filename == __file__
    assert model.fit_status_ == 1
    assert model.status_ in (Status.ITERATION_LIMIT, Status.TIME_LIMIT)
    assert model.predict(X).shape == y.shape


def test_the_time_is_that_of_the_whole_fit():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(6000, 10)), rng.integers(0, 6, 6000)
    start = time.perf_counter()
    with pytest.warns(ConvergenceWarning):
        model = SVC(C=1e5, max_time=0.5).fit(X, y)
    assert time.perf_counter() - start < 5.0
    assert model.status_ is Status.TIME_LIMIT


@pytest.mark.filterwarnings("error")
def test_enough_time_does_not_warn():
    X, y = iris()
    assert SVC(max_time=60.0).fit(X, y).status_ is Status.CONVERGED


def test_two_fits_are_the_same_bits():
    X, y = digits()
    first, second = SVC().fit(X, y), SVC().fit(X, y)
    assert np.array_equal(first.dual_coef_, second.dual_coef_)
    assert np.array_equal(first.intercept_, second.intercept_)
