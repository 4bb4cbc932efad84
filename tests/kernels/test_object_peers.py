"""Kernels of objects against GraKeL and tslearn (the bench extra) and strkernels, where they are installed."""

from __future__ import annotations

import numpy as np
import pytest

from maxmargin.kernels import GappySubsequence, GlobalAlignment, ShortestPath, Spectrum, WeightedDegree, WeisfeilerLehman

RNG = np.random.default_rng(0)


def test_graphs_agree_with_grakel() -> None:
    grakel = pytest.importorskip("grakel", reason="GraKeL is not installed: pip install grakel, or make bench")
    X = []
    for n in RNG.integers(4, 12, 30):
        edges = [(int(u), int(v)) for u, v in RNG.integers(0, n, (n + 3, 2)) if u != v]
        X.append((edges, RNG.integers(0, 3, n).tolist()))
    both_ways = [{(u, v): 1 for edge in edges for u, v in (edge, edge[::-1])} for edges, _ in X]
    graphs = [grakel.Graph(edges, node_labels=dict(enumerate(row[1]))) for edges, row in zip(both_ways, X, strict=True)]
    refined = grakel.WeisfeilerLehman(n_iter=3, normalize=True, base_graph_kernel=grakel.VertexHistogram)
    np.testing.assert_allclose(WeisfeilerLehman(h=3)(X), refined.fit_transform(graphs), rtol=1e-12)
    paths = grakel.ShortestPath(normalize=True, with_labels=True)
    np.testing.assert_allclose(ShortestPath()(X), paths.fit_transform(graphs), rtol=1e-12)


def test_series_agree_with_tslearn() -> None:
    metrics = pytest.importorskip("tslearn.metrics", reason="tslearn is not installed: pip install tslearn, or make bench")
    X = RNG.normal(size=(12, 40, 2)).cumsum(axis=1)
    np.testing.assert_allclose(GlobalAlignment(sigma=3.0)(X), metrics.cdist_gak(X, sigma=3.0), rtol=1e-9, atol=1e-14)


def test_strings_agree_with_strkernels() -> None:
    """Its spectrum and its subsequences are of all lengths up to the given one."""
    strkernels = pytest.importorskip("strkernels", reason="strkernels (GPL, for tests only) is not installed: pip install it")
    X = ["".join(RNG.choice(list("ACGT"), 30)) for _ in range(20)]
    A = np.array(X)
    degrees = strkernels.WeightedDegreeStringKernel(degree=4)(A, A)
    np.testing.assert_allclose(WeightedDegree(degree=4)(X), degrees, rtol=1e-12)
    lengths = strkernels.SpectrumStringKernel(normalizer=None, order=4)(A, A)
    np.testing.assert_array_equal(sum(Spectrum(k=k, normalise=False) for k in range(1, 5))(X), lengths)  # type: ignore[operator]
    gappy = strkernels.SubsequenceStringKernel(maxlen=3, ssk_lambda=0.5)(A, A)
    ours = sum(GappySubsequence(k=k, decay=0.5, normalise=False) for k in range(1, 4)).normalised()  # type: ignore[union-attr]
    np.testing.assert_allclose(ours(X), gappy, rtol=1e-12)
