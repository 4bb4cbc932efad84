"""Rows in the plane of their first two kernel principal components, with the boundary of a model."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.linalg import solve
from scipy.sparse.linalg import eigsh
from sklearn.base import is_classifier

from maxmargin.errors import InvalidInput
from maxmargin.estimators import KernelPCA
from maxmargin.plots._canvas import matplotlib_module
from maxmargin.plots._dress import Legend, begin, check_legend, class_name, finish
from maxmargin.plots._kernel_matrix import bound_kernel
from maxmargin.plots._kinds import fitted_model, last_of, refuse
from maxmargin.plots._style import MANY, Theme, edge_width, mark_area
from maxmargin.plots._subject import Subject, subject_of, transform_of
from maxmargin.validation import check_integer, check_option

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Floats = NDArray[np.float64]
_MOST_CLASSES_NAMED: Final = 12
_SMALL: Final = 100  # rows of which all components are computed


def embedding(
    model: Any,
    X: Any,
    y: ArrayLike | None = None,
    *,
    along: Literal["components", "decision"] = "components",
    most: int = 2000,
    ax: Axes | None = None,
    legend: Legend = "auto",
    title: str | None = None,
) -> Axes:
    """Draw rows by their first two kernel principal components, with the boundary of the model in that plane.

    A kernel model is linear in φ, so that its values are a linear function of the components: ``f = f̄ + Σ c_j z_j``. The line
    is where the part that two of them have is 0: the hyperplane, cut by the plane through the mean of the rows. The legend says
    what share of the variance of f the two have; where it is small, rows appear on the wrong side of the line.
    ``along="decision"`` has f itself across, for two classes, and the strongest component of what is left of φ up: then rows
    are on the side where the model has them. Crosses are rows that the model misclassifies.

    Parameters
    ----------
    model : KernelPCA, kernel estimator, linear model, or Pipeline
        Fitted. Of a `KernelPCA`, of regressors and of one-class models no boundary is drawn.
    X : rows
        What the model takes.
    y : array-like of shape (n,), optional
        Labels or targets, for the colours; needed for a boundary.
    along : "components" or "decision", default="components"
        What is across.
    most : int, default=2000
        Of more rows so many are drawn, evenly from all.
    ax : matplotlib Axes, optional
        Where to draw. By default a new pyplot figure.
    legend : bool, "auto", "inside", "outside", "below" or None, default="auto"
        Where classes are named.
    title : str, optional
        By default how many rows of how many are drawn, if not all.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from maxmargin import SVC
    >>> from maxmargin.plots import embedding
    >>> X, y = load_iris(return_X_y=True)
    >>> ax = embedding(SVC().fit(X, y), X, y)
    >>> ax.get_xlabel()[:19]
    'kernel component 1 '
    """
    place, largest = check_legend(legend, "embedding"), check_integer("most", most, "embedding", 3)
    check_option("along", along, "embedding", ("components", "decision"))
    model = fitted_model(model)
    last = last_of(model)
    n = X.shape[0] if hasattr(X, "shape") else len(X)
    if y is not None and np.shape(y) != (n,):
        raise InvalidInput(f"embedding needs a label for each of the {n} rows. Got labels of shape {np.shape(y)}.")
    kernel, rows = (None, X) if not hasattr(last, "fit") else bound_kernel(last, transform_of(model)(X))
    if kernel is None:
        refuse("embedding", "kernel components, of kernel models, linear models and KernelPCA", model)
    kept = np.arange(n) if n <= largest else np.linspace(0, n - 1, largest).round().astype(int)
    K = np.asarray(rows, dtype=np.float64)[np.ix_(kept, kept)] if kernel.is_precomputed else _among(kernel, rows, kept)
    subject, f = None, None
    labels = None if y is None else np.asarray(y)[kept]
    if labels is not None and is_classifier(last):
        subject = subject_of(model, labels, "embedding")
        f = subject.scores(_some(X, kept))
    if along == "decision" and (f is None or f.shape[1] != 1 or isinstance(last, KernelPCA)):
        raise InvalidInput("along='decision' of embedding needs a classifier of two classes, and y.")
    z, shares, coordinates = _components(K, f if along == "decision" else None)

    axes, theme = begin(ax)
    codes = None if subject is None or labels is None else subject.index_labels(labels, len(kept))
    wrong = None if subject is None else subject.winners(_some(X, kept)) != codes
    words = [f"kernel component {k + 1} ({share:.0%})" for k, share in enumerate(shares)]
    handles: list[Any] = []
    if f is not None and subject is not None:
        if along == "decision":
            z, words = np.column_stack([f[:, 0], coordinates]), ["f(x)", "strongest component beside f"]
            axes.axvline(0.0, color=theme.ink, linewidth=1.8)
            handles = _lines(theme, 1.0)
            if subject.band is not None:
                dashed: dict[str, Any] = {"color": theme.ink, "linewidth": 1.0, "linestyle": "--"}
                for level in (-subject.band.level, subject.band.level):
                    axes.axvline(level, **dashed)
                handles.append(matplotlib_module("matplotlib.lines").Line2D([], [], label=subject.band.label, **dashed))
        else:
            handles = _draw_boundary(axes, theme, subject, z, f)
    marks = _draw_points(axes, theme, z, labels, codes, wrong, None if subject is None else subject.classes)
    note = f"{len(kept)} of {n} rows" if len(kept) < n else ""
    finish(
        axes, theme, labels=(words[0], words[1]), title=title, legend=place, frame=True, handles=[*marks, *handles], note=note
    )
    return axes


def _some(X: Any, kept: NDArray[np.intp]) -> Any:
    if hasattr(X, "iloc"):
        return X.iloc[kept]
    return X[kept] if hasattr(X, "shape") else [X[k] for k in kept]


def _among(kernel: Any, rows: Any, kept: NDArray[np.intp]) -> Floats:
    some = _some(rows, kept)
    return np.asarray(kernel.cross(some, some), dtype=np.float64)


def _components(K: Floats, f: Floats | None) -> tuple[Floats, list[float], Floats]:
    """Two components, their shares of the variance, and, where f is given, the strongest one orthogonal to it."""
    centred = K - K.mean(axis=0) - K.mean(axis=1)[:, np.newaxis] + K.mean()
    z, top = _strongest(centred, 2)
    total = float(np.trace(centred))
    other = np.zeros(len(K))
    if f is not None:
        # φ less its part along w: of the centred matrix that is g gᵀ / |w|², with |w|² = gᵀ K⁻ g.
        g = f[:, 0] - f[:, 0].mean()
        ridge = 1e-9 * (total / len(K) or 1.0)
        a = solve(centred + ridge * np.eye(len(K)), g, assume_a="sym")
        left = centred - np.outer(g, g) / max(float(g @ a), 1e-300)
        other = _strongest(left, 1)[0][:, 0]
    return z, [float(value) / total if total > 0.0 else 0.0 for value in top], other


def _strongest(matrix: Floats, count: int) -> tuple[Floats, Floats]:
    """Coordinates along the first principal axes, and their variances; each has its largest entry above 0."""
    n = len(matrix)
    if n <= _SMALL:
        values, vectors = np.linalg.eigh(0.5 * (matrix + matrix.T))
    else:
        start = np.random.default_rng(0).normal(size=n)
        values, vectors = eigsh(0.5 * (matrix + matrix.T), k=count, which="LA", v0=start)
    order = np.argsort(-values)[:count]
    top = np.maximum(values[order], 0.0)
    z = vectors[:, order] * np.sqrt(top)
    return z * np.where(np.take_along_axis(z, np.abs(z).argmax(axis=0)[np.newaxis], axis=0) < 0.0, -1.0, 1.0), top


def _draw_boundary(axes: Axes, theme: Theme, subject: Subject, z: Floats, f: Floats) -> list[Any]:
    """The hyperplane of each binary classifier in the plane, as regions of the classes."""
    sizes = np.maximum(np.square(z).sum(axis=0), 1e-300)
    slopes = (z.T @ (f - f.mean(axis=0))) / sizes[:, np.newaxis]
    away = np.square(f - f.mean(axis=0)).sum()
    share = float((np.square(slopes) * sizes[:, np.newaxis]).sum() / away) if away > 0.0 else 0.0
    low, high = z.min(axis=0), z.max(axis=0)
    room = np.where(high > low, 0.07 * (high - low), 0.5)
    across, up = (np.linspace(low[k] - room[k], high[k] + room[k], 200) for k in range(2))
    u, v = np.meshgrid(across, up)
    scores = f.mean(axis=0) + u[..., np.newaxis] * slopes[0] + v[..., np.newaxis] * slopes[1]
    leads = np.stack([-scores[..., 0], scores[..., 0]], axis=-1) if len(subject.sides) == 1 else subject.leads(scores)
    shades = [theme.tint(colour, 0.25) for colour in theme.colours(len(subject.classes))]
    # Underneath the class nearest to winning: where pairs of classes beat each other in a ring none wins.
    cells = matplotlib_module("matplotlib.colors").ListedColormap(shades)
    nearest = leads.argmax(axis=-1)
    axes.pcolormesh(across, up, nearest, cmap=cells, vmin=-0.5, vmax=len(shades) - 0.5, zorder=0, rasterized=True)
    for k, shade in enumerate(shades):
        lead = leads[..., k]
        if lead.max() > 0.0:
            axes.contourf(across, up, lead, levels=[0.0, np.inf], colors=[shade], zorder=0.1)
            if lead.min() < 0.0:
                axes.contour(across, up, lead, levels=[0.0], colors=theme.ink, linewidths=1.4, zorder=1).set_gid("boundary")
    axes.set_xlim(across[0], across[-1])
    axes.set_ylim(up[0], up[-1])
    return _lines(theme, share)


def _lines(theme: Theme, share: float) -> list[Any]:
    line = matplotlib_module("matplotlib.lines").Line2D
    words = "boundary" if share >= 1.0 else f"boundary ({share:.0%} of the variance of f)"
    return [line([], [], color=theme.ink, linewidth=1.4, label=words)]


def _draw_points(
    axes: Axes,
    theme: Theme,
    z: Floats,
    labels: NDArray[Any] | None,
    codes: NDArray[np.int64] | None,
    wrong: NDArray[np.bool_] | None,
    classes: NDArray[Any] | None,
) -> list[Any]:
    area = mark_area(len(z), axes)
    look: dict[str, Any] = {
        "edgecolors": [theme.paper],
        "linewidths": edge_width(area),
        "zorder": 3,
        "rasterized": len(z) > MANY,
    }
    if labels is not None and codes is None:
        names = np.unique(labels)
        if len(names) > _MOST_CLASSES_NAMED:  # targets
            drawn = axes.scatter(z[:, 0], z[:, 1], c=labels.astype(float), cmap="viridis", s=area, **look)
            bar = axes.figure.colorbar(drawn, ax=axes)
            bar.set_label("target", color=theme.ink)
            bar.ax.tick_params(colors=theme.ink)
            return []
        classes, codes = names, np.searchsorted(names, labels)
    if codes is None or classes is None:
        axes.scatter(z[:, 0], z[:, 1], s=area, color=[theme.colours(1)[0]], **look)
        return []
    marks = []
    off = np.zeros(len(z), dtype=bool) if wrong is None else wrong
    for k, colour in enumerate(theme.colours(len(classes))):
        for beyond, marker, scale in ((False, "o", 0.8), (True, "X", 1.5)):
            chosen = z[(codes == k) & (off == beyond)]
            if len(chosen):
                axes.scatter(
                    chosen[:, 0], chosen[:, 1], s=scale * area, marker=marker, color=[colour], gid=f"{k}:{beyond}", **look
                )
        if k < _MOST_CLASSES_NAMED:
            marks.append(matplotlib_module("matplotlib.patches").Patch(facecolor=colour, label=class_name(classes[k])))
    if wrong is not None:
        cross = {"linestyle": "", "marker": "X", "color": theme.middle, "markersize": 7.0}
        marks.append(matplotlib_module("matplotlib.lines").Line2D([], [], label=f"misclassified ({int(wrong.sum())})", **cross))
    return marks
