"""Many fits on the same rows while a cost grows: what a grid search consists of."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final, NamedTuple, final

import numpy as np
from numpy.typing import NDArray

from maxmargin import _core
from maxmargin.problems import DualBatch
from maxmargin.solution import allowances
from maxmargin.solvers._dual._smo import SMO
from maxmargin.solvers._runtime._base import Limits
from maxmargin.solvers._runtime._core_runs import core_limits
from maxmargin.validation import cache_bytes

__all__ = ["Around", "PathPoints", "path_fits", "search_paths"]

Vector = NDArray[np.float64]

_A_VALUE: Final = 12  # bytes that a path keeps for each kernel value: float32 and float64


@final
class Around(NamedTuple):
    """Rows around those of a path's problems, which the problems of other paths have: of folds that hold out one or the other.

    Attributes
    ----------
    grams : sequence of core Grams
        For each problem the kernel values of all its rows, of which it has some. Paths that share a Gram share its values.
    members : ndarray of int32, shape (rows of all problems,)
        Which of the rows each problem has, ascending.
    """

    grams: Sequence[_core.Gram]
    members: NDArray[np.int32]


@final
class PathPoints(NamedTuple):
    """Where the stages of a path have ended.

    Attributes
    ----------
    beta : ndarray of shape (stages, rows of all problems)
        Coefficients.
    held_out : ndarray of shape (stages, rows around all problems)
        Decision values of the rows that are held out.
    bias : ndarray of shape (stages, problems)
        Offsets.
    optimal : ndarray of bool, shape (stages, problems)
        Whether violation and gap are as small as a converged fit has them, by the kernel values of the search.
    converged : ndarray of bool, shape (stages, problems)
        Whether the search itself came to its end.
    gap : ndarray of shape (stages,)
        Largest duality gap of a problem, as a part of its objective, by the kernel values of the search.
    """

    beta: Vector
    held_out: Vector
    bias: Vector
    optimal: NDArray[np.bool_]
    converged: NDArray[np.bool_]
    gap: Vector


def search_paths(
    paths: Sequence[Sequence[DualBatch]],
    starts: Sequence[Sequence[Vector | None]],
    around: Sequence[Around | None],
    tol: float,
    solver: SMO,
    seconds: float = math.inf,
) -> tuple[list[PathPoints], bool]:
    """Solve one stage after the other on each path, each from the stage before; paths and their problems run in parallel.

    Parameters
    ----------
    paths : sequence of sequences of DualBatch
        The stages of each path: the same problems with other bounds.
    starts : sequence of sequences
        For each stage a point that satisfies its constraints, or None for the one before (0 at the beginning). A stage that
        keeps ``Σ|β|`` needs one.
    around : sequence of Around or None
        For each path the rows that its problems have among others.
    tol : float
        Largest violation.
    solver : SMO
        Its cache is for all paths together: each keeps the kernel values of its rows if they fit.
    seconds : float
        Wall time for all paths.

    Returns
    -------
    points : list of PathPoints
        What was found on each path. What was not reached is neither optimal nor converged.
    interrupted : bool
        Whether Ctrl-C was pressed.
    """
    rows = max(max(stages[0].sizes) for stages in paths)
    limits = Limits(tol, solver.automatic_steps(rows), seconds)
    found = _core.search_paths(
        paths,
        starts,
        [() if each is None else each.grams for each in around],
        [None if each is None else each.members for each in around],
        core_limits(limits),
        allowed=allowances(tol),
        cache_bytes=cache_bytes(solver.cache_size, "SMO"),
        shrinking=solver.shrinking,
    )
    return [_points(each) for each in found.paths], found.interrupted


def _points(path: _core.PathResult) -> PathPoints:
    size = np.maximum(np.maximum(np.abs(path.primal), np.abs(path.dual)), np.finfo(np.float64).tiny)
    gap = ((path.primal - path.dual) / size).max(axis=1)
    return PathPoints(path.beta, path.held_out, path.bias, path.optimal != 0, path.converged != 0, gap)


def path_fits(n: int, cache_size: float | str) -> bool:
    """Whether the kernel values of so many rows fit into the cache."""
    return _A_VALUE * n * n <= cache_bytes(cache_size, "SMO")
