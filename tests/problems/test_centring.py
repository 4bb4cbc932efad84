"""Rows and targets far from 0: the same problem near 0, and what it is good for."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from scipy import sparse

from maxmargin import LinearClassifier, LinearSVC, LogisticRegression, solve
from maxmargin.errors import FeatureScaleWarning
from maxmargin.problems import PrimalProblem
from maxmargin.problems._centring import Centring
from maxmargin.solution import Status

RNG = np.random.default_rng(0)
X = RNG.normal(size=(50, 3))
Y = np.where(X[:, 0] + 0.7 * RNG.normal(size=50) > 0, 1, 0)
FAR = np.array([0.0, 1.7e9, -4e6])
PENALTIES: list[dict[str, Any]] = [{"penalty": "l2"}, {"penalty": "l1"}, {"penalty": "ball", "B": 2.0}, {"penalty": None}]


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_matrix])
def test_differences_are_exact(form: Any, dtype: Any) -> None:
    rows = (X + np.array([0.0, 500.0, -1e4])).astype(dtype)
    centring = Centring(form(rows))
    mean = centring.mean
    assert mean is not None
    assert mean[0] == 0.0
    assert (mean[1:] != 0.0).all()
    moved = centring.X.toarray() if sparse.issparse(centring.X) else centring.X
    assert moved.dtype == dtype
    np.testing.assert_array_equal(moved.astype(np.float64) + mean, rows.astype(np.float64))
    assert np.abs(moved).max() < 10.0


def test_what_stays_as_it_is() -> None:
    near = Centring(X + 20.0)
    assert near.mean is None
    assert near.X is near.X
    assert Centring(np.ones((4, 2))).mean is None  # a feature that is 1 everywhere is the offset's own
    gaps = X + 1e6
    gaps[3, 1] = 0.0
    moved = Centring(sparse.csr_matrix(gaps))
    assert moved.mean is not None
    assert moved.mean[1] == 0.0  # a row without a value there
    assert sparse.csr_matrix(moved.X).nnz == 149


def test_only_a_free_offset_makes_it_the_same_problem() -> None:
    rows = X + FAR
    assert PrimalProblem(rows, Y).centred is not None
    assert PrimalProblem(X, Y).centred is None
    for offset in (None, "penalised"):
        assert PrimalProblem(rows, Y, offset=offset).centred is None


@pytest.mark.parametrize("penalty", PENALTIES)
@pytest.mark.parametrize("loss", ["logistic", "squared_hinge"])
def test_the_answer_does_not_depend_on_where_rows_are(loss: str, penalty: dict[str, Any]) -> None:
    here = solve(PrimalProblem(X, Y, loss=loss, C=10.0, **penalty), tol=1e-9)
    there = solve(PrimalProblem(X + FAR, Y, loss=loss, C=10.0, **penalty), tol=1e-4)
    assert here.status is there.status is Status.CONVERGED
    np.testing.assert_allclose(there.weights, here.weights, rtol=0.05, atol=0.02)
    assert there.certificate.primal_objective == pytest.approx(here.certificate.primal_objective, rel=2e-4)
    scores = there.decision_function(X + FAR)
    np.testing.assert_allclose(scores, here.decision_function(X), atol=0.1)


@pytest.mark.parametrize("penalty", ["l2", "l1"])
@pytest.mark.parametrize("loss", ["epsilon_insensitive", "squared_epsilon_insensitive"])
def test_targets_far_from_0(loss: str, penalty: str) -> None:
    target = X[:, 0] + 0.3 * RNG.normal(size=50)
    here, there = (solve(PrimalProblem(X, target + shift, loss=loss, penalty=penalty), tol=1e-6) for shift in (0.0, 2.0**30))
    assert here.status is there.status is Status.CONVERGED
    np.testing.assert_allclose(there.weights, here.weights, atol=1e-3)
    assert there.bias - 2.0**30 == pytest.approx(here.bias, abs=1e-2)


@pytest.mark.parametrize(
    "model", [LinearSVC(), LinearSVC(loss="hinge"), LogisticRegression(), LinearClassifier(loss="squared")]
)
def test_estimators_see_through_it(model: Any) -> None:
    labels = np.digitize(X[:, 0], [-0.5, 0.5])
    model.set_params(**({"multi_class": "ovr"} if "multi_class" in model.get_params() else {}))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", FeatureScaleWarning)
        there = model.fit(X + FAR, labels).predict(X + FAR)
    assert np.mean(there == model.fit(X, labels).predict(X)) > 0.9  # rows are rounded there, and some are nearly tied
