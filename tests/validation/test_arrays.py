"""Rows of all kinds at the porch."""

import itertools

import numpy as np
import pytest
from scipy import sparse

from maxmargin import _core
from maxmargin.errors import InvalidInput
from maxmargin.validation import (
    canonical,
    feature_matrix,
    is_ready,
    length,
    object_rows,
    rows_are_objects,
    shape,
    take_rows,
)

X = np.arange(12.0).reshape(4, 3)


def test_a_good_array_is_not_copied():
    for dtype in (np.float64, np.float32):
        array = X.astype(dtype)
        assert feature_matrix(array) is array


@pytest.mark.parametrize("given", [X.tolist(), X.astype(int), np.asfortranarray(X), X[::-1], X.astype(object)])
def test_everything_else_becomes_contiguous_float64(given):
    got = feature_matrix(given)
    assert got.dtype == np.float64
    assert got.flags.c_contiguous
    np.testing.assert_array_equal(got, np.array(given, dtype=float))


@pytest.mark.filterwarnings("error")
def test_only_plain_good_arrays_are_ready():
    assert is_ready(X)
    assert is_ready(X.astype(np.float32))
    assert is_ready(np.full((2, 2), 1e308)), "the sum of all is not finite, but each of them is"
    bad = X.copy()
    bad[1, 1] = np.nan
    both = np.array([[np.inf, -np.inf]])
    for rows in (sparse.csr_array(X), sparse.csr_matrix(X.astype(np.float32))):
        assert is_ready(rows)
    sparse_ones = (sparse.csr_array(bad), sparse.csr_array(X.astype(int)), sparse.csc_array(X), sparse.csr_array(X)[:0])
    for other in (X.T, X[0], X[:0], X.astype(int), X.tolist(), bad, both, *sparse_ones):
        assert not is_ready(other)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (np.array([[1.0, np.nan]]), "Input X contains NaN"),
        (np.array([[1.0, np.inf]]), "Input X contains infinity"),
        (np.arange(3.0), "Expected 2D array, got 1D array instead"),
        (np.ones((0, 2)), r"Found array with 0 sample\(s\)"),
        (np.ones((2, 0)), r"Found array with 0 feature\(s\)"),
        (np.ones((2, 2)) * 1j, "Complex data not supported"),
        ([["a", "b"]], "could not convert string to float"),
    ],
)
def test_bad_rows(given, message):
    with pytest.raises(InvalidInput, match=message):
        feature_matrix(given)


def test_a_kernel_matrix_is_dense_and_square():
    with pytest.raises(InvalidInput, match=r"must be a square matrix\. Input is a 4x3 matrix\."):
        feature_matrix(X, pairwise=True)
    with pytest.raises(TypeError, match="Sparse precomputed kernels are not supported"):
        feature_matrix(sparse.eye_array(3, format="csr"), pairwise=True)


@pytest.mark.parametrize("container", [sparse.csr_array, sparse.csr_matrix])
@pytest.mark.parametrize("index", [np.int32, np.int64])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_canonical_csr_is_not_copied(container, index, dtype):
    matrix = container(X.astype(dtype))
    matrix.indices, matrix.indptr = matrix.indices.astype(index), matrix.indptr.astype(index)
    got = feature_matrix(matrix)
    assert got.dtype == dtype
    assert got.indices.dtype == got.indptr.dtype == index
    assert np.shares_memory(got.data, matrix.data)


def test_other_csr_is_made_canonical_and_the_callers_is_left_alone():
    data, indices, indptr = np.array([3.0, 1.0, 1.0, 5.0]), np.array([2, 0, 2, 1]), np.array([0, 3, 4])
    matrix = sparse.csr_array((data, indices.copy(), indptr), shape=(2, 3))
    got = canonical(matrix)
    np.testing.assert_array_equal(got.toarray(), [[1.0, 0.0, 4.0], [0.0, 5.0, 0.0]])
    assert got.has_canonical_format
    np.testing.assert_array_equal(matrix.indices, indices)


