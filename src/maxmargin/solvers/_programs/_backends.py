"""Solvers of quadratic programs that others wrote: called here, or in a process of its own, which can be ended.

They run for minutes without looking up, and hold Python's lock meanwhile: no thread can end them, and none sees Ctrl-C. As a
script this file reads one program from its input and writes the answer; it imports nothing of the package, to start soon. What
the solver prints there is kept from the answer, and read: that of PIQP has the objectives of each round.
"""

from __future__ import annotations

import contextlib
import ctypes
import importlib
import os
import pickle
import re
import sys
import tempfile
import time
import warnings
from typing import Any, Final, NamedTuple, final

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

__all__ = ["Found", "Matrices", "MissingPackage", "by_piqp", "by_qpsolvers", "imported", "objectives_of_rounds"]

Vector = NDArray[np.float64]

ROUNDS: Final = 250
_ACCURACY: Final = 1e-10  # asked of interior points; on hard programs they stop a little before, with a point that is as good
_ROUND: Final = re.compile(r"^ *\d+ +([-+]?\d\.\d+e[-+]\d+) +([-+]?\d\.\d+e[-+]\d+) ", re.MULTILINE)
_MORE_EXACT: Final[dict[str, dict[str, Any]]] = {
    # A dual active set needs a definite matrix: the proximal term makes one, and vanishes at the solution.
    "daqp": {"eps_prox": 1e-6, "primal_tol": 1e-10, "dual_tol": 1e-10, "iter_limit": 100_000},
    "clarabel": {"tol_gap_abs": 1e-10, "tol_gap_rel": 1e-10, "tol_feas": 1e-10},
    "osqp": {"eps_abs": 1e-9, "eps_rel": 1e-9, "max_iter": 200_000, "polishing": True},
}


@final
class MissingPackage(Exception):
    """A package that could not be imported, and why."""


@final
class Matrices(NamedTuple):
    """``½ uᵀQu + pᵀu`` subject to ``G u ≥ h``, ``E u = e`` and ``lower ≤ u ≤ upper``; what is None is absent."""

    Q: Any
    p: Vector
    G: Any
    h: Vector | None
    E: Any
    e: Vector | None
    lower: Vector | None
    upper: Vector | None


@final
class Found(NamedTuple):
    """A point, the multipliers of ``G u ≥ h``, what the solver says of it (the name of a `Status`), and rounds.

    ``passed`` has the two objectives of each round, primal and dual, where they are known, and ``seconds`` the time of all.
    """

    u: Vector
    multipliers: Vector
    status: str
    rounds: int
    passed: tuple[tuple[float, float], ...] = ()
    seconds: float = 0.0


def imported(name: str) -> Any:
    """The module, or `MissingPackage`."""
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise MissingPackage(str(error)) from error


def by_piqp(program: Matrices, rounds: int, *, verbose: bool = False) -> Found:
    """Proximal interior points (Schwan, Jiang, Kuhn and Jones 2023); where it is verbose, its log is on the standard output."""
    piqp = imported("piqp")
    n = len(program.p)
    if sparse.issparse(program.Q):
        solver, matrix = piqp.SparseSolver(), sparse.csc_matrix
    else:
        solver, matrix = piqp.DenseSolver(), np.asfortranarray
    settings = solver.settings
    settings.eps_abs = settings.eps_rel = _ACCURACY
    settings.eps_duality_gap_abs = settings.eps_duality_gap_rel = _ACCURACY
    settings.verbose = verbose
    settings.max_iter = max(1, min(rounds, ROUNDS))
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
        piqp.PIQP_SOLVED: "CONVERGED",
        piqp.PIQP_PRIMAL_INFEASIBLE: "INFEASIBLE",
        piqp.PIQP_DUAL_INFEASIBLE: "UNBOUNDED",
        piqp.PIQP_MAX_ITER_REACHED: "ITERATION_LIMIT",
    }.get(said, "STALLED")
    found = solver.result
    multipliers = np.zeros(0) if program.G is None else np.array(found.z_l, dtype=np.float64)
    u = np.array(found.x, dtype=np.float64)
    return Found(u if len(u) == n else np.zeros(n), multipliers, status, int(found.info.iter))


def by_qpsolvers(program: Matrices, name: str) -> Found:
    """Any solver that the package qpsolvers knows; its inequalities are ``≤``."""
    qpsolvers = imported("qpsolvers")
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
            return Found(np.zeros(n), np.zeros(m), "STALLED", 0)
    u = np.zeros(n) if found.x is None else np.asarray(found.x, dtype=np.float64)
    multipliers = np.zeros(m) if found.z is None or len(found.z) != m else np.asarray(found.z, dtype=np.float64)
    usable = bool(np.isfinite(u).all() and np.isfinite(multipliers).all())
    if not usable:
        return Found(np.zeros(n), np.zeros(m), "STALLED", 0)
    return Found(u, multipliers, "CONVERGED" if found.found else "STALLED", 1)


def _dense(M: Any) -> NDArray[np.float64]:
    return np.ascontiguousarray(M.toarray() if sparse.issparse(M) else M, dtype=np.float64)


def objectives_of_rounds(log: str) -> tuple[tuple[float, float], ...]:
    """Primal and dual objective of each round in PIQP's log: lines of a number and then these; nothing if it has no such."""
    return tuple((float(primal), float(dual)) for primal, dual in _ROUND.findall(log))


def _flush_c() -> None:
    """What C printed, out of its buffer. Where its library cannot be reached there is no log to read."""
    with contextlib.suppress(OSError, TypeError, AttributeError):
        ctypes.CDLL(None).fflush(None)


def _serve() -> None:
    """Answer one program: fields and results are tuples, as the class of this script is not that of the package."""
    path, fields, name, rounds = pickle.load(sys.stdin.buffer)
    sys.path[:] = path
    program = Matrices(*fields)
    with os.fdopen(os.dup(1), "wb") as answer, tempfile.TemporaryFile() as log:
        os.dup2(log.fileno(), 1)
        begin = time.perf_counter()
        found = by_piqp(program, rounds, verbose=True) if name == "piqp" else by_qpsolvers(program, name)
        seconds = time.perf_counter() - begin
        _flush_c()
        log.seek(0)
        passed = objectives_of_rounds(log.read().decode(errors="replace"))
        pickle.dump(tuple(found._replace(passed=passed, seconds=seconds)), answer, protocol=5)


if __name__ == "__main__":
    _serve()
