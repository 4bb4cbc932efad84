"""The multipliers of a solution, by the kind of their row."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from maxmargin.errors import InvalidInput
from maxmargin.plots._dress import Legend, begin, check_legend, count_upwards, finish
from maxmargin.plots._kinds import fitted_model, last_of, refuse
from maxmargin.plots._style import MARKS
from maxmargin.problems import Margin
from maxmargin.solution import Kind, LinearSolution, Solution
from maxmargin.validation import check_integer

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_OTHER: Final = {Kind.NON_INFORMATIVE: "inside", Kind.BOUNDARY: "on the edge", Kind.WRONG: "outside"}
"""What kinds are called where rows have no side to be wrong on."""


def alphas(model: Any, *, bins: int = 40, ax: Axes | None = None, legend: Legend = "auto", title: str | None = None) -> Axes:
    """Draw the multipliers α of the rows: how much each row holds the boundary.

    Bars are stacked by kind: on the margin α is anything up to C, beyond it (inside the band, or misclassified) it is C. Of
    regressions and one-class models rows are on the edge of the tube or region, or outside. Rows with ``α = 0`` are not drawn
    but counted in the legend. The multipliers of several binary classifiers are put together.

    Parameters
    ----------
    model : kernel estimator, Pipeline, search or solution
        Fitted; or a `maxmargin.solution.Solution` or `LinearSolution`.
    bins : int, default=40
        Bars.
    ax : matplotlib Axes, optional
        Where to draw. By default a new pyplot figure.
    legend : bool, "auto", "inside", "outside", "below" or None, default="auto"
        Where kinds are named and counted.
    title : str, optional
        None by default.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from maxmargin import SVC
    >>> from maxmargin.plots import alphas
    >>> ax = alphas(SVC().fit(*load_iris(return_X_y=True)))
    """
    place, count = check_legend(legend, "alphas"), check_integer("bins", bins, "alphas", 1)
    last = last_of(fitted_model(model))
    found = [last] if isinstance(last, Solution | LinearSolution) else getattr(last, "solutions_", [])
    if not found or not all(isinstance(each, Solution | LinearSolution) for each in found):
        refuse(
            "alphas", "the multipliers of kernel models, or of solutions of maxmargin.solve", model, "it keeps none of its rows"
        )
    values = np.concatenate([np.abs(np.asarray(each.alpha, dtype=np.float64)) for each in found])
    margin = all(isinstance(each.slack_rule, Margin) for each in found if isinstance(each, Solution))
    words = {kind: mark.words for kind, mark in MARKS.items()} if margin else _OTHER
    try:
        kinds = np.concatenate([_kinds(each) for each in found])
    except InvalidInput:  # a loss without slack has no kinds
        kinds = np.where(values > 0.0, int(Kind.BOUNDARY), int(Kind.NON_INFORMATIVE))
        words = {Kind.BOUNDARY: "α > 0"}

    axes, theme = begin(ax)
    used = values > 0.0
    parts: dict[str, Any] = {}
    for kind in (Kind.BOUNDARY, Kind.INSIDE_RIGHT, Kind.WRONG, Kind.NON_INFORMATIVE):
        chosen = values[used & (kinds == kind)]
        if len(chosen):
            name = words.get(kind, "α > 0")
            parts[name] = np.concatenate([parts[name], chosen]) if name in parts else chosen
    top = float(values.max(initial=0.0)) or 1.0
    names = [f"{name} ({len(part)})" for name, part in parts.items()] or ["α > 0 (0)"]
    drawn = list(parts.values()) or [np.zeros(0)]
    colours = theme.colours(max(3, len(drawn)))[: len(drawn)]
    edges = np.linspace(0.0, top * (1.0 + 1e-9), count + 1).tolist()
    axes.hist(drawn, bins=edges, stacked=True, color=colours, label=names, edgecolor=theme.paper, linewidth=0.4)
    axes.plot([], [], linestyle="", label=f"α = 0, not drawn ({int((~used).sum())})")
    count_upwards(axes)
    return finish(axes, theme, labels=("multiplier α", "rows"), title=title, legend=place, grid=True)


def _kinds(solution: Solution | LinearSolution) -> NDArray[np.int64]:
    """The kind of each row; where there is no margin, WRONG is outside of the tube or the region."""
    if isinstance(solution, LinearSolution) or isinstance(solution.slack_rule, Margin):
        return np.asarray(solution.taxonomy, dtype=np.int64)
    near = max(10.0 * solution.certificate.kkt_violation, 1e-6 * float(np.abs(solution.support_scores).max(initial=0.0)))
    kinds = np.where(solution.slack > near, int(Kind.WRONG), int(Kind.NON_INFORMATIVE))
    kinds[solution.support] = np.maximum(kinds[solution.support], int(Kind.BOUNDARY))
    return kinds
