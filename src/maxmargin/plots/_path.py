"""What changes along a path of regularisation: scores of a search, weights or support vectors of fitted models."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, Literal, NoReturn, final

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from maxmargin.errors import InvalidInput
from maxmargin.plots._canvas import matplotlib_module
from maxmargin.plots._dress import Legend, begin, check_legend, finish
from maxmargin.plots._kinds import last_of, refuse, right_picture
from maxmargin.solution import Solution
from maxmargin.validation import check_integer, check_option

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Floats = NDArray[np.float64]
_COSTS: Final = ("C", "nu", "lam_half", "lam", "alpha", "B")
_SHOWN: Final = ("auto", "score", "weights", "support", "alpha", "margin", "error")
_DASHES: Final = ("-", "--", "-.", ":")
_SPREAD: Final = 20.0  # largest over smallest value from which the axis is logarithmic
_THIN: Final = 0.5  # how much is seen of lines without a name
_BAND: Final = "± standard deviation of the folds"


@final
@dataclass(frozen=True, eq=False)
class _Curves:
    """What is drawn, whatever it was read from: lines over values of one parameter.

    Attributes
    ----------
    parameter, quantity : str
        What is across, and up.
    at : ndarray
        Values of the parameter, ascending.
    lines : dict of str to ndarray
        By name.
    errors : dict of str to ndarray
        Half the width of a band around some of the lines.
    """

    parameter: str
    quantity: str
    at: Floats
    lines: dict[str, Floats]
    errors: dict[str, Floats] = field(default_factory=dict)


def path(
    source: Any,
    *,
    show: Literal["auto", "score", "weights", "support", "alpha", "margin", "error"] = "auto",
    parameter: str | None = None,
    metric: str = "score",
    feature_names: Sequence[str] | None = None,
    most: int = 8,
    ax: Axes | None = None,
    legend: Legend = "auto",
    title: str | None = None,
) -> Axes:
    """Draw how models change along C, or another parameter.

    Of a search: the mean held-out score over C, with a band of one standard deviation of the folds, and a line for each of the
    best settings of the other parameters. Of a list of fitted models: their weights if they are linear, each feature a line,
    else how many support vectors they have. Of a `maxmargin.model_selection.CPath`: the multipliers of its rows, as parts of
    their bounds ``C_i``, the width of the street, support vectors, or the error on the training rows.

    Parameters
    ----------
    source : search, CPath, or sequence of fitted estimators or pipelines
        A search of one or more parameters, one of the estimators that choose their own, solutions along C, or models that
        differ in one parameter.
    show : "auto", "score", "weights", "support", "alpha", "margin" or "error", default="auto"
        What is up; the last three of a `CPath` only, for which "auto" is "alpha".
    parameter : str, optional
        What is across; by default C, ν or λ, whichever changes.
    metric : str, default="score"
        Which of several scores of a search.
    feature_names : sequence of str, optional
        Names of weights.
    most : int, default=8
        Lines that have a colour and a name: the best settings, the largest weights. Other weights are thin lines.
    ax : matplotlib Axes, optional
        Where to draw. By default a new pyplot figure.
    legend : bool, "auto", "inside", "outside", "below" or None, default="auto"
        Where lines are named.
    title : str, optional
        None by default.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from maxmargin import LinearSVC
    >>> from maxmargin.plots import path
    >>> X, y = load_iris(return_X_y=True)
    >>> models = [LinearSVC(C=C).fit(X[:100], y[:100]) for C in (0.01, 0.1, 1.0)]
    >>> path(models).get_xlabel()
    'C'
    """
    place = check_legend(legend, "path")
    check_option("show", show, "path", _SHOWN)
    count = check_integer("most", most, "path", 1)
    curves = _read(source, show, parameter, metric, feature_names, count)

    axes, theme = begin(ax)
    names = list(curves.lines)
    colours = theme.colours(min(len(names), count))
    band: list[Any] = []
    for k in reversed(range(len(names))):
        values, named = curves.lines[names[k]], k < count
        look: dict[str, Any] = {"color": theme.middle, "alpha": _THIN, "linewidth": 0.8, "zorder": 1, "gid": names[k]}
        if named:
            marker = "." if len(curves.at) <= 30 else ""
            look |= {
                "color": colours[k],
                "alpha": 1.0,
                "linewidth": 1.7,
                "linestyle": _DASHES[k // 7 % 4],
                "zorder": 3,
                "marker": marker,
            }
        axes.plot(curves.at, values, label=names[k] if named and len(names) > 1 else None, **look)
        if named and names[k] in curves.errors:
            error = curves.errors[names[k]]
            axes.fill_between(curves.at, values - error, values + error, color=colours[k], alpha=0.15, linewidth=0.0, zorder=2)
            band = [matplotlib_module("matplotlib.patches").Patch(color=colours[k], alpha=0.15, linewidth=0.0, label=_BAND)]
    if len(names) > count:
        axes.plot([], [], color=theme.middle, alpha=_THIN, linewidth=0.8, label=f"{len(names) - count} others")
    if curves.at[0] > 0.0 and curves.at[-1] > _SPREAD * curves.at[0]:
        axes.set_xscale("log")
    if curves.quantity == "weight":
        axes.axhline(0.0, color=theme.middle, linewidth=0.8, zorder=0)
    handles, words = axes.get_legend_handles_labels()
    ordered = [handles[words.index(name)] for name in [*names[:count], *words[-1:]] if name in words]
    ordered = [*dict.fromkeys(ordered), *band]
    finish(axes, theme, labels=(curves.parameter, curves.quantity), title=title, legend=place, grid=True, handles=ordered)
    axes.grid(False, which="minor")
    return axes


def _read(source: Any, show: str, parameter: str | None, metric: str, names: Sequence[str] | None, most: int) -> _Curves:
    """Curves from whatever has them: each kind of source has a reader of its own."""
    if hasattr(source, "cv_results_"):
        if show not in ("auto", "score"):
            raise InvalidInput(f"path shows the scores of a search. Got show={show!r}; pass a list of fitted models for that.")
        return _of_search(source, parameter, metric, most)
    if hasattr(source, "certificates") and hasattr(source, "Cs"):
        return _of_c_path(source, show, most)
    if show in ("alpha", "margin", "error"):
        raise InvalidInput(f"path shows {show!r} of what c_path returns. Got {type(source).__name__}.")
    if hasattr(source, "fit") or isinstance(source, Solution) or not isinstance(source, Iterable):
        _refuse(source)
    models = list(source)
    if len(models) < 2 or not all(hasattr(last_of(each), "get_params") for each in models):
        raise InvalidInput(f"path needs a search, or at least two fitted models. Got {len(models)} of them.")
    name, at = _values_of(models, parameter)
    order = np.argsort(at, kind="stable")
    models, at = [models[k] for k in order], at[order]
    if show == "auto":
        show = "weights" if all(_weights(each) is not None for each in models) else "support"
    if show == "weights":
        return _Curves(name, "weight", at, _weights_of(models, names))
    if show == "support":
        return _Curves(name, "support vectors", at, _support_of(models))
    raise InvalidInput("path shows scores of a search. Got fitted models, which have none; take show='weights' or 'support'.")


def _of_c_path(source: Any, show: str, most: int) -> _Curves:
    """Solutions of one problem along C, as `maxmargin.model_selection.c_path` has them."""
    at = np.asarray(source.Cs, dtype=np.float64)
    if show in ("auto", "alpha"):
        shares = source.alpha / (at[:, np.newaxis] * source.problem.weight)
        order = np.argsort(-np.ptp(shares, axis=0), kind="stable")
        return _Curves("C", "α as a part of its bound", at, {f"row {k}": shares[:, k] for k in order})
    if show == "support":
        return _Curves("C", "support vectors", at, {"support vectors": np.asarray(source.n_support, dtype=np.float64)})
    if show == "margin":
        return _Curves("C", "width of the street 2/|w|", at, {"margin": source.margins})
    if show == "error":
        return _Curves("C", "error on the training rows", at, {"error": source.errors})
    raise InvalidInput(f"path shows 'alpha', 'margin', 'support' or 'error' of solutions along C. Got show={show!r}.")


def _refuse(source: Any) -> NoReturn:
    if not right_picture(source):
        raise InvalidInput(f"path draws a search, or a list of fitted models along C. Got {type(source).__name__}.")
    refuse("path", "a search, or a list of fitted models that differ in C", source, "one model is no path")


def _of_search(search: Any, parameter: str | None, metric: str, most: int) -> _Curves:
    results = search.cv_results_
    if f"mean_test_{metric}" not in results:
        known = sorted(name.removeprefix("mean_test_") for name in results if name.startswith("mean_test_"))
        raise InvalidInput(f"The search has no score {metric!r}. Its scores are: {', '.join(known)}.")
    settings = results["params"]
    numbers = {name: {each.get(name) for each in settings} for name in dict.fromkeys(key for each in settings for key in each)}
    several = [name for name, values in numbers.items() if len(values) > 1 and all(_is_number(each) for each in values)]
    if parameter is not None and parameter not in several:
        raise InvalidInput(
            f"The search has no parameter {parameter!r} with several numbers. It has: {', '.join(several) or 'none'}."
        )
    if not several:
        raise InvalidInput("path needs a parameter with several numbers. The search has none.")
    across = parameter or next((name for name in several if name.rpartition("__")[2] in _COSTS), several[0])
    at = np.array(sorted(numbers[across]), dtype=np.float64)
    mean, deviation = (np.asarray(results[f"{part}_test_{metric}"], dtype=np.float64) for part in ("mean", "std"))
    lines: dict[str, Floats] = {}
    errors: dict[str, Floats] = {}
    for each, score, spread in zip(settings, mean, deviation, strict=True):
        others = [f"{key} = {_short(value)}" for key, value in each.items() if key != across and len(numbers[key]) > 1]
        name = ", ".join(others) or metric
        place = int(np.searchsorted(at, each[across]))
        lines.setdefault(name, np.full(len(at), np.nan))[place] = score
        errors.setdefault(name, np.full(len(at), np.nan))[place] = spread
    best = sorted(lines, key=lambda name: -float(np.nanmax(lines[name], initial=-np.inf)))
    shown = {name: lines[name] for name in best[:most]}
    return _Curves(across, f"mean held-out {metric}", at, shown, {name: errors[name] for name in best[:1]})


def _values_of(models: list[Any], parameter: str | None) -> tuple[str, Floats]:
    """The parameter in which models differ, and its values."""
    params = [last_of(each).get_params() for each in models]
    names = [parameter] if parameter is not None else [name for name in _COSTS if all(name in each for each in params)]
    for name in names:
        values = [each.get(name) for each in params]
        if all(_is_number(value) for value in values) and len(set(values)) == len(values):
            return name, np.array(values, dtype=np.float64)
    wanted = f"a number of their own for {parameter!r}" if parameter else "a value of their own of C, nu or λ"
    raise InvalidInput(
        f"path needs models of which each has {wanted}. Got {len(models)} of {type(last_of(models[0])).__name__}."
    )


def _weights(model: Any) -> Floats | None:
    found = getattr(last_of(model), "coef_", None)
    if found is None:
        return None
    return np.atleast_2d(np.asarray(found.toarray() if sparse.issparse(found) else found, dtype=np.float64))


def _weights_of(models: list[Any], names: Sequence[str] | None) -> dict[str, Floats]:
    weights = [_weights(each) for each in models]
    if any(each is None for each in weights):
        without = next(type(last_of(model)).__name__ for model, each in zip(models, weights, strict=True) if each is None)
        raise InvalidInput(f"path shows weights of linear models. Got {without}, which has no coef_; take show='support'.")
    table = np.stack([each for each in weights if each is not None])
    if table.shape[1] > 1:  # of several classes: the size of a feature's weights
        table = np.sqrt(np.square(table).sum(axis=1, keepdims=True))
    columns = table[:, 0].T
    labels = [f"feature {k}" for k in range(len(columns))] if names is None else [str(name) for name in names]
    if len(labels) != len(columns):
        raise InvalidInput(f"feature_names must have one name for each of the {len(columns)} features. Got {len(labels)}.")
    order = np.argsort(-np.abs(columns).max(axis=1), kind="stable")
    return {labels[k]: columns[k] for k in order}


def _support_of(models: list[Any]) -> dict[str, Floats]:
    def reader(each: Any) -> Any:
        return getattr(last_of(each), "support_", None)

    counts = [reader(each) for each in models]
    if any(each is None for each in counts):
        without = next(type(last_of(model)).__name__ for model in models if reader(model) is None)
        raise InvalidInput(f"path shows support vectors of kernel models. Got {without}, which has none; take show='weights'.")
    return {"support vectors": np.array([len(each) for each in counts], dtype=np.float64)}


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float | np.number) and not isinstance(value, bool)


def _short(value: Any) -> str:
    return f"{value:.3g}" if isinstance(value, float | np.floating) else str(value)
