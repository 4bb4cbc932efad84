"""Kinds of data: rows, and what makes them awkward."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, NamedTuple

import numpy as np

__all__ = ["KINDS", "Drawn", "draw"]

Rng = np.random.Generator


class Drawn(NamedTuple):
    """Rows, a class of each, and a target of each."""

    X: np.ndarray
    codes: np.ndarray
    target: np.ndarray


def _sizes(rng: Rng) -> tuple[int, int]:
    share = rng.random()
    if share < 0.1:
        n = int(rng.integers(2, 6))
    elif share < 0.75:
        n = int(rng.integers(6, 41))
    elif share < 0.96:
        n = int(rng.integers(41, 121))
    else:
        n = int(rng.integers(121, 301))
    return n, int(rng.integers(1, 9))


def _codes(rng: Rng, n: int, classes: int) -> np.ndarray:
    """Random classes, each with one row at least."""
    codes = rng.integers(0, classes, n)
    codes[rng.permutation(n)[:classes]] = np.arange(classes)
    return codes


def _blobs(rng: Rng, n: int, d: int, classes: int, apart: float | None = None) -> tuple[np.ndarray, np.ndarray]:
    codes = _codes(rng, n, classes)
    centres = rng.normal(size=(classes, d)) * (rng.uniform(0.3, 4.0) if apart is None else apart)
    return centres[codes] + rng.normal(size=(n, d)), codes


def blobs(rng: Rng, n: int, d: int, classes: int) -> tuple[np.ndarray, np.ndarray]:
    return _blobs(rng, n, d, classes)


def random_labels(rng: Rng, n: int, d: int, classes: int) -> tuple[np.ndarray, np.ndarray]:
    return rng.normal(size=(n, d)), _codes(rng, n, classes)


def separable(rng: Rng, n: int, d: int, classes: int) -> tuple[np.ndarray, np.ndarray]:
    return _blobs(rng, n, d, classes, apart=12.0)


def duplicates(rng: Rng, n: int, d: int, classes: int) -> tuple[np.ndarray, np.ndarray]:
    X, codes = _blobs(rng, n, d, classes)
    take = np.concatenate([np.unique(codes, return_index=True)[1], rng.integers(0, max(2, n // 3), n)])[:n]
    return X[take], codes[take]


def contradictions(rng: Rng, n: int, d: int, classes: int) -> tuple[np.ndarray, np.ndarray]:
    """The same row with several labels."""
    X, _ = _blobs(rng, n, d, classes)
    return X[rng.integers(0, max(2, n // 3), n)], _codes(rng, n, classes)


def constant_column(rng: Rng, n: int, d: int, classes: int) -> tuple[np.ndarray, np.ndarray]:
    X, codes = _blobs(rng, n, d, classes)
    X[:, rng.integers(d)] = rng.choice([0.0, 1.0, -3.5])
    return X, codes


def huge_constant(rng: Rng, n: int, d: int, classes: int) -> tuple[np.ndarray, np.ndarray]:
    X, codes = _blobs(rng, n, d + 1, classes)
    X[:, rng.integers(d)] = rng.choice([1e6, -1e6, 1e9])
    return X, codes


def big_offset(rng: Rng, n: int, d: int, classes: int) -> tuple[np.ndarray, np.ndarray]:
    X, codes = _blobs(rng, n, d, classes)
    return X + rng.choice([1e3, 1e6, -1e8]), codes


def integers(rng: Rng, n: int, d: int, classes: int) -> tuple[np.ndarray, np.ndarray]:
    X, codes = _blobs(rng, n, d, classes)
    return np.rint(X * rng.choice([1.0, 3.0])), codes


def one_hot(rng: Rng, n: int, d: int, classes: int) -> tuple[np.ndarray, np.ndarray]:
    levels = int(rng.integers(2, 6))
    X = np.hstack([np.eye(levels)[rng.integers(0, levels, n)] for _ in range(max(1, d // 2))])
    return X, _codes(rng, n, classes)


def heavy_tails(rng: Rng, n: int, d: int, classes: int) -> tuple[np.ndarray, np.ndarray]:
    return rng.standard_cauchy(size=(n, d)), _codes(rng, n, classes)


def collinear(rng: Rng, n: int, d: int, classes: int) -> tuple[np.ndarray, np.ndarray]:
    X, codes = _blobs(rng, n, d, classes)
    rank = max(1, d // 2)
    return X[:, :rank] @ rng.integers(-2, 3, size=(rank, d + 2)), codes


def huge(rng: Rng, n: int, d: int, classes: int) -> tuple[np.ndarray, np.ndarray]:
    X, codes = _blobs(rng, n, d, classes)
    return X * rng.choice([1e150, 1e100, 1e20]), codes


def minute(rng: Rng, n: int, d: int, classes: int) -> tuple[np.ndarray, np.ndarray]:
    X, codes = _blobs(rng, n, d, classes)
    return X * rng.choice([1e-150, 1e-100, 1e-20]), codes


def denormal(rng: Rng, n: int, d: int, classes: int) -> tuple[np.ndarray, np.ndarray]:
    X, codes = _blobs(rng, n, d, classes)
    return X * 1e-310, codes


def mixed_scales(rng: Rng, n: int, d: int, classes: int) -> tuple[np.ndarray, np.ndarray]:
    X, codes = _blobs(rng, n, d, classes)
    return X * 10.0 ** rng.uniform(-8, 8, d), codes


def single_feature(rng: Rng, n: int, d: int, classes: int) -> tuple[np.ndarray, np.ndarray]:
    return _blobs(rng, n, 1, classes)


def wide(rng: Rng, n: int, d: int, classes: int) -> tuple[np.ndarray, np.ndarray]:
    n = min(n, 40)
    return _blobs(rng, n, n + d, classes)


def unix_time(rng: Rng, n: int, d: int, classes: int) -> tuple[np.ndarray, np.ndarray]:
    X, codes = _blobs(rng, n, d, classes)
    X[:, 0] = 1.7e9 + np.rint(rng.uniform(0, 1e5, n))
    return X, codes


def lattice(rng: Rng, n: int, d: int, classes: int) -> tuple[np.ndarray, np.ndarray]:
    """Few points in the plane, on a grid: ties everywhere."""
    n = max(classes, min(n, 12))
    return rng.integers(0, 3, size=(n, 2)).astype(float), _codes(rng, n, classes)


KINDS: Final[dict[str, tuple[Callable[[Rng, int, int, int], tuple[np.ndarray, np.ndarray]], bool]]] = {
    "blobs": (blobs, True),
    "random_labels": (random_labels, True),
    "separable": (separable, True),
    "duplicates": (duplicates, True),
    "contradictions": (contradictions, True),
    "constant_column": (constant_column, True),
    "integers": (integers, True),
    "one_hot": (one_hot, True),
    "collinear": (collinear, True),
    "single_feature": (single_feature, True),
    "wide": (wide, True),
    "lattice": (lattice, True),
    "huge_constant": (huge_constant, False),
    "big_offset": (big_offset, False),
    "heavy_tails": (heavy_tails, False),
    "huge": (huge, False),
    "minute": (minute, False),
    "denormal": (denormal, False),
    "mixed_scales": (mixed_scales, False),
    "unix_time": (unix_time, False),
}
"""Of each kind the function that draws it, and whether it is ordinary."""


def _target(rng: Rng, X: np.ndarray) -> np.ndarray:
    """A plane with noise, a constant, whole numbers, or something large."""
    size = np.abs(X).max(axis=0)
    unit = X / np.where(size > 0.0, size, 1.0)
    target = unit @ rng.normal(size=X.shape[1]) * rng.choice([1.0, 5.0]) + rng.choice([0.0, 0.1, 1.0]) * rng.normal(size=len(X))
    share = rng.random()
    if share < 0.05:
        return np.full(len(X), 2.5)
    if share < 0.15:
        return np.rint(3.0 * target)
    if share < 0.25:
        return target * rng.choice([1e-6, 1e6])
    if share < 0.3:
        return target + 1e6
    return target


def draw(rng: Rng, classes: int) -> tuple[str, Drawn]:
    """A kind and its rows; of fewer rows than classes there are as many classes as rows."""
    kind = str(rng.choice(list(KINDS), p=_chances()))
    n, d = _sizes(rng)
    n = max(n, classes)
    X, codes = KINDS[kind][0](rng, n, d, classes)
    return kind, Drawn(np.ascontiguousarray(X, dtype=np.float64), codes, _target(rng, X))


def _chances() -> np.ndarray:
    """Two ordinary sets to an extreme one."""
    ordinary = np.array([is_ordinary for _, is_ordinary in KINDS.values()])
    share = np.where(ordinary, 2.0 / 3.0 / ordinary.sum(), 1.0 / 3.0 / (~ordinary).sum())
    return share / share.sum()
