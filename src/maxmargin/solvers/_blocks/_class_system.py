"""Newton's system of all classes at once, from the sums over all blocks."""

from __future__ import annotations

import math
from collections.abc import Generator
from typing import Any, Final, final

import numpy as np
from numpy.typing import NDArray
from scipy import linalg

from maxmargin import _core
from maxmargin._blas import one_blas_thread
from maxmargin.problems import BlockClasses, Offset, inner
from maxmargin.solution import allowed_part, paid_by_classes
from maxmargin.solvers._blocks._class_requests import ClassProduct
from maxmargin.solvers._blocks._penalised import with_absolute_values
from maxmargin.solvers._blocks._requests import Question, Sums

__all__ = ["ClassModel", "class_gradients", "factored_direction", "held_of", "penalised_direction", "unsolved"]

Matrix = NDArray[np.float64]
Vector = NDArray[np.float64]

_MOST: Final = 500
_TRIES: Final = 8


@final
class ClassModel:
    """What `ClassTerms` add up to, by names.

    Attributes
    ----------
    lost, of_slopes : float
        The sum of losses, and what the multipliers gain in the dual objective.
    slopes : ndarray of shape (size, K)
        ``Σ (x_i, 1) (C_i (e_y − p_i))ᵀ``: minus the gradient of the losses; of the offsets the last row.
    curvature : ndarray
        The Hessian of the losses, or what of it was asked for.
    """

    __slots__ = ("curvature", "lost", "of_slopes", "slopes")

    def __init__(self, sums: Sums) -> None:
        (lost, of_slopes), self.slopes, self.curvature = sums.added
        self.lost, self.of_slopes = float(lost), float(of_slopes)

    def is_finite(self) -> bool:
        """Whether all of it are numbers."""
        return math.isfinite(self.lost) and bool(np.isfinite(self.slopes).all())

    def dual(self, problem: BlockClasses) -> tuple[float, float]:
        """The dual objective of the multipliers here, about, and their factor for an L1 penalty.

        Free offsets want their sums to vanish; what that costs is taken for scores that are about 1 apart.
        """
        v = self.slopes[: problem.d].T
        totals = self.slopes[problem.d] if problem.size > problem.d else np.zeros(problem.classes)
        shrink = allowed_part(problem, v, totals)
        apart = float(np.abs(totals).sum()) if problem.offset is Offset.FREE else 0.0
        gain = self.of_slopes + (shrink - 1.0) * (self.of_slopes - self.lost)  # of less than all: that of the tangent
        return gain - paid_by_classes(problem, v, totals) - apart, shrink


def held_of(problem: BlockClasses, ridge: Vector) -> Vector:
    """The least curvature of each feature: where no row curves, a free offset has a millionth of what one row has."""
    held = ridge.copy()
    if problem.offset is Offset.FREE:
        held[-1] += 1e-6 * problem.total / max(problem.n, 1)
    return held


def unsolved(ridge: Vector, gradient: Matrix) -> float:
    """What the gap of the two objectives is at a point with this gradient, about."""
    squares = gradient * gradient
    curved = ridge > 0.0
    return 0.5 * inner(squares[curved].sum(axis=1), 1.0 / ridge[curved]) + float(np.abs(gradient[~curved]).sum())


def _with_shift(H: Matrix, free: NDArray[np.intp], classes: int) -> float:
    """Give a common rise of all classes, which no row feels, the curvature that the others have on average."""
    mean = float(np.diagonal(H).mean()) + 1e-300
    for a in free.tolist():
        part = slice(a * classes, (a + 1) * classes)
        H[part, part] += mean
    return mean


def factored_direction(problem: BlockClasses, model: ClassModel, ridge: Vector, gradient: Matrix) -> Matrix:
    """Solve ``(ridge + H) p = −gradient`` by Cholesky's factor."""
    H, K = model.curvature.copy(), problem.classes
    mean = _with_shift(H, np.flatnonzero(ridge == 0.0), K)
    diagonal = np.arange(len(H))
    own = H[diagonal, diagonal] + np.repeat(held_of(problem, ridge), K)
    floor = 1e-14 * mean
    with one_blas_thread():
        for _ in range(_TRIES):
            H[diagonal, diagonal] = own + floor
            try:
                factor = linalg.cholesky(H, lower=True, check_finite=False)
            except linalg.LinAlgError:
                floor *= 100.0
                continue
            found = linalg.cho_solve((factor, True), -gradient.ravel(), check_finite=False)
            return np.asarray(found).reshape(gradient.shape)
    return np.zeros_like(gradient)


