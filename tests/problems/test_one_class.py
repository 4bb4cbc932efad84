"""One class: the certificate of a point that is no optimum is that of its own model."""

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
    lost, share = np.maximum(0.0, -model.decision_function(X)), nu * weight.sum()
    w = model.dual_coef_[0] @ X[model.support_]
    if kind is OneClassSVM:
        primal = 0.5 * w @ w + float(model.intercept_[0]) * share + weight @ lost
    else:
        square = 2.0 * float(model.intercept_[0]) + w @ w
        primal = 0.5 * square + weight @ lost / share
    assert model.certificate_.primal_objective == pytest.approx(primal, rel=1e-9)


def test_an_optimum_has_the_same_objective_with_any_bound() -> None:
    X = np.random.default_rng(1).normal(size=(30, 3)) + 3.0
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = OneClassSVM(nu=0.01, kernel="linear", tol=1e-9).fit(X)
    w = model.coef_[0]
    lost = np.maximum(0.0, -model.decision_function(X))
    primal = 0.5 * w @ w + float(model.intercept_[0]) * 0.3 + lost.sum()
    assert model.certificate_.primal_objective == pytest.approx(primal, rel=1e-6)
