"""The order in which shuffled stochastic steps go through weighted rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final, Self, final

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from maxmargin import _core
from maxmargin.validation import take_rows

__all__ = ["RowOrder"]

_SAME: Final = 1e-12  # of the largest key: rows whose keys differ by less may be equal
_PAIRS: Final = 1024  # compared at a time


@final
@dataclass(frozen=True, eq=False)
class RowOrder:
    """Weighted rows in an order of their own, from which every epoch takes as many rows as there are different ones.

    Rows are sorted by a fixed linear function of their features, and equal rows stand together. An epoch takes the rows at
    ``(k + u)/steps`` of the total weight, ``k = 0, …, steps − 1`` in random order, with one random u (systematic sampling). A
    row is taken in proportion to its weight, and where all are different and of equal weight each is taken once. So the steps
    depend on the weighted rows alone: neither on their order, nor on whether a row is there twice or has weight 2.

    Attributes
    ----------
    rows : ndarray of shape (n,)
        Row numbers, sorted.
    shares : ndarray of shape (n,)
        Sum of the weights up to each, of a total of 1.
    steps : int
        Steps of an epoch: the number of different rows.
    copy_of : ndarray of shape (n,) or None
        Of each row the one that stands for all that are equal to it; None where all rows are different.
    """

    rows: NDArray[np.intp]
    shares: NDArray[np.float64]
    steps: int
    copy_of: NDArray[np.intp] | None

    @classmethod
    def of(cls, X: Any, features: _core.Features, label: NDArray[Any], weight: NDArray[np.float64]) -> Self:
        """Sort rows with labels; rows that differ in their label only are different."""
        direction = np.random.default_rng(0).random(X.shape[1]) + 0.5
        with np.errstate(over="ignore", invalid="ignore"):
            key = _core.row_products(features, direction)
            rows = np.argsort(key, kind="stable")
            apart = np.diff(key[rows]) > _SAME * float(np.abs(key).max(initial=0.0))
        copy_of = None
        if not apart.all():
            group = np.empty(len(key), dtype=np.intp)
            group[rows] = np.concatenate([[0], np.cumsum(apart)])
            rows = _sorted_within(X, np.lexsort((label, group)), group, label)
            near = np.flatnonzero((np.diff(group[rows]) == 0) & (label[rows[1:]] == label[rows[:-1]]))
            apart = np.ones(len(apart), dtype=bool)
            apart[near] = _differ(X, rows[near], rows[near + 1])
            first = np.flatnonzero(np.concatenate([[True], apart]))
            copy_of = np.empty(len(key), dtype=np.intp)
            copy_of[rows] = rows[np.repeat(first, np.diff(np.append(first, len(key))))]
        total = np.cumsum(weight[rows])
        return cls(rows, total / total[-1], 1 + int(np.count_nonzero(apart)), copy_of)

    def epoch(self, rng: np.random.Generator) -> NDArray[np.int64]:
        """The rows of one epoch."""
        places = (rng.permutation(self.steps) + rng.random()) / self.steps
        found = np.searchsorted(self.shares, places, side="right")
        rows = self.rows[np.minimum(found, len(self.rows) - 1)]
        return (rows if self.copy_of is None else self.copy_of[rows]).astype(np.int64, copy=False)

    def shared(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Values of rows, for copies those of the row that stands for them."""
        return values if self.copy_of is None else values[self.copy_of]


def _sorted_within(X: Any, rows: NDArray[np.intp], group: NDArray[np.intp], label: NDArray[Any]) -> NDArray[np.intp]:
    """Where rows of one group and label differ, by their features, one after the other: equal ones are neighbours."""
    same = (np.diff(group[rows]) == 0) & (label[rows[1:]] == label[rows[:-1]])
    near = np.flatnonzero(same)
    block = np.concatenate([[0], np.cumsum(~same)])
    mixed = np.unique(block[near[_differ(X, rows[near], rows[near + 1])]])
    starts, ends = np.searchsorted(block, mixed), np.searchsorted(block, mixed, side="right")
    for start, end in zip(starts, ends, strict=True):
        some = rows[start:end]
        found = take_rows(X, some)
        values = [_entries(row) for row in found.tocsr()] if sparse.issparse(found) else found.tolist()
        rows[start:end] = some[sorted(range(len(some)), key=values.__getitem__)]
    return rows


def _entries(row: Any) -> list[tuple[int, float]]:
    """The entries of a sparse row that are not 0, by column."""
    columns, values = row.nonzero()[-1], row.data[row.data != 0]
    return sorted(zip(columns.tolist(), values.tolist(), strict=True))


def _differ(X: Any, left: NDArray[np.intp], right: NDArray[np.intp]) -> NDArray[np.bool_]:
    """Which pairs of rows are not equal."""
    found = np.empty(len(left), dtype=bool)
    for start in range(0, len(left), _PAIRS):
        some = slice(start, start + _PAIRS)
        a, b = take_rows(X, left[some]), take_rows(X, right[some])
        found[some] = np.diff((a != b).tocsr().indptr) > 0 if sparse.issparse(X) else (a != b).any(axis=1)
    return found
