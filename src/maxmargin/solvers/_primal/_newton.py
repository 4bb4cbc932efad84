"""The engine for linear models: thin over C++."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Final, final

import numpy as np

from maxmargin import _core
from maxmargin.losses import (
    EpsilonInsensitive,
    Exponential,
    Hinge,
    Logistic,
    Loss,
    Perceptron,
    Squared,
    SquaredEpsilonInsensitive,
    SquaredHinge,
)
from maxmargin.problems import Offset, Penalty, PrimalProblem
from maxmargin.solution import PrimalIterate, Status, Trace, certify_linear
from maxmargin.solvers._primal._base import PrimalSolver
from maxmargin.solvers._primal._one_class import OneClassSearch
from maxmargin.solvers._runtime._base import Callback, Limits
from maxmargin.solvers._runtime._core_runs import OFFSETS, STATUSES, core_limits, listener
from maxmargin.solvers._separation import Patience, falls_for_ever, separates
from maxmargin.validation import check_integer

__all__ = ["CoordinateDescent", "LinearNewton"]

# As the core calls them; (1 − z)² is the square of the distance of z from 1.
_LOSSES: Final[dict[type[Loss], _core.MarginLoss]] = {
    Hinge: _core.MarginLoss.hinge,
    SquaredHinge: _core.MarginLoss.squared_hinge,
    Logistic: _core.MarginLoss.logistic,
    Exponential: _core.MarginLoss.exponential,
    EpsilonInsensitive: _core.MarginLoss.tube,
    SquaredEpsilonInsensitive: _core.MarginLoss.squared_tube,
    Squared: _core.MarginLoss.squared_tube,
}
_KINKED: Final = (Hinge, EpsilonInsensitive)
_ENDLESS: Final = (Logistic, Exponential)  # falls for ever where a hyperplane separates
_STOPPED: Final = (Status.INTERRUPTED, Status.TIME_LIMIT)


def _spec(problem: PrimalProblem) -> tuple[_core.LinearSpec, float]:
    """The problem as the core takes it, and the sign of its multipliers there: ∂z/∂f is +1, and that of a residual −1."""
    loss, y, target, epsilon, sign = problem.loss, problem.y, None, 0.0, 1.0
    if isinstance(loss, EpsilonInsensitive | SquaredEpsilonInsensitive):
        target, y, epsilon, sign = y, np.ones(problem.n), float(loss.epsilon), -1.0
    elif isinstance(loss, Squared):
        target = np.ones(problem.n)
    spec = _core.LinearSpec(
        features=problem.features,
        y=y,
        cost=problem.cost,
        loss=_LOSSES[type(loss)],
        target=target,
        epsilon=epsilon,
        offset=OFFSETS[problem.offset],
        offset_scale=problem.offset_scale,
        penalty=problem.penalty is Penalty.L2,
    )
    return spec, sign


def _run(
    problems: Sequence[PrimalProblem],
    limits: Limits,
    callback: Callback | None,
    seed: int | None = None,
    starts: Sequence[PrimalIterate | None] = (),
) -> list[PrimalIterate]:
    """Newton's method without a seed, else coordinate descent; the problems have the same rows."""
    patience = Patience(limits, callback)
    specs = [_spec(problem) for problem in problems]
    points = [
        None if start is None else _core.LinearStart(start.w, start.b, sign * start.alpha)
        for start, (_, sign) in zip(starts, specs, strict=bool(starts))
    ]
    results = _core.minimise_linear(
        [spec for spec, _ in specs],
        points,
        core_limits(limits),
        method=_core.LinearMethod.newton if seed is None else _core.LinearMethod.coordinates,
        seed=seed or 0,
        monitor=listener(callback),
    )
    return [
        _settled(problem, result, sign, patience) for problem, result, (_, sign) in zip(problems, results, specs, strict=True)
    ]


def _settled(problem: PrimalProblem, result: _core.LinearResult, sign: float, patience: Patience) -> PrimalIterate:
    """What the core found, with what only the problem without a penalty needs."""
    found = PrimalIterate(
        status=STATUSES[result.termination],
        steps=result.rounds,
        interrupted=result.interrupted,
        trace=Trace.written(result.trace),
        w=result.w,
        b=result.b,
        alpha=sign * result.alpha,
    )
    if problem.penalty is not Penalty.NONE:
        return found
    found = _with_slopes(problem, found)
    if not isinstance(problem.loss, _ENDLESS) or found.status in _STOPPED:
        return found
    return _without_minimum(problem, found, patience, claimed=result.separates)


def _with_slopes(problem: PrimalProblem, found: PrimalIterate) -> PrimalIterate:
    """With the slopes of the losses as multipliers if they prove more: at a minimum without penalty they are the exact ones."""
    loss = problem.loss
    slopes = -problem.cost * loss.derivative(loss.argument(problem.y, problem.scores(found.w, found.b)))
    both = [
        certify_linear(problem, found.w, found.b, alpha, stationarity=False, proven=False).dual
        for alpha in (found.alpha, slopes)
    ]
    return replace(found, alpha=slopes) if both[1] > both[0] else found


