"""Every kernel x the laws of kernels and of their Gram sources."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.metrics.pairwise import chi2_kernel

import maxmargin
from maxmargin import kernels
from maxmargin.kernels import RBF, ChiSquared, Laplacian, Linear, Matern, Polynomial, Precomputed, Sigmoid

from ._registry import COMBINATIONS, KERNELS, Array, KernelCase

ROUNDING = 1e-12
"""Relative to the largest kernel value: float64 sums over the features in another order."""

each_kernel = pytest.mark.parametrize("case", [*KERNELS, *COMBINATIONS], ids=str)


def _csr(X: Array, values: type, indices: type) -> sparse.csr_array:
    matrix = sparse.csr_array(X.astype(values))
    matrix.indices, matrix.indptr = matrix.indices.astype(indices), matrix.indptr.astype(indices)
    return matrix


def _wide(X: Array, values: type, indices: type) -> sparse.csr_array:
    """The same beside thousands of empty columns: such rows are not made dense."""
    matrix = _csr(X, values, indices)
    matrix.resize(len(X), 3000)
    return matrix


CONTAINERS: dict[str, Callable[[Array], Any]] = {
    "float64": lambda X: X,
    "float32": lambda X: X.astype(np.float32),
    "csr float64 int32": lambda X: _csr(X, np.float64, np.int32),
    "csr float64 int64": lambda X: _csr(X, np.float64, np.int64),
    "csr float32 int32": lambda X: _csr(X, np.float32, np.int32),
    "csr float32 int64": lambda X: _csr(X, np.float32, np.int64),
    "wide csr float64": lambda X: _wide(X, np.float64, np.int32),
    "wide csr float32": lambda X: _wide(X, np.float32, np.int64),
}
each_container = pytest.mark.parametrize("container", CONTAINERS)


def _rows(n: int, d: int = 7, seed: int = 0) -> Array:
    """Rows with zeros (for CSR) whose values float32 can hold: all containers hold the same numbers."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)).astype(np.float32) * (rng.random((n, d)) < 0.6)
    return X.astype(np.float64)


def _rows_of(case: KernelCase, n: int, d: int = 7, seed: int = 0) -> Array:
    """The same, at least 0 where the kernel needs that."""
    X = _rows(n, d, seed)
    return np.abs(X) if case.non_negative else X


def _close(actual: Array, expected: Array, tolerance: float = ROUNDING) -> None:
    np.testing.assert_allclose(actual, expected, rtol=0, atol=tolerance * max(1.0, np.abs(expected).max()))


@each_container
@each_kernel
def test_gram_equals_scikit_learn(case: KernelCase, container: str) -> None:
    X, Y = _rows_of(case, 33), _rows_of(case, 21, seed=1)
    make = CONTAINERS[container]
    K = case.kernel(make(X), make(Y))
    assert K.dtype == np.float64
    assert K.shape == (33, 21)
    _close(K, case.reference(X, Y))
    _close(case.kernel(make(X)), case.reference(X, X))


@each_kernel
def test_call_is_symmetric(case: KernelCase) -> None:
    X, Y = _rows_of(case, 19), _rows_of(case, 30, seed=1)
    _close(case.kernel(X, Y), case.kernel(Y, X).T)


@each_kernel
def test_mercer_kernels_are_positive_semidefinite(case: KernelCase) -> None:
    X = _rows_of(case, 40)
    assert case.kernel.bind(X).mercer == case.mercer
    degenerate = np.vstack([X[:3], X[:3], 2.0 * X[:3], np.zeros((2, 7)), X[[0]] + 1e-9])
    for rows in (X, degenerate, np.zeros((3, 7))):
        K = case.kernel(rows)
        lowest = np.linalg.eigvalsh((K + K.T) / 2)[0]
        assert np.isfinite(K).all()
        assert not case.mercer or lowest >= -1e-12 * np.trace(K)
    if case.name == "sigmoid":
        assert np.linalg.eigvalsh(case.kernel(X))[0] < -1e-6, "the example of an indefinite kernel must be one"


@each_container
@each_kernel
def test_gram_source_agrees_with_the_kernel(case: KernelCase, container: str) -> None:
    X = _rows_of(case, 50)
    data = CONTAINERS[container](X)
    gram = case.kernel.bind(data).gram(data)
    K = case.reference(X, X)
    everything = np.arange(50)
    beta = np.random.default_rng(3).normal(size=50)
    assert gram.n == 50
    _close(gram.block(everything, everything), K)
    _close(gram.diagonal(), np.diag(K))
    _close(gram.matvec(beta), K @ beta, ROUNDING * 50)


