"""What a picture has to know of the thing it shows: classes, scores, kinds of the training objects."""

from __future__ import annotations

import copy
from abc import ABC, abstractmethod
from collections.abc import Sequence
from itertools import combinations
from typing import Any, final

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted

from maxmargin.errors import InvalidInput
from maxmargin.estimators import SVC
from maxmargin.kernels import takes_matrix
from maxmargin.solution import Kind, Solution

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

_ON_MARGIN = 1e-3  # |y f - 1| below which a row that was not trained on counts as on the margin


class Subject(ABC):
    """A classifier of ``len(classes)`` classes, seen as the binary classifiers it is made of.

    Subproblem ``t`` has a score ``f_t(x)`` and separates the class indices ``sides[t] = (positive, negative)``;
    ``negative = None`` stands for all other classes.
    """

    classes: NDArray[Any]
    sides: list[tuple[int, int | None]]

    @abstractmethod
    def scores(self, points: Any) -> Floats:
        """``f_t`` at the points, shape (m, number of binary classifiers)."""

    @abstractmethod
    def winners(self, points: Any) -> Integers:
        """Index of the predicted class of each point."""

    @abstractmethod
    def trained_on(self, X: Any) -> bool:
        """Whether X is the training set, as far as the support vectors tell."""

    @abstractmethod
    def support(self) -> Integers:
        """Rows of the training set that are support vectors."""

    @abstractmethod
    def solutions(self) -> Sequence[Solution | None]:
        """The solution behind each binary classifier; their taxonomies cover all rows of the training set."""

    def index_labels(self, y: ArrayLike, n: int) -> Integers:
        """Class index of each label."""
        labels = np.asarray(y)
        if labels.shape != (n,):
            raise InvalidInput(f"y must have one label for each of the {n} rows of X. Got shape {labels.shape}.")
        unknown = np.setdiff1d(labels, self.classes)
        if len(unknown):
            raise InvalidInput(
                f"y has labels the model was not trained on: {unknown[:5].tolist()}. "
                f"Its classes are {self.classes.tolist()[:10]}."
            )
        return np.searchsorted(self.classes, labels).astype(np.int64)

    def leads(self, scores: Floats) -> Floats:
        """How far each class is ahead of its strongest rival, shape (..., classes); positive if it wins."""
        count = len(self.classes)
        if any(negative is None for _, negative in self.sides):
            best = np.sort(scores, axis=-1)
            rival = np.where(scores == best[..., -1:], best[..., -2:-1], best[..., -1:])
            return np.asarray(scores - rival)
        leads = np.full((*scores.shape[:-1], count), np.inf)
        for t, (positive, negative) in enumerate(self.sides):
            assert negative is not None
            np.minimum(leads[..., positive], scores[..., t], out=leads[..., positive])
            np.minimum(leads[..., negative], -scores[..., t], out=leads[..., negative])
        return leads

    def kinds(self, X: Any, labels: Integers, trained: bool) -> NDArray[np.int64]:
        """Kind of each row: the worst over the binary classifiers it takes part in; WRONG iff predicted wrong."""
        kinds = np.zeros(len(labels), dtype=np.int64)
        scores = self.scores(X)
        solutions: Sequence[Solution | None] = self.solutions() if trained else [None] * len(self.sides)
        for t, solution in enumerate(solutions):
            rows = self._members(t, labels)
            sign = np.where(labels[rows] == self.sides[t][0], 1.0, -1.0)
            seen = _judge(sign * scores[rows, t])
            if solution is not None:
                # The solution knows exactly; but a row that was given no weight is non-informative to it wherever it lies.
                known = np.asarray(solution.taxonomy, dtype=np.int64)[rows]
                seen = np.where((known == Kind.NON_INFORMATIVE) & (seen > Kind.BOUNDARY), seen, known)
            kinds[rows] = np.maximum(kinds[rows], seen)
        if len(self.sides) > 1:
            wrong = self.winners(X) != labels
            kinds[~wrong & (kinds == Kind.WRONG)] = Kind.INSIDE_RIGHT
            kinds[wrong] = Kind.WRONG
        return kinds

    def _members(self, subproblem: int, labels: Integers) -> Integers:
        positive, negative = self.sides[subproblem]
        if negative is None:
            return np.arange(len(labels))
        return np.flatnonzero((labels == positive) | (labels == negative))


def _judge(yf: Floats) -> NDArray[np.int64]:
    kinds = np.full(len(yf), int(Kind.NON_INFORMATIVE))
    kinds[yf < 1.0] = Kind.INSIDE_RIGHT
    kinds[np.abs(yf - 1.0) <= _ON_MARGIN] = Kind.BOUNDARY
    kinds[yf <= 0.0] = Kind.WRONG
    return kinds


