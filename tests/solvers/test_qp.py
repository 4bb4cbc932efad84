"""The general quadratic program: known answers, infeasible and unbounded ones, and what is said of bad input."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import pytest
from scipy import sparse

from maxmargin import solve
from maxmargin.errors import InvalidInput, MissingExtra
from maxmargin.kernels import Linear
from maxmargin.problems import SoftMargin
from maxmargin.solution import Status
from maxmargin.solvers import DualQP, qp

X = np.array([[0.0, 1.0], [1.0, 0.0], [3.0, 1.0], [4.0, 3.0]])
Y = np.array([-1.0, -1.0, 1.0, 1.0])


def _primal() -> tuple[Any, ...]:
    return np.diag([0.0, 1.0, 1.0]), np.zeros(3), Y[:, None] * np.column_stack((np.ones(4), X)), np.ones(4)


def test_primal_and_dual_of_the_lecture_agree() -> None:
    """A_D = [yᵀ; −yᵀ; I] is accepted as it is, though it has no inside."""
    primal = qp(*_primal())
    dual = qp((Y[:, None] * X) @ (Y[:, None] * X).T, -np.ones(4), np.vstack((Y, -Y, np.eye(4))), np.zeros(6))
    assert primal.status is dual.status is Status.CONVERGED
    assert primal.objective == pytest.approx(-dual.objective, abs=1e-8)
    np.testing.assert_allclose((Y * dual.u) @ X, primal.u[1:], atol=1e-7)
    np.testing.assert_allclose(primal.multipliers, dual.u, atol=1e-7)
    assert max(primal.residual, dual.residual) <= 1e-8


def test_sparse_matrices_give_the_same() -> None:
    Q, p, A, c = _primal()
    found = qp(sparse.csr_matrix(Q), p, sparse.csr_matrix(A), c)
    np.testing.assert_allclose(found.u, qp(Q, p, A, c).u, atol=1e-8)


def test_infeasible_comes_with_its_proof() -> None:
    A, c = np.array([[1.0, 1.0], [-1.0, -1.0]]), np.array([1.0, 1.0])
    found = qp(np.eye(2), np.zeros(2), A, c)
    assert found.status is Status.INFEASIBLE
    assert np.abs(A.T @ found.multipliers).max() <= 1e-4
    assert c @ found.multipliers > 0.5


def test_unbounded() -> None:
    assert qp(np.zeros((1, 1)), [-1.0], [[1.0]], [0.0]).status is Status.UNBOUNDED
    assert Status.UNBOUNDED.advice


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("Q", np.ones((2, 3)), r"The 'Q' parameter of qp must have shape \(3, 3\), as p has 3 numbers\. Got shape \(2, 3\)"),
        ("Q", np.ones(3), r"The 'Q' parameter of qp must be a matrix\. Got an array of shape \(3,\)"),
        (
            "Q",
            np.diag([1.0, -1.0, 1.0]),
            r"The 'Q' parameter of qp must be positive semidefinite.*Got a matrix with a negative eigenvalue",
        ),
        ("Q", np.triu(np.ones((3, 3))), r"The 'Q' parameter of qp must be symmetric\."),
        ("Q", [["a"] * 3] * 3, r"The 'Q' parameter of qp must be a matrix of numbers"),
        ("p", [[0.0]], r"The 'p' parameter of qp must be a vector\. Got an array of shape \(1, 1\)"),
        ("p", [], r"The 'p' parameter of qp must have at least one number"),
        ("p", [0.0, np.nan, 0.0], r"The 'p' parameter of qp must have finite numbers only"),
        ("A", np.ones((3, 3)), r"The 'A' parameter of qp must have shape \(4, 3\)"),
        ("c", np.ones(3), r"The 'A' parameter of qp must have shape \(3, 3\), as c has 3 numbers"),
    ],
)
def test_bad_input_is_named(name: str, value: Any, words: str) -> None:
    given = dict(zip("QpAc", _primal(), strict=True)) | {name: value}
    with pytest.raises(InvalidInput, match=words):
        qp(**given)


def test_solver_names(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(InvalidInput, match=r"The 'solver' parameter of qp must be 'piqp' or the name of a solver"):
        qp(*_primal(), solver=3)
    monkeypatch.setitem(sys.modules, "qpsolvers", None)
    with pytest.raises(MissingExtra, match=r'pip install "maxmargin\[qp\]"'):
        qp(*_primal(), solver="daqp")
    with pytest.raises(MissingExtra, match=r'pip install "maxmargin\[qp\]"'):
        solve(SoftMargin(X, Y, kernel=Linear()), solver=DualQP("clarabel"))
    monkeypatch.setitem(sys.modules, "piqp", None)
    with pytest.raises(MissingExtra, match=r"pip install piqp"):
        qp(*_primal())


@pytest.mark.parametrize("name", ["daqp", "clarabel"])
def test_other_solvers_by_name(name: str) -> None:
    qpsolvers = pytest.importorskip("qpsolvers")
    with pytest.raises(MissingExtra, match=r"qpsolvers finds only .* pip install nosuch"):
        qp(*_primal(), solver="nosuch")
    if name not in qpsolvers.available_solvers:
        pytest.skip(f"{name} is not installed")
    found = qp(*_primal(), solver=name)
    assert found.status is Status.CONVERGED
    np.testing.assert_allclose(found.u, qp(*_primal()).u, atol=1e-6)
    problem = SoftMargin(X, Y, C=3.0, kernel=Linear())
    assert solve(problem, solver=DualQP(name), tol=1e-7).status is Status.CONVERGED
