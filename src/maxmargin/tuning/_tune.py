"""From raw rows to a tuned, fitted pipeline."""

from __future__ import annotations

import time
import warnings
from typing import Any, Final, final

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import clone
from sklearn.model_selection import KFold, StratifiedKFold
from sklearn.pipeline import Pipeline
from sklearn.utils import indexable
from sklearn.utils.multiclass import type_of_target

from maxmargin._deadline import Deadline
from maxmargin.errors import ConvergenceWarning, FeatureScaleWarning, InvalidInput
from maxmargin.estimators import SVC, SVR, LinearSVC, LinearSVR
from maxmargin.model_selection import Given, OutOfTime, RefinedSearch, cost_range, gamma_range
from maxmargin.tuning._columns import prepared_by
from maxmargin.tuning._tuned import Stage, TunedPipeline
from maxmargin.validation import (
    as_invalid_input,
    check_integer,
    check_option,
    check_positive,
    label_column,
    reject,
    take_rows,
    target_column,
)

__all__ = ["tune"]

_FIRST: Final = 1500  # rows of the first search,
_FIRST_IN_HASTE: Final = 400  # and where there is less time than
_HASTE: Final = 15.0  # so many seconds
_GROWTH: Final = 4.0  # times as many rows in the next
_VALUES: Final = 12  # of C and gamma
_WIDTHS: Final = (0.02, 0.06, 0.2, 0.6)  # of the tube, in deviations of the target
_ORDER: Final = 2.2  # a fit of n rows takes about n to this power
_SHARE: Final = 0.8  # of the time that is left, for a search and the last fit; and of such a search
_AT_LEAST: Final = 0.5  # what there must be time for
_NEAR: Final = 2  # searches near the best on all rows, each with steps half as large as before
_OF_FIRST: Final = 0.4  # of the time that is left, at most, for each of the first searches
_LEAST_TIME: Final = 1e-3  # seconds of the last fit where none are left
_FOLDS: Final = 5


def tune(
    X: Any, y: Any, *, max_time: float = 60.0, task: str = "auto", cv: int = _FOLDS, random_state: int = 0
) -> TunedPipeline:
    """Scale, choose kernel family and parameters by cross-validation, and fit: one call from raw rows to a model.

    A search over C and γ of a Gaussian kernel (and ε of a regression) and over C of a linear model goes over some of the rows
    first, as with ``search="auto"``. The better family is then searched around its best cell, with smaller steps, on four
    times as many rows, as long as the time allows, on all rows twice if that helps, and fitted to all rows. Columns are
    prepared inside the folds: numbers to mean 0 and deviation 1, columns of a frame that are no numbers as indicators of their
    categories, gaps filled.

    Parameters
    ----------
    X : array-like, sparse matrix or frame of shape (n_samples, n_features)
        Training rows, as they are. Nothing else is looked at: a test set stays one.
    y : array-like of shape (n_samples,)
        Labels or targets.
    max_time : float, default=60
        Seconds in all. A search that does not end in time gives what it has; where none has anything, common values are taken,
        and the report says so. The last fit ends as its estimator does at its ``max_time``: with what it has, and a warning.
    task : {"auto", "classification", "regression"}, default="auto"
        What y is; "auto" takes numbers that are not all whole for targets, and all else for labels: targets that are whole
        numbers need "regression".
    cv : int, default=5
        Folds.
    random_state : int, default=0
        What the choice of rows and folds comes from.

    Returns
    -------
    TunedPipeline
        Fitted, with ``report_`` in words, ``stages_``, and a picture by ``draw``.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from maxmargin import tune
    >>> X, y = load_iris(return_X_y=True)
    >>> model = tune(X, y, max_time=20)
    >>> model.predict(X[:3])
    array([0, 0, 0])
    """
    seconds = check_positive("max_time", max_time, "tune", infinite=True)
    check_option("task", task, "tune", ("auto", "classification", "regression"))
    folds, seed = check_integer("cv", cv, "tune", 2), check_integer("random_state", random_state, "tune", 0)
    deadline = Deadline(seconds)
    if y is None or np.ndim(y) != 1:
        raise reject("y", "None" if y is None else f"an array of shape {np.shape(y)}", "tune", "one-dimensional")
    with as_invalid_input():
        X = X if hasattr(X, "shape") else np.asarray(X)
        X, _ = indexable(X, y)
        regression = task == "regression" or (task == "auto" and _has_fractions(y))
    if len(X.shape) != 2:
        raise InvalidInput(
            f"tune needs a table, with a row for each label. Got X of shape {X.shape}. For text fit"
            " make_pipeline(TfidfVectorizer(), LinearSVCCV()), for one column of numbers pass X.reshape(-1, 1)."
        )
    y = target_column(y, X) if regression else label_column(y, X)
    if not regression:
        _require_classes(y, task)
    return _Tuning(X, y, regression, folds, seed, deadline).run()


