"""Kernels of objects, each with its definition in plain Python."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

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

from ...kernels import _brute_force as brute
from ._programs import Array

Objects = list[Any]
Reference = Callable[[Objects, Objects], Array]

ROWS, NEW = 42, 12


@dataclass(frozen=True, eq=False)
class ObjectCase:
    """A kernel of objects, objects that it takes, the same kernel by its definition, and values for each of its parameters.

    The objects are of three classes in turn, with empty ones among them and, of strings, some that are shorter than k.
    """

    name: str
    kernel: Any
    make: Callable[[int, int], Objects]
    reference: Reference
    grid: Mapping[str, list[Any]]
    between: float = 0.0  # what values may differ by in other collections: vectors are taken about their centre

    @cached_property
    def X(self) -> Objects:
        """Training objects."""
        return self.make(ROWS, 0)

    @cached_property
    def new(self) -> Objects:
        """Objects to predict."""
        return self.make(NEW, 1)

    @cached_property
    def K(self) -> Array:
        """The matrix of the training objects."""
        return self.reference(self.X, self.X)

    @cached_property
    def across(self) -> Array:
        """Those to predict (down) against the training objects."""
        return self.reference(self.new, self.X)

    def __str__(self) -> str:
        return self.name


def _strings(n: int, seed: int) -> Objects:
    rng = np.random.default_rng(seed)
    odds = np.eye(4)[np.arange(n) % 3] * 0.4 + 0.15
    made = ["".join(rng.choice(list("ACGT"), rng.integers(5, 14), p=p)) for p in odds]
    return [*made[: n - 3], "", "AC"[: 1 + seed], "A"]


def _graphs(n: int, seed: int) -> Objects:
    rng = np.random.default_rng(seed)
    made: Objects = []
    for k in range(n):
        nodes = int(rng.integers(2, 7))
        pairs = sorted({(min(e), max(e)) for e in rng.integers(0, nodes, (5 + 2 * (k % 3), 2)).tolist() if e[0] != e[1]})
        labels = rng.choice(list("CNO"), nodes, p=np.eye(3)[k % 3] * 0.4 + 0.2).tolist()
        made.append((pairs, labels, rng.integers(1, 3, len(pairs)).tolist()))
    return [*made[: n - 2], ([], []), ([], ["C"])]


def _series(n: int, seed: int) -> Objects:
    rng = np.random.default_rng(seed)
    made = [np.sin((1 + k % 3) * np.linspace(0, 3, m)) + 0.2 * rng.normal(size=m) for k, m in enumerate(rng.integers(5, 12, n))]
    return [*made[: n - 2], np.empty(0), np.zeros(1)]


def _bags(n: int, seed: int) -> Objects:
    rng = np.random.default_rng(seed)
    made: Objects = [rng.normal(size=(m, 2)) + np.eye(3)[k % 3, :2] for k, m in enumerate(rng.integers(1, 6, n))]
    return [*made[: n - 1], np.empty((0, 2))]


def _bags_of_strings(n: int, seed: int) -> Objects:
    strings = _strings(3 * n, seed)
    return [[], *([*strings[k :: 3 * n // 2][: k % 4], strings[k]] for k in range(n - 1))]


def _records(n: int, seed: int) -> Objects:
    own = np.random.default_rng(seed + 5).normal(size=(n, 2))
    return list(zip(own, _bags(n, seed), strict=True))


def _tables(n: int, seed: int) -> Objects:
    return list(zip(_bags(n, seed), _bags_of_strings(n, seed), strict=True))


def _by(value: brute.Value, *, normalise: bool = True) -> Reference:
    return lambda A, B: brute.gram(value, A, B, normalise=normalise)


def _rbf(a: Any, b: Any) -> float:
    return float(np.exp(-0.5 * np.square(np.asarray(a) - np.asarray(b)).sum()))


def _strands(s: str) -> list[str]:
    return [s, s.translate(str.maketrans("ACGT", "TGCA"))[::-1]]


def _record_value(a: Any, b: Any) -> float:
    return float(a[0] @ b[0]) * (0.5 + float(brute.gram(brute.bags(_rbf), [a[1]], [b[1]])[0, 0]))


def _table_value(a: Any, b: Any) -> float:
    words = brute.bags(lambda s, t: float(brute.gram(brute.spectrum(2), [s], [t])[0, 0]))
    tables = (brute.bags(_rbf), words)
    return float(np.prod([1.0 + brute.gram(value, [a[k]], [b[k]])[0, 0] for k, value in enumerate(tables)]))


_SPECTRUM, _DEGREE = _by(brute.spectrum(2)), _by(brute.weighted_degree(3))
_PLAIN = _by(brute.spectrum(2), normalise=False), _by(brute.spectrum(3), normalise=False)


def _normalised_sum(A: Objects, B: Objects) -> Array:
    down, across = (np.array([sum(k([x], [x])[0, 0] for k in _PLAIN) for x in X]) for X in (A, B))
    K = sum(k(A, B) for k in _PLAIN)
    lengths = np.sqrt(np.multiply.outer(down, across))
    nothing = np.add.outer(down, across) == 0.0
    return np.asarray(np.where(lengths > 0.0, K / np.where(lengths > 0.0, lengths, 1.0), nothing * 1.0))


BOTH = [True, False]

OBJECTS = [
    ObjectCase("spectrum", Spectrum(k=3), _strings, _by(brute.spectrum(3)), {"k": [1, 3], "normalise": BOTH}),
    ObjectCase(
        "mismatch",
        Mismatch(k=3, m=1, alphabet="ACGT"),
        _strings,
        _by(brute.mismatch(3, 1, "ACGT")),
        {"k": [3, 4], "m": [0, 2], "alphabet": [None, 4, "ACGTN"], "normalise": BOTH},
    ),
    ObjectCase(
        "gapped k-mers",
        GappedKmer(l=4, k=2),
        _strings,
        _by(brute.gapped(4, 2)),
        {"l": [3, 5], "k": [1, 3], "reverse_complement": BOTH, "normalise": BOTH},
    ),
    ObjectCase(
        "gapped k-mers of both strands",
        GappedKmer(l=4, k=3, reverse_complement=True),
        _strings,
        _by(brute.gapped(4, 3, _strands)),
        {"l": [3, 4], "k": [2, 3], "reverse_complement": BOTH, "normalise": BOTH},
    ),
    ObjectCase(
        "gappy subsequences",
        GappySubsequence(k=2, decay=0.6),
        _strings,
        _by(brute.subsequences(2, 0.6)),
        {"k": [1, 3], "decay": [0.3, 1.0], "normalise": BOTH},
    ),
    ObjectCase(
        "weighted degree",
        WeightedDegree(degree=3),
        _strings,
        _DEGREE,
        {"degree": [1, 4], "normalise": BOTH},
    ),
    ObjectCase(
        "weisfeiler lehman", WeisfeilerLehman(h=2), _graphs, _by(brute.weisfeiler_lehman(2)), {"h": [0, 3], "normalise": BOTH}
    ),
    ObjectCase("shortest paths", ShortestPath(), _graphs, _by(brute.shortest_path), {"normalise": BOTH}),
    ObjectCase(
        "global alignment",
        GlobalAlignment(sigma=0.8),
        _series,
        _by(brute.alignment(0.8)),
        {"sigma": [0.5, "median", "0.2*median"], "normalise": BOTH},
    ),
    ObjectCase(
        "bags of vectors",
        SetKernel(base=RBF(gamma=0.5)),
        _bags,
        _by(brute.bags(_rbf)),
        {"base": [RBF(gamma=1.0), Linear() + RBF()], "base__gamma": [0.1, "scale"], "base__sigma": [None], "normalise": BOTH},
        between=1e-13,
    ),
    ObjectCase(
        "bags of strings",
        SetKernel(base=Spectrum(k=2, normalise=False)),
        _bags_of_strings,
        _by(brute.bags(brute.spectrum(2))),
        {"base": [Spectrum(k=1)], "base__k": [1, 3], "base__normalise": BOTH, "normalise": BOTH},
    ),
    ObjectCase(
        "records",
        RelationalKernel(own=Linear(), related=RBF(gamma=0.5), constant=0.5),
        _records,
        _by(_record_value),
        {
            "own": [RBF(), Linear()],
            "related": [RBF(gamma=0.5), Linear()],
            "related__gamma": [0.1, "scale"],
            "related__sigma": [None],
            "constant": [0.0, 1.0],
            "normalise": BOTH,
        },
        between=1e-13,
    ),
    ObjectCase(
        "records of two tables",
        RelationalKernel(own=None, related=(RBF(gamma=0.5), Spectrum(k=2))),
        _tables,
        _by(_table_value),
        {"own": [None], "related": [(RBF(gamma=0.1), Spectrum(k=1))], "constant": [0.5, 2.0], "normalise": BOTH},
        between=1e-13,
    ),
    ObjectCase(
        "sum",
        Spectrum(k=2) + 0.5 * WeightedDegree(degree=3),
        _strings,
        lambda A, B: _SPECTRUM(A, B) + 0.5 * _DEGREE(A, B),
        {
            "left": [Spectrum(k=1)],
            "left__k": [1, 2],
            "left__normalise": BOTH,
            "right": [WeightedDegree(degree=2)],
            "right__factor": [0.1, 2.0],
            "right__kernel": [Spectrum(k=3)],
            "right__kernel__degree": [2, 5],
            "right__kernel__normalise": BOTH,
        },
    ),
    ObjectCase(
        "product",
        Spectrum(k=2) * WeightedDegree(degree=3),
        _strings,
        lambda A, B: _SPECTRUM(A, B) * _DEGREE(A, B),
        {
            "left": [Mismatch(k=2, m=1)],
            "left__k": [1, 2],
            "left__normalise": BOTH,
            "right": [Spectrum(k=1)],
            "right__degree": [2, 5],
            "right__normalise": BOTH,
        },
    ),
    ObjectCase(
        "integer power",
        WeightedDegree(degree=3) ** 3,
        _strings,
        lambda A, B: _DEGREE(A, B) ** 3,
        {"kernel": [Spectrum(k=2)], "kernel__degree": [1, 3], "kernel__normalise": BOTH, "exponent": [1, 2]},
    ),
    ObjectCase(
        "normalised sum",
        (Spectrum(k=2, normalise=False) + Spectrum(k=3, normalise=False)).normalised(),
        _strings,
        _normalised_sum,
        {
            "kernel": [Spectrum(k=2)],
            "kernel__left": [Spectrum(k=1)],
            "kernel__left__k": [1, 2],
            "kernel__left__normalise": BOTH,
            "kernel__right": [Spectrum(k=4)],
            "kernel__right__k": [3, 4],
            "kernel__right__normalise": BOTH,
        },
    ),
]
"""To add a kernel of objects is a line here."""
