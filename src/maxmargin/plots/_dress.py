"""What all pictures have in common: where they are drawn, words, ticks, grid and legend in the colours of their theme."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Literal

import numpy as np

from maxmargin.errors import InvalidInput
from maxmargin.plots._canvas import matplotlib_module, screen_axes
from maxmargin.plots._style import Theme, theme_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["Legend", "begin", "check_legend", "class_name", "columns_for", "count_upwards", "finish"]

Legend = Literal["auto", "inside", "outside", "below"] | bool | None
_BROAD: Final = 6.2
"""Inches that axes need to have a legend beside them."""
_LETTER: Final = 0.6
"""Width of a letter, as a part of the size of its font."""
_USED: Final = 0.85
"""Part of the width that a legend may take: the middle of the axes is not that of the picture."""
_KEY: Final = 4.8
"""Width of a legend's mark and of the room around it, in the same unit."""
_SOME: Final = 1000
_LARGEST: Final = 60.0
"""Area in points² of a legend's mark: larger ones would lie on each other."""


def check_legend(legend: Any, owner: str) -> str | None:
    """The place of a legend, or None for none."""
    if legend is None or legend is False:
        return None
    if legend is True:
        return "auto"
    if isinstance(legend, str) and legend in ("auto", "inside", "outside", "below"):
        return legend
    raise InvalidInput(
        f"The 'legend' parameter of {owner} must be True, False, 'auto', 'inside', 'outside', 'below' or None. Got {legend!r}"
        " instead."
    )


def begin(ax: Axes | None) -> tuple[Axes, Theme]:
    """The axes to draw on, and the theme that suits them."""
    axes = screen_axes() if ax is None else ax
    return axes, theme_of(axes)


def finish(
    ax: Axes,
    theme: Theme,
    *,
    labels: tuple[str, str],
    title: str | None,
    legend: str | None,
    grid: bool = False,
    frame: bool = False,
    handles: list[Any] | None = None,
    note: str = "",
) -> Axes:
    """Words, ticks and the legend; the note stands above the axes, and below a title that the caller asks for."""
    ax.set_xlabel(labels[0], color=theme.ink)
    ax.set_ylabel(labels[1], color=theme.ink)
    ax.tick_params(colors=theme.ink, which="both")
    for side, spine in ax.spines.items():
        spine.set_color(theme.middle)
        spine.set_visible(frame or side in ("left", "bottom"))
    if grid:
        ax.grid(True, color=theme.faint, linewidth=0.6)
        ax.set_axisbelow(True)
    if title is None and note:
        ax.set_title(note, loc="left", fontsize="small", color=theme.ink)
    elif title is not None:
        above = matplotlib_module("matplotlib").rcParams["axes.titlepad"]
        words = ax.annotate(note, (0.0, 1.0), xycoords="axes fraction", xytext=(0.0, above), textcoords="offset points")
        words.set(fontsize="small", color=theme.ink, gid="note")
        ax.set_title(title, color=theme.ink, pad=above + (1.4 * float(words.get_fontsize()) if note else 0.0))
    if legend is not None:
        _draw_legend(ax, theme, legend, handles)
    return ax


def columns_for(words: list[str], inches: float) -> int:
    """As many columns as fit beside each other; a legend fills them one after the other."""
    letter = matplotlib_module("matplotlib.font_manager").FontProperties(size="small").get_size_in_points() / 72.0
    sizes = [letter * (_KEY + _LETTER * len(each)) for each in words]
    for columns in range(len(words), 1, -1):
        if sum(float(part.max()) for part in np.array_split(sizes, columns)) <= _USED * inches:
            return columns
    return 1


def class_name(label: Any) -> str:
    """A class in words: whole numbers without the ``.0`` that files of numbers give them."""
    return f"{label:.0f}" if isinstance(label, float | np.floating) and float(label).is_integer() else str(label)


def count_upwards(ax: Axes) -> None:
    """Ticks at whole numbers: there are no half rows."""
    ax.yaxis.set_major_locator(matplotlib_module("matplotlib.ticker").MaxNLocator(integer=True))


def _under(ax: Axes) -> Any:
    """Coordinates of the axes, moved down by what ticks and words below them take, however high the axes are."""
    size = matplotlib_module("matplotlib.font_manager").FontProperties
    points = sum(
        size(size=matplotlib_module("matplotlib").rcParams[f"{part}.{name}size"]).get_size_in_points()
        for part, name in (("xtick", "label"), ("axes", "label"))
    )
    figure: Any = ax.figure
    moved = matplotlib_module("matplotlib.transforms").ScaledTranslation(
        0.0, -(1.3 * points + 16.0) / 72.0, figure.dpi_scale_trans
    )
    return ax.transAxes + moved


def _draw_legend(ax: Axes, theme: Theme, place: str, handles: list[Any] | None) -> None:
    shown = ax.get_legend_handles_labels()[0] if handles is None else handles
    if not shown:
        return
    figure: Any = ax.figure
    spec = ax.get_subplotspec()
    width = figure.bbox.width / figure.dpi / (1 if spec is None else spec.get_gridspec().ncols)
    if place == "auto":
        place = "inside" if figure.get_layout_engine() is None else "outside" if width >= _BROAD else "below"
    look: dict[str, Any] = {"labelcolor": theme.ink, "fontsize": "small"}
    if place == "outside":
        look |= {"loc": "upper left", "bbox_to_anchor": (1.01, 1.0), "borderaxespad": 0.0, "frameon": False}
    elif place == "below":
        look |= {
            "loc": "upper center",
            "bbox_to_anchor": (0.5, 0.0),
            "bbox_transform": _under(ax),
            "borderaxespad": 0.0,
            "frameon": False,
            "ncols": columns_for([str(part.get_label()) for part in shown], width),
        }
    else:
        marks = sum(np.shape(part.get_offsets())[0] for part in ax.collections)
        look |= {"loc": "best" if marks <= _SOME else "upper right"}  # the search for a free corner takes its time
        look |= {"framealpha": 0.9, "facecolor": theme.paper, "edgecolor": theme.faint}
    drawn: list[Any] = list(ax.legend(handles=shown, **look).legend_handles)
    for mark in drawn:
        if hasattr(mark, "set_sizes"):
            mark.set_sizes(np.minimum(mark.get_sizes(), _LARGEST))
