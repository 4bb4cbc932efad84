"""Bounds of rounding errors: what an evaluation can say of the model that predicts with float64."""

from __future__ import annotations

import math
from typing import Any, Final, TypeVar

import numpy as np
from numpy.typing import NDArray

from maxmargin import _core
from maxmargin.kernels import Gram, as_features, weight_sizes, weights_of
from maxmargin.problems import DualProblem, Problem, dual_batch, inner, with_finite_bounds
from maxmargin.solution._certify import Evaluation, allowed_gap
from maxmargin.solution._crammer_singer_evaluation import CrammerSingerEvaluation

__all__ = ["levelled", "with_negative_part", "with_rounding"]

Vector = NDArray[np.float64]
E = TypeVar("E", Evaluation, CrammerSingerEvaluation)

_EPSILON: Final = float(np.finfo(np.float64).eps)
_MOST: Final = 4.0 * _EPSILON  # error of a sum, as a part of the sizes of all that is summed up: at the most, if β sums to 0,
_LEAST: Final = 2.0**-6  # and at the least, in units of ε; of fewer than 256 terms more,
_FEW: Final = 4.0  # divided by their number
_LITTLE: Final = 0.1  # of the allowed gap
_NEGATIVE: Final = 1e-9  # of the primal objective: a gap that is further below 0 is shown with its rounding
_APART: Final = 0.125  # of what a column ranges over: rows are mostly no nearer to another one
_LAST_PLACE: Final = 2.0**-55  # of Σ|β|: a sum that is off by less is as near to what it must be as its largest terms allow
_MOST_MOVES: Final = 4  # of variables that take what the sum is off by: each leaves its own rounding
_MUCH: Final = 1e3  # times that: the room of a variable that hardly feels it
_SAFE: Final = 4.0  # times what two ways to compute the scores differ in


def with_rounding(problem: Problem, beta: Vector, evaluation: Evaluation, tol: float) -> Evaluation:
    """The evaluation with both objectives moved apart by what rounding may do to them, if that could matter.

    A score is a sum of products, and whoever computes it again gets another one, off by a part of ``Σ_j |β_j| |k(x_i, x_j)|``.
    Which part is seen where the scores are computed as the fitted model does: at most a few units in the last place, mostly
    much less. The loss of a row is then the larger one at both ends of its error. Kernel values have errors of their own, which
    change ``|w|²`` as a sum of that many random numbers. Where all of this is little beside the gap that is allowed, the
    evaluation stays as it is.
    """
    if not evaluation.needs_bounds(tol) or evaluation.abs_sum == 0.0 or not np.isfinite(evaluation.scores).all():
        return evaluation  # without coefficients a score is the offset, which nothing rounds
    dual = problem.dual
    squares = np.abs(dual.gram.diagonal())
    length = inner(np.abs(beta), np.sqrt(squares))
    sizes = _sums(dual, beta, evaluation, squares, length)
    one_sign = not ((dual.lower < 0.0) & (dual.upper > 0.0)).any()
    scores = dual.gram.predicted(beta, evaluation.shift, by_sign=one_sign, offset=_is_free(dual))
    with np.errstate(invalid="ignore", divide="ignore"):
        seen = _SAFE * float(np.nan_to_num(np.abs(scores - evaluation.scores) / sizes, posinf=1.0).max(initial=0.0))
    # The largest of few differences tells little about the next one.
    least = _EPSILON * min(1.0, max(_LEAST, _FEW / max(1, len(evaluation.support))))
    found = _widened(dual, beta, evaluation, squares, sizes, scores, max(seen, least))
    allowed = allowed_gap(tol) * abs(evaluation.primal)
    if found.gap > allowed:  # nothing is gained by a bound that mostly holds
        if dual.gram.kernel.is_linear and dual.offset:  # what is left of Σβ = 0 is seen by who takes another row off all rows
            sizes = sizes + abs(float(beta.sum()) - dual.total) * _reach(dual) / _MOST
        return _widened(dual, beta, evaluation, squares, sizes, scores, max(seen, _MOST))
    little = found.gap - evaluation.gap <= _LITTLE * allowed and evaluation.gap >= -_NEGATIVE * abs(evaluation.primal)
    return evaluation._replace(scale=found.scale) if little and problem.can_be_zero else found


