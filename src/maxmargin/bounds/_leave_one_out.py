"""Leaving one row out: how often a classifier trained on the others gets it wrong."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from maxmargin._solve import solve_batch, warning_of
from maxmargin.bounds._left_out_fits import LeftOutFits
from maxmargin.bounds._one_solution import estimates
from maxmargin.errors import InvalidInput
from maxmargin.problems import HardMargin, Margin, Problem, SoftMargin
from maxmargin.solution import Solution
from maxmargin.validation import check_positive

__all__ = ["LeaveOneOut", "leave_one_out_bound", "leave_one_out_error"]

Vector = NDArray[np.float64]

_CLOSE = 10.0  # times tol: a score nearer to 0 is looked at more closely, since its sign decides
_EXACTLY = 1e-10


def leave_one_out_bound(solution: Solution) -> float:
    """Bound the leave-one-out error by the fraction of support vectors, ``#{α_i > 0} / n``.

    Leaving out a row that is not a support vector does not change the answer, and that row stays right. This bounds the
    leave-one-out error for a fixed kernel and fixed scaling of the features; it does not bound the error on new rows.

    Parameters
    ----------
    solution : Solution
        Solution of a two-class problem with a soft margin by C or a hard margin. (For an item of an estimator's
        ``solutions_``, n is the number of rows that it was trained on.)

    Returns
    -------
    float

    Notes
    -----
    Luntz and Brailovsky 1969; Abu-Mostafa, Magdon-Ismail and Lin 2012, section 8.2. The bound does not hold for
    ν-classification: its solution changes if any row is left out, since ν is a fraction of the number of rows.

    Examples
    --------
    >>> from maxmargin import solve
    >>> from maxmargin.bounds import leave_one_out_bound
    >>> from maxmargin.kernels import Linear
    >>> from maxmargin.problems import HardMargin
    >>> leave_one_out_bound(solve(HardMargin([[0.0], [1.0], [3.0], [4.0]], [0, 0, 1, 1], kernel=Linear())))
    0.5
    """
    if not isinstance(solution, Solution):
        raise InvalidInput(
            f"The 'solution' parameter of leave_one_out_bound must be a Solution, as solve(problem) returns. "
            f"Got {solution!r} instead."
        )
    by_nu = solution.kkt_data is not None and solution.kkt_data.by_side
    if not isinstance(solution.slack_rule, Margin) or by_nu:
        what = "a problem with nu" if by_nu else repr(solution.slack_rule)
        raise InvalidInput(
            f"Support vectors bound the leave-one-out error of two classes, of SoftMargin and HardMargin only. Got {what}."
        )
    return len(solution.support) / (solution.n if solution.n_trained is None else solution.n_trained)


@final
@dataclass(frozen=True, eq=False)
class LeaveOneOut:
    """What classifiers predict for the one row they were not trained on.

    Attributes
    ----------
    error : float
        Fraction of the rows that are predicted wrong.
    scores : ndarray of shape (n,)
        ``f(x_i)`` of the classifier trained without row i.
    fits : int
        Number of classifiers trained, including the one on all rows.
    bound : float
        The fraction of support vectors: `leave_one_out_bound`.
    xi_alpha : float
        Joachims' ξα-estimate from the one solution: the fraction of the rows with ``ρ α_i R² + ξ_i ≥ 1``. It is not
        below ``error``.
    span : float
        Vapnik and Chapelle's estimate by spans from the one solution: the fraction of the rows with ``α_i S_i² ≥ y_i f(x_i)``.
        It is ``error`` where no row changes sides between free, bounded and no support vector when another one is left out.

    Examples
    --------
    >>> from maxmargin.bounds import leave_one_out_error
    >>> from maxmargin.kernels import Linear
    >>> from maxmargin.problems import HardMargin
    >>> found = leave_one_out_error(HardMargin([[0.0], [1.0], [3.0], [4.0]], [0, 0, 1, 1], kernel=Linear()))
    >>> found.error, found.scores.round(6), found.fits
    (0.0, array([-2.      , -0.333333,  0.333333,  2.      ]), 3)
    """

    error: float
    scores: Vector
    fits: int
    bound: float
    xi_alpha: float
    span: float


def leave_one_out_error(problem: Problem, *, solver: Any = "auto", tol: float = 1e-3) -> LeaveOneOut:
    """The exact leave-one-out error, ``#{i : y_i f_i(x_i) < 0} / n`` with ``f_i`` trained without row i.

    Rows with ``α_i = 0`` need no classifier of their own: without them the optimum is the same. Only support vectors are left
    out one by one; each of these classifiers begins at the solution for all rows, whose other coefficients make up for what is
    taken away, and all of them share one matrix of kernel values. The kernel keeps its parameters: ``gamma="scale"`` is
    computed from all rows.

    Parameters
    ----------
    problem : SoftMargin or HardMargin
        The problem with all rows.
    solver : "auto", "smo" or Solver
        The algorithm.
    tol : float
        Largest KKT violation of each solution. Where a score is within ten times that of 0, so that its sign is in doubt, it is
        computed again by a solution to 1e-10.

    Returns
    -------
    LeaveOneOut
        With the error, all scores, and three estimates of the error that need no further fit.

    Notes
    -----
    Where no support vector is free, the offset is the midpoint of an interval, and leaving out a row that determines one of its
    ends moves it: such rows are left out one by one as well. Without the only row of its class, a classifier with a free offset
    always predicts the other class; its score is recorded as ∓1.

    The ξα-estimate takes ρ = 2 and ``R² = max k(x, x) − min k(x, z)`` with a free offset, and without one ρ = 1 and
    ``R² = k(x_i, x_i)`` of the row itself (Jaakkola and Haussler 1999; Joachims 2000). ``S_i`` is the distance of ``φ(x_i)``
    from the span of the other free support vectors, by combinations whose factors sum to 1 where the offset is free (Vapnik
    and Chapelle 2000).

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from maxmargin.bounds import leave_one_out_error
    >>> from maxmargin.problems import SoftMargin
    >>> X, y = load_iris(return_X_y=True)
    >>> found = leave_one_out_error(SoftMargin(X[50:], y[50:], C=1.0))
    >>> found.error, found.fits
    (0.05, 47)
    >>> found.span, found.xi_alpha, found.bound
    (0.05, 0.44, 0.46)
    """
    if not isinstance(problem, SoftMargin | HardMargin):
        raise InvalidInput(
            f"The 'problem' parameter of leave_one_out_error must be a SoftMargin or a HardMargin: there rows without a "
            f"multiplier do not matter. Got {problem!r} instead."
        )
    tolerance = check_positive("tol", tol, "leave_one_out_error")
    (whole,) = solve_batch([problem], solver, tolerance, with_rows=False)
    _warn_of(whole)
    y = problem.y
    beta = y * whole.alpha
    scores = problem.gram.matvec(beta) + whole.bias
    free_offset = whole.kkt_data is not None and whole.kkt_data.free_offset
    xi_alpha, span = estimates(problem, whole, beta, scores)
    waiting = _left_out(problem, whole, scores, free_offset)
    if free_offset:
        lonely = [sign for sign in (1.0, -1.0) if np.sum(y == sign) == 1]
        alone = np.isin(y, lonely)
        scores[alone] = -y[alone]
        waiting = waiting[~alone[waiting]]
    fits = LeftOutFits(problem, solver, beta)
    for found in fits.of(waiting, tolerance, scores):
        _warn_of(found)
    doubtful = waiting[np.abs(scores[waiting]) <= _CLOSE * tolerance]
    if tolerance > _EXACTLY:
        for _ in fits.of(doubtful, _EXACTLY, scores):  # of which those above have warned
            pass
    error = float(np.mean((scores >= 0.0) != (y > 0.0)))
    return LeaveOneOut(error, scores, 1 + len(waiting), leave_one_out_bound(whole), xi_alpha, span)


def _left_out(problem: Problem, whole: Solution, scores: Vector, free_offset: bool) -> NDArray[np.intp]:
    """Rows whose absence may change the answer."""
    matters = whole.alpha > 0.0
    if free_offset and not _has_free(whole):
        half = 0.5 * (whole.bias_interval[1] - whole.bias_interval[0])
        near = max(10.0 * whole.certificate.kkt_violation, 1e-6)
        matters |= problem.y * scores <= 1.0 + half + near
    return np.flatnonzero(matters)


def _has_free(whole: Solution) -> bool:
    assert whole.kkt_data is not None
    cost = whole.kkt_data.cost[: len(whole.support)]
    return bool(whole.kkt_data.squared or (np.abs(whole.beta) < cost).any())


def _warn_of(solution: Any) -> None:
    if (said := warning_of(solution)) is not None:
        warnings.warn(said[0], said[1], stacklevel=3)
