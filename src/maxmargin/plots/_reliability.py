"""Are probabilities what they say? Predicted against observed, in groups of equally many rows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import is_classifier

from maxmargin.errors import InvalidInput
from maxmargin.plots._dress import Legend, begin, check_legend, class_name, finish
from maxmargin.plots._kinds import fitted_model, is_a, last_of, refuse, right_picture
from maxmargin.validation import check_integer

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_MARKERS: Final = ("o", "s", "^", "D", "v", "P", "X", "*")


def reliability(
    model: Any,
    X: Any,
    y: ArrayLike,
    *,
    bins: int = 10,
    ax: Any = None,
    legend: Legend = "inside",
    title: str | None = None,
) -> Axes:
    """Draw how often rows are what a model says, against how likely it says they are.

    The rows are sorted by their predicted probability and cut into groups of equally many. Each group is a point: the mean of
    its probabilities, and the share of its rows that have the class, with a bar of one standard error of that share. On the
    diagonal the probabilities are right; below it they are too high (Murphy and Winkler, Reliability of subjective
    probability forecasts, 1977). For two classes the probability is that of the second. For more it is the largest of a row,
    and the share is that of rows whose class it is. Use rows that the model was not fitted to.

    Parameters
    ----------
    model : fitted classifier, or mapping from names to such
        With ``predict_proba``: ``SVC(probability=True)``, `maxmargin.calibration.CalibratedClassifierCV`.
    X : {array-like, sparse matrix} of shape (n_samples, n_features), or what the model takes
        Rows.
    y : array-like of shape (n_samples,)
        Their labels.
    bins : int, default=10
        How many groups; fewer where there are fewer rows.
    ax : matplotlib Axes, optional
        Where to draw. By default a new pyplot figure.
    legend : bool, "auto", "inside", "outside", "below" or None, default="inside"
        Where the models are named.
    title : str, optional
        None by default.

    Returns
    -------
    Axes
        With a line for each model, whose ``gid`` is its name, and the mean log-loss in the legend.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.preprocessing import scale
    >>> from maxmargin import SVC
    >>> from maxmargin.plots import canvas, reliability
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> X = scale(X)
    >>> model = SVC(probability=True).fit(X[::2], y[::2])
    >>> figure, ax = canvas()
    >>> reliability(model, X[1::2], y[1::2], ax=ax).get_xlabel()
    'predicted probability of class 1'
    """
    models = dict(model) if isinstance(model, Mapping) else {type(model).__name__: model}
    place = check_legend(legend, "reliability")
    groups = check_integer("bins", bins, "reliability", 1)
    labels = np.asarray(y)
    curves = {name: _curve(each, X, labels, groups) for name, each in models.items()}
    if not curves:
        raise InvalidInput("reliability needs a model, or a mapping from names to models. Got an empty mapping.")
    drawn, theme = begin(ax)
    drawn.plot([0.0, 1.0], [0.0, 1.0], color=theme.middle, linestyle="--", linewidth=1.2, label="as it says", gid="diagonal")
    for number, (colour, (name, (said, seen, error, loss))) in enumerate(
        zip(theme.colours(len(curves)), curves.items(), strict=True)
    ):
        look: dict[str, Any] = {
            "color": colour,
            "linewidth": 1.7,
            "marker": _MARKERS[number % len(_MARKERS)],
            "markersize": 5.5,
        }
        drawn.vlines(said, np.maximum(seen - error, 0.0), np.minimum(seen + error, 1.0), color=colour, linewidth=1.0, alpha=0.6)
        drawn.plot(said, seen, label=f"{name}: log-loss {loss:.3g}", gid=name, **look)
    classes = [np.asarray(each.classes_) for each in models.values()]
    two = all(len(each) == 2 for each in classes)
    said_of = f"predicted probability of class {class_name(classes[0][1])}" if two else "largest predicted probability"
    seen_of = f"share of rows of class {class_name(classes[0][1])}" if two else "share of rows of that class"
    drawn.set_xlim(-0.02, 1.02)
    drawn.set_ylim(-0.02, 1.02)
    return finish(drawn, theme, labels=(said_of, seen_of), title=title, legend=place, grid=True)


def _curve(model: Any, X: Any, y: NDArray[Any], bins: int) -> tuple[Any, Any, Any, float]:
    """Mean probability, share and its standard error of each group, and the mean log-loss."""
    model = fitted_model(model)
    if not hasattr(model, "predict_proba") and not is_a(is_classifier, last_of(model)):
        refuse("reliability", "how right probabilities of classes are", model)
    if not hasattr(model, "predict_proba"):
        raise InvalidInput(
            f"reliability needs probabilities, and {type(last_of(model)).__name__} has no predict_proba. Fit"
            f" SVC(probability=True), or put the model into maxmargin.calibration.CalibratedClassifierCV."
            f" plots.{right_picture(model)} draws it as it is."
        )
    P, classes = np.asarray(model.predict_proba(X)), np.asarray(model.classes_)
    if len(P) != len(y) or not len(y):
        raise InvalidInput(f"reliability needs a label for each row. Got {len(P)} rows and {len(y)} labels.")
    if not np.isin(y, classes).all():
        raise InvalidInput(f"y has labels that the model does not know: {np.setdiff1d(y, classes)[:3].tolist()}.")
    codes = np.searchsorted(classes, y)
    said = P[:, 1] if len(classes) == 2 else P.max(axis=1)
    right = codes == (1 if len(classes) == 2 else P.argmax(axis=1))
    groups = np.array_split(np.argsort(said, kind="stable"), min(bins, len(y)))
    share = np.array([right[group].mean() for group in groups])
    error = np.sqrt(share * (1.0 - share) / np.array([len(group) for group in groups]))
    with np.errstate(divide="ignore"):
        loss = float(-np.log(P[np.arange(len(y)), codes]).mean())
    return np.array([said[group].mean() for group in groups]), share, error, loss
