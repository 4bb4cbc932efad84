"""A regression over one feature, with its tube."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import ArrayLike

from maxmargin.errors import InvalidInput
from maxmargin.plots._canvas import screen_axes
from maxmargin.plots._marks import draw_rows
from maxmargin.plots._style import INK, class_colours, tint
from maxmargin.plots._subproblem import subproblem_of
from maxmargin.problems import Tube
from maxmargin.validation import check_boolean, check_integer, target_column

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["tube"]

_ROOM = 1e-3  # of ε: a row that is outside by less is on the edge


def tube(model: Any, X: Any, y: ArrayLike, *, ax: Axes | None = None, resolution: int = 400, legend: bool = True) -> Axes:
    r"""Draw a regression over its one feature: the function, its tube, and the rows.

    The line is :math:`f`, the band around it the tube :math:`|f - y| \le \varepsilon`, in which a row costs nothing. Rows
    inside are dots, rows outside crosses. Support vectors, which are on the edge or outside, are ringed if X is the training
    set.

    Parameters
    ----------
    model : SVR, NuSVR, Pipeline or Solution
        A fitted :class:`maxmargin.SVR` or :class:`maxmargin.NuSVR` of one output, a pipeline that ends in one (X is then what
        the pipeline takes), or the solution of a regression.
    X : array-like of shape (n, 1)
        The rows to show: normally the training set.
    y : array-like of shape (n,)
        Their targets.
    ax : matplotlib Axes, optional
        Where to draw. By default a new pyplot figure.
    resolution : int, default=400
        Points along the line.
    legend : bool, default=True
        Whether to explain the marks, with the number of rows of each.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> import numpy as np
    >>> from maxmargin import SVR
    >>> from maxmargin.plots import tube
    >>> X = np.linspace(0, 6, 40)[:, np.newaxis]
    >>> y = np.sin(X[:, 0])
    >>> ax = tube(SVR(C=10.0, epsilon=0.2).fit(X, y), X, y)
    """
    points = check_integer("resolution", resolution, "tube", 2)
    shown = check_boolean("legend", legend, "tube")
    subproblem = subproblem_of(model, (Tube,), "tube", "a fitted maxmargin.SVR or NuSVR")
    rows = np.asarray(X, dtype=np.float64)
    if rows.ndim != 2 or rows.shape[1] != 1 or len(rows) == 0:
        raise InvalidInput(
            f"tube draws a function of one feature. Got X of shape {rows.shape}; it must be (n, 1). "
            "With more features plot predict(X) against y."
        )
    targets = target_column(y, rows)
    epsilon = cast("Tube", subproblem.solution.slack_rule).epsilon
    support = subproblem.support_among(rows)
    outside = np.abs(subproblem.scores(rows) - targets) > epsilon * (1.0 + _ROOM)

    axes = screen_axes() if ax is None else ax
    x = rows[:, 0]
    room = 0.04 * (x.max() - x.min()) or 0.5
    line = np.linspace(x.min() - room, x.max() + room, points)
    f = subproblem.scores(line[:, np.newaxis])
    blue = class_colours(2)[0]
    axes.fill_between(line, f - epsilon, f + epsilon, color=tint(blue, 0.18), linewidth=0.0, zorder=0, label="tube  f ± ε")
    axes.plot(line, f, color=INK, linewidth=1.8, zorder=1, label="f")
    draw_rows(axes, x, targets, outside, ("inside", "outside"), support)
    axes.set_xlim(line[0], line[-1])
    axes.set_xlabel(str(X.columns[0]) if hasattr(X, "columns") else "feature")
    axes.set_ylabel("target")
    if shown:
        axes.legend(fontsize="small", framealpha=0.9)
    return axes
