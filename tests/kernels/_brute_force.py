"""Kernels of objects by their definitions, in plain Python."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from itertools import combinations, product
from typing import Any

import numpy as np

Value = Callable[[Any, Any], float]


def gram(value: Value, A: Sequence[Any], B: Sequence[Any], *, normalise: bool = True) -> np.ndarray:
    """The matrix of a kernel; normalised, objects without features have a direction of their own."""
    K = np.array([[value(a, b) for b in B] for a in A], dtype=float).reshape(len(A), len(B))
    if not normalise:
        return K
    down, across = (np.array([value(x, x) for x in X]) for X in (A, B))
    lengths = np.sqrt(np.outer(down, across))
    nothing = np.where(np.add.outer(down, across) > 0.0, 0.0, 1.0)
    return np.where(lengths > 0.0, K / np.where(lengths > 0.0, lengths, 1.0), nothing)


def _inner(a: Counter[Any], b: Counter[Any]) -> float:
    return float(sum(count * b[feature] for feature, count in a.items()))


def windows(s: Sequence[Any], k: int) -> list[tuple[Any, ...]]:
    return [tuple(s[i : i + k]) for i in range(len(s) - k + 1)]


def spectrum(k: int) -> Value:
    return lambda s, t: _inner(Counter(windows(s, k)), Counter(windows(t, k)))


def gapped(length: int, k: int, strands: Callable[[Any], list[Any]] = lambda s: [s]) -> Value:
    def features(s: Any) -> Counter[Any]:
        every = (w for strand in strands(s) for w in windows(strand, length))
        return Counter((kept, tuple(w[i] for i in kept)) for w in every for kept in combinations(range(length), k))

    return lambda s, t: _inner(features(s), features(t))


def mismatch(k: int, m: int, alphabet: Sequence[Any]) -> Value:
    def features(s: Any) -> Counter[Any]:
        words = product(alphabet, repeat=k)
        near = ((u, sum(sum(a != b for a, b in zip(u, w, strict=True)) <= m for w in windows(s, k))) for u in words)
        return Counter(dict(near))

    return lambda s, t: _inner(features(s), features(t))


def subsequences(k: int, decay: float) -> Value:
    def features(s: Any) -> dict[Any, float]:
        found: dict[Any, float] = {}
        for places in combinations(range(len(s)), k):
            u = tuple(s[i] for i in places)
            found[u] = found.get(u, 0.0) + decay ** (places[-1] - places[0] + 1)
        return found

    return lambda s, t: sum(weight * features(t).get(u, 0.0) for u, weight in features(s).items())


def weighted_degree(D: int) -> Value:
    def value(s: Any, t: Any) -> float:
        n = min(len(s), len(t))
        return sum(
            2.0 * (D - d + 1) / (D * (D + 1)) * sum(s[i : i + d] == t[i : i + d] for i in range(n - d + 1))
            for d in range(1, D + 1)
        )

    return value


def _neighbours(graph: Any) -> dict[Any, set[tuple[Any, Any]]]:
    edges, labels, *rest = graph
    found: dict[Any, set[tuple[Any, Any]]] = {node: set() for node in range(len(labels))}
    for place, (u, v) in enumerate(edges):
        label = rest[0][place] if rest else None
        found[u].add((v, label))
        found[v].add((u, label))
    return found


def weisfeiler_lehman(h: int) -> Value:
    def features(graph: Any) -> Counter[Any]:
        around = _neighbours(graph)
        labels: dict[Any, Any] = dict(enumerate(graph[1]))
        found: Counter[Any] = Counter()
        for r in range(h + 1):
            found.update((r, repr(label)) for label in labels.values())
            labels = {u: (labels[u], sorted(repr((labels[v], e)) for v, e in around[u])) for u in labels}
        return found

    return lambda a, b: _inner(features(a), features(b))


def shortest_path(a: Any, b: Any) -> float:
    def features(graph: Any) -> Counter[Any]:
        n, around = len(graph[1]), _neighbours(graph)
        D = np.full((n, n), math.inf)
        for u in range(n):
            D[u, u] = 0
            for v, _ in around[u]:
                D[u, v] = min(D[u, v], 1)
        for k in range(n):
            D = np.minimum(D, D[:, [k]] + D[[k], :])
        pairs = ((u, v) for u in range(n) for v in range(n) if u != v and D[u, v] < math.inf)
        return Counter((graph[1][u], graph[1][v], int(D[u, v])) for u, v in pairs)

    return _inner(features(a), features(b))


def alignment(sigma: float) -> Value:
    def value(x: Any, y: Any) -> float:
        if not len(x) or not len(y):
            return 0.0
        X, Y = (np.asarray(z, dtype=float).reshape(len(z), -1) for z in (x, y))
        M = np.zeros((len(X) + 1, len(Y) + 1))
        M[0, 0] = 1.0
        for i, j in product(range(len(X)), range(len(Y))):
            e = math.exp(-float(np.square(X[i] - Y[j]).sum()) / (2 * sigma**2))
            M[i + 1, j + 1] = e / (2 - e) * (M[i, j] + M[i, j + 1] + M[i + 1, j])
        return float(M[-1, -1])

    return value


def log_alignment(x: np.ndarray, y: np.ndarray, sigma: float) -> float:
    """The logarithm, where the kernel itself underflows."""
    L = np.full((len(x) + 1, len(y) + 1), -math.inf)
    L[0, 0] = 0.0
    for i, j in product(range(len(x)), range(len(y))):
        d = (x[i] - y[j]) ** 2 / (2 * sigma**2)
        L[i + 1, j + 1] = -d - math.log(2 - math.exp(-d)) + np.logaddexp.reduce([L[i, j], L[i, j + 1], L[i + 1, j]])
    return float(L[-1, -1])


def bags(base: Value) -> Value:
    return lambda A, B: float(sum(base(a, b) for a in A for b in B))
