"""Bounds of rounding errors of all classes at once: what an evaluation can say of the model that predicts with float64."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from maxmargin import _core
from maxmargin.kernels import as_features, weight_sizes, weights_of
from maxmargin.problems import CrammerSinger
from maxmargin.solution._crammer_singer_evaluation import CrammerSingerEvaluation, costs_at, crammer_singer_scores

__all__ = ["crammer_singer_with_rounding", "offset_shifts"]

Matrix = NDArray[np.float64]
Vector = NDArray[np.float64]

_EPSILON: Final = float(np.finfo(np.float64).eps)
_MOST: Final = 4.0 * _EPSILON  # error of a sum, as a part of the sizes of all that is summed up: at the most,
_LEAST: Final = 2.0**-6  # and at the least, in units of ε; of fewer than 256 terms more,
_FEW: Final = 4.0  # divided by their number
_LITTLE: Final = 0.1  # of the allowed gap
_NEGATIVE: Final = 1e-9  # of the primal objective: a gap that is further below 0 is shown with its rounding
_SAFE: Final = 4.0  # times what two ways to compute the scores differ in


def offset_shifts(problem: CrammerSinger, beta: Matrix) -> Vector:
    """What is added to the offset of each class for rows as they are: the problem may be evaluated by centred ones."""
    return np.array([problem.source.core.offset_shift(np.ascontiguousarray(0.5 * column)) for column in beta.T])


def crammer_singer_with_rounding(
    problem: CrammerSinger, beta: Matrix, bias: Vector, shift: Vector, evaluation: CrammerSingerEvaluation, tol: float
) -> CrammerSingerEvaluation:
    """The evaluation with both objectives moved apart by what rounding may do to them, if that could matter.

    As `solution._rounding.with_rounding`: the scores are computed as the fitted model does, and what they differ in tells how
    far they are off. The loss of a row is then that of a row whose own score is lower and whose others are higher by so much.
    """
    if not evaluation.needs_bounds(tol) or not beta.any():
        return evaluation
    scores, coefficients = crammer_singer_scores(problem, beta), 0.5 * beta
    if not np.isfinite(scores).all():
        return evaluation
    squares = np.abs(problem.source.diagonal())
    sizes = _sums(problem, coefficients, squares)
    predicted = _predicted(problem, coefficients, shift)
    with np.errstate(invalid="ignore", divide="ignore"):
        seen = _SAFE * float(np.nan_to_num(np.abs(predicted - scores) / sizes, posinf=1.0).max(initial=0.0))
    last = _EPSILON * (np.abs(predicted) + np.abs(bias + shift) + np.abs(shift))

    def widened(part: float) -> CrammerSingerEvaluation:
        error = part * sizes + last
        norm = _norm_error(problem, coefficients, squares, sizes, part)
        lost = _lost(problem, beta, scores + bias, error)
        return evaluation._replace(
            primal=evaluation.square_norm + norm + (1.0 + _MOST) * lost,
            dual=evaluation.dual - norm - _MOST * float(np.abs(beta).sum()),
            rounding=0.0,
        )

    support = int(np.count_nonzero(np.abs(coefficients).sum(axis=1)))
    least = _EPSILON * min(1.0, max(_LEAST, _FEW / max(1, support)))  # as in `_rounding`
    found = widened(max(seen, least))
    allowed = tol * abs(evaluation.primal)
    if found.gap > allowed:  # nothing is gained by a bound that mostly holds
        return widened(max(seen, _MOST))
    little = found.gap - evaluation.gap <= _LITTLE * allowed and evaluation.gap >= -_NEGATIVE * abs(evaluation.primal)
    return evaluation if little else found


def _predicted(problem: CrammerSinger, coefficients: Matrix, shift: Vector) -> Matrix:
    """The scores as a fitted model computes them, rounding included, with the shift of its offsets.

    It has its support vectors class by class: in whatever order else they are summed up, the last digits are others.
    """
    gram, support = problem.gram, np.flatnonzero(coefficients.any(axis=1)).astype(np.int32)
    support = support[np.argsort(problem.codes[support], kind="stable")]
    bounds = np.searchsorted(problem.codes[support], np.arange(len(problem.classes) + 1)).tolist()
    every, held = np.arange(gram.n, dtype=np.int32), np.ascontiguousarray(coefficients[support].T)
    if gram.kernel.is_precomputed:
        return np.asarray(gram.block(every, support) @ held.T)
    rows, vectors = gram.rows(every), gram.rows(support)
    if gram.kernel.is_linear:
        features = as_features(rows)
        columns = [_core.row_products(features, weights_of(column, vectors, offset=problem.offset)) for column in held]
        return np.stack(columns, axis=1) + shift
    return np.asarray(gram.kernel.weighted_sums(rows, vectors, held, bounds).sum(axis=0).T)


def _lost(problem: CrammerSinger, beta: Matrix, values: Matrix, error: Matrix) -> float:
    """What all rows lose at the most, if the scores are off by so much."""
    every, own = np.arange(len(beta)), problem.codes
    behind = values + 1.0 + error
    behind[every, own] = -np.inf
    slack = np.maximum(0.0, behind.max(axis=1) - values[every, own] + error[every, own])
    return float(costs_at(problem, beta) @ slack)


def _norm_error(problem: CrammerSinger, coefficients: Matrix, squares: Vector, sizes: Matrix, part: float) -> float:
    """How far ``Σ_k |w_k|²`` may be off. Kernel values have errors of their own, which add up like random numbers."""
    if problem.gram.kernel.is_linear:
        lengths = np.sqrt(squares) @ np.abs(coefficients)
        norms = np.sqrt(np.maximum(0.0, (coefficients * crammer_singer_scores(problem, 2.0 * coefficients)).sum(axis=0)))
        return 4.0 * part * float(lengths @ norms)
    scale = problem.source.core.score_scale() / max(1.0, float(squares.max()))
    of_values = _MOST * scale * float((squares @ np.square(coefficients)).sum())
    return 2.0 * (of_values + part * float((np.abs(coefficients) * sizes).sum()))


def _sums(problem: CrammerSinger, coefficients: Matrix, squares: Vector) -> Matrix:
    """``Σ_j |a_jk| |k(x_i, x_j)|`` of each row and class, or a bound of it: see `solution._rounding`."""
    source, kernel = problem.source, problem.gram.kernel
    if kernel.of_distances:
        return source.core.score_scale() * crammer_singer_scores(problem, 2.0 * np.abs(coefficients))
    if not kernel.is_linear:
        return np.outer(np.sqrt(squares), np.sqrt(squares) @ np.abs(coefficients))
    support = np.flatnonzero(coefficients.any(axis=1)).astype(np.int32)
    vectors, every = source.rows(support), source.rows(np.arange(source.n, dtype=np.int32))
    held = [np.ascontiguousarray(column) for column in coefficients[support].T]
    free = problem.offset
    sizes = [np.abs(weights_of(column, vectors, offset=free)) + weight_sizes(column, vectors, offset=free) for column in held]
    return np.asarray(abs(every) @ np.stack(sizes, axis=1), dtype=np.float64)
