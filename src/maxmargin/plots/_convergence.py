"""How solvers come to the optimum: distance from it and violation, over time and over steps."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from maxmargin.errors import InvalidInput
from maxmargin.plots._canvas import matplotlib_module, screen_panels
from maxmargin.plots._style import INK, class_colours
from maxmargin.solution import Solution

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_ROUNDING: Final = 1e-16
"""Distances below this part of the objective are rounding; they are drawn there, as a logarithm has no 0."""
_DASHES: Final = ("-", "--", "-.", ":")


def convergence(
    solutions: Solution | Sequence[Solution],
    names: Sequence[str] | None = None,
    *,
    axes: Any = None,
    best: float | None = None,
) -> NDArray[Any]:
    """Draw how several solvers came to the optimum of one problem.

    Above, how far the dual objective is below the best that is known, relative to its size: ``(D* − D) / max(1, |D*|)``.
    Below, the KKT violation as the solver sees it. On the left over seconds, on the right over the solver's own steps: pair
    steps, rounds or gradient steps. All axes are logarithmic. Numbers are those of
    `Solution.trace`: of a hard margin they are in the terms of its nearest points.

    Parameters
    ----------
    solutions : Solution or sequence of Solution
        Answers to the same problem.
    names : sequence of str, optional
        One for each in the legend; by default their numbers.
    axes : array of four matplotlib Axes, optional
        Where to draw, row by row. By default a new pyplot figure.
    best : float, optional
        The optimum of the dual; by default the best that any of the traces reached.

    Returns
    -------
    ndarray of shape (2, 2)
        The axes.

    Raises
    ------
    InvalidInput
        When there is nothing to draw, or names and axes do not fit.
    MissingExtra
        When matplotlib is not installed.

    Examples
    --------
    >>> from maxmargin import solve
    >>> from maxmargin.plots import convergence
    >>> from maxmargin.problems import SoftMargin
    >>> problem = SoftMargin([[0.0], [1.0], [2.0], [3.0]], [0, 1, 0, 1])
    >>> names = ["smo", "dual_qp"]
    >>> axes = convergence([solve(problem, solver=name) for name in names], names)
    """
    listed = [solutions] if isinstance(solutions, Solution) else list(solutions)
    labels = _labels(listed, names)
    if axes is not None and np.size(axes) != 4:
        raise InvalidInput(f"The 'axes' parameter of convergence must be four axes. Got {np.size(axes)}.")
    reached = max(float(solution.trace.objective.max()) for solution in listed)
    top = reached if best is None else float(best)
    panels = np.asarray(screen_panels(2, 2) if axes is None else axes, dtype=object).reshape(2, 2)
    colours = class_colours(len(listed))
    for k, (solution, label) in enumerate(zip(listed, labels, strict=True)):
        trace, look = solution.trace, {"color": colours[k], "linestyle": _DASHES[k % len(_DASHES)], "label": label}
        distance = np.maximum((top - trace.objective) / max(1.0, abs(top)), _ROUNDING)
        violation = np.maximum(trace.violation, _ROUNDING)
        for column, along in enumerate((np.maximum(trace.seconds, 1e-6), np.maximum(trace.steps, 1))):
            for row, values in enumerate((distance, violation)):
                # A dot at the end: where a solver stopped is as much of interest as the way.
                panels[row, column].plot(along, values, linewidth=1.6, gid=label, **look)
                panels[row, column].plot(along[-1:], values[-1:], marker="o", markersize=5, color=colours[k])
    _name(panels)
    return panels


def _labels(solutions: list[Any], names: Sequence[str] | None) -> list[str]:
    wrong = [type(solution).__name__ for solution in solutions if not isinstance(solution, Solution)]
    if wrong or not solutions:
        raise InvalidInput(
            f"The 'solutions' parameter of convergence must be one or more solutions of maxmargin.solve. Got {wrong or 'none'}."
        )
    empty = [k for k, solution in enumerate(solutions) if len(solution.trace) == 0]
    if empty:
        raise InvalidInput(f"Solutions {empty} have no trace, so there is nothing to draw of them. Leave them out.")
    if names is None:
        return [str(k) for k in range(len(solutions))]
    if isinstance(names, str) or len(names) != len(solutions):
        got = repr(names) if isinstance(names, str) else f"{len(names)}"
        raise InvalidInput(f"The 'names' parameter of convergence must have one name for each of {len(solutions)}. Got {got}.")
    return [str(name) for name in names]


def _name(panels: NDArray[Any]) -> None:
    ticker = matplotlib_module("matplotlib.ticker")
    titles = ("distance from the optimum", "KKT violation")
    for row in range(2):
        for column, along in enumerate(("seconds", "steps")):
            ax: Axes = panels[row, column]
            ax.set_xscale("log")
            ax.set_yscale("log")
            ax.grid(True, which="major", color="#dddddd", linewidth=0.6)
            ax.set_axisbelow(True)
            ax.yaxis.set_major_locator(ticker.LogLocator(numticks=8))
            ax.set_xlabel(along)
            if column == 0:
                ax.set_ylabel(titles[row], color=INK)
            for side in ("top", "right"):
                ax.spines[side].set_visible(False)
    panels[0, 1].legend(loc="upper left", bbox_to_anchor=(1.01, 1.0), borderaxespad=0.0, frameon=False)
