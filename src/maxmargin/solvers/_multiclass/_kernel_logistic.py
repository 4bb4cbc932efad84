"""Newton's method for logistic regression with a kernel."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, NamedTuple, final

import numpy as np
from numpy.typing import NDArray
from scipy import linalg

from maxmargin._blas import one_blas_thread
from maxmargin._deadline import Deadline
from maxmargin.problems import KernelLogistic, Losses
from maxmargin.solution import (
    Checkpoint,
    KernelLogisticEvaluation,
    KernelLogisticIterate,
    Status,
    Trace,
    evaluation_of,
    progress_at,
)
from maxmargin.solvers._multiclass._logistic_curvature import Curvature, preconditioner, slices
from maxmargin.solvers._multiclass._logistic_indefinite import stationary_point
from maxmargin.solvers._multiclass._logistic_offsets import best_offsets
from maxmargin.solvers._runtime._base import Callback, Limits, Solver, numbered
from maxmargin.validation import cache_bytes

__all__ = ["KernelNewton"]

Matrix = NDArray[np.float64]
Vector = NDArray[np.float64]

_WHOLE: Final = 500  # rows up to which the preconditioner has all of them: it is then exact for two classes
_LANDMARKS: Final = 600
_FLOAT64_ROWS: Final = 5_000  # up to so many rows the kept kernel values are float64
_LEAST_BLOCK: Final = 32  # rows of K at a time: fewer take as long
_BLOCK: Final = 256  # at most
_SHORT: Final = 0.01  # seconds in which so many rows are done that twice as many may come next
_ASIDE: Final = 0.15  # seconds for what cannot look at the clock: packed rows, a last block, the answer
_MOST_INNER: Final = 2_000
_PATIENCE: Final = 6  # rounds in which the gap must fall to a half
_HALVINGS: Final = 40
_EASY: Final = 10.0  # a cost from which nothing is too far
_SINGLE: Final = 1e-5  # the least gap that products of float32 are asked for
_ROUGH: Final = 0.1  # the gap at smaller costs
_JITTER: Final = 1e-10


@final
@dataclass(frozen=True)
class KernelNewton(Solver[KernelLogistic, KernelLogisticIterate | None, KernelLogisticIterate]):
    """Newton's method in the coefficients, with conjugate gradients for its systems.

    With the slopes ``g = C (t − p)`` of the losses and their curvatures ``W = L Lᵀ`` a step δ from β satisfies
    ``(I + W K) δ = g − β``. The offsets are always the best ones for the functions, which takes ``Q``, the projector on
    ``Lᵀ 1``, from W: ``M = L (I − Q)``, and then ``δ = r − M v`` with ``r = g − β`` and

        (I + Mᵀ K M) v = Mᵀ K r

    a system whose matrix is above the identity. It is preconditioned by the same with the kernel of some evenly spaced rows
    (Nyström) in place of K. What is left of a round shrinks quadratically, until the gap is below ``tol``. Kernel values are
    kept in float32 where there are many rows, and lead to a small gap; from there on ``K δ`` and ``K g``, from which both
    objectives are computed, are in float64 from kernel values computed anew.

    Parameters
    ----------
    cache_size : float or "auto"
        Megabytes for kept kernel values; ``"auto"`` is a quarter of the memory. Where they do not fit, each is computed
        whenever it is needed.

    Examples
    --------
    >>> from maxmargin import solve
    >>> from maxmargin.problems import KernelLogistic
    >>> from maxmargin.solvers import KernelNewton
    >>> solve(KernelLogistic([[0.0], [1.0], [2.0]], [0, 1, 1]), solver=KernelNewton(), tol=1e-9).status.name
    'CONVERGED'
    """

    cache_size: float | str = "auto"

    def automatic_steps(self, n: int, n_classes: int = 2) -> int:
        """Most problems need ten, a matrix that is not positive semidefinite hundreds; those of several classes take longer."""
        return 600 if n_classes == 2 else max(150, min(300, 1200 // n_classes))

    def supports(self, problem: KernelLogistic) -> str | None:
        """Every kernel; of one that is not positive semidefinite a stationary point is found."""
        return None

    def run(
        self,
        problems: Sequence[KernelLogistic],
        starts: Sequence[KernelLogisticIterate | None],
        limits: Limits,
        callback: Callback | None,
    ) -> list[KernelLogisticIterate]:
        """From 0, or from given points, until the gap is ``limits.tol`` of the primal objective, or a limit is reached."""
        with one_blas_thread(), np.errstate(over="ignore", invalid="ignore"):  # steps that are no numbers end the search
            pairs = enumerate(zip(problems, starts, strict=True))
            return [self._search(problem, limits, numbered(callback, k), start) for k, (problem, start) in pairs]

    def _search(
        self, problem: KernelLogistic, limits: Limits, callback: Callback | None, start: KernelLogisticIterate | None
    ) -> KernelLogisticIterate:
        most = cache_bytes(self.cache_size, "KernelNewton")
        begun = Deadline(limits.max_seconds)
        if problem.gram.kernel.mercer or not problem.gram.is_indefinite():
            try:
                return _Search(problem, limits, callback, most).run(start)
            except _NegativeCurvature:
                pass
        within = replace(limits, max_seconds=begun.left())

        def convex(part: KernelLogistic, limits: Limits, start: KernelLogisticIterate | None) -> KernelLogisticIterate:
            return _Search(part, limits, None, most).run(start)

        return stationary_point(problem, within, callback, start, convex)


@final
class _Point(NamedTuple):
    """β, ``K β``, the offsets that are best for it, its losses there, and the objective."""

    beta: Matrix
    values: Matrix
    bias: Vector
    losses: Losses
    primal: float


@final
class _Stopped(Exception):  # no error
    """A limit was reached, or somebody stopped the fit."""

    def __init__(self, status: Status) -> None:
        self.status = status


@final
class _NegativeCurvature(Exception):  # no error
    """The kernel is not positive semidefinite."""


@final
class _Search:
    """One search."""

    def __init__(self, problem: KernelLogistic, limits: Limits, callback: Callback | None, most_bytes: int) -> None:
        self._problem, self._limits, self._callback = problem, limits, callback
        self._deadline = Deadline(limits.max_seconds - min(_ASIDE, 0.3 * limits.max_seconds))
        self._most_bytes = most_bytes
        self._kept: NDArray[np.floating] | None = None
        self._rough = False  # whether float32 decides
        self._factor: Matrix | None = None
        self._steps = 0
        self._seen: list[Checkpoint] = []

    def run(self, start: KernelLogisticIterate | None) -> KernelLogisticIterate:
        problem = self._problem
        zero = np.zeros((problem.n, problem.outputs))
        point = self._point(zero, zero, np.zeros(problem.outputs) if start is None else start.bias.copy())
        try:
            self._look()
            if start is not None and start.beta.any():
                begun = self._point(start.beta, self._anew(start.beta), start.bias.copy())
                point = begun if begun.primal < point.primal else point
            self._keep_values()
            for easier in self._easier(start):
                self._problem = easier
                point = self._descend(self._point(point.beta, point.values, point.bias), _ROUGH)
            self._problem = problem
            point = self._point(point.beta, point.values, point.bias)
            if self._kept is not None and self._kept.dtype == np.float32:
                point = self._descend(point, max(0.5 * self._limits.tol, _SINGLE))
                self._rough = False
                point = self._point(point.beta, self._exact(point.beta), point.bias)
            point = self._descend(point, self._limits.tol)
            status = Status.CONVERGED
        except _Stopped as stop:
            status, point = stop.status, getattr(stop, "point", point)
        except KeyboardInterrupt:
            return self._iterate(self._last if self._seen else point, Status.INTERRUPTED, interrupted=True)
        finally:
            self._problem = problem
        return self._iterate(point, status)

    def _easier(self, start: KernelLogisticIterate | None) -> list[KernelLogistic]:
        """The same at smaller costs: rows that are wrong and sure of it hardly curve, and a step would go far beyond."""
        problem, most = self._problem, float(self._problem.cost.max())
        if start is not None or not most > _EASY:
            return []
        count = math.ceil(math.log10(most / _EASY))
        scales = [10.0**-k for k in range(count, 0, -1)]
        parts = (problem.gram, problem.codes, problem.classes)
        return [KernelLogistic.on(*parts, np.maximum(scale * problem.cost, 1e-300), problem.offset) for scale in scales]

    def _descend(self, point: _Point, tol: float) -> _Point:
        gap, primal, idle = math.inf, math.inf, 0
        self._last = point
        try:
            while True:
                slopes = point.losses.slopes
                pulled = self._exact(slopes)
                found = evaluation_of(self._problem, point.beta, point.values, point.bias, lambda _, pulled=pulled: pulled)
                self._note(found)
                if found.is_optimal(tol) or (self._rough and found.gap <= tol * abs(found.primal)):
                    return point
                left = abs(found.gap)  # rounding may make a gap negative
                fell = left < 0.5 * gap or found.primal < primal - 1e-3 * left
                idle = 0 if fell else idle + 1
                gap, primal = min(left, gap), min(found.primal, primal)
                if idle >= _PATIENCE:
                    if self._rough:
                        return point
                    raise _Stopped(Status.STALLED)
                if self._steps >= self._limits.max_steps:
                    raise _Stopped(Status.ITERATION_LIMIT)
                self._look()
                relative = found.gap / max(found.primal, 1e-300)
                forcing = min(0.1, max(0.5 * math.sqrt(max(relative, 0.0)), 1e-3))
                step = self._direction(point, slopes - point.beta, pulled - point.values, forcing)
                self._steps += 1
                point = self._best_along(point, step, self._exact(step))
                self._last = point
        except _Stopped as stop:
            stop.point = self._last  # type: ignore[attr-defined]
            raise

    def _direction(self, point: _Point, residual: Matrix, pulled: Matrix, forcing: float) -> Matrix:
        """δ of Newton's system.

        What the step misses of the decrease of the quadratic model is at most half of the square of what is left of the system;
        all of it is half of ``rᵀ K r − bᵀ v`` with the right side b.
        """
        curve = Curvature(point.losses, self._problem)
        right = curve.across(pulled)
        solve = preconditioner(self._factor, curve, self._look)
        v = np.zeros_like(right)
        left = right.copy()
        fitted = curve.project(solve(left))
        search = fitted.copy()
        rho = _inner(left, fitted)
        whole = _inner(residual, pulled)
        gain, first = 0.0, rho
        for _ in range(_MOST_INNER):
            if not (rho > max(1e-24 * first, 1e-300) and _inner(left, left) > forcing * max(whole - gain, 1e-12 * whole)):
                break
            image = search + curve.across(self._times(curve.along(search)))
            bent = _inner(search, image)
            if not bent > 0.0:
                break
            length = rho / bent
            gain += length * rho
            v += length * search
            left -= length * image
            fitted = curve.project(solve(left))
            next_rho = _inner(left, fitted)
            search = fitted + (next_rho / rho) * search
            rho = next_rho
            self._look()
        step = residual - curve.along(v)
        if not np.isfinite(step).all():
            raise _Stopped(Status.STALLED)
        return np.asarray(step)

    def _best_along(self, point: _Point, step: Matrix, pulled: Matrix) -> _Point:
        """As far along a step as the objective falls."""
        fall = float(((point.beta - point.losses.slopes) * pulled).sum())
        if _inner(step, pulled) < -1e-8 * _inner(step, step) * float(np.abs(self._problem.gram.diagonal()).max(initial=0.0)):
            raise _NegativeCurvature
        length = 1.0
        for _ in range(_HALVINGS):
            there = self._point(point.beta + length * step, point.values + length * pulled, point.bias.copy())
            if there.primal <= point.primal + 1e-4 * length * min(fall, 0.0):
                return there
            if abs(there.primal - point.primal) <= 1e-14 * point.primal:  # what is left is rounding
                return there
            length *= 0.5
        raise _Stopped(Status.STALLED)

    def _point(self, beta: Matrix, values: Matrix, bias: Vector) -> _Point:
        """With the offsets that are best for these functions."""
        bias, losses = best_offsets(self._problem, values, bias)
        return _Point(beta, values, bias, losses, 0.5 * _inner(beta, values) + losses.value)

    def _exact(self, beta: Matrix) -> Matrix:
        kept = self._kept
        self._look()
        if kept is not None and (self._rough or kept.dtype == np.float64):
            return self._times(beta)
        return self._anew(beta)

    def _anew(self, beta: Matrix) -> Matrix:
        found = self._problem.product_within(self._deadline.left(), beta)
        if found is None:
            raise _Stopped(Status.TIME_LIMIT)
        return found

    def _times(self, beta: Matrix) -> Matrix:
        """``K β`` as precisely as a direction needs it."""
        kept = self._kept
        if kept is None:
            return self._anew(beta)
        single = kept.dtype == np.float32
        size = float(np.abs(beta).max(initial=0.0)) if single else 1.0
        if size == 0.0:
            return np.zeros_like(beta)
        held, found = (beta / size).astype(np.float32) if single else beta, np.empty_like(beta)
        for some in slices(len(beta), beta.size):
            found[some] = kept[some] @ held
            self._look()
        return found * size if single else found

    def _keep_values(self) -> None:
        """K, if it has room, and a factor of it by some rows."""
        n = self._problem.n
        kind = np.float64 if n <= _FLOAT64_ROWS else np.float32
        every = np.arange(n, dtype=np.int32)
        if n * n * np.dtype(kind).itemsize <= self._most_bytes:
            self._kept = self._block(every, np.empty((n, n), dtype=kind))
            self._rough = kind is np.float32
        chosen = every if n <= _WHOLE else np.unique(np.linspace(0, n - 1, _LANDMARKS).astype(np.int32))
        columns = self._block(chosen, np.empty((n, len(chosen))))
        corner = columns[chosen]
        scale = float(np.abs(np.diagonal(corner)).max(initial=0.0))
        for power in range(8):
            try:
                root = linalg.cholesky(corner + 100.0**power * _JITTER * scale * np.eye(len(chosen)), lower=True)
            except linalg.LinAlgError:
                continue
            for some in slices(n, len(chosen) ** 2):
                columns[some] = linalg.solve_triangular(root, columns[some].T, lower=True).T
                self._look()
            self._factor = columns
            return

    def _block(self, across: NDArray[np.int32], found: NDArray[Any]) -> NDArray[Any]:
        """Kernel values of all rows with some, in the given array."""
        begin, height = 0, _LEAST_BLOCK
        while begin < len(found):
            since = self._deadline.elapsed()
            rows = np.arange(begin, min(begin + height, len(found)), dtype=np.int32)
            found[begin : begin + height] = self._problem.gram.block(rows, across)
            self._look()
            begin += height
            height = min(2 * height, _BLOCK) if self._deadline.elapsed() - since < _SHORT else height
        return found

    def _look(self) -> None:
        if self._deadline.is_over():
            raise _Stopped(Status.TIME_LIMIT)

    def _note(self, found: KernelLogisticEvaluation) -> None:
        relative = found.gap / max(abs(found.primal), 1e-300)
        self._seen.append(Checkpoint(self._deadline.elapsed(), self._steps, found.dual, relative, self._problem.n, found.gap))
        if self._callback is not None and self._callback(progress_at(self._seen[-1])):
            raise _Stopped(Status.INTERRUPTED)

    def _iterate(self, point: _Point, status: Status, *, interrupted: bool = False) -> KernelLogisticIterate:
        return KernelLogisticIterate(status, self._steps, interrupted, Trace.of(self._seen), point.beta, point.bias)


def _inner(x: Matrix, y: Matrix) -> float:
    return float((x * y).sum())