def penalised_direction(problem: BlockClasses, model: ClassModel, ridge: Vector, absolute: Matrix, at: Matrix) -> Matrix:
    """The step to the minimum of the losses' quadratic model and the penalty itself, with absolute values."""
    K = problem.classes
    H = np.tril(model.curvature)
    H += np.tril(H, -1).T
    if problem.offset is Offset.FREE:
        _with_shift(H, np.array([problem.d]), K)
    own, wide = np.diagonal(H).copy(), np.repeat(ridge, K)
    more = np.maximum(np.repeat(held_of(problem, ridge), K), 1e-12 * own + 1e-300)
    np.fill_diagonal(H, own + more)
    here = at.ravel()
    with one_blas_thread():
        linear = -model.slopes.ravel() - H @ here + wide * here
        found = with_absolute_values(H, linear, absolute.ravel(), here)
    direction: Matrix = (found - here).reshape(at.shape)
    return direction


@final
class _Preconditioner:
    """The part of each class by itself, roughly: one factor for all classes, or the diagonal of each."""

    def __init__(self, problem: BlockClasses, curvature: Matrix, ridge: Vector, kind: _core.ClassCurvature) -> None:
        held = held_of(problem, ridge)
        self._factor: Any = None
        self._diagonal: Matrix = held[:, np.newaxis]
        if kind is _core.ClassCurvature.diagonal:
            least = 1e-9 * float(curvature.max()) + 1e-300
            self._diagonal = curvature + np.maximum(held, least)[:, np.newaxis]
            return
        H = curvature.copy()
        own = np.diagonal(H).copy()
        floor = 1e-10 * float(own.mean()) + 1e-300
        with one_blas_thread():
            for _ in range(_TRIES):
                np.fill_diagonal(H, own + np.maximum(held, floor))
                try:
                    self._factor = linalg.cholesky(H, lower=True, check_finite=False)
                except linalg.LinAlgError:
                    floor *= 100.0
                    continue
                return
        self._diagonal = (own + np.maximum(held, floor))[:, np.newaxis]

    def __call__(self, r: Matrix) -> Matrix:
        """Applied, and brought back to where gradients are: classes sum to 0."""
        if self._factor is None:
            z: Matrix = r / self._diagonal
            z -= z.mean(axis=1, keepdims=True)
            return z
        with one_blas_thread():
            return np.asarray(linalg.cho_solve((self._factor, True), r, check_finite=False))


def class_gradients(
    problem: BlockClasses,
    at: Matrix,
    model: ClassModel,
    kind: _core.ClassCurvature,
    ridge: Vector,
    gradient: Matrix,
    forcing: float,
    goal: float,
) -> Generator[Question, Sums, Matrix]:
    """Solve ``(ridge + H) p = −gradient`` by conjugate gradients, a pass for each product.

    Ends at a residual of ``forcing`` of the gradient, or at one that leaves no more than ``goal`` unsolved.
    """
    held = held_of(problem, ridge)[:, np.newaxis]
    precondition = _Preconditioner(problem, model.curvature, ridge, kind)
    direction, residual = np.zeros_like(gradient), -gradient
    fitted = precondition(residual)
    search, rho = fitted.copy(), inner(residual, fitted)
    enough = forcing * forcing * rho
    for _ in range(_MOST):
        if not rho > enough:
            break
        image = (yield ClassProduct(problem, at, search)).added[0] + held * search
        curve = inner(search, image)
        if not curve > 0.0:
            break
        length = rho / curve
        direction += length * search
        residual -= length * image
        if unsolved(ridge, residual) <= goal:
            break
        fitted = precondition(residual)
        before, rho = rho, inner(residual, fitted)
        search = fitted + rho / before * search
    return direction
