"""The region of ordinary rows, of a model of one class."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from maxmargin.plots._canvas import screen_axes
from maxmargin.plots._marks import draw_rows
from maxmargin.plots._plane import make_plane
from maxmargin.plots._style import INK, class_colours, tint
from maxmargin.plots._subproblem import subproblem_of
from maxmargin.problems import Ball, Level
from maxmargin.validation import check_boolean, check_integer

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
    legend: bool = True,
) -> Axes:
    r"""Draw the region that a one-class model accepts as ordinary, over two features.

    The shaded region is where :math:`f \ge 0`, the line its edge :math:`f = 0`. Rows inside are dots, outliers crosses. Support
    vectors, which are on the edge or outside, are ringed if X is the training set.

    Parameters
    ----------
    model : OneClassSVM, SVDD, Pipeline or Solution
        A fitted :class:`maxmargin.OneClassSVM` or :class:`maxmargin.SVDD`, a pipeline that ends in one (X is then what the
        pipeline takes), or the solution of such a problem.
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
    legend : bool, default=True
        Whether to explain the marks, with the number of rows of each.

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
    shown = check_boolean("legend", legend, "ordinary_region")
    subproblem = subproblem_of(model, (Level, Ball), "ordinary_region", "a fitted maxmargin.OneClassSVM or SVDD")
    plane = make_plane(X, features, feature_names, fixed, "ordinary_region")
    rows = plane.wrap(np.asarray(X.toarray() if hasattr(X, "toarray") else X, dtype=np.float64))
    support = subproblem.support_among(rows)
    # A support vector on the edge is ordinary, whatever rounding says.
    solution = subproblem.solution
    outside = subproblem.scores(rows) < -(solution.certificate.kkt_violation + 1e-9 * abs(solution.bias))

    axes = screen_axes() if ax is None else ax
    across, up = plane.grid(points)
    f = plane.evaluate(subproblem.scores, across, up)
    blue = class_colours(2)[0]
    axes.contourf(across, up, f, levels=[0.0, np.inf], colors=[tint(blue, 0.18)], zorder=0)
    if f.min() < 0.0 < f.max():
        axes.contour(across, up, f, levels=[0.0], colors=INK, linewidths=1.8, zorder=1).set_gid("boundary")
    draw_rows(axes, plane.coordinates[:, 0], plane.coordinates[:, 1], outside, ("ordinary", "outlier"), support)
    axes.set_xlim(across[0], across[-1])
    axes.set_ylim(up[0], up[-1])
    axes.set_xlabel(plane.labels[0])
    axes.set_ylabel(plane.labels[1])
    if plane.held:
        axes.set_title(f"Slice: {plane.held}", loc="left", fontsize="small", color=INK)
    if shown:
        axes.legend(fontsize="small", framealpha=0.9)
    return axes
