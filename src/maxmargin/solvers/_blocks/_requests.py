"""What a search asks of every block: pure functions of the block and of what the rounds so far have decided.

`Terms`, `Along`, `Product` and `Certify` are such questions: small frozen objects. ``question.on(rows)`` gives what one block
adds, `Sums`; sums of two blocks add up by ``+``. Whoever has a block computes the same bits. Sums over blocks are made by a
fixed binary tree over their numbers (`maxmargin.blocks.TreeSum`), so that they do not depend on who computed what either.

The hinge and the tube keep a multiplier of each row from one smoothing to the next, its centre. It follows from the block and
from the points at which the smoothings ended (`Point.history`): `Point.centre` computes it anew, or goes on from one that was
kept.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, Final, final

import numpy as np
from numpy.typing import NDArray

from maxmargin import _core
from maxmargin.blocks import TreeSum
from maxmargin.losses import (
    EpsilonInsensitive,
    Exponential,
    Hinge,
    Logistic,
    Loss,
    Squared,
    SquaredEpsilonInsensitive,
    SquaredHinge,
)
from maxmargin.problems import BlockClasses, BlockProblem, BlockRows, Penalty
from maxmargin.solution import ROW_LOSSES, CertificateSums
from maxmargin.solvers._runtime._core_runs import OFFSETS

__all__ = ["BLOCK_LOSSES", "Along", "Centre", "Certify", "Point", "Product", "Question", "Sums", "Terms", "certificate_sums"]

Vector = NDArray[np.float64]

# As the core calls them; (1 − z)² is the square of the distance of z from 1.
BLOCK_LOSSES: Final[dict[type[Loss], _core.MarginLoss]] = {
    Hinge: _core.MarginLoss.hinge,
    SquaredHinge: _core.MarginLoss.squared_hinge,
    Logistic: _core.MarginLoss.logistic,
    Exponential: _core.MarginLoss.exponential,
    EpsilonInsensitive: _core.MarginLoss.tube,
    SquaredEpsilonInsensitive: _core.MarginLoss.squared_tube,
    Squared: _core.MarginLoss.squared_tube,
}
_KINKED: Final = (Hinge, EpsilonInsensitive)


@final
class Sums:
    """What blocks add up to: arrays that are added, and one of which the largest numbers are kept.

    Examples
    --------
    >>> import numpy as np
    >>> from maxmargin.solvers import Sums
    >>> both = Sums([np.array([1.0])], np.array([3.0])) + Sums([np.array([2.0])], np.array([1.0]))
    >>> both.added, both.largest
    ([array([3.])], array([3.]))
    """

    __slots__ = ("added", "largest")

    def __init__(self, added: list[Vector], largest: Vector | None = None) -> None:
        self.added = added
        self.largest = np.zeros(0) if largest is None else largest

    def __add__(self, other: Sums) -> Sums:
        added = [a + b for a, b in zip(self.added, other.added, strict=True)]
        return Sums(added, np.maximum(self.largest, other.largest))

    def __reduce__(self) -> Any:
        return Sums, (self.added, self.largest)


@final
@dataclass(frozen=True, eq=False)
class Centre:
    """The centre of some rows after some of the smoothings."""

    values: Vector
    smoothings: int


@final
@dataclass(frozen=True, eq=False)
class Point:
    """A point of the search, and how a loss with kinks is smoothed there.

    Attributes
    ----------
    w, b : ndarray, float
        For rows near 0 (`BlockProblem.mean`).
    sharpness : float
        The penalty parameter σ of the smoothing; nothing to a smooth loss.
    history : tuple of (w, b, sharpness)
        Where the smoothings before this one ended, from the first on.
    """

    w: Vector
    b: float
    sharpness: float = 1.0
    history: tuple[tuple[Vector, float, float], ...] = ()

    def moved(self, p: Vector, p_offset: float, length: float) -> Point:
        """The point that far along a direction."""
        return Point(self.w + length * p, self.b + length * p_offset, self.sharpness, self.history)

    def centre(self, problem: BlockProblem, rows: BlockRows, kept: Centre | None = None) -> Centre | None:
        """The multipliers at which the last smoothing ended: ``clip(a_i + σ C_i (1 − z_i))`` for each in turn (Rockafellar
        1976).

        None where the core begins by itself: before the first has ended, and for smooth losses.
        """
        if not self.history:
            return None
        known = kept is not None and 0 < kept.smoothings <= len(self.history)
        values, done = (kept.values, kept.smoothings) if kept is not None and known else (None, 0)
        for w, b, sharpness in self.history[done:]:
            values = _core.block_multipliers(spec_of(problem, rows), w, b, values, sharpness)
        assert values is not None
        return Centre(values, len(self.history))


def spec_of(problem: BlockProblem, rows: BlockRows) -> _core.LinearSpec:
    """The block as the core takes it."""
    loss, y, target, epsilon = problem.loss, problem.labels(rows), None, 0.0
    if isinstance(loss, EpsilonInsensitive | SquaredEpsilonInsensitive):
        target, y, epsilon = y, np.ones(len(y)), float(loss.epsilon)
    elif isinstance(loss, Squared):
        target = np.ones(len(y))
    return _core.LinearSpec(
        features=rows.near(problem.mean),
        y=y,
        cost=rows.cost,
        loss=BLOCK_LOSSES[type(loss)],
        target=target,
        epsilon=epsilon,
        offset=OFFSETS[problem.offset],
        offset_scale=problem.offset_scale,
        penalty=problem.penalty is not Penalty.NONE,
    )


@dataclass(frozen=True, eq=False)
class Question(ABC):
    """What is asked of every block in a pass.

    Attributes
    ----------
    problem : BlockProblem or BlockClasses
        Which problem it is about.
    """

    problem: BlockProblem | BlockClasses

    @abstractmethod
    def on(self, rows: BlockRows, kept: Centre | None = None) -> tuple[Sums, Centre | None]:
        """What the block adds, and its centre at this point, which may be handed in the next time."""


@dataclass(frozen=True, eq=False)
class BinaryQuestion(Question, ABC):
    """One about a model with one score.

    Attributes
    ----------
    at : Point
        Where.
    """

    problem: BlockProblem
    at: Point

    def on(self, rows: BlockRows, kept: Centre | None = None) -> tuple[Sums, Centre | None]:
        """What the block adds, and its centre at this point, which may be handed in the next time."""
        tree: TreeSum[Sums] = TreeSum()
        centres: list[Centre] = []
        for where, part in rows.parts:
            own = None if kept is None else Centre(kept.values[where], kept.smoothings)
            centre = self.at.centre(self.problem, part, own)
            tree.add(self._on(part, None if centre is None else centre.values))
            centres += [] if centre is None else [centre]
        if len(centres) < 2:
            return tree.total(), centres[0] if centres else None
        return tree.total(), Centre(np.concatenate([each.values for each in centres]), centres[0].smoothings)

    @abstractmethod
    def _on(self, rows: BlockRows, centre: Vector | None) -> Sums: ...


@final
@dataclass(frozen=True, eq=False)
class Terms(BinaryQuestion):
    """Objectives, gradient and curvature at a point.

    ``added`` is: eight numbers (the sum of losses; that of ``C ℓ(z) + α z``; and by the sign of ``α_i s_i``, − then +, the
    sums of ``|α|``, of its linear gain and of ``α² / 4C``), ``Σ α_i s_i x_i`` over either sign, and ``Σ c_i (x_i, 1)(x_i,
    1)ᵀ`` with the curvatures c, its lower triangle or its diagonal.
    """

    kind: _core.BlockCurvature = _core.BlockCurvature.matrix

    def _on(self, rows: BlockRows, centre: Vector | None) -> Sums:
        at = self.at
        found = _core.block_terms(spec_of(self.problem, rows), at.w, at.b, centre, at.sharpness, self.kind)
        return Sums([found.numbers, found.minus, found.plus, found.curvature])


@final
@dataclass(frozen=True, eq=False)
class Along(BinaryQuestion):
    """First and second derivatives of the losses along a direction, at some lengths: ``added`` is one array of two rows."""

    p: Vector
    p_offset: float
    lengths: Vector

    def _on(self, rows: BlockRows, centre: Vector | None) -> Sums:
        at = self.at
        spec = spec_of(self.problem, rows)
        return Sums([_core.block_along(spec, at.w, at.b, self.p, self.p_offset, self.lengths, centre, at.sharpness)])


@final
@dataclass(frozen=True, eq=False)
class Product(BinaryQuestion):
    """``Σ c_i (<p, x_i> + p_offset) (x_i, 1)`` with the curvatures at the point: the Hessian of the losses times a vector."""

    p: Vector
    p_offset: float

    def _on(self, rows: BlockRows, centre: Vector | None) -> Sums:
        at = self.at
        spec = spec_of(self.problem, rows)
        return Sums([_core.block_product(spec, at.w, at.b, self.p, self.p_offset, centre, at.sharpness)])


@final
@dataclass(frozen=True, eq=False)
class Certify(BinaryQuestion):
    """What the certificate sums up over rows, of the point and of the multipliers there.

    Attributes
    ----------
    minus, plus : float
        Factors of the multipliers, by the sign of ``α_i s_i``, that make them feasible.
    shrink : float
        Another one, for an L1 penalty.
    """

    minus: float = 1.0
    plus: float = 1.0
    shrink: float = 1.0

    def _on(self, rows: BlockRows, centre: Vector | None) -> Sums:
        problem, at = self.problem, self.at
        spec, y = spec_of(problem, rows), problem.labels(rows)
        alpha = _core.block_multipliers(spec, at.w, at.b, centre, at.sharpness)  # of the core: of ∂z/∂f = y, or 1 for targets
        signed = alpha * (1.0 if problem.positive is None else y)
        signed *= np.where(signed > 0.0, self.plus, self.minus)
        return certificate_sums(problem, rows, at.w, at.b, signed, self.shrink)

    @staticmethod
    def found(sums: Sums) -> CertificateSums:
        """By their names."""
        (lost, conjugates, size, abs_sum, total, of_slopes, constant, active, unsure), v, slopes, squares = sums.added
        reach, worst = sums.largest
        return CertificateSums(
            lost=float(lost),
            conjugates=float(conjugates),
            size=float(size),
            abs_sum=float(abs_sum),
            reach=float(reach),
            worst=float(worst),
            total=float(total),
            v=v,
            slopes_total=float(of_slopes),
            slopes=slopes,
            squares=squares,
            constant=float(constant),
            active=int(active),
            unsure=float(unsure),
        )


def certificate_sums(problem: BlockProblem, rows: BlockRows, w: Vector, b: float, signed: Vector, shrink: float) -> Sums:
    """What `Certify` sums up over the rows of a block, for multipliers ``α_i s_i``."""
    loss, y = problem.loss, problem.labels(rows)
    slope = loss.slope(y)
    alpha = signed / slope
    near, scores = rows.near(problem.mean), _core.row_products(rows.features, w) + problem.back(w, b)
    found = _core.evaluate_rows(
        loss=ROW_LOSSES[type(loss)],
        epsilon=float(getattr(loss, "epsilon", 0.0)),
        scores=scores,
        y=y + problem.level,
        cost=rows.cost,
        alpha=alpha,
        shrink=shrink,
        with_slopes=_is_smooth(loss),
    )
    slopes = signed if found.slopes is None else found.slopes
    numbers = np.array(
        [
            found.lost,
            found.conjugates,
            found.size,
            found.abs_sum,
            float(signed.sum()),
            float(slopes.sum()),
            0.0 if problem.positive is not None else shrink * float((alpha * y).sum()),
            float(np.count_nonzero(alpha)),
            _unsure(problem, rows, w, b, scores, y),
        ]
    )
    v = _core.row_sum(near, signed)
    of_slopes = v if found.slopes is None else _core.row_sum(near, slopes)
    squares = _core.column_squares(near, alpha * alpha)
    reach = found.reach if problem.level == 0.0 else float(np.abs(scores - problem.level).max(initial=0.0))
    return Sums([numbers, v, of_slopes, squares], np.array([reach, found.worst]))


def _unsure(problem: BlockProblem, rows: BlockRows, w: Vector, b: float, scores: Vector, y: Vector) -> float:
    """What the losses may be more where rows far from 0 make scores lose digits."""
    loss = problem.loss
    if problem.mean is None and problem.level == 0.0:
        return 0.0
    error = 4.0 * float(np.finfo(np.float64).eps) * (abs(problem.back(w, b)) + problem.moved(w))
    target = y + problem.level
    above, below, here = (loss.value(loss.argument(target, each)) for each in (scores + error, scores - error, scores))
    return float((rows.cost * (np.maximum(above, below) - here)).sum())


def _is_smooth(loss: Any) -> bool:
    return math.isfinite(loss.curvature) or isinstance(loss, Exponential)
