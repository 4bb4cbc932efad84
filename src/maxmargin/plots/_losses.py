"""All losses of the margin in one picture."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from maxmargin.losses import Exponential, Hinge, Logistic, MarginLoss, Perceptron, Squared, SquaredHinge, ZeroOne
from maxmargin.plots._dress import Legend, begin, check_legend, finish

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_DRAWN: Final[tuple[tuple[str, MarginLoss, str], ...]] = (
    ("hinge", Hinge(), "-"),
    ("squared hinge", SquaredHinge(), "--"),
    ("logistic", Logistic(), "-"),
    ("exponential", Exponential(), "-."),
    ("squared", Squared(), ":"),
    ("perceptron", Perceptron(), "--"),
)
_TOP: Final = 4.0


def margin_losses(ax: Any = None, *, legend: Legend = "inside", title: str | None = None) -> Axes:
    """Draw all losses of the margin ``z = y f(x)`` together.

    The zero-one loss counts errors. Hinge, squared hinge, exponential and squared loss lie above it. So does the logistic
    loss in bits, ``log₂(1 + e^−z)``; it is drawn in nats, as it is used. The perceptron loss has no margin.

    Parameters
    ----------
    ax : matplotlib Axes, optional
        Where to draw. By default a new pyplot figure.
    legend : bool, "auto", "inside", "outside", "below" or None, default="inside"
        Where the losses are named.
    title : str, optional
        None by default.

    Returns
    -------
    Axes
        With one line for each loss; its ``gid`` is the name.

    Examples
    --------
    >>> from maxmargin.plots import canvas, margin_losses
    >>> figure, ax = canvas()
    >>> len(margin_losses(ax).lines)
    8
    """
    place = check_legend(legend, "margin_losses")
    drawn, theme = begin(ax)
    z = np.linspace(-2.0, 3.0, 501)
    # The step in two pieces: a line through the jump would be a value the loss never has.
    for part in (z[z <= 0.0], z[z > 0.0]):
        first = part[0] <= 0.0
        look: dict[str, Any] = {"color": theme.ink, "linewidth": 2.4, "gid": "zero-one"}
        drawn.plot(part, ZeroOne().value(part), label="zero-one" if first else None, **look)
    for colour, (name, loss, dash) in zip(theme.colours(len(_DRAWN)), _DRAWN, strict=True):
        drawn.plot(z, loss.value(z), color=colour, linestyle=dash, linewidth=1.7, label=name, gid=name)
    drawn.set_xlim(z[0], z[-1])
    drawn.set_ylim(-0.1, _TOP)
    finish(drawn, theme, labels=("margin  y f(x)", "loss"), title=title, legend=place, grid=True)
    names = drawn.get_legend()
    if place == "inside" and names is not None:
        names.set_loc("upper center")  # where no loss passes, whatever the size
    return drawn
