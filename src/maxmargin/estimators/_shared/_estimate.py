"""How long a fit would take, and how much memory, before it."""

from __future__ import annotations

import math
import time
import warnings
from abc import ABC
from dataclasses import dataclass
from typing import Any, Final, cast, final

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import is_classifier, is_regressor
from sklearn.utils import _safe_indexing

from maxmargin.errors import InvalidInput
from maxmargin.kernels import takes_matrix
from maxmargin.solvers import cache_bytes
from maxmargin.validation import check_positive

__all__ = ["Estimate", "Estimating"]

_FIRST: Final = 500  # rows of the first pilot fit
_PART: Final = 2  # one row in so many, at most, is in a pilot fit, unless there are only as many as in the first
_LONG: Final = 60.0  # seconds from which on another way is worth a thought
_SLOPES: Final = (0.8, 2.5)
_SHARE: Final = 0.05  # of the time: a pilot fit that takes less is done twice, and the shorter time counts
_UNSURE: Final = 0.4  # how far the exponent of the growth may be off
_NOISE: Final = 2.0  # and a single time


@final
@dataclass(frozen=True, repr=False)
class Estimate:
    """How long a fit will take, and how much memory, as far as fits to fewer rows tell.

    Attributes
    ----------
    seconds : float
        About how long the fit takes.
    low, high : float
        Between these it most likely is.
    bytes : int
        Memory for the rows and for what the solver keeps, at most: kernel values fill no more than ``cache_size``.
    advice : str
        What to do about it.
    pilots : tuple
        Number of rows and seconds of each pilot fit.

    Examples
    --------
    >>> from maxmargin.estimators import Estimate
    >>> print(Estimate(90.0, 40.0, 200.0, 3 * 10**9, "Take LinearSVC.", ((500, 0.1), (1000, 0.4))))
    about 1.5 min (40 s to 3.3 min), at most 3 GB
    pilot fits: 500 rows 0.1 s, 1000 rows 0.4 s
    Take LinearSVC.
    """

    seconds: float
    low: float
    high: float
    bytes: int
    advice: str
    pilots: tuple[tuple[int, float], ...] = ()

    def __str__(self) -> str:
        pilots = ", ".join(f"{rows} rows {_duration(seconds)}" for rows, seconds in self.pilots)
        span = f"{_duration(self.low)} to {_duration(self.high)}"
        lines = [f"about {_duration(self.seconds)} ({span}), at most {_size(self.bytes)}", f"pilot fits: {pilots}", self.advice]
        return "\n".join(lines)

    def __repr__(self) -> str:
        return f"<Estimate: {str(self).splitlines()[0]}>"


class Estimating(ABC):  # noqa: B024  # it is only mixed in
    """``estimate(X, y)`` of an estimator that is not fitted yet."""

    def estimate(self, X: Any, y: Any = None, sample_weight: Any = None, *, max_time: float = 5.0) -> Estimate:
        """Estimate time and memory of `fit` by fits to some of the rows; the estimator itself stays as it is.

        The pilot fits have 500 rows, 1 000 and so on, up to half of the rows and as long as ``max_time`` lasts; classes
        have the shares that they have in y. Their times are continued by the power law ``seconds ~ rows^p`` that fits the last
        three best. It cannot foresee limits of memory, nor data that become harder as they become more.

        Measured on two cores with nothing else running: for `SVC` and `LinearSVC` on a9a, ijcnn1 and 20 000 rows of covtype the
        estimate was 0.6 to 1.5 times the seconds of the fit, with a ``max_time`` of 5 and of 0.5, and the fit took between
        ``low`` and ``high`` every time. A busy machine disturbs pilot fits and fit alike: single estimates were off by more.
        Memory is a bound, and a loose one: on a9a `SVC` took 0.9 GB of 6.3.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features), or sequence of objects
            Training rows; kernel values for a precomputed kernel.
        y : array-like of shape (n_samples,), default=None
            Labels or targets.
        sample_weight : array-like of shape (n_samples,), default=None
            Weight of each row.
        max_time : float, default=5.0
            About how many seconds the pilot fits may take together.

        Returns
        -------
        Estimate
            Has ``seconds``, ``low``, ``high``, ``bytes`` and ``advice``; prints as three lines.
        """
        budget = check_positive("max_time", max_time, "estimate")
        order = _order(self, X, y)
        n, m, used = len(order), min(_FIRST, len(order)), 0.0
        pilots: list[tuple[int, float]] = []
        while True:
            rows = np.sort(order[:m])
            once = _timed(self, X, y, sample_weight, rows)
            again = _timed(self, X, y, sample_weight, rows) if once < _SHARE * budget else once  # what else ran counts once
            pilots.append((m, min(once, again)))
            used += once + (again if once < _SHARE * budget else 0.0)
            slope = _slope(pilots)
            if 2 * m > n // _PART or used + pilots[-1][1] * 2.0 ** (slope or 2.0) > budget:
                break
            m *= 2
        times = n / m
        power = slope if slope is not None else (2.0 if hasattr(self, "kernel") else 1.0)
        seconds, unsure = pilots[-1][1] * times**power, _NOISE * times**_UNSURE
        memory = _memory(self, X, n)
        return Estimate(seconds, seconds / unsure, seconds * unsure, memory, _advice(self, seconds, n, power), tuple(pilots))


