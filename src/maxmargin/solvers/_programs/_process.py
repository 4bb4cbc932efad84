"""General quadratic programs, and who solves them where."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, final

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from maxmargin.errors import InvalidInput, MissingExtra
from maxmargin.solution import Status
from maxmargin.solvers._programs import _backends
from maxmargin.solvers._programs._backends import Found, Matrices, MissingPackage, by_piqp, by_qpsolvers
from maxmargin.solvers._runtime._aside import aside

__all__ = ["Outcome", "Program", "check_backend", "minimised"]

Vector = NDArray[np.float64]

_LONG: Final = 2e8  # multiplications of a round; fewer are over before a process has started
_SPARSE: Final = 30.0  # times what such a multiplication takes of a dense program: it follows indices, and fills in
_PRELUDE: Final = "import signal, sys; signal.signal(signal.SIGINT, signal.SIG_IGN); import runpy; "


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

    @property
    def matrices(self) -> Matrices:
        """The same for those who know nothing of this package."""
        return Matrices(self.Q, self.p, self.G, self.h, self.E, self.e, self.lower, self.upper)

    @property
    def effort(self) -> float:
        """Multiplications of a round, roughly: of a dense program its factoring, else the products of its constraints."""
        if not self.sparse:
            rows = 0 if self.G is None else self.G.shape[0]
            return float(len(self.p)) ** 3 / 3.0 + float(rows) * float(len(self.p)) ** 2
        entries = float(self.Q.nnz) + (0.0 if self.G is None else float(self.G.nnz))
        return _SPARSE * entries * entries / max(1.0, float(len(self.p)))


@final
@dataclass(frozen=True, eq=False)
class Outcome:
    """A point, the multipliers of ``G u ≥ h``, what its solver says of it, and rounds.

    ``passed`` has the two objectives of each round, primal and dual, where they are known: PIQP's in a process of its own.
    ``seconds`` is how long these took.
    """

    u: Vector
    multipliers: Vector
    status: Status
    rounds: int
    passed: tuple[tuple[float, float], ...] = ()
    seconds: float = 0.0


def minimised(
    program: Program, solver: str, rounds: int = _backends.ROUNDS, stop: Callable[[], bool] = lambda: False
) -> Outcome | None:
    """Solve a program by the named solver. No caller trusts its word.

    A long run is in a process of its own, which ends when ``stop`` says so, asked about every 50 ms, and at Ctrl-C.

    Parameters
    ----------
    program : Program
        What to minimise.
    solver : str
        ``"piqp"``, or a name of the package qpsolvers.
    rounds : int
        The most of them.
    stop : callable
        Whether to give up.

    Returns
    -------
    Outcome or None
        None if it was stopped.
    """
    if program.effort > _LONG and sys.executable:
        found = _elsewhere(program.matrices, solver, rounds, stop)
        if found is None:
            return None
    else:
        found = by_piqp(program.matrices, rounds) if solver == "piqp" else by_qpsolvers(program.matrices, solver)
    return Outcome(found.u, found.multipliers, Status[found.status], found.rounds, found.passed, found.seconds)


def _elsewhere(program: Matrices, solver: str, rounds: int, stop: Callable[[], bool]) -> Found | None:
    """In another process: Ctrl-C of a terminal is for this one alone, and the other is killed."""
    run = f"{_PRELUDE}runpy.run_path({_backends.__file__!r}, run_name='__main__')"
    threads = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
    child = subprocess.Popen(
        [sys.executable, "-c", run],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=os.environ | threads,
    )

    def asked() -> bytes:
        try:
            return child.communicate(pickle.dumps((sys.path, tuple(program), solver, rounds), protocol=5))[0]
        except (OSError, ValueError):  # it was killed
            return b""

    try:
        said = aside(asked, stop)
    finally:
        child.kill()  # nothing if it has ended
    if said is None:
        return None
    if child.wait() != 0 or not said:  # out of memory, most of all
        return Found(np.zeros(len(program.p)), np.zeros(0 if program.h is None else len(program.h)), "STALLED", 0)
    return Found(*pickle.loads(said))


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
        return _backends.imported(name)
    except MissingPackage as error:
        raise MissingExtra(
            f"This solver needs the package {name}, which could not be imported ({error}). Install it with: {line}"
        ) from error
