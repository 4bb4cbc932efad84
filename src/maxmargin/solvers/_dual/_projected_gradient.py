"""Projected gradient ascent on the dual."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import final

import numpy as np
from numpy.typing import NDArray

from maxmargin import _core
from maxmargin.errors import InvalidInput
from maxmargin.kernels import as_features
from maxmargin.problems import Problem, inner
from maxmargin.solution import DualIterate, Status
from maxmargin.solvers._dual._projection import proximal
from maxmargin.solvers._dual._watch import Watch, run_each
from maxmargin.solvers._runtime._base import Callback, DualSolver, Limits, Start
from maxmargin.solvers._runtime._threads import one_blas_thread
from maxmargin.validation import check_boolean, check_positive

__all__ = ["ProjectedGradient"]

Vector = NDArray[np.float64]
Product = Callable[[Vector], Vector]

_HELD = 4000  # rows up to which the kernel matrix is kept
_EXACT_NORM = 300  # rows up to which its norm is an eigenvalue, beyond by power iteration
_PATIENCE = 100  # steps in which neither objective nor violation are better than ever before it counts as stalled


@final
@dataclass(frozen=True)
class ProjectedGradient(DualSolver):
    """Gradient steps on the dual, each projected back: ``β ← proj[β − τ ((K + D) β + q)]``.

    For a soft margin without offset it is ``λ ← proj_[0,1] [λ + τ (1 − Y K Y λ / α)]`` up to the scale of τ, with ``α = 1/C``
    and ``λ_i = α y_i β_i``. The dual objective rises in every step for ``0 < τ < 2/‖K + D‖``. The projection on box and plane
    is exact, by a search over its breakpoints; an L1 term enters as a soft threshold; where the sums of both sides are fixed,
    each has its own search. With a linear kernel ``K β`` is ``X (Xᵀβ)``, and K is never formed. It needs many cheap steps, and
    no matrix has to be factored.

    Parameters
    ----------
    step : float or "auto"
        τ; ``"auto"`` is ``1/‖K + D‖``.
    accelerated : bool
        Whether to use Nesterov's momentum (Beck and Teboulle 2009), restarted where it points uphill (O'Donoghue and Candès
        2015). It needs far fewer steps, but the objective may fall in some of them.

    Examples
    --------
    >>> from maxmargin import solve
    >>> from maxmargin.kernels import Linear
    >>> from maxmargin.problems import SoftMargin
    >>> from maxmargin.solvers import ProjectedGradient
    >>> problem = SoftMargin([[-1.0], [1.0]], [-1, 1], C=10.0, kernel=Linear(), offset=False)
    >>> solve(problem, solver=ProjectedGradient(), tol=1e-6).alpha.round(6)
    array([0.5, 0.5])
    """

    step: float | str = "auto"
    accelerated: bool = False

    def supports(self, problem: Problem) -> str | None:
        """All formulations; with an indefinite kernel only those that have bounds."""
        dual = problem.dual
        endless = not (np.isfinite(dual.lower).all() and np.isfinite(dual.upper).all())
        if endless and not problem.gram.kernel.mercer and dual.gram.is_indefinite():
            return (
                "its kernel matrix is not positive semidefinite and its variables have no bounds: the dual rises without end."
            )
        return None

    def automatic_steps(self, n: int, n_classes: int = 2) -> int:
        """Steps are expensive, and a problem that needs more of them is one for another solver."""
        return 200_000

    def run(
        self,
        problems: Sequence[Problem],
        starts: Sequence[Start],
        limits: Limits,
        callback: Callback | None,
    ) -> list[DualIterate]:
        """Step until the KKT violation is at most ``tol``, or a limit is reached."""
        step = None if isinstance(self.step, str) and self.step == "auto" else self._given_step()
        momentum = check_boolean("accelerated", self.accelerated, "ProjectedGradient")
        return run_each(problems, starts, limits, callback, lambda problem, start, watch: _ascend(start, watch, step, momentum))

    def _given_step(self) -> float:
        try:
            return check_positive("step", self.step, "ProjectedGradient")
        except InvalidInput:
            raise InvalidInput(
                f"The 'step' parameter of ProjectedGradient must be 'auto' or a float in the range (0.0, inf)."
                f" Got {self.step!r} instead."
            ) from None


def _ascend(start: Start, watch: Watch, given: float | None, momentum: bool) -> Status:
    dual = watch.dual
    beta, scores = start.beta, start.scores
    evaluation = watch.see(beta, scores, 0)
    if watch.status is not None:
        return watch.status
    times = _product(watch)
    norm = _norm(watch, times)
    step = _checked_step(given, norm)
    ahead, ahead_scores, t = beta, scores, 1.0
    best, least, idle = evaluation.dual, evaluation.kkt_violation, 0
    while watch.status is None:
        gradient = dual.gradient(ahead, ahead_scores)
        later = proximal(dual, ahead - step * gradient, step * dual.l1_weight)
        later_scores = times(later)
        evaluation = watch.see(later, later_scores, watch.steps + 1)
        # Near the optimum the objective sees the square of a step, and has no digits left for it long before the step has.
        idle = 0 if evaluation.dual > best or evaluation.kkt_violation < least else idle + 1
        best, least = max(best, evaluation.dual), min(least, evaluation.kkt_violation)
        if idle > _PATIENCE and watch.status is None:
            return Status.STALLED
        if momentum:
            uphill = inner(ahead - later, later - beta) > 0.0
            before, t = t, 1.0 if uphill else 0.5 + math.sqrt(0.25 + t * t)
            pace = 0.0 if uphill else (before - 1.0) / t
            ahead, ahead_scores = later + pace * (later - beta), later_scores + pace * (later_scores - scores)
        else:
            ahead, ahead_scores = later, later_scores
        beta, scores = later, later_scores
    return watch.status


def _checked_step(given: float | None, norm: float) -> float:
    if given is None:
        return 1.0 / norm if norm > 0 else 1.0
    if given * norm >= 2.0:
        raise InvalidInput(
            f"The 'step' parameter of ProjectedGradient must be below 2/‖K + D‖ = {2.0 / norm:.6g}, else the steps grow."
            f" Got {given!r} instead; 'auto' is half of that."
        )
    return given


def _product(watch: Watch) -> Product:
    """``K β``: by the rows of a linear kernel, by a matrix that is held while it is small, else from the source."""
    gram = watch.dual.gram
    factor = gram.factor()
    if factor is not None:
        X, signs, constant = factor
        rows = as_features(X)

        def linear(beta: Vector) -> Vector:
            signed = signs * beta
            w = _core.row_sum(rows, signed)
            return np.asarray(signs * (_core.row_products(rows, w) + constant * signed.sum()), dtype=np.float64)

        return linear
    if gram.n <= _HELD:
        # by the core, not by BLAS, whose sums have an order that depends on its threads
        K = as_features(watch.matrix())
        return lambda beta: _core.row_products(K, beta)
    return watch.product


def _norm(watch: Watch, times: Product) -> float:
    """``‖K + D‖``, the largest eigenvalue in size; power iteration is right to some percent, and τ has a factor 2 to spare."""
    dual = watch.dual
    diagonal = np.zeros(dual.n) if dual.D is None else dual.D
    if dual.n <= _EXACT_NORM:
        every = np.arange(dual.n, dtype=np.int32)
        with one_blas_thread():
            return float(np.abs(np.linalg.eigvalsh(dual.gram.block(every, every) + np.diag(diagonal))).max())
    vector = np.random.default_rng(0).standard_normal(dual.n)
    norm = 0.0
    for _ in range(100):
        vector /= math.sqrt(inner(vector, vector))
        vector = times(vector) + diagonal * vector
        later = math.sqrt(inner(vector, vector))
        if later == 0.0 or abs(later - norm) <= 1e-4 * later or watch.spent() is not None:
            return 1.01 * later
        norm = later
    return 1.05 * norm