@each_container
@each_kernel
def test_same_bits_in_any_block(case: KernelCase, container: str) -> None:
    """Law 11: k(x_i, x_j) has the same bits in any tile, subset, order or half, for any number of threads."""
    X = CONTAINERS[container](_rows_of(case, 131, d=19) * np.pi)  # all digits in use: each product is rounded
    gram = case.kernel.bind(X).gram(X)
    everything = np.arange(131)
    whole = gram.block(everything, everything)
    np.testing.assert_array_equal(whole, whole.T)
    np.testing.assert_array_equal(np.diag(whole), gram.diagonal())
    rng = np.random.default_rng(5)
    for rows, columns in ((1, 131), (131, 1), (1, 1), (7, 64), (33, 5), (16, 16)):
        some, others = rng.choice(131, rows, replace=False), rng.choice(131, columns, replace=False)
        np.testing.assert_array_equal(gram.block(some, others), whole[np.ix_(some, others)])
        np.testing.assert_array_equal(gram.take(some).block(np.arange(rows), np.arange(rows)), whole[np.ix_(some, some)])
    before = maxmargin.get_threads()
    try:
        for threads in (1, 2, 3):
            maxmargin.set_threads(threads)
            np.testing.assert_array_equal(gram.block(everything, everything), whole)
            np.testing.assert_array_equal(gram.matvec(whole[0]), _matvec_alone(gram, whole[0]))
    finally:
        maxmargin.set_threads(before)


def _matvec_alone(gram: Any, beta: Array) -> Array:
    threads = maxmargin.get_threads()
    maxmargin.set_threads(1)
    product: Array = gram.matvec(beta)
    maxmargin.set_threads(threads)
    return product


@each_container
@each_kernel
def test_cross_is_the_kernel_against_chosen_rows(case: KernelCase, container: str) -> None:
    make = CONTAINERS[container]
    X, support = _rows_of(case, 40, seed=2), _rows_of(case, 12)
    bound = case.kernel.bind(make(_rows_of(case, 60)))
    K = bound.cross(make(X), make(support))
    assert K.dtype == np.float64
    _close(K, case.reference(X, support))
    np.testing.assert_array_equal(bound.cross(make(X[5:9]), make(support)), K[5:9])


@pytest.mark.parametrize("container", ["float64", "wide csr float64"])
@each_kernel
def test_float32_rows_are_close_or_not_used(case: KernelCase, container: str) -> None:
    """What a search is steered by, also where rows are near each other: a root at 0 would show it."""
    X = _rows_of(case, 40) * np.pi
    X[20:] = X[:20] * (1.0 + 1e-4 * np.random.default_rng(4).random((20, 7)))
    rows = CONTAINERS[container](X)
    gram = case.kernel.bind(rows).gram(rows)
    suffices = gram.core.float32_suffices()
    assert suffices != ((case.roots and "wide" in container) or case.name in ("on columns", "too long for the core"))
    _close(gram.core.float32_rows(np.arange(40, dtype=np.int32)), case.reference(X, X), 1e-5 if suffices else 2e-3)


@pytest.mark.parametrize("kernel", [RBF(gamma=0.3), Laplacian(gamma=0.2), Matern(1.5, nu=0.5)], ids=str)
def test_float32_rows_are_close_far_from_the_origin(kernel: Any) -> None:
    X = _rows(40) + 1e5
    gram = kernel.bind(X).gram(X)
    assert gram.core.float32_suffices()
    _close(gram.core.float32_rows(np.arange(40, dtype=np.int32)), kernel(X), 2e-6)


@each_kernel
def test_equal_rows_have_equal_values(case: KernelCase) -> None:
    X = np.repeat(_rows_of(case, 9) * np.pi, 3, axis=0)
    K = case.kernel(X)
    np.testing.assert_array_equal(K[::3], K[1::3])
    np.testing.assert_array_equal(K[:, ::3], K[:, 2::3])


@each_kernel
def test_weighted_sums_are_products(case: KernelCase) -> None:
    X, support = _rows_of(case, 30, seed=2), _rows_of(case, 11)
    coefficients = np.random.default_rng(1).normal(size=(2, 11))
    bound = case.kernel.bind(_rows_of(case, 40))
    sums = bound.weighted_sums(X, support, coefficients, (0, 4, 11))
    K = case.reference(X, support)
    _close(sums[0], coefficients[:, :4] @ K[:, :4].T, 1e-11)
    _close(sums[1], coefficients[:, 4:] @ K[:, 4:].T, 1e-11)


