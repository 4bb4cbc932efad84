"""One class: the certificate of a point is that of its own model, with the whole weight of every row."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

from maxmargin import SVDD, OneClassSVM
from maxmargin.errors import ConvergenceWarning
from maxmargin.solution import Status


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("nu", [0.01, 0.3])
@pytest.mark.parametrize("kind", [OneClassSVM, SVDD])
def test_the_primal_objective_of_a_search_that_was_cut_short(kind: Any, nu: float, weighted: bool) -> None:
    """With a small ν a row may weigh more than all β together: the bound of the dual is smaller, the loss is not."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(30, 3))
    weight = np.exp(3.0 * rng.normal(size=30)) if weighted else np.ones(30)
    with pytest.warns(ConvergenceWarning):
        model = kind(nu=nu, kernel="linear", max_iter=1).fit(X, sample_weight=weight)
    assert model.status_ is Status.ITERATION_LIMIT
    assert model.certificate_.primal_objective == pytest.approx(objective(model, X, weight), rel=1e-9)


@pytest.mark.parametrize("unit", [1e-20, 1.0, 1e3])
@pytest.mark.parametrize("nu", [0.01, 0.03])
@pytest.mark.parametrize("kind", [OneClassSVM, SVDD])
def test_the_primal_objective_of_an_optimum(kind: Any, nu: float, unit: float) -> None:
    """Within the tolerance a row may be outside, and then it counts with all of its weight."""
    for seed in range(20):
        rng = np.random.default_rng(seed)
        X = unit * (rng.normal(size=(12, 4)) + 2.0)
        model = kind(nu=nu, kernel="linear", tol=1e-2 * (unit * unit if kind is OneClassSVM else 1.0)).fit(X)
        assert model.status_ is Status.CONVERGED
        certificate, primal = model.certificate_, objective(model, X, np.ones(12))
        assert certificate.primal_objective == pytest.approx(primal, rel=1e-9)
        assert primal - certificate.dual_objective <= 1e-2 * abs(primal)


def objective(model: Any, X: np.ndarray, weight: np.ndarray) -> float:
    """As the docstrings have it; of a ball half of that."""
    lost, share = np.maximum(0.0, -model.decision_function(X)), model.nu * weight.sum()
    w, b = model.dual_coef_[0] @ X[model.support_], float(model.intercept_[0])
    if isinstance(model, OneClassSVM):
        return float(0.5 * w @ w + b * share + weight @ lost)
    return float(b + 0.5 * w @ w + weight @ lost / share)


def test_an_optimum_has_the_same_objective_with_any_bound() -> None:
    X = np.random.default_rng(1).normal(size=(30, 3)) + 3.0
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = OneClassSVM(nu=0.01, kernel="linear", tol=1e-9).fit(X)
    w = model.coef_[0]
    lost = np.maximum(0.0, -model.decision_function(X))
    primal = 0.5 * w @ w + float(model.intercept_[0]) * 0.3 + lost.sum()
    assert model.certificate_.primal_objective == pytest.approx(primal, rel=1e-6)
