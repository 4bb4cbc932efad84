"""Weights of objects are copies, also in what kernels take from the training rows; and the order of rows does not matter."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from maxmargin import SVC
from maxmargin.kernels import (
    RBF,
    GappedKmer,
    GappySubsequence,
    GlobalAlignment,
    Mismatch,
    RelationalKernel,
    SetKernel,
    ShortestPath,
    Spectrum,
    WeightedDegree,
    WeisfeilerLehman,
)

RNG = np.random.default_rng(0)
N = 20
LABELS = np.arange(N) % 2
STRINGS = ["".join(RNG.choice(list("ACGT"), n)) for n in RNG.integers(5, 12, N)]
BAGS = [RNG.normal(size=(n, 2)) * (1 + k) for k, n in enumerate(RNG.integers(0, 5, N))]
RECORDS = [(RNG.normal(size=2) * (1 + k), bag) for k, bag in enumerate(BAGS)]
TABLES = [(bag, bag[:1] ** 2) for bag in BAGS]
SERIES = [RNG.normal(size=n) * (1 + k) for k, n in enumerate(RNG.integers(3, 9, N))]
LONG = [RNG.normal(size=(60, 2)) * (1 + k) for k in range(N)]
GRAPHS = [([(int(u), int(v)) for u, v in RNG.integers(0, 5, (6, 2))], RNG.integers(0, 3, 5).tolist()) for _ in range(N)]
CASES: list[tuple[Any, Any]] = [
    (Spectrum(k=2), STRINGS),
    (Mismatch(k=3, m=1), [*STRINGS[:-1], "NNNACGT"]),
    (GappedKmer(l=4, k=2), STRINGS),
    (GappySubsequence(k=2), STRINGS),
    (WeightedDegree(degree=2), STRINGS),
    (WeisfeilerLehman(h=2), GRAPHS),
    (ShortestPath(), GRAPHS),
    (GlobalAlignment(), SERIES),
    (GlobalAlignment(), LONG),
    (SetKernel(), BAGS),
    (SetKernel(base=GlobalAlignment()), [SERIES[k : k + 1 + k % 3] for k in range(N)]),
    (RelationalKernel(), RECORDS),
    (RelationalKernel(own=None, related=(RBF(), RBF())), TABLES),
    (SetKernel() + 0.5 * SetKernel() ** 2, BAGS),
]
each_case = pytest.mark.parametrize(("kernel", "X"), CASES, ids=[f"{kernel}"[:50] for kernel, _ in CASES])


def _scores(kernel: Any, X: list[Any], y: Any, new: list[Any], weight: Any = None) -> Any:
    return SVC(kernel=kernel, tol=1e-8).fit(X, y, sample_weight=weight).decision_function(new)


@each_case
def test_weights_are_copies(kernel: Any, X: list[Any]) -> None:
    weight = np.where(np.arange(N) < 5, 3.0, 1.0)
    weight[-4:] = 0.0
    rows = np.repeat(np.arange(N), weight.astype(int))
    copied = _scores(kernel, [X[row] for row in rows], LABELS[rows], X)
    np.testing.assert_allclose(_scores(kernel, X, LABELS, X, weight), copied, atol=1e-6)


@each_case
def test_order_does_not_matter(kernel: Any, X: list[Any]) -> None:
    rows = RNG.permutation(N)
    turned = _scores(kernel, [X[row] for row in rows], LABELS[rows], X)
    np.testing.assert_allclose(_scores(kernel, X, LABELS, X), turned, atol=1e-6)


def test_sigma_is_the_median_of_distances_and_lengths() -> None:
    def rate(X: Any, weight: Any = None) -> float:
        return float(GlobalAlignment(sigma="median").bind(X, weight).rate)  # type: ignore[attr-defined]

    moments = np.concatenate(SERIES)
    distances = np.abs(np.subtract.outer(moments, moments))[np.triu_indices(len(moments), 1)]
    sigma = np.median(distances) * np.sqrt(np.median([len(each) for each in SERIES]))
    np.testing.assert_allclose(rate(SERIES), 0.5 / sigma**2, rtol=1e-12)
    assert rate(SERIES, np.full(N, 0.1)) == rate(SERIES)
    long = [each[:, 0] for each in LONG]
    moments = np.concatenate(long)
    distances = np.abs(np.subtract.outer(moments, moments))[np.triu_indices(len(moments), 1)]
    np.testing.assert_allclose(rate(long), 0.5 / (np.median(distances) ** 2 * 60), rtol=0.02)
    some: Any = GlobalAlignment(sigma="0.2 * median").bind(SERIES)
    np.testing.assert_allclose(some.rate, 0.5 / (0.2 * sigma) ** 2, rtol=1e-12)
    assert GlobalAlignment().bind(SERIES) == some
    assert rate([[1.0, 1.0], [1.0]]) == 0.5
    assert rate([[], []]) == 0.5
