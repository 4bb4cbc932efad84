"""The engine for linear models with an L1 penalty or an elastic net: thin over C++."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final, final

import numpy as np
from numpy.typing import NDArray

from maxmargin import _core
from maxmargin._deadline import Deadline
from maxmargin.losses import Logistic, Loss, Squared, SquaredEpsilonInsensitive, SquaredHinge
from maxmargin.problems import Penalty, PrimalProblem
from maxmargin.solution import PrimalIterate, Status, Trace
from maxmargin.solvers._primal._base import PrimalSolver, on_centred
from maxmargin.solvers._primal._elastic_dual import ElasticDual
from maxmargin.solvers._runtime._base import Callback, Limits
from maxmargin.solvers._runtime._core_runs import OFFSETS, STATUSES, core_limits, listener

__all__ = ["ProximalNewton"]

_FIRST_ROUNDS: Final = 50
# As the core calls them; (1 − z)² is (y − f)² for labels −1 and +1, a tube without width.
_LOSSES: Final[dict[type[Loss], _core.SmoothLoss]] = {
    SquaredHinge: _core.SmoothLoss.squared_hinge,
    Logistic: _core.SmoothLoss.logistic,
    SquaredEpsilonInsensitive: _core.SmoothLoss.squared_tube,
    Squared: _core.SmoothLoss.squared_tube,
}


@final
@dataclass(frozen=True)
class ProximalNewton(PrimalSolver):
    """Newton's method for ``|w|₁ + Σ C_i ℓ`` or an elastic net with a smooth loss, on a working set of features.

    Each round replaces the loss by its second-order model, ``g'd + ½ d'Hd + |w + d|₁``, minimises that by coordinate descent
    over the features whose weights are not 0 or whose slope is above 1, at most twice as many as there are weights, and steps
    towards its least point (Yuan, Ho and Lin 2012). Up to 1000 features of the working set H is a matrix, and Newton's steps
    over the weights of constant sign end the descent exactly; beyond, it takes a copy of the set's columns, 12 bytes for each
    value of a row with curvature. The slopes, divided by the largest ``|Σ β_i x_ik|``, are the dual point of the certificate;
    for an elastic net the slopes themselves, if these prove more. An elastic net of more than 1000 features and at most 1000
    rows with a squared loss goes on in the multipliers after some rounds (`ElasticDual`). With more rows, more than 1000
    weights that are not 0, a squared loss and a large C it is slow: there ``penalty="l2"`` is better.

    Examples
    --------
    The second feature is noise, and its weight exactly 0.

    >>> from maxmargin import solve
    >>> from maxmargin.problems import PrimalProblem
    >>> from maxmargin.solvers import ProximalNewton
    >>> problem = PrimalProblem([[-2.0, 0.1], [2.0, 0.1], [3.0, -0.1]], [0, 1, 1], loss="squared_hinge", penalty="l1")
    >>> solution = solve(problem, solver=ProximalNewton())
    >>> solution.status.name, solution.weights.round(4)
    ('CONVERGED', array([0.4375, 0.    ]))
    """

    def supports(self, problem: PrimalProblem) -> str | None:
        """L1 penalty or elastic net; squared hinge, logistic, squared and squared ε-insensitive loss."""
        if problem.penalty not in (Penalty.L1, Penalty.ELASTIC):
            return "it is for penalty='l1' and 'elasticnet'. Take LinearNewton."
        if type(problem.loss) not in _LOSSES:
            return (
                f"it needs a squared hinge, logistic, squared or squared ε-insensitive loss, and this one is {problem.loss!r}."
            )
        return None

    def automatic_steps(self, n: int, n_classes: int = 2) -> int:
        """Some thousand rounds: most problems need ten."""
        return 2000

    def run_one(
        self, problem: PrimalProblem, start: PrimalIterate | None, limits: Limits, callback: Callback | None
    ) -> PrimalIterate:
        """From 0, or given weights, until the gap is ``limits.tol`` of the primal objective, or a limit is reached."""
        point = None
        if start is not None:
            moved = problem.centred
            b = start.b if moved is None else moved.there(start.w, start.b)
            point = _core.LinearStart(start.w, b, start.alpha)
        mean = None if problem.centred is None else problem.centred.mean
        return on_centred(problem, lambda near: self._run(near, mean, limits, callback, point))

    @classmethod
    def _run(
        cls,
        problem: PrimalProblem,
        mean: NDArray[np.float64] | None,
        limits: Limits,
        callback: Callback | None,
        start: _core.LinearStart | None,
    ) -> PrimalIterate:
        if type(problem.loss) is Logistic or not ElasticDual.suits(problem) or limits.max_steps <= _FIRST_ROUNDS:
            return cls._in_core(problem, limits, callback, start)
        deadline = Deadline(limits.max_seconds)
        found = cls._in_core(problem, replace(limits, max_steps=_FIRST_ROUNDS), callback, start)
        if found.status is not Status.ITERATION_LIMIT:
            return found
        for run in (ElasticDual(problem, mean).run, cls._again(problem)):
            own = replace(limits, max_steps=limits.max_steps - found.steps, max_seconds=deadline.left())
            then = run(found, own, callback)
            found = replace(then, steps=found.steps + then.steps, trace=found.trace.then(then.trace))
            if found.status is not Status.STALLED:
                break
        return found

    @classmethod
    def _again(cls, problem: PrimalProblem) -> Callable[[PrimalIterate, Limits, Callback | None], PrimalIterate]:
        def run(found: PrimalIterate, limits: Limits, callback: Callback | None) -> PrimalIterate:
            return cls._in_core(problem, limits, callback, _core.LinearStart(found.w, float(found.b), found.alpha))

        return run

    @staticmethod
    def _in_core(
        problem: PrimalProblem, limits: Limits, callback: Callback | None, start: _core.LinearStart | None
    ) -> PrimalIterate:
        loss = problem.loss
        spec = _core.L1Spec(
            features=problem.features,
            y=problem.y,
            cost=problem.cost,
            loss=_LOSSES[type(loss)],
            epsilon=loss.epsilon if isinstance(loss, SquaredEpsilonInsensitive) else 0.0,
            offset=OFFSETS[problem.offset],
            offset_scale=problem.offset_scale,
            l1=problem.l1,
        )
        result = _core.minimise_l1(spec, start, core_limits(limits), listener(callback))
        alpha = result.alpha * loss.slope(problem.y)  # the slope is ±1
        status, trace = STATUSES[result.termination], Trace.written(result.trace)
        return PrimalIterate(status, result.rounds, result.interrupted, trace, result.w, result.b, alpha)
