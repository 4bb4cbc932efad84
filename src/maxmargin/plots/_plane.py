"""The plane that is drawn: two features vary, all others are held still."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar, final

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from sklearn.utils.sparsefuncs import csc_median_axis_0

from maxmargin.errors import InvalidInput

Floats = NDArray[np.float64]

_BLOCK_ENTRIES = 1 << 22  # a block of grid points is at most this many numbers (32 MB)


@final
@dataclass(frozen=True, eq=False)
class Plane:
    """A two-dimensional slice through feature space.

    Attributes
    ----------
    columns : (int, int)
        The features along the horizontal and the vertical axis.
    labels : (str, str)
        Their names.
    coordinates : ndarray of shape (n, 2)
        The rows of X seen in the plane.
    base : ndarray of shape (d,)
        The point through which the plane goes.
    held : str
        How the other features were fixed, in words; empty when there are none.
    wrap : callable
        Turns an array of points into the kind of container that X is (array, sparse matrix, data frame).
    """

    columns: tuple[int, int]
    labels: tuple[str, str]
    coordinates: Floats
    base: Floats
    held: str
    wrap: Callable[[Floats], Any]

    def grid(self, resolution: int) -> tuple[Floats, Floats]:
        """Horizontal and vertical grid coordinates that cover all rows, with some room around them."""
        low, high = self.coordinates.min(axis=0), self.coordinates.max(axis=0)
        room = np.where(high > low, 0.07 * (high - low), 0.5)
        low, high = low - room, high + room
        return np.linspace(low[0], high[0], resolution), np.linspace(low[1], high[1], resolution)

    def evaluate(self, function: Callable[[Any], NDArray[Any]], across: Floats, up: Floats) -> NDArray[Any]:
        """Values of ``function`` on the grid, shape ``(len(up), len(across), ...)``, asked in blocks."""
        horizontal, vertical = (part.ravel() for part in np.meshgrid(across, up))
        size = max(1, _BLOCK_ENTRIES // len(self.base))
        parts = []
        for start in range(0, len(horizontal), size):
            points = np.repeat(self.base[None, :], len(horizontal[start : start + size]), axis=0)
            points[:, self.columns[0]] = horizontal[start : start + size]
            points[:, self.columns[1]] = vertical[start : start + size]
            parts.append(function(self.wrap(points)))
        values = np.concatenate(parts)
        return values.reshape(len(up), len(across), *values.shape[1:])


L = TypeVar("L", "Plane", "Line")


def for_model(place: L, model: Any, X: Any) -> L:
    """The same place, with points as arrays where X is a data frame but the model was fitted without names of features."""
    nameless = hasattr(model, "n_features_in_") and not hasattr(model, "feature_names_in_")
    return replace(place, wrap=np.asarray) if nameless and hasattr(X, "columns") else place


def make_plane(
    X: Any,
    features: Sequence[int | str] | None,
    feature_names: Sequence[str] | None,
    fixed: str | ArrayLike,
    owner: str = "decision_boundary",
) -> Plane:
    """Choose the plane to draw; messages name the ``owner`` who wants to.

    Raises
    ------
    InvalidInput
        When X is not a table of numbers, or does not have two features and ``features`` does not choose two.
    """
    table, columns, wrap = _read(X, owner)
    d = table.shape[1]
    names = _names(feature_names, columns, d)
    pair = _choose(features, names, d, owner)
    base, held = _base(table, fixed, d)
    chosen = table[:, list(pair)]
    coordinates = np.asarray(chosen.toarray() if sparse.issparse(chosen) else chosen, dtype=np.float64)
    labels = (names[pair[0]], names[pair[1]]) if names else (f"feature {pair[0]}", f"feature {pair[1]}")
    return Plane(pair, labels, coordinates, base, held, wrap)


@final
@dataclass(frozen=True, eq=False)
class Line:
    """A line through feature space: one feature varies. The attributes are those of a `Plane`."""

    column: int
    label: str
    coordinates: Floats
    base: Floats
    held: str
    wrap: Callable[[Floats], Any]

    @property
    def ends(self) -> tuple[float, float]:
        """Where the line begins and ends: it covers all rows, with some room."""
        low, high = float(self.coordinates.min()), float(self.coordinates.max())
        room = 0.04 * (high - low) or 0.5
        return low - room, high + room

    def at(self, across: Floats) -> Any:
        """Points of the line."""
        points = np.repeat(self.base[None, :], len(across), axis=0)
        points[:, self.column] = across
        return self.wrap(points)


def make_line(
    X: Any, feature: int | str | None, feature_names: Sequence[str] | None, fixed: str | ArrayLike, owner: str = "tube"
) -> Line:
    """Choose the line to draw.

    Raises
    ------
    InvalidInput
        When X is not a table of numbers, or has several features of which none is chosen.
    """
    if sparse.issparse(X):
        raise InvalidInput(f"{owner} draws rows of dense X. Got a sparse matrix. Pass X.toarray().")
    table, columns, wrap = _read(X, owner)
    d = table.shape[1]
    names = _names(feature_names, columns, d)
    if feature is None and d > 1:
        raise InvalidInput(
            f"{owner} draws a function of one feature. Got X of shape {table.shape}. Choose one, for example feature=0; the"
            " others are then held at their median."
        )
    column = 0 if feature is None else _position(feature, names, d)
    base, _ = _base(table, fixed, d)
    others = d - 1
    at = f"at their {fixed}" if isinstance(fixed, str) and others > 1 else f"at its {fixed}" if isinstance(fixed, str) else ""
    held = f"{others} other feature{'s' if others > 1 else ''} held {at or 'at the values given'}" if others else ""
    label = names[column] if names else "feature" if d == 1 else f"feature {column}"
    return Line(column, label, np.asarray(table[:, column], dtype=np.float64), base, held, wrap)


def _read(X: Any, owner: str) -> tuple[Any, list[str] | None, Callable[[Floats], Any]]:
    """Numbers, column names and the way back to the caller's container."""
    if sparse.issparse(X):
        if X.shape[0] == 0:
            raise InvalidInput(f"{owner} needs at least one row to draw. Got X with 0 rows.")
        return X.tocsc(), None, sparse.csr_matrix
    columns = None
    wrap: Callable[[Floats], Any] = np.asarray
    frame, library = type(X), type(X).__module__.partition(".")[0]
    if library in ("pandas", "polars") and frame.__name__ == "DataFrame":
        names = columns = list(X.columns)
        keyword = "columns" if library == "pandas" else "schema"

        def wrap(points: Floats) -> Any:
            return frame(points, **{keyword: names})

    try:
        table = np.asarray(X, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InvalidInput(f"{owner} needs X as a table of numbers. Got {frame.__name__} that is not one ({error}).") from error
    if table.ndim != 2 or 0 in table.shape:
        raise InvalidInput(f"{owner} needs X with rows and columns. Got an array of shape {table.shape}.")
    return table, None if columns is None else [str(name) for name in columns], wrap


def _names(given: Sequence[str] | None, columns: list[str] | None, d: int) -> list[str] | None:
    if given is None:
        return columns
    names = [str(name) for name in given]
    if len(names) != d:
        raise InvalidInput(f"feature_names must have one name for each of the {d} features of X. Got {len(names)}.")
    return names


def _choose(features: Sequence[int | str] | None, names: list[str] | None, d: int, owner: str) -> tuple[int, int]:
    if features is None:
        if d == 2:
            return 0, 1
        if d == 1:
            raise InvalidInput(
                f"{owner} draws a plane and needs at least two features. Got X with 1. "
                "Plot decision_function(X) against the feature instead."
            )
        raise InvalidInput(
            f"{owner} draws two features. Got X with {d}. Choose two, for example features=(0, 1); "
            "the others are then held at their median."
        )
    if isinstance(features, str) or len(features) != 2:
        raise InvalidInput(f"features must be two columns of X, by number or by name. Got {features!r}.")
    first, second = (_position(feature, names, d) for feature in features)
    if first == second:
        raise InvalidInput(f"features must be two different columns of X. Got {features!r}.")
    return first, second


def _position(feature: int | str, names: list[str] | None, d: int) -> int:
    if isinstance(feature, str):
        if names is None:
            raise InvalidInput(
                f"The feature {feature!r} was asked for by name, but X has no column names. "
                "Pass feature_names=[...], a data frame, or column numbers."
            )
        if feature not in names:
            shown = ", ".join(names[:8]) + (", ..." if d > 8 else "")
            raise InvalidInput(f"There is no feature named {feature!r}. The features are: {shown}.")
        return names.index(feature)
    try:
        position = operator.index(feature)
    except TypeError:
        raise InvalidInput(f"features must be two columns of X, by number or by name. Got {feature!r}.") from None
    if not 0 <= position < d:
        raise InvalidInput(f"features must be column numbers from 0 to {d - 1}. Got {position}.")
    return position


def _base(table: Any, fixed: str | ArrayLike, d: int) -> tuple[Floats, str]:
    if isinstance(fixed, str):
        if fixed == "median":
            base = csc_median_axis_0(table) if sparse.issparse(table) else np.median(table, axis=0)
        elif fixed == "mean":
            base = table.mean(axis=0)
        else:
            raise InvalidInput(f"fixed must be 'median', 'mean' or one value for each feature. Got {fixed!r}.")
        held = f"at {'its' if d == 3 else 'their'} {fixed}"
    else:
        base, held = np.asarray(fixed, dtype=np.float64), "at the values given"
        if base.shape != (d,):
            raise InvalidInput(f"fixed must have one value for each of the {d} features. Got shape {base.shape}.")
    others = f"{d - 2} other feature{'s' if d > 3 else ''}" if d > 2 else ""
    return np.asarray(base, dtype=np.float64).ravel(), f"{others} held {held}" if others else ""
