"""Solvers of all five families, each with what is asked of it and what it then keeps."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from maxmargin.solution import Status
from maxmargin.solvers import (
    SMO,
    BallSearch,
    Chunking,
    CoordinateDescent,
    CrammerSingerDescent,
    Decomposition,
    DualQP,
    GradientDescent,
    KernelNewton,
    KernelSubgradient,
    LinearNewton,
    LinearProgram,
    MulticlassDescent,
    MulticlassNewton,
    MulticlassProximalNewton,
    PrimalQP,
    ProjectedGradient,
    ProximalNewton,
    StochasticSubgradient,
)

from ._problems import Family, ProblemCase

OPTIMAL = frozenset(status for status in Status if status.is_optimal)


@dataclass(frozen=True, eq=False)
class SolverCase:
    """A solver, and its promise.

    Asked for ``tol`` and given ``max_iter`` steps (−1: as many as it takes by itself) it ends in one of ``ends``, and both
    objectives are within ``accuracy`` of the optimum, relative to its size. With an indefinite kernel it ends in one of
    ``astray``. From its own answer it goes on for ``left`` steps at most; None where it cannot begin at a given point.
    ``rises`` is whether its dual objective never falls. ``only`` is a set that stands for all where a run takes long.
    """

    name: str
    family: Family
    solver: Any
    tol: float
    accuracy: float
    max_iter: int = -1
    ends: frozenset[Status] = OPTIMAL
    left: int | None = None
    astray: frozenset[Status] = frozenset({Status.INDEFINITE})
    rises: bool = False
    only: str | None = None

    def sets(self, problem: ProblemCase) -> tuple[str, ...]:
        """On which rows the pair is run."""
        return problem.sets if self.only is None else tuple(name for name in problem.sets if name == self.only)

    def __str__(self) -> str:
        return self.name


_LOST = frozenset({Status.INDEFINITE, Status.STALLED})
"""Of gradient steps, which may find no way on where there is no curvature."""

_WALK: dict[str, Any] = {
    "ends": OPTIMAL | {Status.ITERATION_LIMIT},
    "astray": frozenset({Status.INDEFINITE, Status.ITERATION_LIMIT}),
}
"""Of random steps: they come near, and prove only how near."""

_EVERY = [
    SolverCase("smo", Family.DUAL, SMO(), 1e-8, 1e-7, left=10, rises=True),
    SolverCase("smo without shrinking", Family.DUAL, SMO(shrinking=False), 1e-8, 1e-7, left=10, rises=True),
    SolverCase("smo, tiny cache", Family.DUAL, SMO(cache_size=1), 1e-8, 1e-7, left=10, rises=True),
    SolverCase("dual_qp", Family.DUAL, DualQP(), 1e-7, 1e-7),
    SolverCase("primal_qp", Family.DUAL, PrimalQP(), 1e-7, 1e-7),
    SolverCase(
        "projected gradient",
        Family.DUAL,
        ProjectedGradient(accelerated=True),
        1e-3,
        2e-3,
        left=10,
        astray=_LOST,
    ),
    SolverCase("chunking", Family.DUAL, Chunking(size=8), 1e-6, 1e-6, left=10, rises=True),
    SolverCase("chunking by QP", Family.DUAL, Chunking(DualQP(), size=8), 1e-6, 1e-6, left=10, rises=True),
    SolverCase("decomposition", Family.DUAL, Decomposition(q=20), 1e-5, 1e-5, left=10, rises=True),
    SolverCase("decomposition by SMO", Family.DUAL, Decomposition(q=10, inner=SMO()), 1e-4, 3e-4, left=10, rises=True),
    SolverCase(
        "decomposition, two at a time",
        Family.DUAL,
        Decomposition(q=2, inner=SMO()),
        1e-2,
        1e-2,
        left=10,
        rises=True,
        only="iris",
    ),
    SolverCase("kernel subgradient", Family.DUAL, KernelSubgradient(delay=1000), 1e-2, 0.3, 10_000, only="moons", **_WALK),
    SolverCase("joint rows", Family.JOINT, CrammerSingerDescent(), 1e-8, 1e-7, left=10),
    SolverCase("joint rows, tiny cache", Family.JOINT, CrammerSingerDescent(cache_size=0.001), 1e-8, 1e-7, left=10),
    SolverCase("newton", Family.LINEAR, LinearNewton(), 1e-8, 1e-7, left=1),
    SolverCase("coordinate descent", Family.LINEAR, CoordinateDescent(), 1e-6, 1e-6),
    SolverCase("ball", Family.LINEAR, BallSearch(), 1e-6, 1e-6),
    SolverCase("ball by coordinates", Family.LINEAR, BallSearch(CoordinateDescent()), 1e-4, 1e-4),
    SolverCase("proximal newton", Family.LINEAR, ProximalNewton(), 1e-8, 1e-7, left=1),
    SolverCase("linear program", Family.LINEAR, LinearProgram(), 1e-7, 1e-7),
    SolverCase("gradient descent", Family.LINEAR, GradientDescent(), 1e-5, 1e-5, left=1),
    SolverCase(
        "stochastic subgradient",
        Family.LINEAR,
        StochasticSubgradient(delay=1000),
        1e-2,
        0.1,
        5000,
        only="overlap",
        **_WALK,
    ),
    SolverCase("classes newton", Family.CLASSES, MulticlassNewton(), 1e-8, 1e-7, left=1),
    SolverCase("classes proximal newton", Family.CLASSES, MulticlassProximalNewton(), 1e-8, 1e-7, left=1),
    SolverCase("kernel newton", Family.LOGISTIC, KernelNewton(), 1e-8, 1e-7, left=1),
    SolverCase("kernel newton, tiny cache", Family.LOGISTIC, KernelNewton(cache_size=0.001), 1e-8, 1e-7, left=1),
    SolverCase("classes descent", Family.CLASSES, MulticlassDescent(), 1e-6, 1e-6),
]

SOLVERS: dict[str, SolverCase] = {case.name: case for case in _EVERY}
"""Every solver of the house by name; some with several settings."""

ENGINES: dict[str, SMO] = {name: case.solver for name, case in SOLVERS.items() if isinstance(case.solver, SMO)}
"""The engine with each of its settings: exact at every C."""
