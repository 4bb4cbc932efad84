"""The decision boundary of a classifier, its margin band, and the four kinds of training object."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from maxmargin.errors import InvalidInput
from maxmargin.plots._canvas import matplotlib_module
from maxmargin.plots._dress import Legend, begin, check_legend, class_name, finish
from maxmargin.plots._kinds import best_of, has_features, refuse, right_picture
from maxmargin.plots._marks import draw_rings
from maxmargin.plots._ordinary import ordinary_region
from maxmargin.plots._plane import Plane, for_model, make_plane
from maxmargin.plots._style import MANY, MARKS, Colour, Theme, edge_width, mark_area
from maxmargin.plots._subject import Subject, subject_of
from maxmargin.solution import Kind
from maxmargin.validation import check_integer

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_MOST_CLASSES_NAMED: Final = 12


def decision_boundary(
    model: Any,
    X: Any,
    y: ArrayLike | None = None,
    *,
    ax: Axes | None = None,
    features: Sequence[int | str] | None = None,
    fixed: Literal["median", "mean"] | ArrayLike = "median",
    feature_names: Sequence[str] | None = None,
    resolution: int = 200,
    legend: Legend = "auto",
    title: str | None = None,
) -> Axes:
    r"""Draw the decisions of a classifier over two features, and the rows it was trained on.

    The plane is coloured by the predicted class. With two classes, :math:`f` being the decision function, the solid line is the
    boundary :math:`f = 0`. Where the model has a margin, that of an SVM or of another hinge, the dashed lines are its edges
    :math:`f = \pm 1`, and the band between them is lighter. For logistic regression, and for models that only have
    probabilities, they are where the probability is 10 and 90 %. With several classes the solid lines are the boundaries
    between classes.

    Rows are coloured by their class and marked by their kind, ``y`` being :math:`\pm 1` in each binary classifier:
    non-informative (:math:`yf > 1`), on the margin (:math:`yf = 1`), inside the band but on the right side (:math:`0 < yf <
    1`), or misclassified. With several classes a row has its worst kind over all binary classifiers, and is misclassified if
    and only if its predicted class is wrong. Models without a margin have right and misclassified rows only. Support vectors
    are ringed if X is the training set.

    Parameters
    ----------
    model : classifier, Pipeline, search or solution
        Any fitted classifier, of maxmargin or of scikit-learn; a pipeline that ends in one (X is then what the pipeline takes);
        a search, whose best model is drawn; or a solution of `maxmargin.solve`. Of a one-class model `ordinary_region` is
        drawn.
    X : array, sparse matrix or data frame of shape (n, d)
        The rows to show: normally the training set.
    y : array-like of shape (n,)
        Their labels; not for one-class models.
    ax : matplotlib Axes, optional
        Where to draw. By default a new pyplot figure.
    features : two ints or names, optional
        The features along the axes; needed when d > 2. What is drawn is then the slice in which the other
        features have the values ``fixed``, while the kind of each row comes from all its features.
    fixed : "median", "mean" or array-like of shape (d,), default="median"
        Values of the features that are not drawn.
    feature_names : sequence of d names, optional
        Labels of the axes; by default the columns of a data frame.
    resolution : int, default=200
        Grid points along each axis.
    legend : bool, "auto", "inside", "outside", "below" or None, default="auto"
        Where to explain the marks, with the number of rows of each kind. "auto" is beside the axes in a figure whose layout
        makes room for it (``layout="constrained"``, as when ``ax`` is None), below them where the figure is narrow, else
        inside.
    title : str, optional
        By default what the other features are held at, if there are others.

    Returns
    -------
    matplotlib Axes

    Raises
    ------
    InvalidInput
        When there are not exactly two features to draw, or labels, names or numbers do not fit.
    MissingExtra
        When matplotlib is not installed.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from maxmargin import SVC
    >>> from maxmargin.plots import decision_boundary
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> X = X[["petal length (cm)", "petal width (cm)"]]
    >>> ax = decision_boundary(SVC().fit(X, y), X, y)
    """
    points = check_integer("resolution", resolution, "decision_boundary", 2)
    place = check_legend(legend, "decision_boundary")
    if right_picture(model) == "ordinary_region":
        return ordinary_region(
            model,
            X,
            ax=ax,
            features=features,
            fixed=fixed,
            feature_names=feature_names,
            resolution=points,
            legend=legend,
            title=title,
        )
    if not has_features(model):
        refuse("decision_boundary", "features", model, "it knows rows by kernel values only, so that there is no plane to draw")
    if y is None:
        y = np.zeros(0)
        subject_of(model, y)  # what is no classifier needs no labels
        raise InvalidInput("decision_boundary needs y, the labels of the rows.")
    subject = subject_of(model, y)
    plane = for_model(make_plane(X, features, feature_names, fixed), best_of(model), X)
    labels = subject.index_labels(y, len(plane.coordinates))
    rows = X if sparse.issparse(X) else plane.wrap(np.asarray(X, dtype=np.float64))
    trained = subject.trained_on(rows)
    kinds = subject.kinds(rows, labels, trained)
    support = subject.support() if trained else None

    axes, theme = begin(ax)
    colours = theme.colours(len(subject.classes))
    _draw_regions(axes, theme, subject, plane, points, colours)
    _draw_rows(axes, theme, plane.coordinates, labels, kinds, support, colours)
    handles = _handles(theme, subject, kinds, support, colours)
    return finish(
        axes,
        theme,
        labels=plane.labels,
        title=title,
        legend=place,
        frame=True,
        handles=handles,
        note=f"Slice: {plane.held}" if plane.held else "",
    )


def _draw_regions(ax: Axes, theme: Theme, subject: Subject, plane: Plane, resolution: int, colours: list[Colour]) -> None:
    across, up = plane.grid(resolution)
    ax.set_xlim(across[0], across[-1])
    ax.set_ylim(up[0], up[-1])
    scores = plane.evaluate(subject.scores, across, up)
    if len(subject.sides) == 1:
        _draw_two(ax, theme, subject, (across, up), scores[..., 0], colours)
        return
    # Underneath the predicted class cell by cell, which is right also where the votes tie; above it the area
    # where a class beats all others, whose edges are smooth.
    winners = plane.evaluate(subject.winners, across, up)
    shades = [theme.tint(colour, 0.25) for colour in colours]
    cells = matplotlib_module("matplotlib.colors").ListedColormap(shades)
    ax.pcolormesh(across, up, winners, cmap=cells, vmin=-0.5, vmax=len(shades) - 0.5, zorder=0, rasterized=True)
    leads = subject.leads(scores)
    tied = leads.max(axis=-1, keepdims=True) <= 0.0  # whole areas, of votes or of shares of neighbours: they go to the winner
    if tied.any():
        little = 1e-3 * (float(np.abs(leads).max()) or 1.0)
        leads = np.where(tied, np.where(winners[..., np.newaxis] == np.arange(len(shades)), little, -little), leads)
    for k, shade in enumerate(shades):
        lead = leads[..., k]
        if lead.max() <= 0.0:
            continue
        ax.contourf(across, up, lead, levels=[0.0, np.inf], colors=[shade], zorder=0.1)
        if lead.min() < 0.0:
            ax.contour(across, up, lead, levels=[0.0], colors=theme.ink, linewidths=1.2, zorder=1).set_gid("boundary")


def _draw_two(
    ax: Axes,
    theme: Theme,
    subject: Subject,
    grid: tuple[NDArray[np.float64], NDArray[np.float64]],
    f: NDArray[np.float64],
    colours: list[Colour],
) -> None:
    """Both sides of one boundary, and the band around it."""
    band, first, second = subject.band, colours[0], colours[1]
    if band is None:
        levels, styles, widths = [0.0], ["-"], [1.8]
        shades = [theme.tint(first, 0.25), theme.tint(second, 0.25)]
    else:
        levels, styles, widths = [-band.level, 0.0, band.level], ["--", "-", "--"], [1.0, 1.8, 1.0]
        shades = [theme.tint(first, 0.30), theme.tint(first, 0.12), theme.tint(second, 0.12), theme.tint(second, 0.30)]
    ax.contourf(*grid, f, levels=[-np.inf, *levels, np.inf], colors=shades, zorder=0)
    if any(f.min() < level < f.max() for level in levels):
        lines = ax.contour(*grid, f, levels=levels, colors=theme.ink, linestyles=styles, linewidths=widths, zorder=1)
        lines.set_gid("boundary")


def _draw_rows(
    ax: Axes,
    theme: Theme,
    coordinates: NDArray[np.float64],
    labels: NDArray[np.int64],
    kinds: NDArray[np.int64],
    support: NDArray[np.int64] | None,
    colours: list[Colour],
) -> None:
    area = mark_area(len(labels), ax)
    for kind, mark in MARKS.items():
        for k, colour in enumerate(colours):
            chosen = coordinates[(kinds == kind) & (labels == k)]
            if len(chosen):
                ax.scatter(
                    chosen[:, 0],
                    chosen[:, 1],
                    s=area * mark.size,
                    marker=mark.marker,
                    color=[colour],
                    alpha=mark.alpha,
                    edgecolors=[theme.paper],
                    linewidths=edge_width(area),
                    zorder=3 + int(kind),
                    gid=f"{kind.name}:{k}",
                    rasterized=len(labels) > MANY,
                )
    if support is not None and len(support):
        draw_rings(ax, theme, coordinates[support, 0], coordinates[support, 1], area)


def _handles(
    theme: Theme,
    subject: Subject,
    kinds: NDArray[np.int64],
    support: NDArray[np.int64] | None,
    colours: list[Colour],
) -> list[Any]:
    """What the legend explains: classes, kinds of rows, lines."""
    line = matplotlib_module("matplotlib.lines").Line2D
    patch = matplotlib_module("matplotlib.patches").Patch
    named = list(zip(colours, subject.classes, strict=True))
    handles = [patch(facecolor=colour, label=class_name(name)) for colour, name in named[:_MOST_CLASSES_NAMED]]
    if len(named) > _MOST_CLASSES_NAMED:
        handles.append(patch(facecolor="none", label=f"and {len(named) - _MOST_CLASSES_NAMED} more classes"))
    margin = subject.band is not None and subject.band.is_margin
    for kind in Kind if margin else (Kind.NON_INFORMATIVE, Kind.WRONG):
        mark = MARKS[kind]
        words = mark.words if margin or kind is Kind.WRONG else "right"
        label, size = f"{words} ({int(np.sum(kinds == kind))})", 6.0 * mark.size**0.5
        look: dict[str, Any] = {"linestyle": "", "marker": mark.marker, "color": theme.middle, "markeredgecolor": theme.middle}
        handles.append(line([], [], markersize=size, label=label, **look))
    if support is not None:
        ring: dict[str, Any] = {"linestyle": "", "marker": "o", "fillstyle": "none", "mew": 0.8}
        handles.append(line([], [], markersize=9.5, color=theme.ink, label=f"support vector ({len(support)})", **ring))
    if len(subject.sides) > 1:
        return [*handles, line([], [], color=theme.ink, linewidth=1.2, label="boundary")]
    probable = subject.band is not None and not margin
    handles.append(line([], [], color=theme.ink, linewidth=1.8, label="boundary  p = ½" if probable else "boundary  f = 0"))
    if subject.band is not None:
        handles.append(line([], [], color=theme.ink, linewidth=1.0, linestyle="--", label=subject.band.label))
    return handles
