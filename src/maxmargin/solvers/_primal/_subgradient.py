"""Stochastic subgradient descent, for linear models and in the space of a kernel."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, final

import numpy as np
from numpy.typing import NDArray

from maxmargin.errors import InvalidInput
from maxmargin.losses import ConvexLoss, EpsilonInsensitive, Hinge, Loss, SquaredHinge
from maxmargin.problems import EpsilonRegression, Penalty, PrimalProblem, Problem, Slack, SoftMargin
from maxmargin.solution import DualIterate, PrimalIterate, Status, evaluated
from maxmargin.solvers._dual._watch import Watch, run_each
from maxmargin.solvers._primal._base import PrimalSolver
from maxmargin.solvers._primal._multipliers import evening_factors
from maxmargin.solvers._primal._row_order import RowOrder
from maxmargin.solvers._primal._subgradient_walk import SubgradientWalk
from maxmargin.solvers._primal._watch import LIMITS, RAN_OFF, PrimalWatch
from maxmargin.solvers._runtime._base import Callback, DualSolver, Limits, Start
from maxmargin.validation import check_boolean, check_integer

__all__ = ["KernelSubgradient", "StochasticSubgradient"]

Vector = NDArray[np.float64]


@final
@dataclass(frozen=True)
class StochasticSubgradient(PrimalSolver):
    """Stochastic subgradient descent with steps of ``1/(λt)``, and the mean of all weights as its answer.

    For ``λ/2 |w|² + mean loss``, which is the `PrimalProblem` with ``C = 1/(λn)``: begin with ``θ = 0``; in step t set ``w =
    θ/(λt)``, draw a row i, and add ``−ℓ'(z_i) y_i x_i`` to θ: for the hinge ``y_i x_i`` if ``y_i <w, x_i> < 1``, else nothing.
    The answer is ``(1/T) Σ w^(t)``. Its expected objective is ``O(log(T)/(λT))`` above the optimum: a step costs the same for
    any number of rows, but a precise answer takes many steps. A free offset takes the same steps, unpenalised; that is slower.
    Shalev-Shwartz, Singer, Srebro and Cotter 2011.

    Parameters
    ----------
    seed : int
        Seed of the draws, which a numpy Generator makes; the same seed gives the same walk.
    delay : int
        Steps that count as taken before the first: ``η_t = 1/(λ (delay + t))``. For a squared or exponential loss the first
        steps of a small λ are too long, and the walk diverges; about ``|x|² ℓ''/λ`` is enough.
    shuffled : bool
        Instead of drawing each row anew, go through all of them in random order, again and again, with weight t for
        ``w^(t)`` in the mean (Lacoste-Julien, Schmidt and Bach 2012): fewer steps to the same gap. The steps then
        depend on the weighted rows alone, not on their order or on how many copies a row has.

    Examples
    --------
    >>> from maxmargin import solve
    >>> from maxmargin.problems import PrimalProblem
    >>> from maxmargin.solvers import StochasticSubgradient
    >>> problem = PrimalProblem([[-1.0], [1.0]], [-1, 1], C=2.0, offset=None)
    >>> solution = solve(problem, solver=StochasticSubgradient(seed=0), tol=0.05)
    >>> solution.status.name, solution.certificate.relative_gap <= 0.05
    ('CONVERGED', True)
    """

    takes_start: ClassVar[bool] = False

    seed: int = 0
    delay: int = 0
    shuffled: bool = False

    def __post_init__(self) -> None:
        check_integer("seed", self.seed, "StochasticSubgradient", 0)
        check_integer("delay", self.delay, "StochasticSubgradient", 0)
        check_boolean("shuffled", self.shuffled, "StochasticSubgradient")

    def supports(self, problem: PrimalProblem) -> str | None:
        """Every convex loss, with an L2 penalty."""
        if not isinstance(problem.loss, ConvexLoss):
            return f"it needs a loss with slopes to follow, and this one is {problem.loss!r}."
        if problem.penalty is Penalty.NONE:
            return "without a penalty there is no λ for steps of 1/(λt)."
        if problem.penalty is Penalty.L1:
            return "steps of 1/(λt) need the λ of an L2 penalty. Take ProximalNewton or LinearProgram."
        if problem.penalty is not Penalty.L2:
            return f"steps of 1/(λt) are for the penalty 'l2', and this one is {problem.penalty.value!r}."
        if problem.pull != 0.0:
            return "its steps would not balance what pulls at the offset of one class. Take LinearNewton."
        return None

    def automatic_steps(self, n: int, n_classes: int = 2) -> int:
        """A million draws, plus ten for each row."""
        return 1_000_000 + 10 * n

    def walk(self, problem: PrimalProblem, order: RowOrder | None = None) -> SubgradientWalk:
        """The walk itself, before its first step: to take steps by hand, and to continue with other rows.

        Parameters
        ----------
        problem : PrimalProblem
            The rows to begin with.
        order : RowOrder or None
            What shuffled steps go through, if it is known already.
        """
        if (reason := self.supports(problem)) is not None:
            raise InvalidInput(f"StochasticSubgradient cannot walk on this PrimalProblem: {reason}")
        if self.shuffled and order is None:
            order = RowOrder.of(problem.X, problem.features, problem.y, problem.cost)
        return SubgradientWalk(problem, int(self.seed), int(self.delay), order if self.shuffled else None)

    def run_one(
        self, problem: PrimalProblem, start: PrimalIterate | None, limits: Limits, callback: Callback | None
    ) -> PrimalIterate:
        """From 0 until the gap is ``limits.tol`` of the primal objective, or a limit is reached."""
        return WalkOn(self.walk(problem)).run_one(problem, None, limits, callback)


@final
@dataclass(frozen=True, eq=False)
class WalkOn(PrimalSolver):
    """`StochasticSubgradient` from where a walk stands; it stands on the rows of the problem."""

    takes_start: ClassVar[bool] = False

    path: SubgradientWalk

    def supports(self, problem: PrimalProblem) -> str | None:
        """What `StochasticSubgradient` does."""
        return StochasticSubgradient().supports(problem)

    def automatic_steps(self, n: int, n_classes: int = 2) -> int:
        """So many more."""
        return self.path.steps + StochasticSubgradient().automatic_steps(n)

    def run_one(
        self, problem: PrimalProblem, start: PrimalIterate | None, limits: Limits, callback: Callback | None
    ) -> PrimalIterate:
        """Until the gap is ``limits.tol`` of the primal objective, or a limit is reached, which counts the steps before."""
        watch, walk = PrimalWatch(problem, limits, callback, rows_a_step=1), self.path
        try:
            with np.errstate(over="ignore", invalid="ignore"):  # of a walk that runs off, which is said by its status
                return (self._epochs if walk.epoch else self._walk)(problem, watch, walk)
        except KeyboardInterrupt:
            return watch.iterate(Status.INTERRUPTED, interrupted=True)

    def through(self, problem: PrimalProblem, steps: int) -> PrimalIterate:
        """So many steps, evaluated before the first and after the last only."""
        walk = self.path
        watch = PrimalWatch(problem, Limits(tol=-1.0, max_steps=walk.steps + steps), None, rows_a_step=1)  # no gap is below 0
        with np.errstate(over="ignore", invalid="ignore"):
            if walk.epoch:
                walk.advance(steps)
                watch.glance(*walk.mean, walk.on_the_way(), walk.steps)
            for count in () if walk.epoch else (0, steps):
                walk.advance(count)
                w, b = walk.mean
                watch.see(w, b, walk.multipliers(problem.scores(w, b)) if count else [], walk.steps)
        ended = Status.DIVERGED if walk.diverged else Status.ITERATION_LIMIT
        return watch.iterate(watch.status or ended)

    @staticmethod
    def _epochs(problem: PrimalProblem, watch: PrimalWatch, walk: SubgradientWalk) -> PrimalIterate:
        """Looks at the ends of epochs, with the slopes on the way as multipliers: a look costs about a pass over the rows."""
        while True:
            w, b = walk.mean
            watch.glance(w, b, walk.on_the_way() if walk.steps else np.zeros(problem.n), walk.steps)
            due = watch.at_most(walk.steps + walk.epoch * max(1, walk.steps // (8 * walk.epoch)))
            while watch.status is None and walk.steps < due and not walk.diverged:
                walk.advance(min(due - walk.steps, walk.stretch))
                if walk.steps < due:
                    watch.poll(walk.steps)
            if watch.status is not None or walk.diverged:
                return watch.iterate(watch.status or Status.DIVERGED)

    @staticmethod
    def _walk(problem: PrimalProblem, watch: PrimalWatch, walk: SubgradientWalk) -> PrimalIterate:
        while True:
            w, b = walk.mean
            watch.see(w, b, walk.multipliers(problem.scores(w, b)), walk.steps)
            due = watch.due()
            while watch.status is None and walk.steps < due and not walk.diverged:
                walk.advance(min(due - walk.steps, walk.stretch))
                if walk.steps < due:  # at the end of the stretch `see` looks itself
                    watch.poll(walk.steps)
            if watch.status is not None or walk.diverged:
                return watch.iterate(watch.status or Status.DIVERGED)


@final
@dataclass(frozen=True)
class KernelSubgradient(DualSolver):
    """The same walk in the space of a kernel: ``θ = Σ c_i φ(x_i)``, and a step changes one c.

    For soft margins with linear or squared slack and for the ε-insensitive tube. Only draws with a loss change anything, but
    each of these costs a row of the kernel matrix. The point that is returned and evaluated is a point of the dual, with the
    best offset for it: the mean's own coefficients, clipped to the box, or for each row the mean of the slopes that its draws
    met. It trails behind the mean of the walk (`SubgradientWalk.on_kernel`), and a small KKT violation takes very many steps.

    Parameters
    ----------
    seed : int
        Seed of the draws.
    delay : int
        Steps that count as taken before the first, as in `StochasticSubgradient`.

    Examples
    --------
    >>> from maxmargin import solve
    >>> from maxmargin.kernels import RBF
    >>> from maxmargin.problems import SoftMargin
    >>> from maxmargin.solvers import KernelSubgradient
    >>> problem = SoftMargin([[0.0], [1.0], [2.0]], [0, 1, 0], C=0.5, kernel=RBF(gamma=1.0), offset=False)
    >>> solve(problem, solver=KernelSubgradient(seed=0), tol=0.1).status.name
    'CONVERGED'
    """

    takes_start: ClassVar[bool] = False

    seed: int = 0
    delay: int = 0

    def __post_init__(self) -> None:
        check_integer("seed", self.seed, "KernelSubgradient", 0)
        check_integer("delay", self.delay, "KernelSubgradient", 0)

    def supports(self, problem: Problem) -> str | None:
        """Soft margins and tubes, whose losses add up over the rows."""
        if not isinstance(problem, SoftMargin | EpsilonRegression):
            return "it is for SoftMargin and EpsilonRegression, whose losses add up over the rows."
        if not np.isfinite(problem.upper).all():
            return "without slack there is no loss to follow."
        return None

    def automatic_steps(self, n: int, n_classes: int = 2) -> int:
        """A million draws, plus ten for each row."""
        return 1_000_000 + 10 * n

    def run(
        self,
        problems: Sequence[Problem],
        starts: Sequence[Start],
        limits: Limits,
        callback: Callback | None,
    ) -> list[DualIterate]:
        """From 0, whatever the start, until the KKT violation is at most ``tol``, or a limit is reached."""
        return run_each(problems, starts, limits, callback, self._one)

    def _one(self, problem: Problem, start: Start, watch: Watch) -> Status:
        assert isinstance(problem, SoftMargin | EpsilonRegression)
        loss, dual = _loss(problem), watch.dual
        # A penalised offset is in the kernel of the dual, k + 1, already.
        walk = SubgradientWalk.on_kernel(
            dual.gram, problem.y, problem.upper, loss, free_offset=dual.offset, seed=int(self.seed), delay=int(self.delay)
        )
        first = math.inf
        while True:
            with np.errstate(over="ignore", invalid="ignore"):  # a walk that runs off
                beta, scores = _nearest(watch, walk, loss.slope(problem.y))
                primal = evaluated(dual, beta, scores).primal
            if not math.isfinite(primal):  # the point before is kept
                return Status.DIVERGED
            first = min(first, primal)
            watch.see(beta, scores, walk.steps)
            stretch = min(max(1, walk.steps // 10), watch.limits.max_steps - walk.steps)
            while watch.status is None and stretch > 0 and not walk.diverged:
                walk.advance(min(stretch, walk.stretch))
                stretch -= walk.stretch
                watch.status = watch.spent() if stretch > 0 else None
            if watch.status is not None or walk.diverged:
                far = watch.status in LIMITS and primal > RAN_OFF * first
                return Status.DIVERGED if far or watch.status is None else watch.status


def _nearest(watch: Watch, walk: SubgradientWalk, slope: Vector) -> tuple[Vector, Vector]:
    """Of some points of the dual that the walk suggests, the one with the smallest gap, and its scores ``K β``."""
    dual = watch.dual
    coefficients, b = walk.mean
    slopes = walk.multipliers(watch.product(coefficients) + b)
    suggested = [np.clip(coefficients, dual.lower, dual.upper), *(alpha * slope for alpha in slopes)]
    points = [beta * evening_factors(beta) if dual.offset else beta for beta in suggested]
    scored = [(beta, watch.product(beta)) for beta in points]
    gaps = [evaluated(dual, *point).gap for point in scored]
    return scored[min(range(len(scored)), key=lambda k: math.inf if math.isnan(gaps[k]) else gaps[k])]


def _loss(problem: SoftMargin | EpsilonRegression) -> Loss:
    if isinstance(problem, EpsilonRegression):
        return EpsilonInsensitive(problem.epsilon)
    return Hinge() if problem.slack is Slack.LINEAR else SquaredHinge()
