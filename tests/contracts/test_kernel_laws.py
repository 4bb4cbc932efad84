"""Every kernel x the laws of kernels and of their Gram sources."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone

import maxmargin
from maxmargin.kernels import RBF, Polynomial, Precomputed, Sigmoid

from ._registry import KERNELS, Array, KernelCase

ROUNDING = 1e-12
"""Relative to the largest kernel value: float64 sums over the features in another order."""

each_kernel = pytest.mark.parametrize("case", KERNELS, ids=str)


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


def _close(actual: Array, expected: Array, tolerance: float = ROUNDING) -> None:
    np.testing.assert_allclose(actual, expected, rtol=0, atol=tolerance * max(1.0, np.abs(expected).max()))


@each_container
@each_kernel
def test_gram_equals_scikit_learn(case: KernelCase, container: str) -> None:
    X, Y = _rows(33), _rows(21, seed=1)
    make = CONTAINERS[container]
    K = case.kernel(make(X), make(Y))
    assert K.dtype == np.float64
    assert K.shape == (33, 21)
    _close(K, case.reference(X, Y))
    _close(case.kernel(make(X)), case.reference(X, X))


@each_kernel
def test_call_is_symmetric(case: KernelCase) -> None:
    X, Y = _rows(19), _rows(30, seed=1)
    _close(case.kernel(X, Y), case.kernel(Y, X).T)


@each_kernel
def test_mercer_kernels_are_positive_semidefinite(case: KernelCase) -> None:
    K = case.kernel(_rows(40, d=3))
    lowest = np.linalg.eigvalsh((K + K.T) / 2)[0]
    if case.mercer:
        assert lowest >= -1e-12 * np.trace(K)
    elif case.name == "sigmoid":
        assert lowest < -1e-6 * abs(np.trace(K)), "the example of an indefinite kernel must be one"


@each_container
@each_kernel
def test_gram_source_agrees_with_the_kernel(case: KernelCase, container: str) -> None:
    X = _rows(50)
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
    X = CONTAINERS[container](_rows(131, d=19) * np.pi)  # all digits in use: each product is rounded
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
    X, support = _rows(40, seed=2), _rows(12)
    bound = case.kernel.bind(make(_rows(60)))
    K = bound.cross(make(X), make(support))
    assert K.dtype == np.float64
    _close(K, case.reference(X, support))
    np.testing.assert_array_equal(bound.cross(make(X[5:9]), make(support)), K[5:9])


@each_kernel
def test_parameters_round_trip(case: KernelCase) -> None:
    kernel = case.kernel
    parameters = kernel.get_params()
    assert type(kernel)(**parameters).get_params() == parameters
    copy = clone(kernel)
    assert copy is not kernel
    assert copy.get_params() == parameters
    assert pickle.loads(pickle.dumps(kernel)).get_params() == parameters
    assert copy.set_params(**parameters) is copy
    with pytest.raises(ValueError, match="no_such_parameter"):
        copy.set_params(no_such_parameter=1)
    X = _rows(5)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(kernel))(X), kernel(X))
    eval_names = {type(kernel).__name__: type(kernel)}
    assert eval(repr(kernel), eval_names).get_params() == parameters


@pytest.mark.parametrize("kernel", [RBF(), Polynomial(), Sigmoid()], ids=lambda kernel: type(kernel).__name__)
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