def _has_fractions(y: Any) -> bool:
    """Whether y is numbers that are not all whole."""
    values = np.asarray(y)
    if values.dtype.kind == "O" or not isinstance(getattr(y, "dtype", values.dtype), np.dtype):
        values = np.asarray(label_column(y, y))  # its message for what is missing
    if values.dtype.kind == "f":
        values = target_column(values, values)  # its message for NaN
    return bool(type_of_target(values, input_name="y") == "continuous")


def _require_classes(y: NDArray[Any], task: str) -> None:
    """Raise unless there are two classes or more, with two rows each."""
    classes, counts = np.unique(y, return_counts=True)
    if len(classes) < 2:
        raise InvalidInput("The number of classes has to be greater than one; got 1 class. Add rows of another class to y.")
    if counts.min() >= 2:
        return
    advice = "Leave such classes out."
    if task == "auto" and y.dtype.kind in "iuf":
        advice = f"If y has targets rather than {len(classes)} classes, say task='regression'; else leave such classes out."
    raise InvalidInput(
        f"The 'y' parameter of tune must have at least two rows of each class. Got one of class {classes[counts.argmin()]}."
        f" {advice}"
    )


@final
class _Tuning:
    """One run: its rows, its clock, and the searches so far."""

    def __init__(self, X: Any, y: NDArray[Any], regression: bool, folds: int, seed: int, deadline: Deadline) -> None:
        self._x, self._y, self._regression, self._deadline = X, y, regression, deadline
        self._seed = seed
        self._folds = folds
        self._n = len(y)
        self._order = _shuffled(y, regression, seed)
        self._before, self._words = prepared_by(X)
        self._stages: list[Stage] = []
        self._on_all_rows = 0  # searches near the best

    def run(self) -> TunedPipeline:
        """Search, search again nearer to the best and on more rows, fit."""
        rows = min(self._n, _FIRST_IN_HASTE if self._deadline.left() < _HASTE else _FIRST)
        for family in self._families():
            self._search(family, rows, self._wide(family, rows), self._deadline.share(_OF_FIRST))
        if not self._stages:
            return self._fitted(self._families()[0], self._common(rows), None)
        best = max(self._stages, key=lambda stage: stage.score)
        while best.rows < self._n or self._on_all_rows < _NEAR:
            rows = min(self._n, int(_GROWTH * best.rows))
            near = self._near(best)
            self._on_all_rows += rows == self._n
            if (time_of_it := self._time_of(best, rows, near)) is None:
                break
            later = self._search(best.family, rows, near, time_of_it)
            if later is None or (later.score <= best.score and (later.is_cut or later.rows == best.rows)):
                break
            best = later
        return self._fitted(best.family, best.params, best)

    def _families(self) -> tuple[str, ...]:
        wide = sparse.issparse(self._x) and self._x.shape[1] > max(self._n, 2000)
        return ("linear",) if wide else ("rbf", "linear")

    def _model(self, family: str) -> Any:
        if self._regression:
            return SVR() if family == "rbf" else LinearSVR()
        return SVC() if family == "rbf" else LinearSVC()

    def _wide(self, family: str, rows: int) -> dict[str, list[float]]:
        """A grid from the data, of some rows after preparation."""
        Z = self._prepared(self._order[:rows])
        targets = self._y[self._order[:rows]] if self._regression else None
        spread = float(np.mean(np.asarray(Z.multiply(Z).sum(axis=1) if sparse.issparse(Z) else np.square(Z).sum(axis=1))))
        scale = 1.0 if family == "rbf" else max(spread, 1e-300)
        given = Given(Z, self._y[self._order[:rows]])
        grid = {"svm__C": cost_range(given, _VALUES, kernel_scale=scale, targets=targets is not None).tolist()}
        if family == "rbf":
            grid["svm__gamma"] = gamma_range(given, _VALUES).tolist()
        if targets is not None:
            grid["svm__epsilon"] = [width * (float(targets.std()) or 1.0) for width in _WIDTHS]
        return grid

    def _common(self, rows: int) -> dict[str, float]:
        """Values that often do, where nothing could be tried."""
        own = self._order[:rows]
        unit = (float(self._y[own].std()) or 1.0) if self._regression else 1.0
        found = {"svm__C": unit}
        if self._families()[0] == "rbf":
            columns = self._prepared(own).shape[1]
            found["svm__gamma"] = 1.0 / max(columns, 1)
        return {**found, "svm__epsilon": 0.1 * unit} if self._regression else found

    def _prepared(self, rows: NDArray[np.intp]) -> Any:
        return Pipeline([(name, clone(step)) for name, step in self._before]).fit_transform(take_of(self._x, rows))

    def _near(self, best: Stage) -> dict[str, list[float]]:
        """Five values around the best of each parameter, half as far apart as they were."""
        grid = {}
        for name, value in best.params.items():
            values = sorted({each[name] for each in best.search.cv_results_["params"]})
            step = (values[-1] / values[0]) ** (0.5 / max(len(values) - 1, 1)) if len(values) > 1 else 1.5
            step = min(max(step, 1.15), 2.5)
            grid[name] = [value * step**k for k in (-2, -1, 0, 1, 2)]
        return grid

    def _time_of(self, best: Stage, rows: int, grid: dict[str, list[float]]) -> Deadline | None:
        """The time for such a search, so that the last fit is likely to end in the rest; None if that is too little."""
        each = best.seconds / best.cells
        growth = (rows / best.rows) ** _ORDER
        cells = 3.0 ** len(grid) + 4.0
        last = each / self._folds * (self._n / best.rows) ** _ORDER * 1.6
        left = _SHARE * self._deadline.left()
        if _AT_LEAST * cells * each * growth + last > left:
            return None
        return Deadline(left - last) if self._deadline.is_set else Deadline()

    def _search(self, family: str, rows: int, grid: dict[str, list[float]], deadline: Deadline) -> Stage | None:
        """One search, which is then among the stages; None if no setting was evaluated before the deadline."""
        begun = time.perf_counter()
        own = self._order[:rows]
        X, y = take_of(self._x, own), self._y[own]
        folds = min(self._folds, rows) if self._regression else self._class_folds(y)
        split = KFold if self._regression else StratifiedKFold
        steps = [*((name, clone(step)) for name, step in self._before), ("svm", self._model(family))]
        lists = [{name: [value] for name, value in each.items()} for each in _crossed(grid)]
        search = RefinedSearch(
            Pipeline(steps), lists, "svm__C", cv=split(folds, shuffle=True, random_state=self._seed), refit=False
        )
        search.deadline = deadline
        with warnings.catch_warnings():
            for kind in (ConvergenceWarning, FeatureScaleWarning):
                warnings.simplefilter("ignore", kind)
            warnings.filterwarnings("ignore", "One or more of the test scores are non-finite", UserWarning)  # those not reached
            try:
                search.fit(X, y)
            except OutOfTime:
                return None
        results, at = search.cv_results_, search.best_index_
        reached = int(np.isfinite(results["mean_test_score"]).sum())
        stage = Stage(
            family=family,
            rows=rows,
            params=dict(results["params"][at]),
            score=float(results["mean_test_score"][at]),
            error=float(results["std_test_score"][at]) / float(np.sqrt(folds)),
            cells=reached,
            seconds=time.perf_counter() - begun,
            search=search,
            is_cut=reached < len(results["params"]),
        )
        self._stages.append(stage)
        return stage

    def _class_folds(self, y: NDArray[Any]) -> int:
        return int(max(2, min(self._folds, np.unique(y, return_counts=True)[1].min())))

    def _fitted(self, family: str, params: dict[str, float], best: Stage | None) -> TunedPipeline:
        """The chosen model, fitted to all rows in the time that is left."""
        begun = time.perf_counter()
        model = self._model(family).set_params(**{name.removeprefix("svm__"): value for name, value in params.items()})
        steps = [(name, clone(step)) for name, step in self._before]
        Z = Pipeline(steps).fit_transform(self._x, self._y)
        if self._deadline.is_set:
            model.set_params(max_time=max(self._deadline.left(), _LEAST_TIME))
        model.fit(Z, self._y)
        tuned = TunedPipeline([*steps, ("svm", model.set_params(max_time=None))])
        tuned.stages_, tuned.score_ = self._stages, np.nan if best is None else best.score
        tuned.report_ = self._report(family, params, model, time.perf_counter() - begun)
        return tuned

    def _report(self, family: str, params: dict[str, float], model: Any, seconds: float) -> str:
        measure = "R²" if self._regression else "accuracy"
        kind = "a regression" if self._regression else f"{len(np.unique(self._y))} classes"
        lines = [f"{self._n} rows, {kind}; {self._words}."]
        for stage in self._stages:
            name = "Gaussian kernel" if stage.family == "rbf" else "linear model"
            cut = ", when the time was up" * stage.is_cut
            lines.append(
                f"{name} on {stage.rows} rows, {stage.cells} settings in {stage.seconds:.1f} s{cut}: {measure} "
                f"{stage.score:.4f} ± {stage.error:.4f} at {_in_words(stage.params)}."
            )
        if not self._stages:
            lines.append(f"No setting could be evaluated in time: {_in_words(params)} are common values. Give more max_time.")
        chosen = "the Gaussian kernel" if family == "rbf" else "the linear model"
        lines.append(f"Chosen: {chosen}; its fit to all rows took {seconds:.1f} s and ended {model.status_.name}.")
        if self._stages:
            lines.append(f"The {measure} is optimistic, since the parameters were chosen by it: keep a test set.")
        return "\n".join(lines)


def _in_words(params: dict[str, float]) -> str:
    return ", ".join(f"{name.removeprefix('svm__')} = {value:.3g}" for name, value in params.items())


def take_of(X: Any, rows: NDArray[np.intp]) -> Any:
    """Some rows of whatever they are in."""
    return X.iloc[rows] if hasattr(X, "iloc") else take_rows(X, rows)


def _shuffled(y: NDArray[Any], regression: bool, seed: int) -> NDArray[np.intp]:
    """An order of the rows whose beginnings have all classes in their shares."""
    rng = np.random.default_rng(seed)
    order = rng.permutation(len(y))
    if regression:
        return order
    _, codes, counts = np.unique(y[order], return_inverse=True, return_counts=True)
    within = np.empty(len(y))
    for code, count in enumerate(counts):
        within[codes == code] = (np.arange(count) + 0.5) / count
    return np.asarray(order[np.argsort(within, kind="stable")])


def _crossed(grid: dict[str, list[float]]) -> list[dict[str, float]]:
    found: list[dict[str, float]] = [{}]
    for name in reversed(grid):
        found = [{**each, name: value} for each in found for value in grid[name]]
    return found
