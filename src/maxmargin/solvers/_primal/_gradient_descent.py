"""Gradient descent on a linear model's own objective."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, final

import numpy as np
from numpy.typing import NDArray

from maxmargin.errors import InvalidInput
from maxmargin.losses import Exponential, Logistic
from maxmargin.problems import Offset, Penalty, PrimalProblem, inner
from maxmargin.solution import PrimalIterate, Status
from maxmargin.solvers._primal._base import PrimalSolver
from maxmargin.solvers._primal._multipliers import constant_feature, second_moment
from maxmargin.solvers._primal._watch import LIMITS, PrimalWatch
from maxmargin.solvers._runtime._base import Callback, Limits
from maxmargin.solvers._runtime._threads import one_blas_thread
from maxmargin.solvers._separation import separates
from maxmargin.validation import check_boolean, check_integer, check_positive

__all__ = ["GradientDescent"]

Vector = NDArray[np.float64]

_EXACT_NORM: Final = 512  # features up to which the largest eigenvalue is computed, beyond by power iteration
_NEAR_ZERO: Final = 0.01  # standard deviation of a drawn start
_PATIENCE: Final = 1000  # steps without a new lowest objective
_FAR: Final = 1e6  # so many times the first objective is no detour


@final
@dataclass(frozen=True)
class GradientDescent(PrimalSolver):
    """``w ← w − ε ∇E(w)`` with all rows in every step.

    For the logistic loss without penalty, with ``C = 1``, this is ``w ← w − ε Σ (h(x_k) − c_k) x̃_k``, with classes c of 0 and
    1, the probability ``h = 1/(1 + e^−f)`` and ``x̃ = (x, 1)``. The objective falls in every step if ``ε < 2/L``, where L
    bounds the curvature: ``L = ℓ''_max λ_max(Σ C_i x̃_i x̃_iᵀ)``, and 1 more with a penalty; ``ℓ''_max`` of the logistic loss
    is ¼. ``ε ≤ 1`` does not suffice, since the bound depends on the data. The curvature of the exponential loss is unbounded,
    but it is bounded where the objective is at most that of the start, and the steps stay there.

    Parameters
    ----------
    step : float or "auto"
        ε, the step size; "auto" is ``1/L``. A number is used as given; if it is too large, the status is DIVERGED.
    seed : int or None
        Seed of the starting point, which is drawn near 0; None starts at 0.
    stop_when_separable : bool
        Without a penalty, the logistic and the exponential loss have no minimum where a hyperplane separates the classes: the
        loss falls to 0, and ``|w|`` grows without limit, slower and slower. True ends as soon as w separates; False goes on to
        ``max_iter`` or ``max_time``, to see it grow. The status is SEPARABLE for both.

    Examples
    --------
    >>> from maxmargin import solve
    >>> from maxmargin.problems import PrimalProblem
    >>> from maxmargin.solvers import GradientDescent
    >>> problem = PrimalProblem([[0.0], [1.0], [2.0], [3.0]], [0, 1, 0, 1], loss="logistic", penalty=None)
    >>> solution = solve(problem, solver=GradientDescent(), tol=1e-6)
    >>> solution.status.name, solution.weights.round(2), round(solution.bias, 2)
    ('CONVERGED', array([0.91]), -1.36)
    """

    step: float | str = "auto"
    seed: int | None = None
    stop_when_separable: bool = True

    def __post_init__(self) -> None:
        check_boolean("stop_when_separable", self.stop_when_separable, "GradientDescent")
        if self.seed is not None:
            check_integer("seed", self.seed, "GradientDescent", 0)
        if not (isinstance(self.step, str) and self.step == "auto"):
            try:
                check_positive("step", self.step, "GradientDescent")
            except InvalidInput:
                raise InvalidInput(
                    f"The 'step' parameter of GradientDescent must be 'auto' or a float in the range (0.0, inf)."
                    f" Got {self.step!r} instead."
                ) from None

    def supports(self, problem: PrimalProblem) -> str | None:
        """Every smooth loss, with and without penalty."""
        if problem.penalty is Penalty.L1:
            return "the L1 penalty has a kink at every 0, where steps would swing. Take ProximalNewton."
        if problem.penalty not in (Penalty.L2, Penalty.NONE):
            return f"it needs a smooth penalty, 'l2' or None, and this one is {problem.penalty.value!r}."
        if math.isinf(problem.loss.curvature) and not isinstance(problem.loss, Exponential):
            return f"it needs a smooth loss, and this one is {problem.loss!r}. StochasticSubgradient goes over kinks."
        return None

    def automatic_steps(self, n: int, n_classes: int = 2) -> int:
        """Steps are expensive, and a problem that needs more of them is one for another solver."""
        return 200_000

    def run_one(
        self, problem: PrimalProblem, start: PrimalIterate | None, limits: Limits, callback: Callback | None
    ) -> PrimalIterate:
        """Step from the start, or the solver's own, until the gap is ``limits.tol`` of the primal objective, or a limit."""
        watch = PrimalWatch(problem, limits, callback, rows_a_step=problem.n)
        try:
            return watch.iterate(self._descend(problem, start, watch))
        except KeyboardInterrupt:
            return watch.iterate(Status.INTERRUPTED, interrupted=True)

    def _descend(self, problem: PrimalProblem, start: PrimalIterate | None, watch: PrimalWatch) -> Status:
        w, b = self._start(problem) if start is None else (start.w, float(start.b))
        step = 1.0 / max(_curvature(problem, w, b, watch.is_late), 1e-300) if isinstance(self.step, str) else float(self.step)
        # A penalised offset is scale times the weight of a constant feature: a step of that weight is scale² times one of b.
        offset_step = step * (problem.offset_scale**2 if problem.offset is Offset.PENALISED else 1.0)
        slope, penalised = problem.loss.slope(problem.y), problem.penalty is Penalty.L2
        endless = not penalised and isinstance(problem.loss, Logistic | Exponential)
        progress, proven = _Progress(), False
        steps = due = next_proof = 0
        while True:
            z = problem.loss.argument(problem.y, problem.scores(w, b))
            alpha = -problem.cost * problem.loss.derivative(z)
            ended = progress.see(problem.penalty_of(w, b) + float((problem.cost * problem.loss.value(z)).sum()))
            if steps >= due or ended is Status.STALLED:
                watch.see(w, b, [alpha], steps)
                due = watch.due()
            else:
                watch.poll(steps)
            if endless and not proven and steps >= next_proof and bool((z > 0.0).all()):
                proven, next_proof = separates(problem, w, b), 2 * steps + 1
            if proven and self.stop_when_separable:
                watch.see(w, b, [alpha], steps)
                return Status.SEPARABLE
            if watch.status is not None or ended is not None:
                status = watch.status or ended or Status.STALLED
                return Status.SEPARABLE if proven and status in (*LIMITS, Status.STALLED) else status
            signed = alpha * slope
            in_w, in_b = -problem.combination(signed), -float(signed.sum())
            if penalised:
                in_w += w
                in_b += b / problem.offset_scale**2 if problem.offset is Offset.PENALISED else 0.0
            w = w - step * in_w
            b = 0.0 if problem.offset is Offset.NONE else b - offset_step * in_b
            steps += 1

    def _start(self, problem: PrimalProblem) -> tuple[Vector, float]:
        if self.seed is None:
            return np.zeros(problem.d), 0.0
        drawn = _NEAR_ZERO * np.random.default_rng(self.seed).standard_normal(problem.d + 1)
        return drawn[:-1], 0.0 if problem.offset is Offset.NONE else float(drawn[-1])


