"""Many fits on the same rows while a cost grows: what a grid search consists of."""

from __future__ import annotations

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
from maxmargin.solvers._runtime._memory import cache_bytes

__all__ = ["PathPoints", "path_fits", "search_paths"]

Vector = NDArray[np.float64]

_A_VALUE: Final = 12  # bytes that a path keeps for each kernel value: float32 and float64


@final
class PathPoints(NamedTuple):
    """Where the stages of a path have ended.

    Attributes
    ----------
    beta : ndarray of shape (stages, rows of all problems)
        Coefficients.
    bias : ndarray of shape (stages, problems)
        Offsets.
    optimal : ndarray of bool, shape (stages, problems)
        Whether violation and gap are as small as a converged fit has them, by the kernel values of the search.
    converged : ndarray of bool, shape (stages, problems)
        Whether the search itself came to its end.
    """

    beta: Vector
    bias: Vector
    optimal: NDArray[np.bool_]
    converged: NDArray[np.bool_]


def search_paths(
    paths: Sequence[Sequence[DualBatch]], starts: Sequence[Sequence[Vector | None]], tol: float, solver: SMO
) -> list[PathPoints]:
    """Solve one stage after the other on each path, each from the stage before; paths and their problems run in parallel.

    Parameters
    ----------
    paths : sequence of sequences of DualBatch
        The stages of each path: the same problems with other bounds.
    starts : sequence of sequences
        For each stage a point that satisfies its constraints, or None for the one before (0 at the beginning). A stage that
        keeps ``Σ|β|`` needs one.
    tol : float
        Largest violation.
    solver : SMO
        Its cache is for all paths together: each keeps the kernel values of its rows if they fit.

    Raises
    ------
    KeyboardInterrupt
        Ctrl-C was pressed.
    """
    rows = max(max(stages[0].sizes) for stages in paths)
    limits = Limits(tol, solver.automatic_steps(rows))
    found = _core.search_paths(
        paths,
        starts,
        core_limits(limits),
        allowed=allowances(tol),
        cache_bytes=cache_bytes(solver.cache_size, "SMO"),
        shrinking=solver.shrinking,
    )
    if found.interrupted:
        raise KeyboardInterrupt
    return [PathPoints(each.beta, each.bias, each.optimal != 0, each.converged != 0) for each in found.paths]


def path_fits(n: int, cache_size: float | str) -> bool:
    """Whether the kernel values of so many rows fit into the cache."""
    return _A_VALUE * n * n <= cache_bytes(cache_size, "SMO")
