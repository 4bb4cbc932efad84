"""The engine for linear models of all classes at once whose weights cost their absolute values: thin over C++."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

from maxmargin import _core
from maxmargin.problems import MulticlassLinear
from maxmargin.solution import PrimalIterate
from maxmargin.solvers._multiclass._newton import MulticlassSolver, minimise
from maxmargin.solvers._runtime._base import Callback, Limits

__all__ = ["MulticlassProximalNewton"]


@final
@dataclass(frozen=True)
class MulticlassProximalNewton(MulticlassSolver):
    """Newton's method for the multinomial loss with ``Σ_k |w_k|₁`` or an elastic net, on a working set of weights.

    Each round replaces the loss by its second-order model, whose curvature ``Σ_i (diag(α_i) − α_i α_iᵀ/C_i) ⊗ x_i x_iᵀ`` ties
    all classes together, and minimises ``g'd + ½ d'Hd + |w + d|₁`` over the weights that are not 0 or whose slope is above 1,
    at most twice as many as are not 0, by coordinate descent (Yuan, Ho and Lin 2012). Up to 1000 weights H is a matrix where
    that is not dear, and Newton's steps over the weights of constant sign end the descent exactly; beyond, it takes a copy of
    the set's columns, and conjugate gradients. The slopes, moved towards the labels until no
    ``|Σ_i (C_i [k = y_i] − α_ik) x_ij|`` is above 1, are the dual point of the certificate; for an elastic net the slopes
    themselves, if these prove more.

    Examples
    --------
    The second feature is noise, and its weights exactly 0.

    >>> from maxmargin import solve
    >>> from maxmargin.problems import MulticlassLinear
    >>> from maxmargin.solvers import MulticlassProximalNewton
    >>> X = [[-3.0, 0.1], [-2.0, -0.1], [0.0, 0.1], [0.2, -0.1], [2.0, 0.1], [3.0, -0.1]]
    >>> problem = MulticlassLinear(X, [0, 0, 1, 1, 2, 2], penalty="l1")
    >>> solution = solve(problem, solver=MulticlassProximalNewton())
    >>> solution.status.name, solution.weights[:, 1]
    ('CONVERGED', array([0., 0., 0.]))
    """

    def supports(self, problem: MulticlassLinear) -> str | None:
        """The multinomial loss with an L1 penalty or an elastic net."""
        if not problem.has_l1:
            return "it is for penalty='l1' and 'elasticnet'. Take MulticlassNewton."
        return None

    def automatic_steps(self, n: int, n_classes: int = 2) -> int:
        """Some thousand rounds: most problems need ten."""
        return 2000

    def run_one(
        self, problem: MulticlassLinear, start: PrimalIterate | None, limits: Limits, callback: Callback | None
    ) -> PrimalIterate:
        """From 0, or given weights, until the gap is ``limits.tol`` of the primal objective, or a limit is reached."""
        return minimise(problem, limits, callback, start, _core.MulticlassMethod.proximal)[0]
