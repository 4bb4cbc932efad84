"""``predict_interval``: CV+ by hand, coverage that is measured, and messages."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone

from maxmargin import SVR, LinearSVR, NuSVR
from maxmargin.calibrators import Folds
from maxmargin.errors import ConvergenceWarning, InvalidInput

MODELS = [SVR(gamma=0.3, tol=1e-6), NuSVR(gamma=0.3, tol=1e-6), LinearSVR(tol=1e-8)]


def _rows(n: int, seed: int) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    X = rng.uniform(-3.0, 3.0, size=(n, 2))
    return X, np.sin(X[:, 0]) + 0.5 * X[:, 1] + 0.3 * rng.standard_t(4, size=n)


@pytest.mark.parametrize("model", MODELS, ids=str)
def test_the_ends_are_those_of_the_definition(model: Any) -> None:
    X, y = _rows(83, 0)
    new, folds = _rows(7, 1)[0], Folds.of_rows(83, 5)
    above, below = np.empty((83, 7)), np.empty((83, 7))
    for held in folds:
        other = clone(model).fit(X[~held], y[~held])
        residual = np.abs(y[held] - other.predict(X[held]))[:, np.newaxis]
        above[held], below[held] = other.predict(new) + residual, other.predict(new) - residual
    for alpha in (0.1, 0.35):
        low = np.sort(below, axis=0)[int(np.floor(alpha * 84)) - 1]
        high = np.sort(above, axis=0)[int(np.ceil((1 - alpha) * 84)) - 1]
        ends = clone(model).set_params(interval=True).fit(X, y).predict_interval(new, coverage=1 - alpha)
        assert np.allclose(ends, np.stack([low, high], axis=1), atol=1e-3)


@pytest.mark.parametrize("model", MODELS, ids=str)
def test_coverage_is_what_is_stated(model: Any) -> None:
    """Over many training sets; the standard error is below 1 %. What is proven at 0.8 and n = 60 is about 0.48."""
    new, truth = _rows(2000, 99)
    found = []
    for seed in range(25):
        ends = clone(model).set_params(interval=True, tol=1e-3).fit(*_rows(60, seed)).predict_interval(new, coverage=0.8)
        found.append(np.mean((ends[:, 0] <= truth) & (truth <= ends[:, 1])))
    assert 0.77 < np.mean(found) < 0.9


def test_wider_coverage_is_a_wider_interval_and_too_few_rows_an_infinite_one() -> None:
    X, y = _rows(40, 0)
    model = SVR(interval=True).fit(X, y)
    widths = [np.diff(model.predict_interval(X, coverage), axis=1) for coverage in (0.5, 0.8, 0.95)]
    assert (widths[0] <= widths[1]).all()
    assert (widths[1] <= widths[2]).all()
    assert np.isinf(model.predict_interval(X, 0.99)).all()


@pytest.mark.parametrize("model", MODELS, ids=str)
def test_predictions_stay_and_intervals_survive_a_pickle(model: Any) -> None:
    X, y = _rows(60, 0)
    fitted = clone(model).set_params(interval=True).fit(X, y)
    assert np.array_equal(fitted.predict(X), clone(model).fit(X, y).predict(X))
    assert np.array_equal(pickle.loads(pickle.dumps(fitted)).predict_interval(X), fitted.predict_interval(X))


def test_kinds_of_rows() -> None:
    X, y = _rows(60, 0)
    known = SVR(gamma=0.3, tol=1e-6, interval=True).fit(X, y).predict_interval(X)
    rows = sparse.csr_matrix(X)
    assert np.allclose(SVR(gamma=0.3, tol=1e-6, interval=True).fit(rows, y).predict_interval(rows), known, atol=1e-4)
    K = np.exp(-0.3 * ((X[:, np.newaxis] - X) ** 2).sum(axis=2))
    model = SVR(kernel="precomputed", tol=1e-6, interval=True)
    assert np.allclose(model.fit(K, y).predict_interval(K), known, atol=1e-4)
    several = SVR(gamma=0.3, tol=1e-6, interval=True).fit(X, np.stack([y, -y], axis=1)).predict_interval(X)
    assert several.shape == (60, 2, 2)
    assert np.allclose(several[:, 0], known, atol=1e-4)
    assert np.allclose(several[:, 1], -known[:, ::-1], atol=1e-4)


@pytest.mark.parametrize("model", [SVR(interval=True), LinearSVR(interval=True)], ids=str)
def test_rows_of_no_weight_are_left_out_and_equal_weights_are_none(model: Any) -> None:
    X, y = _rows(60, 0)
    more = np.concatenate([X, X[:9] + 1.0]), np.concatenate([y, y[:9] + 50.0])
    weight = np.repeat([1.0, 0.0], [60, 9])
    known = clone(model).fit(X, y).predict_interval(X)
    assert np.allclose(clone(model).fit(*more, weight).predict_interval(X), known, atol=1e-3)
    heavy = clone(model).fit(X, y, np.where(np.arange(60) < 30, 1.0, 2.0)).predict_interval(X)
    assert np.isfinite(heavy).all()


@pytest.mark.parametrize("model", MODELS, ids=str)
def test_equal_weights_count_like_unequal_ones(model: Any) -> None:
    """15 rows of weight 2 count as 30: enough for 95 %, where 15 are not."""
    X, y = _rows(15, 0)
    model = clone(model).set_params(interval=True)
    assert np.isinf(clone(model).fit(X, y).predict_interval(X, 0.95)).all()
    weight = np.full(15, 2.0)
    ends = clone(model).fit(X, y, weight).predict_interval(X, 0.95)
    assert np.isfinite(ends).all()
    weight[0] += 1e-9
    assert np.allclose(ends, clone(model).fit(X, y, weight).predict_interval(X, 0.95), atol=1e-3)


@pytest.mark.parametrize("model", MODELS, ids=str)
def test_a_failed_fit_leaves_the_intervals_of_the_last(model: Any) -> None:
    X, y = _rows(40, 0)
    fitted = clone(model).set_params(interval=True).fit(X, y)
    known = fitted.predict_interval(X)
    with pytest.raises(ValueError, match="NaN"):
        fitted.fit(X * np.nan, y)
    assert np.array_equal(fitted.predict_interval(X), known)
    fitted.set_params(interval=False).fit(X, y).set_params(interval=True)
    with pytest.raises(InvalidInput, match="fitted without intervals"):
        fitted.predict_interval(X)


def test_without_it_there_is_no_such_method() -> None:
    X, y = _rows(30, 0)
    for kind in (SVR, NuSVR, LinearSVR):
        model = kind().fit(X, y)
        assert not hasattr(model, "predict_interval")
        model.set_params(interval=True)
        with pytest.raises(InvalidInput, match="fitted without intervals"):
            model.predict_interval(X)
        with pytest.raises(InvalidInput, match="'interval' parameter"):
            kind(interval="yes").fit(X, y)  # type: ignore[arg-type]
        model.fit(X, y)
        for coverage in (0.0, 1.0, -3):
            with pytest.raises(InvalidInput, match="'coverage' parameter of predict_interval"):
                model.predict_interval(X, coverage)
    with pytest.raises(InvalidInput, match="interval=True needs a finite C"):
        SVR(C=np.inf, interval=True).fit(X, y)


@pytest.mark.parametrize("model", MODELS, ids=str)
def test_a_constant_target_has_narrow_intervals(model: Any) -> None:
    X, _ = _rows(60, 0)
    ends = clone(model).set_params(interval=True).fit(X, np.full(60, 3.0)).predict_interval(X)
    assert np.allclose(ends, 3.0, atol=0.25)  # the tube's width is not seen


@pytest.mark.parametrize("model", MODELS, ids=str)
def test_a_limit_of_fit_and_folds_is_told_once(model: Any) -> None:
    X, y = _rows(300, 0)
    with pytest.warns(ConvergenceWarning) as said:
        clone(model).set_params(interval=True, max_time=1e-9).fit(X, y)
    assert len(said) == 1
    assert said[0].filename == __file__


def test_one_row_cannot_be_held_out() -> None:
    with pytest.raises(InvalidInput, match=r"Intervals need rows to hold out: at least 2. Got 1."):
        SVR(interval=True).fit([[0.0]], [1.0])
