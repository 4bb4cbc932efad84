"""The general quadratic program, as a lecture writes it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, final

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from maxmargin import _core
from maxmargin.errors import InvalidInput
from maxmargin.solution import Status
from maxmargin.solvers._programs._process import Program, check_backend, minimised
from maxmargin.solvers._runtime._threads import one_blas_thread

__all__ = ["Quadratic", "qp"]

Vector = NDArray[np.float64]

_SOLVED = 1e-6  # largest relative residual of a program that counts as solved
_CURVATURE = 1e-8  # times the largest entry of Q: eigenvalues above minus that count as rounding


@final
@dataclass(frozen=True, eq=False)
class Quadratic:
    """The answer to a quadratic program.

    Attributes
    ----------
    u : ndarray
        The minimiser.
    multipliers : ndarray
        ``z ≥ 0`` of each row of ``A u ≥ c``, with ``Q u + p = Aᵀz``. If the status is INFEASIBLE they are a proof of it:
        ``Aᵀz = 0`` and ``cᵀz > 0``, up to the accuracy of the solver.
    objective : float
        ``½ uᵀQu + pᵀu``.
    residual : float
        The largest violation of the optimality conditions, relative to the numbers in them; computed from u and z alone.
    status : Status
        CONVERGED, INFEASIBLE, UNBOUNDED, ITERATION_LIMIT or STALLED.

    Examples
    --------
    >>> import numpy as np
    >>> from maxmargin.solvers import qp
    >>> qp(np.eye(1), [0.0], [[1.0]], [2.0]).status.name
    'CONVERGED'
    """

    u: Vector
    multipliers: Vector
    objective: float
    residual: float
    status: Status


def qp(Q: Any, p: Any, A: Any, c: Any, solver: str = "piqp") -> Quadratic:
    """Minimise ``½ uᵀQu + pᵀu`` subject to ``A u ≥ c``.

    This is the form in which textbooks hand a support vector machine to a general solver (Abu-Mostafa, Magdon-Ismail and Lin,
    Learning from Data, 2012). Write an equality as two rows of opposite sign.

    Parameters
    ----------
    Q : array-like or sparse matrix of shape (k, k)
        Symmetric and positive semidefinite.
    p : array-like of shape (k,)
        Linear term.
    A : array-like or sparse matrix of shape (m, k)
        One constraint in each row.
    c : array-like of shape (m,)
        Lower bounds of the rows.
    solver : str
        ``"piqp"`` (Schwan, Jiang, Kuhn and Jones 2023), or another by its name in the package qpsolvers: ``"daqp"``,
        ``"clarabel"``, …

    Returns
    -------
    Quadratic
        With u, the multipliers of the rows, and a status.

    Raises
    ------
    InvalidInput
        When shapes do not fit, a number is not finite, or Q is not symmetric and positive semidefinite.
    MissingExtra
        When the solver is not installed; the message has the line that installs it.

    Examples
    --------
    The widest street between 1 and 3, in ``u = (b, w)``: ``Q = diag(0, 1)``, and a row ``y_i (1, x_i)`` with ``c_i = 1`` for
    each point.

    >>> import numpy as np
    >>> from maxmargin.solvers import qp
    >>> x, y = np.array([0.0, 1.0, 3.0, 4.0]), np.array([-1.0, -1.0, 1.0, 1.0])
    >>> street = qp(np.diag([0.0, 1.0]), np.zeros(2), y[:, None] * np.column_stack((np.ones(4), x)), np.ones(4))
    >>> street.u.round(6), abs(street.multipliers.round(6))
    (array([-2.,  1.]), array([0. , 0.5, 0.5, 0. ]))
    """
    Q, A = _matrix("Q", Q), _matrix("A", A)
    p, c = _vector("p", p), _vector("c", c)
    _check_shapes(Q, p, A, c)
    _check_convex(Q)
    name = check_backend(solver, "qp")
    if sparse.issparse(Q) or sparse.issparse(A):
        Q, A = sparse.csc_matrix(Q), sparse.csc_matrix(A)
    with one_blas_thread():
        found = minimised(Program(Q, p, A, c), name)
        assert found is not None  # nobody stops it
        u, z = found.u, np.maximum(found.multipliers, 0.0)
        status, residual = found.status, _residual(Q, p, A, c, u, z)
        objective = float(0.5 * u @ (Q @ u) + p @ u)
    if status is Status.CONVERGED and residual > _SOLVED:
        status = Status.STALLED
    if status is Status.INFEASIBLE and (size := float(z.max(initial=0.0))) > 0:
        z = z / size
    return Quadratic(u, z, objective, residual, status)


def _residual(Q: Any, p: Vector, A: Any, c: Vector, u: Vector, z: Vector) -> float:
    """Stationarity, feasibility and gap, each relative to the largest number in it."""
    Qu, Au, Az = Q @ u, A @ u, A.T @ z

    def relative(difference: Any, *parts: Any) -> float:
        return float(np.abs(difference).max(initial=0.0)) / max(1.0, *(float(np.abs(part).max(initial=0.0)) for part in parts))

    stationary = relative(Qu + p - Az, Qu, p, Az)
    feasible = relative(np.maximum(0.0, c - Au), c, Au)
    gap = relative(np.array([u @ Qu + p @ u - c @ z]), np.array([u @ Qu, p @ u, c @ z]))
    return max(stationary, feasible, gap)


def _matrix(name: str, value: Any) -> Any:
    if sparse.issparse(value):
        matrix = value.tocsc().astype(np.float64)
        numbers = matrix.data
    else:
        numbers = matrix = _numbers(name, value, "a matrix")
    if matrix.ndim != 2:
        raise InvalidInput(f"The {name!r} parameter of qp must be a matrix. Got an array of shape {matrix.shape} instead.")
    _check_finite(name, numbers)
    return matrix


def _vector(name: str, value: Any) -> Vector:
    vector = _numbers(name, value, "a vector")
    if vector.ndim != 1:
        raise InvalidInput(f"The {name!r} parameter of qp must be a vector. Got an array of shape {vector.shape} instead.")
    _check_finite(name, vector)
    return vector


def _numbers(name: str, value: Any, what: str) -> NDArray[np.float64]:
    try:
        return np.array(value, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InvalidInput(f"The {name!r} parameter of qp must be {what} of numbers. Got {value!r}: {error}") from None


def _check_finite(name: str, numbers: NDArray[np.float64]) -> None:
    if not np.isfinite(numbers).all():
        raise InvalidInput(f"The {name!r} parameter of qp must have finite numbers only. Got NaN or infinity.")


def _check_shapes(Q: Any, p: Vector, A: Any, c: Vector) -> None:
    k, m = len(p), len(c)
    if k == 0:
        raise InvalidInput("The 'p' parameter of qp must have at least one number: one for each variable. Got none.")
    if Q.shape != (k, k):
        raise InvalidInput(f"The 'Q' parameter of qp must have shape {(k, k)}, as p has {k} numbers. Got shape {Q.shape}.")
    if A.shape != (m, k):
        raise InvalidInput(
            f"The 'A' parameter of qp must have shape {(m, k)}, as c has {m} numbers and p has {k}. Got shape {A.shape}."
        )


def _check_convex(Q: Any) -> None:
    """Refuse what is not symmetric, or has a clearly negative eigenvalue; for a sparse matrix only the diagonal is checked."""
    scale = float(abs(Q).max()) if Q.size else 0.0
    uneven = float(abs(Q - Q.T).max()) if Q.size else 0.0
    if uneven > 1e-8 * scale:
        raise InvalidInput(
            f"The 'Q' parameter of qp must be symmetric. Got entries that differ from their transpose by up to {uneven:.3g}."
            " Use (Q + Q.T) / 2, which has the same values uᵀQu."
        )
    if sparse.issparse(Q):
        indefinite = float(Q.diagonal().min()) < -_CURVATURE * scale
    else:  # by a factor, which looks up for Ctrl-C; LAPACK's eigenvalues would not
        raised = Q + _CURVATURE * scale * np.eye(len(Q))
        indefinite = _core.precomputed_gram(raised, None).is_indefinite()
    if indefinite:
        raise InvalidInput(
            "The 'Q' parameter of qp must be positive semidefinite, else there may be many local minima. Got a matrix with a"
            f" negative eigenvalue, below {-_CURVATURE * scale:.3g}."
        )