def with_negative_part(gram: Gram, square: float, evaluation: E, allowed: float) -> E:
    """The evaluation with the dual objective of ``K + τ``, which is surely positive semidefinite, if that could matter.

    Rounding leaves a matrix that somebody computed, and that is not known to be of a Mercer kernel, eigenvalues down to −τ. It
    has no space in which an objective is bounded by its dual; ``K + τ``, which differs by rounding, has one.

    Parameters
    ----------
    gram : Gram
        The matrix.
    square : float
        What τ is multiplied by in the dual objective: ``½|β|²``.
    evaluation : Evaluation or CrammerSingerEvaluation
        Of the point.
    allowed : float
        The gap that is allowed.
    """
    if gram.kernel.mercer or not math.isfinite(gram.negative_part()):
        return evaluation
    if gram.negative_part() * square > _LITTLE * _LITTLE * allowed:
        less = gram.negative_part(closely=True) * square
        if less > _LITTLE * _LITTLE * allowed:
            return evaluation._replace(dual=evaluation.dual - less)
    return evaluation


def levelled(problem: Problem, beta: Vector, evaluation: Evaluation, tol: float) -> Vector | None:
    """β with the sum that it must keep, where what rounding has left of it changes the scores noticeably; else None.

    Centred rows do not see the sum, but a model has weights of rows as they are. A β that was large on the way leaves much of
    it, and the variable with the most room takes that. What its own last place leaves is for smaller ones, whose last places
    are finer.
    """
    dual = problem.dual
    if not (dual.offset and evaluation.needs_bounds(tol) and dual.gram.core.off_sum_scale() > 0.0):
        return None
    off = math.fsum([*beta, -dual.total])
    if abs(off) <= _LAST_PLACE * evaluation.abs_sum:
        return None
    found = beta.copy()
    for _ in range(_MOST_MOVES):
        room = np.minimum(np.minimum(dual.upper - found, found - dual.lower), np.abs(found))
        widest = int(room.argmax())
        if off == 0.0 or not room[widest] > abs(off):
            break
        enough = room > _MUCH * abs(off)
        taker = int(np.where(enough, room, np.inf).argmin()) if found[widest] != beta[widest] and enough.any() else widest
        found[taker] -= off
        left = math.fsum([*found, -dual.total])
        if abs(left) >= abs(off):
            break
        off = left
    return found if (found != beta).any() else None


def _widened(
    dual: DualProblem, beta: Vector, evaluation: Evaluation, squares: Vector, sizes: Vector, scores: Vector, part: float
) -> Evaluation:
    """Both objectives moved apart for scores that are off by a part of what they sum up."""
    of_scores = part * sizes + _EPSILON * (np.abs(scores) + abs(evaluation.bias + evaluation.shift))
    if dual.gram.kernel.is_linear:
        vectors, held = dual.gram.rows(evaluation.support), beta[evaluation.support]
        free = _is_free(dual)
        w = weights_of(held, vectors, offset=free)
        of_norm = 2.0 * part * inner(np.abs(w), weight_sizes(held, vectors, offset=free)) + _of_sum(dual, beta, w)
    else:
        of_values = _MOST * evaluation.score_scale * inner(np.square(beta), squares) / max(1.0, float(squares.max()))
        of_norm = 2.0 * (of_values + part * inner(np.abs(beta), sizes))
    return evaluation._replace(
        primal=evaluation.primal + _most_lost(dual, beta, evaluation, of_scores) + of_norm,
        dual=evaluation.dual - of_norm - 4.0 * _MOST * float(np.abs(dual.q * beta).sum()),
        rounding=0.0,
        scale=evaluation.abs_sum**2 * float(squares.max()),
        noise=float(of_scores[_may_matter(dual, beta, evaluation, of_scores)].max(initial=0.0)),
        norm_noise=of_norm,
    )


