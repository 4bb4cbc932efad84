"""Newton's system of a round, and the dual objective, from the sums over all blocks."""

from __future__ import annotations

import math
from typing import Final, NamedTuple, final

import numpy as np
from numpy.typing import NDArray
from scipy import linalg

from maxmargin._blas import one_blas_thread
from maxmargin.losses import EpsilonInsensitive, Exponential, Hinge, Logistic
from maxmargin.problems import BlockProblem, Offset, Penalty, inner
from maxmargin.solvers._blocks._requests import Sums

__all__ = ["Model", "ScaledDual", "has_kinks", "newton_direction", "ridge_of", "scaled_dual"]

Vector = NDArray[np.float64]
_TRIES: Final = 8


def has_kinks(problem: BlockProblem) -> bool:
    """Whether the loss has no curvature of its own."""
    return isinstance(problem.loss, Hinge | EpsilonInsensitive)


def ridge_of(problem: BlockProblem) -> Vector:
    """Curvature of the penalty, of weights and offset."""
    ridge = np.full(problem.size, problem.ridge)
    if problem.offset is Offset.FREE:
        ridge[-1] = 0.0
    elif problem.offset is Offset.PENALISED:
        ridge[-1] /= problem.offset_scale**2
    return ridge


@final
class Model:
    """What `Terms` add up to, by names.

    Attributes
    ----------
    lost : float
        ``Σ C_i ℓ(z_i)``.
    of_slopes : float
        ``Σ C_i ℓ(z_i) + α_i z_i``: what the multipliers gain in the dual objective, of a smooth loss.
    abs_sum, gain, square : ndarray of shape (2,)
        By the sign of ``α_i s_i``.
    minus, plus : ndarray
        ``Σ α_i s_i x_i`` by that sign; where the offset is not free all of it is in the first.
    curvature : ndarray
        The Hessian of the losses, its lower triangle or its diagonal.
    """

    __slots__ = ("abs_sum", "curvature", "gain", "lost", "minus", "of_slopes", "plus", "square")

    def __init__(self, sums: Sums) -> None:
        numbers, self.minus, self.plus, self.curvature = sums.added
        self.lost, self.of_slopes = float(numbers[0]), float(numbers[1])
        self.abs_sum, self.gain, self.square = numbers[2:4], numbers[4:6], numbers[6:8]

    def is_finite(self) -> bool:
        """Whether all of it are numbers."""
        return math.isfinite(self.lost) and bool(np.isfinite(self.minus).all() and np.isfinite(self.plus).all())

    def slope(self, problem: BlockProblem) -> Vector:
        """Gradient of the losses in weights and offset."""
        found = -(self.minus + self.plus)
        if problem.offset is Offset.NONE:
            return found
        return np.append(found, float(self.abs_sum[0] - self.abs_sum[1]))


@final
class ScaledDual(NamedTuple):
    """The dual objective of the multipliers of a point, made feasible by a factor for either sign of ``α_i s_i``."""

    value: float
    minus: float
    plus: float
    shrink: float = 1.0


def scaled_dual(problem: BlockProblem, model: Model) -> ScaledDual:
    """The best multiple of the multipliers whose signed sum is 0 where the offset is free.

    For the logistic and the exponential loss the gain of other factors than 1 is not known from the sums: there the value is
    about that.
    """
    minus, plus = (float(each) for each in model.abs_sum)
    factor = np.ones(2)
    if problem.offset is Offset.FREE:
        level = min(minus, plus)
        factor = np.array([level / minus if minus > 0.0 else 0.0, level / plus if plus > 0.0 else 0.0])
    v = factor[0] * model.minus + factor[1] * model.plus
    if problem.penalty is not Penalty.L2:
        return _of_other_penalty(problem, model, factor, v)
    square = inner(v, v)
    if problem.offset is Offset.PENALISED:
        square += (problem.offset_scale * (plus - minus)) ** 2
    if isinstance(problem.loss, Logistic | Exponential):
        apart = abs(plus - minus) if problem.offset is Offset.FREE else 0.0
        return ScaledDual(model.of_slopes - 0.5 * square - apart, float(factor[0]), float(factor[1]))
    gain, curve, most = inner(factor, model.gain), square, 1.0
    if not has_kinks(problem):
        curve += 2.0 * inner(factor * factor, model.square)
        most = math.inf
    t = min(max(gain / curve, 0.0), most) if curve > 0.0 else float(gain > 0.0)
    return ScaledDual(t * (gain - 0.5 * t * curve), t * float(factor[0]), t * float(factor[1]))


def _of_other_penalty(problem: BlockProblem, model: Model, factor: Vector, v: Vector) -> ScaledDual:
    """With an L1 penalty no ``|v_k|`` may be above 1: the best multiple that is allowed; others allow any multipliers."""
    minus, plus = (float(each) for each in model.abs_sum)
    scaled = problem.offset_scale * (plus - minus) if problem.offset is Offset.PENALISED else 0.0
    apart = abs(plus - minus) if problem.offset is Offset.FREE else 0.0
    sums, largest = np.append(v, scaled), max(float(np.abs(v).max(initial=0.0)), abs(scaled))
    shrink, smooth = 1.0, isinstance(problem.loss, Logistic | Exponential)
    gain, squares = inner(factor, model.gain), 0.0 if has_kinks(problem) else inner(factor * factor, model.square)
    if problem.penalty is Penalty.L1:
        shrink = 1.0 / max(1.0, largest * (1.0 + 1e-15))
        paid = 0.0
    elif problem.penalty is Penalty.ELASTIC:
        paid = 0.5 * inner(over := np.maximum(np.abs(sums) - problem.l1, 0.0), over) / problem.ridge
    else:
        paid = math.sqrt(problem.B * inner(sums, sums))
    if smooth:  # the gain of less than all is about that of the tangent
        value = model.of_slopes + (shrink - 1.0) * (model.of_slopes - model.lost) - paid - apart
    else:
        value = shrink * gain - shrink * shrink * squares - paid
    return ScaledDual(value, float(factor[0]), float(factor[1]), shrink)


def newton_direction(model: Model, ridge: Vector, gradient: Vector, offset_floor: float, *, penalty: bool) -> Vector:
    """Solve ``(ridge + H) p = −gradient`` by Cholesky's factor; directions without curvature get a part of what they have."""
    lower = np.tril(model.curvature)
    diagonal = np.arange(len(ridge))
    own = lower[diagonal, diagonal].copy()
    least = np.zeros(len(ridge))
    least[-1] = max(0.0, offset_floor - own[-1])
    floor = 1e-14 if penalty else 1e-9
    with one_blas_thread():
        for _ in range(_TRIES):
            lower[diagonal, diagonal] = own + np.maximum(ridge, floor * own + 1e-300) + least
            try:
                factor = linalg.cholesky(lower, lower=True, check_finite=False)
            except linalg.LinAlgError:
                floor *= 100.0
                continue
            return np.asarray(linalg.cho_solve((factor, True), -gradient, check_finite=False))
    return np.zeros(len(ridge))
