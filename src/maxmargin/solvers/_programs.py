"""General quadratic programs, and the solvers that others wrote for them."""

from __future__ import annotations

import importlib
import warnings
from dataclasses import dataclass
from typing import Any, final

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from maxmargin.errors import InvalidInput, MissingExtra
from maxmargin.solution import Status

__all__ = ["Outcome", "Program", "check_backend", "minimised"]

Vector = NDArray[np.float64]

_ACCURACY = 1e-10  # asked of interior points; on hard programs they stop a little before, with a point that is as good
_ROUNDS = 250
_MORE_EXACT: dict[str, dict[str, Any]] = {
    # A dual active set needs a definite matrix: the proximal term makes one, and vanishes at the solution.
    "daqp": {"eps_prox": 1e-6, "primal_tol": 1e-10, "dual_tol": 1e-10, "iter_limit": 100_000},
    "clarabel": {"tol_gap_abs": 1e-10, "tol_gap_rel": 1e-10, "tol_feas": 1e-10},
    "osqp": {"eps_abs": 1e-9, "eps_rel": 1e-9, "max_iter": 200_000, "polishing": True},
}


@final
@dataclass(frozen=True, eq=False)
class Program:
    """Minimise ``½ uᵀQu + pᵀu`` subject to ``G u ≥ h``, ``E u = e`` and ``lower ≤ u ≤ upper``; what is None is absent.

    Matrices are numpy arrays or, all of them, sparse.
    """

    Q: Any
    p: Vector
    G: Any = None
    h: Vector | None = None
    E: Any = None
    e: Vector | None = None
    lower: Vector | None = None
    upper: Vector | None = None

    @property
    def sparse(self) -> bool:
        """Whether the matrices are."""
        return bool(sparse.issparse(self.Q))


@final
@dataclass(frozen=True, eq=False)
class Outcome:
    """A point, the multipliers of ``G u ≥ h``, what its solver says of it, and rounds."""

    u: Vector
    multipliers: Vector
    status: Status
    rounds: int


def minimised(program: Program, solver: str, rounds: int = _ROUNDS) -> Outcome:
    """Solve a program by the named solver. Its word is not believed by anybody who asks."""
    return _by_piqp(program, rounds) if solver == "piqp" else _by_qpsolvers(program, solver)


def check_backend(solver: Any, owner: str) -> str:
    """The name of a solver that is installed, or the line that installs it."""
    if not isinstance(solver, str):
        raise InvalidInput(
            f"The 'solver' parameter of {owner} must be 'piqp' or the name of a solver of the package qpsolvers, as 'daqp' or"
            f" 'clarabel'. Got {solver!r} instead."
        )
    if solver == "piqp":
        _imported("piqp", "pip install piqp")
        return solver
    found = _imported("qpsolvers", 'pip install "maxmargin[qp]"').available_solvers
    if solver not in found:
        raise MissingExtra(
            f"The 'solver' parameter of {owner} names {solver!r}, and qpsolvers finds only {sorted(found)}. Take one of these,"
            f" 'piqp', or install it with: pip install {solver}"
        )
    return solver


def _imported(name: str, line: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise MissingExtra(
            f"This solver needs the package {name}, which could not be imported ({error}). Install it with: {line}"
        ) from error


def _by_piqp(program: Program, rounds: int) -> Outcome:
    """Proximal interior points (Schwan, Jiang, Kuhn and Jones 2023)."""
    piqp = _imported("piqp", "pip install piqp")
    n = len(program.p)
    if program.sparse:
        solver, matrix = piqp.SparseSolver(), sparse.csc_matrix
    else:
        solver, matrix = piqp.DenseSolver(), np.asfortranarray
    settings = solver.settings
    settings.eps_abs = settings.eps_rel = _ACCURACY
    settings.eps_duality_gap_abs = settings.eps_duality_gap_rel = _ACCURACY
    settings.max_iter = max(1, min(rounds, _ROUNDS))
    solver.setup(
        matrix(program.Q),
        program.p,
        None if program.E is None else matrix(program.E),
        program.e,
        None if program.G is None else matrix(program.G),
        program.h,
        None,
        program.lower,
        program.upper,
    )
    said = solver.solve()
    status = {
        piqp.PIQP_SOLVED: Status.CONVERGED,
        piqp.PIQP_PRIMAL_INFEASIBLE: Status.INFEASIBLE,
        piqp.PIQP_DUAL_INFEASIBLE: Status.UNBOUNDED,
        piqp.PIQP_MAX_ITER_REACHED: Status.ITERATION_LIMIT,
    }.get(said, Status.STALLED)
    found = solver.result
    multipliers = np.zeros(0) if program.G is None else np.array(found.z_l, dtype=np.float64)
    u = np.array(found.x, dtype=np.float64)
    return Outcome(u if len(u) == n else np.zeros(n), multipliers, status, int(found.info.iter))


def _by_qpsolvers(program: Program, name: str) -> Outcome:
    """Any solver that the package qpsolvers knows; its inequalities are ``≤``."""
    qpsolvers = _imported("qpsolvers", 'pip install "maxmargin[qp]"')
    matrix = sparse.csc_matrix if name not in qpsolvers.dense_solvers else _dense
    problem = qpsolvers.Problem(
        matrix(program.Q),
        program.p,
        None if program.G is None else matrix(-program.G),
        None if program.h is None else -program.h,
        None if program.E is None else matrix(program.E),
        program.e,
        program.lower,
        program.upper,
    )
    n, m = len(program.p), 0 if program.h is None else len(program.h)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a program without solution, and the like: the status says it
        try:
            found = qpsolvers.solve_problem(problem, name, **_MORE_EXACT.get(name, {}))
        except (qpsolvers.SolverError, ValueError, ArithmeticError):
            return Outcome(np.zeros(n), np.zeros(m), Status.STALLED, 0)
    u = np.zeros(n) if found.x is None else np.asarray(found.x, dtype=np.float64)
    multipliers = np.zeros(m) if found.z is None or len(found.z) != m else np.asarray(found.z, dtype=np.float64)
    usable = bool(np.isfinite(u).all() and np.isfinite(multipliers).all())
    if not usable:
        return Outcome(np.zeros(n), np.zeros(m), Status.STALLED, 0)
    return Outcome(u, multipliers, Status.CONVERGED if found.found else Status.STALLED, 1)


def _dense(M: Any) -> NDArray[np.float64]:
    return np.ascontiguousarray(M.toarray() if sparse.issparse(M) else M, dtype=np.float64)
