"""Fits in a process whose allocations are counted: prints steps and allocations of a short and of a long one, as JSON."""

from __future__ import annotations

import ctypes
import json
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from maxmargin import set_threads, solve
from maxmargin.kernels import RBF
from maxmargin.problems import CrammerSinger, EpsilonRegression, MulticlassLinear, NuRegression, PrimalProblem, SoftMargin
from maxmargin.solvers import CoordinateDescent, MulticlassDescent, MulticlassNewton, ProximalNewton

RNG = np.random.default_rng(0)
X = RNG.normal(size=(20_000, 5))
CLEAR = X[:, 0] + RNG.normal(size=len(X))
Y, K = np.where(CLEAR > 0, 1, -1), np.digitize(CLEAR, [-0.5, 0.5])
KERNEL = RBF(gamma=0.1)


@dataclass(frozen=True)
class Fit:
    """A problem of some rows, and how many steps are taken."""

    pose: Callable[[int], Any]
    rows: tuple[int, int]
    steps: tuple[int, int]
    allowed: float
    """Allocations for each step, or each row, that the long fit has more than the short one."""
    solver: Any = "auto"
    tol: float = 1e-13


def _pairs(pose: Callable[[int], Any]) -> Fit:
    """Pair steps with all kernel values at hand; the tolerance is one that is not reached by the exact finish."""
    return Fit(pose, (300, 300), (2000, 20_000), 0.05, tol=1e-2)


def _sweeps(pose: Callable[[int], Any], solver: Any) -> Fit:
    """One allocation a sweep would be one in a thousand steps."""
    return Fit(pose, (1000, 1000), (10, 200), 1.0, solver)


def _rounds(pose: Callable[[int], Any], solver: Any = "auto") -> Fit:
    """A round may allocate, but none of its loops over the rows."""
    return Fit(pose, (1000, 20_000), (3, 3), 0.02, solver)


FITS = {
    "pairs of a tube": _pairs(lambda n: EpsilonRegression(X[:n], CLEAR[:n], C=1e3, kernel=KERNEL)),
    "pairs that keep a sum on each side": _pairs(lambda n: NuRegression(X[:n], CLEAR[:n], C=1e3, kernel=KERNEL)),
    "pairs of a margin": _pairs(lambda n: SoftMargin(X[:n], Y[:n], C=1e5, kernel=KERNEL)),
    "rows of all classes": Fit(
        lambda n: CrammerSinger(X[:n], np.arange(n) % 5, C=1e2, kernel=KERNEL), (1500, 1500), (5000, 20_000), 0.05
    ),
    "coordinates": _sweeps(lambda n: PrimalProblem(X[:n], Y[:n], C=1e3, offset=None), CoordinateDescent()),
    "coordinates of all classes": _sweeps(lambda n: MulticlassLinear(X[:n], K[:n], loss="joint", C=1e2), MulticlassDescent()),
    "newton, hinge": _rounds(lambda n: PrimalProblem(X[:n], Y[:n])),
    "newton, logistic": _rounds(lambda n: PrimalProblem(X[:n], Y[:n], loss="logistic")),
    "newton, all classes": _rounds(lambda n: MulticlassLinear(X[:n], K[:n]), MulticlassNewton()),
    "newton, L1": _rounds(lambda n: PrimalProblem(X[:n], Y[:n], loss="logistic", penalty="l1"), ProximalNewton()),
}


def main() -> None:
    count = ctypes.CDLL(None).allocations_made
    count.restype = ctypes.c_long
    set_threads(2)
    warnings.simplefilter("ignore")  # no fit gets to its end
    before = count()
    kept = [bytearray(4096) for _ in range(1000)]
    found: dict[str, Any] = {"a thousand of Python's own": count() - before, "kept": len(kept)}
    for name, fit in FITS.items():
        found[name] = []
        for rows, steps in zip((fit.rows[0], *fit.rows), (fit.steps[0], *fit.steps), strict=True):  # the first one warms up
            problem = fit.pose(rows)
            before = count()
            solution = solve(problem, solver=fit.solver, tol=fit.tol, max_iter=steps)
            found[name].append((int(solution.steps), count() - before))
    print(json.dumps(found))


if __name__ == "__main__":
    main()
