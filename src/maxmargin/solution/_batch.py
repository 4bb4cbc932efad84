"""The solutions of many problems as a few flat arrays: what an estimator keeps of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, final, overload

import numpy as np
from numpy.typing import NDArray

from maxmargin import _core
from maxmargin.problems import Margin, SlackRule, SoftMargins
from maxmargin.solution._certificate import CERTIFICATE
from maxmargin.solution._certify import Evaluations
from maxmargin.solution._dual_solution import worth_keeping
from maxmargin.solution._iterate import DualIterates
from maxmargin.solution._solution import Solution
from maxmargin.solution._status import Status
from maxmargin.solution._trace import thinned

__all__ = ["SolutionBatch"]

Vector = NDArray[np.float64]

_MOST_STEPS = 2**31 - 1


@final
@dataclass(frozen=True, eq=False)
class SolutionBatch(Sequence[Solution]):
    """The solutions of several problems, an item made where somebody asks for one.

    Vectors stand one problem after the other: numpy is asked once, not once a problem, and 45 pairs of classes do not cost 45
    objects.

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
    deficit, sides : ndarray
        By how much the rows of boundary are beyond it, and the sign that their coefficients could have.
    costs : ndarray
        Largest coefficient of each support vector, then of each row in boundary.
    bias : ndarray of shape (problems,)
        Offsets.
    certificates : structured ndarray of shape (problems,)
        The numbers of each certificate and its interval of offsets, by name: see `CERTIFICATE`.
    statuses : list of Status
        How each ended.
    steps : ndarray of int32
        Steps of each.
    checkpoints : structured ndarray
        Thinned traces; beyond float32 an objective is infinite.
    n_checkpoints : ndarray
        How many each has.
    total : ndarray of shape (problems,)
        What the coefficients must sum to.
    by_side : ndarray of bool, shape (problems,)
        Whether ν keeps the sum of their sizes.
    slack_rules : list of SlackRule
        What the scores of each problem mean.
    notes : list of str
        What is to be said of each beyond its status; empty for most.
    solver : str
        Which solver found them: the name of its class.
    values : ndarray or None
        ``f(x)`` at all rows of each problem, also at those that are held out; None if nobody asked for it.
    """

    sizes: list[int]
    support: NDArray[np.intp]
    boundary: NDArray[np.intp]
    n_support: NDArray[np.int64]
    n_boundary: NDArray[np.int64]
    beta: Vector
    scores: Vector
    deficit: Vector
    sides: NDArray[np.int8]
    costs: Vector
    bias: Vector
    certificates: NDArray[Any]
    statuses: list[Status]
    steps: NDArray[np.int32]
    checkpoints: NDArray[Any]
    n_checkpoints: NDArray[np.int64]
    total: Vector
    by_side: NDArray[np.bool_]
    slack_rules: list[SlackRule]
    notes: list[str]
    solver: str
    _make: Callable[[int], Solution]
    values: Vector | None = None

    @classmethod
    def of_margins(
        cls,
        problems: SoftMargins,
        iterates: DualIterates,
        evaluations: Evaluations,
        make: Callable[[int], Solution],
        solver: str = "",
        *,
        with_values: bool = False,
    ) -> SolutionBatch:
        """From points with final statuses that need no closer look: offset, scores and costs are those of the dual."""
        kept, support, count = evaluations.margins(problems.batch, iterates.beta), evaluations.support, len(problems)
        checkpoints, n_checkpoints = thinned(iterates.checkpoints, iterates.n_checkpoints, len(support))
        return cls(
            sizes=evaluations.sizes,
            support=support,
            boundary=evaluations.boundary,
            n_support=evaluations.n_support,
            n_boundary=evaluations.n_boundary,
            beta=kept.beta,
            scores=kept.scores,
            deficit=kept.deficit,
            sides=kept.sides,
            costs=kept.costs,
            bias=kept.bias,
            certificates=np.frombuffer(kept.certificates, CERTIFICATE),
            statuses=iterates.statuses,
            steps=_positive(iterates.steps),
            checkpoints=checkpoints,
            n_checkpoints=n_checkpoints,
            total=np.zeros(count),
            by_side=np.zeros(count, dtype=np.bool_),
            slack_rules=[Margin()] * count,
            notes=[""] * count,
            solver=solver,
            _make=make,
            values=evaluations.with_offsets() if with_values else None,
        )

    @classmethod
    def of(cls, solutions: Sequence[Solution], values: Sequence[Vector] | None = None) -> SolutionBatch:
        """From solutions of any kind."""
        sizes = [each.n for each in solutions]
        n_support = np.array([len(each.support) for each in solutions])
        n_boundary = np.array([len(each.boundary) for each in solutions])
        support = _places(sizes, n_support, np.concatenate([each.support for each in solutions]))
        boundary = _places(sizes, n_boundary, np.concatenate([each.boundary for each in solutions]))
        kkt_data = [each.known_kkt_data for each in solutions]
        traces = [each.trace for each in solutions]
        checkpoints, n_checkpoints = thinned(
            np.concatenate([trace.checkpoints for trace in traces]), np.array([len(trace) for trace in traces]), len(support)
        )
        paid = [term.cost[: len(each.support)] for term, each in zip(kkt_data, solutions, strict=True)]
        paid += [term.cost[len(each.support) :] for term, each in zip(kkt_data, solutions, strict=True)]
        return cls(
            sizes=sizes,
            support=support,
            boundary=boundary,
            n_support=n_support,
            n_boundary=n_boundary,
            beta=np.concatenate([each.beta for each in solutions]),
            scores=np.concatenate([each.support_scores for each in solutions]),
            deficit=np.concatenate([_or_zeros(each.boundary_deficit, each) for each in solutions]),
            sides=np.concatenate([_or_zeros(each.boundary_side, each) for each in solutions]).astype(np.int8),
            costs=np.concatenate(paid),
            bias=np.array([each.bias for each in solutions], dtype=np.float64),
            certificates=np.array([_numbers(each) for each in solutions], dtype=CERTIFICATE),
            statuses=[each.status for each in solutions],
            steps=_positive(np.array([each.steps for each in solutions])),
            checkpoints=checkpoints,
            n_checkpoints=n_checkpoints,
            total=np.array([term.total for term in kkt_data]),
            by_side=np.array([term.by_side for term in kkt_data]),
            slack_rules=[each.slack_rule for each in solutions],
            notes=[each.note for each in solutions],
            solver=solutions[0].solver,
            _make=solutions.__getitem__,
            values=None if values is None else np.concatenate(values),
        )

    def __len__(self) -> int:
        return len(self.sizes)

    @overload
    def __getitem__(self, k: int) -> Solution: ...
    @overload
    def __getitem__(self, k: slice) -> list[Solution]: ...
    def __getitem__(self, k: int | slice) -> Solution | list[Solution]:
        """The solution of problem k."""
        places = range(len(self))[k]
        return self._make(places) if isinstance(places, int) else [self._make(place) for place in places]

    def __iter__(self) -> Iterator[Solution]:
        return map(self._make, range(len(self)))

    @property
    def all_optimal(self) -> bool:
        """Whether every problem was solved."""
        converged = self.statuses.count(Status.CONVERGED) == len(self.statuses)  # of many sooner counted than asked
        return converged or all(status.is_optimal for status in self.statuses)

    @property
    def is_plain(self) -> bool:
        """Whether every problem was solved and there is nothing to be said of any."""
        return self.all_optimal and not any(self.notes)

    @property
    def owner_of_support(self) -> NDArray[np.intp]:
        """Which problem each support vector belongs to."""
        return np.repeat(np.arange(len(self.sizes)), self.n_support)

    @property
    def keeps_boundary(self) -> bool:
        """Whether the rows on the boundary are kept themselves."""
        return self.all_optimal and worth_keeping(self.deficit, len(self.support), float(self.certificates["violation"].max()))

    def by_class(
        self,
        codes: NDArray[np.intp],
        support: NDArray[np.intp],
        coefficient_rows: NDArray[np.intp],
        n_coefficients: int,
        first: int = 0,
    ) -> _core.Assembled:
        """Rows that support some problem, grouped by class, how many each class has, and their coefficients.

        Parameters
        ----------
        codes : ndarray of intp
            Class of each training row.
        support : ndarray of intp
            Training row of each support vector.
        coefficient_rows : ndarray of shape (problems, classes)
            Where the coefficients of a problem stand among those of a row of each class.
        n_coefficients : int
            How many coefficients a row has.
        first : int
            The first of the problems that are meant: as many as coefficient_rows has.
        """
        count = len(coefficient_rows)
        if count == len(self.sizes):
            own, counts = slice(None), np.ascontiguousarray(self.n_support)
        else:
            counts = np.ascontiguousarray(self.n_support[first : first + count])
            begin = int(self.n_support[:first].sum())
            own = slice(begin, begin + int(counts.sum()))
        return _core.assemble(
            codes=codes,
            classes=coefficient_rows.shape[1],
            support=support[own],
            counts=counts,
            beta=self.beta[own],
            coefficient_rows=coefficient_rows,
            coefficients=n_coefficients,
        )

    def rows(self, places: NDArray[np.intp], counts: NDArray[np.int64]) -> NDArray[np.intp]:
        """Which of its problem's rows stand at these places, of which each problem has so many."""
        return places if len(self.sizes) == 1 else places - np.repeat(_starts(self.sizes), counts)


def _starts(sizes: list[int]) -> NDArray[np.intp]:
    return np.cumsum([0, *sizes[:-1]])


def _places(sizes: list[int], counts: NDArray[np.int64], own: NDArray[np.int32]) -> NDArray[np.intp]:
    """Where rows stand among the rows of all problems, from their numbers in their own."""
    return np.asarray(np.repeat(_starts(sizes), counts) + own, dtype=np.intp)


def _positive(steps: NDArray[np.integer]) -> NDArray[np.int32]:
    """Steps as scikit-learn wants them: at least 1."""
    return np.asarray(np.minimum(np.maximum(steps, 1), _MOST_STEPS), dtype=np.int32)


def _or_zeros(values: Vector | None, solution: Solution) -> Vector:
    return np.zeros(len(solution.boundary)) if values is None else values


def _numbers(solution: Solution) -> tuple[Any, ...]:
    """The fields of `CERTIFICATE`."""
    return (*solution.certificate.numbers, *solution.bias_interval)
