"""Whether the logistic or the exponential loss without penalty has a minimum."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any, Final, final

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from maxmargin import _core
from maxmargin._deadline import Deadline
from maxmargin.kernels import as_features
from maxmargin.problems import MulticlassLinear, Offset, PrimalProblem, _primitive, _whole
from maxmargin.solution import Progress
from maxmargin.solvers._programs._highs import Columns, Program, ProgramEnd, run_program
from maxmargin.solvers._runtime._base import Callback, Limits
from maxmargin.solvers._runtime._threads import one_blas_thread

__all__ = ["Patience", "falls_for_ever", "leads", "multiclass_falls_for_ever", "separates"]

Vector = NDArray[np.float64]

_SURELY_POSITIVE: Final = 1e-6
_LARGEST: Final = 1_000_000  # values of X up to which a linear program is asked
_EXACT: Final = 200_000  # products that are multiplied exactly: a second
_EPSILON: Final = float(np.finfo(np.float64).eps)
_SOME_ROWS: Final = 4096
_PIVOTS: Final = 50_000


@final
class Patience:
    """How long a linear program may take: what is left of a fit's time, and until a callback says so.

    Parameters
    ----------
    limits : Limits
        Of the fit.
    callback : callable or None
        Of the fit.
    """

    def __init__(self, limits: Limits, callback: Callback | None) -> None:
        self._deadline, self._callback = Deadline(limits.max_seconds), callback
        self.stopped = False

    def __call__(self, pivots: int) -> bool:
        """Whether it is time to stop."""
        if self._callback is not None and self._callback(Progress(self._deadline.elapsed(), pivots, math.nan, math.nan, 0)):
            self.stopped = True
        return self.stopped or self.is_over()

    def is_over(self) -> bool:
        """Whether the time is spent."""
        return self._deadline.is_over()


def separates(problem: PrimalProblem, w: Vector, b: float) -> bool:
    """Whether ``y_i (<w, x_i> + b) ≥ 0`` for all rows, and not 0 for all: proven, with a bound on rounding or exactly."""
    z = problem.y * problem.scores(w, b)
    if not (np.isfinite(z).all() and (z > 0.0).any()):
        return False
    size, parts = np.abs(w), []
    for begin in range(0, problem.n, _SOME_ROWS):
        parts.append(_core.row_products(as_features(abs(problem.X[begin : begin + _SOME_ROWS])), size))
    error = _rounding(problem.d) * (np.concatenate(parts) + abs(b)) + _tiny(problem.d)
    if (z < -error).any() or not (z > error).any():
        return False
    unsure = np.flatnonzero(z <= error)
    if len(unsure) * (problem.d + 1) > _EXACT:
        return False
    rows, weights = sparse.csr_matrix(problem.X[unsure]), [Fraction(value) for value in w.tolist()]
    labels, offset = problem.y[unsure], Fraction(b)
    return all(sign * (offset + _exact(rows, i, weights)) >= 0 for i, sign in enumerate(labels.tolist()))


def _exact(rows: Any, i: int, w: list[Fraction]) -> Fraction:
    """``<w, x_i>`` without rounding."""
    stored = slice(rows.indptr[i], rows.indptr[i + 1])
    columns, values = rows.indices[stored].tolist(), rows.data[stored].tolist()
    return sum((w[k] * Fraction(float(value)) for k, value in zip(columns, values, strict=True)), Fraction(0))


def _rounding(terms: int) -> float:
    """What a sum of products may be wrong by beside the sum of their sizes, in whatever order (Higham 2002)."""
    return 1.01 * (terms + 3) * _EPSILON


def _tiny(terms: int) -> float:
    """What products may lose that are too small for float64."""
    return (terms + 3) * 5e-324


def falls_for_ever(problem: PrimalProblem, alpha: Vector, patience: Patience) -> bool:
    """Whether some w has ``y_i (<w, x_i> + b) ≥ 0`` for all rows, and not 0 for all: along it the loss falls without end.

    Multipliers that are all positive and whose rows sum to 0 show that there is none (Stiemke 1915). Where some are too near
    to 0 to tell, a linear program looks for one: maximise ``Σ t_i`` with ``0 ≤ t_i ≤ min(1, y_i (<w, x_i> + b))``, whose t are
    1 wherever a row can be away from 0. What it finds counts if it is proven to separate. Above a million values of X it is not
    asked; data that a hyperplane separates with room on both sides show that to the solver itself.
    """
    if float((alpha / problem.cost).min()) >= _SURELY_POSITIVE or problem.n * problem.d > _LARGEST:
        return False
    constant = problem.offset is not Offset.NONE
    rows = sparse.csr_matrix(problem.X, dtype=np.float64)
    rows = sparse.hstack([rows, np.ones((problem.n, 1))], format="csr") if constant else rows
    return _found(sparse.csr_matrix(rows.multiply(problem.y[:, np.newaxis])), patience)


def _found(signed: Any, patience: Patience) -> bool:
    """Whether a w is found with ``signed @ w ≥ 0``, and not all 0."""
    n, d = signed.shape
    scale = abs(signed).max(axis=0).toarray().ravel()
    # powers of 2: they change no digits
    scale = np.where(scale > 0.0, np.exp2(np.round(np.log2(np.where(scale > 0.0, scale, 1.0)))), 1.0)
    by_column = sparse.csc_matrix(
        sparse.csr_matrix((signed.data / scale[signed.indices], signed.indices, signed.indptr), (n, d))
    )
    free = np.full(d, np.inf)
    columns = [
        Columns(np.zeros(d), -free, free, by_column),
        Columns(-np.ones(n), np.zeros(n), np.ones(n), sparse.csc_matrix(-sparse.identity(n, format="csc"))),
    ]
    if patience.is_over():
        return False
    answer = run_program(Program(np.zeros(n), np.full(n, np.inf), columns), _PIVOTS, patience)
    if answer.end is not ProgramEnd.OPTIMAL or not (answer.x[d:] > 0.5).any():
        return False
    w = answer.x[:d]
    away = answer.x[d:] > 0.5
    scaled = sparse.csr_matrix(by_column)
    return _holds(scaled, w, away) or _holds_nearby(scaled, w, away)


def _holds(signed: Any, w: Vector, away: NDArray[np.bool_]) -> bool:
    """Whether this w does: with a bound on rounding where rows are away from 0, exactly elsewhere."""
    z = signed @ w
    error = _rounding(len(w)) * (abs(signed) @ np.abs(w)) + _tiny(len(w))
    if not (z[away] > error[away]).all():
        return False
    unsure = np.flatnonzero(~away & ~(z > error))
    if int(np.diff(signed.indptr)[unsure].sum()) > _EXACT:
        return False
    exact = [Fraction(value) for value in w.tolist()]
    return all(_exact(signed, int(i), exact) >= 0 for i in unsure)


def _holds_nearby(signed: Any, w: Vector, away: NDArray[np.bool_]) -> bool:
    """Whether a w near this one does, which is exactly 0 at the rows that are not away from 0."""
    flat, others = sparse.csr_matrix(signed[~away]), sparse.csr_matrix(signed[away])
    if flat.shape[0] * flat.shape[1] > _LARGEST:
        return False
    rows = np.unique(flat.toarray(), axis=0)
    rows = rows[np.abs(rows).any(axis=1)]
    far = 0.0
    if (exact := _eliminated(rows, w)) is not None:
        w = np.array([float(value) for value in exact])
    elif (distance := _from_null_space(rows, w)) is not None:
        far = distance
    else:
        return False
    room = others @ w - _rounding(len(w) + 1) * (abs(others) @ np.abs(w)) - _tiny(len(w))
    length = np.sqrt(np.asarray(others.multiply(others).sum(axis=1)).ravel())
    return bool((room > 1.01 * far * length).all())


def _eliminated(rows: NDArray[np.float64], w: Vector) -> list[Fraction] | None:
    """A w in the null space of the rows, by elimination in whole numbers; None where that is too much work."""
    pivots: list[tuple[int, list[int]]] = []
    work = 0
    for row in rows:
        reduced = _whole(row)
        for place, pivot in pivots:
            if reduced[place]:
                a, b = pivot[place], reduced[place]
                reduced = _primitive([a * x - b * y for x, y in zip(reduced, pivot, strict=True)])
                work += len(w)
        if work > _EXACT:
            return None
        if any(reduced):  # the largest is solved for: what the others are off by counts least there
            pivots.append((max(range(len(w)), key=lambda k: abs(reduced[k])), reduced))
    exact = [Fraction(value) for value in w.tolist()]
    for place, pivot in reversed(pivots):
        known = sum((value * exact[k] for k, value in enumerate(pivot) if value and k != place), Fraction(0))
        exact[place] = -known / pivot[place]
    return exact


def _from_null_space(rows: NDArray[np.float64], w: Vector) -> float | None:
    """How far w is from the null space of some rows at the most; None where float64 cannot tell their rank.

    It is at most ``|r|/σ``, with their products r and their least singular value σ, if that is well above rounding.
    """
    if rows.shape[0] > rows.shape[1]:
        return None
    rows = rows / np.sqrt((rows * rows).sum(axis=1))[:, np.newaxis]
    with one_blas_thread():
        least = float(np.linalg.svd(rows, compute_uv=False)[-1])
    if least < 1e-6:
        return None
    r = np.abs((rows * w).sum(axis=1)) + _rounding(len(w) + 2) * (np.abs(rows) * np.abs(w)).sum(axis=1)
    return 2.0 * math.sqrt(float((r * r).sum())) / least


def leads(problem: MulticlassLinear, w: NDArray[np.float64], b: Vector) -> bool:
    """Whether all rows score highest for their own class, by more than rounding."""
    scores = problem.scores(w, b)
    own = scores[np.arange(problem.n), problem.codes]
    scores[np.arange(problem.n), problem.codes] = -np.inf
    size, parts = np.abs(w).max(axis=0), []
    for begin in range(0, problem.n, _SOME_ROWS):
        parts.append(_core.row_products(as_features(abs(problem.X[begin : begin + _SOME_ROWS])), size))
    error = 2.0 * _rounding(problem.d) * (np.concatenate(parts) + float(np.abs(b).max())) + _tiny(problem.d)
    return bool((own - scores.max(axis=1) > error).all())


def multiclass_falls_for_ever(problem: MulticlassLinear, alpha: NDArray[np.float64], patience: Patience) -> bool:
    """The same of the multinomial loss: whether some scores have all ``t_ik = f_y(x_i) − f_k(x_i) ≥ 0``, and not all 0."""
    n, K = problem.n, len(problem.classes)
    rivals = np.ones((n, K), dtype=np.bool_)
    rivals[np.arange(n), problem.codes] = False
    if float((alpha / problem.cost[:, np.newaxis])[rivals].min()) >= _SURELY_POSITIVE or 2 * n * K * problem.d > _LARGEST:
        return False
    rows = sparse.csr_matrix(problem.X, dtype=np.float64)
    if problem.offset is not Offset.NONE:
        rows = sparse.hstack([rows, np.ones((n, 1))], format="csr")
    row, rival = np.nonzero(rivals)
    pick = np.arange(len(row))
    ahead = sparse.csr_matrix((np.ones(len(row)), (pick, problem.codes[row])), shape=(len(row), K))
    behind = sparse.csr_matrix((np.ones(len(row)), (pick, rival)), shape=(len(row), K))
    of_row = sparse.csr_matrix((np.ones(len(row)), (pick, row)), shape=(len(row), n)) @ rows
    lead = sparse.hstack([of_row.multiply((ahead - behind)[:, [k]]) for k in range(K)], format="csr")
    return _found(sparse.csr_matrix(lead), patience)
