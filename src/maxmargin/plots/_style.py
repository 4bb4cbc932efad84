"""Colours, marks and words of the pictures, light and dark.

Classes are told apart by colour (Okabe and Ito's palette for colour-blind readers, with lighter ones for dark paper), kinds of
training object by shape, so that neither depends on the other and a grey print still shows the kinds.
"""

from __future__ import annotations

from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, final

from maxmargin.errors import InvalidInput
from maxmargin.plots._canvas import matplotlib_module
from maxmargin.solution import Kind

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Colour = tuple[float, float, float]

FULL_AREA: Final = 34.0
"""Area of a mark, in points², where there is room for it."""
_USUAL: Final = 22.0
"""Square inches of usual axes."""
_EDGED: Final = 8.0
"""Area in points² from which a mark has an edge."""
MANY: Final = 2000
"""Marks from which on they are drawn as pixels, so that files stay small."""
_LIGHT: Final = (
    *("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#8C7A00"),
    *("#332288", "#882255", "#666666"),
)
_DARK: Final = (
    *("#56B4E9", "#FF8A3D", "#2FCB9B", "#E8A2C8", "#F0E442", "#3D7DD9", "#C9A227"),
    *("#B7A6FF", "#D1477A", "#B8B8B8"),
)
_HALF: Final = 0.4
"""Brightness from which paper is light."""
_SEEN: Final = 0.45
"""Brightness that a colour needs on dark paper."""
_PAPER: Final = {"light": "#ffffff", "dark": "#16191d"}
_INK: Final = {"light": "#222222", "dark": "#e4e6e8"}
_FAINT: Final = {"light": "#dddddd", "dark": "#343a40"}
_MIDDLE: Final = {"light": "#777777", "dark": "#9aa0a6"}


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


@final
@dataclass(frozen=True)
class Theme:
    """The colours of a picture on its paper.

    Attributes
    ----------
    paper : (float, float, float)
        The background.
    ink, middle, faint : str
        Lines and words; what is less important; grids.
    palette : tuple of str
        Colours of classes.
    """

    paper: Colour
    ink: str
    middle: str
    faint: str
    palette: tuple[str, ...]

    def colours(self, count: int) -> list[Colour]:
        """Choose one colour for each class: from the palette while it lasts, else evenly spaced ones."""
        convert = matplotlib_module("matplotlib.colors").to_rgb
        if count <= len(self.palette):
            return [convert(code) for code in self.palette[:count]]
        turbo = matplotlib_module("matplotlib").colormaps["turbo"]
        colours = [convert(turbo(0.05 + 0.9 * k / (count - 1))) for k in range(count)]
        return colours if _brightness(self.paper) > _HALF else [_lightened(each) for each in colours]

    def tint(self, colour: Colour, strength: float) -> Colour:
        """Mix a colour into the paper; opaque, so that overlapping areas leave no seams."""
        red, green, blue = (base + strength * (part - base) for part, base in zip(colour, self.paper, strict=True))
        return red, green, blue


def _brightness(colour: Colour) -> float:
    return 0.2126 * colour[0] + 0.7152 * colour[1] + 0.0722 * colour[2]


def _lightened(colour: Colour) -> Colour:
    """Mixed with white until it is seen on dark paper."""
    bright = _brightness(colour)
    share = max(0.0, _SEEN - bright) / (1.0 - bright)
    red, green, blue = ((1.0 - share) * part + share for part in colour)
    return red, green, blue


def theme_of(ax: Axes) -> Theme:
    """Light or dark, as the background of the axes is."""
    convert = matplotlib_module("matplotlib.colors").to_rgba
    red, green, blue, alpha = convert(ax.get_facecolor())
    behind = convert(ax.figure.get_facecolor())
    base = behind[:3] if behind[3] > 0.0 else (1.0, 1.0, 1.0)
    paper = tuple(alpha * part + (1.0 - alpha) * under for part, under in zip((red, green, blue), base, strict=True))
    ground = (paper[0], paper[1], paper[2])
    name = "light" if _brightness(ground) > _HALF else "dark"
    return Theme(ground, _INK[name], _MIDDLE[name], _FAINT[name], _LIGHT if name == "light" else _DARK)


def style(name: str = "light") -> AbstractContextManager[Any]:
    """Make new figures light or dark: ``with plots.style("dark"): ...``.

    Pictures follow the background of the axes they are drawn on, whoever has set it: this context, ``plt.style.use`` or the
    axes themselves. On dark paper they take lighter colours of the same kinds.

    Parameters
    ----------
    name : "light" or "dark", default="light"
        Which.

    Returns
    -------
    context manager
        Within it matplotlib's settings are those of the style; after it, as before.

    Examples
    --------
    >>> from maxmargin.plots import canvas, margin_losses, style
    >>> with style("dark"):
    ...     figure, ax = canvas()
    ...     ax = margin_losses(ax)
    >>> [round(part, 2) for part in ax.get_facecolor()]
    [0.09, 0.1, 0.11, 1.0]
    """
    if name not in _PAPER:
        raise InvalidInput(f"The 'name' parameter of style must be 'light' or 'dark'. Got {name!r} instead.")
    matplotlib = matplotlib_module("matplotlib")
    cycler = matplotlib.rcsetup.cycler
    ink, paper = _INK[name], _PAPER[name]
    context: AbstractContextManager[Any] = matplotlib.rc_context(
        {
            **{f"{part}.facecolor": paper for part in ("figure", "axes")},
            **dict.fromkeys(("text.color", "axes.labelcolor", "axes.edgecolor", "xtick.color", "ytick.color"), ink),
            "grid.color": _FAINT[name],
            "axes.prop_cycle": cycler(color=list(_LIGHT if name == "light" else _DARK)),
        }
    )
    return context


def edge_width(area: float) -> float:
    """Width of the line around a mark, in points: none around small ones, which it would hide."""
    return 0.5 if area > _EDGED else 0.0


def mark_area(count: int, ax: Axes) -> float:
    """Area of one mark in points²: smaller when there are many, so that they stay apart, larger in a large picture."""
    figure: Any = ax.figure
    box = ax.get_position()
    inches = max(0.1, box.width * box.height * figure.bbox.width * figure.bbox.height / figure.dpi**2)
    room = min(2.5, max(0.5, inches / _USUAL))
    return float(room * min(FULL_AREA, max(5.0, FULL_AREA * (300.0 / max(count, 1)) ** 0.5)))
