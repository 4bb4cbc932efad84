"""Proofs that a problem without slack has no answer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np
from numpy.typing import NDArray

__all__ = ["Inseparable", "InseparableClasses", "NoTube"]

Vector = NDArray[np.float64]


@final
@dataclass(frozen=True, eq=False)
class Inseparable:
    """Proof that no hyperplane separates two classes: a point that lies in both convex hulls.

    Attributes
    ----------
    weights : ndarray
        Weight of every row; the weights of a class sum to 1, and the two weighted means of ``φ(x_i)`` coincide. Without offset
        all sum to 1, and the weighted mean of ``y_i φ(x_i)`` is 0.
    distance : float
        Distance between the two points in floating point. Exact weights, for which it is 0, are proven to exist within rounding
        of these (`maxmargin.problems._exact`); for a precomputed matrix or a kernel function, up to the rounding of its values.

    Examples
    --------
    >>> from maxmargin import solve
    >>> from maxmargin.kernels import Linear
    >>> from maxmargin.problems import HardMargin
    >>> problem = HardMargin([[0.0], [1.0], [2.0]], [0, 1, 0], kernel=Linear())
    >>> solution = solve(problem, throw=False)
    >>> solution.status.name, solution.proof.weights
    ('INFEASIBLE', array([0.5, 1. , 0.5]))
    """

    weights: Vector
    distance: float

    def __str__(self) -> str:
        return "no hyperplane separates the classes: weighted means of their rows are the same point."


@final
@dataclass(frozen=True, eq=False)
class InseparableClasses:
    """Proof that no scores put every row in its own class: a weighted sum of the rows' leads is always 0.

    The weighted sum of all ``f_y(x_i) − f_k(x_i)`` is 0 whatever the scores, since ``Σ_ik λ_ik (e_y − e_k) φ(x_i)ᵀ = 0`` and
    with offsets ``Σ_ik λ_ik (e_y − e_k) = 0``. So they are not all positive (Gordan 1873).

    Attributes
    ----------
    weights : ndarray of shape (n, K)
        ``λ_ik ≥ 0`` of row i against class k, of sum 1; 0 for its own class. Exact weights are proven to exist within rounding
        of these (`maxmargin.problems._exact`); for a precomputed matrix or a kernel function, up to the rounding of its values.

    Examples
    --------
    >>> from maxmargin import solve
    >>> from maxmargin.kernels import Linear
    >>> from maxmargin.problems import CrammerSinger
    >>> problem = CrammerSinger([[0.0], [2.0], [1.0], [5.0]], [0, 0, 1, 2], C=float("inf"), kernel=Linear())
    >>> solution = solve(problem, throw=False)
    >>> solution.status.name, solution.proof.weights[:, 0]
    ('INFEASIBLE', array([0. , 0. , 0.5, 0. ]))
    """

    weights: NDArray[np.float64]

    def __str__(self) -> str:
        return "no scores put every row in its own class: weighted rows of the classes cancel out."


@final
@dataclass(frozen=True, eq=False)
class NoTube:
    """Proof that no function is within ε of all targets: two equal means of rows whose mean targets are too far apart.

    A function ``<w, φ(x)> + b`` has the same mean over the rows above as over those below, as the means of ``φ(x_i)`` coincide.
    So it misses the targets of one of the two by at least half of the distance between their means (Farkas's lemma, for the
    constraints of the tube).

    Attributes
    ----------
    above, below : ndarray
        Weights of every row, not negative; each sums to 1, and the weighted means of ``φ(x_i)`` coincide. Without offset both
        together sum to 1, and ``Σ (above_i − below_i) φ(x_i) = 0``.
    distance : float
        Distance between the two means in floating point. Exact weights, for which it is 0, are proven to exist within rounding
        of these; for a precomputed matrix or a kernel function, up to the rounding of its values.
    apart : float
        ``Σ (above_i − below_i) y_i``, by which the mean of the targets above exceeds that below: more than 2ε; without offset
        more than ε.
    epsilon : float
        A lower bound on the ε needed: half of ``apart``, or all of it without an offset. The smallest sufficient ε may be
        larger.

    Examples
    --------
    >>> from maxmargin import solve
    >>> from maxmargin.kernels import Linear
    >>> from maxmargin.problems import EpsilonRegression
    >>> problem = EpsilonRegression([[0.0], [1.0], [1.0]], [0.0, -1.0, 1.0], C=float("inf"), epsilon=0.1, kernel=Linear())
    >>> proof = solve(problem, throw=False).proof
    >>> proof.above, proof.below, proof.apart
    (array([0., 0., 1.]), array([0., 1., 0.]), 2.0)
    """

    above: Vector
    below: Vector
    distance: float
    apart: float
    epsilon: float

    def __str__(self) -> str:
        return (
            f"weighted means of rows that coincide have targets {self.apart:.4g} apart, so that no function of this kernel is"
            f" within epsilon of all targets for any epsilon below {self.epsilon:.4g}."
        )
