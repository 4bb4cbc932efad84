"""Rows as marks: dots, crosses where they are beyond what they should have, rings around support vectors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from maxmargin.plots._style import INK, class_colours, mark_area

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["draw_rows"]


def draw_rows(
    axes: Axes,
    across: NDArray[np.float64],
    up: NDArray[np.float64],
    beyond: NDArray[np.bool_],
    names: tuple[str, str],
    support: NDArray[Any] | None,
) -> None:
    """Draw rows at ``(across, up)``; ``names`` are those of the rows that are not beyond and of those that are."""
    area = mark_area(len(beyond))
    looks = zip((~beyond, beyond), class_colours(2), ("o", "X"), (0.8, 1.5), names, strict=True)
    for chosen, colour, marker, scale, name in looks:
        axes.scatter(
            across[chosen],
            up[chosen],
            s=scale * area,
            marker=marker,
            color=[colour],
            edgecolors="white",
            linewidths=0.5,
            zorder=3,
            label=f"{name} ({int(chosen.sum())})",
            gid=name,
        )
    if support is None:
        return
    axes.scatter(
        across[support],
        up[support],
        s=3.4 * area,
        marker="o",
        facecolors="none",
        edgecolors=INK,
        linewidths=0.8,
        zorder=2.5,
        label=f"support vector ({len(support)})",
        gid="support",
    )
