"""Folds: equal shares, no matter in which order the rows come, and equal rows together."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import sparse

from maxmargin.calibrators import Folds
from maxmargin.errors import InvalidInput


def _rows(n: int = 103, seed: int = 0) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    codes = np.concatenate([np.arange(3), rng.choice(3, n - 3, p=[0.6, 0.3, 0.1])])
    return rng.normal(size=(n, 4)), codes


def test_every_class_has_its_share() -> None:
    X, codes = _rows()
    folds = Folds.of_classes(X, codes, 5)
    counts = np.array([np.bincount(codes[held], minlength=3) for held in folds])
    assert (np.ptp(counts, axis=0) <= 1).all()
    assert np.ptp(counts.sum(axis=1)) <= 1
    assert np.array_equal(sum(held.astype(int) for held in folds), np.ones(len(codes)))


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_matrix, np.float32])
def test_the_order_of_the_rows_does_not_matter(kind: Any) -> None:
    X, codes = _rows()
    order = np.random.default_rng(1).permutation(len(codes))
    first, second = Folds.of_classes(kind(X), codes, 5), Folds.of_classes(kind(X[order]), codes[order], 5)
    assert np.array_equal(first.number[order], second.number)


def test_dense_and_sparse_rows_have_the_same_folds() -> None:
    X, codes = _rows()
    assert np.array_equal(Folds.of_classes(X, codes, 5).number, Folds.of_classes(sparse.csr_matrix(X), codes, 5).number)


def test_rows_sorted_by_a_feature_are_mixed() -> None:
    X, codes = _rows(500)
    X = X[np.argsort(X[:, 0])]
    means = [X[held, 0].mean() for held in Folds.of_classes(X, codes, 5)]
    assert np.ptp(means) < 0.5


def test_copies_are_held_out_together_and_count_like_a_weight() -> None:
    X, codes = _rows()
    copies = np.random.default_rng(2).integers(1, 4, len(codes))
    by_weight = Folds.of_classes(X, codes, 5, copies.astype(np.float64))
    by_copies = Folds.of_classes(np.repeat(X, copies, axis=0), np.repeat(codes, copies), 5)
    assert np.array_equal(np.repeat(by_weight.number, copies), by_copies.number)


def _assert_copies_are_together(X: Any, folds: Folds) -> None:
    """Equal rows have one fold."""
    _, group = np.unique(X, axis=0, return_inverse=True)
    for number in np.split(folds.number[np.argsort(group, kind="stable")], np.cumsum(np.bincount(group))[:-1]):
        assert len(set(number.tolist())) == 1


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_matrix, sparse.csr_array])
def test_sums_of_features_do_not_collide(kind: Any) -> None:
    """Rows e1 + e4 and e2 + e3 differ, and so each is held out without the other."""
    X = np.array([[1, 0, 0, 1], [0, 1, 1, 0]] * 5 + [[1, 1, 0, 0], [0, 0, 1, 1], [1, 0, 1, 0], [0, 1, 0, 1]] * 5, dtype=float)
    codes = np.repeat([0, 1], [10, 20])
    with pytest.warns(UserWarning, match="2 folds instead of 5: class 0 has only 2 rows that differ"):
        folds = Folds.of_classes(kind(X), codes, 5)
    assert [np.bincount(codes[held]).tolist() for held in folds] == [[5, 10], [5, 10]]
    _assert_copies_are_together(X, folds)


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_matrix])
@pytest.mark.parametrize("large", [1e18, 1e308])
def test_rows_are_told_apart_where_a_large_feature_hides_the_others(large: float, kind: Any) -> None:
    """The inner products of all rows are equal, or overflow; copies stay together in any order."""
    rng = np.random.default_rng(5)
    X = np.column_stack([np.full((60, 3), large), rng.normal(size=(60, 2))])
    X, codes = np.concatenate([X, X[:20]]), np.tile(np.repeat([0, 1], 10), 4)
    folds = Folds.of_classes(kind(X), codes, 5)
    assert np.array_equal(folds.number[:20], folds.number[60:])
    assert all((np.bincount(codes[held], minlength=2) >= 7).all() for held in folds)
    order = rng.permutation(80)
    assert np.array_equal(Folds.of_classes(kind(X[order]), codes[order], 5).number, folds.number[order])


def test_outliers_leave_the_folds_of_other_rows_equal() -> None:
    X, codes = _rows(300)
    X[0], X[-1] = 1e15, -1e15
    sizes = [int(held.sum()) for held in Folds.of_classes(X, codes, 5)]
    assert sizes == [60] * 5


def test_rows_with_missing_values_are_dealt() -> None:
    X, codes = _rows(60)
    X[::2, 0] = np.nan
    folds = Folds.of_classes(np.repeat(X, 2, axis=0), np.repeat(codes, 2), 3)
    assert np.array_equal(folds.number[::2], folds.number[1::2])
    assert np.ptp([int(held.sum()) for held in folds]) <= 6


def test_heavy_rows_are_spread() -> None:
    X, codes = _rows(300)
    weight = np.exp(np.random.default_rng(3).normal(size=300))
    sums = np.array([np.bincount(codes[held], weight[held]) for held in Folds.of_classes(X, codes, 5, weight)])
    assert (np.ptp(sums, axis=0) <= 2.0 * weight.max()).all()


def test_a_seed_gives_other_folds() -> None:
    X, codes = _rows()
    assert not np.array_equal(Folds.of_classes(X, codes, 5).number, Folds.of_classes(X, codes, 5, seed=1).number)


@pytest.mark.parametrize("X", [None, np.ones((40, 3)), ["a"] * 40])
def test_rows_that_tell_nothing_are_dealt_all_the_same(X: Any) -> None:
    codes = np.repeat([0, 1], 20)
    assert [np.bincount(codes[held]).tolist() for held in Folds.of_classes(X, codes, 5)] == [[4, 4]] * 5


def test_few_rows_of_a_class_mean_fewer_folds_and_a_warning() -> None:
    X, codes = _rows(20)[0], np.array([0] * 17 + [1] * 3)
    with pytest.warns(UserWarning, match=r"3 folds instead of 5: class rare has only 3 rows that differ"):
        folds = Folds.of_classes(X, codes, 5, classes=np.array(["often", "rare"]))
    assert len(folds) == 3
    assert [int((codes[held] == 1).sum()) for held in folds] == [1, 1, 1]


def test_one_row_of_a_class_is_never_held_out() -> None:
    X, codes = np.arange(7.0)[:, np.newaxis], np.array([0, 0, 0, 0, 0, 0, 1])
    with pytest.warns(UserWarning, match=r"Class b has one row, or copies of one, which is never held out"):
        folds = Folds.of_classes(X, codes, 3, classes=np.array(["a", "b"]))
    assert folds.number[6] == -1
    assert np.bincount(folds.number[:6]).tolist() == [2, 2, 2]
    with pytest.warns(UserWarning, match="copies of one"):
        copies = Folds.of_classes(np.repeat(X, [1] * 6 + [3], axis=0), np.repeat(codes, [1] * 6 + [3]), 3)
    assert np.array_equal(copies.number, np.repeat(folds.number, [1] * 6 + [3]))


def test_nothing_can_be_held_out_of_single_rows() -> None:
    with pytest.raises(InvalidInput, match=r"class a has 1 row, like all others. Give at least 2 rows of each class"):
        Folds.of_classes(np.arange(2.0)[:, np.newaxis], np.array([0, 1]), 5, classes=np.array(["a", "b"]))


def test_enough_folds_hold_out_5000_rows_and_300_of_each_class() -> None:
    rng = np.random.default_rng(4)
    X, codes = rng.normal(size=(20000, 2)), (rng.random(20000) < 0.04).astype(np.intp)
    all_folds = Folds.of_classes(X, codes, 5)
    folds = all_folds.enough(codes)
    assert len(folds) == 2
    assert np.array_equal(folds.number[folds.rows], all_folds.number[folds.rows])
    assert len(folds.rows) == sum(int(held.sum()) for held in folds)
    assert np.bincount(codes[folds.rows]).min() >= 300
    few = Folds.of_classes(X[:4000], codes[:4000], 5)
    assert few.enough(codes[:4000]) is few


def test_folds_of_rows_have_equal_sizes() -> None:
    sizes = [int(held.sum()) for held in Folds.of_rows(23, 5)]
    assert sorted(sizes) == [4, 4, 5, 5, 5]
    assert len(Folds.of_rows(3, 5)) == 3
    with pytest.raises(InvalidInput, match=r"at least 2\. Got 1"):
        Folds.of_rows(1, 5)
