"""Time and memory of a fit before it: the extrapolation against fits whose time is made up, and what estimators say."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from maxmargin import SVC, SVDD, SVR, LinearClassifier, LinearSVC, LinearSVR, LogisticRegression, NuSVC, NuSVR, OneClassSVM
from maxmargin.errors import InvalidInput
from maxmargin.estimators import Estimate
from maxmargin.estimators._shared import _estimate

RNG = np.random.default_rng(0)
X = RNG.normal(size=(1500, 3))
Y = (X[:, 0] + 0.3 * RNG.normal(size=len(X)) > 0.0).astype(int)
ESTIMATORS = [SVC(), NuSVC(nu=0.3), SVR(), NuSVR(), OneClassSVM(), SVDD(), LinearSVC(), LinearSVR(), LogisticRegression()]


@pytest.mark.parametrize("estimator", [*ESTIMATORS, LinearClassifier()], ids=repr)
def test_every_estimator_is_estimated_and_stays_unfitted(estimator):
    before = dict(vars(estimator))
    found = estimator.estimate(X, Y, max_time=1e-6)
    assert isinstance(found, Estimate)
    assert vars(estimator) == before
    assert 0.0 < found.low < found.seconds < found.high
    assert [rows for rows, _ in found.pilots] == [500]
    assert found.bytes > X.nbytes
    assert found.advice == "Short enough: fit all rows."


@pytest.fixture
def made_up(monkeypatch):
    """Fits that take the seconds of a formula of the number of rows, and none of ours."""

    def with_formula(formula):
        monkeypatch.setattr(_estimate, "_timed", lambda model, X, y, weight, rows: formula(len(rows)))

    return with_formula


@pytest.mark.parametrize("power", [1.0, 1.7, 2.3])
def test_a_power_law_is_continued_exactly(made_up, power):
    made_up(lambda m: 1e-3 * (m / 500.0) ** power)
    rows = np.zeros((100_000, 1))
    found = SVC().estimate(rows, np.arange(100_000) % 2, max_time=0.1)
    assert len(found.pilots) >= 3
    assert found.seconds == pytest.approx(1e-3 * 200.0**power, rel=1e-9)
    assert sum(seconds for _, seconds in found.pilots) <= 0.1


def test_a_fit_that_was_tried_whole_is_not_extrapolated(made_up):
    made_up(lambda m: 1e-5 * m)
    found = LinearSVC().estimate(X[:400], Y[:400])
    assert found.pilots == ((400, 4e-3),)
    assert found.seconds == found.pilots[-1][1]


@pytest.mark.parametrize(
    ("estimator", "named"),
    [(SVC(), "LinearSVC"), (SVR(), "LinearSVR"), (LinearSVC(), "StochasticClassifier"), (SVDD(), "subset")],
)
def test_what_takes_long_gets_advice(made_up, estimator, named):
    made_up(lambda m: (m / 500.0) ** 2)
    found = estimator.estimate(np.zeros((50_000, 2)), np.arange(50_000) % 2, max_time=30.0)
    assert found.seconds == pytest.approx(1e4)
    assert named in found.advice
    assert "max_time" in found.advice
    assert " 3872 rows" in found.advice or " 3873 rows" in found.advice  # (rows/500)² = 60
    assert "2.8 h" in str(found)


def test_no_pilot_fit_has_more_than_half_of_the_rows(made_up):
    made_up(lambda m: 1e-9 * m)
    found = LinearSVC().estimate(np.zeros((8000, 1)), np.arange(8000) % 2)
    assert [rows for rows, _ in found.pilots] == [500, 1000, 2000, 4000]


def test_each_pilot_fit_has_every_class():
    labels = np.zeros(5000, dtype=int)
    labels[-2:] = 1
    order = _estimate._order(SVC(), np.zeros((5000, 1)), labels)
    assert sorted(order) == list(range(5000))
    assert labels[order[:500]].sum() == 1


@pytest.mark.parametrize(
    "rows",
    [sparse.csr_matrix(X), pd.DataFrame(X, columns=["a", "b", "c"]), X.tolist()],
    ids=["csr", "pandas", "lists"],
)
def test_rows_of_any_kind(rows):
    assert SVC().estimate(rows, Y, np.ones(len(Y)), max_time=1e-6).seconds > 0.0


def test_a_kernel_matrix_is_cut_both_ways():
    assert SVC(kernel="precomputed").estimate(X @ X.T, Y, max_time=1e-6).pilots[0][0] == 500


def test_memory_is_that_of_the_cache():
    n = 100_000
    small, all_of_it = (_estimate._memory(SVC(cache_size=size), np.zeros((n, 1)), n) for size in (100, 1e6))
    assert 100 << 20 < small < 200 << 20
    assert all_of_it > 8 * n * n


@pytest.mark.parametrize("wrong", [0.0, -1.0, "long"])
def test_a_wrong_time_is_refused(wrong):
    with pytest.raises(InvalidInput, match="'max_time' parameter of estimate"):
        SVC().estimate(X, Y, max_time=wrong)


def test_no_rows_are_refused():
    with pytest.raises(InvalidInput, match="rows to try a fit on"):
        SVC().estimate(np.zeros((0, 2)), [])


def test_a_label_that_fit_refuses_is_refused():
    with pytest.raises(ValueError, match="class"):
        SVC().estimate(X, np.zeros(len(X)))
