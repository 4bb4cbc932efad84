"""Every kernel of objects x the laws of kernels and of their Gram sources."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone

import maxmargin
from maxmargin import kernels
from maxmargin.errors import InvalidInput

from ._registry import OBJECTS, Array, ObjectCase

each_case = pytest.mark.parametrize("case", OBJECTS, ids=str)


def _close(actual: Array, expected: Array, tolerance: float = 1e-11) -> None:
    np.testing.assert_allclose(actual, expected, rtol=0, atol=tolerance * max(1.0, float(np.abs(expected).max())))


@each_case
def test_values_are_the_definition(case: ObjectCase) -> None:
    bound = case.kernel.bind(case.X)
    _close(case.kernel(case.X), case.K)
    K = bound.cross(case.new, case.X)
    assert K.dtype == np.float64
    _close(K, case.across)
    _close(bound.cross(case.X, case.new), case.across.T)
    _close(bound.diagonal(case.new), np.diag(case.reference(case.new, case.new)))


@each_case
def test_matrices_are_positive_semidefinite(case: ObjectCase) -> None:
    assert case.kernel.bind(case.X).mercer
    for rows in (case.X, [*case.X[:5], *case.X[:5], *case.X[-4:], *case.X[-4:]]):
        K = case.kernel(rows)
        assert np.isfinite(K).all()
        np.testing.assert_array_equal(K, K.T)
        assert np.linalg.eigvalsh(K)[0] >= -1e-12 * np.trace(K)


@each_case
def test_same_bits_in_any_block_and_for_any_threads(case: ObjectCase) -> None:
    X, bound = case.X, case.kernel.bind(case.X)
    n, rng = len(X), np.random.default_rng(5)
    every = np.arange(n)
    whole = bound.gram(X).block(every, every)
    np.testing.assert_array_equal(np.diag(whole), bound.gram(X).diagonal())
    before = maxmargin.get_threads()
    try:
        for threads in (1, 2, 3):
            maxmargin.set_threads(threads)
            for rows, columns in ((1, n), (n, 1), (1, 1), (7, 20), (33, 5), (16, 16), (n, n)):
                gram = bound.gram(X)
                some, others = rng.choice(n, rows, replace=False), rng.choice(n, columns, replace=False)
                np.testing.assert_array_equal(gram.block(some, others), whole[np.ix_(some, others)])
                np.testing.assert_array_equal(gram.block(others, some), whole[np.ix_(others, some)])
                own = np.arange(rows)
                np.testing.assert_array_equal(gram.take(some).block(own, own), whole[np.ix_(some, some)])
    finally:
        maxmargin.set_threads(before)


@each_case
def test_gram_source_agrees_with_the_definition(case: ObjectCase) -> None:
    gram = case.kernel.bind(case.X).gram(case.X)
    beta = np.random.default_rng(3).normal(size=gram.n)
    assert gram.n == len(case.X)
    _close(gram.diagonal(), np.diag(case.K))
    _close(gram.matvec(beta), case.K @ beta, 1e-10)
    suffices = gram.core.float32_suffices()
    assert suffices
    _close(gram.core.float32_rows(np.arange(gram.n, dtype=np.int32)), case.K, 1e-6)


@each_case
def test_other_collections_and_weighted_sums(case: ObjectCase) -> None:
    bound, support = case.kernel.bind(case.X), case.X[:11]
    K = bound.cross(case.new, support)
    np.testing.assert_allclose(bound.cross(case.new[3:6], support), K[3:6], rtol=0, atol=case.between)
    np.testing.assert_allclose(bound.cross(support, case.new).T, K, rtol=0, atol=case.between)
    coefficients = np.random.default_rng(1).normal(size=(2, 11))
    sums = bound.weighted_sums(case.new, support, coefficients, (0, 4, 11))
    _close(sums[0], coefficients[:, :4] @ case.across[:, :4].T)
    _close(sums[1], coefficients[:, 4:] @ case.across[:, 4:11].T)


@each_case
def test_equal_objects_have_equal_values(case: ObjectCase) -> None:
    K = case.kernel([x for x in case.X[-9:] for _ in range(3)])
    np.testing.assert_array_equal(K[::3], K[1::3])
    np.testing.assert_array_equal(K[:, ::3], K[:, 2::3])


@each_case
def test_parameters_round_trip(case: ObjectCase) -> None:
    kernel = case.kernel
    parameters = kernel.get_params()
    assert type(kernel)(**kernel.get_params(deep=False)).get_params() == parameters
    copy = clone(kernel)
    assert copy is not kernel
    assert copy.get_params().keys() == parameters.keys()
    with pytest.raises(ValueError, match="no_such_parameter"):
        copy.set_params(no_such_parameter=1)
    again: Any = pickle.loads(pickle.dumps(kernel))
    same = eval(repr(kernel), {name: getattr(kernels, name) for name in kernels.__all__})
    assert again == kernel == same
    np.testing.assert_array_equal(again(case.X), kernel(case.X))
    bound = pickle.loads(pickle.dumps(kernel.bind(case.X)))
    np.testing.assert_array_equal(bound.cross(case.new, case.X), kernel.bind(case.X).cross(case.new, case.X))


@each_case
def test_a_number_is_no_object(case: ObjectCase) -> None:
    """Numbers for strings, graphs, bags or records: refused, with the row; of series it is the shape that is wrong."""
    for X in ([0.5, 1.5, 2.5], [*case.X[:3], 7.5]):
        with pytest.raises(InvalidInput, match=r"needs|row \d"):
            case.kernel(X)
    with pytest.raises(InvalidInput):
        case.kernel.bind(case.X).cross([3.5], case.X)
