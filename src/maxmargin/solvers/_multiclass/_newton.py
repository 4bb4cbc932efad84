"""The engine for linear models of all classes at once: thin over C++."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final, final

import numpy as np

from maxmargin import _core
from maxmargin.problems import ClassLoss, MulticlassLinear, Offset, Penalty
from maxmargin.solution import PrimalIterate, Status, Trace, certify_multiclass
from maxmargin.solvers._runtime._base import Callback, Limits, Solver, numbered
from maxmargin.solvers._runtime._core_runs import OFFSETS, STATUSES, core_limits, listener
from maxmargin.solvers._separation import Patience, leads, multiclass_falls_for_ever

__all__ = ["MulticlassNewton", "MulticlassSolver", "minimise"]

_A_WEIGHT: Final = 5e-8  # seconds that the matrices of a search take for each class and row or feature
_LOSSES: Final = {ClassLoss.MULTINOMIAL: _core.ClassLoss.multinomial, ClassLoss.JOINT: _core.ClassLoss.joint}


class MulticlassSolver(Solver[MulticlassLinear, PrimalIterate | None, PrimalIterate], ABC):
    """A solver of linear models of all classes at once (`MulticlassLinear`)."""

    @abstractmethod
    def run_one(
        self, problem: MulticlassLinear, start: PrimalIterate | None, limits: Limits, callback: Callback | None
    ) -> PrimalIterate:
        """From 0, or a given point, until the gap is ``limits.tol`` of the primal objective, or a limit is reached."""

    def run(
        self,
        problems: Sequence[MulticlassLinear],
        starts: Sequence[PrimalIterate | None],
        limits: Limits,
        callback: Callback | None,
    ) -> list[PrimalIterate]:
        """One after the other."""
        return [
            self.run_one(problem, start, limits, numbered(callback, k))
            for k, (problem, start) in enumerate(zip(problems, starts, strict=True))
        ]


@final
@dataclass(frozen=True)
class MulticlassNewton(MulticlassSolver):
    """Newton's method in the weights of all classes, with a line search.

    The systems ``(I + Σ_i H_i ⊗ x_i x_iᵀ) Δ = −∇`` are solved by conjugate gradients that pass over X once for all classes; up
    to 1 023 features their preconditioner is a factor, of one matrix for all classes at first, of one for each class later on;
    beyond, it is the diagonal. Small systems are factored themselves. The joint loss has no curvature; it is replaced by
    ``max_α <α, f + [k ≠ y]> − C_i f_y − |α − a_i|²/(2σC_i)`` over ``α ≥ 0, Σα = C_i``, solved, and ``a_i`` set to the α found:
    the method of multipliers, as in `LinearNewton`. Beyond 1 023 features the joint loss first gets sweeps of
    `MulticlassDescent`, which often suffice, for as long as the gap halves whenever their number doubles. Multipliers are made
    feasible for free offsets by moving, in every row, a part of what classes have too much to those that have too little.

    Examples
    --------
    >>> from maxmargin import solve
    >>> from maxmargin.problems import MulticlassLinear
    >>> from maxmargin.solvers import MulticlassNewton
    >>> solve(MulticlassLinear([[0.0], [1.0], [2.0]], [0, 1, 2]), solver=MulticlassNewton()).status.name
    'CONVERGED'
    """

    def automatic_steps(self, n: int, n_classes: int = 2) -> int:
        """Some thousand rounds: the multinomial loss needs ten, the joint one a hundred, or sweeps."""
        return 2000

    def supports(self, problem: MulticlassLinear) -> str | None:
        """Every problem but those whose weights cost their absolute values."""
        if problem.has_l1:
            return (
                f"penalty={problem.penalty.value!r} has kinks that Newton's method does not see. Take MulticlassProximalNewton."
            )
        return None

    def run_one(
        self, problem: MulticlassLinear, start: PrimalIterate | None, limits: Limits, callback: Callback | None
    ) -> PrimalIterate:
        """From 0, or a given point, until the gap is ``limits.tol`` of the primal objective, or a limit is reached."""
        patience = Patience(limits, callback)
        found, claimed = minimise(problem, limits, callback, start)
        if problem.penalty is not Penalty.NONE or found.status in (Status.INTERRUPTED, Status.TIME_LIMIT):
            return found
        return _without_minimum(problem, _with_slopes(problem, found), patience, claimed=claimed)


def minimise(
    problem: MulticlassLinear,
    limits: Limits,
    callback: Callback | None,
    start: PrimalIterate | None = None,
    method: _core.MulticlassMethod = _core.MulticlassMethod.newton,
) -> tuple[PrimalIterate, bool]:
    """Run the core by one of its methods. The second says that it saw all rows ahead, without a penalty.

    Where there is less time than its matrices take to be made, it is not begun.
    """
    classes = len(problem.classes)
    if limits.max_seconds < _A_WEIGHT * classes * float(problem.n + problem.d):
        return _unmoved(problem, start), False
    spec = _core.MulticlassSpec(
        features=problem.features,
        label=problem.codes.astype(np.int32),
        cost=problem.cost,
        classes=classes,
        loss=_LOSSES[problem.loss],
        offset=OFFSETS[problem.offset],
        offset_scale=problem.offset_scale,
        penalty=problem.penalty is not Penalty.NONE,
        l1=problem.l1 if problem.has_l1 else 0.0,
    )
    point = None if start is None else _core.MulticlassStart(start.w, start.b, start.alpha)
    result = _core.minimise_multiclass(spec, point, core_limits(limits), method, listener(callback))
    b = result.b - result.b.mean() if problem.offset is Offset.FREE else result.b
    status, trace = STATUSES[result.termination], Trace.written(result.trace)
    found = PrimalIterate(status, result.rounds, result.interrupted, trace, result.w, b, result.alpha)
    return found, result.separates


def _unmoved(problem: MulticlassLinear, start: PrimalIterate | None) -> PrimalIterate:
    """Where a search without time ends: at its start, or at 0, where the multipliers of all rows are at their own classes."""
    if start is not None:
        return replace(start, status=Status.TIME_LIMIT)
    classes, alpha = len(problem.classes), np.zeros((problem.n, len(problem.classes)))
    alpha[np.arange(problem.n), problem.codes] = problem.cost
    return PrimalIterate.at(np.zeros((classes, problem.d)), np.zeros(classes), alpha, Status.TIME_LIMIT)


def _with_slopes(problem: MulticlassLinear, found: PrimalIterate) -> PrimalIterate:
    """With the slopes of the losses as multipliers if they prove more: at a minimum without penalty they are the exact ones."""
    slopes = problem.probabilities(problem.scores(found.w, found.b)) * problem.cost[:, np.newaxis]
    both = [certify_multiclass(problem, found.w, found.b, alpha, proven=False).dual for alpha in (found.alpha, slopes)]
    return replace(found, alpha=slopes) if both[1] > both[0] else found


def _without_minimum(problem: MulticlassLinear, found: PrimalIterate, patience: Patience, *, claimed: bool) -> PrimalIterate:
    """What was found, with the status SEPARABLE if it is proven that the loss has no minimum."""
    try:
        if (claimed and leads(problem, found.w, found.b)) or multiclass_falls_for_ever(problem, found.alpha, patience):
            return replace(found, status=Status.SEPARABLE)
    except KeyboardInterrupt:
        return replace(found, status=Status.INTERRUPTED, interrupted=True)
    if patience.stopped:
        return replace(found, status=Status.INTERRUPTED)
    return replace(found, status=Status.TIME_LIMIT) if patience.is_over() else found
