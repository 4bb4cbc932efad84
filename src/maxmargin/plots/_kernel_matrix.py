"""The matrix of kernel values as a picture."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import is_classifier
from sklearn.utils.validation import check_is_fitted

from maxmargin.errors import InvalidInput
from maxmargin.estimators import KernelPCA, expansion_of
from maxmargin.kernels import Kernel, Linear
from maxmargin.plots._dress import Legend, begin, check_legend, class_name, finish
from maxmargin.plots._kinds import SOLUTIONS, fitted_model, last_of, refuse
from maxmargin.plots._subject import transform_of
from maxmargin.validation import check_integer, take_rows

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["kernel_matrix", "kernel_values"]

_NAMED: Final = 12
_NARROW: Final = 40  # classes up to which they are named at all


def kernel_matrix(
    model: Any,
    X: Any,
    y: ArrayLike | None = None,
    *,
    most: int = 1000,
    ax: Axes | None = None,
    legend: Legend = None,
    title: str | None = None,
) -> Axes:
    """Draw the kernel values of all pairs of rows, the rows ordered by class.

    Blocks along the diagonal that are brighter than the rest are classes that the kernel tells apart; a matrix of one colour is
    a kernel that is too wide, a bright diagonal alone one that is too narrow.

    Parameters
    ----------
    model : kernel, kernel estimator, linear model, or Pipeline
        A kernel of `maxmargin.kernels`, or what was fitted with one; of linear models the inner products.
    X : rows
        What the kernel or the model takes; for a precomputed kernel the square matrix of its training rows.
    y : array-like of shape (n,), optional
        Labels, to order the rows by; targets of a regression order them too.
    most : int, default=1000
        Of more rows so many are drawn, evenly from all classes.
    ax : matplotlib Axes, optional
        Where to draw. By default a new pyplot figure.
    legend : bool, "auto", "inside", "outside", "below" or None, default=None
        There is none: classes are named along the axes.
    title : str, optional
        By default how many rows of how many are drawn, if not all.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from maxmargin.kernels import RBF
    >>> from maxmargin.plots import kernel_matrix
    >>> X, y = load_iris(return_X_y=True)
    >>> ax = kernel_matrix(RBF(gamma=0.5), X, y)
    """
    check_legend(legend, "kernel_matrix")
    largest = check_integer("most", most, "kernel_matrix", 2)
    n = X.shape[0] if hasattr(X, "shape") else len(X)
    order, labels = np.arange(n), None
    if y is not None:
        labels = np.asarray(y)
        if labels.shape != (n,):
            raise InvalidInput(f"kernel_matrix needs a label for each of the {n} rows. Got labels of shape {labels.shape}.")
        order = np.argsort(labels, kind="stable")
    if n > largest:
        order = order[np.linspace(0, n - 1, largest).round().astype(int)]
    K = kernel_values(model, X, order, "kernel_matrix")

    axes, theme = begin(ax)
    signed = float(K.min()) < 0.0
    reach = float(np.abs(K).max()) or 1.0
    low = -reach if signed else 0.0
    image = axes.imshow(K, cmap="PuOr" if signed else "viridis", vmin=low, vmax=reach, interpolation="nearest", aspect="equal")
    bar = axes.figure.colorbar(image, ax=axes)
    bar.set_label("k(u, v)", color=theme.ink)
    bar.ax.tick_params(colors=theme.ink)
    classes = np.zeros(0) if labels is None else np.unique(labels)
    words = ("row", "row")
    if labels is not None and _are_classes(classes):
        ends = np.searchsorted(labels[order], classes, side="right")
        middles = 0.5 * (ends + np.concatenate([[0], ends[:-1]])) - 0.5
        thick = 0.8 * min(1.0, _NAMED / len(classes))
        for end in ends[:-1]:
            look: dict[str, Any] = {"color": "white" if not signed else theme.middle, "linewidth": thick}
            axes.axhline(end - 0.5, **look)
            axes.axvline(end - 0.5, **look)
        names = [class_name(name) for name in classes]
        many = len(classes) > _NAMED
        size: dict[str, Any] = {"fontsize": "xx-small"} if many else {}
        axes.set_xticks(middles, names, **size)
        axes.set_yticks(middles, names, rotation=0 if many else 90, va="center", **size)
        words = ("rows, by class", "rows, by class")
    elif labels is not None:
        words = ("rows, by label", "rows, by label")
    note = f"{len(order)} of {n} rows" if len(order) < n else ""
    return finish(axes, theme, labels=words, title=title, legend=None, frame=True, note=note)


def _are_classes(labels: NDArray[Any]) -> bool:
    """Whether different labels are classes: words, or not too many whole numbers."""
    whole = not np.issubdtype(labels.dtype, np.floating) or bool(np.all(labels == np.round(labels)))
    return whole and len(labels) <= _NARROW


def kernel_values(model: Any, X: Any, order: NDArray[np.intp], owner: str) -> NDArray[np.float64]:
    """Kernel values among some rows of X."""
    model = fitted_model(model)
    last = last_of(model)
    if isinstance(last, Kernel):
        if last.input_kind == "precomputed":
            return np.asarray(X, dtype=np.float64)[np.ix_(order, order)]
        return np.asarray(last(take_rows(X if not isinstance(X, list) else np.asarray(X, dtype=object), order)))
    kernel, rows = bound_kernel(last, transform_of(model)(X))
    if kernel is None:
        refuse(owner, "kernel values, of kernels, kernel models and linear models", model)
    if kernel.is_precomputed:
        matrix = np.asarray(rows, dtype=np.float64)
        if matrix.shape[0] != matrix.shape[1]:
            raise InvalidInput(f"{owner} needs the square matrix of a precomputed kernel. Got shape {matrix.shape}.")
        return np.asarray(matrix[np.ix_(order, order)])
    some = take_rows(rows, order)
    return np.asarray(kernel.cross(some, some))


def bound_kernel(last: Any, rows: Any) -> tuple[Any, Any]:
    """The kernel of an estimator with its numbers, and rows as it reads them; of linear models the inner product."""
    if isinstance(last, SOLUTIONS):
        kernel = getattr(last, "kernel", None) or Linear().bind(np.zeros((1, 1)))
        return kernel, np.ascontiguousarray(rows, dtype=np.float64) if isinstance(rows, list) else rows
    expansion = expansion_of(last)
    if expansion is not None:
        return expansion.kernel, expansion.new_rows(rows)
    if isinstance(last, KernelPCA):
        check_is_fitted(last)
        return last._kernel, np.ascontiguousarray(rows)
    if getattr(last, "coef_", None) is not None and (is_classifier(last) or hasattr(last, "predict")):
        dense = rows if hasattr(rows, "tocsr") else np.ascontiguousarray(rows, dtype=np.float64)
        return Linear().bind(dense), dense
    return None, rows
