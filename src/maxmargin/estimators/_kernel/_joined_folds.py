"""Folds of the same rows that share one matrix of kernel values."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any, NamedTuple, final

import numpy as np
from numpy.typing import NDArray

from maxmargin.estimators._kernel._held_out import HeldOut
from maxmargin.estimators._kernel._paths import KernelPath, matrix_bytes, shareable
from maxmargin.estimators._shared._schemes import OneVsOne
from maxmargin.problems import class_pairs
from maxmargin.solvers import Around, path_fits

__all__ = ["FoldRows", "join_folds"]


@final
class FoldRows(NamedTuple):
    """Which of all rows a fold trains on and holds out, and the latter as they are predicted."""

    train: NDArray[np.intp]
    test: NDArray[np.intp]
    X_test: Any


def join_folds(
    paths: Sequence[KernelPath], folds: Sequence[FoldRows], X: Any, y: Any, sample_weight: Any, fewest: int = 2
) -> bool:
    """Let the paths of folds share kernel values among all rows, where their kernels are the same.

    The kernel must not depend on the fold: ``gamma="scale"`` does. All rows must have weight, and all folds all classes.

    Parameters
    ----------
    paths : sequence of KernelPath
        One for each fold, not prepared.
    folds : sequence of FoldRows
        Their rows.
    X, y, sample_weight
        All rows, of which the folds are.
    fewest : int
        Paths that are worth it; 1 where the others are elsewhere, and are to have the same bits.

    Returns
    -------
    bool
        Whether they share.
    """
    if len(paths) < fewest or not all(_ascends(fold.train) for fold in folds):
        return False
    whole = KernelPath([copy.copy(paths[0].models[0])], X, y, sample_weight)
    if not path_fits(whole.n, whole.solver.cache_size) or not all(_is_part(path, whole) for path in paths):
        return False
    if any(len(fold.train) != path.n for path, fold in zip(paths, folds, strict=True)):
        return False
    gram = shareable(whole.gram, whole.rows, has_room=True)
    centred, is_pairs = gram.centred(), isinstance(whole.scheme, OneVsOne) and whole.n_problems > 1
    pairs = class_pairs(whole.codes, whole.scheme.n_classes) if is_pairs else None
    cores = [centred.core] * whole.n_problems
    if pairs is not None:
        assert pairs.rows is not None
        cores = centred.cores_of(pairs.rows, [0, *np.cumsum(pairs.sizes).tolist()])
    made = matrix_bytes(whole.n) if gram is not whole.gram else 0
    for path, fold in zip(paths, folds, strict=True):
        if pairs is None:
            members = np.tile(fold.train, whole.n_problems)
            held = HeldOut.among(whole.n, fold.train, np.asarray(fold.test), fold.X_test, whole.n_problems)
        else:
            members, held = _places(whole.codes, fold.train, path), None
        own = gram.take(fold.train) if gram is not whole.gram else path.gram
        path.join(own, Around(cores, members.astype(np.int32)), held, made if path is paths[0] else 0)
    return True


def _ascends(rows: NDArray[np.intp]) -> bool:
    return rows.dtype.kind in "iu" and bool((np.diff(rows) > 0).all()) and bool(rows.size) and int(rows[0]) >= 0


def _is_part(path: KernelPath, whole: KernelPath) -> bool:
    """Whether the problems of a fold are those of all rows without some rows."""
    if path.kernel != whole.kernel or path.kind is not whole.kind or path.n_problems != whole.n_problems:
        return False
    return path.classes is None or (whole.classes is not None and np.array_equal(path.classes, whole.classes))


def _places(codes: NDArray[np.intp], train: NDArray[np.intp], path: KernelPath) -> NDArray[np.intp]:
    """Where the rows of pairs of classes on a fold stand among all rows of the pair: those of one class come first."""
    counts = np.bincount(codes)
    in_class = np.empty(len(codes), dtype=np.intp)
    in_class[np.argsort(codes, kind="stable")] = np.concatenate([np.arange(count) for count in counts])
    parts = path.parts
    assert parts.rows is not None
    rows = train[parts.rows]
    first_of_pair = np.repeat([count for a, count in enumerate(counts) for _ in counts[a + 1 :]], parts.sizes)
    return np.asarray(in_class[rows] + np.where(parts.y > 0, 0, first_of_pair))