def _is_free(dual: DualProblem) -> bool:
    """Whether β sums to 0 since an offset is free, and not by chance."""
    return dual.offset and dual.total == 0.0


def _may_matter(dual: DualProblem, beta: Vector, evaluation: Evaluation, error: Vector) -> NDArray[np.bool_]:
    """Rows that are on the margin, or could be by an error of their score; of variables with two signs all."""
    two_signs = (dual.lower < 0.0) & (dual.upper > 0.0)
    slope = evaluation.scores + evaluation.bias + dual.q
    beyond = np.where(dual.upper > 0.0, slope, -slope) + dual.l1_weight + evaluation.cost
    return np.asarray((beta != 0.0) | two_signs | (beyond <= 2.0 * error))


def _reach(dual: DualProblem) -> float:
    """By how much a score changes if rows less another row are summed up, a unit of coefficients too much."""
    high, low = dual.gram.column_ends()
    return float(((high - low) * np.maximum(np.abs(high), np.abs(low))).sum())


def _of_sum(dual: DualProblem, beta: Vector, w: Vector) -> float:
    """How much larger ``|Σ β_i x_i|²`` is for rows as they are than for rows less one of them: what is left of Σβ = 0."""
    off = abs(math.fsum([*beta, -dual.total])) if dual.offset else 0.0
    if off == 0.0:
        return 0.0
    high, low = dual.gram.column_ends()
    far = np.maximum(np.abs(high), np.abs(low))
    return 2.0 * off * inner(np.abs(w), far) + off * off * inner(far, far)


def _most_lost(dual: DualProblem, beta: Vector, evaluation: Evaluation, error: Vector) -> float:
    """What the losses of all rows may be more, if scores are off by so much."""
    slope = evaluation.scores + evaluation.bias + dual.q
    above, below, here = (_loss(dual, beta, each, evaluation.cost) for each in (slope + error, slope - error, slope))
    summed = abs(evaluation.bias * dual.total) + abs(evaluation.cost * (dual.abs_sum or 0.0)) + float(here.sum())
    return float((np.maximum(above, below) - here).sum()) + _MOST * summed


def _sums(dual: DualProblem, beta: Vector, evaluation: Evaluation, squares: Vector, length: float) -> Vector:
    """``Σ_j |β_j| |k(x_i, x_j)|`` of each row, or a bound of it.

    Predictions of a linear kernel are ``<w, x> + b`` of rows as they are. A squared distance has errors of the squared norms
    that it is the difference of, which `Evaluation.score_scale` knows.
    """
    gram, kernel = dual.gram, dual.gram.kernel
    if kernel.of_distances:
        return evaluation.score_scale * gram.matvec(np.abs(beta))
    if not kernel.is_linear:
        return np.sqrt(squares) * length
    vectors, held = gram.rows(evaluation.support), beta[evaluation.support]
    summed = weight_sizes(held, vectors, offset=_is_free(dual))
    if dual.offset:  # the row that is taken off may be another machine's of the same model
        high, low = gram.column_ends()
        summed = np.maximum(summed, _APART * evaluation.abs_sum * (high - low))
    sizes = np.abs(weights_of(held, vectors, offset=_is_free(dual))) + summed
    return _core.row_products(as_features(abs(gram.rows(np.arange(gram.n, dtype=np.int32)))), sizes)


def _loss(dual: DualProblem, beta: Vector, slope: Vector, cost: float) -> Vector:
    """The largest ``−s t − (l1_weight + r)|t| − ½ D t²`` over the box of each row: its loss."""
    box = with_finite_bounds(dual_batch([dual]), beta)

    def best(pull: Vector, low: Any, high: Any) -> Vector:
        t = np.where(pull > 0.0, high, low) if dual.D is None else np.clip(pull / dual.D, low, high)
        return np.where((pull == 0.0) | (t == 0.0), 0.0, t * (pull - (0.0 if dual.D is None else 0.5 * dual.D * t)))

    bend = dual.l1_weight + cost
    with np.errstate(over="ignore", invalid="ignore"):
        return np.maximum(best(-slope - bend, 0.0, box.upper), best(-slope + bend, box.lower, 0.0))
