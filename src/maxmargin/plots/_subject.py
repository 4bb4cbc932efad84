"""What a picture has to know of the thing it shows: classes, scores, kinds of the training objects."""

from __future__ import annotations

import copy
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, Final, final

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from sklearn import svm
from sklearn.base import is_classifier
from sklearn.linear_model import LogisticRegression as TheirLogistic
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted

from maxmargin.errors import InvalidInput
from maxmargin.estimators import SVC, KernelLogisticRegression, LinearSVC, LogisticRegression, NuSVC
from maxmargin.losses import Hinge, Logistic, MarginLoss, SquaredHinge
from maxmargin.plots._kinds import best_of, fitted_model, is_a, last_of, refuse
from maxmargin.problems import Margin
from maxmargin.solution import CrammerSingerSolution, Kind, LinearSolution, MulticlassSolution, Solution

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

_THEIR_PAIRS: Final = svm.SVC | svm.NuSVC
_THEIR_SVC: Final = svm.SVC | svm.NuSVC | svm.LinearSVC
_ON_MARGIN = 1e-3  # |y f - 1| below which a row that was not trained on counts as on the margin


@final
@dataclass(frozen=True)
class Band:
    """Two levels of a score, above and below 0, that are drawn."""

    level: float
    label: str
    is_margin: bool = False


MARGIN: Final = Band(1.0, "margin  f = ±1", is_margin=True)
LOGIT: Final = Band(float(np.log(9.0)), "probability 10 %, 90 %")
PROBABILITY: Final = Band(0.4, "probability 10 %, 90 %")


class Subject(ABC):
    """A classifier of ``len(classes)`` classes, seen as the binary classifiers it is made of.

    Subproblem ``t`` has a score ``f_t(x)`` and separates the class indices ``sides[t] = (positive, negative)``;
    ``negative = None`` stands for all other classes.
    """

    classes: NDArray[Any]
    sides: list[tuple[int, int | None]]
    band: Band | None = MARGIN
    """What the dashed lines beside a boundary are."""

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
        if self.band is None or not self.band.is_margin:
            kinds[self.winners(X) != labels] = Kind.WRONG
            return kinds
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
class PairSubject(Subject):
    """A fitted SVC or NuSVC, ours or scikit-learn's, alone or at the end of a pipeline."""

    def __init__(self, svc: Any, transform: Callable[[Any], Any]) -> None:
        check_is_fitted(svc)
        self.classes = svc.classes_
        self._svc = svc
        self._transformed = transform
        count = len(self.classes)
        self._raw = svc
        way = getattr(svc, "multi_class", "ovo")
        self._crammer_singer = way in ("joint", "crammer_singer") and count > 2
        if count == 2:
            self.sides = [(1, 0)]
        elif way == "ovr":
            self.sides = [(k, None) for k in range(count)]
        else:
            self.sides = list(combinations(range(count), 2))
            if not self._crammer_singer:
                self._raw = copy.copy(svc).set_params(decision_function_shape="ovo", break_ties=False)

    def scores(self, points: Any) -> Floats:
        values = np.asarray(self._raw.decision_function(self._transformed(points)), dtype=np.float64)
        if self._crammer_singer:  # a class is ahead of another by the difference of their scores, which the margin asks to be 1
            values = np.stack([values[:, i] - values[:, j] for i, j in combinations(range(len(self.classes)), 2)], axis=1)
        return values.reshape(-1, len(self.sides))

    def winners(self, points: Any) -> Integers:
        return np.asarray(np.searchsorted(self.classes, self._svc.predict(self._transformed(points))), dtype=np.int64)

    def trained_on(self, X: Any) -> bool:
        return X.shape[0] == self._svc.shape_fit_[0] and same_rows(
            self._transformed(X), self._svc.support_, self._svc.support_vectors_
        )

    def support(self) -> Integers:
        return np.asarray(self._svc.support_, dtype=np.int64)

    def solutions(self) -> Sequence[Solution | None]:
        if self._crammer_singer or not hasattr(self._svc, "solutions_"):
            return [None] * len(self.sides)
        return list(self._svc.solutions_)