def _without_minimum(problem: PrimalProblem, found: PrimalIterate, patience: Patience, *, claimed: bool) -> PrimalIterate:
    """What was found, with the status SEPARABLE if it is proven that the loss has no minimum."""
    try:
        if (claimed and separates(problem, found.w, found.b)) or falls_for_ever(problem, found.alpha, patience):
            return replace(found, status=Status.SEPARABLE)
    except KeyboardInterrupt:
        return replace(found, status=Status.INTERRUPTED, interrupted=True)
    if patience.stopped:
        return replace(found, status=Status.INTERRUPTED)
    return replace(found, status=Status.TIME_LIMIT) if patience.is_over() else found


def _is_one_class(problem: PrimalProblem) -> bool:
    """Whether it is what `PrimalProblem.one_class` makes."""
    plain = problem.penalty is Penalty.L2 and problem.offset is Offset.FREE
    return plain and isinstance(problem.loss, Perceptron) and problem.pull > 0.0 and bool((problem.y == 1.0).all())


@final
@dataclass(frozen=True)
class LinearNewton(PrimalSolver):
    """Newton's method in the primal, with an exact line search.

    Up to 1023 features it factors the Hessian ``I + Xᵀ diag(C_i ℓ''(z_i)) X``, which it updates between rounds by the rows that
    enter or leave it. With many rows per feature, smooth losses start on every fourth row. They use conjugate gradients,
    preconditioned by the diagonal or the last factor, where these cost less. Dense rows that are mostly 0 are copied as sparse
    rows.

    Beyond 1023 features it uses conjugate gradients over the features, with a preconditioner that is exact for the 256 heaviest
    features and diagonal for the others. Where fewer rows have curvature than there are features (for a smooth loss: where few
    rows have much), it uses conjugate gradients over the multipliers of those rows, scaled by the lengths of the rows. For a
    hinge, 200 sweeps of coordinate descent come first.

    The hinge has no curvature. It is replaced by ``max_{0≤α≤C_i} α(1 − z) − (α − a_i)²/(2σC_i)``; after each solve ``a_i`` is
    set to the α found. This is the method of multipliers (Rockafellar 1976), which converges to the exact solution. On wide
    rows the squared hinge has this term too, with ``σ/|x_i|²`` for ``σC_i``, and dual points come from the linear systems of
    the multipliers. For the ε-insensitive loss the bounds are ``−C_i ≤ α ≤ C_i``, and ``ε|α|`` is subtracted. A free offset is
    one more coordinate, or the constraint that the signed multipliers sum to 0.

    One class is a hinge with the origin as the other class (Schölkopf, Platt, Shawe-Taylor, Smola and Williamson 2001).

    Examples
    --------
    >>> from maxmargin import solve
    >>> from maxmargin.problems import PrimalProblem
    >>> from maxmargin.solvers import LinearNewton
    >>> solve(PrimalProblem([[0.0], [1.0], [2.0]], [0, 1, 1], loss="logistic"), solver=LinearNewton()).status.name
    'CONVERGED'
    """

    def supports(self, problem: PrimalProblem) -> str | None:
        """The library's convex losses except the perceptron's; with a penalty other than ``½|w|²`` only those without kinks."""
        if problem.pull != 0.0:
            return (
                None if _is_one_class(problem) else "a pull at the offset is for one class: PrimalProblem.one_class makes it."
            )
        if type(problem.loss) not in _LOSSES:
            return f"it has no curvature of {problem.loss!r}."
        if problem.penalty is Penalty.L1:
            return "the L1 penalty has a kink at every 0. Take ProximalNewton, or LinearProgram for the hinge."
        if problem.penalty not in (Penalty.L2, Penalty.NONE):
            return f"the penalty must be 'l2' or None, and is {problem.penalty.value!r}."
        if problem.penalty is Penalty.NONE and isinstance(problem.loss, _KINKED):
            return "without a penalty it needs a loss without kinks."
        return None

    def automatic_steps(self, n: int, n_classes: int = 2) -> int:
        """Some thousand rounds: most problems need ten, the hinge a hundred."""
        return 2000

    def run_one(
        self, problem: PrimalProblem, start: PrimalIterate | None, limits: Limits, callback: Callback | None
    ) -> PrimalIterate:
        """From 0, or a given point, until the gap is ``limits.tol`` of the primal objective, or a limit is reached."""
        if problem.pull != 0.0:
            return OneClassSearch(problem, limits, callback, self).run(start)
        return self.run([problem], [start], limits, callback)[0]

    def run(
        self,
        problems: Sequence[PrimalProblem],
        starts: Sequence[PrimalIterate | None],
        limits: Limits,
        callback: Callback | None,
    ) -> list[PrimalIterate]:
        """Problems of the same rows at the same time."""
        if limits.max_seconds <= 0.0 or problems[0].pull != 0.0:
            return super().run(problems, starts, limits, callback)
        moved = [problem.centred for problem in problems]
        near = [problem if centred is None else centred.problem for problem, centred in zip(problems, moved, strict=True)]
        begin = [
            start if start is None or centred is None else replace(start, b=centred.there(start.w, start.b))
            for start, centred in zip(starts, moved, strict=True)
        ]
        found = _run(near, limits, callback, starts=begin)
        return [
            each if centred is None else replace(each, b=centred.back(each.w, each.b))
            for each, centred in zip(found, moved, strict=True)
        ]

    @staticmethod
    def run_paths(paths: Sequence[Sequence[PrimalProblem]], limits: Limits) -> list[list[PrimalIterate]]:
        """Of each path the same problem while its costs grow, each from the one before; paths run in parallel.

        Parameters
        ----------
        paths : sequence of sequences of PrimalProblem
            Problems of a path have the same rows and labels. Their penalty is ``½|w|²``.
        limits : Limits
            Of each problem.

        Returns
        -------
        list of lists of PrimalIterate
            Where each ended.
        """
        patience = Patience(limits, None)
        near = [[each if each.centred is None else each.centred.problem for each in path] for path in paths]
        specs = [[_spec(each) for each in path] for path in near]
        results = _core.minimise_linear_paths([[spec for spec, _ in path] for path in specs], core_limits(limits))
        found = []
        for path, close, own, reached in zip(paths, near, specs, results, strict=True):
            ends = [_settled(p, result, sign, patience) for p, result, (_, sign) in zip(close, reached, own, strict=True)]
            centred = [problem.centred for problem in path]
            found.append([e if c is None else replace(e, b=c.back(e.w, e.b)) for e, c in zip(ends, centred, strict=True)])
        return found