def test_mixed_index_types_become_one():
    matrix = sparse.csr_array(X)
    matrix.indptr = matrix.indptr.astype(np.int64)
    got = canonical(matrix)
    assert got.indices.dtype == got.indptr.dtype == np.int64


@pytest.mark.parametrize(
    ("given", "objects"),
    [
        (X, False),
        (X.tolist(), False),
        ([X[0], X[1]], False),
        (((1, 2), (3, 4.5)), False),
        (sparse.csr_array(X), False),
        (np.arange(5.0), True),
        (np.ones((2, 2, 2)), True),
        (X.astype(str), True),
        (["ab", "c"], True),
        ([[1, 2], [3]], True),
        ([{"a": 1}, {"b": 2}], True),
        ([["a", "b"], ["c", "d"]], True),
    ],
)
def test_which_rows_are_objects(given, objects):
    assert rows_are_objects(given) is objects


def test_object_rows():
    words = ["a", "b"]
    assert object_rows(words) is words
    with pytest.raises(InvalidInput, match=r"Got one str\. Wrap it in a list"):
        object_rows("ab")
    with pytest.raises(InvalidInput, match="must be a sequence of rows"):
        object_rows(3)
    with pytest.raises(InvalidInput, match=r"Found array with 0 sample\(s\)"):
        object_rows([])


def test_rows_of_any_kind_are_counted_and_taken():
    rows = np.array([2, 0])
    for given in (X, sparse.csr_array(X), list("abcd")):
        assert length(given) == 4
        assert shape(given)[0] == 4
        assert length(take_rows(given, rows)) == 2
    assert take_rows(list("abcd"), rows) == ["c", "a"]
    assert shape(list("abcd")) == (4,)


def test_check_of_csr_arrays_agrees_with_a_look_at_each_row():
    rng = np.random.default_rng(0)
    seen = set()
    for _ in range(2000):
        n, d = int(rng.integers(1, 8)), int(rng.integers(0, 6))
        kind, starts = rng.choice([np.int32, np.int64], 2), np.concatenate([[0], np.cumsum(rng.integers(0, 4, n))])
        columns = rng.integers(-(rng.random() < 0.2), max(d, 1) + (rng.random() < 0.2), starts[-1]).astype(kind[1])
        rows = [columns[begin:end] for begin, end in itertools.pairwise(starts)]  # views
        if rng.random() < 0.5:
            for row in rows:
                row.sort()
        if len(columns) and rng.random() < 0.1:
            limits = np.iinfo(columns.dtype)
            columns[rng.integers(len(columns))] = rng.choice([limits.min, limits.max])
        found = _core.csr_check(starts.astype(kind[0]), columns, n, d, len(columns))
        inside = all(0 <= column < d for column in columns.tolist())
        assert (found.fault is _core.CsrFault.none) == inside
        if inside:
            assert found.canonical == all(a < b for row in rows for a, b in itertools.pairwise(row.tolist()))
        seen.add((inside, found.canonical))
    assert len(seen) == 4


def test_one_fault_among_many_rows_is_seen():
    rng = np.random.default_rng(1)
    counts = rng.integers(0, 30, 40_000)  # several chunks, and empty rows where they meet
    starts = np.concatenate([[0], np.cumsum(counts)]).astype(np.int32)
    columns = (np.arange(starts[-1]) - np.repeat(starts[:-1], counts)).astype(np.int32)
    assert _core.csr_check(starts, columns, len(counts), 30, len(columns)).canonical
    for row in rng.choice(np.flatnonzero(counts > 1), 20):
        twice, outside = columns.copy(), columns.copy()
        twice[starts[row] + 1] = twice[starts[row]]
        outside[starts[row]] = 30
        assert not _core.csr_check(starts, twice, len(counts), 30, len(columns)).canonical
        assert _core.csr_check(starts, outside, len(counts), 30, len(columns)).fault is _core.CsrFault.columns
