"""Colours, marks and words of the pictures.

Classes are told apart by colour (Okabe and Ito's palette for colour-blind readers, and three darker ones), kinds of
training object by shape, so that neither depends on the other and a grey print still shows the kinds.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, final

from maxmargin.plots._canvas import matplotlib_module
from maxmargin.solution import Kind

Colour = tuple[float, float, float]

INK: Final = "#222222"
FULL_AREA: Final = 34.0
"""Area of a mark, in points², where there is room for it."""
_PALETTE: Final = (
    *("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#8C7A00"),
    *("#332288", "#882255", "#666666"),
)


@final
@dataclass(frozen=True)
class Mark:
    """How one kind of training object looks, and what the legend calls it."""

    words: str
    marker: str
    size: float
    alpha: float


MARKS: Final[dict[Kind, Mark]] = {
    Kind.NON_INFORMATIVE: Mark("non-informative", "o", 0.65, 0.55),
    Kind.BOUNDARY: Mark("on the margin", "D", 1.0, 1.0),
    Kind.INSIDE_RIGHT: Mark("inside the band, right", "^", 1.3, 1.0),
    Kind.WRONG: Mark("misclassified", "X", 1.7, 1.0),
}


def class_colours(count: int) -> list[Colour]:
    """Choose one colour for each class: from the palette while it lasts, else evenly spaced ones."""
    colours = matplotlib_module("matplotlib.colors")
    if count <= len(_PALETTE):
        return [colours.to_rgb(code) for code in _PALETTE[:count]]
    turbo = matplotlib_module("matplotlib").colormaps["turbo"]
    return [colours.to_rgb(turbo(0.05 + 0.9 * k / (count - 1))) for k in range(count)]


def tint(colour: Colour, strength: float) -> Colour:
    """Mix a colour into white; opaque, so that overlapping areas leave no seams."""
    red, green, blue = (1.0 + strength * (part - 1.0) for part in colour)
    return red, green, blue


def mark_area(count: int) -> float:
    """Area of one mark in points²: smaller when there are many, so that they stay apart."""
    return float(min(FULL_AREA, max(5.0, FULL_AREA * (300.0 / max(count, 1)) ** 0.5)))
