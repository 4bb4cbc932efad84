"""The decision boundary of a classifier, its margin band, and the four kinds of training object."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from sklearn.pipeline import Pipeline

from maxmargin.errors import InvalidInput
from maxmargin.estimators import SVC
from maxmargin.plots._canvas import matplotlib_module, screen_axes
from maxmargin.plots._plane import Plane, make_plane
from maxmargin.plots._style import FULL_AREA, INK, MARKS, Colour, class_colours, mark_area, tint
from maxmargin.plots._subject import Subject, subject_of
from maxmargin.solution import Kind, Solution

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_MOST_CLASSES_NAMED: Final = 12


def decision_boundary(
    model: SVC | Pipeline | Solution,
    X: Any,
    y: ArrayLike,
    *,
    ax: Axes | None = None,
    features: Sequence[int | str] | None = None,
    fixed: Literal["median", "mean"] | ArrayLike = "median",
    feature_names: Sequence[str] | None = None,
    resolution: int = 200,
    legend: Literal["auto", "inside", "outside"] | None = "auto",
) -> Axes:
    r"""Draw the decisions of a classifier over two features, and the rows it was trained on.

    The plane is coloured by the predicted class. With two classes, :math:`f` being the decision function, the
    solid line is the boundary :math:`f = 0` and the dashed lines are the edges :math:`f = \pm 1` of the
    margin band, which is shaded lighter. With several classes the solid lines are the boundaries between
    pairs of classes.

    Rows are coloured by their class and marked by their kind, ``y`` being :math:`\pm 1` in each binary classifier:
    non-informative (:math:`yf > 1`), on the margin (:math:`yf = 1`), inside the band but on the right side
    (:math:`0 < yf < 1`), or misclassified. With several classes a row has its worst kind over all binary classifiers, and is
    misclassified if and only if its predicted class is wrong. Support vectors are ringed if X is the training set.

    Parameters
    ----------
    model : SVC, Pipeline or Solution
        A fitted :class:`maxmargin.SVC`, a pipeline that ends in one (X is then what the pipeline takes),
        or a :class:`maxmargin.solution.Solution` of a two-class problem.
    X : array, sparse matrix or data frame of shape (n, d)
        The rows to show: normally the training set.
    y : array-like of shape (n,)
        Their labels.
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
    legend : "auto", "inside", "outside" or None, default="auto"
        Where to explain the marks, with the number of rows of each kind. "auto" is beside the axes in a
        figure whose layout makes room for it (``layout="constrained"``, as when ``ax`` is None), else inside.

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
    if isinstance(resolution, bool) or not isinstance(resolution, (int, np.integer)) or resolution < 2:
        raise InvalidInput(
            f"The 'resolution' parameter of decision_boundary must be an int in the range [2, inf). Got {resolution!r} instead."
        )
    if legend not in ("auto", "inside", "outside", None):
        raise InvalidInput(
            f"The 'legend' parameter of decision_boundary must be 'auto', 'inside', 'outside' or None. Got {legend!r} instead."
        )
    subject = subject_of(model, y)
    plane = make_plane(X, features, feature_names, fixed)
    labels = subject.index_labels(y, len(plane.coordinates))
    rows = X if sparse.issparse(X) else plane.wrap(np.asarray(X, dtype=np.float64))
    trained = subject.trained_on(rows)
    kinds = subject.kinds(rows, labels, trained)
    support = subject.support() if trained else None

    axes = screen_axes() if ax is None else ax
    colours = class_colours(len(subject.classes))
    _draw_regions(axes, subject, plane, int(resolution), colours)
    _draw_rows(axes, plane.coordinates, labels, kinds, support, colours)
    axes.set_xlabel(plane.labels[0])
    axes.set_ylabel(plane.labels[1])
    if plane.held:
        axes.set_title(f"Slice: {plane.held}", loc="left", fontsize="small", color=INK)
    if legend is not None:
        outside = legend == "outside" or (legend == "auto" and axes.figure.get_layout_engine() is not None)
        _draw_legend(axes, subject, kinds, support, colours, outside=outside)
    return axes


