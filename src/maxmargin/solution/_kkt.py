"""The optimality conditions of Karush, Kuhn and Tucker, each as a number; and what of the answer is unique."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

from maxmargin.solution._table import html_table, text_table

__all__ = ["KKT"]


@final
@dataclass(frozen=True)
class KKT:
    """How far a solution is from satisfying each optimality condition, and which parts of it are unique.

    With the deficit ``e_i`` of a row (``1 − y_i f(x_i)`` for a margin), its slack ``ξ_i`` and its multiplier ``α_i``, the
    conditions are those of Karush, Kuhn and Tucker for ``½|w|² + Σ C_i ξ_i`` subject to ``ξ_i ≥ e_i`` and ``ξ_i ≥ 0``. All are
    0 at the optimum. The problem is convex, so that they suffice for an optimum. They are necessary under a constraint
    qualification, of which two are checked: Slater's condition, and whether the gradients of the active constraints are
    independent.

    Every solution has this report. With all classes at once there is a constraint ``ξ_i ≥ e_ik`` for each other class, with
    ``e_ik = 1 − (f_y(x_i) − f_k(x_i))`` and a multiplier ``α_ik``, and the α of a row are bounded in their sum. For a
    loss ℓ without slack (logistic, least squares, multinomial), every argument ``z_i`` of the loss is a variable, tied to w and
    b by an equality.

    Attributes
    ----------
    stationarity : float
        In b: ``|Σ β_i − total|``, the total being 0 for two classes. In w it holds by construction, ``w = Σ β_i φ(x_i)``. For
        linear models, where w and the multipliers are separate, the largest ``|w_k − Σ β_i x_ik|`` counts too; for penalties
        other than L2 see `LinearEvaluation`.
    primal_feasibility : float
        ``max (e_i − ξ_i)``. With linear slack it holds by construction, ``ξ_i = max(0, e_i)``; with squared slack
        ``ξ_i = α_i/(2 C_i)``; a hard margin has ``ξ_i = 0``. In a ball also ``max(0, |w|² − B)``.
    dual_feasibility : float
        By how much an α is below 0 or above ``C_i``. For a loss without slack it is infinite if some ``−α_i/C_i`` is not a
        slope of the loss anywhere.
    complementary_slackness : float
        ``max α_i |ξ_i − e_i|``: a row whose constraint is inactive has ``α_i = 0``. For a loss without slack it is
        ``max C_i ℓ(z_i) + C_i ℓ*(−α_i/C_i) + α_i z_i``, which is never negative, and 0 where ``−α_i/C_i`` is the slope of ℓ at
        ``z_i`` (Fenchel and Young). For a hinge that would be the sum of this condition and the next for a row.
    slack_complementarity : float or None
        ``max (C_i − α_i) ξ_i``: a row with slack has ``α_i = C_i``. None for a loss without slack.
    w_unique, b_unique, alpha_unique : bool or None
        Whether no other w, b, α is optimal; None where the answer is not precise enough to tell, and where it is not checked: α
        of linear models with linear slack, b and α of all classes at once. See Notes.
    active : int or None
        Number of rows on the boundary, including those with ``α_i = 0``.
    rank : int or None
        Rank of their gradients ``(φ(x_i), 1)``, without the 1 if there is no offset. With squared slack each has a ``ξ_i`` of
        its own, and all are independent.
    slater : bool or None
        Whether some point satisfies all constraints strictly. With slack there always is one: let the slack grow. For a hard
        margin there is one if and only if the classes are separable: take w and b twice as large. A tube without slack may have
        no such point; but its constraints are affine, and then any feasible point is enough for the conditions to be necessary.
        None if no point is known.
    convex : bool
        Whether the problem is convex. Only an indefinite kernel makes it nonconvex; then the conditions do not suffice.

    Notes
    -----
    w is unique, since ``|w|²`` is strictly convex; for ν-classification it is unique if the ρ that it is divided by is.

    b is unique if and only if, among the rows on the boundary, a coefficient ``β_i = y_i α_i`` can rise and one can fall within
    its bounds; a free one (``0 < α_i < C_i``) does both. Otherwise the objective is flat on one side of b (Burges and Crisp
    1999). Where ν gives each side a level of its own, this must hold on both.

    All optimal α give the same w and the same Σβ, and are the same at rows off the boundary. So α is unique if and only if no
    change ``d ≠ 0`` of β on the boundary has ``Σ d_i φ(x_i) = 0`` and ``Σ d_i = 0`` and stays within the bounds. This is the
    strict constraint qualification of Mangasarian and Fromovitz (Kyparisis 1985). It holds if the gradients of all active
    constraints, those without multiplier too, are independent, and fails if those of free rows are not; else signs decide.

    In floating point a row is on the boundary if its deficit is at most 1e-8, or ten times the KKT violation where that is
    below 1e-8 (of 1 for a margin, of the largest target for a tube). Up to 1e-6 it may be, and so may more rows of an answer
    with fewer digits. A verdict that depends on them is None: solve again with a smaller ``tol``. A verdict is also None if it
    depends on vectors that are dependent to 10 digits but not to 13, or on kernel values alone (a function, a precomputed
    matrix) that look dependent although the rows are not equal.

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
    active              2 rows on the boundary, rank 2: independent
    Slater              yes: the conditions are necessary and sufficient

    For the corners of a square, changing α by a multiple of (1, −1, 1, −1) leaves w and b as they are.

    >>> from maxmargin.problems import HardMargin
    >>> kkt = solve(HardMargin([[0, 0], [0, 1], [1, 0], [1, 1]], [-1, -1, 1, 1], kernel=Linear())).kkt
    >>> kkt.w_unique, kkt.b_unique, kkt.alpha_unique, kkt.active, kkt.rank
    (True, True, False, 4, 3)
    """

    stationarity: float
    primal_feasibility: float
    dual_feasibility: float
    complementary_slackness: float
    slack_complementarity: float | None
    w_unique: bool | None
    b_unique: bool | None
    alpha_unique: bool | None
    active: int | None
    rank: int | None
    slater: bool | None
    convex: bool

    @property
    def largest(self) -> float:
        """The worst of these numbers."""
        return max(
            self.stationarity,
            self.primal_feasibility,
            self.dual_feasibility,
            self.complementary_slackness,
            self.slack_complementarity or 0.0,
        )

    @property
    def independent(self) -> bool | None:
        """Whether the gradients of all active constraints are linearly independent; None if their rank is not known."""
        return None if self.rank is None else self.rank == self.active

    def rows(self) -> list[tuple[str, str]]:
        """The lines of the table: name and value."""
        unique = (("w", self.w_unique), ("b", self.b_unique), ("alpha", self.alpha_unique))
        rank = "not looked at" if self.rank is None else f"{self.rank}: {'' if self.independent else 'not '}independent"
        active = "not looked at" if self.active is None else f"{self.active} rows on the boundary, rank {rank}"
        slack = self.slack_complementarity
        return [
            ("stationarity", f"{self.stationarity:.3g}"),
            ("primal feasibility", f"{self.primal_feasibility:.3g}"),
            ("dual feasibility", f"{self.dual_feasibility:.3g}"),
            ("complementarity", f"{self.complementary_slackness:.3g}"),
            *([] if slack is None else [("slack complement.", f"{slack:.3g}")]),
            ("unique", ", ".join(f"{name} {_WORDS[verdict]}" for name, verdict in unique)),
            ("active", active),
            ("Slater", f"{_SLATER[self.slater]}{'necessary and sufficient' if self.convex else _NOT_CONVEX}"),
        ]

    def __str__(self) -> str:
        return text_table(self.rows())

    def _repr_html_(self) -> str:
        return html_table(self.rows())


_WORDS: dict[bool | None, str] = {True: "yes", False: "no", None: "unknown"}
_SLATER: dict[bool | None, str] = {
    True: "yes: the conditions are ",
    False: "no, but the constraints are affine: the conditions are ",
    None: "unknown; if any point fulfils the constraints, the conditions are ",
}
_NOT_CONVEX = "necessary, and not sufficient: the kernel is indefinite"