@final
class SolutionSubject(Subject):
    """A solution of a two-class problem; the label that sorts last is the positive one."""

    def __init__(self, solution: Solution, y: ArrayLike) -> None:
        self.classes = np.unique(np.asarray(y))
        if len(self.classes) != 2:
            raise InvalidInput(f"A Solution separates two classes. Got y with {len(self.classes)}.")
        self.sides = [(1, 0)]
        self._solution = solution

    def scores(self, points: Any) -> Floats:
        return np.asarray(self._solution.decision_function(points), dtype=np.float64).reshape(-1, 1)

    def winners(self, points: Any) -> Integers:
        return (self.scores(points)[:, 0] > 0.0).astype(np.int64)

    def trained_on(self, X: Any) -> bool:
        return X.shape[0] == self._solution.n and same_rows(X, self._solution.support, self._solution.support_vectors)

    def support(self) -> Integers:
        return np.asarray(self._solution.support, dtype=np.int64)

    def solutions(self) -> list[Solution]:
        return [self._solution]


@final
class ModelSubject(Subject):
    """A fitted SVC, alone or at the end of a pipeline."""

    def __init__(self, svc: SVC, steps: list[tuple[str, Any]]) -> None:
        check_is_fitted(svc)
        if takes_matrix(svc.kernel):
            raise InvalidInput(
                "decision_boundary needs features to draw. Got an SVC with kernel='precomputed', "
                "which knows only similarities. Fit with the kernel itself instead."
            )
        self.classes = svc.classes_
        self._svc = svc
        self._steps = steps
        count = len(self.classes)
        self._raw = svc
        self._crammer_singer = svc.multi_class == "joint" and count > 2
        if count == 2:
            self.sides = [(1, 0)]
        elif svc.multi_class == "ovr":
            self.sides = [(k, None) for k in range(count)]
        else:
            self.sides = list(combinations(range(count), 2))
            if not self._crammer_singer:
                self._raw = copy.copy(svc).set_params(decision_function_shape="ovo", break_ties=False)

    def _transformed(self, points: Any) -> Any:
        for _, step in self._steps:
            points = step.transform(points)
        return points

    def scores(self, points: Any) -> Floats:
        values = np.asarray(self._raw.decision_function(self._transformed(points)), dtype=np.float64)
        if (
            self._crammer_singer
        ):  # one class is ahead of another by the difference of their scores, which the margin asks to be 1
            values = np.stack([values[:, i] - values[:, j] for i, j in combinations(range(len(self.classes)), 2)], axis=1)
        return values.reshape(-1, len(self.sides))

    def winners(self, points: Any) -> Integers:
        return np.searchsorted(self.classes, self._svc.predict(self._transformed(points))).astype(np.int64)

    def trained_on(self, X: Any) -> bool:
        if X.shape[0] != self._svc.shape_fit_[0]:
            return False
        return same_rows(self._transformed(X), self._svc.support_, self._svc.support_vectors_)

    def support(self) -> Integers:
        return np.asarray(self._svc.support_, dtype=np.int64)

    def solutions(self) -> Sequence[Solution | None]:
        return [None] * len(self.sides) if self._crammer_singer else list(self._svc.solutions_)


def same_rows(X: Any, rows: ArrayLike, vectors: Any) -> bool:
    """Whether ``X[rows]`` are the support vectors."""
    table = X.tocsr() if sparse.issparse(X) else np.asarray(X)
    if sparse.issparse(vectors):
        vectors = vectors.toarray()
    mine: Any = table[np.asarray(rows, dtype=np.int64)]
    if sparse.issparse(mine):
        mine = mine.toarray()
    return bool(mine.shape == np.shape(vectors) and np.allclose(mine, vectors, rtol=1e-6, atol=0.0))


def subject_of(model: Any, y: ArrayLike) -> Subject:
    """Look at a model as the binary classifiers it is made of.

    Raises
    ------
    InvalidInput
        When the model is not an SVC, a pipeline that ends in one, or a Solution.
    """
    if isinstance(model, Solution):
        return SolutionSubject(model, y)
    steps: list[tuple[str, Any]] = []
    svc = model
    if isinstance(model, Pipeline):
        steps = [step for step in model.steps[:-1] if step[1] not in (None, "passthrough")]
        svc = model.steps[-1][1]
    if not isinstance(svc, SVC):
        raise InvalidInput(
            "decision_boundary draws a fitted maxmargin.SVC, a Pipeline that ends in one, or a Solution. "
            f"Got {type(model).__name__}. (After a grid search pass search.best_estimator_.)"
        )
    return ModelSubject(svc, steps)
