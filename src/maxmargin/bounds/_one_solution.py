"""Estimates of the leave-one-out error from the solution for all rows alone."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from maxmargin.problems import HardMargin, Offset, Slack, SoftMargin
from maxmargin.solution import Solution

__all__ = ["estimates"]

Vector = NDArray[np.float64]

_AT_BOUND = 1e-9  # of it


def estimates(problem: SoftMargin | HardMargin, whole: Solution, beta: Vector, scores: Vector) -> tuple[float, float]:
    """The ξα-estimate and the estimate by spans, as parts of the rows.

    Parameters
    ----------
    problem : SoftMargin or HardMargin
        The problem.
    whole : Solution
        Its solution.
    beta : ndarray of shape (n,)
        Its signed coefficients.
    scores : ndarray of shape (n,)
        ``f`` of all rows.
    """
    alpha, margin = np.abs(beta), problem.y * scores
    support = np.flatnonzero(alpha)
    gram, diagonal = problem.gram, problem.gram.diagonal().astype(np.float64)
    if isinstance(problem, SoftMargin) and problem.offset is Offset.PENALISED:
        gram, diagonal = problem.dual.gram, diagonal + 1.0
    free = alpha > 0.0
    ridge = np.zeros(len(alpha))
    if isinstance(problem, SoftMargin):
        if problem.slack is Slack.LINEAR:
            free &= alpha < problem.upper * (1.0 - _AT_BOUND)
        else:
            ridge = 0.5 / problem.upper  # squared slack is a hard margin of k + D, in which every row has room of its own
    has_offset = whole.kkt_data is not None and whole.kkt_data.free_offset
    values = gram.block(support, support) + np.diag(ridge[support])
    own = diagonal + ridge
    # Of the row itself, which keeps its own slack where that is squared.
    shifted = margin + alpha * ridge
    if has_offset:
        least = _least(gram, support)
        reach = 2.0 * alpha * (float(own.max()) - min(least, float(diagonal.min())))
    else:
        reach = alpha * own
    deficit = np.maximum(0.0, 1.0 - shifted)
    xi_alpha = float(np.mean((reach + deficit >= 1.0) & (alpha > 0.0) | (margin < 0.0)))
    spans = np.zeros(len(alpha))
    spans[support] = _square_spans(values, own[support], free[support], has_offset)
    span = float(np.mean(np.where(alpha > 0.0, alpha * spans >= shifted, margin < 0.0)))
    return xi_alpha, span


def _least(gram: object, support: NDArray[np.intp]) -> float:
    """The smallest kernel value between a support vector and any row."""
    n, least = gram.n, np.inf  # type: ignore[attr-defined]  # a Gram
    every = np.arange(n)
    for start in range(0, len(support), 256):
        least = min(least, float(gram.block(support[start : start + 256], every).min()))  # type: ignore[attr-defined]
    return least


def _square_spans(values: Vector, own: Vector, free: NDArray[np.bool_], has_offset: bool) -> Vector:
    """``S_i²``: the squared distance of each support vector from the span of the other free ones.

    Of a free one it is one over its place in the diagonal of the inverse of their matrix, which has a border of ones where the
    offset is free; of one at its bound the Schur complement.
    """
    places, n_free = np.flatnonzero(free), int(free.sum())
    if n_free == 0:
        size = 2.0 * (float(own.max()) - float(values.min())) if has_offset else own
        return np.broadcast_to(np.asarray(size), own.shape).copy()
    border = 1 if has_offset else 0
    bordered = np.zeros((n_free + border, n_free + border))
    bordered[:n_free, :n_free] = values[np.ix_(places, places)]
    if has_offset:
        bordered[:n_free, n_free:] = bordered[n_free:, :n_free] = 1.0
    inverse = np.linalg.pinv(bordered, hermitian=True)
    spans = own.copy()
    sides = np.diagonal(inverse)[:n_free]
    tiny = 1e-12 / max(float(np.abs(own).max()), 1e-300)
    spans[places] = np.where(sides > tiny, 1.0 / np.maximum(sides, tiny), own[places])
    bounded = np.flatnonzero(~free)
    towards = np.ones((len(bounded), n_free + border))
    towards[:, :n_free] = values[np.ix_(bounded, places)]
    spans[bounded] = own[bounded] - np.einsum("ij,jk,ik->i", towards, inverse, towards, optimize=True)
    return np.maximum(spans, 0.0)