@final
class AnySubject(Subject):
    """Any classifier, by its decision function, its probabilities, or its predictions alone."""

    def __init__(self, model: Any, last: Any, transform: Callable[[Any], Any]) -> None:
        self.classes = np.asarray(model.classes_)
        count = len(self.classes)
        self.sides = [(1, 0)] if count == 2 else [(k, None) for k in range(count)]
        self._model, self._last, self._transformed = model, last, transform
        self.band = band_of(last) if hasattr(model, "decision_function") else PROBABILITY
        if not hasattr(model, "decision_function") and not hasattr(model, "predict_proba"):
            self.band = None

    def scores(self, points: Any) -> Floats:
        if hasattr(self._model, "decision_function"):
            values: NDArray[Any] = np.asarray(self._model.decision_function(points), dtype=np.float64)
        elif hasattr(self._model, "predict_proba"):
            values = np.asarray(self._model.predict_proba(points), dtype=np.float64)
            values = values[:, 1] - 0.5 if len(self.sides) == 1 else values
        else:
            won = self.winners(points)
            values = 2.0 * won - 1.0 if len(self.sides) == 1 else np.eye(len(self.classes))[won]
        return values.reshape(-1, len(self.sides))

    def winners(self, points: Any) -> Integers:
        return np.asarray(np.searchsorted(self.classes, self._model.predict(points)), dtype=np.int64)

    def trained_on(self, X: Any) -> bool:
        rows = getattr(self._last, "support_", None)
        vectors = getattr(self._last, "support_vectors_", None)
        if rows is None or vectors is None or not len(rows) or np.max(rows) >= X.shape[0]:
            return False
        return same_rows(self._transformed(X), rows, vectors)

    def support(self) -> Integers:
        return np.asarray(self._last.support_, dtype=np.int64)

    def solutions(self) -> Sequence[Solution | None]:
        return [None] * len(self.sides)


@final
class FittedSolution:
    """A solution of a problem of several classes, or of a linear model, with the interface of a fitted classifier."""

    def __init__(self, solution: LinearSolution | MulticlassSolution | CrammerSingerSolution, y: ArrayLike) -> None:
        known = solution.classes
        self.classes_ = np.unique(np.asarray(y)) if known is None else np.asarray(known)
        self.solution = solution
        data = solution.kkt_data if isinstance(solution, LinearSolution) else None
        self.loss = None if data is None else data.loss

    def decision_function(self, X: Any) -> Floats:
        return np.asarray(self.solution.decision_function(X), dtype=np.float64)

    def predict(self, X: Any) -> NDArray[Any]:
        values = self.decision_function(X)
        return np.asarray(self.classes_[(values > 0.0).astype(int) if values.ndim == 1 else values.argmax(axis=1)])


def band_of(model: Any) -> Band | None:
    """The lines beside a boundary: the margin of a margin loss, probabilities of a logistic one, else none."""
    if isinstance(model, SVC | NuSVC | LinearSVC | _THEIR_SVC):
        return MARGIN
    if isinstance(model, LogisticRegression | KernelLogisticRegression | TheirLogistic):
        return LOGIT
    loss = getattr(model, "loss", None)
    if loss in ("hinge", "squared_hinge") or isinstance(loss, Hinge | SquaredHinge):
        return MARGIN
    return LOGIT if loss in ("logistic", "log_loss") or isinstance(loss, Logistic) else None


def same_rows(X: Any, rows: ArrayLike, vectors: Any) -> bool:
    """Whether ``X[rows]`` are the support vectors."""
    table = X.tocsr() if sparse.issparse(X) else np.asarray(X)
    if sparse.issparse(vectors):
        vectors = vectors.toarray()
    mine: Any = table[np.asarray(rows, dtype=np.int64)]
    if sparse.issparse(mine):
        mine = mine.toarray()
    return bool(mine.shape == np.shape(vectors) and np.allclose(mine, vectors, rtol=1e-6, atol=0.0))


def subject_of(model: Any, y: ArrayLike, owner: str = "decision_boundary") -> Subject:
    """Look at a model as the binary classifiers it is made of.

    Raises
    ------
    InvalidInput
        When the model is no classifier.
    """
    model = fitted_model(model)
    last, transform = last_of(model), transform_of(model)
    if isinstance(last, Solution) and isinstance(last.slack_rule, Margin):
        return SolutionSubject(last, y)
    if isinstance(last, LinearSolution | MulticlassSolution | CrammerSingerSolution):
        regression = (
            isinstance(last, LinearSolution) and last.kkt_data is not None and not isinstance(last.kkt_data.loss, MarginLoss)
        )
        if not regression:
            held = FittedSolution(last, y)
            return AnySubject(held, held, transform)
    if isinstance(last, SVC | NuSVC | _THEIR_PAIRS):
        return PairSubject(last, transform)
    if not is_a(is_classifier, last):
        refuse(owner, "a fitted classifier, a Pipeline that ends in one, a search, or the solution of one", model)
    if not isinstance(getattr(model, "classes_", None), np.ndarray):
        refuse(owner, "classes of one kind", model, "it has several outputs; pass the model of one of them")
    return AnySubject(model, last, transform)


def transform_of(model: Any) -> Callable[[Any], Any]:
    """What brings rows before the last step."""
    if isinstance(model, Pipeline) and len(model.steps) > 1:
        inner, head = transform_of(best_of(model.steps[-1][1])), model[:-1]
        return lambda X: inner(head.transform(X))
    return lambda X: X