def _order(model: Any, X: Any, y: Any) -> NDArray[np.intp]:
    """The rows in an order whose beginnings have all classes, in their shares."""
    n = X.shape[0] if hasattr(X, "shape") else len(X)
    if n < 1:
        raise InvalidInput(f"estimate needs rows to try a fit on. Got {n}.")
    mixed = np.random.default_rng(0).permutation(n)
    labels = None if y is None else np.asarray(y)
    if not is_classifier(model) or labels is None or labels.shape != (n,):
        return mixed
    codes = np.unique(labels, return_inverse=True)[1][mixed]
    place = np.empty(n)
    for code in range(codes.max() + 1):
        own = np.flatnonzero(codes == code)
        place[own] = np.arange(len(own)) / len(own)
    return mixed[np.argsort(place, kind="stable")]


def _timed(model: Any, X: Any, y: Any, sample_weight: Any, rows: NDArray[np.intp]) -> float:
    """The seconds of a fit to these rows, by a model without callbacks that says nothing."""
    pilot = type(model)(**model.get_params(deep=False)).set_params(verbose=False, warm_start=False)
    part = _safe_indexing(X, rows)
    if takes_matrix(getattr(model, "kernel", None)):
        part = _safe_indexing(part, rows, axis=1)
    others = [None if each is None else _safe_indexing(each, rows) for each in (y, sample_weight)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        begun = time.perf_counter()
        pilot.fit(part, *others)
        return max(time.perf_counter() - begun, 1e-6)


def _slope(pilots: list[tuple[int, float]]) -> float | None:
    """The exponent p of ``seconds ~ rows^p``, from the last three; None of one alone."""
    if len(pilots) < 2:
        return None
    rows, seconds = np.log(np.array(pilots[-3:])).T
    return float(np.clip(np.polyfit(rows, seconds, 1)[0], *_SLOPES))


def _memory(model: Any, X: Any, n: int) -> int:
    """Rows, and kernel values or the numbers that a linear solver has for each row and feature."""
    values = int(X.nnz if sparse.issparse(X) else math.prod(X.shape) if hasattr(X, "shape") else n)
    held = values * (12 if sparse.issparse(X) else 8)
    if hasattr(model, "kernel"):
        kept = 0 if takes_matrix(model.kernel) else min(cache_bytes(model.cache_size, type(model).__name__), 8 * n * n)
        return 2 * held + kept + 200 * n
    width = X.shape[1] if len(getattr(X, "shape", ())) == 2 else 1
    return 2 * held + 100 * (n + width) + (8 * width * width if width <= 2000 else 0)


def _advice(model: Any, seconds: float, n: int, power: float) -> str:
    if seconds <= _LONG:
        return "Short enough: fit all rows."
    part = max(1, int(n * (_LONG / seconds) ** (1.0 / power)))
    subset = f"a subset: {part} rows take about a minute"
    if not hasattr(model, "kernel"):
        return f"Set max_time, or take StochasticClassifier, or {subset}."
    linear = "LinearSVC, " if is_classifier(model) else "LinearSVR, " if is_regressor(model) else ""
    return f"Set max_time, or take {linear}{'or ' if linear else ''}{subset}."


def _duration(seconds: float) -> str:
    for unit, name in ((86400.0, "days"), (3600.0, "h"), (60.0, "min")):
        if seconds >= unit:
            return f"{seconds / unit:.2g} {name}"
    return f"{seconds:.2g} s" if seconds >= 1e-3 else f"{1e3 * seconds:.2g} ms"


def _size(count: int) -> str:
    for unit, name in ((10**9, "GB"), (10**6, "MB")):
        if count >= unit:
            return f"{count / unit:.2g} {name}"
    return f"{cast(float, count) / 1e3:.2g} kB"
