"""The best C of an interval, with a proof that no other one is much better."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, Final, final

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import check_cv

from maxmargin._blas import one_blas_thread
from maxmargin._deadline import Deadline
from maxmargin._solve import solve_batch
from maxmargin.errors import InvalidInput
from maxmargin.kernels import Gram
from maxmargin.model_selection._balls import Fold, FoldPoint, certainly_wrong
from maxmargin.model_selection._certified_values import check_folds, value_error
from maxmargin.model_selection._ranges import interval_of
from maxmargin.problems import Offset, Slack, SoftMargin
from maxmargin.validation import check_integer, check_positive, reject

__all__ = ["Certified", "Guarantee", "certified_cost"]

Vector = NDArray[np.float64]

_FIRST: Final = 8  # values of C to begin with
_CELLS: Final = 4  # of an interval between two solutions
_TIGHT: Final = 1e-10  # violation of the solutions: the radius of a ball is about the root of the gap


@final
@dataclass(frozen=True)
class Certified:
    """Settings of a search that ends with a proof.

    Parameters
    ----------
    epsilon : float, default=0.05
        How much lower than that of the answer the cross-validation error of another C may still be.
    max_time : float, optional
        Seconds after which the search ends with what is proven then.
    most : int, default=2000
        Values of C at most that are solved for.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.preprocessing import scale
    >>> from maxmargin import SVCCV
    >>> from maxmargin.model_selection import Certified
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = SVCCV(search=Certified(epsilon=0.02), Cs=[0.1, 100.0], gammas=[0.02]).fit(scale(X), y)
    >>> model.guarantee_.epsilon <= 0.02
    True
    """

    epsilon: float = 0.05
    max_time: float | None = None
    most: int = 2000

    def __post_init__(self) -> None:
        check_positive("epsilon", self.epsilon, "Certified")
        if self.max_time is not None:
            check_positive("max_time", self.max_time, "Certified", infinite=True)
        check_integer("most", self.most, "Certified", 2)


@final
@dataclass(frozen=True, eq=False)
class Guarantee:
    """What was proven of the cross-validation error for all C of an interval.

    The error is that of the exact solutions of all folds: the mean over the folds of the fraction of their held-out rows that
    are on the wrong side.

    Attributes
    ----------
    C : float
        The best value found.
    error : float
        Its cross-validation error.
    epsilon : float
        What is proven: no C of the interval has an error below ``error − epsilon``. It may be larger than was asked for where
        time or solutions ran out.
    interval : tuple of float
        The interval.
    Cs : ndarray of shape (m,)
        Values of C that were solved for, ascending.
    errors : ndarray of shape (m, folds)
        Their errors on each fold.
    ends : ndarray of shape (cells + 1,)
        Ends of the cells into which the interval was cut.
    lower : ndarray of shape (cells,)
        For each cell a lower bound of the error of every C in it.
    gaps : ndarray of shape (m, folds)
        Relative duality gaps of the solutions, or upper bounds of them.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from maxmargin.kernels import Linear
    >>> from maxmargin.model_selection import certified_cost
    >>> from maxmargin.problems import SoftMargin
    >>> X, y = load_iris(return_X_y=True)
    >>> found = certified_cost(SoftMargin(X[:100], y[:100], kernel=Linear()), (10.0, 1000.0))
    >>> found.error, found.epsilon, found.n_solutions
    (0.0, 0.0, 40)
    """

    C: float
    error: float
    epsilon: float
    interval: tuple[float, float]
    Cs: Vector
    errors: Vector
    ends: Vector
    lower: Vector
    gaps: Vector

    @property
    def folds(self) -> int:
        """Number of folds."""
        return int(self.errors.shape[1])

    @property
    def n_solutions(self) -> int:
        """How many problems were solved: one for each C and fold."""
        return len(self.Cs) * self.folds

    def lower_bound(self, C: Any) -> Vector:
        """The lower bound of the cross-validation error at values of C inside the interval.

        Parameters
        ----------
        C : float or array-like
            Values.

        Returns
        -------
        ndarray
            Bounds; of an end of two cells the larger one.
        """
        at = np.atleast_1d(np.asarray(C, dtype=np.float64))
        if (at < self.interval[0]).any() or (at > self.interval[1]).any():
            raise InvalidInput(f"Nothing is proven outside of {self.interval[0]:g} to {self.interval[1]:g}. Got C={C!r}.")
        last = len(self.lower) - 1
        left = np.clip(np.searchsorted(self.ends, at, side="left") - 1, 0, last)
        right = np.clip(np.searchsorted(self.ends, at, side="right") - 1, 0, last)
        return np.asarray(np.maximum(self.lower[left], self.lower[right]))

    def __str__(self) -> str:
        low, high = self.interval
        return (
            f"No C in [{low:g}, {high:g}] has a cross-validation error lower than that of C = {self.C:.6g}, {self.error:.4f},"
            f" by more than {self.epsilon:.4f}. Proven by {len(self.Cs)} values of C, {self.n_solutions} solutions."
        )


def certified_cost(
    problem: SoftMargin,
    Cs: Sequence[float],
    *,
    cv: Any = 5,
    settings: Certified | None = None,
) -> Guarantee:
    """Find the C of an interval with the least cross-validation error, and prove how much better any other one could be.

    A certified solution at one C confines the solutions at all others to balls, two of them confine those in between to
    smaller ones. From a ball follows for every held-out row an interval of scores: a row whose interval is on the wrong
    side is wrong for all these C. Where too few rows are certainly wrong, another C is solved for, until the bound is as
    near as was asked for. The folds have one kernel, of all rows.

    Parameters
    ----------
    problem : SoftMargin
        The problem with linear slack, any kind of offset, and a kernel that is positive semidefinite. Its C is replaced.
    Cs : sequence of two floats
        The ends of the interval.
    cv : int, cross-validation generator or iterable, default=5
        The folds; all must have both classes.
    settings : Certified, optional
        ε and limits.

    Returns
    -------
    Guarantee
        The best C, its error, and what is proven.

    Notes
    -----
    The proof is in the module ``maxmargin.model_selection._balls``, step by step, and on the page on tuning. It includes
    rounding: it holds for every positive semidefinite matrix of kernel values that differs from the computed one by at most
    2⁻⁴⁶ of the largest number that goes into a value (times d/64 for more than 64 columns). Where a matrix that is given has
    eigenvalues below 0 by no more than rounding explains, it may differ by as much more.

    References
    ----------
    Shibagaki, Suzuki, Karasuyama and Takeuchi, Regularization path of cross-validation error lower bounds, NeurIPS 2015, for a
    ball around one solution, without an offset.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.preprocessing import scale
    >>> from maxmargin.kernels import RBF
    >>> from maxmargin.model_selection import certified_cost
    >>> from maxmargin.problems import SoftMargin
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> found = certified_cost(SoftMargin(scale(X), y, kernel=RBF(gamma=0.02)), (0.1, 100.0))
    >>> found.epsilon <= 0.05, bool(found.error < 0.04)
    (True, True)
    """
    if not isinstance(problem, SoftMargin) or problem.slack is not Slack.LINEAR:
        raise reject("problem", problem, "certified_cost", "a SoftMargin with linear slack")
    splits = [
        (np.asarray(train, dtype=np.intp), np.asarray(test, dtype=np.intp))
        for train, test in check_cv(cv, problem.y, classifier=True).split(np.zeros((len(problem.y), 1)), problem.y)
    ]
    weights = [problem.weight[train] for train, _ in splits]
    return search_interval(problem.gram, problem.y, splits, weights, problem.offset, Cs, settings or Certified())


def search_interval(
    gram: Gram,
    y: Vector,
    splits: Sequence[tuple[NDArray[np.intp], NDArray[np.intp]]],
    weights: Sequence[Vector],
    offset: Offset,
    Cs: Sequence[float],
    settings: Certified,
) -> Guarantee:
    """The same of rows, folds, and weights of the rows of each fold."""
    ends = interval_of(Cs)
    check_folds(gram, y, splits)
    with one_blas_thread():
        search = _Search(gram, y, splits, weights, offset)
        deadline = Deadline(settings.max_time)
        search.solve(np.geomspace(*ends, min(_FIRST, settings.most)))
        while len(search.points) < settings.most and not deadline.is_over():
            wanted = search.wanted(settings.epsilon)
            if len(wanted) == 0:
                break
            search.solve(wanted[: settings.most - len(search.points)])
        return search.guarantee(ends)


@final
@dataclass(eq=False)
class _Search:
    """Solutions, and what they prove."""

    gram: Gram
    y: Vector
    splits: Sequence[tuple[NDArray[np.intp], NDArray[np.intp]]]
    weights: Sequence[Vector]
    offset: Offset
    points: dict[float, list[FoldPoint]] = field(default_factory=dict)
    _proven: dict[tuple[float, float], tuple[Vector, Vector]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        every = np.arange(self.gram.n)
        values = self.gram.block(every, every)
        error = value_error(self.gram, self.y)
        if self.offset is Offset.PENALISED:
            values = values + 1.0
            error += 2.0**-53 * float(np.abs(values).max())
        free = self.offset is Offset.FREE
        self._folds = [
            Fold(values, error, self.y, train, test, weight, free=free)
            for (train, test), weight in zip(self.splits, self.weights, strict=True)
        ]
        self._grams = [self.gram.take(train).as_matrix() for train, _ in self.splits]

    def solve(self, Cs: Any) -> None:
        """Solve for some values of C on all folds, each from the solutions around it."""
        values = [float(C) for C in Cs if float(C) not in self.points]
        problems, starts = [], []
        for C in values:
            for fold, gram in zip(self._folds, self._grams, strict=True):
                problems.append(SoftMargin.on(gram, fold.y, C * fold.cost, self.offset))
            starts += self._between(C)
        if not problems:
            return
        found = iter(solve_batch(problems, "smo", _TIGHT, starts=starts, with_rows=False))
        for C in values:
            self.points[C] = [self._point(C, fold, next(found)) for fold in self._folds]

    def _point(self, C: float, fold: Fold, solution: Any) -> FoldPoint:
        beta = np.zeros(len(fold.train))
        beta[solution.support] = solution.beta
        return fold.point(C, beta, solution.bias)

    def _between(self, C: float) -> list[Vector | None]:
        """Where to begin: between the solutions on both sides, which satisfies the bounds."""
        lower, higher = ([c for c in self.points if c < C], [c for c in self.points if c > C])
        if not lower or not higher:
            return [None] * len(self._folds)
        low, high = max(lower), min(higher)
        t = (C - low) / (high - low)
        pairs = zip(self.points[low], self.points[high], strict=True)
        return [(1.0 - t) * left.beta + t * right.beta for left, right in pairs]

    def errors(self, C: float) -> Vector:
        """The error on each fold."""
        pairs = zip(self._folds, self.points[C], strict=True)
        return np.array([float(np.mean((point.scores >= 0.0) != (fold.y_test > 0.0))) for fold, point in pairs])

    @property
    def best(self) -> tuple[float, float]:
        """The smallest C with the least error, and that."""
        error, C = min((float(self.errors(C).mean()), C) for C in self.points)
        return C, error

    def proven(self, low: float, high: float) -> tuple[Vector, Vector]:
        """Ends of the cells between two solutions, and the lower bound of each."""
        if (low, high) not in self._proven:
            ends = np.geomspace(low, high, _CELLS + 1)
            ends[0], ends[-1] = low, high
            lower = np.zeros(_CELLS)
            for fold, left, right in zip(self._folds, self.points[low], self.points[high], strict=True):
                lower += certainly_wrong(fold, left, right, ends) / (len(fold.test) * len(self._folds))
            self._proven[low, high] = ends, lower
        return self._proven[low, high]

    def wanted(self, epsilon: float) -> list[float]:
        """Where more solutions are needed: in the middle of the cells of each interval that are not near enough."""
        least, found = self.best[1] - epsilon - 1e-12, []
        for low, high in pairwise(sorted(self.points)):
            ends, lower = self.proven(low, high)
            open_ = np.flatnonzero(lower < least)
            if len(open_):
                middle = math.sqrt(float(ends[open_[0]]) * float(ends[open_[-1] + 1]))
                if low < middle < high:
                    found.append(middle)
        return found

    def guarantee(self, interval: tuple[float, float]) -> Guarantee:
        """What is proven now."""
        Cs = sorted(self.points)
        parts = [self.proven(low, high) for low, high in pairwise(Cs)]
        C, error = self.best
        lower = (1.0 - 1e-15) * np.concatenate([each for _, each in parts])  # never above, also as a sum of shares
        return Guarantee(
            C=C,
            error=error,
            epsilon=max(error - float(lower.min()), 0.0),
            interval=interval,
            Cs=np.array(Cs),
            errors=np.array([self.errors(each) for each in Cs]),
            ends=np.concatenate([np.array([Cs[0]]), *(ends[1:] for ends, _ in parts)]),
            lower=lower,
            gaps=np.array([[_relative_gap(point) for point in self.points[each]] for each in Cs]),
        )


def _relative_gap(point: FoldPoint) -> float:
    return point.gap / max(0.5 * point.square_norm + point.C * point.loss, 1e-300)
