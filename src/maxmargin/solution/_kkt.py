"""The optimality conditions of Karush, Kuhn and Tucker, each as a number; and what of the answer is unique."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np
from numpy.typing import NDArray

from maxmargin.problems import Terms

__all__ = ["KKT", "Conditions"]

Vector = NDArray[np.float64]


@final
@dataclass(frozen=True)
class KKT:
    """How far an answer is from fulfilling each optimality condition, and what of it is unique.

    With the excess ``e_i`` of a row (``1 − y_i f(x_i)`` for a margin), its slack ``ξ_i`` and its multiplier ``α_i``, the
    conditions are those of Karush, Kuhn and Tucker for ``½|w|² + Σ C_i ξ_i`` subject to ``ξ_i ≥ e_i`` and ``ξ_i ≥ 0``. The
    problem is convex, so that they suffice. All are 0 at the optimum.

    Attributes
    ----------
    stationarity : float
        In b: ``|Σ β_i − total|``, the total being 0 for two classes. In w it holds by construction, ``w = Σ β_i φ(x_i)``.
    primal_feasibility : float
        ``max (e_i − ξ_i)``. With linear slack it holds by construction, ``ξ_i = max(0, e_i)``; with squared slack
        ``ξ_i = α_i/(2 C_i)``; a hard margin has ``ξ_i = 0``.
    dual_feasibility : float
        By how much an α is below 0 or above ``C_i``.
    complementary_slackness : float
        ``max α_i |ξ_i − e_i|``: a row with room to spare has no multiplier.
    slack_complementarity : float
        ``max (C_i − α_i) ξ_i``: a row with slack has all of its multiplier.
    w_unique, b_unique, alpha_unique : bool or None
        Whether no other w, b, α is optimal; None where that cannot be told. w is unique, since ``|w|²`` is strictly convex.
        b is if a support vector is free (``0 < α_i < C_i``) or the interval of optimal offsets is a point. α is if no change of
        those on the boundary leaves w and the equalities as they are: if their Gram matrix, bordered by ones, has full rank.
    active : int or None
        Support vectors on the boundary: the constraints that are active with a multiplier.
    rank : int or None
        Rank of their bordered Gram matrix.

    Examples
    --------
    >>> from maxmargin import solve
    >>> from maxmargin.kernels import Linear
    >>> from maxmargin.problems import SoftMargin
    >>> print(solve(SoftMargin([[-1.0], [1.0]], [-1, 1], C=10.0, kernel=Linear())).kkt)
    stationarity        0
    primal feasibility  0
    dual feasibility    0
    complementarity     0
    slack complement.   0
    unique              w yes, b yes, alpha yes
    active              2 support vectors on the boundary, rank 2
    """

    stationarity: float
    primal_feasibility: float
    dual_feasibility: float
    complementary_slackness: float
    slack_complementarity: float
    w_unique: bool | None
    b_unique: bool | None
    alpha_unique: bool | None
    active: int | None
    rank: int | None

    @property
    def largest(self) -> float:
        """The worst of the five numbers."""
        return max(
            self.stationarity,
            self.primal_feasibility,
            self.dual_feasibility,
            self.complementary_slackness,
            self.slack_complementarity,
        )

    def rows(self) -> list[tuple[str, str]]:
        """The lines of the table: name and value."""
        unique = (("w", self.w_unique), ("b", self.b_unique), ("alpha", self.alpha_unique))
        rank = "not looked at" if self.rank is None else str(self.rank)
        active = "not looked at" if self.active is None else f"{self.active} support vectors on the boundary, rank {rank}"
        return [
            ("stationarity", f"{self.stationarity:.3g}"),
            ("primal feasibility", f"{self.primal_feasibility:.3g}"),
            ("dual feasibility", f"{self.dual_feasibility:.3g}"),
            ("complementarity", f"{self.complementary_slackness:.3g}"),
            ("slack complement.", f"{self.slack_complementarity:.3g}"),
            ("unique", ", ".join(f"{name} {_WORDS[verdict]}" for name, verdict in unique)),
            ("active", active),
        ]

    def __str__(self) -> str:
        return "\n".join(f"{name:<20}{value}" for name, value in self.rows())

    def _repr_html_(self) -> str:
        lines = "".join(f"<tr><th style='text-align:left'>{name}</th><td>{value}</td></tr>" for name, value in self.rows())
        return f"<table>{lines}</table>"


_WORDS: dict[bool | None, str] = {True: "yes", False: "no", None: "unknown"}


@final
@dataclass(frozen=True, eq=False)
class Conditions:
    """The rows that have a multiplier, and those without that are on the boundary or beyond; the others fulfil everything.

    Attributes
    ----------
    alpha, excess : ndarray
        Of these rows, support vectors first.
    beta : ndarray
        Of the support vectors.
    terms : Terms
        Their prices, and the equalities.
    near : float
        An excess up to this, either way, is on the boundary.
    """

    alpha: Vector
    excess: Vector
    beta: Vector
    terms: Terms
    near: float

    @property
    def free(self) -> NDArray[np.bool_]:
        """Support vectors with an α strictly between its bounds."""
        alpha = self.alpha[: len(self.beta)]
        return (alpha > 0.0) & ((alpha < self.terms.price[: len(self.beta)]) | self.terms.squared)

    @property
    def active(self) -> NDArray[np.bool_]:
        """Support vectors on the boundary."""
        return self.free | (np.abs(self.excess[: len(self.beta)]) <= self.near)

    def residuals(self) -> tuple[float, float, float, float, float]:
        """The five numbers of `KKT`, in its order."""
        alpha, excess, price = self.alpha, self.excess, self.terms.price
        paid, bounded = np.isfinite(price), np.isfinite(price) & (not self.terms.squared)
        slack = np.where(paid, np.maximum(0.0, excess), 0.0)
        if self.terms.squared:
            slack = np.maximum(0.0, alpha) / (2.0 * price)
        room = np.where(bounded, price - alpha, 0.0)
        return (
            abs(float(self.beta.sum()) - self.terms.total) if self.terms.free_offset else 0.0,
            _worst(excess - slack),
            _worst(np.maximum(-alpha, -room)),
            _worst(alpha * np.abs(slack - excess)),
            _worst(room * slack),
        )

    def offset_is_unique(self, interval: tuple[float, float]) -> bool | None:
        """A free support vector fixes b; where each side has its own level, one on each."""
        if not self.terms.free_offset:
            return True
        pulls = self.beta[self.free]
        if self.terms.by_side:
            return True if (pulls > 0.0).any() and (pulls < 0.0).any() else None
        return bool(len(pulls) > 0 or interval[1] - interval[0] <= self.near)

    def multipliers_are_unique(self, gram: Vector | None, sided: bool) -> tuple[bool | None, int | None]:
        """Whether α is unique, and the rank of the bordered Gram matrix of the active support vectors.

        A change d of α keeps an answer optimal only if it keeps w, ``K d = 0``, and the equalities, ``Σ d = 0``. None that does
        so among all rows on the boundary: unique. One among the free alone: not unique. Otherwise it depends on whether the
        bounds of the others let it pass: unknown.
        """
        if self.terms.squared:
            return True, int(self.active.sum())
        if gram is None:
            return None, None
        borders = [np.ones(len(gram))] if self.terms.free_offset or self.terms.penalised_offset else []
        if sided:
            borders.append(np.sign(self.beta[self.active]))
        rank = rank_of(gram, borders)
        if rank == len(gram):
            silent = np.abs(self.excess[len(self.beta) :]) <= self.near
            return None if silent.any() else True, rank
        free = self.free[self.active]
        among_free = rank_of(gram[np.ix_(free, free)], [border[free] for border in borders])
        return False if among_free < int(free.sum()) else None, rank


def rank_of(gram: Vector, borders: list[Vector]) -> int:
    """Rank of a positive semidefinite matrix with rows put below it; full if ``K d = 0`` and ``border · d = 0`` mean d = 0."""
    if len(gram) == 0:
        return 0
    weight = max(float(np.diagonal(gram).max()), 1e-300)
    whole = gram + sum((weight * np.outer(border, border) for border in borders), np.zeros_like(gram))
    values = np.linalg.eigvalsh(whole)
    return int(np.sum(values > 4.0 * max(len(gram), 8) * np.finfo(np.float64).eps * values[-1]))


def _worst(values: Vector) -> float:
    return max(0.0, float(values.max(initial=0.0)))
