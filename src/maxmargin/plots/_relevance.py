"""Which features a model uses, as bars."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from maxmargin.errors import InvalidInput
from maxmargin.estimators import expansion_of
from maxmargin.inspection import relevance as shares_of
from maxmargin.plots._canvas import matplotlib_module
from maxmargin.plots._dress import Legend, begin, check_legend, finish
from maxmargin.plots._kinds import SOLUTIONS, fitted_model, has_features, last_of, refuse
from maxmargin.validation import check_integer

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_SMALLEST: Final = 3.5  # points


def relevance(
    model: Any,
    X: Any,
    *,
    feature_names: Sequence[str] | None = None,
    most: int = 20,
    ax: Axes | None = None,
    legend: Legend = None,
    title: str | None = None,
) -> Axes:
    """Draw the share of each feature in what moves the decision function: see `maxmargin.inspection.relevance`.

    Parameters
    ----------
    model : fitted estimator
        A kernel model with a smooth kernel, a linear model, a pipeline of affine steps that ends in one, or a search.
    X : {array-like, sparse matrix} of shape (n, d)
        Rows as they come.
    feature_names : sequence of d names, optional
        By default the columns of a data frame.
    most : int, default=20
        How many features are drawn, those with the largest shares; a note says how many others there are, and what share they
        have together.
    ax : matplotlib Axes, optional
        Where to draw. By default a new pyplot figure.
    legend : bool, "auto", "inside", "outside", "below" or None, default=None
        There is nothing to explain but what the bars are.
    title : str, optional
        None by default.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from maxmargin import SVC
    >>> from maxmargin.plots import relevance
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> [label.get_text() for label in relevance(SVC().fit(X, y), X).get_yticklabels()][-1]
    'petal length (cm)'
    """
    place, count = check_legend(legend, "relevance"), check_integer("most", most, "relevance", 1)
    model = fitted_model(model)
    last = last_of(model)
    expansion = None if isinstance(last, SOLUTIONS) else expansion_of(last)
    wanted = "gradients, of kernel models with a smooth kernel and of linear models"
    if not has_features(model):
        refuse("relevance", wanted, model, "it knows rows by kernel values only")
    if expansion is None and getattr(last, "coef_", None) is None:
        refuse("relevance", wanted, model)
    if expansion is not None and expansion.kernel.roughness:
        refuse("relevance", wanted, model, expansion.kernel.roughness)
    shares = shares_of(model, X)
    names = list(X.columns) if feature_names is None and hasattr(X, "columns") else feature_names
    if names is not None and len(names) != len(shares):
        raise InvalidInput(f"feature_names must have one name for each of the {len(shares)} features of X. Got {len(names)}.")
    labels = [f"feature {k}" for k in range(len(shares))] if names is None else [str(name) for name in names]
    order = np.argsort(-shares, kind="stable")
    shown = order[:count]
    words, values = [labels[k] for k in shown], shares[shown].tolist()
    others = len(order) - len(shown)
    rest = f"{others} other feature{'s' if others > 1 else ''} {'have' if others > 1 else 'has'}"
    note = f"{rest} {float(shares[order[count:]].sum()):.0%}{' together' if others > 1 else ''}" if others else ""

    axes, theme = begin(ax)
    places = np.arange(len(values))[::-1]
    axes.barh(places, values, color=theme.colours(1)[0], height=0.72, label="share")
    axes.set_yticks(places[::-1], words[::-1], fontsize=_font(axes, len(values)))
    axes.set_ylim(-0.6, len(values) - 0.4)
    finish(axes, theme, labels=("share of what moves f", ""), title=title, legend=place, grid=True, note=note)
    axes.grid(False, axis="y")
    axes.tick_params(axis="y", length=0.0)
    return axes


def _font(axes: Axes, bars: int) -> float:
    """Size of the names in points: as usual, or as small as the bars are."""
    figure: Any = axes.figure
    room = float(axes.get_position().height * figure.bbox.height / figure.dpi * 72.0 / bars)
    usual = float(matplotlib_module("matplotlib").rcParams["font.size"])
    return min(usual, max(_SMALLEST, 0.85 * room))