@final
@dataclass(frozen=True)
class CoordinateDescent(PrimalSolver):
    """One multiplier at a time, exactly, with shrinking (Hsieh, Chang, Lin, Keerthi and Sundararajan 2008).

    ``α_i ← clip(α_i − (y_i f(x_i) − 1 + D α_i) / (|x_i|² + D))``, with ``w = Σ α_i y_i x_i`` kept up to date and
    ``D = 1/(2C_i)`` for the squared hinge; for residuals it is two-sided (Ho and Lin 2012). LIBLINEAR does the same. Here a
    sweep visits a row as often as its steps have gained beside the others' (Glasmachers and Dogan 2013), and for the hinge and
    its square α then goes on along ``α − α'``, with α' that of the sweep before, to where the dual objective is highest; and
    the w that is returned is the best of all ``t w, b``.

    Parameters
    ----------
    seed : int
        Seed of the order in which a sweep takes the rows.

    Examples
    --------
    >>> from maxmargin import solve
    >>> from maxmargin.problems import PrimalProblem
    >>> from maxmargin.solvers import CoordinateDescent
    >>> problem = PrimalProblem([[-1.0], [1.0]], [-1, 1], offset="penalised")
    >>> solve(problem, solver=CoordinateDescent()).weights.round(3)
    array([1.])
    """

    takes_start: ClassVar[bool] = False

    seed: int = 0

    def __post_init__(self) -> None:
        check_integer("seed", self.seed, "CoordinateDescent", 0)

    def supports(self, problem: PrimalProblem) -> str | None:
        """Hinge, ε-insensitive loss and their squares, with a penalised offset or none."""
        if type(problem.loss) not in _LOSSES or isinstance(problem.loss, _ENDLESS):
            return f"it needs the hinge or the squared hinge, or a tube, and this one is {problem.loss!r}."
        if problem.penalty is Penalty.NONE:
            return "without a penalty there is no bounded dual."
        if problem.penalty is Penalty.L1:
            return "with an L1 penalty multipliers have a constraint for each feature. Take ProximalNewton or LinearProgram."
        if problem.penalty is not Penalty.L2:
            return f"the penalty must be 'l2', and is {problem.penalty.value!r}."
        if problem.offset is Offset.FREE:
            return "a free offset ties all multipliers together. Penalise it, or take LinearNewton."
        return None

    def automatic_steps(self, n: int, n_classes: int = 2) -> int:
        """Sweeps over the rows."""
        return 100_000

    def run_one(
        self, problem: PrimalProblem, start: PrimalIterate | None, limits: Limits, callback: Callback | None
    ) -> PrimalIterate:
        """From 0 until the gap is ``limits.tol`` of the primal objective, or a limit is reached."""
        return _run([problem], limits, callback, int(self.seed))[0]

    def run(
        self,
        problems: Sequence[PrimalProblem],
        starts: Sequence[PrimalIterate | None],
        limits: Limits,
        callback: Callback | None,
    ) -> list[PrimalIterate]:
        """Problems of the same rows at the same time."""
        if limits.max_seconds <= 0.0:
            return super().run(problems, starts, limits, callback)
        return _run(problems, limits, callback, int(self.seed))
