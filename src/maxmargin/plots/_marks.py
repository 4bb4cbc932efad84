"""Rows as marks: dots, crosses where they are beyond what they should have, rings around support vectors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from maxmargin.plots._style import FULL_AREA, MANY, Theme, edge_width, mark_area

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["draw_rings", "draw_rows"]


def draw_rows(
    axes: Axes,
    theme: Theme,
    across: NDArray[np.float64],
    up: NDArray[np.float64],
    beyond: NDArray[np.bool_] | None,
    names: tuple[str, str],
    support: NDArray[Any] | None,
) -> None:
    """Draw rows at ``(across, up)``; ``names`` are those of the rows that are not beyond and of those that are."""
    area = mark_area(len(across), axes)
    parts = (np.ones(len(across), dtype=bool),) if beyond is None else (~beyond, beyond)
    looks = zip(parts, theme.colours(2), ("o", "X"), (0.8, 1.5), names, strict=False)
    for chosen, colour, marker, scale, name in looks:
        axes.scatter(
            across[chosen],
            up[chosen],
            s=scale * area,
            marker=marker,
            color=[colour],
            edgecolors=[theme.paper],
            linewidths=edge_width(area),
            zorder=3,
            label=f"{name} ({int(chosen.sum())})",
            gid=name,
            rasterized=len(across) > MANY,
        )
    if support is not None and len(support):
        draw_rings(axes, theme, across[support], up[support], area, f"support vector ({len(support)})")


def draw_rings(
    axes: Axes, theme: Theme, across: NDArray[np.float64], up: NDArray[np.float64], area: float, label: str | None = None
) -> None:
    """Rings around the rows that are support vectors."""
    axes.scatter(
        across,
        up,
        s=3.4 * area,
        marker="o",
        facecolors="none",
        edgecolors=theme.ink,
        linewidths=0.8 * (area / FULL_AREA) ** 0.5,
        alpha=0.7,
        zorder=2.5,
        label=label,
        gid="support",
        rasterized=len(across) > MANY,
    )