@final
class _Progress:
    """The lowest objective so far, and how long ago it was."""

    def __init__(self) -> None:
        self._first = self._lowest = math.inf
        self._idle = 0

    def see(self, objective: float) -> Status | None:
        """Whether the steps run off, swing to and fro, or are at rounding; None to go on."""
        if not objective <= _FAR * self._first:
            return Status.DIVERGED
        if math.isinf(self._first):
            self._first = objective
        self._idle = 0 if objective < self._lowest else self._idle + 1
        self._lowest = min(self._lowest, objective)
        if self._idle <= _PATIENCE:
            return None
        return Status.STALLED if objective <= self._lowest * (1.0 + 1e-9) else Status.DIVERGED


def _curvature(problem: PrimalProblem, w: Vector, b: float, is_late: Callable[[], bool] = lambda: False) -> float:
    """A bound on the largest eigenvalue of the Hessian, in w and the weight of the constant feature.

    Where it is late, whatever there is by then: no step will be taken.
    """
    own = 1.0 if problem.penalty is Penalty.L2 else 0.0
    if isinstance(problem.loss, Exponential):
        # Σ C_i e^−z_i x̃_i x̃_iᵀ ≤ E max|x̃|², and E falls from what it is at the start.
        return own + problem.objective(w, b) * _largest_row(problem)
    return own + problem.loss.curvature * _largest_eigenvalue(problem, is_late)


def _largest_row(problem: PrimalProblem) -> float:
    X = problem.X
    if isinstance(X, np.ndarray):
        squares = np.einsum("ij,ij->i", X, X, dtype=np.float64)
    else:
        squares = X.multiply(X).sum(axis=1, dtype=np.float64)
    return float(np.max(squares)) + constant_feature(problem) ** 2


def _largest_eigenvalue(problem: PrimalProblem, is_late: Callable[[], bool]) -> float:
    """``λ_max(Σ C_i x̃_i x̃_iᵀ)``; by power iteration it is a little below, and a step of 1/L still below 2/L."""
    if problem.d <= _EXACT_NORM:
        with one_blas_thread():
            return float(np.linalg.eigvalsh(second_moment(problem, problem.cost, is_late))[-1])
    constant = constant_feature(problem)
    w, b, norm = np.random.default_rng(0).standard_normal(problem.d), 0.0, 0.0
    for _ in range(100):
        size = math.sqrt(inner(w, w) + b * b)
        if size == 0.0:
            return 0.0
        pulled = problem.cost * problem.scores(w / size, constant * b / size)
        w, b = problem.combination(pulled), constant * float(pulled.sum())
        before, norm = norm, math.sqrt(inner(w, w) + b * b)
        if norm - before <= 1e-3 * norm or is_late():
            break
    return norm
