"""Without an offset nothing takes up what coefficients sum to: beside a huge constant column the least of it counts."""

from __future__ import annotations

import math
import warnings
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from scipy import sparse

from maxmargin import SVC, solve
from maxmargin.kernels import Linear, weights_of
from maxmargin.problems import CrammerSinger, HardMargin, SoftMargin
from maxmargin.solution import Status

HUGE = 1e6


def rows_of(seed: int, classes: int) -> tuple[np.ndarray, np.ndarray]:
    """Apart in the other columns, so that the constant one has little weight."""
    rng = np.random.default_rng(seed)
    y = np.arange(30) % classes
    X = rng.normal(size=(30, 5)) + 3.0 * np.eye(5)[y]
    X[:, 4] = HUGE
    return X, y


def exact_weights(beta: np.ndarray, vectors: np.ndarray) -> np.ndarray:
    """``Σ β_i x_i`` in fractions."""
    w = [sum(Fraction(b) * Fraction(x) for b, x in zip(beta, column, strict=True)) for column in vectors.T]
    return np.array([float(each) for each in w])


def near(w: np.ndarray, exact: np.ndarray, beta: np.ndarray) -> bool:
    """But for the rounding of so few terms."""
    size = 32.0 * np.finfo(np.float64).eps * np.abs(beta).sum()
    return bool(np.abs(w - exact)[:4].max() <= 10.0 * size and abs(w[4] - exact[4]) <= HUGE * size)


@pytest.mark.parametrize("as_rows", [np.asarray, sparse.csr_matrix], ids=["dense", "csr"])
@pytest.mark.parametrize("C", [1.0, np.inf])
@pytest.mark.parametrize("scheme", ["ovo", "ovr"])
@pytest.mark.parametrize("seed", range(3))
def test_weights_of_an_estimator(seed: int, scheme: str, C: float, as_rows: Any) -> None:
    X, y = rows_of(seed, 2)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = SVC(kernel="linear", C=C, fit_intercept=False, multi_class=scheme, tol=1e-3).fit(as_rows(X), y)
    dual, w = (each.toarray()[0] if sparse.issparse(each) else each[0] for each in (model.dual_coef_, model.coef_))
    exact = exact_weights(dual, X[model.support_])
    assert exact[4] != 0.0
    assert 0.0 < abs(math.fsum(dual)) < 1e-9 * np.abs(dual).sum()  # so little that it could be rounding
    assert near(w, exact, dual)
    (solution,) = model.solutions_
    assert near(solution.weights, exact_weights(solution.beta, X[solution.support]), solution.beta)


@pytest.mark.parametrize("problem", [SoftMargin, HardMargin, CrammerSinger])
def test_weights_of_a_solution(problem: Any) -> None:
    X, y = rows_of(0, 3 if problem is CrammerSinger else 2)
    X[:, 0] -= X[:, 0].mean()
    solution = solve(problem(X, y, kernel=Linear(), offset=False), tol=1e-3)
    beta = solution.coefficients[:, 0] if problem is CrammerSinger else solution.beta
    exact = exact_weights(beta, X[solution.support])
    unit = np.eye(5)[4:]
    score = solution.decision_function(unit)
    assert exact[4] != 0.0
    assert abs(float(score[0, 0] if problem is CrammerSinger else score[0]) - exact[4]) <= 1e-14 * HUGE * np.abs(beta).sum()


@pytest.mark.parametrize("as_rows", [np.asarray, sparse.csr_matrix], ids=["dense", "csr"])
def test_only_the_last_places_are_no_sum(as_rows: Any) -> None:
    """A free offset of 0 tells nothing: what is rounding for certain is left out there too."""
    rows = as_rows(np.c_[np.full(3, HUGE), np.arange(3.0)])
    last, more = np.array([0.1, 0.2, -0.3]), np.array([0.1, 0.2, -0.3 + 1e-11])
    assert last.sum() != 0.0
    assert weights_of(last, rows, offset=False)[0] == weights_of(more, rows, offset=True)[0] == 0.0
    assert weights_of(more, rows, offset=False)[0] == pytest.approx(1e-5, rel=1e-4)


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("tol", [1e-3, 0.1])
@pytest.mark.parametrize("seed", range(6))
def test_a_hard_margin_is_certified_by_what_predicts(seed: int, tol: float, classes: int) -> None:
    X, y = rows_of(seed, classes)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = SVC(kernel="linear", C=np.inf, fit_intercept=False, multi_class="ovr", tol=tol).fit(X, y)
    f = model.decision_function(X).reshape(30, -1)
    for k, solution in enumerate(model.solutions_):
        if solution.status is not Status.CONVERGED:
            continue
        sign, own = np.where(y == (1 if classes == 2 else k), 1.0, -1.0), X[solution.support]
        w = exact_weights(solution.beta, own)
        nearest = (sign * f[:, k]).min()
        assert nearest > 0.0
        assert solution.certificate.primal_objective >= (0.5 * w @ w / nearest**2) * (1.0 - max(tol, 1e-3))
