"""Kernels of strings, graphs, series, bags and records: against their definitions, and the laws of all kernels."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone

import maxmargin
from maxmargin.kernels import (
    RBF,
    GappedKmer,
    GappySubsequence,
    GlobalAlignment,
    Linear,
    Mismatch,
    RelationalKernel,
    SetKernel,
    ShortestPath,
    Spectrum,
    WeightedDegree,
    WeisfeilerLehman,
)

from . import _brute_force as brute

few = settings(max_examples=40, deadline=None)
words = st.lists(st.text("abc", max_size=9), min_size=2, max_size=6).filter(lambda X: max(map(len, X)) >= 4)
numbers = st.floats(-3, 3)
series = st.lists(st.lists(numbers, max_size=7), min_size=2, max_size=5).filter(lambda X: any(map(len, X)))


@st.composite
def graphs(draw: Any) -> Any:
    n = draw(st.integers(1, 6))
    node = st.integers(0, n - 1)
    edges = draw(st.lists(st.tuples(node, node).filter(lambda e: e[0] < e[1]), max_size=8, unique=True)) if n > 1 else []
    labels = draw(st.lists(st.sampled_from("CNO"), min_size=n, max_size=n))
    return edges, labels, draw(st.lists(st.sampled_from([1, 2]), min_size=len(edges), max_size=len(edges)))


def _agrees(kernel: Any, value: brute.Value, X: Any, tolerance: float = 1e-12) -> None:
    for normalise in (True, False):
        k = clone(kernel).set_params(normalise=normalise)
        K = brute.gram(value, X, X, normalise=normalise)
        np.testing.assert_allclose(k(X), K, rtol=tolerance, atol=tolerance)
        np.testing.assert_allclose(k.bind(X).cross(X, X[1:]), K[:, 1:], rtol=tolerance, atol=tolerance)


@few
@given(words)
def test_strings_by_definition(X: list[str]) -> None:
    _agrees(Spectrum(k=2), brute.spectrum(2), X)
    _agrees(GappedKmer(l=4, k=2), brute.gapped(4, 2), X)
    _agrees(Mismatch(k=3, m=1, alphabet="abc"), brute.mismatch(3, 1, "abc"), X)
    _agrees(Mismatch(k=2, m=1, alphabet=4), brute.mismatch(2, 1, "abcd"), X)
    _agrees(GappySubsequence(k=3, decay=0.7), brute.subsequences(3, 0.7), X, 1e-10)
    _agrees(WeightedDegree(degree=4), brute.weighted_degree(4), X)


def test_mismatch_counts_the_symbols_of_the_training_rows() -> None:
    X = ["abca", "bbca", "dcab"]
    np.testing.assert_allclose(Mismatch(k=4, m=2)(X), brute.gram(brute.mismatch(4, 2, "abcd"), X, X), rtol=1e-12)


def test_long_strings_cross_words_of_64_positions() -> None:
    rng = np.random.default_rng(0)
    X = ["".join(rng.choice(list("ACGT"), n, p=[0.7, 0.1, 0.1, 0.1])) for n in (200, 193, 64, 65, 128, 700)]
    _agrees(WeightedDegree(degree=5), brute.weighted_degree(5), X)
    _agrees(Spectrum(k=1), brute.spectrum(1), X)  # counts above 255
    _agrees(GappedKmer(l=3, k=2), brute.gapped(3, 2), X)


def test_degrees_beyond_the_longest_string() -> None:
    _agrees(WeightedDegree(degree=9), brute.weighted_degree(9), ["abcab", "abb", "", "cab"])


def test_both_strands() -> None:
    X = ["ACGTTGCA", "ACCA", "TTTTTTG", "NACGu"]
    table = str.maketrans("ACGTUacgtu", "TGCAAtgcaa")
    value = brute.gapped(4, 3, lambda s: [s, s.translate(table)[::-1]])
    _agrees(GappedKmer(l=4, k=3, reverse_complement=True), value, X)
    K = GappedKmer(l=4, k=3, reverse_complement=True)(["AACG", "CGTT"])
    np.testing.assert_allclose(K, 1.0, rtol=1e-15)


def test_tokens_are_any_symbols() -> None:
    X = [["the", "cat", "sat"], ("the", "dog", "sat", "the"), np.array(["a", "cat"]), []]
    K = Spectrum(k=1, normalise=False)(X)
    np.testing.assert_array_equal(K, brute.gram(brute.spectrum(1), [list(x) for x in X], [list(x) for x in X], normalise=False))
    assert Spectrum(k=2)([[1, 2, 3], [1, 2, 3]])[0, 1] == 1.0  # whole numbers are tokens, also in rows that look like vectors
    assert Spectrum(k=1)(["äöü😀", "😀"])[0, 1] == 0.5
    assert Spectrum(k=2)([b"ACG", "ACG"])[0, 1] == 1.0
    large = [[int(n) for n in row] for row in np.random.default_rng(0).integers(0, 2**40, (3, 30))]
    np.testing.assert_array_equal(GappedKmer(l=8, k=7)(large), np.eye(3))  # an alphabet of which 7 symbols are beyond 64 bits


@few
@given(st.lists(graphs(), min_size=2, max_size=5))
def test_graphs_by_definition(X: list[Any]) -> None:
    _agrees(WeisfeilerLehman(h=2), brute.weisfeiler_lehman(2), X)
    _agrees(ShortestPath(), brute.shortest_path, X)


@few
@given(series)
def test_series_by_definition(X: list[list[float]]) -> None:
    _agrees(GlobalAlignment(sigma=0.8), brute.alignment(0.8), X, 1e-10)


def test_series_of_several_dimensions() -> None:
    rng = np.random.default_rng(1)
    X = [rng.normal(size=(n, 3)) for n in (4, 9, 17)]
    _agrees(GlobalAlignment(sigma=2.0), brute.alignment(2.0), X, 1e-10)
    np.testing.assert_array_equal(GlobalAlignment(sigma=2.0)(np.ones((2, 5, 1))), GlobalAlignment(sigma=2.0)(np.ones((2, 5))))


@pytest.mark.parametrize("sigma", [0.003, 0.05, 1.0])
def test_alignments_beyond_the_range_of_doubles(sigma: float) -> None:
    """Cells that a double cannot hold: narrow local kernels make all but the best path vanish, or all paths."""
    rng = np.random.default_rng(2)
    X = [rng.normal(size=n) for n in (150, 160, 150)]
    X[2][:] = X[0] + 0.3 * sigma * rng.normal(size=150)
    log = np.array([[brute.log_alignment(x, y, sigma) for y in X] for x in X])
    expected = np.exp(log - np.add.outer(np.diag(log), np.diag(log)) / 2)
    np.testing.assert_allclose(GlobalAlignment(sigma=sigma)(X), expected, rtol=1e-9, atol=1e-300)


def test_bags_and_records_by_definition() -> None:
    rng = np.random.default_rng(3)
    X = [rng.normal(size=(n, 2)) for n in (3, 1, 0, 5)]

    def rbf(a: Any, b: Any) -> float:
        return float(np.exp(-0.5 * np.square(a - b).sum()))

    _agrees(SetKernel(base=RBF(gamma=0.5)), brute.bags(rbf), X)
    strings = [["ab", "ba"], ["abab"], []]
    _agrees(SetKernel(base=Spectrum(k=2, normalise=False)), brute.bags(brute.spectrum(2)), strings)
    records = [(np.array([1.0, k]), rows) for k, rows in enumerate(X)]
    sets = brute.gram(brute.bags(rbf), X, X)
    own = np.array([[float(a[0] @ b[0]) for b in records] for a in records])
    kernel = RelationalKernel(own=Linear(), related=RBF(gamma=0.5), constant=0.5, normalise=False)
    np.testing.assert_allclose(kernel(records), own * (0.5 + sets), rtol=1e-12)
    tables = [(rows, ["ab"] * (1 + k)) for k, rows in enumerate(X)]
    both = RelationalKernel(own=None, related=(RBF(gamma=0.5), Spectrum(k=2)), normalise=False)
    np.testing.assert_allclose(both(tables), (1.0 + sets) * 2.0, rtol=1e-12)


RNG = np.random.default_rng(4)
STRINGS = ["".join(RNG.choice(list("ACGT"), n)) for n in RNG.integers(0, 40, 37)] + ["", "A", "ACGTACGTAC"]
GRAPHS = [
    ([(int(u), int(v)) for u, v in RNG.integers(0, 6, (7, 2)) if u != v], RNG.integers(0, 3, 6).tolist()) for _ in range(25)
]
SERIES = [RNG.normal(size=n) for n in RNG.integers(0, 30, 25)]
BAGS = [RNG.normal(size=(n, 2)) for n in RNG.integers(0, 6, 25)]
RECORDS = [(RNG.normal(size=2), bag) for bag in BAGS]
CASES = [
    (Spectrum(k=3), STRINGS),
    (Mismatch(k=3, m=1), STRINGS),
    (GappedKmer(l=5, k=3), STRINGS),
    (GappySubsequence(k=2, decay=0.6), STRINGS),
    (WeightedDegree(degree=3), STRINGS),
    (WeightedDegree(degree=3) ** 2 + 0.5 * Spectrum(k=2) * Mismatch(k=2, m=1), STRINGS),
    ((Spectrum(k=2, normalise=False) + Spectrum(k=3, normalise=False)).normalised(), STRINGS),
    (WeisfeilerLehman(h=2), GRAPHS),
    (ShortestPath(), GRAPHS),
    (GlobalAlignment(), SERIES),
    (SetKernel(base=RBF(gamma=0.5)), BAGS),
    (RelationalKernel(), RECORDS),
]
each_case = pytest.mark.parametrize(("kernel", "X"), CASES, ids=[str(kernel)[:60] for kernel, _ in CASES])


def _between_collections(kernel: Any) -> float:
    """What values may differ by: distances of vectors are taken about a centre, which is that of all rows in a block."""
    return 1e-14 if isinstance(kernel, SetKernel | RelationalKernel) else 0.0


@each_case
def test_laws(kernel: Any, X: list[Any]) -> None:
    """Symmetric to the last bit, positive semidefinite, the same bits in any block and for any number of threads."""
    bound = kernel.bind(X)
    gram, n = bound.gram(X), len(X)
    every = np.arange(n)
    K = gram.block(every, every)
    np.testing.assert_array_equal(K, K.T)
    np.testing.assert_array_equal(np.diag(K), gram.diagonal())
    np.testing.assert_array_equal(gram.diagonal(), bound.diagonal(X))
    assert bound.mercer
    assert np.linalg.eigvalsh(K)[0] >= -1e-12 * np.trace(K)
    fresh = bound.gram(X)
    before = maxmargin.get_threads()
    try:
        for threads in (1, 3):
            maxmargin.set_threads(threads)
            for rows, columns in ((every[3:4], every), (every[::3], every[1:4]), (every[:9], every[::-1])):
                np.testing.assert_array_equal(fresh.block(rows, columns), K[np.ix_(rows, columns)])
    finally:
        maxmargin.set_threads(before)
    np.testing.assert_array_equal(gram.take([5, 2, 9]).block([0, 2], [1]), K[[5, 9]][:, [2]])
    np.testing.assert_allclose(gram.matvec(K[0]), K @ K[0], rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(bound.cross(X[:7], X[4:]), K[:7, 4:], rtol=0, atol=_between_collections(kernel))
    coefficients = np.random.default_rng(0).normal(size=(2, 8))
    sums = bound.weighted_sums(X, X[:8], coefficients, [0, 3, 8])
    np.testing.assert_allclose(sums[1], coefficients[:, 3:] @ K[:, 3:8].T, rtol=1e-12, atol=1e-12)


@each_case
def test_kernels_are_small_picklable_objects(kernel: Any, X: list[Any]) -> None:
    again = pickle.loads(pickle.dumps(kernel))
    assert again == kernel
    assert clone(kernel).get_params().keys() == kernel.get_params().keys()
    found = pickle.loads(pickle.dumps(kernel.bind(X))).cross(X[:3], X)
    np.testing.assert_allclose(found, kernel(X)[:3], rtol=0, atol=_between_collections(kernel))