def _draw_regions(ax: Axes, subject: Subject, plane: Plane, resolution: int, colours: list[Colour]) -> None:
    across, up = plane.grid(resolution)
    ax.set_xlim(across[0], across[-1])
    ax.set_ylim(up[0], up[-1])
    scores = plane.evaluate(subject.scores, across, up)
    if len(subject.sides) == 1:
        f = scores[..., 0]
        shades = [
            tint(colours[0], 0.30),
            tint(colours[0], 0.12),
            tint(colours[1], 0.12),
            tint(colours[1], 0.30),
        ]
        ax.contourf(across, up, f, levels=[-1.0, 0.0, 1.0], colors=shades, extend="both", zorder=0)
        if f.min() <= 1.0 and f.max() >= -1.0:
            lines = ax.contour(
                across,
                up,
                f,
                levels=[-1.0, 0.0, 1.0],
                colors=INK,
                linestyles=["--", "-", "--"],
                linewidths=[1.0, 1.8, 1.0],
                zorder=1,
            )
            lines.set_gid("boundary")
        return
    # Underneath the predicted class cell by cell, which is right also where the votes tie; above it the area
    # where a class beats all others, whose edges are smooth.
    winners = plane.evaluate(subject.winners, across, up)
    shades = [tint(colour, 0.25) for colour in colours]
    cells = matplotlib_module("matplotlib.colors").ListedColormap(shades)
    ax.pcolormesh(across, up, winners, cmap=cells, vmin=-0.5, vmax=len(shades) - 0.5, zorder=0, rasterized=True)
    leads = subject.leads(scores)
    for k, shade in enumerate(shades):
        lead = leads[..., k]
        if lead.max() <= 0.0:
            continue
        ax.contourf(across, up, lead, levels=[0.0, np.inf], colors=[shade], zorder=0.1)
        if lead.min() < 0.0:
            ax.contour(across, up, lead, levels=[0.0], colors=INK, linewidths=1.2, zorder=1).set_gid("boundary")


def _draw_rows(
    ax: Axes,
    coordinates: NDArray[np.float64],
    labels: NDArray[np.int64],
    kinds: NDArray[np.int64],
    support: NDArray[np.int64] | None,
    colours: list[Colour],
) -> None:
    area = mark_area(len(labels))
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
                    edgecolors="white",
                    linewidths=0.5,
                    zorder=3 + int(kind),
                    gid=f"{kind.name}:{k}",
                )
    if support is not None and len(support):
        ax.scatter(
            coordinates[support, 0],
            coordinates[support, 1],
            s=area * 3.4,
            marker="o",
            facecolors="none",
            edgecolors=INK,
            linewidths=0.7 * (area / FULL_AREA) ** 0.5,
            alpha=0.7,
            zorder=2.5,
            gid="support",
        )


def _draw_legend(
    ax: Axes,
    subject: Subject,
    kinds: NDArray[np.int64],
    support: NDArray[np.int64] | None,
    colours: list[Colour],
    *,
    outside: bool,
) -> None:
    line = matplotlib_module("matplotlib.lines").Line2D
    patch = matplotlib_module("matplotlib.patches").Patch
    handles = [
        patch(facecolor=colour, label=str(name))
        for colour, name in zip(colours[:_MOST_CLASSES_NAMED], subject.classes[:_MOST_CLASSES_NAMED], strict=True)
    ]
    for kind in Kind:
        mark = MARKS[kind]
        label = f"{mark.words} ({int(np.sum(kinds == kind))})"
        handles.append(
            line(
                [],
                [],
                linestyle="",
                marker=mark.marker,
                color="#777777",
                markersize=6.0 * mark.size**0.5,
                label=label,
            )
        )
    if support is not None:
        label = f"support vector ({len(support)})"
        handles.append(
            line(
                [],
                [],
                linestyle="",
                marker="o",
                markersize=9.5,
                color=INK,
                fillstyle="none",
                mew=0.8,
                label=label,
            )
        )
    if len(subject.sides) == 1:
        handles.append(line([], [], color=INK, linewidth=1.8, label="boundary  f = 0"))
        handles.append(line([], [], color=INK, linewidth=1.0, linestyle="--", label="margin  f = ±1"))
    else:
        handles.append(line([], [], color=INK, linewidth=1.2, label="boundary"))
    if outside:
        ax.legend(handles=handles, loc="upper left", bbox_to_anchor=(1.01, 1.0), borderaxespad=0.0, frameon=False)
    else:
        ax.legend(handles=handles, fontsize="small", framealpha=0.9)
