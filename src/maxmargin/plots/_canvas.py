"""Where pictures are drawn: the one place that imports matplotlib."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from maxmargin.errors import MissingExtra

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


def matplotlib_module(name: str) -> Any:
    """Import ``matplotlib`` or one of its modules, or say how to install it.

    Raises
    ------
    MissingExtra
        When matplotlib cannot be imported; the message has the install line.
    """
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise MissingExtra(
            f'Drawing needs matplotlib, which could not be imported ({error}). Install it with: pip install "maxmargin[plots]"'
        ) from error


def canvas(width: float = 7.5, height: float = 5.0) -> tuple[Figure, Axes]:
    """Make an empty figure that needs neither pyplot nor a screen.

    For scripts, servers and tests: ``figure, ax = canvas()``, draw on ``ax``, then ``figure.savefig(path)``.

    Parameters
    ----------
    width, height : float
        Size in inches.

    Returns
    -------
    (Figure, Axes)
        The figure is not registered with pyplot, so nothing has to be closed.

    Examples
    --------
    >>> from maxmargin.plots import canvas
    >>> figure, ax = canvas(4.0, 3.0)
    >>> figure.axes == [ax]
    True
    """
    figure: Figure = matplotlib_module("matplotlib.figure").Figure(figsize=(width, height), layout="constrained")
    return figure, figure.subplots()


def screen_axes() -> Axes:
    """Make the axes of a new pyplot figure, which notebooks and ``plt.show()`` display."""
    _, ax = matplotlib_module("matplotlib.pyplot").subplots(figsize=(7.5, 5.0), layout="constrained")
    result: Axes = ax
    return result


def screen_panels(rows: int, columns: int) -> Any:
    """Make several axes of a new pyplot figure."""
    _, axes = matplotlib_module("matplotlib.pyplot").subplots(rows, columns, figsize=(10.0, 6.5), layout="constrained")
    return axes
