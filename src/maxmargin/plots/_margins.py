"""How far training rows are on the right side: the distribution of margins."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from maxmargin.plots._dress import Legend, begin, check_legend, class_name, count_upwards, finish
from maxmargin.plots._subject import Subject, subject_of
from maxmargin.validation import check_integer

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_MOST: Final = 10


def margin_distribution(
    model: Any,
    X: Any,
    y: ArrayLike,
    *,
    bins: int = 60,
    ax: Axes | None = None,
    legend: Legend = "auto",
    title: str | None = None,
) -> Axes:
    """Draw how far rows are on the right side of the boundary.

    For two classes it is the margin ``y f(x)`` of each row: below 0 it is misclassified, and between 0 and 1 inside the band of
    an SVM. For more it is by how much the value of a row's class is ahead of its strongest rival. Schapire, Freund, Bartlett
    and Lee (Boosting the margin, 1998) explain generalisation by it. Bars are stacked by class.

    Parameters
    ----------
    model : classifier, Pipeline, search or solution
        Any fitted classifier; also with a precomputed kernel, X being its rows then.
    X : rows
        What the model takes.
    y : array-like of shape (n,)
        Their labels.
    bins : int, default=60
        Bars.
    ax : matplotlib Axes, optional
        Where to draw. By default a new pyplot figure.
    legend : bool, "auto", "inside", "outside", "below" or None, default="auto"
        Where the classes are named, with the share of their rows that is misclassified.
    title : str, optional
        None by default.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from maxmargin import LinearSVC
    >>> from maxmargin.plots import margin_distribution
    >>> X, y = load_iris(return_X_y=True)
    >>> ax = margin_distribution(LinearSVC().fit(X, y), X, y)
    """
    place, count = check_legend(legend, "margin_distribution"), check_integer("bins", bins, "margin_distribution", 1)
    subject = subject_of(model, y, "margin_distribution")
    n = X.shape[0] if hasattr(X, "shape") else len(X)
    labels = subject.index_labels(y, n)
    ahead = _ahead(subject, X, labels)
    wrong = subject.winners(X) != labels

    axes, theme = begin(ax)
    shown = range(len(subject.classes)) if len(subject.classes) <= _MOST else [None]
    colours = theme.colours(len(shown))
    parts, looks, names = [], [], []
    for k in shown:
        chosen = np.ones(n, dtype=bool) if k is None else labels == k
        parts.append(ahead[chosen])
        looks.append(colours[0 if k is None else k])
        name = f"all {len(subject.classes)} classes" if k is None else class_name(subject.classes[k])
        names.append(f"{name}: {int(wrong[chosen].sum())} of {int(chosen.sum())} misclassified")
    low, high = min(0.0, float(ahead.min())), max(0.0, float(ahead.max()))
    edges = np.linspace(low, high if high > low else low + 1.0, count + 1)
    if low < 0.0 < high:  # an edge at 0, so that no bar has both right and wrong rows
        edges = np.unique(np.append(edges - edges[np.abs(edges).argmin()], [low, high]))
    axes.hist(parts, bins=edges.tolist(), stacked=True, color=looks, label=names, edgecolor=theme.paper, linewidth=0.4)
    axes.axvline(0.0, color=theme.ink, linewidth=1.8, label="boundary")
    if subject.band is not None and subject.band.is_margin:
        axes.axvline(1.0, color=theme.ink, linewidth=1.0, linestyle="--", label="margin")
    count_upwards(axes)
    across = "y f(x)" if len(subject.classes) == 2 else "value of the class less that of its strongest rival"
    return finish(axes, theme, labels=(across, "rows"), title=title, legend=place, grid=True)


def _ahead(subject: Subject, X: Any, labels: NDArray[np.int64]) -> NDArray[np.float64]:
    """How far each row's own class is ahead."""
    scores = subject.scores(X)
    if len(subject.sides) == 1:
        return np.asarray(np.where(labels == 1, 1.0, -1.0) * scores[:, 0])
    if all(negative is None for _, negative in subject.sides):
        own = np.take_along_axis(scores, labels[:, np.newaxis], axis=1)[:, 0]
        others = scores.copy()
        np.put_along_axis(others, labels[:, np.newaxis], -np.inf, axis=1)
        return np.asarray(own - others.max(axis=1))
    return np.asarray(np.take_along_axis(subject.leads(scores), labels[:, np.newaxis], axis=1)[:, 0])
