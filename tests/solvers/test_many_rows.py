"""Newton's method where a round costs something: it begins with some rows, and takes conjugate gradients on full rows."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import sparse

import maxmargin
from maxmargin import solve
from maxmargin.problems import PrimalProblem
from maxmargin.solution import Status
from maxmargin.solvers import LinearNewton


def many_rows(shape: tuple[int, int], density: float = 1.0) -> tuple[Any, NDArray[Any]]:
    rng = np.random.default_rng(0)
    X = rng.normal(size=shape) * (rng.random(shape) < density)
    y = X[:, :5].sum(axis=1) + rng.normal(size=shape[0]) > 0.3
    return (X if density == 1.0 else sparse.csr_matrix(X)), y


SETS = {
    "some rows first": many_rows((8000, 20)),
    "some sparse rows first": many_rows((12000, 60), 0.3),
    "conjugate gradients": many_rows((1500, 200)),
    "float32": (many_rows((8000, 20))[0].astype(np.float32), many_rows((8000, 20))[1]),
}


@pytest.mark.parametrize("name", SETS)
@pytest.mark.parametrize("loss", ["squared_hinge", "logistic", "squared", "exponential"])
@pytest.mark.parametrize("offset", ["free", "penalised", None])
def test_the_gap_is_proven_to_many_digits(name: str, loss: str, offset: str | None) -> None:
    X, y = SETS[name]
    C = 0.1 if loss == "exponential" else 10.0
    solution = solve(PrimalProblem(X, y, loss=loss, C=C, offset=offset), solver=LinearNewton(), tol=1e-10)
    assert solution.status is Status.CONVERGED
    assert solution.certificate.relative_gap <= 1e-10
    assert solution.steps <= 12


@pytest.mark.parametrize("name", SETS)
@pytest.mark.parametrize("loss", ["squared_hinge", "logistic"])
def test_bits_do_not_depend_on_the_number_of_threads(name: str, loss: str) -> None:
    X, y = SETS[name]
    threads, found = maxmargin.get_threads(), []
    try:
        for count in (1, 2, 3):
            maxmargin.set_threads(count)
            found.append(solve(PrimalProblem(X, y, loss=loss), tol=1e-4))
    finally:
        maxmargin.set_threads(threads)
    assert len({solution.weights.tobytes() + solution.alpha.tobytes() for solution in found}) == 1


def test_rows_in_the_order_of_their_class_begin_well_too() -> None:
    X, y = SETS["some rows first"]
    order = np.argsort(y, kind="stable")
    solutions = [solve(PrimalProblem(X[rows], y[rows], loss="logistic"), tol=1e-8) for rows in (np.arange(len(y)), order)]
    assert solutions[1].weights == pytest.approx(solutions[0].weights, abs=1e-5)


def test_one_round_is_one_round_of_all_rows() -> None:
    X, y = SETS["some rows first"]
    with pytest.warns(maxmargin.errors.ConvergenceWarning):
        solution = solve(PrimalProblem(X, y, loss="logistic"), tol=1e-12, max_iter=1)
    assert solution.status is Status.ITERATION_LIMIT
    assert solution.steps == 1
