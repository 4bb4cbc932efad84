"""A regression over one feature, with its tube."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Final, Literal

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import is_regressor

from maxmargin.errors import InvalidInput
from maxmargin.plots._dress import Legend, begin, check_legend, finish
from maxmargin.plots._kinds import fitted_model, has_features, is_a, last_of, refuse
from maxmargin.plots._marks import draw_rows
from maxmargin.plots._plane import for_model, make_line
from maxmargin.plots._subject import same_rows, transform_of
from maxmargin.problems import Tube
from maxmargin.solution import LinearSolution, Solution
from maxmargin.validation import check_integer, target_columns

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["tube"]

_WANTED: Final = "a fitted regressor, a Pipeline that ends in one, a search, or its Solution"
_ROOM: Final = 1e-3  # of ε: a row that is outside by less is on the edge


def tube(
    model: Any,
    X: Any,
    y: ArrayLike,
    *,
    ax: Axes | None = None,
    feature: int | str | None = None,
    fixed: Literal["median", "mean"] | ArrayLike = "median",
    feature_names: Sequence[str] | None = None,
    resolution: int = 400,
    legend: Legend = "auto",
    title: str | None = None,
) -> Axes:
    r"""Draw a regression over one feature: the function, its tube, and the rows.

    The line is :math:`f`, the band around it the tube :math:`|f - y| \le \varepsilon`, in which a row costs nothing. Rows
    inside are dots, rows outside crosses. Support vectors, which are on the edge or outside, are ringed if X is the training
    set. Models without a tube, such as those of scikit-learn, are drawn without a band.

    With several features the line is the slice in which the others have the values ``fixed``, and a row is drawn as far from
    the line as its target is from ``f(x)``: residuals are right, and so is which rows are outside.

    Parameters
    ----------
    model : regressor, Pipeline, search or Solution
        Any fitted regressor of one output, of maxmargin or of scikit-learn, a pipeline that ends in one (X is then what the
        pipeline takes), a search whose best model is one, or the solution of a regression.
    X : array or data frame of shape (n, d)
        The rows to show: normally the training set.
    y : array-like of shape (n,)
        Their targets.
    ax : matplotlib Axes, optional
        Where to draw. By default a new pyplot figure.
    feature : int or name, optional
        The feature across; needed when d > 1.
    fixed : "median", "mean" or array-like of shape (d,), default="median"
        Values of the features that are not drawn.
    feature_names : sequence of d names, optional
        By default the columns of a data frame.
    resolution : int, default=400
        Points along the line.
    legend : bool, "auto", "inside", "outside", "below" or None, default="auto"
        Where to explain the marks, with the number of rows of each: see `decision_boundary`.
    title : str, optional
        By default what the other features are held at, if there are others.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> import numpy as np
    >>> from maxmargin import SVR
    >>> from maxmargin.plots import tube
    >>> X = np.linspace(0, 6, 40)[:, np.newaxis]
    >>> y = np.sin(X[:, 0])
    >>> ax = tube(SVR(C=10.0, epsilon=0.2).fit(X, y), X, y)
    """
    points = check_integer("resolution", resolution, "tube", 2)
    place = check_legend(legend, "tube")
    model = fitted_model(model)
    function, epsilon, trained = _function(model)
    line = for_model(make_line(X, feature, feature_names, fixed), model, X)
    rows = line.wrap(np.asarray(X, dtype=np.float64))
    targets = target_columns(y, rows)
    f = np.asarray(function(rows))
    if targets.ndim > 1 or f.ndim > 1:
        raise InvalidInput(
            f"tube draws one output. Got a model of {f.shape[1] if f.ndim > 1 else 1} and targets of shape {targets.shape};"
            " pass one of its solutions_, or fit each column by itself."
        )
    residuals = targets - f
    across = np.linspace(*line.ends, points)
    values = np.asarray(function(line.at(across))).ravel()

    axes, theme = begin(ax)
    blue = theme.colours(1)[0]
    outside = None
    if epsilon is not None:
        outside = np.abs(residuals) > epsilon * (1.0 + _ROOM)
        axes.fill_between(
            across,
            values - epsilon,
            values + epsilon,
            color=theme.tint(blue, 0.18),
            linewidth=0.0,
            zorder=0,
            label=f"tube  f ± {epsilon:.3g}",
        )
    axes.plot(across, values, color=theme.ink, linewidth=1.8, zorder=1, label="f")
    at = line.coordinates
    there = targets if not line.held else np.asarray(function(line.at(at))).ravel() + residuals
    draw_rows(axes, theme, at, there, outside, ("row", "") if outside is None else ("inside", "outside"), trained(rows))
    axes.set_xlim(across[0], across[-1])
    up = "target" if not line.held else "target, moved along f to the slice"
    note = f"Slice: {line.held}" if line.held else ""
    return finish(axes, theme, labels=(line.label, up), title=title, legend=place, note=note)


def _function(model: Any) -> tuple[Callable[[Any], Any], float | None, Callable[[Any], Any]]:
    """What is drawn, half the width of its tube, and which of given rows are its support vectors if it was trained on them."""
    last = last_of(model)
    move = transform_of(model)
    if not has_features(model):
        refuse("tube", "features", model, "it knows rows by kernel values only, so that there is no line to draw")
    if isinstance(last, Solution | LinearSolution):
        rule = last.slack_rule if isinstance(last, Solution) else last.kkt_data and last.kkt_data.slack_rule
        if not isinstance(rule, Tube):
            refuse("tube", _WANTED, model)
        return (lambda rows: last.decision_function(move(rows))), rule.epsilon, _trained(last, move)
    if not is_a(is_regressor, last):
        refuse("tube", _WANTED, model)
    if len(found := getattr(last, "solutions_", [])) == 1:
        return model.predict, found[0].slack_rule.epsilon, _trained(found[0], move)
    # ν-models of scikit-learn do not keep the ε they found; a number of another meaning has another name.
    epsilon = getattr(last, "epsilon", None) if hasattr(last, "dual_coef_") or type(last).__name__ == "LinearSVR" else None
    return model.predict, None if type(last).__name__ == "NuSVR" or epsilon is None else float(epsilon), _trained(last, move)


def _trained(last: Any, move: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Support vectors among rows, if these are the ones that a model was trained on."""

    def support(rows: Any) -> Any:
        numbers = getattr(last, "support_", getattr(last, "support", None))
        vectors = getattr(last, "support_vectors_", getattr(last, "support_vectors", None))
        count = last.n if isinstance(last, Solution) else getattr(last, "shape_fit_", (len(rows),))[0]
        if numbers is None or vectors is None or count != len(rows) or not len(numbers):
            return None
        return np.asarray(numbers) if same_rows(move(rows), numbers, vectors) else None

    return support
