"""What a search for all classes at once asks of every block; see `_requests`."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import final

import numpy as np
from numpy.typing import NDArray

from maxmargin import _core
from maxmargin.problems import BlockClasses, BlockRows, MulticlassLinear, Penalty, log_of_sum
from maxmargin.solution import ClassCertificateSums, multinomial_gains
from maxmargin.solvers._blocks._requests import Centre, Question, Sums
from maxmargin.solvers._runtime._core_runs import OFFSETS

__all__ = ["ClassAlong", "ClassCertify", "ClassProduct", "ClassQuestion", "ClassTerms"]

Matrix = NDArray[np.float64]
Vector = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class ClassQuestion(Question, ABC):
    """One about a multinomial model.

    Attributes
    ----------
    at : ndarray of shape (size, K)
        Weights and offsets, for rows near 0.
    """

    problem: BlockClasses
    at: Matrix

    def on(self, rows: BlockRows, kept: Centre | None = None) -> tuple[Sums, Centre | None]:
        """What the block adds; there is nothing to keep."""
        return self._on(rows), kept

    @abstractmethod
    def _on(self, rows: BlockRows) -> Sums: ...

    def _spec(self, rows: BlockRows) -> _core.MulticlassSpec:
        problem = self.problem
        return _core.MulticlassSpec(
            features=rows.near(problem.mean),
            label=rows.label.astype(np.int32),
            cost=rows.cost,
            classes=problem.classes,
            loss=_core.ClassLoss.multinomial,
            offset=OFFSETS[problem.offset],
            offset_scale=problem.offset_scale,
            penalty=problem.penalty is not Penalty.NONE,
            l1=0.0,  # penalties are no matter of rows
        )


@final
@dataclass(frozen=True, eq=False)
class ClassTerms(ClassQuestion):
    """Objectives, gradient and curvature at a point.

    ``added`` is: two numbers (the sum of losses, and what the multipliers ``C_i p_i`` gain in the dual objective),
    ``Σ (x_i, 1) (C_i (e_y − p_i))ᵀ``, and the curvature as the kind says.
    """

    kind: _core.ClassCurvature = _core.ClassCurvature.matrix

    def _on(self, rows: BlockRows) -> Sums:
        found = _core.class_block_terms(self._spec(rows), self.at, self.kind)
        return Sums([found.numbers, found.slopes, found.curvature])


@final
@dataclass(frozen=True, eq=False)
class ClassAlong(ClassQuestion):
    """First and second derivatives of the losses along a direction, at some lengths: ``added`` is one array of two rows."""

    p: Matrix
    lengths: Vector

    def _on(self, rows: BlockRows) -> Sums:
        return Sums([_core.class_block_along(self._spec(rows), self.at, self.p, self.lengths)])


@final
@dataclass(frozen=True, eq=False)
class ClassProduct(ClassQuestion):
    """The Hessian of the losses times a direction."""

    p: Matrix

    def _on(self, rows: BlockRows) -> Sums:
        return Sums([_core.class_block_product(self._spec(rows), self.at, self.p)])


@final
@dataclass(frozen=True, eq=False)
class ClassCertify(ClassQuestion):
    """What the certificate sums up over rows, of the point and of the multipliers there.

    Free offsets want ``Σ_i α_ik`` of each class to be what the labels give: classes with too much give a part of theirs, and
    the others share it, in each row.

    Attributes
    ----------
    give, take : ndarray of shape (K,)
        What part of its multipliers a class gives, and what part of all that is given it takes.
    shrink : float
        A factor of the multipliers for other classes than a row's own, for an L1 penalty.
    """

    give: Vector
    take: Vector
    shrink: float = 1.0

    def _on(self, rows: BlockRows) -> Sums:
        problem, cost = self.problem, rows.cost
        every, own = np.arange(len(cost)), rows.label.astype(np.intp)
        scores = self._scores(rows)
        alpha = MulticlassLinear.probabilities(scores) * cost[:, np.newaxis]
        slopes = -alpha
        slopes[every, own] += cost
        others = alpha * (1.0 - self.give) + self.take * (alpha @ self.give)[:, np.newaxis]
        others[every, own] = 0.0
        lost = others.sum(axis=1)
        change = -others
        change[every, own] = lost
        near = rows.near(problem.mean)
        losses = log_of_sum(scores - scores[every, own][:, np.newaxis], own)
        kept = self.shrink * others
        numbers = np.array(
            [
                float((cost * losses).sum()),
                float(multinomial_gains(kept, cost).sum()),
                2.0 * float(np.abs(lost).sum()),
                float((lost > 0.0).sum()),
            ]
        )
        outside = max(-float((kept / cost[:, np.newaxis]).min()), float((self.shrink * lost / cost).max()) - 1.0)
        added = [
            numbers,
            change.sum(axis=0),
            _core.class_sums(near, change),
            slopes.sum(axis=0),
            _core.class_sums(near, slopes),
            _core.column_squares(near, lost * lost),
        ]
        return Sums(added, np.array([float(np.abs(scores).max()), outside]))

    def _scores(self, rows: BlockRows) -> Matrix:
        """As a model computes them: of two classes, whose losses depend on the difference of the scores only, by that."""
        W, back = np.ascontiguousarray(self.at[: self.problem.d]), self.problem.back(self.at)
        if self.problem.classes > 2:
            return _core.class_products(rows.features, W) + back
        halves = 0.5 * (_core.row_products(rows.features, W[:, 1] - W[:, 0]) + (back[1] - back[0]))
        return np.column_stack([-halves, halves])

    @staticmethod
    def found(sums: Sums) -> ClassCertificateSums:
        """By their names."""
        (lost, gain, abs_sum, active), totals, v, slope_totals, slopes, squares = sums.added
        reach, outside = sums.largest
        return ClassCertificateSums(
            lost=float(lost),
            gain=float(gain),
            abs_sum=float(abs_sum),
            totals=totals,
            v=v.T,
            slope_totals=slope_totals,
            slopes=slopes.T,
            squares=squares,
            reach=float(reach),
            outside=float(outside),
            active=int(active),
        )
