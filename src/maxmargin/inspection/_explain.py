"""Which training rows a prediction rests on."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from typing import Any, Final, final

import numpy as np
from numpy.typing import NDArray

from maxmargin.errors import InvalidInput
from maxmargin.estimators import Expansion
from maxmargin.inspection._model import apart, require_expansion

__all__ = ["Explanation", "explain"]

_SHOWN: Final = 10
_LINEAR: Final = (
    "A linear model keeps weights instead of rows: see decision_gradient, which is w, or fit SVC(kernel='linear') or SVR."
)


@final
@dataclass(frozen=True, eq=False)
class Explanation:
    """``f(x) = Σ_i contributions_i + offset``, the largest contributions first.

    Attributes
    ----------
    value : float
        f(x).
    offset : float
        What does not come from rows: ``b``, for `SVDD` less ``k(x, x) / 2``.
    rows : ndarray of shape (n_SV,)
        Numbers of the support vectors in the X given to fit.
    contributions : ndarray of shape (n_SV,)
        ``β_i k(x_i, x)``.
    coefficients, similarities : ndarray of shape (n_SV,)
        ``β_i`` and ``k(x_i, x)``.
    meaning : str
        What f > 0 says.

    Examples
    --------
    >>> from maxmargin import SVC
    >>> from maxmargin.inspection import explain
    >>> print(explain(SVC(kernel="linear").fit([[0.0], [1.0], [3.0]], [0, 0, 1]), [3.0]))
    f(x) = 1: class 1 rather than class 0
         row   coefficient     k(x_i, x)  contribution
           2           0.5             9           4.5
           1          -0.5             3          -1.5
    offset                                          -2
    """

    value: float
    offset: float
    rows: NDArray[np.int32]
    contributions: NDArray[np.float64]
    coefficients: NDArray[np.float64]
    similarities: NDArray[np.float64]
    meaning: str

    def __str__(self) -> str:
        lines = [
            f"f(x) = {self.value:.6g}: {self.meaning}",
            f"{'row':>8}{'coefficient':>14}{'k(x_i, x)':>14}{'contribution':>14}",
        ]
        lines += ["".join((f"{row:>8}", *(f"{number:>14.6g}" for number in numbers))) for row, *numbers in self._table]
        rest = float(self.contributions[_SHOWN:].sum())
        if len(self.rows) > _SHOWN:
            lines.append(f"{f'{len(self.rows) - _SHOWN} other rows':<36}{rest:>14.6g}")
        return "\n".join([*lines, f"{'offset':<36}{self.offset:>14.6g}"])

    def _repr_html_(self) -> str:
        """A table for notebooks."""
        cells = [(str(row), *(f"{number:.6g}" for number in numbers)) for row, *numbers in self._table]
        if len(self.rows) > _SHOWN:
            cells.append((f"{len(self.rows) - _SHOWN} other rows", "", "", f"{self.contributions[_SHOWN:].sum():.6g}"))
        cells.append(("offset", "", "", f"{self.offset:.6g}"))
        head = "".join(f"<th>{escape(name)}</th>" for name in ("row", "coefficient", "k(x_i, x)", "contribution"))
        body = "".join("<tr>" + "".join(f"<td>{cell}</td>" for cell in line) + "</tr>" for line in cells)
        return f"<p>f(x) = {self.value:.6g}: {escape(self.meaning)}</p><table><tr>{head}</tr>{body}</table>"

    @property
    def _table(self) -> list[tuple[int, float, float, float]]:
        some = zip(self.rows, self.coefficients, self.similarities, self.contributions, strict=True)
        return [(int(row), float(a), float(b), float(c)) for (row, a, b, c), _ in zip(some, range(_SHOWN), strict=False)]


def explain(model: Any, x: Any, *, subproblem: int | None = None) -> Explanation:
    """Which training rows a prediction rests on: each support vector's part ``β_i k(x_i, x)`` of f(x).

    With several classes the predicted class is explained against its strongest rival: by the binary classifier of these two
    where classes are fitted in pairs, else by the difference of the two values. ``subproblem`` explains any one binary
    classifier instead.

    Parameters
    ----------
    model : fitted kernel estimator
        Of maxmargin; a pipeline that ends in one, or a search whose best model is one.
    x : row of X
        The row to predict, of shape (d,) or (1, d); for a precomputed kernel its values against all training rows.
    subproblem : int, optional
        Number of a binary classifier or output, in the order of ``solutions_``.

    Returns
    -------
    Explanation
        Prints as a table; a notebook shows one.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from maxmargin import SVC
    >>> from maxmargin.inspection import explain
    >>> X, y = load_iris(return_X_y=True)
    >>> found = explain(SVC().fit(X, y), X[120])
    >>> found.meaning
    'class 2 rather than class 1'
    >>> bool(abs(found.contributions.sum() + found.offset - found.value) < 1e-9)
    True
    """
    last, transform = apart(model)
    expansion = require_expansion(last, "explain", _LINEAR)
    row = x if getattr(x, "ndim", 1) == 2 else _one_row(x)
    if _count(row) != 1:
        raise InvalidInput(f"explain needs one row. Got {_count(row)}.")
    rows = expansion.new_rows(transform(row))
    values = expansion.values(rows)[0]
    signs, meaning = _chosen(expansion, values, subproblem, last)
    similarities = np.asarray(expansion.kernel.cross(rows, expansion.vectors))[0]
    coefficients = signs @ expansion.coefficients
    parts = coefficients * similarities
    value = float(signs @ values)
    order = np.argsort(-np.abs(parts), kind="stable")
    order = order[coefficients[order] != 0.0]
    offset = float(signs @ expansion.offsets)
    if expansion.half_diagonal:
        offset -= 0.5 * float(expansion.kernel.diagonal(rows)[0])
    return Explanation(value, offset, expansion.rows[order], parts[order], coefficients[order], similarities[order], meaning)


def _one_row(x: Any) -> Any:
    if hasattr(x, "to_frame"):  # a pandas Series is a row of its frame
        return x.to_frame().T
    return [x] if isinstance(x, str) or not np.ndim(x) else np.asarray(x)[np.newaxis]


def _count(rows: Any) -> int:
    return int(rows.shape[0]) if hasattr(rows, "shape") else len(rows)


def _chosen(
    expansion: Expansion, values: NDArray[np.float64], asked: int | None, model: Any
) -> tuple[NDArray[np.float64], str]:
    """Signs of the subproblems whose sum is explained, and what a positive sum means."""
    count = len(values)
    signs = np.zeros(count)
    if asked is not None:
        if isinstance(asked, bool) or not isinstance(asked, int | np.integer) or not 0 <= asked < count:
            raise InvalidInput(f"The 'subproblem' parameter of explain must be an int from 0 to {count - 1}. Got {asked!r}.")
        signs[asked] = 1.0
        return signs, _side(expansion, int(asked), model)
    if count == 1 or not expansion.sides:
        if count > 1:
            raise InvalidInput(f"explain needs 'subproblem' for a model of {count} outputs: an int from 0 to {count - 1}.")
        signs[0] = 1.0
        if expansion.sides and values[0] < 0.0:
            signs[0] = -1.0
            return signs, f"class {model.classes_[0]} rather than class {model.classes_[1]}"
        return signs, _side(expansion, 0, model)
    votes = np.zeros((2, len(model.classes_)))  # votes, and values to break ties by
    pairs = all(negative is not None for _, negative in expansion.sides)
    if not pairs:
        best, rival = np.argsort(-values, kind="stable")[:2]
        signs[best], signs[rival] = 1.0, -1.0
    else:
        for (positive, negative), value in zip(expansion.sides, values, strict=True):
            for side, signed in ((positive, value), (negative, -value)):
                votes[:, side] += float(signed > 0.0), signed
        best, rival = np.lexsort((-votes[1], -votes[0]))[:2]
        t = expansion.sides.index((min(best, rival), max(best, rival)))
        signs[t] = 1.0 if best < rival else -1.0
    return signs, f"class {model.classes_[best]} rather than class {model.classes_[rival]}"


def _side(expansion: Expansion, t: int, model: Any) -> str:
    if not expansion.sides:
        return "ordinary where f ≥ 0" if hasattr(model, "offset_") else "the prediction"
    positive, negative = expansion.sides[t]
    against = "all others" if negative is None else f"class {model.classes_[negative]}"
    return f"class {model.classes_[positive]} rather than {against}"
