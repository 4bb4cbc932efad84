"""The region of ordinary rows, of a model of one class."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import is_outlier_detector

from maxmargin.estimators import SVDD, OneClassSVM
from maxmargin.plots._dress import Legend, begin, check_legend, finish
from maxmargin.plots._kinds import fitted_model, has_features, is_a, last_of, refuse
from maxmargin.plots._marks import draw_rows
from maxmargin.plots._plane import for_model, make_plane
from maxmargin.plots._subject import same_rows, transform_of
from maxmargin.problems import Ball, Level
from maxmargin.solution import Solution
from maxmargin.validation import check_integer

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["ordinary_region"]


def ordinary_region(
    model: Any,
    X: Any,
    *,
    ax: Axes | None = None,
    features: Sequence[int | str] | None = None,
    fixed: Literal["median", "mean"] | ArrayLike = "median",
    feature_names: Sequence[str] | None = None,
    resolution: int = 200,
    legend: Legend = "auto",
    title: str | None = None,
) -> Axes:
    r"""Draw the region that a one-class model accepts as ordinary, over two features.

    The shaded region is where :math:`f \ge 0`, the line its edge :math:`f = 0`. Rows inside are dots, outliers crosses. Support
    vectors, which are on the edge or outside, are ringed if X is the training set.

    Parameters
    ----------
    model : outlier detector, Pipeline or Solution
        A fitted :class:`maxmargin.OneClassSVM` or :class:`maxmargin.SVDD`, any outlier detector of scikit-learn with a
        ``decision_function``, a pipeline that ends in one (X is then what the pipeline takes), or the solution of such a
        problem.
    X : array or data frame of shape (n, d)
        The rows to show: normally the training set.
    ax : matplotlib Axes, optional
        Where to draw. By default a new pyplot figure.
    features : two ints or names, optional
        The features along the axes; needed when d > 2. What is drawn is then the slice in which the other features have the
        values ``fixed``.
    fixed : "median", "mean" or array-like of shape (d,), default="median"
        Values of the features that are not drawn.
    feature_names : sequence of d names, optional
        Labels of the axes; by default the columns of a data frame.
    resolution : int, default=200
        Grid points along each axis.
    legend : bool, "auto", "inside", "outside", "below" or None, default="auto"
        Where to explain the marks, with the number of rows of each: see `decision_boundary`.
    title : str, optional
        By default what the other features are held at, if there are others.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> import numpy as np
    >>> from maxmargin import SVDD
    >>> from maxmargin.plots import ordinary_region
    >>> X = np.random.default_rng(0).normal(size=(60, 2))
    >>> ax = ordinary_region(SVDD(kernel="linear", nu=0.1).fit(X), X)
    """
    points = check_integer("resolution", resolution, "ordinary_region", 2)
    place = check_legend(legend, "ordinary_region")
    model = fitted_model(model)
    scores, solution = _scores(model)
    plane = for_model(make_plane(X, features, feature_names, fixed, "ordinary_region"), model, X)
    rows = plane.wrap(np.asarray(X.toarray() if hasattr(X, "toarray") else X, dtype=np.float64))
    # A support vector on the edge is ordinary, whatever rounding says.
    slip = 0.0 if solution is None else solution.certificate.kkt_violation + 1e-9 * abs(solution.bias)
    outside = np.asarray(scores(rows)).ravel() < -slip
    support = None
    if solution is not None and rows.shape[0] == solution.n:
        moved = transform_of(model)(rows)
        support = solution.support if same_rows(moved, solution.support, solution.support_vectors) else None

    axes, theme = begin(ax)
    across, up = plane.grid(points)
    f = plane.evaluate(lambda some: np.asarray(scores(some), dtype=np.float64).ravel(), across, up)
    axes.contourf(across, up, f, levels=[0.0, np.inf], colors=[theme.tint(theme.colours(1)[0], 0.18)], zorder=0)
    if f.min() < 0.0 < f.max():
        axes.contour(across, up, f, levels=[0.0], colors=theme.ink, linewidths=1.8, zorder=1).set_gid("boundary")
    names = ("ordinary", "outlier")
    draw_rows(axes, theme, plane.coordinates[:, 0], plane.coordinates[:, 1], outside, names, support)
    axes.set_xlim(across[0], across[-1])
    axes.set_ylim(up[0], up[-1])
    note = f"Slice: {plane.held}" if plane.held else ""
    return finish(axes, theme, labels=plane.labels, title=title, legend=place, frame=True, note=note)


def _scores(model: Any) -> tuple[Callable[[Any], Any], Solution | None]:
    """The values that are at least 0 for ordinary rows, and the solution behind them if there is one."""
    wanted = "a fitted OneClassSVM, SVDD or other outlier detector, a Pipeline that ends in one, or its Solution"
    last = last_of(model)
    solution = last if isinstance(last, Solution) else None
    if not has_features(model):
        refuse("ordinary_region", "features", model, "it knows rows by kernel values only, so that there is no plane to draw")
    if isinstance(last, OneClassSVM | SVDD):
        (solution,) = last.solutions_ if hasattr(last, "solutions_") else (None,)
    elif solution is None and (not is_a(is_outlier_detector, last) or not hasattr(model, "decision_function")):
        refuse("ordinary_region", wanted, model)
    if solution is not None and not isinstance(solution.slack_rule, Level | Ball):
        refuse("ordinary_region", wanted, model)
    if isinstance(last, Solution):
        move, found = transform_of(model), last
        return lambda rows: found.decision_function(move(rows)), solution
    return model.decision_function, solution