@each_kernel
def test_strictly_positive_kernels_tell_rows_apart(case: KernelCase) -> None:
    """Where it is claimed that distinct rows are independent, the matrix of far ones is well away from singular."""
    X = 4.0 * _rows_of(case, 12, seed=8)
    bound = case.kernel.bind(X)
    K = case.kernel(X)
    if case.strict:
        assert np.linalg.eigvalsh(K)[0] > 1e-9 * np.trace(K)
    assert bound.strictly_positive == case.strict


def test_sums_and_products_are_what_they_are_written_as() -> None:
    a, b, c = RBF(gamma=0.2), Linear(), Laplacian(gamma=0.3)
    X = _rows(12)
    A, B, C = (kernel(X) for kernel in (a, b, c))
    _close(((a + b) * c)(X), (A + B) * C)
    _close((a + b * c)(X), A + B * C)
    _close((a * b * c)(X), A * B * C)
    assert np.abs(((a + b) * c)(X) - (a * b * c)(X)).max() > 0.1
    assert (a + b) * c != a * b * c
    assert a + b == RBF(gamma=0.2) + Linear() != b + a


@each_kernel
def test_parameters_round_trip(case: KernelCase) -> None:
    kernel = case.kernel
    parameters = kernel.get_params()
    assert type(kernel)(**kernel.get_params(deep=False)).get_params() == parameters
    copy = clone(kernel)
    assert copy is not kernel
    assert copy.get_params() == parameters
    assert pickle.loads(pickle.dumps(kernel)).get_params() == parameters
    assert copy.set_params(**parameters) is copy
    with pytest.raises(ValueError, match="no_such_parameter"):
        copy.set_params(no_such_parameter=1)
    X = _rows_of(case, 5)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(kernel))(X), kernel(X))
    same = eval(repr(kernel), vars(kernels))
    assert same == kernel == copy
    assert same.get_params() == parameters


@pytest.mark.parametrize("kernel", [RBF(), Polynomial(), Sigmoid(), Laplacian()], ids=lambda kernel: type(kernel).__name__)
class TestGamma:
    """Words for gamma become numbers when a kernel is bound to data, under the weights."""

    def test_scale(self, kernel: Any) -> None:
        X = _rows(30)
        assert kernel.bind(X).gamma == pytest.approx(1 / (7 * X.var()), rel=1e-12)
        assert kernel.bind(sparse.csr_array(X)).gamma == pytest.approx(1 / (7 * X.var()), rel=1e-12)

    def test_auto(self, kernel: Any) -> None:
        assert clone(kernel).set_params(gamma="auto").bind(_rows(30)).gamma == 1 / 7

    def test_scale_of_constant_data(self, kernel: Any) -> None:
        assert kernel.bind(np.full((5, 3), 2.5)).gamma == 1.0

    def test_weight_two_is_the_row_twice_and_zero_its_absence(self, kernel: Any) -> None:
        X = _rows(30)
        weight = np.random.default_rng(0).integers(0, 4, 30).astype(float)
        repeated = kernel.bind(np.repeat(X, weight.astype(int), axis=0)).gamma
        assert kernel.bind(X, sample_weight=weight).gamma == pytest.approx(repeated, rel=1e-12)

    def test_binding_leaves_the_kernel_as_given(self, kernel: Any) -> None:
        before = kernel.get_params()
        kernel.bind(_rows(10))
        assert kernel.get_params() == before


def test_scale_of_some_columns_is_theirs() -> None:
    X = _rows(30) * np.arange(1, 8)
    inner = RBF().on([1, 4]).bind(X).parts[0]  # type: ignore[attr-defined]
    assert inner.gamma == pytest.approx(1 / (2 * X[:, [1, 4]].var()), rel=1e-12)


def test_chi_squared_has_the_default_of_scikit_learn() -> None:
    X = np.abs(_rows(9))
    _close(ChiSquared()(X), chi2_kernel(X))


def test_precomputed_takes_the_matrix_as_it_is() -> None:
    X = _rows(20)
    K = X @ X.T
    bound = Precomputed().bind(K)
    gram = bound.gram(K)
    some, others = np.array([3, 1, 19]), np.array([0, 7])
    np.testing.assert_array_equal(gram.block(some, others), K[np.ix_(some, others)])
    np.testing.assert_array_equal(gram.take(some).block(np.arange(3), np.arange(3)), K[np.ix_(some, some)])
    np.testing.assert_array_equal(gram.diagonal(), np.diag(K))
    np.testing.assert_array_equal(bound.cross(K[:6], some), K[:6][:, some])
