"""Quadratic programs in plain numpy, and two general solvers that know nothing of SVMs.

They are PIQP (interior point) and DAQP (dual active set).
"""

from __future__ import annotations

from dataclasses import dataclass

import daqp
import numpy as np
import piqp

Array = np.ndarray

PIQP_ACCURACY = 1e-10
PROXIMAL = (1e-6, 1e-5, 1e-4, 1e-1)
"""Weights of DAQP's proximal term, which its steps take out again: with one of them rounding may send it in circles."""


@dataclass(frozen=True)
class QP:
    """minimise 1/2 a'Qa + p'a subject to 0 <= a <= u, A a = c."""

    Q: Array
    p: Array
    u: Array
    A: Array
    c: Array

    def value(self, a: Array) -> float:
        return float(0.5 * a @ self.Q @ a + self.p @ a)


def solve_by_piqp(qp: QP) -> Array:
    """The minimiser by interior points, clipped into its box."""
    solver = piqp.DenseSolver()
    solver.settings.eps_abs = solver.settings.eps_rel = PIQP_ACCURACY
    solver.settings.eps_duality_gap_abs = solver.settings.eps_duality_gap_rel = PIQP_ACCURACY
    solver.settings.max_iter = 500
    n = len(qp.p)
    solver.setup(
        np.asfortranarray(qp.Q),
        qp.p,
        np.asfortranarray(qp.A),
        qp.c,
        x_l=np.zeros(n),
        x_u=np.asarray(qp.u, dtype=float),
    )
    status = solver.solve()
    assert status == piqp.PIQP_SOLVED, f"the oracle itself failed: {status}"
    return np.clip(solver.result.x, 0.0, qp.u)


def solve_by_daqp(qp: QP) -> Array:
    """The minimiser by a dual active set; the proximal term makes singular Gram matrices possible."""
    n, m = len(qp.p), len(qp.c)
    sense = np.concatenate([np.zeros(n, dtype=np.int32), np.full(m, 5, dtype=np.int32)])
    flag = 0
    for eps_prox in PROXIMAL:
        x, _, flag, _ = daqp.solve(
            np.ascontiguousarray(qp.Q),
            qp.p,
            np.ascontiguousarray(qp.A),
            np.concatenate([qp.u, qp.c]),
            np.concatenate([np.zeros(n), qp.c]),
            sense.copy(),
            eps_prox=eps_prox,
            primal_tol=1e-10,
            dual_tol=1e-10,
            iter_limit=100_000,
        )
        if flag > 0:
            return np.clip(x, 0.0, qp.u)
    raise AssertionError(f"the oracle itself failed: exit flag {flag}")


ORACLES = {"piqp": solve_by_piqp, "daqp": solve_by_daqp}
