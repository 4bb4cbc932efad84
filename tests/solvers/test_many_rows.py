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
    "dense, mostly 0": (many_rows((6000, 60), 0.1)[0].toarray(), many_rows((6000, 60), 0.1)[1]),
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


@pytest.mark.parametrize("kind", [np.float32, np.float64])
@pytest.mark.parametrize("loss", ["hinge", "squared_hinge", "logistic"])
def test_dense_rows_that_are_mostly_0_are_searched_as_sparse_ones(loss: str, kind: Any) -> None:
    X, y = SETS["dense, mostly 0"]
    dense, csr = (
        solve(PrimalProblem(rows, y, loss=loss), solver=LinearNewton(), tol=1e-6)
        for rows in (X.astype(kind), sparse.csr_matrix(X.astype(kind)))
    )
    assert dense.weights.tobytes() + dense.alpha.tobytes() == csr.weights.tobytes() + csr.alpha.tobytes()
    assert dense.status is Status.CONVERGED


def test_a_sample_of_rows_that_are_mostly_0_is_not_believed() -> None:
    X, y = many_rows((6000, 60))
    X[:: len(X) // 256] = 0.0  # the rows that are looked at
    solution = solve(PrimalProblem(X, y, loss="squared_hinge"), solver=LinearNewton(), tol=1e-6)
    assert solution.certificate.relative_gap <= 1e-6


@pytest.mark.parametrize("far", [1e-3, 1.0, 30.0, 600.0, 1e5])
def test_the_logistic_loss_far_from_0_and_near_it(far: float) -> None:
    """Ten rows, of which some are lost for ever: the engine's own gap is the certificate's."""
    X, y = np.array([[1.0], [2.0], [-1.0], [-3.0], [0.5]] * 2) * far, np.array([1, 1, 0, 0, 0] * 2)
    solution = solve(PrimalProblem(X, y, loss="logistic", C=7.0, offset=None), solver=LinearNewton(), tol=1e-12)
    assert solution.status is Status.CONVERGED
    assert solution.certificate.relative_gap <= 1e-12
    assert solution.objectives[-1] == pytest.approx(solution.certificate.primal_objective, rel=1e-13)


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
