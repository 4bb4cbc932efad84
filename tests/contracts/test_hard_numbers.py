"""Numbers at the ends of float32 and of 32-bit indices, and kernels that are not what they should be."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from scipy import sparse

from maxmargin import SVC, solve
from maxmargin.errors import IndefiniteKernelWarning, InvalidInput
from maxmargin.kernels import Linear, UserFunction
from maxmargin.problems import SoftMargin
from maxmargin.solution import Status

Array = np.ndarray


@pytest.mark.parametrize("scale", [1e-30, 1e-20, 1.0, 1e20, 1e30])
def test_features_of_any_scale_are_the_same_problem(scale: float) -> None:
    """More rows than float64 rows are kept for: float32 must not be used where it ends."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(6500, 4))
    model = SVC().fit(X * scale, X[:, 0] > 0)
    assert model.status_ is Status.CONVERGED
    assert model.score(X * scale, X[:, 0] > 0) > 0.98


def test_too_many_columns_are_refused() -> None:
    X = sparse.csr_array((np.ones(4), np.arange(4, dtype=np.int64), np.arange(5, dtype=np.int64)), shape=(4, 2**32 + 3))
    with pytest.raises(InvalidInput, match="cannot be numbered"):
        SoftMargin(X, [0, 1, 0, 1], kernel=Linear())


def test_a_column_index_outside_the_matrix_is_refused() -> None:
    X = sparse.csr_array(np.eye(4))
    X.indices[0] = -1
    with pytest.raises(InvalidInput, match="column index outside"):
        SVC().fit(X, [0, 1, 0, 1])


def test_a_stationary_point_of_an_indefinite_matrix_is_not_called_optimal() -> None:
    rng = np.random.default_rng(0)
    seen = 0
    for _ in range(60):
        A = rng.normal(size=(6, 6))
        K = A + A.T + 4 * np.eye(6)
        if np.linalg.eigvalsh(K)[0] > -0.1:
            continue
        seen += 1
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            certificate = SVC(kernel="precomputed").fit(K, [0, 1, 0, 1, 0, 1]).certificate_
        assert certificate.status is not Status.CONVERGED
        assert np.isnan(certificate.gap)
    assert seen > 10


def test_an_indefinite_kernel_has_no_gap_however_the_fit_ends() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(100, 3))
    with pytest.warns(UserWarning, match="ITERATION_LIMIT"):
        model = SVC(kernel="sigmoid", gamma=2.0, coef0=-3.0, max_iter=5).fit(X, X[:, 0] > 0)
    assert model.status_ is Status.ITERATION_LIMIT
    assert np.isnan(model.certificate_.gap)


def test_an_asymmetric_matrix_is_refused() -> None:
    K = np.eye(60) + np.random.default_rng(0).normal(scale=0.01, size=(60, 60))
    with pytest.raises(InvalidInput, match=r"must be symmetric.*\(K \+ K.T\) / 2"):
        SVC(kernel="precomputed").fit(K, np.arange(60) % 2)


def test_a_kernel_function_is_not_called_for_single_values() -> None:
    """The diagonal comes from small squares: a call costs more than a few values too many."""
    asked: list[tuple[int, int]] = []

    def kernel(A: Array, B: Array) -> Array:
        asked.append((len(A), len(B)))
        return np.asarray(A @ B.T)

    rng = np.random.default_rng(0)
    X = rng.normal(size=(600, 3))
    solve(SoftMargin(X, X[:, 0] > 0, kernel=UserFunction(kernel)))
    assert (1, 1) not in asked
    assert sum(rows == columns <= 16 for rows, columns in asked) == -(-600 // 16)


@pytest.mark.parametrize("answer", [None, np.ones((4, 4)) * 1j])
def test_a_kernel_function_must_return_real_numbers(answer: Any) -> None:
    with pytest.raises(InvalidInput, match="must return an array of numbers"):
        SoftMargin(np.eye(4), [0, 1, 0, 1], kernel=lambda A, B: answer).gram.diagonal()


def test_an_indefinite_function_warns() -> None:
    with pytest.warns(IndefiniteKernelWarning, match="not positive semidefinite"):
        SVC(kernel=lambda A, B: -(A @ B.T)).fit([[1.0], [2.0], [-1.0], [-2.0]], [0, 0, 1, 1])


def test_gamma_scale_of_float32_sparse_rows_is_exact() -> None:
    X = (np.random.default_rng(0).normal(size=(2000, 50)) + 100).astype(np.float32)
    y = np.arange(2000) % 2
    dense = SVC(max_iter=1).set_params(gamma="scale")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        first = dense.fit(X, y)._gamma
        second = SVC(max_iter=1).fit(sparse.csr_array(X), y)._gamma
    assert first == pytest.approx(second, rel=1e-7)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"callback": 3}, "'callback' parameter of solve must be a callable"),
        ({"max_iter": -2}, "max_iter"),
        ({"max_time": 0}, "max_time"),
        ({"tol": 0}, "tol"),
        ({"solver": "newton"}, "'solver' parameter must be"),
    ],
)
def test_wrong_arguments_of_solve(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        solve(SoftMargin([[-1.0], [1.0]], [-1, 1]), **arguments)


def test_large_limits_are_limits() -> None:
    problem = SoftMargin([[-1.0], [1.0]], [-1, 1])
    assert solve(problem, max_iter=10**20, max_time=float("inf")).status is Status.CONVERGED


def test_solve_wants_a_problem() -> None:
    with pytest.raises(InvalidInput, match=r"problem of maxmargin.problems. Got an object of type .int"):
        solve(3)


def test_a_solution_wants_its_features() -> None:
    solution = solve(SoftMargin([[-1.0], [1.0]], [-1, 1]))
    with pytest.raises(InvalidInput, match="X has 2 features, but the problem was solved with 1"):
        solution.decision_function([[1.0, 2.0]])


@pytest.mark.parametrize("weights", [{0: "a"}, {0: [1, 2]}])
def test_class_weights_must_be_numbers(weights: dict[int, Any]) -> None:
    with pytest.raises(InvalidInput, match="dict of positive, finite numbers"):
        SVC(class_weight=weights).fit([[-1.0], [1.0]], [0, 1])
