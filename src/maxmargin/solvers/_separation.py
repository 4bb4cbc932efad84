"""Whether the logistic or the exponential loss without penalty has a minimum."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.optimize import linprog

from maxmargin.problems import LinearClasses, Offset, PrimalProblem

__all__ = ["falls_for_ever", "falls_for_ever_in_classes"]

_SURELY_POSITIVE: Final = 1e-6
_LARGEST: Final = 1_000_000


def falls_for_ever(problem: PrimalProblem, alpha: NDArray[np.float64]) -> bool:
    """Whether some w has ``y_i (<w, x_i> + b) ≥ 0`` for all rows, and not 0 for all: along it the loss falls without end.

    Multipliers that are all positive and whose rows sum to 0 prove that there is none (Stiemke 1915). Where some are too near
    to 0 to tell, a linear program decides: maximise ``Σ t_i`` with ``0 ≤ t_i = y_i (<w, x_i> + b) ≤ 1``. Above a million values
    of X it is not asked; data that a hyperplane separates with room on both sides show that to the solver itself.
    """
    if float((alpha / problem.price).min()) >= _SURELY_POSITIVE or problem.n * problem.d > _LARGEST:
        return False
    rows = problem.X.toarray() if sparse.issparse(problem.X) else problem.X
    if problem.offset is not Offset.NONE:
        rows = np.column_stack([rows, np.ones(problem.n)])
    signed = problem.y[:, None] * rows.astype(np.float64)
    scale = np.abs(signed).max(axis=0)
    signed = signed / np.where(scale > 0.0, scale, 1.0)
    found = linprog(
        -signed.sum(axis=0), A_ub=np.vstack([-signed, signed]), b_ub=np.repeat([0.0, 1.0], problem.n), bounds=(None, None)
    )
    return bool(found.status == 3 or (found.status == 0 and -found.fun > 1e-6))


def falls_for_ever_in_classes(problem: LinearClasses, alpha: NDArray[np.float64]) -> bool:
    """The same of the multinomial loss: whether some scores have all ``t_ik = f_y(x_i) − f_k(x_i) ≥ 0``, and not all 0."""
    n, K = problem.n, len(problem.classes)
    rivals = np.ones((n, K), dtype=np.bool_)
    rivals[np.arange(n), problem.codes] = False
    if float((alpha / problem.price[:, np.newaxis])[rivals].min()) >= _SURELY_POSITIVE or 2 * n * K * problem.d > _LARGEST:
        return False
    rows = sparse.csr_matrix(problem.X, dtype=np.float64)
    if problem.offset is not Offset.NONE:
        rows = sparse.hstack([rows, np.ones((n, 1))], format="csr")
    scale = abs(rows).max(axis=0).toarray().ravel()
    rows = rows @ sparse.diags_array(1.0 / np.where(scale > 0.0, scale, 1.0))
    row, rival = np.nonzero(rivals)
    pick = np.arange(len(row))
    ahead = sparse.csr_matrix((np.ones(len(row)), (pick, problem.codes[row])), shape=(len(row), K))
    behind = sparse.csr_matrix((np.ones(len(row)), (pick, rival)), shape=(len(row), K))
    of_row = sparse.csr_matrix((np.ones(len(row)), (pick, row)), shape=(len(row), n)) @ rows
    d = rows.shape[1]
    lead = sparse.hstack([of_row.multiply((ahead - behind)[:, [k]]) for k in range(K)], format="csr")
    assert lead.shape[1] == K * d
    found = linprog(
        -np.asarray(lead.sum(axis=0)).ravel(),
        A_ub=sparse.vstack([-lead, lead], format="csr"),
        b_ub=np.repeat([0.0, 1.0], len(row)),
        bounds=(None, None),
    )
    return bool(found.status == 3 or (found.status == 0 and -found.fun > 1e-6))
