"""What all pictures have in common: where they are drawn, words, ticks, grid and legend in the colours of their theme."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Literal

import numpy as np

from maxmargin.errors import InvalidInput
from maxmargin.plots._canvas import screen_axes
from maxmargin.plots._style import Theme, theme_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["Legend", "begin", "check_legend", "finish"]

Legend = Literal["auto", "inside", "outside", "below"] | bool | None
_BROAD: Final = 6.2
"""Inches that axes need to have a legend beside them."""
_COLUMN: Final = 2.4
"""Inches of a column of a legend below."""
_SOME: Final = 1000


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
    """Words, ticks and the legend; the note is a title that the caller did not ask for."""
    ax.set_xlabel(labels[0], color=theme.ink)
    ax.set_ylabel(labels[1], color=theme.ink)
    ax.tick_params(colors=theme.ink, which="both")
    for side, spine in ax.spines.items():
        spine.set_color(theme.middle)
        spine.set_visible(frame or side in ("left", "bottom"))
    if grid:
        ax.grid(True, color=theme.faint, linewidth=0.6)
        ax.set_axisbelow(True)
    if title is not None:
        ax.set_title(title, color=theme.ink)
    elif note:
        ax.set_title(note, loc="left", fontsize="small", color=theme.ink)
    if legend is not None:
        _draw_legend(ax, theme, legend, handles)
    return ax


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
        columns = min(len(shown), max(1, int(width / _COLUMN)))
        look |= {
            "loc": "upper center",
            "bbox_to_anchor": (0.5, -0.16),
            "borderaxespad": 0.0,
            "frameon": False,
            "ncols": columns,
        }
    else:
        marks = sum(np.shape(part.get_offsets())[0] for part in ax.collections)
        look |= {"loc": "best" if marks <= _SOME else "upper right"}  # the search for a free corner takes its time
        look |= {"framealpha": 0.9, "facecolor": theme.paper, "edgecolor": theme.faint}
    ax.legend(handles=shown, **look)
