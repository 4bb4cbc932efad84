"""The smallest ball around rows."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, final

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from maxmargin._solve import solve
from maxmargin.kernels import Kernel, Linear, as_kernel
from maxmargin.problems import Ball, DataDescription
from maxmargin.validation import check_boolean, check_positive, feature_matrix

__all__ = ["EnclosingBall", "enclosing_ball"]

Vector = NDArray[np.float64]

_AT_ONCE = 2**20  # values


@final
@dataclass(frozen=True, eq=False)
class EnclosingBall:
    """A ball in the feature space of the kernel that contains every row.

    Attributes
    ----------
    radius : float
        R: the largest distance of a row from the centre, so that the ball does contain them all.
    smallest : float
        Lower bound on the radius of every enclosing ball, by weak duality. It equals ``radius`` up to the tolerance, and
        exactly for a ball about the origin.
    coefficients : ndarray of shape (n,)
        Coefficients of the centre, ``c = Σ β_i φ(x_i)``; they sum to 1, and are 0 about the origin.
    centre : ndarray of shape (d,) or None
        The centre itself, for a linear kernel.

    Examples
    --------
    >>> from maxmargin.bounds import enclosing_ball
    >>> ball = enclosing_ball([[0.0, 0.0], [2.0, 0.0], [1.0, 0.5]])
    >>> round(ball.radius, 6), ball.centre.round(6), ball.coefficients.round(6)
    (1.0, array([1., 0.]), array([0.5, 0.5, 0. ]))
    """

    radius: float
    smallest: float
    coefficients: Vector
    centre: Vector | None


def enclosing_ball(X: Any, kernel: Kernel | Any = None, *, about_origin: bool = False, tol: float = 1e-6) -> EnclosingBall:
    """The smallest ball around rows: minimise R over c and R subject to ``|φ(x_i) − c| ≤ R``.

    Its dual, ``max Σ β_i k(x_i, x_i) − βᵀKβ`` subject to ``β ≥ 0`` and ``Σβ = 1``, is that of data description with a ν so
    small that no row may stay outside (Schölkopf, Burges and Vapnik 1995; Tax and Duin 2004).

    Parameters
    ----------
    X : array-like, CSR matrix or sequence of objects
        Rows; a square Gram matrix for ``Precomputed``, any objects for a kernel function.
    kernel : Kernel, callable or str, optional
        The space of the ball; by default that of the features themselves.
    about_origin : bool
        Whether the centre must be 0, as the bound for hyperplanes without an offset requires: ``R² = max k(x_i, x_i)``.
    tol : float
        Accuracy, relative to the squared radius.

    Returns
    -------
    EnclosingBall

    Examples
    --------
    >>> from maxmargin.bounds import enclosing_ball
    >>> from maxmargin.kernels import RBF
    >>> X = [[3.0, 0.0], [5.0, 0.0]]
    >>> enclosing_ball(X).radius, enclosing_ball(X, about_origin=True).radius
    (1.0, 5.0)

    In the space of an RBF all rows are on the unit sphere, and no two are further apart than √2.

    >>> round(enclosing_ball(X, RBF(gamma=100.0)).radius, 6)
    0.707107
    """
    part = check_positive("tol", tol, "enclosing_ball")
    origin = check_boolean("about_origin", about_origin, "enclosing_ball")
    chosen = as_kernel(Linear() if kernel is None else kernel, owner="enclosing_ball")
    shift: Any = 0.0
    if isinstance(chosen, Linear):
        X = feature_matrix(X)
        if not origin and not sparse.issparse(X):
            # A ball moves with its rows; far from 0 their inner products would hide how they differ.
            shift = X.mean(axis=0, dtype=np.float64)
            X = _moved(X, shift)
    gram = DataDescription(X, nu=1.0, kernel=chosen).gram
    diagonal = gram.diagonal()
    if origin:
        radius = math.sqrt(max(0.0, float(diagonal.max())))
        return EnclosingBall(radius, radius, np.zeros(gram.n), np.zeros(X.shape[1]) if isinstance(chosen, Linear) else None)
    # Squared distances from the first row: the ball is between half and all of the largest wide.
    far = float((diagonal + diagonal[0] - 2.0 * gram.block([0], np.arange(gram.n))[0]).max())
    beta = np.zeros(gram.n)
    beta[0] = 1.0
    radius = smallest = 0.0
    if far > 1e-15 * float(np.abs(diagonal).max()):
        solution = solve(DataDescription.on(gram, np.ones(gram.n), nu=0.5 / gram.n), tol=part * far)
        # f = (R² − |φ(x) − c|²)/2, so that slack is half of what is missing in R²; the objectives are half of R².
        assert isinstance(solution.slack_rule, Ball)
        beta = solution.alpha
        smallest = math.sqrt(max(0.0, 2.0 * solution.certificate.dual_objective))
        radius = max(smallest, math.hypot(solution.slack_rule.radius, math.sqrt(2.0 * float(solution.slack.max()))))
    centre = shift + np.asarray(beta @ X).ravel() if isinstance(chosen, Linear) else None
    return EnclosingBall(radius, smallest, beta, centre)


def _moved(X: NDArray[np.floating], shift: Vector) -> NDArray[np.float64]:
    """``X − shift`` in float64, some rows at a time: Ctrl-C does not wait for all."""
    moved = np.empty(X.shape)
    some = max(1, _AT_ONCE // max(1, X.shape[1]))
    for begin in range(0, len(X), some):
        np.subtract(X[begin : begin + some], shift, out=moved[begin : begin + some])
    return moved
