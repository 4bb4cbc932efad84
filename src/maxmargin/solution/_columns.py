"""The answers of many machines as a few flat arrays: what an estimator keeps of them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from maxmargin import _core
from maxmargin.problems import Margin, Reading
from maxmargin.problems._soft_margin import SoftMargins
from maxmargin.solution._answer import Answer, worth_keeping
from maxmargin.solution._certify import Judgements
from maxmargin.solution._iterate import Iterates
from maxmargin.solution._status import Status
from maxmargin.solution._trace import thinned

__all__ = ["Columns"]

Vector = NDArray[np.float64]

_MOST_STEPS = 2**31 - 1


@final
@dataclass(frozen=True, eq=False)
class Columns:
    """Answers of several problems. Vectors stand one problem after the other: numpy is asked once, not once a machine.

    Attributes
    ----------
    sizes : list of int
        Rows of each problem.
    support, boundary : ndarray of intp
        Where the support vectors, and the other rows on the margin or beyond it, of all problems stand among all their rows.
    n_support, n_boundary : ndarray
        How many of them each problem has.
    beta, scores : ndarray
        Coefficients and scores at the support vectors.
    excess, sides : ndarray
        By how much the rows of boundary are beyond it, and the sign that their coefficients could have.
    prices : ndarray
        Largest coefficient of each support vector, then of each row in boundary.
    bias : ndarray of shape (problems,)
        Offsets.
    numbers : ndarray of shape (problems, 6)
        Primal and dual objective, KKT violation (with a minus sign if an indefinite kernel leaves no gap); smallest and
        largest optimal offset; scale of the objectives where the optimum is 0, else nan.
    statuses : list of Status
        How each ended.
    steps : ndarray of int32
        Steps of each.
    checkpoints : structured ndarray
        Thinned traces; beyond float32 an objective is infinite.
    n_checkpoints : ndarray
        How many each has.
    sums : ndarray of shape (problems, 2)
        What the coefficients must sum to, and whether ν keeps the sum of their sizes.
    readings : list of Reading
        What the scores of each problem mean.
    answers : list of Answer
        The answers themselves where one may need words; empty if all are well.
    """

    sizes: list[int]
    support: NDArray[np.intp]
    boundary: NDArray[np.intp]
    n_support: NDArray[np.int64]
    n_boundary: NDArray[np.int64]
    beta: Vector
    scores: Vector
    excess: Vector
    sides: Vector
    prices: Vector
    bias: Vector
    numbers: Vector
    statuses: list[Status]
    steps: NDArray[np.int32]
    checkpoints: NDArray[Any]
    n_checkpoints: NDArray[np.int64]
    sums: Vector
    readings: list[Reading]
    answers: list[Answer]

    @classmethod
    def of_margins(cls, problems: SoftMargins, iterates: Iterates, judgements: Judgements, tol: float) -> Columns | None:
        """From points that are optimal at once: offset, scores and prices are those of the dual. None where one is not."""
        converged = iterates.statuses.count(Status.CONVERGED) == len(iterates.statuses)
        if not problems.gram.kernel.mercer or not converged or not judgements.are_optimal(tol):
            return None
        n_support, n_boundary, batch = judgements.n_support, judgements.n_boundary, problems.batch
        support, boundary, bias = judgements.support, judgements.boundary, judgements.bias
        scores = judgements.scores.take(support) + np.repeat(bias, n_support)
        beyond = judgements.scores.take(boundary) + np.repeat(bias, n_boundary)
        paid, margin, labels = np.concatenate([support, boundary]), Margin(), -batch.q.take(boundary)
        checkpoints, n_checkpoints = thinned(iterates.checkpoints, iterates.n_checkpoints, len(support))
        return cls(
            sizes=judgements.sizes,
            support=support,
            boundary=boundary,
            n_support=n_support,
            n_boundary=n_boundary,
            beta=iterates.beta.take(support),
            scores=scores,
            excess=margin.excess(labels, beyond),
            sides=labels,
            prices=batch.upper.take(paid) - batch.lower.take(paid),  # one of the two is 0
            bias=bias + judgements.shift,
            numbers=judgements.summary,
            statuses=iterates.statuses,
            steps=_positive(iterates.steps),
            checkpoints=checkpoints,
            n_checkpoints=n_checkpoints,
            sums=np.zeros((len(problems), 2)),
            readings=[margin] * len(problems),
            answers=[],
        )

    @classmethod
    def of(cls, answers: list[Answer]) -> Columns:
        """From answers of any kind."""
        sizes = [len(each.judgement.scores) for each in answers]
        n_support = np.array([len(each.judgement.support) for each in answers])
        n_boundary = np.array([len(each.judgement.boundary) for each in answers])
        support = _places(sizes, n_support, np.concatenate([each.judgement.support for each in answers]))
        boundary = _places(sizes, n_boundary, np.concatenate([each.judgement.boundary for each in answers]))
        terms = [each.problem.terms(each.judgement) for each in answers]
        traces = [each.iterate.trace for each in answers]
        checkpoints, n_checkpoints = thinned(
            np.concatenate([trace.checkpoints for trace in traces]), np.array([len(trace) for trace in traces]), len(support)
        )
        return cls(
            sizes=sizes,
            support=support,
            boundary=boundary,
            n_support=n_support,
            n_boundary=n_boundary,
            beta=np.concatenate([each.model.beta for each in answers]).take(support),
            scores=np.concatenate([each.model.scores for each in answers]).take(support),
            excess=np.concatenate([each.boundary_excess for each in answers]),
            sides=np.concatenate([each.boundary_side for each in answers]),
            prices=np.concatenate([term.price for term in terms]).take(np.concatenate([support, boundary])),
            bias=np.array([each.model.bias for each in answers], dtype=np.float64),
            numbers=np.array([_numbers(each) for each in answers]),
            statuses=[each.status for each in answers],
            steps=_positive(np.array([each.steps for each in answers])),
            checkpoints=checkpoints,
            n_checkpoints=n_checkpoints,
            sums=np.array([(term.total, float(term.by_side)) for term in terms]),
            readings=[each.model.reading for each in answers],
            answers=answers,
        )

    @property
    def owner_of_support(self) -> NDArray[np.intp]:
        """Which problem each support vector belongs to."""
        return np.repeat(np.arange(len(self.sizes)), self.n_support)

    @property
    def keeps_boundary(self) -> bool:
        """Whether the rows on the boundary are kept themselves."""
        if not all(status.is_optimal for status in self.statuses):
            return False
        return worth_keeping(self.excess, len(self.support), float(np.abs(self.numbers[:, 2]).max()))

    def by_class(
        self, codes: NDArray[np.intp], support: NDArray[np.intp], heights: NDArray[np.intp], n_coefficients: int
    ) -> _core.Assembled:
        """Rows that support some problem, grouped by class, how many each class has, and their coefficients.

        Parameters
        ----------
        codes : ndarray of intp
            Class of each training row.
        support : ndarray of intp
            Training row of each support vector.
        heights : ndarray of shape (problems, classes)
            Where the coefficients of a problem stand among those of a row of each class.
        n_coefficients : int
            How many coefficients a row has.
        """
        counts = np.ascontiguousarray(self.n_support)
        return _core.assemble(
            codes=codes,
            classes=heights.shape[1],
            support=support,
            counts=counts,
            beta=self.beta,
            heights=heights,
            coefficients=n_coefficients,
        )

    def rows(self, places: NDArray[np.intp], counts: NDArray[np.int64]) -> NDArray[np.intp]:
        """Which of its problem's rows stand at these places, of which each problem has so many."""
        return places - np.repeat(_starts(self.sizes), counts)


def _starts(sizes: list[int]) -> NDArray[np.intp]:
    return np.cumsum([0, *sizes[:-1]])


def _places(sizes: list[int], counts: NDArray[np.int64], own: NDArray[np.int32]) -> NDArray[np.intp]:
    """Where rows stand among the rows of all problems, from their numbers in their own."""
    return np.asarray(np.repeat(_starts(sizes), counts) + own, dtype=np.intp)


def _positive(steps: NDArray[np.integer]) -> NDArray[np.int32]:
    """Steps as scikit-learn wants them: at least 1."""
    return np.asarray(np.minimum(np.maximum(steps, 1), _MOST_STEPS), dtype=np.int32)


def _numbers(answer: Answer) -> tuple[float, ...]:
    certificate = answer.certificate
    return (
        certificate.primal_objective,
        certificate.dual_objective,
        math.copysign(certificate.kkt_violation, -1.0 if math.isnan(certificate.gap) else 1.0),
        *answer.model.bias_interval,
        math.nan if certificate.scale is None else certificate.scale,
    )
