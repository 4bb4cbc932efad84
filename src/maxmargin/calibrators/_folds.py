"""Which rows are held out together: folds with the same share of every class, whatever the order of the rows."""

from __future__ import annotations

import heapq
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final, Self, final

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from maxmargin.errors import InvalidInput

__all__ = ["Folds"]

Vector = NDArray[np.float64]

_ENOUGH_ROWS: Final = 5000
_ENOUGH_OF_A_CLASS: Final = 300
_VALUES_AT_ONCE: Final = 1 << 20


@final
@dataclass(frozen=True, eq=False)
class Folds:
    """The fold of each row; a row is held out when the model of its fold is fitted.

    Attributes
    ----------
    number : ndarray of intp, shape (n,)
        The fold of each row, from 0; −1 for a row that is never held out.
    count : int
        How many folds there are.

    Examples
    --------
    >>> import numpy as np
    >>> from maxmargin.calibrators import Folds
    >>> X, codes = np.arange(12.0)[:, np.newaxis], np.repeat([0, 1], 6)
    >>> folds = Folds.of_classes(X, codes, 3)
    >>> [np.bincount(codes[held_out]).tolist() for held_out in folds]
    [[2, 2], [2, 2], [2, 2]]
    """

    number: NDArray[np.intp]
    count: int

    @classmethod
    def of_classes(
        cls,
        X: Any,
        codes: NDArray[np.intp],
        count: int,
        weight: Vector | None = None,
        *,
        seed: int = 0,
        classes: NDArray[Any] | None = None,
        purpose: str = "Probabilities",
        stacklevel: int = 3,
    ) -> Self:
        """Folds in which every class has the same share, by the rows themselves and not by their order.

        The rows of a class are sorted by their inner product with a fixed random vector, those of equal products by their
        features, and dealt out in turn, each to the fold that has least of the class. So the folds do not depend on the order
        of the rows, equal rows are held out together, and a row of weight 2 is the same as the row twice. A class of one row,
        or of copies of one, is never held out, and a warning says so. Rows without features, and those of classes that all
        have one row, are dealt out in a fixed random order.

        Parameters
        ----------
        X : ndarray, CSR matrix or sequence
            The rows.
        codes : ndarray of intp
            Their classes, from 0.
        count : int
            How many folds; fewer, with a warning, where a class has fewer rows.
        weight : ndarray, optional
            Positive weights.
        seed : int
            Which vector.
        classes : ndarray, optional
            The labels, for messages.
        purpose : str
            What the folds are for, for messages.
        stacklevel : int
            Of the warning.

        Raises
        ------
        InvalidInput
            All classes have a single row: none can be held out.
        """
        X = _features(X)
        keys = None if X is None else _keys(X, seed)
        members = [np.flatnonzero(codes == k) for k in range(int(codes.max()) + 1)]
        groups = [_places(len(rows), seed) if keys is None else _groups(X, keys, rows) for rows in members]
        if all(len(rows) > 1 for rows in members) and not any(group.any() for group in groups):
            groups = [_places(len(rows), seed) for rows in members]  # as good as no features
        sizes = np.array([int(group.max()) + 1 for group in groups])
        names = np.arange(len(sizes)) if classes is None else classes
        alone = sizes == 1
        if alone.all():
            raise InvalidInput(
                f"{purpose} are fitted to rows that are held out, and class {names[0]} has 1 row, like all others. Give at"
                " least 2 rows of each class, or do without (probability=False)."
            )
        if alone.any():
            warnings.warn(
                f"Class {names[alone][0]} has one row, or copies of one, which is never held out: its probabilities are not"
                " calibrated. Give more rows of it, or leave it out.",
                UserWarning,
                stacklevel=stacklevel,
            )
        fewest = int(np.argmin(np.where(alone, len(codes) + 1, sizes)))
        most = int(sizes[fewest])
        if most < count:
            warnings.warn(
                f"{purpose} come from {most} folds instead of {count}: class {names[fewest]} has only {most} rows that differ.",
                UserWarning,
                stacklevel=stacklevel,
            )
            count = most
        w = np.ones(len(codes)) if weight is None else weight
        number, first = np.full(len(codes), -1, dtype=np.intp), 0
        for rows, group, is_alone in zip(members, groups, alone, strict=True):
            if is_alone:
                continue
            of_group, first = _dealt(np.bincount(group, w[rows]).astype(np.float64), count, first)
            number[rows] = of_group[group]
        return cls(number, count)

    @classmethod
    def of_rows(cls, n: int, count: int, *, seed: int = 0, purpose: str = "Intervals") -> Self:
        """Folds of equal size in a fixed random order, which knows nothing of the rows."""
        if n < 2:
            raise InvalidInput(f"{purpose} need rows to hold out: at least 2. Got {n}.")
        number = np.empty(n, dtype=np.intp)
        number[_shuffled(n, seed)] = np.arange(n) % min(count, n)
        return cls(number, min(count, n))

    def enough(self, codes: NDArray[np.intp]) -> Self:
        """The first of the folds whose held-out rows suffice: 5 000 together, and 300 of each class; else all.

        A calibrator has few numbers, and its error falls with one over the rows: to hold out more of many takes time only.
        """
        sizes = np.zeros((self.count, int(codes.max()) + 1), dtype=np.int64)
        np.add.at(sizes, (self.number[self.rows], codes[self.rows]), 1)
        held = np.cumsum(sizes, axis=0)
        is_enough = (held.sum(axis=1) >= _ENOUGH_ROWS) & (held.min(axis=1) >= _ENOUGH_OF_A_CLASS)
        if not is_enough[:-1].any():
            return self
        count = int(is_enough.argmax()) + 1
        return type(self)(np.where(self.number < count, self.number, -1), count)

    @property
    def rows(self) -> NDArray[np.intp]:
        """The rows that are held out of some fold."""
        return np.flatnonzero(self.number >= 0)

    def __iter__(self) -> Iterator[NDArray[np.bool_]]:
        """Which rows are held out, fold by fold."""
        return (self.number == fold for fold in range(self.count))

    def __len__(self) -> int:
        return self.count


