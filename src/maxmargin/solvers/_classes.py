"""The engine for linear models of all classes at once: thin over C++."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, final

import numpy as np
from numpy.typing import NDArray

from maxmargin import _core
from maxmargin.problems import ClassLoss, LinearClasses, Offset, Penalty
from maxmargin.solution import Progress, Status, Trace
from maxmargin.solvers._base import Callback, Limits
from maxmargin.solvers._separation import falls_for_ever_in_classes
from maxmargin.solvers._smo import ENDINGS

__all__ = ["ClassesIterate", "ClassesNewton"]

_LOSSES: Final = {ClassLoss.MULTINOMIAL: 0, ClassLoss.JOINT: 1}
_OFFSETS: Final = {Offset.NONE: 0, Offset.FREE: 1, Offset.PENALISED: 2}


@final
@dataclass(frozen=True, eq=False)
class ClassesIterate:
    """Weights of shape (K, d), offsets, multipliers of shape (n, K) to judge them by, and how the solver came to stop there.

    Examples
    --------
    >>> from maxmargin.problems import LinearClasses
    >>> from maxmargin.solvers import ClassesNewton, Limits
    >>> problem = LinearClasses([[0.0], [1.0], [2.0]], [0, 1, 2])
    >>> ClassesNewton().run(problem, Limits(tol=1e-3, max_steps=100, max_seconds=0.0), None).w.shape
    (3, 1)
    """

    w: NDArray[np.float64]
    b: NDArray[np.float64]
    alpha: NDArray[np.float64]
    status: Status
    steps: int
    by_signal: bool
    trace: Trace


@final
@dataclass(frozen=True)
class ClassesNewton:
    """Newton's method in the weights of all classes, with a line search.

    The systems ``(I + Σ_i H_i ⊗ x_i x_iᵀ) Δ = −∇`` are solved by conjugate gradients that pass over X once for all classes;
    up to 1 023 features their preconditioner is a factor, of one matrix for all classes at first, of one for each class later
    on; beyond, it is the diagonal. Small systems are factored themselves. The joint loss has no curvature; it is replaced by
    ``max_α <α, f + [k ≠ y]> − C_i f_y − |α − a_i|²/(2σC_i)`` over ``α ≥ 0, Σα = C_i``, solved, and ``a_i`` set to the α found:
    the method of multipliers, as in `LinearNewton`. Multipliers are made feasible for free offsets by moving, in every row, a
    part of what classes have too much to those that have too little.

    Examples
    --------
    >>> from maxmargin import solve
    >>> from maxmargin.problems import LinearClasses
    >>> from maxmargin.solvers import ClassesNewton
    >>> solve(LinearClasses([[0.0], [1.0], [2.0]], [0, 1, 2]), solver=ClassesNewton()).status.name
    'CONVERGED'
    """

    def automatic_steps(self) -> int:
        """Some thousand rounds: the multinomial loss needs ten, the joint one a hundred."""
        return 2000

    def run(self, problem: LinearClasses, limits: Limits, callback: Callback | None) -> ClassesIterate:
        """From 0 until the gap is ``limits.tol`` of the primal objective, or a limit is reached."""

        def monitor(seconds: float, steps: int, objective: float, violation: float, n_support: int) -> bool:
            return callback is not None and bool(callback(Progress(seconds, steps, -objective, violation, n_support)))

        w, b, alpha, ending, by_signal, rounds, separates, table = _core.minimise_classes(
            problem.features,
            problem.codes.astype(np.int32),
            problem.price,
            len(problem.classes),
            _LOSSES[problem.loss],
            _OFFSETS[problem.offset],
            problem.offset_scale,
            problem.penalty is Penalty.L2,
            limits.tol,
            limits.max_steps,
            limits.max_seconds,
            None if callback is None else monitor,
        )
        if not separates and problem.penalty is Penalty.NONE and not by_signal:
            separates = falls_for_ever_in_classes(problem, alpha)
        if problem.offset is Offset.FREE:
            b -= b.mean()
        status = Status.SEPARABLE if separates else ENDINGS[ending]
        return ClassesIterate(w, b, alpha, status, rounds, by_signal, Trace(table))
