"""The cells of a search: candidates times folds."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from traceback import format_exc
from typing import Any, Final, final

import numpy as np
from sklearn.base import clone
from sklearn.utils.metaestimators import _safe_split
from sklearn.utils.validation import _check_method_params, _num_samples

from maxmargin._deadline import Deadline
from maxmargin.estimators import FoldRows, NotThere, answering, join_paths, path_of, solve_paths
from maxmargin.model_selection._candidates import Candidate, Group, candidates_of, groups_of, last_step, steps_before
from maxmargin.model_selection._elsewhere import Part, SearchCluster, Whole, recorded
from maxmargin.model_selection._notes import Notes, OutOfTime, Settings
from maxmargin.model_selection._said_once import said_once
from maxmargin.model_selection._scores import known_scores, plain_scores

__all__ = ["Cells", "part_of"]

_OF_SEARCH: Final = 0.8  # of the time that is left is for the paths, the rest for their scores
_ENOUGH: Final = 64  # paths at a time: enough for the threads to have equal shares, few enough to hear of the best so far

Out = dict[str, Any]


@final
@dataclass
class Fold:
    """Rows of a fold, and of the steps before the last what they make of them."""

    train: Any
    test: Any
    X: Any
    y: Any
    X_test: Any
    y_test: Any
    weight: Any
    before: Any = None
    inner: Any = None
    inner_test: Any = None
    score_test: dict[str, Any] = field(default_factory=dict)
    score_train: dict[str, Any] = field(default_factory=dict)


@final
class Cells:
    """All cells, filled group by group.

    Parameters
    ----------
    estimator : estimator
        Cloned for each candidate.
    X, y
        All rows.
    splits : sequence of (train, test)
        The folds.
    settings : Settings
        How to score.
    cluster : SearchCluster, optional
        Who evaluates them, if not this process.
    fewest : int
        Folds that share the kernel values of all rows; 1 where the other folds are elsewhere.
    deadline : Deadline, optional
        When the last cell is to be there: what is not there then raises `OutOfTime`, and what is stays.
    """

    def __init__(
        self,
        estimator: Any,
        X: Any,
        y: Any,
        splits: Sequence[tuple[Any, Any]],
        settings: Settings,
        cluster: SearchCluster | None = None,
        fewest: int = 2,
        deadline: Deadline | None = None,
    ) -> None:
        self._cluster = cluster
        self._fewest = fewest
        self._deadline = deadline or Deadline()
        self._estimator = estimator
        self._x = X
        self._y = y
        self._splits = splits
        self._settings = settings
        self.out: list[Out | None] = []
        self.gaps = np.empty((0, len(splits)))  # relative duality gaps, of what has one
        self._folds: list[Fold | None] = []  # of the last group, and what made its rows
        self._before: tuple[Any, ...] = ()
        self._groups: list[Group] = []
        self._alone: list[Candidate] = []
        self.notes = Notes()
        self._first_places: dict[str, str] = {}  # where each error was raised first
        self.tell: Callable[[int], None] = lambda place: None  # of each cell that is filled

    def fill(self, every: Sequence[Mapping[str, Any]], done: Callable[[int], None], *, step_by_step: bool = False) -> None:
        """Evaluate more candidates; ``done`` hears how many are, if ``step_by_step`` after each path of all folds.

        What is there when something is raised stays in ``out``, candidate after candidate, their folds in order.
        """
        finished = len(self.gaps)
        candidates = candidates_of(self._estimator, every, self._settings.fit_params, finished)
        self.out += [None] * (len(candidates) * len(self._splits))
        self.gaps = np.concatenate([self.gaps, np.full((len(candidates), len(self._splits)), np.nan)])
        groups, alone = groups_of(candidates), [each for each in candidates if each.refusal is not None]
        self._groups += groups
        self._alone += alone
        if self._cluster is not None:
            self._fill_elsewhere(self._cluster, every, finished, [*groups, *(Group(None, [each]) for each in alone)], done)
            return
        for some in _in_turn(groups, 1 if step_by_step else max(1, _ENOUGH // len(self._splits))):
            if self._before != (some[0].before,):
                self._folds = [self._fold(some[0].members[0], split) for split in range(len(self._splits))]
                self._before = (some[0].before,)
            self._fill_groups(some, self._folds)
            finished += sum(len(group.members) for group in some)
            done(finished)
        for each in alone:
            for split in range(len(self._splits)):
                self._put(each, split, self._plain(each, split))
            finished += 1
            done(finished)

    def _fill_elsewhere(
        self,
        cluster: SearchCluster,
        every: Sequence[Mapping[str, Any]],
        first: int,
        groups: Sequence[Group],
        done: Callable[[int], None],
    ) -> None:
        """The same on a cluster: each group on each fold is a task. What is done at Ctrl-C is kept."""
        whole, finished = Whole(self._estimator, self._x, self._y, self._splits, self._settings), first
        tasks = [
            ([every[each.place - first] for each in group.members], k) for group in groups for k in range(len(self._splits))
        ]
        with cluster.running(whole, part_of, tasks) as parts:
            for place, part in parts:
                group, split = groups[place // len(self._splits)], place % len(self._splits)
                for each, out, gap in zip(group.members, part.out, part.gaps, strict=True):
                    if out["fit_error"] is not None:
                        trace = out["fit_error"].partition("\n")[2]
                        out["fit_error"] = f"First: {self._first_places.setdefault(trace, self._where(each, split))}\n{trace}"
                    self.gaps[each.place, split] = gap
                    self._put(each, split, out)
                self.notes.take(part.notes)
                part.say()
                if split == len(self._splits) - 1:
                    finished += len(group.members)
                    done(finished)

    def _fold(self, candidate: Candidate, split: int) -> Fold | None:
        """The rows of a fold; None if a step before the last fails on them: each fit by itself then says so."""
        model, settings = candidate.model, self._settings
        train, test = self._splits[split]
        X, y = _safe_split(model, self._x, self._y, train)
        X_test, y_test = _safe_split(model, self._x, self._y, test, train)
        fit_params = _check_method_params(self._x, params=dict(settings.fit_params), indices=train)
        weight = next(iter(fit_params.values()), None)
        fold = Fold(train, test, X, y, X_test, y_test, weight, inner=X, inner_test=X_test)
        fold.score_test = _check_method_params(self._x, params=dict(settings.score_params), indices=test)
        fold.score_train = _check_method_params(self._x, params=dict(settings.score_params), indices=train)
        steps = steps_before(model)
        if steps is None:
            return fold
        try:
            fold.before = clone(steps)
            fold.inner = fold.before.fit_transform(X, y)
            fold.inner_test = fold.before.transform(X_test)
        except Exception:  # whatever a user's step raises
            return None
        return fold

    def _fill_groups(self, groups: Sequence[Group], folds: Sequence[Fold | None]) -> None:
        """Some groups, as many at a time as the kernel values that come from Python leave room for."""
        rest = list(groups)
        while rest:
            taken = self._fill_some(rest, folds)
            rest = rest[taken:]
            if rest:
                self.notes.most_at_once = max(self.notes.most_at_once, taken)

    def _fill_some(self, groups: Sequence[Group], folds: Sequence[Fold | None]) -> int:
        """The first of the groups; how many."""
        begun = time.perf_counter()
        paths: dict[tuple[int, int], Any] = {}
        for g, group in enumerate(groups):
            models = [last_step(each.model) for each in group.members]
            for split, fold in enumerate(folds):
                if self._deadline.is_over():
                    raise OutOfTime
                if fold is None:
                    continue
                try:
                    paths[g, split] = path_of(models, fold.inner, fold.y, fold.weight)
                except Exception:  # each fit by itself says so
                    continue
            self._prepare(g, paths, folds)
            own = sum(path.python_bytes for (of, _), path in paths.items() if of == g)
            if any(_held(paths) + own > path.cache_bytes for path in paths.values() if own):
                groups = groups[: g + 1]
                break
        interrupted, searching = False, self._deadline
        try:
            searching = self._deadline.share(_OF_SEARCH)
            interrupted = solve_paths(list(paths.values()), searching)
        except Exception as error:  # the fits by themselves may need less
            self.notes.whys[f"{type(error).__name__} in the search of all paths"] = None
            paths.clear()
        count = sum(len(group.members) for group in groups) * len(folds)
        seconds = (time.perf_counter() - begun) / count
        is_cut = interrupted or searching.is_over()
        for g, group in enumerate(groups):
            for split, fold in enumerate(folds):
                if self._deadline.is_over() and not interrupted:
                    raise OutOfTime
                self._score_path(group, split, fold, paths.pop((g, split), None), seconds, is_cut)
        if is_cut:
            raise KeyboardInterrupt if interrupted else OutOfTime
        return len(groups)

    def _prepare(self, g: int, paths: dict[tuple[int, int], Any], folds: Sequence[Fold | None]) -> None:
        """Make the paths of a group ready; those that cannot share anything are left out."""
        own = [paths[g, split] for split in range(len(folds)) if (g, split) in paths]
        whole = [fold for fold in folds if fold is not None and fold.before is None]
        if len(own) == len(whole) == len(folds):
            rows = [FoldRows(np.asarray(fold.train), np.asarray(fold.test), fold.inner_test) for fold in whole]
            weight = next(iter(self._settings.fit_params.values()), None)
            with suppress(Exception):  # where all rows are not as the folds are, each goes its own way
                self.notes.n_joined += join_paths(own, rows, self._x, self._y, weight, self._fewest)
        for split in range(len(folds)):
            try:
                if (path := paths.get((g, split))) is not None:
                    before = {place: each for place, each in paths.items() if place < (g, split)}
                    if path.python_bytes and before and _held(before) + path.python_bytes > path.cache_bytes:
                        raise NotThere("the values of a kernel function on all folds do not fit into cache_size")
                    path.prepare()
            except NotThere as error:
                self.notes.whys[str(error)] = None
                del paths[g, split]
            except Exception:  # each fit by itself says so
                del paths[g, split]

    def _score_path(self, group: Group, split: int, fold: Fold | None, path: Any, seconds: float, is_cut: bool) -> None:
        if (path is None or fold is None) and is_cut:
            return
        if path is None or fold is None:
            for each in group.members:
                self._put(each, split, self._plain(each, split))
            self.notes.by_themselves += len(group.members)
            return
        self.notes.without_room |= not path.has_room
        begun = time.perf_counter()
        answers = self._answers(path, fold.inner_test, len(group.members))
        on_training = [None] * len(group.members)
        if self._settings.return_train_score:
            on_training = self._answers(path, fold.inner, len(group.members))
        each_seconds = (time.perf_counter() - begun) / len(group.members)
        for each, gap, said, said_of_training in zip(group.members, path.gaps(), answers, on_training, strict=True):
            out = self._known(each, fold, said, said_of_training)
            if out is None and is_cut:
                continue
            if out is None:
                self.notes.by_themselves += 1
                out = self._plain(each, split)
            else:
                out["fit_time"], out["score_time"] = seconds, out["score_time"] + each_seconds
                self.gaps[each.place, split] = gap
            self._put(each, split, out)

    @staticmethod
    def _answers(path: Any, X: Any, count: int) -> list[Any]:
        try:
            return list(path.answers(X))
        except Exception:  # rows that cannot be predicted: each fit by itself says so
            return [None] * count

    def _known(self, candidate: Candidate, fold: Fold, said: Any, said_of_training: Any) -> Out | None:
        """A cell from what the model says; None if that is not enough."""
        settings, begun = self._settings, time.perf_counter()
        out: Out = {"fit_error": None, "n_test_samples": _num_samples(fold.X_test)}
        asked = [("test_scores", said, fold.X_test, fold.y_test, fold.score_test)]
        if settings.return_train_score:
            asked.append(("train_scores", said_of_training, fold.X, fold.y, fold.score_train))
        for name, answers, X, y, params in asked:
            if answers is None:
                return None
            found = known_scores(answering(candidate.model, X, answers), X, y, settings.scorer, params)
            if found is None:
                self.notes.whys["the scorer asks for more than labels and decision values"] = None
                return None
            out[name] = found
        out["score_time"] = time.perf_counter() - begun
        return out

    def _plain(self, candidate: Candidate, split: int) -> Out:
        """A cell by a fit of its own, as scikit-learn does it."""
        settings, model = self._settings, clone(candidate.model)
        if self._deadline.is_set:
            if self._deadline.is_over():
                raise OutOfTime
            if hasattr(last_step(model), "max_time"):
                last_step(model).max_time = self._deadline.left()
        train, test = self._splits[split]
        X, y = _safe_split(model, self._x, self._y, train)
        X_test, y_test = _safe_split(model, self._x, self._y, test, train)
        fit_params = _check_method_params(self._x, params=dict(settings.fit_params), indices=train)
        out: Out = {"fit_error": None, "n_test_samples": _num_samples(X_test)}
        begun = time.perf_counter()
        try:
            model.fit(X, **fit_params) if y is None else model.fit(X, y, **fit_params)
        except Exception:
            if isinstance(settings.error_score, str):
                raise
            trace = format_exc()  # equal errors have equal texts, so that scikit-learn reports them once
            first = self._first_places.setdefault(trace, self._where(candidate, split))
            out["fit_error"] = f"First: {first}\n{trace}"
            out["fit_time"], out["score_time"] = time.perf_counter() - begun, 0.0
            failed = settings.error_score if settings.names is None else dict.fromkeys(settings.names, settings.error_score)
            out["test_scores"] = failed
            if settings.return_train_score:
                out["train_scores"] = failed if settings.names is None else dict(failed)
            return out
        out["fit_time"] = time.perf_counter() - begun
        if self._deadline.is_over():
            raise OutOfTime
        begun = time.perf_counter()
        scored = [("test_scores", X_test, y_test, test)]
        if settings.return_train_score:
            scored.append(("train_scores", X, y, train))
        for name, rows, truth, indices in scored:
            params = _check_method_params(self._x, params=dict(settings.score_params), indices=indices)
            with warnings.catch_warnings(record=True) as said:
                warnings.simplefilter("always")
                out[name] = plain_scores(model, rows, truth, settings.scorer, params, settings.error_score)
            for each in said:
                warnings.warn(f"{self._where(candidate, split)}: {each.message}", each.category, stacklevel=2)
        out["score_time"] = time.perf_counter() - begun
        certificate = getattr(last_step(model), "certificate_", None)
        self.gaps[candidate.place, split] = np.nan if certificate is None else certificate.relative_gap
        return out

    @property
    def has_whole_candidate(self) -> bool:
        """Whether some candidate was evaluated on all folds."""
        folds = len(self._splits)
        return any(all(self.out[first : first + folds]) for first in range(0, len(self.out), folds))

    @property
    def shared(self) -> str:
        """What was shared, or why nothing was, in words."""
        return self.notes.told(self._groups, self._alone, len(self._splits))

    def _where(self, candidate: Candidate, split: int) -> str:
        return f"Candidate {candidate.place}, fold {split}: {candidate.model!r}"

    def _put(self, candidate: Candidate, split: int, out: Out) -> None:
        place = candidate.place * len(self._splits) + split
        self.out[place] = out
        self.tell(place)


def part_of(whole: Whole, settings: Sequence[Mapping[str, Any]], split: int) -> Part:
    """What a task evaluates: the candidates of a path on one fold."""
    cells = Cells(whole.estimator, whole.X, whole.y, [whole.splits[split]], whole.settings, fewest=1)
    with recorded() as said, said_once():
        cells.fill(settings, lambda _: None)
    return Part([each for each in cells.out if each is not None], cells.gaps[:, 0], cells.notes, said)


def _held(paths: Mapping[tuple[int, int], Any]) -> int:
    """Bytes of the kernel values that Python has computed for these paths."""
    return sum(path.python_bytes for path in paths.values())


def _in_turn(groups: Sequence[Group], most: int) -> Iterator[list[Group]]:
    """Some groups at a time, at most so many, that have the same steps before the last."""
    some: list[Group] = []
    for group in groups:
        if some and (group.before != some[0].before or len(some) >= most):
            yield some
            some = []
        some.append(group)
    if some:
        yield some
