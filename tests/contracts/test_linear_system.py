"""Newton's systems of many rows and some hundred features, where factors of some of the rows stand for those of all."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import sparse
from sklearn.linear_model import LogisticRegression

import maxmargin
from maxmargin import solve
from maxmargin.problems import PrimalProblem
from maxmargin.solution import Status


def _rows(rare: bool) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Scales that differ by 100; rare: features of one row, of which no fixed step through the rows meets all."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(5000, 190)) * np.logspace(-1, 1, 190)
    if rare:
        X[:, 150:] = 0
        X[np.arange(40) * 121 + 3, 150 + np.arange(40)] = 50
    return X, X @ rng.normal(size=190) + 8 * rng.normal(size=len(X)) > 0


@pytest.mark.parametrize("C", [1e-3, 1.0, 1e4])
@pytest.mark.parametrize("offset", ["free", "penalised", None])
@pytest.mark.parametrize("loss", ["squared_hinge", "logistic", "squared"])
@pytest.mark.parametrize("rare", [False, True])
def test_the_gap_closes(rare: bool, loss: str, offset: Any, C: float) -> None:
    X, y = _rows(rare)
    found = solve(PrimalProblem(X, y, loss=loss, C=C, offset=offset), solver="newton", tol=1e-9)
    assert found.status is Status.CONVERGED
    assert found.certificate.relative_gap <= 1e-9


@pytest.mark.parametrize("C", [1.0, 1e4])
def test_logistic_is_scikit_learns(C: float) -> None:
    X, y = _rows(rare=True)
    problem = PrimalProblem(X, y, loss="logistic", C=C, offset="free")
    ours = solve(problem, tol=1e-12)
    known = LogisticRegression(C=C, tol=1e-10, solver="newton-cholesky").fit(X, y)
    best = problem.objective(known.coef_[0], float(known.intercept_[0]))
    assert problem.objective(ours.weights, ours.bias) == pytest.approx(best, rel=1e-11)


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_matrix, sparse.csr_array])
@pytest.mark.parametrize("loss", ["squared_hinge", "logistic"])
def test_same_bits_for_any_number_of_threads(loss: str, kind: Any) -> None:
    X, y = _rows(rare=True)
    before, answers = maxmargin.get_threads(), []
    try:
        for threads in (1, 2, 3):
            maxmargin.set_threads(threads)
            found = solve(PrimalProblem(kind(X), y, loss=loss, C=10.0, offset="free"), solver="newton")
            answers.append((found.weights.tobytes(), found.bias, found.alpha.tobytes()))
    finally:
        maxmargin.set_threads(before)
    assert answers[0] == answers[1] == answers[2]
