"""The way of every solver: over a long search at least 30 checkpoints, each with its gap."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pytest
from sklearn.datasets import make_classification, make_regression

from maxmargin import solve, solvers
from maxmargin.kernels import RBF, Linear
from maxmargin.losses import EpsilonInsensitive
from maxmargin.problems import (
    CrammerSinger,
    EpsilonRegression,
    KernelLogistic,
    MulticlassLinear,
    NuClassification,
    OneClass,
    PrimalProblem,
    SoftMargin,
)
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

MANY = 30


class Search(NamedTuple):
    """A solver on a problem that is long for it; fewer checkpoints only where it has no more points to look at.

    ``rises`` is whether its dual objective never falls: not that of random steps, nor while the sums of classes settle.
    """

    solver: Any
    problem: Callable[[], Any]
    least: int = MANY
    tol: float = 1e-3
    max_iter: int = -1
    rises: bool = True


def _classes(n: int, d: int, classes: int = 2) -> tuple[Any, Any]:
    return make_classification(
        n, d, n_informative=min(d, 8), n_redundant=0, n_classes=classes, flip_y=0.15, class_sep=0.4, random_state=0
    )


def _kernel(n: int, C: float = 10.0) -> SoftMargin:
    return SoftMargin(*_classes(n, 10), C=C, kernel=RBF(gamma=0.1))


def _linear(n: int, d: int, **more: Any) -> PrimalProblem:
    return PrimalProblem(*_classes(n, d), **more)


def _tube(n: int = 1000) -> tuple[Any, Any]:
    return make_regression(n, 10, noise=5.0, random_state=0)


SEARCHES: dict[str, Search] = {
    "smo": Search(SMO(), lambda: _kernel(3000, 100.0)),
    "smo, tube": Search(SMO(), lambda: EpsilonRegression(*_tube(5000), C=100.0, kernel=RBF(gamma=0.1))),
    "smo, nu": Search(SMO(), lambda: NuClassification(*_classes(5000, 10), nu=0.3, kernel=RBF(gamma=0.1))),
    "smo, one class": Search(SMO(), lambda: OneClass(_classes(8000, 10)[0], nu=0.1, kernel=RBF(gamma=1.0))),
    "smo, blocks": Search(SMO(), lambda: _kernel(8000, 1.0)),
    "smo, one class in blocks": Search(SMO(), lambda: OneClass(_classes(20000, 10)[0], nu=0.05, kernel=RBF(gamma=0.1))),
    "projected gradient": Search(ProjectedGradient(), lambda: _kernel(300)),
    "decomposition": Search(Decomposition(), lambda: _kernel(400)),
    "chunking": Search(Chunking(), lambda: _kernel(1500)),
    "kernel subgradient": Search(KernelSubgradient(), lambda: _kernel(300), max_iter=30_000, rises=False),
    "joint": Search(
        CrammerSingerDescent(), lambda: CrammerSinger(*_classes(600, 10, 4), C=10.0, kernel=RBF(gamma=0.1)), rises=False
    ),
    "newton, hinge": Search(LinearNewton(), lambda: _linear(3000, 400, C=1e4), tol=1e-9),
    "newton, tube": Search(LinearNewton(), lambda: PrimalProblem(*_tube(), loss=EpsilonInsensitive(1.0), C=100.0), tol=1e-9),
    "sweeps, hinge": Search(CoordinateDescent(), lambda: _linear(3000, 40, offset=None)),
    "sweeps, squared": Search(CoordinateDescent(), lambda: _linear(3000, 40, offset=None, loss="squared_hinge"), tol=1e-5),
    "sweeps, tube": Search(
        CoordinateDescent(), lambda: PrimalProblem(*_tube(), loss=EpsilonInsensitive(1.0), offset=None, C=10.0), tol=1e-5
    ),
    "ball": Search(BallSearch(), lambda: _linear(3000, 400, penalty="ball", B=0.1), tol=1e-6),
    "gradient descent": Search(GradientDescent(), lambda: _linear(500, 10, loss="logistic", C=100.0), tol=1e-6),
    "stochastic": Search(StochasticSubgradient(), lambda: _linear(2000, 10, C=0.001), max_iter=40_000),
    "classes, few sweeps": Search(MulticlassDescent(), lambda: MulticlassLinear(*_classes(3000, 10, 4), loss="joint")),
    "classes, sweeps": Search(MulticlassDescent(), lambda: MulticlassLinear(*_classes(1000, 10, 4), loss="joint", C=10.0)),
    # These end within 30 rounds on most problems: one checkpoint for each round.
    "classes, newton": Search(
        MulticlassNewton(), lambda: MulticlassLinear(*_classes(1000, 10, 4), loss="joint"), least=0, tol=1e-9
    ),
    "newton, logistic": Search(LinearNewton(), lambda: _linear(3000, 40, loss="logistic"), least=0, tol=1e-9),
    "proximal newton": Search(ProximalNewton(), lambda: _linear(2000, 60, loss="logistic", penalty="l1"), least=0, tol=1e-9),
    "multinomial": Search(MulticlassNewton(), lambda: MulticlassLinear(*_classes(1000, 10, 4)), least=0, tol=1e-9),
    "multinomial, elastic net": Search(
        MulticlassProximalNewton(),
        lambda: MulticlassLinear(*_classes(1000, 10, 4), penalty="elasticnet", l1_ratio=0.5),
        least=0,
        tol=1e-9,
    ),
    "kernel logistic": Search(
        KernelNewton(), lambda: KernelLogistic(*_classes(600, 10, 3), kernel=RBF(gamma=0.1)), least=0, tol=1e-9, rises=False
    ),
    # Solvers of other libraries. PIQP, in a process of its own, tells of its rounds; HiGHS of nothing in less than seconds.
    "dual program": Search(DualQP(), lambda: _kernel(1000), least=10),
    "primal program": Search(PrimalQP(), lambda: SoftMargin(*_classes(1000, 100), kernel=Linear()), least=10),
    "linear program": Search(LinearProgram(), lambda: _linear(500, 20, penalty="l1"), least=2),
}


def test_all_solvers_are_here() -> None:
    known = {type(search.solver) for search in SEARCHES.values()}
    named = [getattr(solvers, name) for name in solvers.__all__]
    offered = {each for each in named if inspect.isclass(each) and hasattr(each, "run") and not inspect.isabstract(each)}
    assert known == offered


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("name", SEARCHES)
def test_a_long_search_is_worth_drawing(name: str) -> None:
    solver, problem, least, tol, max_iter, rises = SEARCHES[name]
    solution = solve(problem(), solver=solver, tol=tol, max_iter=max_iter)
    trace = solution.trace
    rounds = trace.steps[-1]
    assert len(trace) >= (least or rounds)
    assert np.isfinite(trace.gap).all()
    assert np.isfinite(trace.primal).all()
    assert (np.diff(trace.steps) >= 0).all()
    assert (np.diff(trace.seconds) >= 0.0).all()
    # They are spread over the search: no more than a third of the steps without one, but for searches of few rounds.
    if least >= MANY:
        assert np.diff(trace.steps).max() <= rounds / 3
    assert trace.gap[-1] < trace.gap[0]
    # Bounds of points that were only passed by are as true as the others: none is above the optimum, none falls.
    rounding = 1e-6 * np.abs(trace.objective).max()
    assert not rises or (np.diff(trace.objective) >= -rounding).all()
    assert (trace.objective <= solution.certificate.primal_objective + rounding).all()
