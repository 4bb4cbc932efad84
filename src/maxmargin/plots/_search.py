"""The scores of a search over two parameters."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from maxmargin.errors import InvalidInput
from maxmargin.plots._canvas import matplotlib_module
from maxmargin.plots._dress import Legend, begin, check_legend, finish
from maxmargin.plots._kinds import refuse
from maxmargin.plots._style import mark_area

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_FEWEST = 2
_SPARSE = 4  # cells for a candidate: of more it is no grid
_LOGARITHMIC = 20.0  # largest over smallest value from which an axis is logarithmic


def search_surface(
    search: Any,
    x: str | None = None,
    y: str | None = None,
    *,
    metric: str = "score",
    ax: Any = None,
    legend: Legend = None,
    title: str | None = None,
) -> Axes:
    """Draw the mean held-out score of a search over two of its parameters, and where it is best.

    Candidates on a grid are cells, others, as those of a random search, dots. Of candidates that differ in other parameters
    only, the best is shown. Cells without a score are left empty. The ring marks the best score; the cross, where it is
    another, the candidate that was chosen.

    Parameters
    ----------
    search : GridSearchCV, RandomizedSearchCV, SVCCV, …
        Fitted: what has ``cv_results_``.
    x, y : str, optional
        The parameters of the two axes; by default those with the most numbers tried, C across.
    metric : str, default="score"
        Which of several scores.
    ax : matplotlib Axes, optional
        Where to draw. By default new axes of a pyplot figure.
    legend : bool, "auto", "inside", "outside", "below" or None, default=None
        Where the ring and the cross are explained.
    title : str, optional
        By default the best score and its parameters.

    Returns
    -------
    Axes
        The axes.

    Raises
    ------
    InvalidInput
        When there are not two parameters with numbers to draw, or no such score.
    MissingExtra
        When matplotlib is not installed.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from maxmargin import SVCCV
    >>> from maxmargin.plots import search_surface
    >>> X, y = load_iris(return_X_y=True)
    >>> ax = search_surface(SVCCV(Cs=5, gammas=4).fit(X, y))
    >>> ax.get_xlabel(), ax.get_ylabel()
    ('C', 'gamma')
    """
    place = check_legend(legend, "search_surface")
    results = getattr(search, "cv_results_", None)
    if results is None:
        refuse("search_surface", "a fitted search, which has cv_results_", search)
    if f"mean_test_{metric}" not in results:
        known = sorted(name.removeprefix("mean_test_") for name in results if name.startswith("mean_test_"))
        raise InvalidInput(f"The search has no score {metric!r}. Its scores are: {', '.join(known)}.")
    numbers = _numbers(results)
    across, up = _chosen(numbers, x, y)
    scores = np.asarray(results[f"mean_test_{metric}"], dtype=np.float64)
    xs, ys = np.unique(numbers[across]), np.unique(numbers[up])
    drawn, theme = begin(ax)
    if len(xs) * len(ys) <= _SPARSE * len(scores):
        surface = np.full((len(ys), len(xs)), np.nan)
        places = np.searchsorted(ys, numbers[up]), np.searchsorted(xs, numbers[across])
        np.fmax.at(surface, places, scores)
        mesh: Any = drawn.pcolormesh(_edges(xs), _edges(ys), surface, cmap="viridis")
    else:
        upwards = np.argsort(np.nan_to_num(scores, nan=-np.inf), kind="stable")  # the best are on top
        at = numbers[across][upwards], numbers[up][upwards]
        area = 1.6 * mark_area(len(scores), drawn)
        mesh = drawn.scatter(*at, c=scores[upwards], s=area, cmap="viridis", edgecolors=[theme.middle], linewidths=0.5)
    bar = drawn.figure.colorbar(mesh, ax=drawn)
    bar.set_label(f"mean held-out {metric}", color=theme.ink)
    bar.ax.tick_params(colors=theme.ink)
    for values, axis in ((xs, "x"), (ys, "y")):
        if values[0] > 0.0 and values[-1] > _LOGARITHMIC * values[0]:
            getattr(drawn, f"set_{axis}scale")("log")
    best = int(np.nanargmax(scores))
    effects = matplotlib_module("matplotlib.patheffects")
    look: dict[str, Any] = {"ls": "", "mec": "white", "mew": 1.8}  # on any colour, and on any paper
    look["path_effects"] = [effects.Stroke(linewidth=4.0, foreground="#222222"), effects.Normal()]
    drawn.plot(numbers[across][best], numbers[up][best], "o", mfc="none", ms=11, label="best", **look)
    taken = getattr(search, "best_index_", best)
    if taken != best:
        drawn.plot(numbers[across][taken], numbers[up][taken], "x", ms=9, label="chosen", **look)
    words = f"{scores[best]:.4g} at {across} = {numbers[across][best]:.3g}, {up} = {numbers[up][best]:.3g}"
    finish(drawn, theme, labels=(across, up), title=words if title is None else title, legend=place, frame=True)
    drawn.title.set_fontsize(10)
    return drawn


def _numbers(results: dict[str, Any]) -> dict[str, NDArray[np.float64]]:
    """The parameters that have numbers in all candidates, and more than one; those with most of them first."""
    found = {}
    for name in (each for each in results if each.startswith("param_")):
        values = np.ma.asarray(results[name])
        every = list(values.filled(None)) if values.mask.any() else list(values)
        if all(isinstance(value, int | float | np.number) and not isinstance(value, bool) for value in every):
            found[name.removeprefix("param_")] = np.array(every, dtype=np.float64)
    several = {name: values for name, values in found.items() if len(np.unique(values)) > 1}
    return dict(sorted(several.items(), key=lambda item: -len(np.unique(item[1]))))


def _chosen(numbers: dict[str, NDArray[np.float64]], x: str | None, y: str | None) -> tuple[str, str]:
    for name in (x, y):
        if name is not None and name not in numbers:
            raise InvalidInput(
                f"The search has no parameter {name!r} with several numbers. It has: {', '.join(numbers) or 'none'}."
            )
    if len(numbers) < _FEWEST or (x is not None and x == y):
        raise InvalidInput(
            f"search_surface draws the scores over two parameters with several numbers. The search has {len(numbers)}:"
            f" {', '.join(numbers) or 'none'}." + (" Use plots.path for it." if numbers else "")
        )
    costs = [name for name in numbers if name.rpartition("__")[2] in ("C", "nu")]
    across = x or next(name for name in [*costs, *numbers] if name != y)
    return across, y or next(name for name in numbers if name != across)


def _edges(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Borders of cells around values: half way between neighbours, by their logarithms if they spread by factors."""
    factors = values[0] > 0.0 and values[-1] > _LOGARITHMIC * values[0]
    at = np.log(values) if factors else values
    middles = 0.5 * (at[1:] + at[:-1])
    edges = np.concatenate([[2.0 * at[0] - middles[0]], middles, [2.0 * at[-1] - middles[-1]]])
    return np.exp(edges) if factors else edges
