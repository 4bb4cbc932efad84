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
from maxmargin.errors import ConvergenceWarning, FeatureScaleWarning
from maxmargin.estimators import SVC, SVR, LinearSVC, LinearSVR
from maxmargin.model_selection import Given, RefinedSearch, cost_range, gamma_range
from maxmargin.tuning._columns import prepared_by
from maxmargin.tuning._tuned import Stage, TunedPipeline
from maxmargin.validation import check_integer, check_option, check_positive, reject, take_rows

__all__ = ["tune"]

_FIRST: Final = 1500  # rows of the first search
_GROWTH: Final = 4.0  # times as many rows in the next
_VALUES: Final = 12  # of C and gamma
_WIDTHS: Final = (0.02, 0.06, 0.2, 0.6)  # of the tube, in deviations of the target
_ORDER: Final = 2.2  # a fit of n rows takes about n to this power
_SHARE: Final = 0.5  # of the time that is left, for a search and the last fit
_FOLDS: Final = 5


def tune(
    X: Any, y: Any, *, max_time: float = 60.0, task: str = "auto", cv: int = _FOLDS, random_state: int = 0
) -> TunedPipeline:
    """Scale, choose kernel family and parameters by cross-validation, and fit: one call from raw rows to a model.

    A search over C and γ of a Gaussian kernel (and ε of a regression) and over C of a linear model goes over some of the rows
    first, as with ``search="auto"``. The better family is then searched around its best cell on four times as many rows, as
    long as the time allows, and fitted to all rows. Columns are prepared inside the folds: numbers to mean 0 and deviation 1,
    columns of a frame that are no numbers as indicators of their categories, gaps filled.

    Parameters
    ----------
    X : array-like, sparse matrix or frame of shape (n_samples, n_features)
        Training rows, as they are. Nothing else is looked at: a test set stays one.
    y : array-like of shape (n_samples,)
        Labels or targets.
    max_time : float, default=60
        Seconds in all. The first search, on at most 1 500 rows, is done in any case.
    task : {"auto", "classification", "regression"}, default="auto"
        What y is; "auto" takes numbers that are not all whole for targets, and all else for labels.
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
    X, y = indexable(X if hasattr(X, "shape") else np.asarray(X), np.asarray(y))
    if y.ndim != 1:
        raise reject("y", f"an array of shape {y.shape}", "tune", "one-dimensional")
    regression = task == "regression" or (task == "auto" and type_of_target(y, input_name="y") == "continuous")
    if regression:
        y = y.astype(np.float64)
    elif np.unique(y, return_counts=True)[1].min() < 2:
        raise reject("y", "a class with one row", "tune", "labels of classes with at least two rows each")
    return _Tuning(X, y, regression, folds, seed, deadline).run()


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

    def run(self) -> TunedPipeline:
        """Search, search again nearer to the best and on more rows, fit."""
        rows = min(self._n, _FIRST)
        for family in self._families():
            self._stages.append(self._search(family, rows, self._wide(family, rows)))
        best = max(self._stages, key=lambda stage: stage.score)
        while best.rows < self._n or len(self._stages) < 3:
            rows = min(self._n, int(_GROWTH * best.rows))
            near = self._near(best)
            if not self._has_time(best, rows, near):
                break
            later = self._search(best.family, rows, near)
            self._stages.append(later)
            if later.rows == best.rows and later.score <= best.score:
                break
            best = later
        return self._fitted(best)

    def _families(self) -> tuple[str, ...]:
        wide = sparse.issparse(self._x) and self._x.shape[1] > max(self._n, 2000)
        return ("linear",) if wide else ("rbf", "linear")

    def _model(self, family: str) -> Any:
        if self._regression:
            return SVR() if family == "rbf" else LinearSVR()
        return SVC() if family == "rbf" else LinearSVC()

    def _wide(self, family: str, rows: int) -> dict[str, list[float]]:
        """A grid from the data, of some rows after preparation."""
        some = take_of(self._x, self._order[:rows])
        Z = Pipeline([(name, clone(step)) for name, step in self._before]).fit_transform(some)
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

    def _near(self, best: Stage) -> dict[str, list[float]]:
        """Five values around the best of each parameter, half as far apart as they were."""
        grid = {}
        for name, value in best.params.items():
            values = sorted({each[name] for each in best.search.cv_results_["params"]})
            step = (values[-1] / values[0]) ** (0.5 / max(len(values) - 1, 1)) if len(values) > 1 else 1.5
            step = min(max(step, 1.15), 2.5)
            grid[name] = [value * step**k for k in (-2, -1, 0, 1, 2)]
        return grid

    def _has_time(self, best: Stage, rows: int, grid: dict[str, list[float]]) -> bool:
        """Whether such a search and the last fit are likely to end in time."""
        each = best.seconds / best.cells
        growth = (rows / best.rows) ** _ORDER
        cells = 3.0 ** len(grid) + 4.0
        last = each / self._folds * (self._n / best.rows) ** _ORDER * 1.6
        return bool(cells * each * growth + last <= _SHARE * self._deadline.left())

    def _search(self, family: str, rows: int, grid: dict[str, list[float]]) -> Stage:
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
        with warnings.catch_warnings():
            for kind in (ConvergenceWarning, FeatureScaleWarning):
                warnings.simplefilter("ignore", kind)
            search.fit(X, y)
        results, at = search.cv_results_, search.best_index_
        return Stage(
            family=family,
            rows=rows,
            params=dict(results["params"][at]),
            score=float(results["mean_test_score"][at]),
            error=float(results["std_test_score"][at]) / float(np.sqrt(folds)),
            cells=len(results["params"]),
            seconds=time.perf_counter() - begun,
            search=search,
        )

    def _class_folds(self, y: NDArray[Any]) -> int:
        return int(max(2, min(self._folds, np.unique(y, return_counts=True)[1].min())))

    def _fitted(self, best: Stage) -> TunedPipeline:
        model = self._model(best.family).set_params(
            **{name.removeprefix("svm__"): value for name, value in best.params.items()}
        )
        if self._deadline.is_set:
            model.set_params(max_time=max(self._deadline.left(), 0.5))
        begun = time.perf_counter()
        tuned = TunedPipeline([*((name, clone(step)) for name, step in self._before), ("svm", model)])
        tuned.fit(self._x, self._y)
        tuned.stages_, tuned.score_ = self._stages, best.score
        tuned.report_ = self._report(best, model, time.perf_counter() - begun)
        return tuned

    def _report(self, best: Stage, model: Any, seconds: float) -> str:
        measure = "R²" if self._regression else "accuracy"
        kind = "a regression" if self._regression else f"{len(np.unique(self._y))} classes"
        lines = [f"{self._n} rows, {kind}; {self._words}."]
        for stage in self._stages:
            words = ", ".join(f"{name.removeprefix('svm__')} = {value:.3g}" for name, value in stage.params.items())
            name = "Gaussian kernel" if stage.family == "rbf" else "linear model"
            lines.append(
                f"{name} on {stage.rows} rows, {stage.cells} settings in {stage.seconds:.1f} s: {measure} "
                f"{stage.score:.4f} ± {stage.error:.4f} at {words}."
            )
        chosen = "the Gaussian kernel" if best.family == "rbf" else "the linear model"
        lines.append(f"Chosen: {chosen}; its fit to all rows took {seconds:.1f} s and ended {model.status_.name}.")
        lines.append(f"The {measure} is optimistic, since the parameters were chosen by it: keep a test set.")
        return "\n".join(lines)


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