def _shuffled(n: int, seed: int) -> NDArray[np.intp]:
    return np.asarray(np.random.RandomState(seed).permutation(n), dtype=np.intp)  # its stream is the same for ever


def _features(X: Any) -> Any:
    """The rows as a float matrix, a sparse one with its entries in order; None without features."""
    if sparse.issparse(X):
        if X.has_canonical_format:
            return X
        X = X.copy()
        X.sum_duplicates()
        return X
    return X if isinstance(X, np.ndarray) and X.ndim == 2 and X.dtype.kind == "f" else None


def _keys(X: Any, seed: int) -> Vector:
    """The inner product of each row with a fixed random vector.

    Each is summed by itself, so equal rows have equal keys to the last bit. BLAS does not promise that.
    """
    direction = np.random.RandomState(seed).uniform(-1.0, 1.0, X.shape[1])
    with np.errstate(over="ignore", invalid="ignore"):
        if sparse.issparse(X):
            keys = np.asarray(X @ direction, dtype=np.float64)
        else:
            keys = np.empty(len(X))
            for own in _pieces(len(X), X.shape[1]):
                keys[own] = np.multiply(X[own], direction, order="C").sum(axis=1)
    return np.where(np.isnan(keys), np.inf, keys)


def _pieces(n: int, width: int) -> Iterator[slice]:
    step = max(1, _VALUES_AT_ONCE // max(width, 1))
    return (slice(begin, begin + step) for begin in range(0, n, step))


def _places(n: int, seed: int) -> NDArray[np.intp]:
    """The place of each row in a fixed random order."""
    place = np.empty(n, dtype=np.intp)
    place[_shuffled(n, seed)] = np.arange(n)
    return place


def _groups(X: Any, keys: Vector, rows: NDArray[np.intp]) -> NDArray[np.intp]:
    """The place of each row of a class in the order in which they are dealt; equal rows, and only these, have one place."""
    order = rows[np.argsort(keys[rows], kind="stable")]
    tied = keys[order[1:]] == keys[order[:-1]]
    group = np.empty(len(keys), dtype=np.intp)
    if not tied.any():
        group[order] = np.arange(len(order))
        return group[rows]
    is_new = np.append(True, ~tied)
    later = np.flatnonzero(tied) + 1
    differs = _differ(X, order[later - 1], order[later])
    runs = np.cumsum(is_new)
    ends = np.append(np.flatnonzero(is_new), len(order))
    for run in np.unique(runs[later[differs]]).tolist():
        own = slice(ends[run - 1], ends[run])
        order[own], is_new[own] = _sorted_rows(X, order[own])
    group[order] = np.cumsum(is_new) - 1
    return group[rows]


def _differ(X: Any, first: NDArray[np.intp], second: NDArray[np.intp]) -> NDArray[np.bool_]:
    """Which of the pairs of rows are not equal."""
    found = np.zeros(len(first), dtype=np.bool_)
    for own in _pieces(len(first), X.shape[1]):
        differences = X[first[own]] != X[second[own]]
        found[own] = np.diff(differences.tocsr().indptr) > 0 if sparse.issparse(X) else differences.any(axis=1)
    return found


def _sorted_rows(X: Any, rows: NDArray[np.intp]) -> tuple[NDArray[np.intp], NDArray[np.bool_]]:
    """Rows of one key in the order of their features, and which of them differ from the one before, or are the first."""
    values = X[rows]
    if sparse.issparse(values):
        values = values[:, np.unique(values.indices)].toarray()
    order = np.lexsort(values.T[::-1])
    values = values[order]
    before, after = values[:-1], values[1:]
    differs = ((before != after) & ~(np.isnan(before) & np.isnan(after))).any(axis=1)
    return rows[order], np.append(True, differs)


def _dealt(weight: Vector, count: int, first: int) -> tuple[NDArray[np.intp], int]:
    """The fold of each group of rows of a class, in turn from ``first`` on, and where the next class goes on."""
    if float(np.ptp(weight)) <= 1e-12 * float(weight.max()):
        return (first + np.arange(len(weight))) % count, (first + len(weight)) % count
    return _least_first(weight, count, first), first


def _least_first(heavy: Vector, count: int, first: int) -> NDArray[np.intp]:
    """Each group to the fold that has least so far; of equals the one whose turn it is."""
    queue = [(0.0, turn, (first + turn) % count) for turn in range(count)]
    found, turn = np.empty(len(heavy), dtype=np.intp), count
    for group, weight in enumerate(heavy.tolist()):
        has, _, fold = queue[0]
        heapq.heapreplace(queue, (has + weight, turn, fold))
        found[group], turn = fold, turn + 1
    return found
