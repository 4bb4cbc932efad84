"""How solvers approach the optimum: distance from it and violation, over time and over steps."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, Literal, cast

import numpy as np
from numpy.typing import NDArray

from maxmargin.errors import InvalidInput
from maxmargin.plots._canvas import matplotlib_module, screen_panels
from maxmargin.plots._dress import Legend, check_legend, columns_for, finish
from maxmargin.plots._kinds import SOLUTIONS, last_of, refuse
from maxmargin.plots._style import Theme, theme_of
from maxmargin.solution import CrammerSingerSolution, LinearSolution, MulticlassSolution, Solution, Trace
from maxmargin.validation import check_option

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_ROUNDING: Final = 1e-16
"""Distances below this part of the objective are rounding; they are drawn there, as a logarithm has no 0."""
_APART: Final = 1e-6
"""Objectives that differ by more than this part contradict each other; by less it is rounding."""
_FEW: Final = 12
"""Checkpoints up to which each is a dot."""
_BROAD: Final = 9.0
"""Inches that four axes need to have a legend beside them."""
_DASHES: Final = ("-", "--", "-.", ":")

AnySolution = Solution | CrammerSingerSolution | LinearSolution | MulticlassSolution
_DUAL: Final = (Solution, CrammerSingerSolution)  # what moves is the multipliers


def convergence(
    solutions: AnySolution | Sequence[AnySolution] | Mapping[str, AnySolution],
    names: Sequence[str] | None = None,
    *,
    ax: Axes | None = None,
    along: Literal["seconds", "steps"] = "seconds",
    axes: Any = None,
    best: float | None = None,
    legend: Legend = "auto",
    title: str | None = None,
) -> Any:
    """Draw how several solvers approach the optimum of one problem.

    The upper axes show how far the solver's objective is from the best known dual objective, relative to its size:
    ``(D* − D) / max(1, |D*|)`` for a dual objective, ``(P − D*) / max(1, |D*|)`` for the primal one of linear models. The lower
    axes show the KKT violation as the solver sees it; if a linear model is among the solutions, they show the relative gap
    ``(P − D) / max(|P|, |D|)`` for all. The left axes are over seconds, the right ones over the solver's own steps: pair steps,
    rounds or gradient steps. All axes are logarithmic. The numbers are those of `Solution.trace`; for a hard margin they are
    those of its nearest-point problem.

    Parameters
    ----------
    solutions : Solution, CrammerSingerSolution, LinearSolution, MulticlassSolution, sequence or dict of these
        Answers to the same problem; the keys of a dict are their names. A fitted estimator of one binary classifier or output
        stands for its one solution.
    names : sequence of str, optional
        One for each in the legend; by default the names of their solvers.
    ax : matplotlib Axes, optional
        Where to draw the distance from the optimum alone.
    along : "seconds" or "steps", default="seconds"
        What is across in ``ax``.
    axes : array of four matplotlib Axes, optional
        Where to draw all, row by row. By default a new pyplot figure.
    best : float, optional
        The optimum of the dual; by default the best that any of the traces reached.
    legend : bool, "auto", "inside", "outside", "below" or None, default="auto"
        Where the solutions are named.
    title : str, optional
        None by default.

    Returns
    -------
    ndarray of shape (2, 2), or matplotlib Axes
        The axes; ``ax`` if that is given.

    Raises
    ------
    InvalidInput
        When there is nothing to draw, names and axes do not fit, or the solutions are not of the same problem.
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

    The same binary classifier as a linear model in the primal:

    >>> from maxmargin.kernels import Linear
    >>> from maxmargin.problems import PrimalProblem
    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], [0, 1, 0, 1]
    >>> axes = convergence({"dual": solve(SoftMargin(X, y, kernel=Linear())), "primal": solve(PrimalProblem(X, y))})
    """
    if isinstance(solutions, Mapping):
        if names is not None:
            raise InvalidInput(
                "The 'names' parameter of convergence must be None where 'solutions' is a dict: its keys are names."
            )
        names, listed = list(solutions), list(solutions.values())
    else:
        several = isinstance(solutions, Iterable) and not hasattr(solutions, "fit")
        listed = list(cast("Iterable[Any]", solutions)) if several else [cast("Any", solutions)]
    listed = [_solution_of(each) for each in listed]
    labels = _labels(listed, names)
    if axes is not None and (ax is not None or np.size(axes) != 4):
        got = f"{np.size(axes)}" if ax is None else "'ax' too"
        raise InvalidInput(f"The 'axes' parameter of convergence must be four axes. Got {got}.")
    check_option("along", along, "convergence", ("seconds", "steps"))
    place = check_legend(legend, "convergence")
    reached = max(float(solution.trace.objective.max()) for solution in listed)
    top = reached if best is None else float(best)
    _require_one_problem(listed, reached)
    linear = not all(isinstance(solution, _DUAL) for solution in listed)
    given = (ax if ax is not None else screen_panels(2, 2)) if axes is None else axes
    panels = np.asarray(given, dtype=object).reshape((1, 1) if ax is not None else (2, 2))
    ways = (along,) if ax is not None else ("seconds", "steps")
    theme = theme_of(panels[0, 0])
    colours = theme.colours(len(listed))
    for k, (solution, label) in enumerate(zip(listed, labels, strict=True)):
        trace, look = solution.trace, {"color": colours[k], "linestyle": _DASHES[k % len(_DASHES)], "label": label}
        away = top - trace.objective if isinstance(solution, _DUAL) else trace.primal - top
        distance = np.maximum(away / max(1.0, abs(top)), _ROUNDING)
        violation = np.maximum(_relative_gap(trace) if linear else trace.violation, _ROUNDING)
        for column, way in enumerate(ways):
            across = np.maximum(trace.seconds, 1e-6) if way == "seconds" else np.maximum(trace.steps, 1)
            for row, values in enumerate((distance, violation)[: len(panels)]):
                # Dots: few checkpoints are no curve. A large one at the end: where a solver stopped is of interest too.
                few = "." if len(across) <= _FEW else ""
                panels[row, column].plot(across, values, linewidth=1.6, gid=label, marker=few, **look)
                panels[row, column].plot(across[-1:], values[-1:], marker="o", markersize=5, color=colours[k])
    _name(panels, theme, ways, "relative gap" if linear else "KKT violation")
    _explain(panels, theme, place, title)
    return panels if ax is None else ax


def _require_one_problem(solutions: list[Any], reached: float) -> None:
    """Raise where weak duality does not hold: a primal objective is below a dual one."""
    for k, solution in enumerate(solutions):
        lowest = np.nan if isinstance(solution, _DUAL) else float(np.nanmin(solution.trace.primal))
        if lowest < reached - _APART * max(abs(lowest), abs(reached)):
            raise InvalidInput(
                f"The 'solutions' of convergence must be answers to one problem. Got number {k} with a primal objective of "
                f"{lowest:.6g}, below the dual objective {reached:.6g} of another. Solve the same problem, with the same C."
            )


def _relative_gap(trace: Trace) -> NDArray[np.float64]:
    return trace.gap / np.maximum(np.maximum(np.abs(trace.primal), np.abs(trace.objective)), 1e-300)


def _labels(solutions: list[Any], names: Sequence[str] | None) -> list[str]:
    for each in solutions:
        if not isinstance(each, SOLUTIONS) and hasattr(last_of(each), "fit"):
            refuse("convergence", "solutions of maxmargin.solve, or the one of a kernel model of one binary classifier", each)
    wrong = [type(solution).__name__ for solution in solutions if not isinstance(solution, SOLUTIONS)]
    if wrong or not solutions:
        raise InvalidInput(
            f"The 'solutions' parameter of convergence must be one or more solutions of maxmargin.solve. Got {wrong or 'none'}."
        )
    empty = [k for k, solution in enumerate(solutions) if len(solution.trace) == 0]
    if empty:
        raise InvalidInput(f"Solutions {empty} have no trace, so there is nothing to draw of them. Leave them out.")
    if names is None:
        own = [solution.solver for solution in solutions]
        return [name if name and own.count(name) == 1 else f"{name} {k}".strip() for k, name in enumerate(own)]
    if isinstance(names, str) or len(names) != len(solutions):
        got = repr(names) if isinstance(names, str) else f"{len(names)}"
        raise InvalidInput(f"The 'names' parameter of convergence must have one name for each of {len(solutions)}. Got {got}.")
    return [str(name) for name in names]


def _solution_of(each: Any) -> Any:
    """The one solution of an estimator that keeps it, or what was given."""
    found = [] if isinstance(each, SOLUTIONS) else getattr(last_of(each), "solutions_", [])
    return found[0] if len(found) == 1 else each


def _name(panels: NDArray[Any], theme: Theme, ways: tuple[str, ...], below: str) -> None:
    ticker = matplotlib_module("matplotlib.ticker")
    titles = ("distance from the optimum" if panels.size == 1 else "distance from\nthe optimum", below)
    for row, line in enumerate(panels):
        for column, ax in enumerate(line):
            ax.set_xscale("log")
            ax.set_yscale("log")
            ax.yaxis.set_major_locator(ticker.LogLocator(numticks=8))
            _whole_decades(ax)
            up = titles[row] if column == 0 else ""
            finish(ax, theme, labels=(ways[column], up), title=None, legend=None, grid=True)
            ax.grid(False, which="minor")


def _whole_decades(ax: Axes) -> None:
    """Seconds or steps of less than two decades: the axis ends at powers of ten, so that two of them have a number."""
    low, high = (float(np.log10(end)) for end in ax.get_xlim())
    if np.floor(high) - np.ceil(low) < 1.0:
        ax.set_xlim(10.0 ** np.floor(low + 1e-9), 10.0 ** np.ceil(high - 1e-9))


def _explain(panels: NDArray[Any], theme: Theme, place: str | None, title: str | None) -> None:
    last: Axes = panels[0, -1]
    four = panels.size > 1
    if title is not None:
        if four:
            last.figure.suptitle(title, color=theme.ink)
        else:
            last.set_title(title, color=theme.ink)
    if place is None:
        return
    figure: Any = last.figure
    if four and place == "auto" and figure.get_layout_engine() is not None and figure.bbox.width / figure.dpi < _BROAD:
        handles, words = last.get_legend_handles_labels()
        columns = columns_for(words, figure.bbox.width / figure.dpi)
        figure.legend(
            handles, words, loc="outside lower center", ncols=columns, labelcolor=theme.ink, fontsize="small", frameon=False
        )
        return
    if four and place in ("auto", "outside"):
        look: dict[str, Any] = {"bbox_to_anchor": (1.01, 1.0), "borderaxespad": 0.0, "frameon": False}
        last.legend(loc="upper left", labelcolor=theme.ink, fontsize="small", **look)
        return
    labels = (last.get_xlabel(), last.get_ylabel())
    finish(last, theme, labels=labels, title=title if not four else None, legend=place, grid=True)
